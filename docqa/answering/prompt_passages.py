"""Evidence as a model is shown it: whole units with the lines they stand under, tables in Markdown with their headings.

A large model is shown whole passages. A small one, which takes seconds to read a hundred words and loses what is asked
among a thousand, is shown the few paragraphs, lists and tables that answer best.
"""

from collections.abc import Iterator, Sequence

from docqa.answering.evidence import CandidateUnit, Evidence
from docqa.answering.quoting import lead_of, listed, words_in
from docqa.answering.scoring import rank_bonus
from docqa.answering.table_rows import cells_of, headings_of, markdown
from docqa.text.units import Unit

EXCERPTS = 3  # for a small model
WORTH = 0.7  # of the best one's score: what answers less does not belong to them
WHOLE_WORDS = 70  # up to which a paragraph is shown whole; of a longer one the best sentence and its neighbours
LIST_WORDS = 120
ROWS = 6  # of a table


def whole(passage: Evidence) -> str:
    """A passage with its tables in Markdown, under its document's name and heading."""
    units = _units(passage)
    parts: list[str] = []
    at = 0
    for start, end in sorted({unit.group for unit in units if unit.kind == "row"}):
        rows = [unit for unit in units if unit.group == (start, end)]
        lines = [line for line in passage.text[rows[0].start : end].splitlines() if line.strip()]
        if start < at or len(lines) != len(rows) or not _has_cells(passage, rows):
            continue  # not all of its rows are known here
        parts += [passage.text[at:start].rstrip("\n"), _table(passage, rows, units)]
        at = end
    body = "\n".join(filter(None, [*parts, passage.text[at:].lstrip("\n") if parts else passage.text]))
    return f"[{passage.about}]\n{body}" if passage.about else body


def excerpts(evidence: Sequence[Evidence]) -> list[str]:
    """The paragraphs, lists and tables that answer best, best first; of passages without units the passages."""
    if not any(passage.units for passage in evidence):
        return [passage.text for passage in evidence]
    scored: dict[tuple[int, tuple[int, int]], tuple[float, Unit]] = {}
    for rank, passage in enumerate(evidence):
        for candidate in passage.units:
            score = candidate.score + rank_bonus(rank)
            key = rank, candidate.unit.group
            if key not in scored or scored[key][0] < score:
                scored[key] = score, candidate.unit
    ranked = sorted(scored.items(), key=lambda item: -item[1][0])
    least = min(ranked[0][1][0], WORTH * ranked[0][1][0])
    chosen = [(rank, unit) for (rank, _), (score, unit) in ranked if score >= least][:EXCERPTS]
    return [_excerpt(evidence[rank], unit) for rank, unit in chosen]


def _excerpt(passage: Evidence, best: Unit) -> str:
    units = _units(passage)
    group = [unit for unit in units if unit.group == best.group and unit.kind == best.kind]
    text = passage.text[slice(*best.group)]
    if best.kind == "row" and _has_cells(passage, group):
        return "\n".join(filter(None, [lead_of(passage, best), _table(passage, _best_rows(passage, group), units)]))
    if best.kind == "item":
        chosen = group if words_in(text) <= LIST_WORDS else [best]
        return listed(passage, chosen, passage.language or "en")
    if words_in(text) > WHOLE_WORDS or len(group) == 1:
        place = group.index(best)
        around = group[max(0, place - 1) : place + 2]
        text = passage.text[around[0].start : around[-1].end]
    return "\n".join(filter(None, [lead_of(passage, best) if best.group_start == group[0].start else "", text.strip()]))


def _best_rows(passage: Evidence, rows: Sequence[Unit]) -> list[Unit]:
    """All of a short table, of a long one those that answer best, in their order."""
    if len(rows) <= ROWS:
        return list(rows)
    by_score = sorted(_candidates(passage, rows), key=lambda candidate: -candidate.score)
    best = list(dict.fromkeys(candidate.unit for candidate in by_score))[:ROWS]
    return sorted(best, key=lambda unit: unit.start)


def _candidates(passage: Evidence, units: Sequence[Unit]) -> Iterator[CandidateUnit]:
    return (candidate for candidate in passage.units if candidate.unit in units)


def _table(passage: Evidence, rows: Sequence[Unit], units: Sequence[Unit]) -> str:
    return markdown(
        headings_of(passage.text, passage.columns, rows[0], units), [passage.text[row.start : row.end] for row in rows]
    )


def _has_cells(passage: Evidence, rows: Sequence[Unit]) -> bool:
    return any(len(cells_of(passage.text[row.start : row.end])) > 1 for row in rows)


def _units(passage: Evidence) -> list[Unit]:
    """Each unit once, in order."""
    return sorted({candidate.unit for candidate in passage.units}, key=lambda unit: unit.start)
