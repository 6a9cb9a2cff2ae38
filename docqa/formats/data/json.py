"""JSON, also one value a line (JSON Lines): values with their names, under the path of what they belong to.

A list of flat objects is a table, like a CSV's. Numbers stay as written. What is no JSON is read as plain text.
"""

import json
from collections.abc import Sequence
from typing import Any

from docqa.formats.data.outline import MOST_VALUES, Node, Outline
from docqa.formats.pages import Reading, clean, paginate
from docqa.formats.plain.csv import of_rows
from docqa.formats.plain.encoding import decode

DEEPEST = 40
MOST_COLUMNS = 200
CONTEXT = 2
_LEAST_ROWS = 3
_FILLED = 0.5  # of the cells of a table
_LONGEST_LIST = 200  # characters of a list of values on one line

Pairs = list[tuple[str, Any]]


class _Members(Pairs):
    """The members of an object, in order, those that come twice too."""


def read(data: bytes, charset: str = "") -> Reading:
    """Logical pages; `charset` is the one that the server declared, if any. Raises Unreadable if binary."""
    text = clean(decode(data, charset))
    try:
        value = _parsed(text)
        names = _columns(value)
        if names:
            return of_rows(names, [[_cell(dict(row).get(name)) for name in names] for row in value])
        if not _is_bounded(value):
            return Reading("json", "", paginate(text))
        node = _node("", value, 0)
    except (ValueError, RecursionError):  # what is nested a thousand times deep is data for programs only
        return Reading("json", "", paginate(text))
    outline = Outline(context=CONTEXT)
    outline.add(node)
    return Reading("json", "", outline.pages())


def _parsed(text: str) -> Any:
    """The value, or of JSON Lines the list of values. Raises ValueError and RecursionError."""
    # Texts of numbers, because neither digits nor zeros may be lost; and Python refuses to count beyond 4,300 digits.
    decoder = json.JSONDecoder(object_pairs_hook=_Members, parse_int=str, parse_float=str, parse_constant=str)
    try:
        return decoder.decode(text)
    except ValueError:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) < 2:
            raise
        return [decoder.decode(line) for line in lines]


def _is_bounded(value: Any) -> bool:
    """Whether there are no more values than an outline is made of."""
    waiting, count = [value], 0
    while waiting and count <= MOST_VALUES:
        part = waiting.pop()
        count += 1
        if isinstance(part, _Members):
            waiting += [member for _, member in part]
        elif isinstance(part, list):
            waiting += part
    return count <= MOST_VALUES


def _columns(value: Any) -> list[str]:
    """The names of the columns, none where the value is no list of flat objects that are alike."""
    if not isinstance(value, list) or isinstance(value, _Members) or len(value) < _LEAST_ROWS:
        return []
    names: dict[str, None] = {}
    filled = 0
    for row in value:
        if not isinstance(row, _Members) or any(isinstance(cell, list) for _, cell in row):
            return []
        names.update(dict.fromkeys(name for name, _ in row))
        filled += len(row)
        if len(names) > MOST_COLUMNS:
            return []
    return list(names) if filled >= _FILLED * len(names) * len(value) else []


def _cell(value: Any) -> str:
    return "" if value is None else " ".join(_text(value).split())


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)


def _node(name: str, value: Any, depth: int) -> Node:
    if not isinstance(value, list):
        return Node(name, _text(value))
    if not value or depth >= DEEPEST:
        return Node(name, _compact(value))
    if isinstance(value, _Members):
        return Node(name, children=[_node(key, member, depth + 1) for key, member in value])
    if not any(isinstance(item, list) for item in value):
        listed = ", ".join(map(_text, value))
        if len(listed) <= _LONGEST_LIST:
            return Node(name, listed)
    if _is_matrix(value):
        return Node(name, children=[Node("", ", ".join(map(_text, row))) for row in value])
    return Node(name, children=[_node("", item, depth + 1) for item in value])


def _is_matrix(value: Sequence[Any]) -> bool:
    """Whether it is a list of lists of values, such as coordinates."""
    return all(
        isinstance(row, list) and not isinstance(row, _Members) and not any(isinstance(cell, list) for cell in row)
        for row in value
    )


def _compact(value: Any) -> str:
    """A value as JSON on one line."""

    def plain(part: Any) -> Any:
        if isinstance(part, _Members):
            return {key: plain(member) for key, member in part}
        return [plain(member) for member in part] if isinstance(part, list) else part

    return json.dumps(plain(value), ensure_ascii=False)
