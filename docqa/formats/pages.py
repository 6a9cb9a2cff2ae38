"""What a reader returns, and how a text without pages of its own is cut into pages. No text is lost or added."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from docqa.errors import Unreadable
from docqa.formats.properties import Properties
from docqa.text.blocks import Block, blocks_of, clipped
from docqa.text.marks import asks, leads_on
from docqa.text.titles import may_be_heading

if TYPE_CHECKING:
    from docqa.formats.columns import Row, Table  # its import costs more than reading a small text
    from docqa.formats.grids import Grid


PAGE = 3_000
# A page may grow to this if a paragraph or the text ends there: passages cut in two are harder to find and to quote.
STRETCHED = 4_000
LONGEST = 4 * PAGE
LONGEST_TITLE = 200  # characters: chunks repeat the title of their section, and are searched by its words
_MOST_TITLES = 3  # of a chapter, a section and below, with which a page would end
MAX_PAGES = 20_000
TOO_MANY_PAGES = f"The file has more than {MAX_PAGES:,} pages, which is the limit. Split it and upload the parts."
MAX_CHARACTERS = 60_000_000

# Where a page may end, best first: after a paragraph, a line with which a sentence ends, a line, a sentence, a word.
_SENTENCE = r"[.!?。！？؟…][\"'”’»)\]]*"
_ENDS = tuple(
    re.compile(pattern)
    for pattern in (r"\n[ \t]*\n+", rf"{_SENTENCE}[ \t]*\n", r"\n", rf"{_SENTENCE}\s+|[。！？]", r"\s+")
)


@dataclass(frozen=True)
class ExtractedPage:
    """The text of one page, verbatim. Offsets are in characters of `text`.

    `section` is the title of the section, slide or chapter in which the page starts, "" if there is none; `headings`
    are (offset, title) of those that begin on it. `running` are (start, end) of headers and footers that repeat from
    page to page, `tables` are (start, end of the column headings, end). `unread` marks a scan: the page shows
    something, but has no text. `rows` are those of `Reading.tables`. `blocks` are those that the reader knows, in
    order; after `cleaned` all of them. `pictures`: how many large pictures beside the text wait for text recognition.
    `grids` are the tables in the text, None where the reader has not looked for them.
    """

    text: str
    section: str = ""
    headings: tuple[tuple[int, str], ...] = ()
    running: tuple[tuple[int, int], ...] = ()
    tables: tuple[tuple[int, int, int], ...] = ()
    unread: bool = False
    rows: "tuple[Row, ...]" = ()
    blocks: tuple[Block, ...] = ()
    pictures: int = 0
    grids: "Sequence[Grid] | None" = None

    def cleaned(self) -> "ExtractedPage":
        """The same page after `clean`, with its offsets adjusted, and the blocks of all its text."""
        text = clean(self.text)
        moved = self._moved(text)
        headings = [(moved[at], _title(title, len(title))) for at, title in self.headings]
        running = tuple((moved[start], moved[end]) for start, end in self.running)
        tables = tuple((moved[start], moved[head], moved[end]) for start, head, end in self.tables)
        known = [block._replace(start=moved[block.start], end=moved[block.end]) for block in self.blocks]
        return replace(
            self,
            text=text,
            section=_title(self.section)[:LONGEST_TITLE],
            headings=tuple((at, title[:LONGEST_TITLE]) for at, title in headings),
            running=running,
            tables=tables,
            blocks=blocks_of(text, headings, tables, running, known),
            rows=tuple(row._replace(start=moved[row.start], end=moved[row.end]) for row in self.rows),
            grids=self.grids if text == self.text else None,
        )

    def _moved(self, text: str) -> Mapping[int, int]:
        """Where the offsets of the page lie in its text after `clean`."""
        offsets = (
            {at for at, _ in self.headings}
            | {at for row in self.rows for at in (row.start, row.end)}
            | {at for span in (*self.running, *self.tables) for at in span}
            | {at for block in self.blocks for at in (block.start, block.end)}
        )
        if text == self.text:
            return {at: at for at in offsets}
        moved, before, length = {}, 0, 0
        for at in sorted(offsets):
            length += len(clean(self.text[before:at]))
            moved[at] = length
            before = at
        return moved


@dataclass(frozen=True)
class Attachment:
    """A file that a message carries; `media_type` is what the message calls it."""

    name: str
    media_type: str
    data: bytes


@dataclass
class Reading:
    """A document while it is being read.

    `pages` is lazy, so that a large file is not held in memory; `notes`, about what could not be read, and `tables`,
    of a format that tells them, are complete after the last page. `kind` is a key of `reading.READERS`.
    `properties` are what the file says of itself, as it says it. `attachments` are those that are documents. A format
    that `is_flat` has no headings of its own: its lines show them.
    """

    kind: str
    title: str
    pages: Iterable[ExtractedPage]
    notes: list[str] = field(default_factory=list)
    tables: "list[Table]" = field(default_factory=list)
    properties: Properties = Properties()
    attachments: list[Attachment] = field(default_factory=list)
    is_flat: bool = False


@dataclass(frozen=True)
class Extracted:
    """A document that has been read; the fields are those of `Reading`."""

    kind: str
    title: str
    pages: list[ExtractedPage]
    notes: list[str]
    tables: "list[Table]" = field(default_factory=list)
    properties: Properties = Properties()
    attachments: list[Attachment] = field(default_factory=list)


def _title(text: str, longest: int = 2 * LONGEST_TITLE) -> str:
    """A title in a line; of one longer than `longest` only its beginning is looked at, since every page repeats it."""
    return " ".join(clean(text[:longest]).split())


def clean(text: str) -> str:
    """The same text as valid UTF-8, without NUL and with `\\n` as line ends; surrogate pairs become their character."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def paginate(
    text: str, headings: Sequence[tuple[int, str]] = (), blocks: Sequence[Block] = (), longest: int = LONGEST
) -> Iterator[ExtractedPage]:
    """Cut a text at its form feeds, or else into pages of about 3,000 characters.

    `headings` are (offset, title) in order of offset, `blocks` those that are known. What stands between two form feeds
    is one page up to `longest` characters. Raises Unreadable if there are too many pages: nothing need be made of the
    first ones then.
    """
    pieces = cut(text, longest)
    if len(pieces) > MAX_PAGES:
        raise Unreadable(TOO_MANY_PAGES)
    offset, passed, before, section = 0, 0, 0, ""
    for piece in pieces:
        end, own = offset + len(piece), passed
        while passed < len(headings) and headings[passed][0] < end:
            passed += 1
        begins = tuple((at - offset, title) for at, title in headings[own:passed])
        reached = before
        while reached < len(blocks) and blocks[reached].start < end:
            reached += 1
        yield ExtractedPage(
            piece.removesuffix("\f"),
            begins_in(piece, begins, section),
            begins,
            blocks=clipped(piece, blocks[before:reached], offset),
        )
        before = reached - 1 if reached > before and blocks[reached - 1].end > end else reached
        section = begins[-1][1] if begins else section
        offset = end


def begins_in(text: str, headings: Sequence[tuple[int, str]], section: str) -> str:
    """The section in which a page begins: that of its heading where nothing stands before it, else the one so far."""
    first = len(text) - len(text.lstrip())
    return headings[0][1] if headings and headings[0][0] <= first else section


def cut(text: str, longest: int = LONGEST) -> list[str]:
    """Pieces that together are `text`; a form feed stays at the end of its piece."""
    sheets = [sheet for sheet in re.split(r"(?<=\f)", text) if sheet]
    if len(sheets) > 1:
        return [piece for sheet in sheets for piece in ([sheet] if len(sheet) <= longest else _cut_sheet(sheet))]
    return _cut_sheet(text)


def _cut_sheet(text: str) -> list[str]:
    ends, start = [0], 0
    while len(text) - start > STRETCHED:
        start = _end(text, start)
        ends.append(_before_titles(text, start))
    return [text[start:end] for start, end in pairwise([*ends, len(text)]) if start < end]


def _end(text: str, start: int) -> int:
    earliest, latest = start + PAGE // 2, start + PAGE
    for pattern in _ENDS:
        places = pattern.finditer(text, earliest, latest)
        if ends := [match.end() for match in places if not leads_on(text[match.start() - 20 : match.start()])]:
            return ends[-1]
        if pattern is _ENDS[0] and (later := pattern.search(text, latest - 1, start + STRETCHED)):
            return later.end()
    return latest


def _before_titles(text: str, end: int) -> int:
    """Where a page ends that would end here with the title, or the question, of what follows. The next one is measured
    from here nevertheless, so that no later page moves."""
    for _ in range(_MOST_TITLES):
        window = text[max(0, end - LONGEST_TITLE) : end]
        at = window.rstrip().rfind("\n\n")
        above = window[at + 2 :].strip()
        if at < 0 or not (asks(above) or "\n" not in above and may_be_heading(above)):
            break
        end += at + 2 - len(window)
    return end
