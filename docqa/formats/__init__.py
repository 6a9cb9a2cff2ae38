"""Reading files: bytes become pages. Uploads are read by `ingest.reader`, each in a child process of its own."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docqa.formats.pages import ExtractedPage


def read(path: str) -> "list[ExtractedPage]":
    """The pages of a file on disk, read in this process; a suffix that uploads may not have is read as a link's.

    Raises Unreadable.
    """
    import mimetypes
    from pathlib import Path

    from docqa.formats import reading
    from docqa.formats.names import SUFFIXES

    file = Path(path)
    media_type = "" if file.suffix.lower() in SUFFIXES else mimetypes.guess_type(file.name)[0]
    return reading.read_whole(file.read_bytes(), file.name, media_type or "").pages
