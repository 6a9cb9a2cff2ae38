"""What a table answers, and how its figures are written."""

from dataclasses import dataclass

from docqa.formats.columns import Column, Value
from docqa.languages import phrase
from docqa.records import Source

BEFORE = ("$", "£", "₹", "¥")  # units that stand before their number


@dataclass(frozen=True)
class TableAnswer:
    """`text` is complete, with the marks of the `sources`, which are empty unless the client wants them."""

    text: str
    sources: list[Source]


def written(value: Value, column: Column, language: str) -> str:
    """A value as the language writes it; a year or an identifier as it is."""
    if value is None:
        return "–"
    if isinstance(value, str) or (not column.is_amount and column.name):
        return str(value)
    digits = f"{value:,.{column.decimals}f}"
    marks = phrase("thousands_mark", language) + phrase("decimal_mark", language)
    digits = digits.translate(str.maketrans(",.", marks))
    return f"{column.unit}{digits}" if column.unit in BEFORE else f"{digits} {column.unit}".rstrip()
