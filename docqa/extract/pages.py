"""What a reader returns, and cutting a text without pages of its own into logical ones. No text is lost and none is made up."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

PAGE = 3_000
LONGEST = 4 * PAGE
MAX_PAGES = 20_000
MAX_CHARACTERS = 60_000_000

# Where a page may end, the best place first: after a paragraph, a line, a sentence, a word.
_ENDS = tuple(re.compile(pattern) for pattern in (r"\n[ \t]*\n+", r"\n", r"[.!?。！？؟…][\"'”’»)\]]*\s+|[。！？]", r"\s+"))


@dataclass(frozen=True)
class ExtractedPage:
    """The text of one page, verbatim; `section` is the title of the section, slide or chapter it starts in, "" if there is none."""

    text: str
    section: str = ""


@dataclass(frozen=True)
class Extracted:
    """A document's pages; `kind` is pdf, txt, ppt, pptx, csv, epub, rtf or html; `notes` tell what could not be read."""

    kind: str
    title: str
    pages: list[ExtractedPage]
    notes: list[str] = field(default_factory=list)


def clean(text: str) -> str:
    """The same text as valid UTF-8 without NUL, its line ends `\\n`; two surrogates that form a pair become the character they mean."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def paginate(text: str, headings: Sequence[tuple[int, str]] = ()) -> list[ExtractedPage]:
    """Cut at form feeds, else into pages of about 3,000 characters; `headings` are (offset, title) in order of offset."""
    pages, offset, passed, section = [], 0, 0, ""
    for piece in cut(text):
        first = offset + len(piece) - len(piece.lstrip())
        while passed < len(headings) and headings[passed][0] <= first:
            section = headings[passed][1]
            passed += 1
        pages.append(ExtractedPage(piece.removesuffix("\f"), section))
        offset += len(piece)
    return pages


def cut(text: str) -> list[str]:
    """Pieces that joined are `text` again; a form feed stays at the end of its piece."""
    sheets = [sheet for sheet in re.split(r"(?<=\f)", text) if sheet]
    if len(sheets) > 1:
        return [piece for sheet in sheets for piece in ([sheet] if len(sheet) <= LONGEST else _cut_sheet(sheet))]
    return _cut_sheet(text)


def _cut_sheet(text: str) -> list[str]:
    pieces, start = [], 0
    while len(text) - start > PAGE * 4 // 3:
        end = _end(text, start + PAGE // 2, start + PAGE)
        pieces.append(text[start:end])
        start = end
    return [*pieces, text[start:]] if start < len(text) else pieces


def _end(text: str, earliest: int, latest: int) -> int:
    for pattern in _ENDS:
        ends = [match.end() for match in pattern.finditer(text, earliest, latest)]
        if ends:
            return ends[-1]
    return latest
