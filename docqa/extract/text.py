"""Plain text: the characters as they are, cut into logical pages."""

from docqa.extract.encoding import decode
from docqa.extract.pages import Extracted, clean, paginate


def read(data: bytes, charset: str = "") -> Extracted:
    """Raises Unreadable for binary data."""
    return Extracted("txt", "", paginate(clean(decode(data, charset))))
