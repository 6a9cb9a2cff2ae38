"""What the lines of a text begin or end with: the marks of lists, captions, notes and labels, dot leaders.

Lines are given without the white space around them. Words are those of all languages together.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from docqa.languages import every_pattern, every_word
from docqa.text.words import is_dense

_LONGEST_MARK = 32
LONGEST = 200  # characters of a line that are looked at, at either end
_ENDS = tuple(".!?…:;,。！？｡：；，、؟؛،।")
NUMBERED = "#1一I"  # how the styles of marks begin that headings have too
TITLED = NUMBERED + "A"  # and of those that may stand in a line of their own above a text
_STOPS = tuple(".!?…。！？｡؟।")
_CLOSING = "\"'”’»)]」』）*†‡_"
RAISED = r"(?:\[\d{1,3}\]|(?:FN)?\d{1,3})"  # the mark of a footnote, as plain text has it
_AFTER_END = re.compile(rf"(?:(?<=[^\W\d_][.!?…])|(?<=[)%\"'”’»\]][.!?…])|(?<=[.!?…][)\"'”’»\]])){RAISED}$")
_ROMAN = {"i": 1, "v": 5, "x": 10}
_LETTERS = {1: 9, 5: 22, 10: 24}  # the places of i, v and x in the alphabet by their values as Roman numbers
_CHINESE = "一二三四五六七八九十"


def _any_of(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


ICONS = "\ue000-\uf8ff"  # characters for private use: icons of a document's own font
_BULLETS = "•‣◦⁃∙●○■□▪▫◆◇◊►▸▶▷➢➤➔✓✔✗✘☐☑☒❖❑❒❏✦★☆·･" + ICONS
_MARK = re.compile(
    rf"(?P<bullet>[{_BULLETS}])(?=\s*[^\s{_BULLETS}])"
    r"|(?P<dash>[-–—*+>](?=\s+\S)|[o§](?=\s+[^\Wa-z\d_]))"
    rf"|(?P<circled>[\u2460-\u24ff\u2776-\u2793])"
    rf"|(?P<step>(?i:{_any_of(every_word('blocks.steps'))})\s?(?P<stepped>\d{{1,2}})\s?[.:：)]?)(?=\s+\S)"
    # Of several levels only before a capital: "3.5 million" is no mark.
    r"|(?P<levels>\d{1,3}(?:\.\d{1,3}){1,4}[.)]?)(?=\s+[^\sa-z\d])"
    # With a dash before no small letter: "12- to 15-year-olds" is no mark, nor is "5- и 6-летние".
    r"|(?P<number>[(（\[]\d{1,2}[)）\]]|\d{1,3}(?:[.)、．]|-(?=\s+[^\s\da-zß-ÿа-ё])))(?=\s+\S|[^\x00-\x7f])"
    r"|(?P<roman>(?:[(（](?:[ivx]{1,5}|[IVX]{1,5})[)）]|(?:[ivx]{1,5}|[IVX]{1,5})[.)）]))(?=\s+\S)"
    r"|(?P<letter>[(（][^\W\d_][)）]|[^\W\d_][.)）])(?=\s+\S)"
    rf"|(?P<chinese>[(（]?[{_CHINESE}]{{1,3}}[、）)．.])(?=\S)"
)
_NUMBER = r"(?:\d{1,4}|[IVXLC]{1,6}|[A-Z])(?:[.\-–]\d{1,3})*[a-z]?"
_CAPTION = re.compile(
    rf"(?i:{_any_of(every_word('blocks.captions'))})\.?\s?(?:{_NUMBER})\s*(?:[:：.．|–—-](?=\s|[^\x00-\x7f])|$|(?=\s[^a-z\s]))"
)
_NOTE = re.compile(rf"(?:{_any_of(every_word('blocks.notes'))})\s?(?:[:：]|\.(?=\s))", re.IGNORECASE)
_FOOTNOTE = re.compile(r"(?P<sign>[*†‡§¶]{1,3}|[¹²³⁰⁴-⁹]{1,3})\s*[^\W_]|(?P<number>\d{1,3})(?:\s+[^\Wa-z\d_]|[A-Z])")
_LABEL = re.compile(r"[^\W\d_][^:：.!?;,\t|]{1,40}[:：](?!//)(?=\s*\S)")
_SECTION = re.compile(
    rf"(?i:{_any_of(every_word('blocks.sections'))})\s(?:\d|[IVXLC]+\b|[A-Z]\b)|§+\s?\d"
    rf"|{every_pattern('blocks.numbered')}"
)
_LEADER = re.compile(r"(?:(?:[.·]\s?){3,}|…{2,}|_{4,})\s*(?P<page>\d{1,4}|[ivxlc]{1,6})$", re.IGNORECASE)
_PAGES = _any_of(every_word("blocks.pages"))
_PAGE_NUMBER = re.compile(
    rf"[-–—|]?\s?(?:(?:{_PAGES})\s?)?(?:\d{{1,3}}|[ivxl]{{1,6}})\s?(?:[-–—|]|(?:/|\w{{1,4}})\s?\d{{1,4}}|(?:{_PAGES}))?",
    re.IGNORECASE,
)
_COUNTED_PAGE = re.compile(r"(?:\s{2}|\t|[|–—·])\s*\d{1,4}\s?/\s?\d{1,4}$")
_RIGHTS = re.compile(
    rf"©|\(c\)\s*\d{{4}}|copyright\s*(?:©|\(c\)|\d{{4}})|(?:{_any_of(every_word('blocks.rights'))})\W*$", re.IGNORECASE
)
_CONTENTS = re.compile(rf"(?:{_any_of(every_word('blocks.contents') | every_word('blocks.pages'))})", re.IGNORECASE)
_JOINT = re.compile(rf"\s*[,;，；、](?:\s*(?:{_any_of(every_word('text.conjunctions'))}))?$", re.IGNORECASE)
_CELLS = re.compile(r"\S(?:\t+| \| | {3,})(?=\S)")
_RULE = re.compile(r"[-=_+|: \t]*(?:-{3}|={3}|_{3})[-=_+|: \t]*")


class Mark(NamedTuple):
    """The mark of a list item: its `style`, which the marks of a list have in common, and its number, 0 for a bullet.

    `end` is where the item's own text begins in the line.
    """

    style: str
    number: int
    end: int

    @property
    def is_sure(self) -> bool:
        """Whether it is a mark wherever it begins a line; others may begin a line of running text."""
        return self.style[:1] in "•①s"

    @property
    def may_be_initial(self) -> bool:
        """Whether it may also be the initial of a name: a letter or Roman number with a full stop."""
        return self.style[0] in "aAiI" and self.style[1:] == "."

    @property
    def depth(self) -> int:
        """How many levels the number of a section has: 2 for "3.1"."""
        return int(self.style[1:] or 1) if self.style[0] == "#" else 1


def item_mark(line: str) -> Mark | None:
    """The mark of a list item that the line begins with: a bullet, a dash, "1.", "(a)", "iv)", "3.1", "①"."""
    return _mark(line[:_LONGEST_MARK])


@lru_cache(4096)  # a line is looked at again and again: by itself, as a neighbour, as the beginning of a block
def _mark(line: str) -> Mark | None:
    match = _MARK.match(line)
    if match is None:
        return None
    kind, mark = match.lastgroup or "", match.group()
    end = len(line) - len(line[match.end() :].lstrip())
    if kind in ("bullet", "dash"):
        return Mark(("•" if kind == "bullet" else "-") + mark, 0, end)
    digits = "".join(filter(str.isalnum, mark))
    if kind == "circled":
        return Mark("①", ord(mark), end)
    if kind in ("step", "stepped"):
        return Mark("s", int(match["stepped"]), end)
    if kind == "levels":
        parts = re.findall(r"\d+", mark)
        return Mark(f"#{len(parts)}", int(parts[-1]), end)
    shape = mark.replace(digits, "")
    if kind == "number":
        return Mark("1" + shape, int(digits), end)
    if kind == "roman":
        return Mark(("I" if digits.isupper() else "i") + shape, _roman(digits.lower()), end)
    if kind == "chinese":
        return Mark("一" + shape, _CHINESE.find(digits[-1]) + 1 + 10 * (len(digits) - 1), end)
    return Mark(("A" if digits.isupper() else "a") + shape, ord(digits.lower()) & 0x1F, end)


def follows(mark: Mark, before: Mark) -> bool:
    """Whether the mark is the next one, or the same one again, in the list of another; "(i)" follows "(h)"."""
    if mark.style == before.style:
        return mark.number - before.number in (0, 1)
    if mark.style[1:] != before.style[1:] or {mark.style[0], before.style[0]} not in ({"a", "i"}, {"A", "I"}):
        return False
    numbers = [_LETTERS.get(each.number, 0) if each.style[0] in "iI" else each.number for each in (mark, before)]
    return numbers[0] == numbers[1] + 1


def goes_on(mark: Mark, before: Mark | None, text_before: str) -> bool:
    """Whether a mark at the beginning of a line within a paragraph is one: after the item of the mark `before` its
    number is the next, or the text before it has ended. A letter or Roman number with a full stop may be an initial."""
    if before and follows(mark, before):
        return True
    if mark.may_be_initial:
        return False
    return ends_sentence(text_before) or leads_on(text_before) or text_before.endswith((";", "；"))


def _roman(digits: str) -> int:
    values = [_ROMAN[digit] for digit in digits]
    return sum(-value if value < max(values[place:]) else value for place, value in enumerate(values))


def begins_caption(line: str) -> bool:
    """Whether the line begins like the caption of a figure or table: "Figure 3: ..."; not "Figure 3 shows"."""
    return bool(_CAPTION.match(line[:LONGEST]))


def begins_note(line: str) -> bool:
    """Whether the line begins with "Note:", "Source:" or the like."""
    return bool(_NOTE.match(line[:LONGEST]))


def footnote_sign(line: str) -> str:
    """The sign or number that the line begins with if it may be a footnote; "" if none."""
    match = _FOOTNOTE.match(line[:LONGEST])
    return (match["sign"] or match["number"]) if match else ""


def label_end(line: str) -> int:
    """Where the label of "Label: value" ends, 0 where the line is none."""
    match = _LABEL.match(line[:LONGEST])
    return match.end() if match and len(match.group().split()) <= 6 else 0


def begins_section(line: str) -> bool:
    """Whether the line begins as numbered sections do: "Article 5", "§ 3", "第三章"."""
    return bool(_SECTION.match(line[:LONGEST]))


def leader_page(line: str) -> int:
    """The page that an entry of a table of contents leads to with dots, 0 where the line is none."""
    match = _LEADER.search(line[-LONGEST:])
    if match is None:
        return 0
    return int(match["page"]) if match["page"].isdigit() else 1


def is_page_number(line: str) -> bool:
    """Whether the line holds a page's number and nothing else."""
    return len(line) <= 20 and bool(_PAGE_NUMBER.fullmatch(line))


def numbers_page(line: str) -> bool:
    """Whether the first or last line of a page gives its number, alone or after the document's title: "Lease   2/3"."""
    return is_page_number(line) or len(line) <= LONGEST and bool(_COUNTED_PAGE.search(line))


def claims_rights(line: str) -> bool:
    """Whether the line says whose the text is: "© 2024 ...", "All rights reserved."."""
    return len(line) <= LONGEST and bool(_RIGHTS.match(line) or _RIGHTS.search(line[-40:]))


def heads_contents(line: str) -> bool:
    """Whether the line is the heading of a table of contents, or of its column of pages."""
    return len(line) <= 40 and bool(_CONTENTS.fullmatch(line.strip(" \t:")))


def has_cells(line: str) -> bool:
    """Whether the line is split by tabs, bars or wide gaps, as rows of a table are."""
    return bool(_CELLS.search(line[: 10 * LONGEST]))


def cells(line: str) -> list[str]:
    """The cells of a line that tabs, bars or wide gaps split."""
    return [cell.strip() for cell in re.split(r"\t| \| ?| {3,}", line[: 10 * LONGEST])]


def second_cell(line: str) -> int:
    """Where the second cell of a line that has some begins, in characters of it."""
    gap = _CELLS.search(line[: 10 * LONGEST])
    return gap.end() if gap else len(line)


def is_rule(line: str) -> bool:
    """Whether the line is drawn under column headings or between rows, as "-----  ---" or "|===|==|"."""
    return bool(_RULE.fullmatch(line))


def without_footnote(text: str) -> str:
    """The text without the mark of a footnote behind its last sentence: "... of the land.12", "... so.”[3]"."""
    return _AFTER_END.sub("", text) if text[-1:].isdecimal() or text.endswith("]") else text


def without_joint(text: str) -> str:
    """The text without what joins it to the next item of its list: "a pen;", "a pen, and"."""
    return _JOINT.sub("", text)


def ends_sentence(line: str) -> bool:
    """Whether a sentence ends with the line."""
    return without_footnote(line[-12:]).rstrip(_CLOSING).endswith(_STOPS)


def ends_in_mark(line: str) -> bool:
    """Whether the line ends with a punctuation mark, be it a comma or colon."""
    return without_footnote(line[-12:]).rstrip(_CLOSING).endswith(_ENDS)


def leads_on(line: str) -> bool:
    """Whether the line ends with a colon: what follows belongs to it."""
    return line[-8:].rstrip(_CLOSING + " ").endswith((":", "："))


def asks(line: str) -> bool:
    """Whether the line ends with a question mark."""
    return line[-8:].rstrip(_CLOSING).endswith(("?", "？", "؟"))


def longest_heading(line: str) -> int:
    """How many characters a heading has at most in the script of this line."""
    return 90 if line.isascii() or not is_dense(line[:LONGEST]) else 40
