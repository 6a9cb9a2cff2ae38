"""Which reader a file needs: its content decides, its name and media type break ties."""

from pathlib import PurePath

from docqa.errors import Unreadable
from docqa.extract import archive

SUFFIXES = (".pdf", ".txt", ".ppt", ".pptx", ".csv", ".epub", ".rtf")

_MEDIA_TYPES = {
    "application/pdf": "pdf",
    "application/rtf": "rtf",
    "text/rtf": "rtf",
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/epub+zip": "epub",
    "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
}
_TEXT = ("application/json", "application/xml", "application/yaml", "application/x-yaml")
_FOREIGN = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"II*\0": "a TIFF picture",
    b"MM\0*": "a TIFF picture",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"Rar!": "a RAR archive",
    b"\x7fELF": "a program",
    b"MZ\x90": "a program",
    b"%!PS": "a PostScript file",
    b"AT&TFORM": "a DjVu file",
}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def detect(data: bytes, name: str, media_type: str) -> str:
    """The kind of a file; `media_type` is a link's, without parameters, and empty for an upload.

    Raises Unreadable for an empty file, an unsupported one, and one that is not what its name says.
    """
    if not data.strip(b"\0 \t\r\n\f"):
        raise Unreadable("The file is empty.")
    suffix = PurePath(name).suffix.lower()
    kind = _by_content(data)
    if kind:
        return kind
    named = suffix[1:] if suffix in SUFFIXES else ""
    kind = _MEDIA_TYPES.get(media_type) or named or ("txt" if media_type.startswith("text/") or media_type in _TEXT else "")
    if media_type and kind in ("", "pdf") and _is_html(data):
        return "html"
    if kind == "pdf" and b"%PDF-" in data[:1024]:
        return "pdf"
    if kind in ("txt", "csv", "html", "pdf") and not (kind == "pdf" and _foreign(data)):
        return kind
    raise Unreadable(_refusal(data, suffix, media_type, kind))


def _by_content(data: bytes) -> str | None:
    head = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n\0")
    if head.startswith(b"%PDF-"):
        return "pdf"
    if head.startswith(b"{\\rtf"):
        return "rtf"
    if data.startswith(b"PK\x03\x04"):
        return archive.kind(data)
    if data.startswith(_OLE):
        return _ole(data)
    return None


def _ole(data: bytes) -> str:
    if _wide("EncryptedPackage") in data:
        raise Unreadable("The presentation is password-protected. Save it without a password and upload it again.")
    if _wide("PowerPoint Document") in data or _wide("PP40") in data:
        return "ppt"
    raise Unreadable("The file is an old Office file, but no PowerPoint presentation. " + _supported())


def _wide(text: str) -> bytes:
    return text.encode("utf-16-le")


def _is_html(data: bytes) -> bool:
    head = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return head.startswith((b"<!doctype html", b"<html")) or b"<html" in head or b"<head" in head


def _foreign(data: bytes) -> str:
    """What the file is instead, as far as its first bytes tell."""
    if _is_html(data):
        return "an HTML page"
    return next((what for start, what in _FOREIGN.items() if data.startswith(start)), "")


def _refusal(data: bytes, suffix: str, media_type: str, kind: str) -> str:
    what = _foreign(data)
    if kind:
        return f"The file is not a .{kind} file{f': it is {what}' if what else ', or it is damaged at its beginning'}."
    given = f"Files of the type {media_type or suffix} are not supported. " if media_type or suffix else "The kind of this file is not known. "
    return given + _supported()


def _supported() -> str:
    return f"Supported are {', '.join(SUFFIXES)}."
