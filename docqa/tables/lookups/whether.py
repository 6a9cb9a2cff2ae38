"""Questions for yes or no that a cell answers: one that says yes or no itself, or has a dash for nothing.

               Home    Team
Cloud store    –       yes          "does Home have a cloud store?"  →  No. Cloud store: Home –.
"""

import re

from docqa.languages import entry, every, phrase
from docqa.questions.question import Part
from docqa.tables.lookups.cells import Answered
from docqa.tables.lookups.lookup import is_sure, look_up
from docqa.tables.lookups.query import Query
from docqa.tables.lookups.values import column_name, name_of, value_of
from docqa.text.keys import key

LEAST_LABEL = 0.75  # of the name of the row
_NOTHING = re.compile(r"[-–—−]+")


def said_of_cell(query: Query, part: Part, language: str) -> Answered | None:
    """Yes or no with the cell in the row and the column that the question names; None where the cell says neither, or
    the question denies something itself."""
    if part.is_negated:
        return None
    cells = look_up(query)
    if not is_sure(cells) or not cells[0].is_named or cells[0].label_share < LEAST_LABEL:
        return None
    is_so = _says_whether(cells[0].value)
    if is_so is None:
        return None
    word = entry("polarity.yes" if is_so else "polarity.no", language)
    stop = phrase("full_stop", language)
    name, column = name_of(cells[0], with_column=False), column_name(cells[0])
    return f"{word}{stop} {name}: {column} {value_of(cells[0])}{stop}", [cells[0].placed]


def _says_whether(value: str) -> bool | None:
    """Whether a cell says yes, which something may follow, or no, which a dash says too; None where it says neither."""
    if _NOTHING.fullmatch(value):
        return False
    first = key(value).split()[:1]
    for is_so, place, signs in ((True, "yes", "✓✔☑"), (False, "no", "✗✘☒")):
        if (
            value[:1]
            and value[0] in signs
            or first
            and first[0] in {key(word) for word in every(f"polarity.{place}").values()}
        ):
            return is_so
    return None
