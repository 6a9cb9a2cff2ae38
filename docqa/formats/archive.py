"""Documents in ZIP archives: their kind, and whether they are safe to unpack. Nothing is unpacked to disk."""

import io
import re
import struct
import zipfile
import zlib

from docqa.errors import Unreadable

LARGEST = 1_000_000_000
SUSPICIOUS = 30_000_000
RATIO = 100
MEMBERS = 20_000
# A parsed tree takes up to fifty times the memory of its source.
LARGEST_MARKUP = 32_000_000
_MARKUP = (".xml", ".rels", ".xhtml", ".html", ".htm", ".opf", ".ncx", ".svg", ".vml")
# These are streamed.
_STREAMED = re.compile(r"xl/(?:worksheets/[^/]+|sharedstrings)\.xml|content\.xml")
_CHUNK = 1 << 16
_HEADER = struct.Struct("<26xHH")
_ENTRY = b"PK\x01\x02"
_IS_ENCRYPTED = 1
# What zipfile raises on a damaged part.
UNPACKABLE = (zipfile.BadZipFile, zlib.error, NotImplementedError, OSError, RuntimeError, EOFError, ValueError)

_DAMAGED = (
    "The file is damaged: its ZIP directory or a part of it cannot be read. "
    "The upload may have been cut off; upload it again."
)
_PROTECTED = "The file is password-protected. Save it without a password and upload it again."
_AS_PDF = "Save the document as PDF and upload that."
# Kinds that show in a path in the archive, or in the beginning of one.
_PATHS = (
    ("visio/", f"Visio drawings are not supported. {_AS_PDF}"),
    ("androidmanifest.xml", "The file is an Android app, not a document."),
    ("meta-inf/manifest.mf", "The file is a Java program, not a document."),
    ("index/", f"Documents of Pages, Numbers and Keynote are not supported. {_AS_PDF}"),
    ("index.xml", f"Documents of Pages, Numbers and Keynote are not supported. {_AS_PDF}"),
    ("index.apxl", f"Documents of Pages, Numbers and Keynote are not supported. {_AS_PDF}"),
)
_TYPES = (
    ("opendocument", f"OpenDocument files other than texts, sheets and presentations are not supported. {_AS_PDF}"),
)
# The main part of documents, templates, and those with macros.
_WORD = re.compile(r"(?i)wordprocessingml\.(?:document|template)\.main|ms-word\.(?:document|template)\.macroEnabled")
_PRESENTATION = 'manifest:media-type="application/vnd.oasis.opendocument.presentation'
_PICTURES = (".jpg", ".jpeg", ".png", ".gif", ".webp")


def kind(data: bytes) -> str:
    """A key of `reading.READERS`. Raises Unreadable for other archives, damaged ones and decompression bombs."""
    if data.count(_ENTRY) > MEMBERS:
        raise Unreadable(f"The file holds more than {MEMBERS:,} parts, which is the limit. It is refused.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if any(member.flag_bits & _IS_ENCRYPTED for member in members):
                raise Unreadable(_PROTECTED)
            _check_sizes(members, len(data))
            document_kind = _kind(archive, [_path(member) for member in members])
            for member in members:
                _check_part(data, member)
    except UNPACKABLE as error:
        raise Unreadable(_DAMAGED) from error
    return document_kind


def _path(member: zipfile.ZipInfo) -> str:
    return member.filename.replace("\\", "/").lstrip("/").lower()


def _check_sizes(members: list[zipfile.ZipInfo], packed: int) -> None:
    """Raises Unreadable for parts that share their bytes, or that unpack to far more than their size."""
    if sum(member.compress_size for member in members) > packed:
        raise Unreadable("The parts of the file overlap: it is refused as a decompression bomb.")
    unpacked = sum(member.file_size for member in members)
    if unpacked > LARGEST or unpacked > SUSPICIOUS and unpacked > RATIO * packed:
        raise Unreadable(
            f"The file unpacks to {unpacked // 1_000_000:,} MB in {len(members):,} parts from {packed / 1e6:.1f} MB: "
            "it is refused as a decompression bomb."
        )


def _kind(archive: zipfile.ZipFile, paths: list[str]) -> str:
    mimetype, types = _beginning(archive, "mimetype"), _beginning(archive, "[Content_Types].xml")
    if (
        "meta-inf/container.xml" in paths
        or "application/epub+zip" in mimetype
        or any(path.endswith(".opf") for path in paths)
    ):
        return "epub"
    if (
        any(path.startswith(("ppt/presentation.xml", "ppt/slides/")) for path in paths)
        or "presentationml.presentation.main" in types
    ):
        return "pptx"
    if (
        "opendocument.presentation" in mimetype
        or not mimetype
        and _PRESENTATION in _beginning(archive, "META-INF/manifest.xml")
    ):
        return "odp"
    if any(path.startswith("word/document") for path in paths) or _WORD.search(types):
        return "docx"
    if "opendocument.text" in mimetype or not mimetype and "office:text" in _beginning(archive, "content.xml"):
        return _text(archive)
    if any(path.startswith("xl/") for path in paths):
        return "xls" if "xl/workbook.bin" in paths else "xlsx"
    if "opendocument.spreadsheet" in mimetype:
        return "ods"
    for sign, refusal in _TYPES:
        if sign in mimetype:
            raise Unreadable(refusal)
    for start, refusal in _PATHS:
        if any(path.startswith(start) for path in paths):
            raise Unreadable(refusal)
    if paths and all(path.endswith((*_PICTURES, "/", ".xml")) for path in paths):
        raise Unreadable(
            "The file is an archive of pictures, such as a comic book. "
            "Unpack it and upload the pictures, or save them as one PDF and upload that."
        )
    raise Unreadable(
        "The file is a ZIP archive, but no document that can be read. Unpack it and upload the documents in it."
    )


def _text(archive: zipfile.ZipFile) -> str:
    """`odt`. Raises Unreadable for a text that is encrypted, part by part (OpenDocument 1.3 part 2, 4.8)."""
    if "manifest:encryption-data" in _beginning(archive, "META-INF/manifest.xml"):
        raise Unreadable(_PROTECTED)
    return "odt"


def _beginning(archive: zipfile.ZipFile, name: str) -> str:
    """The first 64 KB of a member, "" if there is no such member."""
    if name not in archive.namelist():
        return ""
    with archive.open(name) as member:
        return member.read(_CHUNK).decode("utf-8", "replace")


def _check_part(data: bytes, member: zipfile.ZipInfo) -> None:
    """Raises Unreadable for a part that is too large to be parsed, or that unpacks to more than it declares.

    zipfile itself unpacks everything before it cuts the result to the declared size.
    """
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Unreadable(
            "The file is compressed with a method that documents do not use. "
            "Save it again in the program that made it and upload that."
        )
    path = _path(member)
    if member.file_size > LARGEST_MARKUP and path.endswith(_MARKUP) and not _STREAMED.fullmatch(path):
        raise Unreadable(
            f"A part of the file has {member.file_size // 1_000_000} MB of markup, more than can be read. "
            "Split it into smaller files."
        )
    if member.compress_type == zipfile.ZIP_DEFLATED and _unpacked(data, member) > member.file_size:
        raise Unreadable("A part of the file unpacks to more than it declares: it is refused as a decompression bomb.")


def _unpacked(data: bytes, member: zipfile.ZipInfo) -> int:
    """How many bytes of a deflated part can be unpacked; counting stops soon after the declared size."""
    header = data[member.header_offset : member.header_offset + _HEADER.size]
    if len(header) < _HEADER.size:
        return 0
    name, extra = _HEADER.unpack(header)
    start = member.header_offset + _HEADER.size + name + extra
    end = start + member.compress_size
    inflate, size = zlib.decompressobj(-zlib.MAX_WBITS), 0
    for at in range(start, end, _CHUNK):
        try:
            size += len(inflate.decompress(data[at : min(at + _CHUNK, end)]))
        except zlib.error:
            return size  # whether the document can do without the rest is for its reader to decide
        if size > member.file_size:
            break
    return size
