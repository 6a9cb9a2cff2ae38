"""Periods that a question names: a day, a month, a quarter, a half year, a year, a day of the week."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from docqa.languages import entry, every_word
from docqa.store.table_plan import Filter, Operator
from docqa.store.table_plan import Period as Part
from docqa.tables.words import weekdays
from docqa.text.keys import key
from docqa.text.values import date_places, dates, iso_date

LONGEST_DAY = 3  # tokens: 3 rd September
LEAP_YEAR = 2000
_DAY_AND_MONTH = re.compile(r"\d{1,2}\.\d{1,2}")


@dataclass(frozen=True)
class Period:
    """[start, end) as ISO 8601 writes them; or, of any year, the `value` of a part of dates."""

    start: str = ""
    end: str = ""
    part: Part | None = None
    value: str | int = ""

    def filters(self, place: int, word: str = "=") -> list[Filter]:
        """The conditions that the dates at `place` are within it, or before or after it."""
        if self.part:
            return [Filter(place, "=", (self.value,), self.part)]
        start, end = self.start, self.end
        # A date may only have its month, which is before the first day of it.
        while start.endswith("-01") and end.endswith("-01"):
            start, end = start.removesuffix("-01"), end.removesuffix("-01")
        bounds: dict[str, list[tuple[Operator, str]]] = {
            "=": [(">=", start), ("<", end)],
            "<": [("<", start)],
            "<=": [("<", end)],
            ">": [(">=", end)],
            ">=": [(">=", start)],
        }
        return [Filter(place, operator, (value,)) for operator, value in bounds[word]]


@cache
def _months(language: str) -> dict[str, int]:
    names: dict[str, int] = {}
    for code in dict.fromkeys(("en", language)):
        for place in ("text.short_months", "text.months"):
            for number, forms in enumerate(entry(place, code) or (), 1):
                names.update({key(form): number for form in forms.split("|")})
    return names


def _year(token: str) -> int | None:
    return int(token) if token.isdecimal() and len(token) == 4 and 1800 <= int(token) < 2200 else None


def period_at(tokens: Sequence[str], start: int, end: int, language: str) -> Period | None:
    """The period that these tokens name and nothing else; None where they name none."""
    run = tokens[start:end]
    year = _year(run[-1])
    own = run[:-1] if year and len(run) > 1 else run
    if len(run) == 1:
        if year:
            return _between(date(year, 1, 1), date(year + 1, 1, 1))
        if (day := weekdays(language).get(run[0])) is not None:
            return Period(part="weekday", value=str(day))
    if day_written := iso_date(" ".join(run), day_first=True):
        return _of_iso(day_written)
    if day_of_year := _day_of_year(run, language):
        return Period(part="day", value=day_of_year)
    if len(own) == 1 and (month := _months(language).get(own[0])) and (len(own[0]) > 2 or year):
        if own[0] in ("may", "mar", "sun") and not year and not _is_after_preposition(tokens, start):
            return None
        return _month(year, month)
    if quarter := _quarter(own, language):
        if not year:
            return Period(part="quarter", value=quarter)
        return _between(date(year, 3 * quarter - 2, 1), _first(year, 3 * quarter + 1))
    if year and len(own) == 2 and own[0] == "h" and own[1] in ("1", "2"):
        half = int(own[1])
        return _between(date(year, 6 * half - 5, 1), _first(year, 6 * half + 1))
    return None


def _day_of_year(run: Sequence[str], language: str) -> str:
    """Month and day, where the tokens are both and no year: 4 November, or 4.11. where a comma parts decimals."""
    if len(run) > LONGEST_DAY or not any(token[0].isdecimal() for token in run):
        return ""
    if len(run) == 1:
        is_day = entry("decimal_mark", language) == "," and _DAY_AND_MONTH.fullmatch(run[0])
        return (iso_date(f"{run[0]}.{LEAP_YEAR}", day_first=True) or "")[5:] if is_day else ""
    endings = every_word("text.ordinal_endings")
    known = [token for at, token in enumerate(run) if not (at and run[at - 1].isdecimal() and token in endings)]
    phrase = " ".join(known)
    days = [f"{each.month:02}-{each.day:02}" for [each] in dates(phrase) if each.day and not each.year]
    return days[0] if days and date_places(phrase) == [(0, len(phrase))] else ""


def _is_after_preposition(tokens: Sequence[str], start: int) -> bool:
    return start > 0 and tokens[start - 1] in ("in", "during", "for", "since", "until", "before", "after", "from", "to")


def _quarter(own: Sequence[str], language: str) -> int:
    if len(own) != 2:
        return 0
    if own[0] == "q":  # a letter and a digit are two tokens
        return int(own[1]) if own[1] in ("1", "2", "3", "4") else 0
    quarters = {key(word) for code in ("en", language) for word in entry("tables.quarter", code) or ()}
    ordinals = entry("questions.patterns.ordinals", language) or () if own[1] in quarters else ()
    return next((at for at, forms in enumerate(ordinals[:4], 1) if re.fullmatch(forms, own[0])), 0)


def _month(year: int | None, month: int) -> Period:
    if year is None:
        return Period(part="month", value=f"{month:02}")
    return _between(date(year, month, 1), _first(year, month + 1))


def _of_iso(written: str) -> Period:
    parts = [int(part) for part in written[:10].split("-")]
    if len(parts) == 2:
        return _month(parts[0], parts[1])
    day = date(*parts)
    return _between(day, day + timedelta(1))


def _first(year: int, month: int) -> date:
    return date(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)


def _between(start: date, end: date) -> Period:
    return Period(start.isoformat(), end.isoformat())
