"""Plain text: the characters as they are, cut into logical pages."""

from docqa.formats.pages import Reading, clean, paginate
from docqa.formats.plain.encoding import decode


def read(data: bytes, charset: str = "") -> Reading:
    """The text in logical pages; `charset` is the one that the server declared, if any. Raises Unreadable if binary."""
    return Reading("txt", "", paginate(clean(decode(data, charset))), is_flat=True)
