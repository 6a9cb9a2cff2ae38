"""Rules that turn what a client sent into values, and say the same thing as JSON Schema.

Rules nest; `loc` grows on the way out. Values, messages and types are those of FastAPI with pydantic 2 for the same
declaration (tests/test_contract.py compares them), except that text with half a surrogate pair is always refused, and
so is the integer `0-9`, which pydantic takes for -9.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from docqa.errors import Fault, InvalidRequest

Known = Mapping[str, Any]  # what only the running server knows, such as known["models"]
Schema = dict[str, Any]

ABSENT: Final = object()  # stands for a value that the client did not send

_MOST_DIGITS = 4300
_MOST_FAULTS = 1000  # of one list: a body of a million wrong items must not become an answer of 100 MB
_BLANKS = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003"
    "\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_TRUTH = {
    **dict.fromkeys(("1", "on", "t", "true", "y", "yes"), True),
    **dict.fromkeys(("0", "off", "f", "false", "n", "no"), False),
}


@dataclass(frozen=True)
class Rule:
    """One rule: `check` a value that was sent, `describe` it as JSON Schema, and what stands for an `absent` one. In a
    query, `repeated` takes all values that were sent under the name."""

    check: Callable[[Any, Known], Any]
    describe: Callable[[Known], Schema]
    absent: Any = ABSENT
    fields: Mapping[str, "Rule"] = field(default_factory=dict)
    repeated: bool = False

    @property
    def required(self) -> bool:
        """Whether leaving the value out is a fault."""
        return self.absent is ABSENT

    def read(self, raw: Any, known: Known) -> Any:
        """The value of `raw`, which is ABSENT where nothing was sent. Raises InvalidRequest, its `loc`s relative to
        this value."""
        if raw is not ABSENT:
            return self.check(raw, known)
        if self.required:
            raise _refusal("Field required", "missing")
        return self.absent

    def schema(self, known: Known) -> Schema:
        """The rule as JSON Schema 2020-12."""
        return self.describe(known)


def _refusal(msg: str, kind: str) -> InvalidRequest:
    return InvalidRequest([Fault((), msg, kind)])


def _encodable(raw: str) -> str:
    # JSON can spell half a surrogate pair; neither the database nor a response could hold it.
    try:
        raw.encode()
    except UnicodeEncodeError:
        raise _refusal(
            "Input should be a valid string, unable to parse raw data as a unicode string", "string_unicode"
        ) from None
    return raw


def _read_text(raw: Any, known: Known) -> str:
    if not isinstance(raw, str):
        raise _refusal("Input should be a valid string", "string_type")
    return _encodable(raw)


def _read_boolean(raw: Any, known: Known) -> bool:
    if isinstance(raw, bool):
        return raw
    word: object = raw
    if isinstance(raw, str):
        word = _encodable(raw).lower()
    elif isinstance(raw, int | float) and raw == raw // 1 and abs(raw) < 2**63:
        word = str(int(raw))
    else:
        raise _refusal("Input should be a valid boolean", "bool_type")
    if word not in _TRUTH:
        raise _refusal("Input should be a valid boolean, unable to interpret input", "bool_parsing")
    return _TRUTH[str(word)]


text: Final = Rule(_read_text, lambda known: {"type": "string"})
boolean: Final = Rule(_read_boolean, lambda known: {"type": "boolean"})


def short_text(most: int) -> Rule:
    """Text of at most so many characters."""

    def check(raw: Any, known: Known) -> str:
        value = _read_text(raw, known)
        if len(value) > most:
            raise _refusal(f"String should have at most {most} characters", "string_too_long")
        return value

    return Rule(check, lambda known: {"type": "string", "maxLength": most})


def integer(ge: int | None = None, le: int | None = None) -> Rule:
    """A whole number from `ge` to `le`, of any size where they are not given; also as text (`10`, `1_0`, `10.0`)."""

    def check(raw: Any, known: Known) -> int:
        if isinstance(raw, str):
            return int(_within(_parse_integer(_encodable(raw)), ge, le))
        if isinstance(raw, int):
            return int(_within(int(raw), ge, le))
        if not isinstance(raw, float):
            raise _refusal("Input should be a valid integer", "int_type")
        if raw - raw != 0:
            raise _refusal("Input should be a finite number", "finite_number")
        if raw % 1:
            raise _refusal("Input should be a valid integer, got a number with a fractional part", "int_from_float")
        if abs(raw) >= 2**63:
            raise _refusal("Unable to parse input string as an integer, exceeded maximum size", "int_parsing_size")
        return int(_within(int(raw), ge, le))

    return Rule(check, lambda known: {"type": "integer", **_bounds(ge, le)})


def number(ge: float, le: float) -> Rule:
    """A number from `ge` to `le`, also as text; NaN is outside any bounds."""

    def check(raw: Any, known: Known) -> float:
        if isinstance(raw, str):
            return _within(_parse_number(_encodable(raw)), ge, le)
        try:
            value = float(raw)
        except (TypeError, OverflowError):
            raise _refusal("Input should be a valid number", "float_type") from None
        return _within(value, ge, le)

    return Rule(check, lambda known: {"type": "number", **_bounds(ge, le)})


def _parse_integer(raw: str) -> int:
    stripped = raw.strip(_BLANKS)
    sign = "-" if stripped.startswith("-") else "+" if stripped.startswith("+") else ""
    digits, point, decimals = stripped[len(sign) :].partition(".")
    if digits.startswith("0"):
        digits = digits.lstrip("0_") or digits[-1]
    if not re.fullmatch(r"[0-9]+(?:_[0-9]+)*", digits) or (point and (not decimals or decimals.strip("0"))):
        raise _refusal("Input should be a valid integer, unable to parse string as an integer", "int_parsing")
    digits = digits.replace("_", "")
    if len(digits) > _MOST_DIGITS:
        raise _refusal("Unable to parse input string as an integer, exceeded maximum size", "int_parsing_size")
    return int(sign + digits)


def _parse_number(raw: str) -> float:
    refusal = _refusal("Input should be a valid number, unable to parse string as a number", "float_parsing")
    stripped = raw.strip(_BLANKS)
    if not stripped.isascii() or stripped != stripped.strip():
        raise refusal
    if "_" in raw and ("__" in raw or raw != raw.strip(_BLANKS + "_")):
        raise refusal
    try:
        return float(stripped.replace("_", ""))
    except ValueError:
        raise refusal from None


def _within(value: float, ge: float | None, le: float | None) -> float:
    # Written with `not` because NaN compares as false; `le` first is pydantic's order, which shows with NaN.
    if le is not None and not value <= le:
        raise _refusal(f"Input should be less than or equal to {le}", "less_than_equal")
    if ge is not None and not value >= ge:
        raise _refusal(f"Input should be greater than or equal to {ge}", "greater_than_equal")
    return value


def _bounds(ge: float | None, le: float | None) -> Schema:
    return {name: bound for name, bound in (("minimum", ge), ("maximum", le)) if bound is not None}


def one_of(*names: str, fold: bool = False) -> Rule:
    """One of `names`; with `fold` in any case, and the value is the name as declared here."""

    def describe(known: Known) -> Schema:
        schema: Schema = {"type": "string", "enum": list(names)}
        return {**schema, "description": "In any case."} if fold else schema

    return Rule(lambda raw, known: _choose(raw, names, fold), describe)


def one_of_known(key: str) -> Rule:
    """One of the names in `known[key]`."""
    return Rule(
        lambda raw, known: _choose(raw, known[key], False), lambda known: {"type": "string", "enum": list(known[key])}
    )


def _choose(raw: Any, names: Iterable[str], fold: bool) -> str:
    if isinstance(raw, str):
        wanted = _encodable(raw).lower() if fold else _encodable(raw)
        for name in names:
            if wanted == (name.lower() if fold else name):
                return name
    *others, last = (repr(name) for name in names)
    raise _refusal(f"Input should be {', '.join(others)} or {last}" if others else f"Input should be {last}", "enum")


def free(usual: str, *others: str) -> Rule:
    """One of these words; any other text, and nothing at all, means `usual`."""

    def check(raw: Any, known: Known) -> str:
        word = _read_text(raw, known)
        return word if word in others else usual

    return default(Rule(check, lambda known: {"type": "string", "examples": [usual, *others]}), usual)


def many(rule: Rule) -> Rule:
    """A JSON array → list."""

    def check(raw: Any, known: Known) -> list[Any]:
        if not isinstance(raw, list):
            raise _refusal("Input should be a valid list", "list_type")
        return list(_read_all(((index, rule, item) for index, item in enumerate(raw)), known).values())

    return Rule(check, lambda known: {"type": "array", "items": rule.schema(known)})


def several(rule: Rule, most: int) -> Rule:
    """What a query has at most so many times → list, which is empty where it was not sent."""
    each = many(rule)

    def check(raw: Any, known: Known) -> list[Any]:
        values: list[Any] = each.check(raw, known)
        if len(values) > most:
            raise _refusal(f"List should have at most {most} items after validation, not {len(values)}", "too_long")
        return values

    return Rule(check, lambda known: {**each.schema(known), "maxItems": most}, absent=[], repeated=True)


def record(fields: Mapping[str, Rule]) -> Rule:
    """A JSON object, or a query → dict with exactly these keys; unknown fields are ignored."""

    def check(raw: Any, known: Known) -> dict[str, Any]:
        if not isinstance(raw, dict):
            raise _refusal(
                "Input should be a valid dictionary or object to extract fields from", "model_attributes_type"
            )
        return _read_all(((name, rule, raw.get(name, ABSENT)) for name, rule in fields.items()), known)

    def describe(known: Known) -> Schema:
        schema: Schema = {"type": "object", "properties": {name: rule.schema(known) for name, rule in fields.items()}}
        required = [name for name, rule in fields.items() if rule.required]
        return {**schema, "required": required} if required else schema

    return Rule(check, describe, fields=fields)


def _read_all(items: Iterable[tuple[Any, Rule, Any]], known: Known) -> dict[Any, Any]:
    values: dict[Any, Any] = {}
    faults: list[Fault] = []
    for key, rule, raw in items:
        try:
            values[key] = rule.read(raw, known)
        except InvalidRequest as error:
            faults += [fault.under(key) for fault in error.faults]
        if len(faults) >= _MOST_FAULTS:
            break
    if faults:
        raise InvalidRequest(faults)
    return values


def default(rule: Rule, value: Any) -> Rule:
    """`rule`, with `value` where nothing was sent."""
    return replace(rule, absent=value, describe=lambda known: {**rule.schema(known), "default": value})


def optional(rule: Rule) -> Rule:
    """`rule`, with None where nothing or null was sent."""

    def check(raw: Any, known: Known) -> Any:
        return None if raw is None else rule.check(raw, known)

    return replace(
        rule, check=check, absent=None, describe=lambda known: {"anyOf": [rule.schema(known), {"type": "null"}]}
    )


def checked(rule: Rule, function: Callable[[Any], Any]) -> Rule:
    """The result of `function` on what `rule` gives; its ValueError becomes a fault."""

    def check(raw: Any, known: Known) -> Any:
        value = rule.check(raw, known)
        try:
            return function(value)
        except ValueError as error:
            raise _refusal(f"Value error, {error}", "value_error") from error

    return replace(rule, check=check)


def described(rule: Rule, description: str) -> Rule:
    """`rule`, with a sentence for the reader of /openapi.json."""
    return replace(rule, describe=lambda known: {**rule.schema(known), "description": description})
