"""Identifies files that we cannot read by their first bytes, and says what their owner can do instead."""

import re
from dataclasses import dataclass

HEAD = 1024


@dataclass(frozen=True)
class Foreign:
    """`what` completes "it is …"; `advice` is a sentence, or "" if nothing helps."""

    what: str
    advice: str = ""


_AS_PNG = "Save it as PNG or JPEG and upload that."
_UNPACK = "Unpack it and upload the documents in it."
_TRANSCRIPT = "Upload a transcript as text."
_AS_PDF = "Save it as PDF and upload that."
_AS_CSV = "Save its tables as CSV and upload those."
_AS_EPUB = "Convert it to EPUB and upload that."
_AGAIN = "Sign in where it came from, download the file itself and upload that."
_RENAME = "If that is what you meant to upload, give it a name that ends in .txt."

_FORMATS = tuple(
    (re.compile(pattern, re.DOTALL), Foreign(what, advice))
    for pattern, what, advice in (
        (rb".{4}ftyp(?:hei|mif1|avif|msf1)", "a HEIF picture", _AS_PNG),
        (rb"\0\0\0\x0cjP  |\xff\x4f\xff\x51", "a JPEG 2000 picture", _AS_PNG),
        (rb"8BPS", "a Photoshop picture", _AS_PNG),
        (rb"\xd7\xcd\xc6\x9a|\x01\0\0\0.{36} EMF", "a Windows metafile", _AS_PDF),
        (rb"AT&TFORM", "a DjVu file", _AS_PDF),
        (rb"%!PS|\xc5\xd0\xd3\xc6", "a PostScript file", _AS_PDF),
        (rb"PK\x03\x04", "a ZIP archive", _UNPACK),
        (rb"\x1f\x8b|\x1f\x9d|BZh[1-9]1AY|\xfd7zXZ\0|\x28\xb5\x2f\xfd|LZIP", "a compressed file", _UNPACK),
        (rb"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", _UNPACK),
        (rb"Rar!\x1a\x07", "a RAR archive", _UNPACK),
        (rb".{257}ustar", "a TAR archive", _UNPACK),
        (rb"MSCF\0", "a CAB archive", _UNPACK),
        (rb".{2}-lh[0-7]-", "an LHA archive", _UNPACK),
        (rb"ID3[\x02-\x04]|\xff[\xf2\xf3\xfa\xfb][\x10-\xef]", "an MP3 recording", _TRANSCRIPT),
        (rb"RIFF.{4}WAVE|OggS|fLaC|FORM.{4}AIF|#!AMR", "a sound recording", _TRANSCRIPT),
        (
            rb"RIFF.{4}AVI |.{4}(?:ftyp|moov|mdat)|\x1aE\xdf\xa3|\0\0\x01[\xb3\xba]|FLV\x01|0&\xb2u\x8ef\xcf\x11",
            "a video",
            _TRANSCRIPT,
        ),
        (rb"SQLite format 3\0", "an SQLite database", _AS_CSV),
        (rb"\0\x01\0\0Standard (?:Jet|ACE)", "an Access database", _AS_CSV),
        (rb"[\x03\x30\x83\x8b\xf5].[\x01-\x0c][\x01-\x1f].{4}.{20}\0\0", "a dBase table", _AS_CSV),
        (rb"PAR1", "a Parquet table", _AS_CSV),
        (rb"\x09\x08\x10\0|\x09[\0\x02\x04][\x04\x06]\0", "an old Excel workbook", _AS_CSV),
        (rb"!BDN", "an Outlook mailbox", "Save the messages as text and upload those."),
        (rb".{60}(?:BOOKMOBI|TEXtREAd)", "a Mobipocket or Kindle book", _AS_EPUB),
        (rb"\xeaDRMION\xee|ITOLITLS|TPZ0", "a Kindle or Reader book", _AS_EPUB),
        (rb"ITSF", "a Windows help file (CHM)", _AS_PDF),
        (rb"\xffWPC", "a WordPerfect document", _AS_PDF),
        (rb"\xdb\xa5-\0|1\xbe\0\0|\xfe7\0", "an old Word or Write document", _AS_PDF),
        (
            (
                rb"\x7fELF|MZ.{58}|\xca\xfe\xba\xbe|[\xce\xcf]\xfa\xed\xfe|\xfe\xed\xfa[\xce\xcf]"
                rb"|!<arch>|L\0\0\0\x01\x14\x02\0"
            ),
            "a program",
            "",
        ),
        (rb"\0\x01\0\0\0.|OTTO\0|wOF[F2]|ttcf", "a font", ""),
        (rb"bplist00", "a property list of macOS", ""),
    )
)
_HTML = re.compile(
    rb"<(?:!--|!doctype\s+html|(?:html|head|body|title|script|meta|h1|div|center|p|table|form)[\s>])"
    rb"|<[!?][^\0]*?<(?:html|head|body)[\s>]",
    re.IGNORECASE,
)
_MHTML = re.compile(rb"(?:MIME-Version:|From: <Saved by|Content-Type: multipart/related)", re.IGNORECASE)
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")


def foreign(data: bytes) -> Foreign | None:
    """What the file is, None if that is not known."""
    head = data[:HEAD]
    if is_html(head):
        return Foreign("an HTML page, perhaps a login or error page", _AGAIN)
    for pattern, known in _FORMATS:
        if pattern.match(head):
            return known
    if _MHTML.match(head.lstrip()) and b"multipart/related" in head:
        return Foreign("a saved web page (MHTML)", _AS_PDF)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml"):
        return Foreign("an XML file", _RENAME)
    return None if is_binary(head) else Foreign("plain text", _RENAME)


def is_html(data: bytes) -> bool:
    """Whether the data begins like an HTML page, in UTF-16 too."""
    return _HTML.match(data[:HEAD].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\f")) is not None


def is_binary(data: bytes) -> bool:
    """Whether the beginning holds control characters that no text has and no UTF-16 byte order mark."""
    return not data.startswith((b"\xff\xfe", b"\xfe\xff")) and _CONTROL.search(data[:HEAD]) is not None
