"""Results of the evaluation questions, and a table of figures in percent of the questions concerned.

An answer is judged by its words alone: a number or a definition that is worded differently counts as wrong.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from docqa.ingest.made_questions import MadeQuestion

CUTS = (1, 3, 5)
LEGEND = """hit@k: a passage with the statement that the question was made from is among the first k.
right: the answer contains the expected value. quoted: sources that occur word for word on their page.
refused: the answer was that the documents do not say. controls: questions that the documents do not answer;
answered: share of these that were answered all the same."""
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
    """What the service answered to a question.

    `rank` is the place, from 1, of the first passage with what the question was made from; 0 if it is not among those
    retrieved. `quoted` of the `sources` occur word for word on the page they name. `error` says why there is no answer.
    """

    question: MadeQuestion
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
        """A flat JSON object: the question's fields and those of the result."""
        record = asdict(self)
        return {**record.pop("question"), **record}


def row(results: Sequence[Result]) -> list[str]:
    """The cells under COLUMNS; a figure that applies to no question is a dash.

    A question that failed counts as neither answered nor refused.
    """
    answerable = [result for result in results if not result.question.is_control]
    controls = [result for result in results if result.question.is_control]
    valued = [result for result in answerable if result.question.value]
    seconds = sorted(result.seconds for result in results if not result.error)
    return [
        str(len(answerable)),
        *(_percent(sum(0 < result.rank <= cut for result in answerable), len(answerable)) for cut in CUTS),
        _percent(sum(result.right for result in valued), len(valued)),
        _percent(sum(result.quoted for result in results), sum(result.sources for result in results)),
        _percent(sum(result.refused for result in answerable), len(answerable)),
        str(len(controls)),
        _percent(sum(not result.refused and not result.error for result in controls), len(controls)),
        *(f"{_percentile(seconds, share):.2f}" if seconds else "-" for share in (0.5, 0.95)),
    ]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}" if whole else "-"


def _percentile(ordered: Sequence[float], share: float) -> float:
    """The nearest-rank percentile: the smallest value that at least `share` of the values do not exceed."""
    return ordered[math.ceil(share * len(ordered)) - 1]


def table(results: Sequence[Result]) -> str:
    """A line per file, per kind of question and for all questions, then the legend, then the questions that failed."""
    lines = [("percent of questions", list(COLUMNS))]
    for field in ("file", "kind"):
        lines += [("", []), *((name, row(group)) for name, group in _grouped(results, field).items())]
    lines += [("", []), ("all", row(results))]
    width = max(len(name) for name, _ in lines)
    shown = []
    for name, cells in lines:
        padded = (cell.rjust(max(5, len(head))) for cell, head in zip(cells, COLUMNS, strict=False))
        shown.append("  ".join([name.ljust(width), *padded]).rstrip())
    failed = [f"Not answered: {result.question.text} {result.error}" for result in results if result.error]
    return "\n".join([*shown, "", LEGEND, *failed])


def _grouped(results: Sequence[Result], field: str) -> dict[str, list[Result]]:
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.as_record()[field], []).append(result)
    return groups
