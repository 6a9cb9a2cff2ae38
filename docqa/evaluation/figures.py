"""What became of the questions, and the figures and the table of many of them. Percent of the questions they apply to; seconds of one answer.

Whether an answer is right is told by its words alone: another way to write a number or to say a definition counts as wrong.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from docqa.evaluation.questions import Made
from docqa.text.words import terms

HELD = 0.6  # share of a value's words that a right answer holds
CUTS = (1, 3, 5)
LEGEND = """hit@k: a passage with the statement that the question was made from is among the first k. right: the answer says the value that was asked for.
quoted: sources that stand word for word on their page. refused: the documents were said not to say it. controls: questions that they do not answer;
answered: and were answered all the same."""
COLUMNS = (
    "questions",
    *(f"hit@{cut}" for cut in CUTS),
    "right",
    "quoted",
    "refused",
    "controls",
    "answered",
    "p50 s",
    "p95 s",
)


@dataclass(frozen=True)
class Result:
    """`rank` is the place, from 1, of the first passage that holds what the question was made from, 0 for none of the first five.

    `quoted` of `sources` stand word for word on the page they name. `error` says why there is no answer.
    """

    made: Made
    file: str
    answer: str
    rank: int
    right: bool
    refused: bool
    quoted: int
    sources: int
    seconds: float
    error: str = ""

    def as_record(self) -> dict[str, Any]:
        """For JSON: the question's own fields and the others side by side."""
        found = asdict(self)
        return {**found.pop("made"), **found}


def holds(answer: str, value: str) -> bool:
    """Whether the answer says the value: all of its numbers, and most of its words."""
    wanted, said = set(terms(value)), set(terms(answer))
    numbers = {term for term in wanted if re.search(r"\d", term)}
    return bool(wanted) and numbers <= said and len(wanted & said) >= HELD * len(wanted)


def row(results: Sequence[Result]) -> list[str]:
    """The cells under COLUMNS; a figure that applies to no question is a dash. What failed counts as neither answered nor refused."""
    asked = [one for one in results if not one.made.is_control]
    controls = [one for one in results if one.made.is_control]
    valued = [one for one in asked if one.made.value]
    seconds = sorted(one.seconds for one in results if not one.error)
    return [
        str(len(asked)),
        *(_percent(sum(0 < one.rank <= cut for one in asked), len(asked)) for cut in CUTS),
        _percent(sum(one.right for one in valued), len(valued)),
        _percent(sum(one.quoted for one in results), sum(one.sources for one in results)),
        _percent(sum(one.refused for one in asked), len(asked)),
        str(len(controls)),
        _percent(sum(not one.refused and not one.error for one in controls), len(controls)),
        *(f"{_percentile(seconds, share):.2f}" if seconds else "-" for share in (0.5, 0.95)),
    ]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}" if whole else "-"


def _percentile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that this share of all does not exceed (nearest rank)."""
    return ordered[math.ceil(share * len(ordered)) - 1]


def table(results: Sequence[Result]) -> str:
    """A line for each file, for each kind of question, and for all; then what the columns are, and what failed."""
    lines = [("percent of questions", list(COLUMNS))]
    for name in ("file", "kind"):
        lines += [("", []), *((group, row(found)) for group, found in _grouped(results, name).items())]
    lines += [("", []), ("all", row(results))]
    width = max(len(name) for name, _ in lines)
    shown = [
        "  ".join(
            [name.ljust(width), *(cell.rjust(max(5, len(head))) for cell, head in zip(cells, COLUMNS, strict=False))]
        ).rstrip()
        for name, cells in lines
    ]
    failed = [f"Not answered: {one.made.text} {one.error}" for one in results if one.error]
    return "\n".join([*shown, "", LEGEND, *failed])


def _grouped(results: Sequence[Result], field: str) -> dict[str, list[Result]]:
    groups: dict[str, list[Result]] = {}
    for one in results:
        groups.setdefault(one.as_record()[field], []).append(one)
    return groups
