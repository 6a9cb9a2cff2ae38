"""The files that a message carries: which of them are documents, and under which names."""

import mimetypes
from pathlib import PurePath

from docqa.errors import Unreadable
from docqa.formats import kinds
from docqa.formats.names import SUFFIXES
from docqa.formats.pages import Attachment

MOST = 50
# Parts of the message itself: nobody misses them among the documents.
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
_SIGNED = (".p7s", ".asc", ".sig", ".vcf", ".ics")
_NAMED = 10


class Files:
    """Gathers the files of a message."""

    def __init__(self) -> None:
        self.attachments: list[Attachment] = []

    def add(self, name: str, media_type: str, data: bytes) -> None:
        """Add a file; one without a name gets one of its media type."""
        if not name and not data.strip():
            return
        if not name:
            name = f"attachment {len(self.attachments) + 1}{_suffix(media_type)}"
        self.attachments.append(Attachment(name, media_type, data))

    def take(self, others: "Files") -> None:
        """Add those of others that are not here yet."""
        self.attachments += [file for file in others.attachments if file not in self.attachments]


def documents(attachments: list[Attachment]) -> tuple[list[Attachment], list[str]]:
    """Those that can be read as documents, and notes about the others."""
    served: list[Attachment] = []
    unread: list[str] = []
    for attachment in attachments:
        name = attachment.name
        if attachment.media_type in _SIGNATURES or name.lower().endswith(_SIGNED):
            continue
        if PurePath(name).suffix.lower() not in SUFFIXES:
            name += _suffix(attachment.media_type)
        try:
            kinds.detect(attachment.data, name, "")
        except Unreadable:
            unread.append(attachment.name)
            continue
        served.append(Attachment(name, attachment.media_type, attachment.data))
    notes = []
    if len(served) > MOST:
        notes.append(f"Of {len(served)} attachments the first {MOST} were read. Upload the others by themselves.")
    if unread:
        notes.append(f"Attachments of kinds that cannot be read: {first_of(unread, _NAMED)}.")
    return served[:MOST], notes


def first_of(names: list[str], most: int) -> str:
    """The first names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _suffix(media_type: str) -> str:
    """The suffix of files of this type, "" where they are not read."""
    suffix = ".txt" if media_type == "text/plain" else mimetypes.guess_extension(media_type) or ""
    if suffix not in SUFFIXES and media_type.startswith("text/"):
        return ".txt"
    return suffix if suffix in SUFFIXES else ""
