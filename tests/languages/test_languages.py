"""Each language file says what it has, and names what it lacks beside English."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from docqa.languages import CODES, FOLDER, entry, language, phrase

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
