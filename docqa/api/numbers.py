"""Numbers as pydantic 2 reads them from text, and the faults it finds in them."""

import re

from docqa.errors import Fault, InvalidRequest

_MOST_DIGITS = 4300
_BLANKS = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003"
    "\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)


def refusal(msg: str, kind: str) -> InvalidRequest:
    """A fault of a value, to be raised; its place is added on the way out."""
    return InvalidRequest([Fault((), msg, kind)])


def parse_integer(raw: str) -> int:
    """`10`, `1_0` and `10.0` as a whole number. Raises InvalidRequest."""
    stripped = raw.strip(_BLANKS)
    sign = "-" if stripped.startswith("-") else "+" if stripped.startswith("+") else ""
    digits, point, decimals = stripped[len(sign) :].partition(".")
    if digits.startswith("0"):
        digits = digits.lstrip("0_") or digits[-1]
    if not re.fullmatch(r"[0-9]+(?:_[0-9]+)*", digits) or (point and (not decimals or decimals.strip("0"))):
        raise refusal("Input should be a valid integer, unable to parse string as an integer", "int_parsing")
    digits = digits.replace("_", "")
    if len(digits) > _MOST_DIGITS:
        raise refusal("Unable to parse input string as an integer, exceeded maximum size", "int_parsing_size")
    return int(sign + digits)


def parse_number(raw: str) -> float:
    """A text as a number. Raises InvalidRequest."""
    fault = refusal("Input should be a valid number, unable to parse string as a number", "float_parsing")
    stripped = raw.strip(_BLANKS)
    if not stripped.isascii() or stripped != stripped.strip():
        raise fault
    if "_" in raw and ("__" in raw or raw != raw.strip(_BLANKS + "_")):
        raise fault
    try:
        return float(stripped.replace("_", ""))
    except ValueError:
        raise fault from None


def within(value: float, ge: float | None, le: float | None) -> float:
    """The value. Raises InvalidRequest where it is out of bounds."""
    # Written with `not` because NaN compares as false; `le` first is pydantic's order, which shows with NaN.
    if le is not None and not value <= le:
        raise refusal(f"Input should be less than or equal to {le}", "less_than_equal")
    if ge is not None and not value >= ge:
        raise refusal(f"Input should be greater than or equal to {ge}", "greater_than_equal")
    return value


def bounds(ge: float | None, le: float | None) -> dict[str, float]:
    """The bounds as JSON Schema."""
    return {name: bound for name, bound in (("minimum", ge), ("maximum", le)) if bound is not None}
