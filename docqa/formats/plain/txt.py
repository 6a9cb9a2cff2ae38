"""Plain text: the characters as they are, cut into logical pages."""

from docqa.formats.pages import Reading, clean, paginate
from docqa.formats.plain.encoding import decode


def read(data: bytes, charset: str = "") -> Reading:
    """Raises Unreadable for binary data."""
    return Reading("txt", "", paginate(clean(decode(data, charset))))
