"""Which program of old made an OLE compound file ([MS-CFB]): by the class of its root, else by the streams it holds."""

from uuid import UUID

from docqa.errors import Unreadable
from docqa.formats.names import SUFFIXES

SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_AS_PDF = "Save the {what} as PDF and upload that."
# A document that embeds another has the streams of both: its class tells.
_CLASSES = {
    UUID(f"{first}-0000-0000-c000-000000000046").bytes_le: kind
    for first, kind in (
        ("00020900", "doc"),
        ("00020906", "doc"),
        ("00020810", "xls"),
        ("00020820", "xls"),
        ("00020d0b", "msg"),
    )
}
# Without a class that is known, the first of these. What messages carry may stand in any other document.
_STREAMS = (
    ("PowerPoint Document", "ppt"),
    ("PP40", "ppt"),
    ("WordDocument", "doc"),
    ("VisioDocument", ""),
    ("Quill", ""),
    ("Workbook", "xls"),
    ("WORKBOOK", "xls"),
    ("Book\0", "xls"),
    ("__substg1.0_", "msg"),
)
_REFUSALS = {
    "VisioDocument": f"Visio drawings are not supported. {_AS_PDF.format(what='drawing')}",
    "Quill": f"Publisher documents are not supported. {_AS_PDF.format(what='document')}",
}


def compound_kind(data: bytes) -> str:
    """`doc`, `xls`, `ppt` or `msg`. Raises Unreadable for files of other programs, and for a protected one."""
    if kind := _CLASSES.get(_root_class(data)):
        return kind
    if _wide("EncryptedPackage") in data:
        raise Unreadable("The file is password-protected. Save it without a password and upload it again.")
    for name, kind in _STREAMS:
        if _wide(name) in data:
            if kind:
                return kind
            raise Unreadable(_REFUSALS[name])
    raise Unreadable(
        "The file is an old Office file, but none of Word, Excel, PowerPoint or Outlook. "
        f"Supported are {', '.join(SUFFIXES)}."
    )


def _root_class(data: bytes) -> bytes:
    """The class of the root entry, the first in the directory, whose first sector the header gives ([MS-CFB] 2.2)."""
    sector = 1 << min(data[30] if len(data) > 30 else 9, 12)
    entry = (int.from_bytes(data[48:52], "little") + 1) * sector
    return data[entry + 80 : entry + 96]


def _wide(text: str) -> bytes:
    return text.encode("utf-16-le")
