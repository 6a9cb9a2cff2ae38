"""Rules: what they let through, what they say of the rest, and how they nest."""

from typing import Any

import pytest

from docqa.api import declarations
from docqa.api.rules import (
    ABSENT,
    Rule,
    boolean,
    checked,
    default,
    described,
    free,
    integer,
    many,
    number,
    one_of,
    one_of_known,
    optional,
    record,
    text,
)
from docqa.errors import Fault, InvalidRequest

KNOWN = {"models": ("GPT5_2", "tiny")}


def faults(rule: Rule, raw: Any) -> list[tuple[tuple[str | int, ...], str]]:
    with pytest.raises(InvalidRequest) as caught:
        rule.read(raw, KNOWN)
    return [(fault.loc, fault.type) for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("rule", "raw", "value"),
    [
        (text, "", ""),
        (text, "\U0001f600\x00", "\U0001f600\x00"),
        (integer(), "1_0", 10),
        (integer(), " -0__7.00 ", -7),
        (integer(), 7.0, 7),
        (integer(), True, 1),
        (integer(), "9" * 4300, int("9" * 4300)),
        (number(0, 1e3), "1e3", 1000.0),
        (number(0, 9), 3, 3.0),
        (boolean, "oN", True),
        (boolean, 0.0, False),
        (one_of("LONG", "SHORT"), "LONG", "LONG"),
        (one_of("user", "bot", fold=True), "USER", "user"),
        (one_of_known("models"), "tiny", "tiny"),
        (free("desc", "asc"), "asc", "asc"),
        (free("desc", "asc"), "sideways", "desc"),
        (free("desc", "asc"), ABSENT, "desc"),
        (many(integer()), ["1", 2], [1, 2]),
        (default(text, "x"), ABSENT, "x"),
        (optional(text), None, None),
        (optional(text), ABSENT, None),
        (checked(text, str.upper), "a", "A"),
        (record({"a": text, "b": optional(text)}), {"a": "x", "c": 1}, {"a": "x", "b": None}),
    ],
)
def test_a_good_value_is_read(rule: Rule, raw: Any, value: Any) -> None:
    read = rule.read(raw, KNOWN)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("rule", "raw", "kind"),
    [
        (text, ABSENT, "missing"),
        (text, None, "string_type"),
        (text, "\ud800", "string_unicode"),
        (integer(), "\udfff", "string_unicode"),
        (integer(), "0-9", "int_parsing"),
        (integer(), "٣", "int_parsing"),
        (integer(), "9" * 4301, "int_parsing_size"),
        (integer(), float("inf"), "finite_number"),
        (integer(), 1.5, "int_from_float"),
        (integer(), [], "int_type"),
        (integer(ge=1), "0", "greater_than_equal"),
        (integer(le=9), 10**30, "less_than_equal"),
        (number(0.1, 1.5), "NaN", "less_than_equal"),
        (number(0.1, 1.5), float("nan"), "less_than_equal"),
        (number(0.1, 1.5), "-inf", "greater_than_equal"),
        (number(0.1, 1.5), 10**4000, "float_type"),
        (boolean, "maybe", "bool_parsing"),
        (boolean, float("nan"), "bool_type"),
        (boolean, float("inf"), "bool_type"),
        (one_of("a", "b"), "A", "enum"),
        (one_of("a", "b"), ["a"], "enum"),
        (many(text), "text", "list_type"),
        (record({}), [], "model_attributes_type"),
        (default(text, "x"), None, "string_type"),
    ],
)
def test_a_bad_value_is_named(rule: Rule, raw: Any, kind: str) -> None:
    assert faults(rule, raw) == [((), kind)]


def test_choices_are_spelled_out() -> None:
    with pytest.raises(InvalidRequest, match="^Input should be 'a', 'b' or 'c'$"):
        one_of("a", "b", "c").read("x", KNOWN)
    with pytest.raises(InvalidRequest, match="^Input should be 'a'$"):
        one_of("a").read("x", KNOWN)
    with pytest.raises(InvalidRequest, match="^Input should be 'GPT5_2' or 'tiny'$"):
        one_of_known("models").read("x", KNOWN)


def test_every_fault_is_reported_at_its_place_in_declared_order() -> None:
    rule = record({"first": integer(), "second": many(record({"a": text, "b": boolean}))})
    raw = {"second": [{"a": "x", "b": "on"}, 5, {"a": 1, "b": "?"}], "first": "x"}
    assert faults(rule, raw) == [
        (("first",), "int_parsing"),
        (("second", 1), "model_attributes_type"),
        (("second", 2, "a"), "string_type"),
        (("second", 2, "b"), "bool_parsing"),
    ]


def test_a_check_sees_only_values_that_are_sound() -> None:
    def refuse(value: object) -> object:
        raise ValueError(f"not {value}")

    rule = record({"a": checked(integer(), refuse)})
    assert faults(rule, {"a": "x"}) == [(("a",), "int_parsing")]
    with pytest.raises(InvalidRequest) as caught:
        rule.read({"a": "5"}, KNOWN)
    assert caught.value.faults == [Fault(("a",), "Value error, not 5", "value_error")]


def test_rules_describe_themselves() -> None:
    rule = record(
        {
            "a": described(default(integer(ge=1, le=9), 5), "How many."),
            "b": optional(text),
            "c": one_of_known("models"),
            "d": many(number(0.1, 1.5)),
        }
    )
    assert rule.schema(KNOWN) == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "minimum": 1, "maximum": 9, "default": 5, "description": "How many."},
            "b": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "c": {"type": "string", "enum": ["GPT5_2", "tiny"]},
            "d": {"type": "array", "items": {"type": "number", "minimum": 0.1, "maximum": 1.5}},
        },
        "required": ["c", "d"],
    }


def test_a_chat_needs_a_question() -> None:
    def ask(*messages: tuple[str, str]) -> list[dict[str, str]]:
        return [{"sender": sender, "message": message} for sender, message in messages]

    read = declarations.MESSAGES.read(ask(("System", "Be brief."), ("user", "Why?"), ("ASSISTANT", "")), KNOWN)
    assert read == ask(("system", "Be brief."), ("user", "Why?"), ("bot", ""))
    assert declarations.MESSAGES.read(ask(("user", "Why?"), ("user", " \n")), KNOWN) == ask(("user", "Why?"))
    assert declarations.MESSAGES_OR_NONE.read([], KNOWN) == []
    for messages in ([], ask(("bot", "Hello.")), ask(("user", ""), ("user", " \n"))):
        assert faults(declarations.MESSAGES, messages) == [((), "value_error")]


def test_the_chat_parameters_have_the_documented_defaults() -> None:
    assert declarations.CHAT_QUERY.read({}, KNOWN) == {
        "stream": False,
        "model_name": "GPT5_2",
        "agent_mode": True,
        "cite_source": False,
        "temperature": 0.7,
        "language": "DEFAULT",
        "length": "SHORT",
    }


@pytest.mark.parametrize("place", [{}, {"doc_ids": ["a"], "knowledge_base_id": "k"}, {"doc_ids": None}])
def test_a_retrieval_searches_documents_or_a_knowledge_base(place: dict[str, Any]) -> None:
    assert faults(declarations.RETRIEVE_BODY, {"query": "x", **place}) == [((), "value_error")]
    assert declarations.RETRIEVE_BODY.read({"query": "x", "doc_ids": []}, KNOWN)["top_k"] == 5
