"""Which reader a file needs: its content decides; its name and media type break ties."""

import re
from pathlib import PurePath
from uuid import UUID

from docqa.errors import Unreadable
from docqa.formats import archive
from docqa.formats.foreign import HEAD, foreign, is_binary, is_html

SUFFIXES = (
    ".pdf",
    ".txt",
    ".ppt",
    ".pptx",
    ".odp",
    ".csv",
    ".epub",
    ".rtf",
    ".png",
    ".jpg",
    ".jpeg",
    ".tiff",
    ".tif",
    ".webp",
    ".gif",
    ".bmp",
)
_IMAGES = SUFFIXES[SUFFIXES.index(".png") :]
_KINDS = dict.fromkeys(_IMAGES, "image")  # by suffix, where the kind has another name

_MEDIA_TYPES = {
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    "application/rtf": "rtf",
    "application/x-rtf": "rtf",
    "text/rtf": "rtf",
    "text/csv": "csv",
    "application/csv": "csv",
    "text/tab-separated-values": "csv",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/epub+zip": "epub",
    **dict.fromkeys(("image/png", "image/jpeg", "image/tiff", "image/webp", "image/gif", "image/bmp"), "image"),
    "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.presentation-template": "odp",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.openxmlformats-officedocument.presentationml.slideshow": "pptx",
}
_TEXT = re.compile(
    r"text/.+|application/(?:.+\+)?(?:json|xml|yaml|x-yaml|toml|sql|javascript|x-javascript|x-sh|x-tex|x-ndjson)"
)

_PICTURE = re.compile(
    rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|II[*+]\0|MM\0[*+]|BM.{4}\0\0\0\0|RIFF.{4}WEBP", re.DOTALL
)
_MARKS = b"\xef\xbb\xbf\xff\xfe"
_SPACE = b"\0 \t\r\n\f"
_PDF = re.compile(rb"%PDF-\d|%!PS-Adobe-\d\.\d PDF-\d")
_OBJECT = re.compile(rb"\d\s{1,9}\d{1,9}\s{1,9}obj\b")
_NEAR = 100_000
# The version is followed by a control word, a group or the end, unlike in a text about the format.
_RTF = re.compile(rb"\{\\rtf\d*\s*[\\{}]")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08PK")
_ZIPPED = ("pptx", "odp", "epub")
_ZIP_END = b"PK\x05\x06"
_LONGEST_ZIP_END = 66_000

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_WORD = "Word documents are not supported. Save the document as PDF or RTF and upload that."
_EXCEL = "Excel workbooks are not supported. Save the sheet as CSV and upload that."
_PROTECTED = "The file is password-protected. Save it without a password and upload it again."
# The class of the root entry ([MS-CFB] 2.6.1) distinguishes a document that embeds a presentation from a presentation.
_CLASSES = {
    UUID("00020900-0000-0000-c000-000000000046").bytes_le: _WORD,
    UUID("00020906-0000-0000-c000-000000000046").bytes_le: _WORD,
    UUID("00020810-0000-0000-c000-000000000046").bytes_le: _EXCEL,
    UUID("00020820-0000-0000-c000-000000000046").bytes_le: _EXCEL,
}
_PRESENTATIONS = ("PowerPoint Document", "PP40")
_STREAMS = (
    ("EncryptedPackage", _PROTECTED),
    ("WordDocument", _WORD),
    ("Workbook", _EXCEL),
    ("__substg1.0_", "Outlook messages are not supported. Save the message as text and upload that."),
    ("VisioDocument", "Visio drawings are not supported. Save the drawing as PDF and upload that."),
    ("Quill", "Publisher documents are not supported. Save the document as PDF and upload that."),
)


def detect(data: bytes, name: str, media_type: str) -> str:
    """The kind of a file, a key of `reading.READERS`; `media_type` is a link's, without parameters, "" for an upload.

    Raises Unreadable if the file is empty, unsupported, or not what its name says.
    """
    if not data.lstrip(_MARKS).strip(_SPACE):
        raise Unreadable("The file is empty.")
    suffix = PurePath(name).suffix.lower()
    named = _KINDS.get(suffix, suffix[1:]) if suffix in SUFFIXES else ""
    expected = _MEDIA_TYPES.get(media_type) or named or ("txt" if _TEXT.fullmatch(media_type) else "")
    kind = _by_content(data, expected)
    if kind:
        return kind
    if media_type and is_html(data) and (expected in ("", "pdf") or media_type.endswith("xml")):
        return "html"
    if expected in ("txt", "csv", "html") and (not is_binary(data) or is_html(data) or foreign(data) is None):
        return expected
    raise Unreadable(_refusal(data, suffix, media_type, expected))


def _by_content(data: bytes, expected: str) -> str | None:
    """The kind that the content shows; if it fits two, the expected one, or else the first."""
    is_picture = _PICTURE.match(data) is not None and is_binary(data)
    if is_picture and expected == "image":
        return "image"
    if _is_pdf(data, expected):
        return "pdf"
    if _is_rtf(data, expected):
        return "rtf"
    if data.startswith(_ZIP) or expected in _ZIPPED and _ZIP_END in data[-_LONGEST_ZIP_END:]:
        return archive.kind(data)
    if data.startswith(_OLE):
        return _ole(data)
    return "image" if is_picture else None


def _is_pdf(data: bytes, expected: str) -> bool:
    """Whether the content is a PDF.

    Readers accept a header anywhere in the first 1,024 bytes (ISO 32000-1, annex H.3.4.1); if the file has another
    suffix, objects must follow it.
    """
    header = _PDF.search(data[:HEAD])
    if expected == "pdf":
        return header is not None or _OBJECT.search(data[:_NEAR]) is not None
    if header is None or expected in _ZIPPED and _ZIP_END in data[-_LONGEST_ZIP_END:]:
        return False
    before = data[: header.start()]
    starts_line = not before.lstrip(_MARKS).strip(_SPACE) or before.endswith((b"\r", b"\n")) and not is_binary(before)
    return starts_line and _OBJECT.search(data, header.end(), _NEAR) is not None


def _is_rtf(data: bytes, expected: str) -> bool:
    if expected == "rtf":
        return b"{\\rtf" in data[:HEAD]
    return _RTF.match(data[:HEAD].lstrip(_MARKS + _SPACE)) is not None


def _ole(data: bytes) -> str:
    """`ppt`. Raises Unreadable for files of other old Office programs, and for a protected one."""
    refusal = _CLASSES.get(_root_class(data))
    if (
        refusal is None
        and any(_wide(name) in data for name in _PRESENTATIONS)
        and _wide("EncryptedPackage") not in data
    ):
        return "ppt"
    by_stream = next((refusal for name, refusal in _STREAMS if _wide(name) in data), None)
    raise Unreadable(
        refusal or by_stream or f"The file is an old Office file, but not a PowerPoint presentation. {_supported()}"
    )


def _root_class(data: bytes) -> bytes:
    """The class of the root entry, the first in the directory, whose first sector the header gives ([MS-CFB] 2.2)."""
    sector = 1 << min(data[30] if len(data) > 30 else 9, 12)
    entry = (int.from_bytes(data[48:52], "little") + 1) * sector
    return data[entry + 80 : entry + 96]


def _wide(text: str) -> bytes:
    return text.encode("utf-16-le")


def _refusal(data: bytes, suffix: str, media_type: str, expected: str) -> str:
    actual = foreign(data)
    named = suffix if _KINDS.get(suffix) == expected else f".{expected}"
    if expected and actual:
        return f"The file is not a {named} file: it is {actual.what}. {actual.advice}".rstrip()
    if expected:
        return (
            f"The file is not a {named} file, or it is damaged at its beginning. "
            "Open it in the program that made it, save it again and upload that."
        )
    if media_type or suffix:
        return f"Files of the type {media_type or suffix} are not supported. {_supported()}"
    return f"The kind of this file is not known. {_supported()}"


def _supported() -> str:
    return f"Supported are {', '.join(SUFFIXES)}."
