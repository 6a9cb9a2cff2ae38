"""A table as one text that the reader reads beside a question: its columns, and the values that the question may mean.

Each column's name and each value has its place in the text, where the reader says what part it has in the question.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from docqa.tables.counting.view import View
from docqa.tables.headings import NEAR, likeness
from docqa.text.detect import is_function_word

MOST_COLUMNS = 24  # that are laid out; the reader takes some hundred words
ALL_SHOWN = 10  # different values of a column: of one with more only those are laid out that the question comes near to
MOST_SHOWN = 6  # of such a column
LONGEST, LONGEST_NAME = 30, 60  # characters of a value and of a column's name
_NEXT_COLUMN, _VALUES, _NEXT_VALUE, _ONE_OF_MANY, _EMPTY = " | ", " : ", " ; ", "…", "–"


class Spot(NamedTuple):
    """Where the name of the column at `place`, or one of its values, begins in the text."""

    start: int
    place: int
    value: str | None = None


class Layout(NamedTuple):
    """The text of a table, and its spots in their order."""

    text: str
    spots: tuple[Spot, ...]


def laid_out(view: View, near: Mapping[int, Sequence[str]], places: Iterable[int] | None = None) -> Layout:
    """The table's columns, all of them or those at `places`, in this order; `near` are the values of each column that
    the question's words come near to."""
    text, spots = f"{_called(view)} :", list[Spot]()
    for place in list(range(len(view.table.columns)) if places is None else places)[:MOST_COLUMNS]:
        text += _NEXT_COLUMN
        spots.append(Spot(len(text), place))
        text += view.table.columns[place].name[:LONGEST_NAME]
        shown = _shown(view, place, near.get(place, ()))
        for number, value in enumerate(shown):
            text += _NEXT_VALUE if number else _VALUES
            spots.append(Spot(len(text), place, value))
            text += value[:LONGEST]
        if not shown and view.contents.least[place] is not None:
            text += f"{_VALUES}{str(view.contents.least[place])[:LONGEST]} {_ONE_OF_MANY}"
        if view.has_gaps(place):
            text += _NEXT_VALUE + _EMPTY
    return Layout(text, tuple(spots))


def _called(view: View) -> str:
    name = view.table.name
    return (name.rpartition(".")[0] or name).replace("_", " ")


def _shown(view: View, place: int, near: Sequence[str]) -> Sequence[str]:
    if view.table.columns[place].kind != "text":
        return ()
    values = view.contents.values.get(place, ())
    return values if 0 < len(values) <= ALL_SHOWN else tuple(dict.fromkeys(near))[:MOST_SHOWN]


def near_values(
    view: View, tokens: Sequence[str], language: str, named: Mapping[str, Mapping[int, Sequence[str]]]
) -> dict[int, list[str]]:
    """The values of each column that a question names, or shares a word's form with; `named` are those with the key of
    a run of its tokens."""
    near: dict[int, list[str]] = {}
    for places in named.values():
        for place, values in places.items():
            near.setdefault(place, []).extend(values)
    spoken = [token for token in tokens if len(token) > 2 and not is_function_word(token)]
    for place, forms in view.forms.items():
        if len(forms) > ALL_SHOWN:
            near.setdefault(place, []).extend(
                value
                for words, value in forms
                if any(likeness(token, word, language) >= NEAR for token in spoken for word in words)
            )
    return near
