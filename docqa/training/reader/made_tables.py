"""Questions about made tables, written as the readers of formats write them: a line of headings, cells between tabs."""

import random
from collections.abc import Sequence

from docqa.training.question_sets import Example

PERIODS = (
    ("2019", "2020", "2021", "2022", "2023", "2024"),
    ("Q1", "Q2", "Q3", "Q4"),
    ("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    ("North", "South", "East", "West"),
    ("Plan", "Actual", "Difference"),
    ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
)
ITEMS = (
    "Desk lamp|Office chair|Filing cabinet|Whiteboard|Bookshelf|Standing desk|Monitor arm|Coat rack",
    "Basic|Standard|Premium|Enterprise|Student|Family",
    "Lisbon|Oslo|Kyoto|Toronto|Nairobi|Lima|Vienna|Dublin",
    "Assembly|Testing|Packaging|Shipping|Repair|Cleaning",
    "A. Moreau|B. Keller|C. Okafor|D. Lindqvist|E. Tanaka|F. Rossi",
)
FIELDS = (
    "Price|Stock|Weight|Colour|Warranty",
    "Monthly fee|Storage|Users|Support|Response time",
    "Population|Area|Founded|Mayor|Rainfall",
    "Duration|Cost|Owner|Start date|Status",
    "Department|Extension|Office|Hired|Salary",
)
WORDS = (
    "grey",
    "oak",
    "open",
    "closed",
    "email",
    "phone",
    "Sales",
    "Finance",
    "Marta Silva",
    "Jonas Weber",
    "12 March",
)
UNITS = ("(in millions)", "(in thousands)", "($)", "(%)", "(EUR)", "(hours)")
QUESTIONS = (
    "What was {row} in {column}?",
    "What is the {column} of {row}?",
    "How much was {row} in {column}?",
    "{row} {column}",
    "{column} of {row}?",
    "What does the table give for {row} in {column}?",
)
ABSENT = 0.3  # share of the questions that ask for a row or column that is not there


def table_question(labels: Sequence[str], rng: random.Random) -> Example:
    """A question about a cell of a made table; `labels` are first cells of real tables."""
    if labels and rng.random() < 0.5:
        rows, columns = rng.sample(labels, min(len(labels), rng.randrange(4, 9))), list(rng.choice(PERIODS))
        start = rng.randrange(len(columns) - 2)
        columns, missing = columns[start : start + rng.choice((2, 3, 3, 4))], columns
        missing = [column for column in missing if column not in columns]
    else:
        kind = rng.randrange(len(ITEMS))
        fields = FIELDS[kind].split("|")
        rows, columns = ITEMS[kind].split("|"), rng.sample(fields, rng.randrange(2, len(fields)))
        rng.shuffle(rows)
        missing = [field for field in fields if field not in columns]
    kept, left_out = rows[: max(3, len(rows) - 2)], rows[max(3, len(rows) - 2) :]
    cells = [[_value(rng) for _ in columns] for _ in kept]
    row, column = rng.randrange(len(kept)), rng.randrange(len(columns))
    absent = rng.random() < ABSENT
    asked_row, asked_column = kept[row], columns[column]
    if absent and missing and (not left_out or rng.random() < 0.5):
        asked_column = rng.choice(missing)
    elif absent and left_out:
        asked_row = rng.choice(left_out)
    else:
        absent = False
    lead = (
        f"{rng.choice(('Overview', 'Summary', 'Details', 'Results'))} {rng.choice(UNITS)}\n"
        if rng.random() < 0.4
        else ""
    )
    heading = "\t".join([rng.choice(("", "", "Name", "Item")), *columns])
    passage, span = f"{lead}{heading}", (0, 0)
    for index, (label, values) in enumerate(zip(kept, cells, strict=True)):
        passage += f"\n{label}"
        for place, value in enumerate(values):
            passage += "\t" + value
            if (index, place) == (row, column):
                span = len(passage) - len(value), len(passage)
    question = rng.choice(QUESTIONS).format(row=asked_row, column=asked_column)
    return Example(question, passage, () if absent else (span,))


def _value(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.1:
        return rng.choice(WORDS)
    if kind < 0.3:
        return f"{rng.randrange(1, 99)}.{rng.randrange(10)}{rng.choice(('', '%'))}"
    if kind < 0.5:
        return f"{rng.choice(('$', '', '€'))}{rng.randrange(1, 999)},{rng.randrange(1000):03d}"
    return str(rng.randrange(1, 5000))
