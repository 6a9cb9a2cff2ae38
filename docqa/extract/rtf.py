"""Rich text (.rtf): the text of the document, without its formatting."""

import re

from striprtf.striprtf import rtf_to_text

from docqa.errors import Unreadable
from docqa.extract.pages import Reading, clean, paginate

_CODE_PAGE = re.compile(rb"\\ansicpg(\d+)")

# striprtf leaves footnotes out; as paragraphs of their own they stay, next to the place they belong to.
_FOOTNOTE = re.compile(r"\\footnote\b ?")


def read(data: bytes, charset: str = "") -> Reading:
    """Raises Unreadable for a damaged file."""
    source = _FOOTNOTE.sub(r"\\par ", _decode(data))
    try:
        text = str(rtf_to_text(source, errors="replace"))  # type: ignore[no-untyped-call]
    except (ValueError, LookupError, TypeError, OverflowError) as error:
        raise Unreadable("The RTF file is damaged and cannot be read.") from error
    return Reading("rtf", "", paginate(clean(text)))


def _decode(data: bytes) -> str:
    """RTF is ASCII by its rules; what breaks them is UTF-8 or in the code page the file names."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        found = _CODE_PAGE.search(data[:4096])
        try:
            return data.decode(f"cp{found.group(1).decode()}" if found else "cp1252", "replace")
        except LookupError:
            return data.decode("cp1252", "replace")
