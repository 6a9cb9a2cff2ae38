"""Under which title the text of a page stands, where the format does not say: the headings that its lines show."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from docqa.formats.pages import LONGEST_TITLE, ExtractedPage, begins_in


def with_sections(pages: Iterable[ExtractedPage]) -> Iterator[ExtractedPage]:
    """The pages of a document in order, cleaned; with the sections that the headings among their blocks begin."""
    section = ""
    for page in pages:
        headings = tuple(
            (block.start, " ".join(page.text[block.start : block.end].split())[:LONGEST_TITLE])
            for block in page.blocks
            if block.kind == "heading"
        )
        yield replace(page, section=begins_in(page.text, headings, section), headings=headings)
        section = headings[-1][1] if headings else section
