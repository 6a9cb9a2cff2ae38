"""The words of a language that deny, and what parts what is denied from what is not."""

import re
from functools import cache

from docqa.languages import entry, pattern
from docqa.text.words import is_dense

_MARKS = r"[;。；]"


@cache
def negations(language: str) -> re.Pattern[str]:
    """All words that deny; the `denials` are among them."""
    return _compiled(_words(language, "negations", "denials", "lacking"))


@cache
def denials(language: str) -> re.Pattern[str]:
    """Those that deny by themselves, as "forbidden" and "without" do, and are not added to what is said."""
    return _compiled(_words(language, "denials", "lacking"))


@cache
def lacking(language: str) -> re.Pattern[str]:
    """Words such as "without" with the three words after them, the first group: they deny these alone."""
    words = pattern("polarity.lacking", language)
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)((?:\W+\w+){{1,3}})" if words else "(?!)", re.IGNORECASE)


@cache
def asides(language: str) -> re.Pattern[str]:
    """Negations that deny nothing of the sentence: of a condition, of who is meant, "with or without"."""
    return _compiled(pattern("polarity.asides", language))


@cache
def only(language: str) -> re.Pattern[str]:
    """The words that deny whatever else: "only once", "only in May"."""
    return _compiled(pattern("polarity.only", language))


@cache
def numbered(place: str, language: str) -> tuple[re.Pattern[str], ...]:
    """The words for one, two and so on at a place of a language: the months, how often; none where it has none."""
    return tuple(_compiled(alternatives) for alternatives in entry(place, language) or ())


@cache
def breaks(language: str) -> re.Pattern[str]:
    """What parts a sentence: a semicolon, a word such as "but", what an exception begins with, or the comma before a
    few words that a negation ends: the telephone may be used at home, the laptop not."""
    words = _words(language, "clause_breaks", "exceptions")
    denying = pattern("polarity.negations", language)
    alternatives = [
        _MARKS,
        rf",(?=(?:\s+\w+){{1,3}}\s+(?:{denying})\W*$)" if denying else "",
        _bounded(words) if words else "",
    ]
    return re.compile("|".join(filter(None, alternatives)), re.IGNORECASE)


@cache
def exceptions(language: str) -> re.Pattern[str]:
    """What an exception begins with: "except", "apart from"; in no language where it ends with that."""
    return _compiled(pattern("polarity.exceptions", language))


def _words(language: str, *lists: str) -> str:
    return "|".join(filter(None, (pattern(f"polarity.{name}", language) for name in lists)))


def _compiled(alternatives: str) -> re.Pattern[str]:
    return re.compile(_bounded(alternatives) if alternatives else "(?!)", re.IGNORECASE)


def _bounded(alternatives: str) -> str:
    """Whole words, where the script has spaces between them."""
    return f"(?:{alternatives})" if is_dense(alternatives) else rf"(?<!\w)(?:{alternatives})(?!\w)"
