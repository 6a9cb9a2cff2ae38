"""How a unit of a document is said in an answer: always whole, with what it cannot be understood without.

A sentence stands as it is; an item of a list after the line or heading that it stands under, or the whole list with
that line; a row of a table with the names of its columns.
"""

from collections.abc import Iterator, Sequence

from docqa.answering.evidence import Evidence
from docqa.answering.table_rows import cells_of, headings_of
from docqa.languages import phrase
from docqa.text.marks import ends_in_mark, item_mark
from docqa.text.units import Unit
from docqa.text.words import is_dense

_DASHES = "-–—‒−"
LONGEST_LEAD = 200  # characters; a longer one is a paragraph of its own


def said(evidence: Evidence, unit: Unit, language: str, before: Unit | None = None) -> str:
    """The unit as a whole sentence, in one line. What an item stands under is said with it, unless that was said of the
    unit `before`."""
    if unit.kind == "row":
        return closed(_row(evidence, unit), language)
    text = _plain(evidence.text[unit.start : unit.end])
    is_led = unit.kind == "item" and (before is None or before.group != unit.group)
    lead = lead_of(evidence, unit) if is_led else ""
    return closed(f"{lead} {text}" if lead else text, language)


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
    """Without the mark of a list, in one line."""
    mark = item_mark(text)
    return " ".join(text[mark.end if mark else 0 :].split())


def _row(evidence: Evidence, unit: Unit) -> str:
    """Label and cells, each with its column's name where the table has as many names."""
    label, *cells = cells_of(evidence.text[unit.start : unit.end])
    label = label.rstrip(" :：")
    names = _column_names(evidence, unit)
    if len(names) != len(cells) + 1:
        filled = [cell for cell in cells if cell.strip(_DASHES)]  # which column is empty cannot be seen
        return f"{label}: {', '.join(filled)}" if filled else label
    values = "; ".join(_labelled(names[1:], cells))
    return f"{label}: {values}" if values else label


def is_bare(evidence: Evidence, unit: Unit) -> bool:
    """Whether it is a row of several figures whose columns' names are not known: nobody could read it."""
    if unit.kind != "row":
        return False
    _, *cells = cells_of(evidence.text[unit.start : unit.end])
    figures = sum(any(map(str.isdigit, cell)) for cell in cells)
    return figures > 1 and len(_column_names(evidence, unit)) != len(cells) + 1


def _labelled(names: Sequence[str], cells: Sequence[str]) -> Iterator[str]:
    for name, cell in zip(names, cells, strict=True):
        if cell:
            yield f"{name} {cell}" if name else cell


def _column_names(evidence: Evidence, unit: Unit) -> list[str]:
    """The last line of the column headings of a row."""
    units = [candidate.unit for candidate in evidence.units]
    lines = headings_of(evidence.text, evidence.columns, unit, units)
    return cells_of(lines[-1]) if lines else []
