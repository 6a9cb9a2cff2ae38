"""What differs by language, as data: one TOML file a language, named by its ISO 639-1 code.

Measured beside Babel 2.17, which takes 33 MB: the names of months and the marks of numbers are the same wherever we
have them, but for the nominatives of Russian and Polish and two Hindi spellings, which were taken over. stopwordsiso
0.7.1 has nearly all of our function words among 134 to 1298 a language; of the 517 content words of
tests/files/questions it would drop 163, among them date, name, number, page, amount, interest and fire.

To add a language is to add a file; `tests/languages` says what each lacks beside English. Values are addressed by their
dotted place in the file: `phrase("phrases.page", "de")`. A list of patterns holds the alternatives of one.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from docqa import COMMAND
from docqa.languages.parsed import read_parsed

FOLDER = Path(__file__).parent
# Of a regular expression: a letter that must be there, or the edge of a word.
_BEGINNING = re.compile(r"\\b|[^\W\d_](?![?*+{])")
CODES = tuple(sorted((path.stem for path in FOLDER.glob("*.toml")), key=lambda code: (code != "en", code)))


@cache
def language(code: str) -> Mapping[str, Any]:
    """All that is known of one language; nothing of one that has no file. Thread-safe, a millisecond at first."""
    if code not in CODES:
        return {}
    path = FOLDER / f"{code}.toml"
    # What is told to be typed is what can be typed here.
    text = path.read_text("utf-8").replace("python run.py", COMMAND)
    return read_parsed(path, text)


def entry(place: str, code: str) -> Any:
    """What stands at a dotted place of a language; None where nothing does."""
    node: Any = language(code)
    for part in place.split("."):
        node = node.get(part) if isinstance(node, Mapping) else None
    return node


def phrase(place: str, code: str) -> str:
    """A text in this language, in English where there is no other."""
    text = entry(place, code) or entry(place, "en")
    assert isinstance(text, str), f"{place} is no phrase"
    return text


@cache
def words(place: str, code: str) -> frozenset[str]:
    """The words of a list in this language; none where it has no such list."""
    return frozenset(entry(place, code) or ())


@cache
def pattern(place: str, code: str) -> str:
    """A regular expression that takes any alternative of a list in this language; "" where it has no such list."""
    return "|".join(entry(place, code) or ())


@cache
def every(place: str) -> Mapping[str, Any]:
    """What stands at a place in each language that has it, English first."""
    return {code: known for code in CODES if (known := entry(place, code)) is not None}


@cache
def every_word(place: str) -> frozenset[str]:
    """The words of a list in all languages together."""
    return frozenset(word for known in every(place).values() for word in known)


@cache
def every_pattern(place: str) -> str:
    """A regular expression that takes any alternative of a list in any language."""
    return "|".join(alternative for known in every(place).values() for alternative in known)


@cache
def any_of(place: str) -> str:
    """As `every_pattern`, for whether something is found, and not how far it reaches: what begins with the same letters
    is one alternative, so that at most places of a text few are tried."""
    return _by_beginning([alternative for known in every(place).values() for alternative in known])


def _by_beginning(alternatives: Iterable[str]) -> str:
    rests: dict[str, list[str]] = {}
    for alternative in alternatives:
        begins = _BEGINNING.match(alternative)
        beginning = begins[0] if begins else ""
        rests.setdefault(beginning, []).append(alternative.removeprefix(beginning))
    return "|".join(
        beginning + (f"(?:{_by_beginning(rest)})" if beginning and len(rest) > 1 else "|".join(rest))
        for beginning, rest in rests.items()
    )


# The API's name of each language → its code; "" is the language of the question.
BY_API_NAME: Mapping[str, str] = {"DEFAULT": ""} | {
    name: code for code, names in every("api_names").items() for name in names
}
