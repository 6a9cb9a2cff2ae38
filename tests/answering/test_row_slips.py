"""A value that stands before the name in its row is not taken from the row below."""

import pytest

from docqa.answering.row_slips import in_own_row
from docqa.models.reader import Span
from docqa.questions.question import Part
from docqa.search.passages import ScoredUnit
from docqa.text.units import Unit

HEADINGS = "Effective\tCompany\tCity\tJobs\n"
ROWS = ["08/07\tSylvan Paper\tMarlow\t60", "08/31\tFerris Foods\tOakham\t50", "09/15\tKestrel\tMarlow\t213"]
TEXT = HEADINGS + "\n".join(ROWS)


def units() -> list[ScoredUnit]:
    starts = [TEXT.index(row) for row in ROWS]
    return [
        ScoredUnit(unit=Unit(start, start + len(row), "row", None, None, 0, len(TEXT)), coverage=0.0)
        for start, row in zip(starts, ROWS, strict=True)
    ]


@pytest.mark.parametrize(
    ("question", "read", "meant"),
    [
        ("When does Sylvan Paper close?", "08/31", "08/07"),  # the next date behind its name
        ("When does Sylvan Paper close?", "08/07", "08/07"),
        ("When does Ferris Foods close?", "08/31", "08/31"),
        ("How many jobs are lost at Sylvan Paper?", "50", "50"),  # behind the names: the reader does not slip there
        ("When does the paper mill or Ferris close?", "08/31", "08/31"),  # the row has a word of the question too
        ("Which company closes in August?", "Ferris Foods", "Ferris Foods"),
        ("When does Oakham's plant close?", "09/15", "08/31"),
    ],
)
def test_a_span_before_the_names_of_its_row_is_of_the_row_that_is_named(question: str, read: str, meant: str) -> None:
    at = TEXT.index(read)
    span = in_own_row(Part(question), TEXT, units(), Span(at, at + len(read), 3.0))
    assert TEXT[span.start : span.end] == meant
    assert span.score == 3.0


def test_a_span_outside_of_tables_stays() -> None:
    text = "Sylvan Paper closes. It is on 31 August."
    sentences = [
        Unit(0, 20, "paragraph", None, None, 0, len(text)),
        Unit(21, 40, "paragraph", None, None, 0, len(text)),
    ]
    scored = [ScoredUnit(unit=unit, coverage=0.0) for unit in sentences]
    span = Span(30, 39, 3.0)
    assert in_own_row(Part("When does Sylvan Paper close?"), text, scored, span) == span
