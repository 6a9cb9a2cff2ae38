"""What the names and values of a table are found by, however they are written: orderDate, ORDER_DATE, order date."""

import re

from docqa.text.words import fold, is_dense

_MARKS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff"
_TOKEN = re.compile(
    rf"\d{{4}}-\d\d-\d\d|\d\d?\.\d\d?\.\d{{4}}|\d+(?:[.,'’]\d+)*|[<>]=?|[=≥≤]"
    rf"|[^\W\d_][^\W\d_{_MARKS}]*(?:[{_MARKS}]+[^\W\d_]*)*"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ORDINAL = re.compile(r"(?<=\d)\.?[ºª]")  # 3.º B is 3ºB, and 3B


def _tokens(text: str) -> list[str]:
    """Folded words, numbers and signs of comparison; in scripts without spaces each character is one."""
    return [part for token in _TOKEN.findall(fold(text)) for part in (token if is_dense(token) else (token,))]


def key(text: str) -> str:
    """What a name or a value is found by: its tokens, parted by spaces."""
    return " ".join(_tokens(_spaced(text)))


def _spaced(name: str) -> str:
    """A name such as orderDate or order_date as words."""
    return _ORDINAL.sub(" ", _CAMEL.sub(" ", name).replace("_", " "))
