"""Binary PowerPoint (.ppt): recognised, and refused with a way out."""

from docqa.errors import Unreadable
from docqa.extract.pages import Extracted


def read(data: bytes, charset: str = "") -> Extracted:
    """Raises Unreadable always."""
    raise Unreadable("Binary PowerPoint files (.ppt) cannot be read yet. Save the presentation as .pptx and upload that.")
