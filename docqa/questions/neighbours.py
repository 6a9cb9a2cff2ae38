"""A follow-up that asks for the neighbour of what was asked: "and the year before?" after "How much in 2015?"."""

import re
from collections.abc import Sequence
from functools import cache

from docqa.languages import entry, pattern
from docqa.questions.wording import WORD, unspaced, unspaced_pattern
from docqa.text.values import dates

_NUMBER = re.compile(r"(?<![\d.,])\d{1,4}(?![.,]?\d)")
_STEP = re.compile(r"[2-9]|[1-9]\d")
_STEPS = {"preceding": -1, "succeeding": 1}


def neighbour(previous: str, fragment: str, language: str) -> str:
    """The previous question with its last number as much lower or higher as the fragment asks.

    "" where it does not ask for a neighbour, or the question names a day, whose neighbour may be in another month.
    """
    fragment, count = _counted(fragment, language)
    step = count * next((step for name, step in _STEPS.items() if _names(name, fragment, language)), 0)
    numbers = list(_NUMBER.finditer(previous))
    if not step or not numbers or any(day for readings in dates(previous) for _, _, day in readings):
        return ""
    last = numbers[-1]
    moved = int(last[0]) + step
    return f"{previous[: last.start()]}{moved:0{len(last[0])}d}{previous[last.end() :]}" if moved >= 0 else ""


def asks_for_neighbour(fragment: str, language: str) -> bool:
    """Whether the fragment asks for what comes before or after, be it known after what or not: "and last year?"."""
    return any(_names(name, _counted(fragment, language)[0], language) for name in _STEPS)


def _counted(fragment: str, language: str) -> tuple[str, int]:
    """A fragment that names how many steps away its neighbour is, "three years later", as if it were one; and how
    many."""
    numbers: Sequence[str] = () if unspaced(fragment) else entry("text.numbers", language) or ()
    for word in WORD.finditer(fragment):
        count = int(word[0]) if _STEP.fullmatch(word[0]) else 1
        if (written := word[0].casefold()) in numbers:
            count = numbers.index(written) + 1
        if count > 1:
            return fragment[: word.start()] + numbers[0] + fragment[word.end() :], count
    return fragment, 1


def _names(name: str, fragment: str, language: str) -> bool:
    bare = fragment.strip(" \t\n?¿!.؟,？。、")
    return bool((_unspaced(name) if unspaced(fragment) else _spaced(name, language)).fullmatch(bare))


@cache
def _spaced(name: str, language: str) -> re.Pattern[str]:
    return re.compile(pattern(f"questions.patterns.{name}", language) or "(?!)", re.IGNORECASE)


@cache
def _unspaced(name: str) -> re.Pattern[str]:
    return re.compile(f"(?:{unspaced_pattern(name).pattern})(?:呢|是?什么|は|はどうですか)?")
