"""Spans of time that a question names, in digits or in words: 90 minutes, an hour and a half, anderthalb Stunden."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise

from docqa.languages import entry, every, words
from docqa.tables.words import codes_of, is_small
from docqa.text.keys import key
from docqa.text.values import decimal_marks, in_words, number

LONGEST_TIME = 6  # tokens
_MINUTES = {"s": 1 / 60, "min": 1, "h": 60, "d": 24 * 60}  # by the codes of units


def minutes_of_unit(name: str) -> float | None:
    """How many minutes a unit of time is, by its code or by what any language calls it; None for other units."""
    return _units_of_time().get(key(name))


def minutes_at(run: Sequence[str], language: str) -> float | None:
    """How many minutes the time is that these tokens name and nothing else; None where they name none.

    Number, article or fraction come before their unit; a fraction after it is of that unit.
    """
    names = {name: _MINUTES[code] for name, code in codes_of("unit_names", language).items() if code in _MINUTES}
    fractions, articles = _fractions(language), words("evaluation.articles", language)
    joining = words("text.conjunctions", language)
    if not set(run) & {*names, *_MINUTES} or run[0] in joining or run[-1] in joining or run[-1] in articles:
        return None
    total, unit, amount, has_article = 0.0, 0.0, 0.0, False
    for before, token in pairwise(["", *run]):
        codes = _MINUTES if before.replace(".", "").isdecimal() else {}  # 2 h, but un quart d'heure
        if fraction := fractions.get(token):
            if unit and not amount:
                total += fraction * unit
            else:
                amount += fraction
        elif own := names.get(token) or codes.get(token):
            if not amount and (not has_article or unit):
                return None
            total, unit, amount, has_article = total + (amount or 1) * own, own, 0.0, False
        elif token in articles:
            has_article = True
        elif count := _number(token, language):
            if has_article or amount:  # over the two hours; between 2 and 3 hours
                return None
            amount = count
        elif token not in joining and not (0 < amount < 1 and is_small(token, language)):  # a quarter of an hour
            return None
    return total if unit and not amount else None


def _number(token: str, language: str) -> float | None:
    if marks := decimal_marks(token):
        usual = entry("decimal_mark", language)
        return float(number(token, usual if usual in marks else min(marks)))
    return in_words(token, language)


@cache
def _fractions(language: str) -> Mapping[str, float]:
    known = {**(entry("tables.fractions", "en") or {}), **(entry("tables.fractions", language) or {})}
    return {key(name): float(value) for value, names in known.items() for name in names}


@cache
def _units_of_time() -> Mapping[str, float]:
    named = {
        key(name): _MINUTES[code]
        for units in every("tables.unit_names").values()
        for code, names in units.items()
        if code in _MINUTES
        for name in names
    }
    return named | _MINUTES
