"""Rules that turn what a client sent into values, and say the same thing as JSON Schema.

Rules nest; `loc` grows on the way out. Values, messages and types are those of FastAPI with pydantic 2 for the same
declaration (tests/test_contract.py compares them), except that text with half a surrogate pair is always refused, and
so is the integer `0-9`, which pydantic takes for -9.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from docqa.api.numbers import bounds, parse_integer, parse_number, refusal, within
from docqa.errors import Fault, InvalidRequest

Known = Mapping[str, Any]  # what only the running server knows, such as known["models"]
Schema = dict[str, Any]

ABSENT: Final = object()  # stands for a value that the client did not send

_MOST_FAULTS = 1000  # of one list: a body of a million wrong items must not become an answer of 100 MB
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
            raise refusal("Field required", "missing")
        return self.absent

    def schema(self, known: Known) -> Schema:
        """The rule as JSON Schema 2020-12."""
        return self.describe(known)


def _encodable(raw: str) -> str:
    # JSON can spell half a surrogate pair; neither the database nor a response could hold it.
    try:
        raw.encode()
    except UnicodeEncodeError:
        raise refusal(
            "Input should be a valid string, unable to parse raw data as a unicode string", "string_unicode"
        ) from None
    return raw


def _read_text(raw: Any, known: Known) -> str:
    if not isinstance(raw, str):
        raise refusal("Input should be a valid string", "string_type")
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
        raise refusal("Input should be a valid boolean", "bool_type")
    if word not in _TRUTH:
        raise refusal("Input should be a valid boolean, unable to interpret input", "bool_parsing")
    return _TRUTH[str(word)]


text: Final = Rule(_read_text, lambda known: {"type": "string"})
boolean: Final = Rule(_read_boolean, lambda known: {"type": "boolean"})


def short_text(most: int) -> Rule:
    """Text of at most so many characters."""

    def check(raw: Any, known: Known) -> str:
        value = _read_text(raw, known)
        if len(value) > most:
            raise refusal(f"String should have at most {most} characters", "string_too_long")
        return value

    return Rule(check, lambda known: {"type": "string", "maxLength": most})


def integer(ge: int | None = None, le: int | None = None) -> Rule:
    """A whole number from `ge` to `le`, of any size where they are not given; also as text (`10`, `1_0`, `10.0`)."""

    def check(raw: Any, known: Known) -> int:
        if isinstance(raw, str):
            return int(within(parse_integer(_encodable(raw)), ge, le))
        if isinstance(raw, int):
            return int(within(int(raw), ge, le))
        if not isinstance(raw, float):
            raise refusal("Input should be a valid integer", "int_type")
        if raw - raw != 0:
            raise refusal("Input should be a finite number", "finite_number")
        if raw % 1:
            raise refusal("Input should be a valid integer, got a number with a fractional part", "int_from_float")
        if abs(raw) >= 2**63:
            raise refusal("Unable to parse input string as an integer, exceeded maximum size", "int_parsing_size")
        return int(within(int(raw), ge, le))

    return Rule(check, lambda known: {"type": "integer", **bounds(ge, le)})


def number(ge: float, le: float) -> Rule:
    """A number from `ge` to `le`, also as text; NaN is outside any bounds."""

    def check(raw: Any, known: Known) -> float:
        if isinstance(raw, str):
            return within(parse_number(_encodable(raw)), ge, le)
        try:
            value = float(raw)
        except (TypeError, OverflowError):
            raise refusal("Input should be a valid number", "float_type") from None
        return within(value, ge, le)

    return Rule(check, lambda known: {"type": "number", **bounds(ge, le)})


def one_of(*names: str, fold: bool = False) -> Rule:
    """One of `names`; with `fold` in any case, and the value is the name as declared here."""

    def describe(known: Known) -> Schema:
        schema: Schema = {"type": "string", "enum": list(names)}
        return {**schema, "description": "In any case."} if fold else schema

    return Rule(lambda raw, known: _choose(raw, names, fold), describe)


def one_of_known(key: str) -> Rule:
    """One of the names in `known[key]`, in any case; the value is the name as it stands there."""
    return Rule(
        lambda raw, known: _choose(raw, known[key], True), lambda known: {"type": "string", "enum": list(known[key])}
    )


def _choose(raw: Any, names: Iterable[str], fold: bool) -> str:
    if isinstance(raw, str):
        if _encodable(raw) in names:  # two local models may differ in case only
            return raw
        for name in names if fold else ():
            if raw.lower() == name.lower():
                return name
    *others, last = (repr(name) for name in names)
    raise refusal(f"Input should be {', '.join(others)} or {last}" if others else f"Input should be {last}", "enum")


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
            raise refusal("Input should be a valid list", "list_type")
        return list(_read_all(((index, rule, item) for index, item in enumerate(raw)), known).values())

    return Rule(check, lambda known: {"type": "array", "items": rule.schema(known)})


def several(rule: Rule, most: int) -> Rule:
    """What a query has at most so many times → list, which is empty where it was not sent."""
    each = many(rule)

    def check(raw: Any, known: Known) -> list[Any]:
        values: list[Any] = each.check(raw, known)
        if len(values) > most:
            raise refusal(f"List should have at most {most} items after validation, not {len(values)}", "too_long")
        return values

    return Rule(check, lambda known: {**each.schema(known), "maxItems": most}, absent=[], repeated=True)


def record(fields: Mapping[str, Rule]) -> Rule:
    """A JSON object, or a query → dict with exactly these keys; unknown fields are ignored."""

    def check(raw: Any, known: Known) -> dict[str, Any]:
        if not isinstance(raw, dict):
            raise refusal(
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
            raise refusal(f"Value error, {error}", "value_error") from error

    return replace(rule, check=check)


def named(name: str, rule: Rule) -> Rule:
    """`rule`, which /openapi.json describes once, under this name."""
    return replace(rule, describe=lambda known: {"title": name, **rule.schema(known)})


def bounded(rule: Rule, **keywords: Any) -> Rule:
    """`rule`, with further keywords of JSON Schema that say what it checks, such as `minItems=1`."""
    return replace(rule, describe=lambda known: {**rule.schema(known), **keywords})


def described(rule: Rule, description: str) -> Rule:
    """`rule`, with a sentence for the reader of /openapi.json."""
    return replace(rule, describe=lambda known: {**rule.schema(known), "description": description})
