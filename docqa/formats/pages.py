"""What a reader returns, and cutting a text without pages of its own into logical ones. No text is lost and none is made up."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docqa.formats.columns import Table  # its import costs more than reading a small text


PAGE = 3_000
STRETCHED = 4_000  # a page may grow to this where a paragraph ends on it, or the text does: what is cut in two is found and quoted worse
LONGEST = 4 * PAGE
MAX_PAGES = 20_000
MAX_CHARACTERS = 60_000_000

# Where a page may end, the best place first: after a paragraph, a line, a sentence, a word.
_ENDS = tuple(
    re.compile(pattern) for pattern in (r"\n[ \t]*\n+", r"\n", r"[.!?。！？؟…][\"'”’»)\]]*\s+|[。！？]", r"\s+")
)


@dataclass(frozen=True)
class ExtractedPage:
    """The text of one page, verbatim. Offsets are in characters of `text`.

    `section` is the title of the section, slide or chapter the page starts in, "" if there is none; `headings` are (offset, title) of those
    that begin on it. `running` are (start, end) of headers and footers that repeat from page to page, `tables` (start, end of the column
    headings, end) of tables. `unread` says that the page shows something in which no text was found: a scan. `rows` are (start, its values as a
    JSON array) of the rows of `Reading.table`.
    """

    text: str
    section: str = ""
    headings: tuple[tuple[int, str], ...] = ()
    running: tuple[tuple[int, int], ...] = ()
    tables: tuple[tuple[int, int, int], ...] = ()
    unread: bool = False
    rows: tuple[tuple[int, str], ...] = ()

    def cleaned(self) -> "ExtractedPage":
        """The same page after `clean`, its offsets moved along."""
        text = clean(self.text)
        moved, before, length = {}, 0, 0
        for at in sorted(
            {at for at, _ in (*self.headings, *self.rows)}
            | {at for span in (*self.running, *self.tables) for at in span}
        ):
            length += len(clean(self.text[before:at]))
            moved[at] = length
            before = at
        return replace(
            self,
            text=text,
            section=_title(self.section),
            headings=tuple((moved[at], _title(title)) for at, title in self.headings),
            running=tuple((moved[start], moved[end]) for start, end in self.running),
            tables=tuple((moved[start], moved[head], moved[end]) for start, head, end in self.tables),
            rows=tuple((moved[start], cells) for start, cells in self.rows),
        )


@dataclass
class Reading:
    """A document while it is read: `pages` come one after the other, so that a big file is not held whole; `notes`, which tell what could
    not be read, and the `table` that it is, are complete after the last of them. `kind` is pdf, txt, ppt, pptx, csv, epub, rtf or html."""

    kind: str
    title: str
    pages: Iterable[ExtractedPage]
    notes: list[str] = field(default_factory=list)
    table: "Table | None" = None


@dataclass(frozen=True)
class Extracted:
    """A document that was read."""

    kind: str
    title: str
    pages: list[ExtractedPage]
    notes: list[str]
    table: "Table | None" = None


def _title(text: str) -> str:
    return " ".join(clean(text).split())


def clean(text: str) -> str:
    """The same text as valid UTF-8 without NUL, its line ends `\\n`; two surrogates that form a pair become the character they mean."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def paginate(text: str, headings: Sequence[tuple[int, str]] = ()) -> Iterator[ExtractedPage]:
    """Cut at form feeds, else into pages of about 3,000 characters; `headings` are (offset, title) in order of offset."""
    offset, passed, section = 0, 0, ""
    for piece in cut(text):
        end, own = offset + len(piece), passed
        while passed < len(headings) and headings[passed][0] < end:
            passed += 1
        begins = tuple((at - offset, title) for at, title in headings[own:passed])
        first = len(piece) - len(piece.lstrip())
        yield ExtractedPage(
            piece.removesuffix("\f"), begins[0][1] if begins and begins[0][0] <= first else section, begins
        )
        section = begins[-1][1] if begins else section
        offset = end


def cut(text: str) -> list[str]:
    """Pieces that joined are `text` again; a form feed stays at the end of its piece."""
    sheets = [sheet for sheet in re.split(r"(?<=\f)", text) if sheet]
    if len(sheets) > 1:
        return [piece for sheet in sheets for piece in ([sheet] if len(sheet) <= LONGEST else _cut_sheet(sheet))]
    return _cut_sheet(text)


def _cut_sheet(text: str) -> list[str]:
    pieces, start = [], 0
    while len(text) - start > STRETCHED:
        end = _end(text, start)
        pieces.append(text[start:end])
        start = end
    return [*pieces, text[start:]] if start < len(text) else pieces


def _end(text: str, start: int) -> int:
    earliest, latest = start + PAGE // 2, start + PAGE
    for pattern in _ENDS:
        if ends := [match.end() for match in pattern.finditer(text, earliest, latest)]:
            return ends[-1]
        if pattern is _ENDS[0] and (later := pattern.search(text, latest - 1, start + STRETCHED)):
            return later.end()
    return latest
