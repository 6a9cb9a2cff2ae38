"""What is written on the pictures beside the text of a page or slide."""

from collections.abc import Callable, Iterable, Iterator
from time import monotonic

from docqa.errors import Unreadable
from docqa.formats.pages import ExtractedPage
from docqa.formats.pictures.decode import Image
from docqa.formats.pictures.recognition import recognise
from docqa.text.blocks import Block

MARK = "Picture: "
_LEAST_LETTERS = 12  # of what is read: less is a label, or no text
_SECONDS, _EACH = 20.0, 4.0


def read_beside(pictures: Iterable[Callable[[], Image]], languages: str, hint: str) -> ExtractedPage:
    """What stands on the pictures of a page, each after MARK; "" where nothing does.

    The pictures are decoded one after the other, the largest first; a damaged one is left out, and those for which the
    time does not suffice.
    """
    end = monotonic() + _SECONDS
    text, blocks = "", list[Block]()
    for picture in pictures:
        if monotonic() > end:
            break
        try:
            page = recognise(picture(), languages, hint, seconds=_EACH)
        except Unreadable:
            continue
        if sum(map(str.isalnum, page.text)) < _LEAST_LETTERS:
            continue
        gap = "\n\n" if text else ""
        start = len(text) + len(gap)
        text += f"{gap}{MARK}{page.text}"
        blocks += _marked(page, start)
    return ExtractedPage(text, blocks=tuple(blocks))


def _marked(page: ExtractedPage, start: int) -> Iterator[Block]:
    """The blocks of a picture's text, which stands after MARK at `start`: headings on a picture head nothing else."""
    yield Block("caption", start, start + len(MARK.rstrip()))
    for block in page.blocks:
        at = start + len(MARK)
        kind = "paragraph" if block.kind == "heading" else block.kind
        yield block._replace(
            kind=kind, start=block.start + at, end=block.end + at, level=0 if kind != block.kind else block.level
        )
