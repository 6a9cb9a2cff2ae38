"""Which lines are headings by their words alone, where neither the format nor the font says so."""

from docqa.text.marks import (
    NUMBERED,
    Mark,
    begins_caption,
    begins_section,
    claims_rights,
    ends_in_mark,
    has_cells,
    is_page_number,
    item_mark,
    label_end,
    leader_page,
    longest_heading,
)
from docqa.text.values import kind, quantity

_MOST_WORDS = 12  # of a heading in capitals
_LONGEST = 90
_LONGER = 60  # characters of a text that a heading may stand above
TERM = 6  # the level of what heads an explanation
PLAIN = 2  # the level of a heading that has no number


def may_be_heading(line: str) -> bool:
    """Whether the line could be a heading: short, with letters, and without what ends sentences or makes rows."""
    return not (
        not line
        or len(line) > _LONGEST
        or len(line) > longest_heading(line)
        or ends_in_mark(line)
        or line[0].islower()
        or sum(map(str.isalpha, line)) < 2
        or has_cells(line)
        or is_page_number(line)
        or begins_caption(line)
        or claims_rights(line)
        or states_value(line)
        or "@" in line
        or "://" in line
    )


def may_be_term(line: str) -> bool:
    """Whether a line that stands where a term does is short and no sentence: names of commands, options and fields
    begin as they are written."""
    return len(line) <= _LONGEST and not ends_in_mark(line.rstrip(":?"))


def states_value(line: str) -> bool:
    """Whether the line is a label with a number or date behind its colon, no year: To be paid: 2,150.40 €."""
    label, colon, rest = line.replace("：", ":").rpartition(":")
    value = rest.strip()
    if len(value) == 4 and value.isdecimal():
        return False
    return bool(colon and label and rest[:1] != value[:1]) and (kind(value) or quantity(value)) is not None


def sure_level(line: str, before: str, after: str) -> int:
    """The level of a line that shows by itself that it is a heading, given the lines before and after it; else 0.

    So do capitals ("GENERAL TERMS"), the number of a section ("3.2 Notice", "Article 5"), and, if no neighbour has the
    next one, a number ("3. Rent").
    """
    mark = item_mark(line)
    is_loud = line.isupper()
    is_section = mark is None and begins_section(line)
    if mark is None and not is_loud and not is_section or mark and mark.style[0] not in NUMBERED:
        return 0
    if not may_be_heading(line):
        return 0
    is_loud = is_loud and sum(map(str.isalpha, line)) > 3 and len(line.split()) <= _MOST_WORDS
    if mark is None:
        is_block = after.isupper() or before.isupper() and not ends_in_mark(before)  # several lines in capitals
        return 1 if is_section or is_loud and not is_block and not label_end(line) else 0
    if _is_listed(mark, before, after):
        return 0
    if is_loud or mark.style[0] == "#":
        return mark.depth
    return 0


def _is_listed(mark: Mark, before: str, after: str) -> bool:
    """Whether a neighbour has the number before or after the mark's: then both are items of a list."""
    neighbours = [item_mark(other) for other in (before, after) if not leader_page(other)]
    return any(
        other is not None and other.style == mark.style and abs(other.number - mark.number) == 1 for other in neighbours
    )


def level(line: str, before: str, after: str, size_after: int, *, is_apart: bool) -> int:
    """The level of a line that stands alone above a text of this size, which begins with the line `after`; else 0.

    `is_apart`: a blank line separates them.
    """
    if sure := sure_level(line, before, after):
        return sure
    if not may_be_heading(line) or label_end(line) or not after:
        return 0
    mark, mark_after = item_mark(line), item_mark(after)
    if mark:
        if mark.style[0] not in NUMBERED or _is_listed(mark, before, after):
            return 0
        return mark.depth if mark_after and is_apart or not mark_after and size_after > _LONGER else 0
    if mark_after or has_cells(after):
        return PLAIN
    return PLAIN if size_after > max(_LONGER, 1.2 * len(line)) else 0
