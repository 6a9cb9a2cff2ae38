"""What is no question about documents: greetings, thanks, what can be done here, and work for a language model."""

import re
from functools import cache, lru_cache
from typing import Literal

from docqa.languages import every, pattern, words
from docqa.questions.wording import WORD, points_to_conversation, unspaced, unspaced_codes, unspaced_pattern

LONGEST = 160  # characters; what is longer says something
Talk = Literal["greeting", "thanks", "capabilities"]
_TALKS: tuple[Talk, ...] = ("capabilities", "thanks", "greeting")  # the most telling first
_CLAUSE = re.compile("[，,；;。：:]")
_ASKING = ("person", "time", "place", "reason", "thing")


@lru_cache(maxsize=16)  # asked several times while one question is understood
def small_talk(text: str, language: str = "") -> tuple[Talk, str] | None:
    """(what a text says, the language it says that in) where it is nothing but small talk, else None.

    A few words do not tell their language: the given one is tried first, then English, then all others.
    """
    if len(text) > LONGEST:
        return None
    for code in dict.fromkeys((language, *every("questions.patterns.greeting"))):
        if code and _whole(code).fullmatch(text):
            return next(talk for talk in _TALKS if _part(talk, code).search(text)), code
    return None


def points_to_passages(text: str, language: str) -> bool:
    """Whether what could ask for what can be done here points to what was said before, and speaks to nobody: "How
    does this work?". Without words for whom it speaks to, a language cannot tell."""
    addressing = words("questions.words.addressing", language)
    own = {word.casefold() for word in WORD.findall(text)}
    return bool(addressing) and own.isdisjoint(addressing) and points_to_conversation(text, language)


def is_work(text: str, language: str) -> bool:
    """Whether something is to be written, translated or made up, which takes a language model; who once did so may be
    asked."""
    orders = filter(None, (_work(code).search(text) for code in dict.fromkeys((language, "en"))))
    return any(not _asks(text, order.start(), order.end()) for order in orders)


def _asks(text: str, start: int, end: int) -> bool:
    """Whether the clause around `text[start:end]` asks who, when, where, why or what: it is then no order. Where words
    are not separated an order is looked for anywhere."""
    before, after = _CLAUSE.split(text[:start])[-1], _CLAUSE.split(text[end:])[0]
    clause = before + text[start:end] + after
    return unspaced(clause) and any(unspaced_pattern(name).search(clause) for name in _ASKING)


def _separates(code: str) -> bool:
    """Whether the language separates its words; the particles of Korean stick to them."""
    return code not in (*unspaced_codes(), "ko")


@cache
def _part(name: str, code: str) -> re.Pattern[str]:
    alternatives = pattern(f"questions.patterns.{name}", code)
    before, after = (r"(?<!\w)", r"(?!\w)") if _separates(code) else ("", "")
    return re.compile(f"{before}(?:{alternatives}){after}" if alternatives else "(?!)", re.IGNORECASE)


@cache
def _whole(code: str) -> re.Pattern[str]:
    """A text of one or more of these, and of courtesies around them."""
    talks = "|".join(_part(talk, code).pattern for talk in _TALKS)
    courtesy = _part("courtesy", code).pattern
    return re.compile(rf"(?=.*(?:{talks}))\W*(?:(?:{talks}|{courtesy})\W*)+", re.IGNORECASE | re.DOTALL)


@cache
def _work(code: str) -> re.Pattern[str]:
    alternatives = pattern("questions.patterns.work", code)
    if not alternatives or not _separates(code):
        return re.compile(alternatives or "(?!)", re.IGNORECASE)
    polite = pattern("questions.patterns.polite", code)
    before = rf"(?:(?:{polite})\W+)*" if polite else ""
    return re.compile(rf"\A\W*{before}(?:{alternatives})(?!\w)", re.IGNORECASE)
