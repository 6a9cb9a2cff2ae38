"""Which reader a file needs: its content decides; its name and media type break ties."""

import re
from pathlib import PurePath

from docqa.errors import Unreadable
from docqa.formats import archive
from docqa.formats.compound_kinds import SIGNATURE, compound_kind
from docqa.formats.foreign import HEAD, foreign, is_binary, is_html
from docqa.formats.names import SUFFIXES, kind_named, kind_promised

_PICTURE = re.compile(
    rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|II[*+]\0|MM\0[*+]|BM.{4}\0\0\0\0|RIFF.{4}WEBP", re.DOTALL
)
_MARKS = b"\xef\xbb\xbf\xff\xfe"
_SPACE = b"\0 \t\r\n\f"
_PDF = re.compile(rb"%PDF-\d|%!PS-Adobe-\d\.\d PDF-\d")
_OBJECT = re.compile(rb"\d\s{1,9}\d{1,9}\s{1,9}obj\b")
NEAR = 100_000  # bytes from the beginning, within which a kind shows
# The version is followed by a control word, a group or the end, unlike in a text about the format.
_RTF = re.compile(rb"\{\\rtf\d*\s*[\\{}]")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08PK")
_ZIPPED = ("pptx", "odp", "epub", "docx", "odt", "xlsx", "ods")
_ZIP_END = b"PK\x05\x06"
_LONGEST_ZIP_END = 66_000
# Kinds that are read as text, whatever is in it: what looks like another kind may be meant as it is.
_TEXTS = ("txt", "csv", "md", "html")
_DATA = ("json", "xml")
# Fields that a message's header has; of other texts hardly any begins with two.
_FIELDS = {"from", "to", "subject", "date", "message-id", "received", "return-path", "delivered-to", "mime-version"}
_FIRST_FIELD = re.compile(rb"(?:>?From [^\r\n]*\r?\n)?[A-Za-z][A-Za-z0-9-]*[ \t]*:")
_MBOX = re.compile(rb"From \S+[^\r\n]*\d{2}:\d{2}[^\r\n]*\r?\n[A-Za-z-]+:")
_XHTML = re.compile(rb"<html[\s>]", re.IGNORECASE)
# An OpenDocument text that is a single XML file says so after its namespaces (OpenDocument 1.3 part 3, 3.1.2).
_FLAT_TEXT = re.compile(
    rb"^[^<]{0,9}<\?xml[^<]*<office:document\s[^>]*office:mimetype=.application/vnd\.oasis\.opendocument\.text\W"
)
_FLAT_HEAD = 8_192


def detect(data: bytes, name: str, media_type: str) -> str:
    """The kind of a file, a key of `reading.READERS`; `media_type` is a link's, without parameters, "" for an upload.

    Raises Unreadable if the file is empty, unsupported, or not what its name says.
    """
    if not data.lstrip(_MARKS).strip(_SPACE):
        raise Unreadable("The file is empty.")
    suffix = PurePath(name).suffix.lower()
    expected = kind_promised(suffix, media_type)
    kind = _by_content(data, expected)
    if kind:
        return kind
    if media_type and is_html(data) and (expected in ("", "pdf") or media_type.endswith("xml")):
        return "html"
    if expected in _TEXTS and (not is_binary(data) or is_html(data) or foreign(data) is None):
        return expected
    if kind := _table(data) if expected == "xls" else _data(data, expected):
        return kind
    raise Unreadable(_refusal(data, suffix, media_type, expected))


def refuse_head(head: bytes, name: str) -> None:
    """Raises Unreadable if the first `NEAR` bytes of a longer file show that `detect` will refuse it: what tells the
    kinds of archives apart stands further behind, all else within them."""
    packed = head.startswith((*_ZIP, SIGNATURE)) or kind_promised(PurePath(name).suffix.lower(), "") in _ZIPPED
    if not packed and head.lstrip(_MARKS).strip(_SPACE):
        detect(head, name, "")


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
    if data.startswith(SIGNATURE):
        return compound_kind(data)
    if _FLAT_TEXT.search(data[:_FLAT_HEAD]):
        return "odt"
    return "image" if is_picture else None


def _table(data: bytes) -> str | None:
    """What programs export "to Excel" is often a web page with a table, or a text with tabs."""
    if is_html(data) and b"<table" in data[:NEAR].lower():
        return "html"
    is_text = not is_binary(data) and foreign(data) == foreign(b"text")
    return "csv" if is_text and b"\t" in data[:HEAD] else None


def _data(data: bytes, expected: str) -> str | None:
    """The kind of a message or of data in text, by what it looks like and what is expected."""
    if expected in ("", "eml", "msg") and _is_mail(data):
        return "eml"
    if not expected and _MBOX.match(data):
        return "mbox"
    if expected == "xml" and _XHTML.search(data[:HEAD].replace(b"\0", b"")):
        return "html"
    if expected in ("eml", "mbox"):
        return expected if _FIRST_FIELD.match(_begun(data)) and not is_binary(data) else None
    if expected in _DATA and not is_binary(data) and (expected == "xml" or not is_html(data)):
        return expected
    return None


def _begun(data: bytes) -> bytes:
    return data[:NEAR].lstrip(_MARKS + _SPACE)


def _is_mail(data: bytes) -> bool:
    """Whether it begins with the header of a message."""
    head = _begun(data)
    if not _FIRST_FIELD.match(head) or is_binary(data):
        return False
    known = set()
    for line in head.splitlines():
        if not line.strip():
            break
        known.add(line.partition(b":")[0].strip().lower().decode("ascii", "replace"))
    return len(known & _FIELDS) > 1


def _is_pdf(data: bytes, expected: str) -> bool:
    """Whether the content is a PDF.

    Readers accept a header anywhere in the first 1,024 bytes (ISO 32000-1, annex H.3.4.1); if the file has another
    suffix, objects must follow it.
    """
    header = _PDF.search(data[:HEAD])
    if expected == "pdf":
        return header is not None or _OBJECT.search(data[:NEAR]) is not None
    if header is None or expected in _ZIPPED and _ZIP_END in data[-_LONGEST_ZIP_END:]:
        return False
    before = data[: header.start()]
    starts_line = not before.lstrip(_MARKS).strip(_SPACE) or before.endswith((b"\r", b"\n")) and not is_binary(before)
    return starts_line and _OBJECT.search(data, header.end(), NEAR) is not None


def _is_rtf(data: bytes, expected: str) -> bool:
    if expected == "rtf":
        return b"{\\rtf" in data[:HEAD]
    return _RTF.match(data[:HEAD].lstrip(_MARKS + _SPACE)) is not None


def _refusal(data: bytes, suffix: str, media_type: str, expected: str) -> str:
    actual = foreign(data)
    named = suffix if kind_named(suffix) == expected else f".{expected}"
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
