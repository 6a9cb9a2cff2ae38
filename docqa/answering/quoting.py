"""How a unit of a document is said in an answer: always whole, with what it cannot be understood without.

A sentence stands as it is; an item of a list after the line or heading that it stands under, or the whole list with
that line; a row of a table with the names of its columns.
"""

import re
from collections.abc import Sequence

from docqa.answering.evidence import Evidence
from docqa.answering.table_rows import headings_of, line_of, named_cells
from docqa.formats.grid_headings import without_shared
from docqa.languages import phrase
from docqa.text.marks import ICONS, ends_in_mark, item_mark, without_footnote, without_joint
from docqa.text.units import Unit, leans
from docqa.text.values import kind
from docqa.text.words import is_dense, stem, terms

_DASHES = "-–—‒−"
_ICON = re.compile(rf"\s*[{ICONS}]+(?=[\s.,;:!?)]|$)|[{ICONS}]+")  # which other fonts show as boxes
MOST_CELLS = 6  # of a row that are all said
LONGEST_LEAD = 200  # characters; a longer one is a paragraph of its own


def said(
    evidence: Evidence,
    unit: Unit,
    language: str,
    before: Unit | None = None,
    sought: frozenset[str] = frozenset(),
    *,
    goes_on: bool = False,
) -> str:
    """The unit as a whole sentence, in one line. What it leans on is said with it, unless that was said of the unit
    `before`; what joins an item to the next one only where it `goes_on` with that. Of a long row only what stands in
    the columns that have most of the stems of words `sought`."""
    if unit.kind == "row":
        return closed(row_of(evidence, unit, sought), language)
    is_whole = unit.start == unit.lead_start
    text = _plain(evidence.text[unit.lead_end if is_whole else unit.start : unit.end])
    alone = without_joint(text) if unit.kind == "item" else text
    is_apart = unit.kind != "note" and (before is None or before.group != unit.group)
    is_led = is_whole or is_apart and leans(evidence.text, unit)
    lead = f"{led} " if is_led and (led := lead_of(evidence, unit)) else ""
    return f"{lead}{text}" if goes_on and alone != text else closed(f"{lead}{alone}", language)


def listed(evidence: Evidence, group: Sequence[Unit], language: str) -> str:
    """All items of a list, a line each, after the line that leads into it."""
    lead = lead_of(evidence, group[0])
    lines: list[str] = []
    reached = None
    for unit in group:
        text = _plain(evidence.text[unit.start : unit.end])
        # Of a long item each sentence is a unit.
        if reached is not None and "\n" not in evidence.text[reached : unit.start]:
            lines[-1] += f" {text}"
        else:
            lines.append(f"- {text}")
        reached = unit.end
    return "\n".join([lead, *lines] if lead else lines)


def lead_of(evidence: Evidence, unit: Unit) -> str:
    """The line that a unit stands under, ending with a colon or as a question; "" where there is none."""
    if unit.lead_start is None or unit.lead_end is None or unit.lead_end - unit.lead_start > LONGEST_LEAD:
        return ""
    lead = _plain(evidence.text[unit.lead_start : unit.lead_end])
    return lead if lead[-1:] in ":?：？" else f"{lead.rstrip('.')}:"


def closed(text: str, language: str) -> str:
    """The text with a full stop where it ends without a mark."""
    return text if not text or ends_in_mark(text) else text + phrase("full_stop", language)


def words_in(text: str) -> int:
    """How many words a text is long; of dense scripts two characters count as one."""
    return len(text) // 2 if is_dense(text) else len(text.split())


def _plain(text: str) -> str:
    """Without the mark of a list, of a footnote at its end, and icons of the document's own font, in one line."""
    mark = item_mark(text)
    return without_footnote(" ".join(_ICON.sub("", text[mark.end if mark else 0 :]).split()))


def row_of(evidence: Evidence, unit: Unit, sought: frozenset[str] = frozenset()) -> str:
    """A row's label and cells, each with its column's name where the names are known; of a long one only those of the
    columns whose names have most of the stems of words `sought`."""
    names, (label, *cells) = _cells(evidence, unit)
    label = label.rstrip(" :：")
    if not names:
        filled = [cell for cell in cells if cell.strip(_DASHES)]  # which column is empty cannot be seen
        return ": ".join(filter(None, (label, ", ".join(filled))))
    places = [place for place, cell in enumerate(cells) if cell]
    if len(places) > MOST_CELLS:
        shares = {place: len(sought & set(map(stem, terms(names[1 + place])))) for place in places}
        places = [place for place in places if shares[place] == max(shares.values())]
    short = without_shared(names[1:])
    values = "; ".join(f"{short[place]} {cells[place]}".strip() for place in places)
    return ": ".join(filter(None, (label, values)))


def is_bare(evidence: Evidence, unit: Unit) -> bool:
    """Whether it is a row of several figures whose columns' names are not known, which nobody could read, or of the
    names themselves."""
    if unit.kind != "row":
        return False
    names, (_, *cells) = _cells(evidence, unit)
    if names:
        return any(cells) and all(name.endswith(cell) for name, cell in zip(names[1:], cells, strict=True) if cell)
    return sum(any(map(str.isdigit, cell)) for cell in cells) > 1


def has_several_values(evidence: Evidence, unit: Unit) -> bool:
    """Whether it is a row with more than one value beside its label: what one says need not be so of another."""
    return unit.kind == "row" and sum(map(bool, _cells(evidence, unit)[1][1:])) > 1


def _cells(evidence: Evidence, unit: Unit) -> tuple[list[str], list[str]]:
    """The names of the columns of a row, and its cells, from its label on."""
    units = [candidate.unit for candidate in evidence.units]
    lines = headings_of(evidence.text, evidence.columns, unit, units)
    names, cells = named_cells(line_of(evidence.text, unit), lines)
    first = next((place for place, cell in enumerate(cells) if cell), 0)
    if first and kind(cells[first]):
        first -= 1  # a figure is no label: the row has none
    names, cells = names[first:], cells[first:]
    if names and names[0] and kind(cells[0]) and all(kind(cell) for cell in cells[1:] if cell):
        return ["", *names], ["", *cells]  # figures only
    if len(cells) > 2 and kind(cells[0]) and cells[1] and not kind(cells[1]):
        names, cells = names[1:], [f"{cells[0]} {cells[1]}", *cells[2:]]  # a position and what stands there
    return names, cells
