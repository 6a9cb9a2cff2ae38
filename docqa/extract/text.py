"""Plain text: the characters as they are, cut into logical pages."""

from docqa.extract.encoding import decode
from docqa.extract.pages import Reading, clean, paginate


def read(data: bytes, charset: str = "") -> Reading:
    """Raises Unreadable for binary data."""
    return Reading("txt", "", paginate(clean(decode(data, charset))))
