"""Each language file says what it has, and names what it lacks beside English."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from conftest import FILES
from docqa.languages import CODES, FOLDER, any_of, entry, every, every_pattern, language, phrase

ANY_OF = [
    *(f"text.{name}" for name in ("boilerplate", "bylines", "cues", "dated", "decided")),
    *(f"questions.patterns.{name}" for name in language("en")["questions"]["patterns"] if name != "ordinals"),
    "polarity.negations",
    "polarity.denials",
    "polarity.lacking",
]
OTHER_TEXTS = [
    "İÇİNDEKİLER", "All rights reserved. ©", "It was not decided.", "Written by Jane Doe on 3 May.", "pursuant to",
    "The following tables are copyrighted", "etwas", "nothing", "not", "no", "n", "", "Ne parle jamais sans y penser",
]  # fmt: skip
ANSWERED = [code for code in CODES if entry("phrases", code)]  # those that answers are given in


def places(node: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """The dotted place of every entry."""
    for key, child in node.items():
        if isinstance(child, Mapping) and key != "scales":
            yield from places(child, f"{above}{key}.")
        else:
            yield f"{above}{key}"


def strings(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, Mapping):
        for child in node.values():
            yield from strings(child)
    elif isinstance(node, list):
        for child in node:
            yield from strings(child)


@pytest.mark.parametrize("code", CODES)
def test_a_file_names_what_it_lacks_beside_english(code: str) -> None:
    lacks = set(places(language("en"))) - set(places(language(code))) - {"lacks"}
    named = set(entry("lacks", code) or ())
    assert {place for place in lacks if not named & {place, *sections(place)}} == set()
    stale = {place for place in named if place not in lacks | {above for lack in lacks for above in sections(lack)}}
    assert stale == set(), "the file has these by now"


def sections(place: str) -> list[str]:
    """The sections that a place stands in: "a" and "a.b" for "a.b.c"."""
    names = place.split(".")
    return [".".join(names[:count]) for count in range(1, len(names))]


@pytest.mark.parametrize("code", ANSWERED)
def test_phrases_have_the_blanks_of_the_english_ones(code: str) -> None:
    for place in places(language("en")["phrases"]):
        blanks = [sorted(re.findall(r"\{\w+\}", phrase(f"phrases.{place}", of))) for of in ("en", code)]
        assert blanks[0] == blanks[1], place


@pytest.mark.parametrize("code", CODES)
def test_patterns_compile(code: str) -> None:
    for section in ("questions.patterns", "text.leaning", "text.boilerplate"):
        for pattern in strings(entry(section, code)):
            re.compile(pattern)


@pytest.mark.parametrize("place", ANY_OF)
def test_any_of_finds_what_every_pattern_finds(place: str) -> None:
    """Letters that alternatives have in common are taken out, which must not change what is found."""
    for known in every(place).values():
        for alternative in known:
            assert "|" not in outside_brackets(alternative), "an entry of a list is one alternative"
    texts = [text for name in ("kinds", "scope") for text in questions(name)] + OTHER_TEXTS
    in_common, expected = (
        [text for text in texts if re.search(pattern, text, re.IGNORECASE)]
        for pattern in (any_of(place), every_pattern(place))
    )
    assert in_common == expected
    assert place not in ("questions.patterns.gist", "polarity.negations") or 0 < len(expected) < len(texts)


def outside_brackets(pattern: str) -> str:
    """What of a pattern stands in no brackets."""
    left = re.sub(r"\\.|\[\^?.[^\]]*\]", "", pattern)
    while (inner := re.sub(r"\([^()]*\)", "", left)) != left:
        left = inner
    return left


def questions(name: str) -> list[str]:
    return list(strings(json.loads((FILES / "questions" / f"{name}.json").read_text("utf-8"))))


@pytest.mark.parametrize("code", CODES)
def test_a_list_names_a_word_once(code: str) -> None:
    text = (FOLDER / f"{code}.toml").read_text("utf-8")
    for place in places(tomllib.loads(text)):
        known = entry(place, code)
        if isinstance(known, list) and all(isinstance(word, str) for word in known):
            twice = {word for word in known if known.count(word) > 1}
            assert not twice, place


def test_what_is_not_known_of_a_language_is_said_in_english() -> None:
    assert entry("phrases", "sv") is None
    assert phrase("phrases.page", "sv") == phrase("phrases.page", "en") == "page"
    assert language("xx") == {}


@pytest.mark.parametrize("code", ANSWERED)
def test_users_read_no_word_that_is_ours_alone(code: str) -> None:
    read = " ".join(strings(entry("phrases", code))).casefold()
    assert not re.search(r"\b(extractive|reader|verifier|embedder|chunk|provider|target)\b", read)
