"""How the results of an evaluation are counted and shown."""

from docqa.evaluation.controls import FOREIGN, OTHER
from docqa.evaluation.figures import COLUMNS, Result, row, table
from docqa.ingest.made_questions import MadeQuestion


def result(
    kind: str = "number",
    *,
    rank: int = 1,
    right: bool = True,
    refused: bool = False,
    quoted: int = 1,
    seconds: float = 1.0,
    error: str = "",
    file: str = "a",
) -> Result:
    question = (
        MadeQuestion(kind, "?", "en", 1)
        if kind in (OTHER, FOREIGN)
        else MadeQuestion(kind, "?", "en", 1, "" if kind == "heading" else "5", chunk=1)
    )
    return Result(question, file, "5", rank, right, refused, quoted, 1, seconds, error)


def test_figures_count_the_results() -> None:
    results = [
        result(),
        result(rank=3, right=False, quoted=0),
        result(rank=0, right=False, refused=True, seconds=9.0),
        result("heading", rank=5, right=False),
        result(FOREIGN, refused=True),
        result(OTHER),
        result(OTHER, error="Try again."),
    ]
    assert dict(zip(COLUMNS, row(results), strict=True)) == {
        "questions": "4",
        "hit@1": "25",
        "hit@3": "50",
        "hit@5": "75",
        "right": "33",
        "quoted": "86",
        "refused": "25",
        "controls": "3",
        "answered": "33",
        "p50 s": "1.00",
        "p95 s": "9.00",
    }


def test_the_table_has_a_line_per_file_and_kind_and_lists_failures() -> None:
    lines = table(
        [result(file="a.pdf"), result("date", file="b.txt", rank=0), result(OTHER, error="Try again.")]
    ).splitlines()
    assert [line.split()[:3] for line in lines if line.startswith(("a.pdf", "b.txt", "date", "all"))] == [
        ["a.pdf", "1", "100"],
        ["b.txt", "1", "0"],
        ["date", "1", "0"],
        ["all", "2", "50"],
    ]
    assert lines[-1] == "Not answered: ? Try again."
