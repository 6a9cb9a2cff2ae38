"""Number formats of workbooks (ECMA-376 part 1, 18.8.31): how a stored number is shown.

Kept are decimals, per cent, the signs and units around the number, dates and times, which are written in ISO 8601.
Left out are thousands separators, colours, and other formats for negative numbers and zero.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from math import isfinite

from docqa.formats.sheets.cells import Cell, one_line

# The formats that a workbook need not write out (18.8.30). Those of a currency depend on the machine: no sign is given.
_TWO, _GROUPED = "0.00", "#,##0"
BUILT_IN = {
    0: "General",
    1: "0",
    2: _TWO,
    3: _GROUPED,
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    5: _GROUPED,
    6: _GROUPED,
    7: "#,##0.00",
    8: "#,##0.00",
    37: _GROUPED,
    38: _GROUPED,
    39: "#,##0.00",
    40: "#,##0.00",
    41: _GROUPED,
    42: _GROUPED,
    43: "#,##0.00",
    44: "#,##0.00",
    48: "##0.0E+0",
    49: "@",
    **dict.fromkeys((14, 15, *range(27, 32), 36, *range(50, 55), 57, 58), "yyyy-mm-dd"),
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm",
    19: "h:mm:ss",
    20: "h:mm",
    21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm",
    32: "h:mm",
    33: "h:mm:ss",
    34: "h:mm",
    35: "h:mm:ss",
    55: "yyyy-mm-dd",
    56: "yyyy-mm-dd",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss",
}
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_.|\*.|\[(?P<bracket>[^\]]*)\]|(?P<general>General)'
    r"|(?P<half>AM/PM|A/P|上午/下午)|(?P<power>E[+-])|(?P<end>;)|(?P<plain>.)",
    re.IGNORECASE | re.DOTALL,
)
_LAST_DAY = 2_958_466  # the day after 9999-12-31
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = re.compile(r"\w{3} \d{4}$|\d{4}-\d\d$")  # a month of a year, which is computed with as its first day
_MOST_DECIMALS = 10  # of a number whose format names none
_EXACT = 15  # digits that a float holds


@dataclass(frozen=True)
class NumberFormat:
    """How numbers are shown: `decimals` of them, None for as many as there are; what stands before and after.

    `date` are the letters of a format of dates or times, in order and in lower case, "" for any other.
    """

    decimals: int | None = None
    is_percent: bool = False
    before: str = ""
    after: str = ""
    date: str = ""
    is_duration: bool = False
    is_text: bool = False

    def cell(self, value: float, from_1904: bool) -> Cell:
        """What a cell with this number shows."""
        if self.is_duration:
            return _same(_duration(value))
        if self.date and 0 <= value < _LAST_DAY:
            shown = _moment(value, self.date, from_1904)
            return Cell(shown, _moment(value, "ymd", from_1904)) if _MONTH.match(shown) else _same(shown)
        if self.date:
            return _same(plain(value))
        scaled = value * 100 if self.is_percent else value
        return Cell(self._dressed(scaled, self.decimals), self._dressed(scaled, None, _EXACT))

    def _dressed(self, value: float, decimals: int | None, most: int = _MOST_DECIMALS) -> str:
        digits = plain(abs(value), decimals, most)
        sign = "-" if value < 0 and digits.strip("0.") else ""
        return f"{sign}{self.before}{digits}{self.after}"


GENERAL = NumberFormat()


@cache
def number_format(code: str) -> NumberFormat:
    """The format that a code such as `#,##0.00 [$€-407]` stands for, by its first section."""
    before, after, letters, decimals = "", "", "", 0
    has_digits = has_point = is_percent = is_duration = is_general = is_text = False
    for token in _TOKEN.finditer(code):
        if token["end"]:
            break
        literal = token["quoted"] or token["escaped"] or ""
        bracket, char = token["bracket"], token["plain"] or ""
        if bracket is not None and bracket.startswith("$"):
            literal = bracket[1:].partition("-")[0]
        elif bracket and not bracket.lower().strip("hms"):
            is_duration = True
        elif token["general"]:
            is_general = has_digits = True
        elif token["power"]:
            has_digits, is_general = True, True
        elif token["half"]:
            letters += "h"
        elif char in "0#?" and char:
            has_digits = True
            decimals += has_point
        elif char == ".":
            has_point = True
        elif char == "%":
            is_percent = True
        elif char == "@":
            is_text = True
        elif char == "/" and has_digits:
            is_general = True  # a fraction
        elif char.lower() in "ymdhsegba" and char:
            letters += char.lower()
        elif char and char not in ",()":
            literal = char
        if literal:
            before, after = (before, after + literal) if has_digits else (before + literal, after)
    if letters.strip("ga") and (not has_digits or has_point) and not is_general or is_duration:
        return NumberFormat(date=letters, is_duration=is_duration)
    if is_text or not (has_digits or is_percent):
        return NumberFormat(is_text=is_text)
    after = one_line(after)
    sign = "%" if is_percent else ""
    unit = f" {after}" if after[:1].isalnum() or after in ("€", "₽", "₪") else after
    if is_general and not (before or after or is_percent):
        return GENERAL
    return NumberFormat(
        None if is_general else decimals, is_percent, _spaced(one_line(before)), sign + (unit if after != "-" else "")
    )


def _spaced(before: str) -> str:
    before = before.strip("-")
    return f"{before} " if before[-1:].isalnum() or before.endswith((".", ":")) else before


def plain(value: float, decimals: int | None = None, most: int = _MOST_DECIMALS) -> str:
    """A number in digits, rounded as people do; without the noise of binary fractions where `decimals` is None."""
    if not isfinite(value):
        return ""
    text = f"{value:.{_EXACT}g}"
    if "e" not in text:
        size = len(text) - text.index(".") - 1 if "." in text else 0
        if decimals is None and size <= most:
            return text
        if decimals is not None and size <= decimals:
            return f"{text}{'' if '.' in text or not decimals else '.'}{'0' * (decimals - size)}"
    exact = Decimal(text)
    if decimals is not None:
        return f"{exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}" if abs(exact) < 10**15 else f"{exact}"
    if exact and abs(exact) < Decimal("1e-9") or abs(exact) >= 10**21:
        return f"{value:.{_EXACT}g}"
    if exact == exact.to_integral_value():
        return f"{exact.to_integral_value():f}"
    text = f"{exact.quantize(Decimal(1).scaleb(-most), ROUND_HALF_UP):f}" if most < _EXACT else f"{exact:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _same(text: str) -> Cell:
    return Cell(text, text)


def _duration(days: float) -> str:
    seconds = round(abs(days) * 86_400)
    hours, minutes, rest = seconds // 3_600, seconds // 60 % 60, seconds % 60
    return f"{'-' if days < 0 else ''}{hours}:{minutes:02}" + (f":{rest:02}" if rest else "")


def _moment(serial: float, letters: str, from_1904: bool) -> str:
    """A date, a time or both, by what the format shows; months alone as 2024-05 or, where it spells them, May 2024."""
    since_1900 = datetime(1899, 12, 31 if serial < 60 else 30)  # 1900 counts as a leap year (18.17.4.1)
    start = datetime(1904, 1, 1) if from_1904 else since_1900
    moment = start + timedelta(seconds=round(serial * 86_400))
    has_time = "h" in letters or "s" in letters
    # An m is a month unless hours or seconds stand beside it.
    dated = re.sub(r"h+m+|m+s+", "", letters) if has_time else letters
    time = f"{moment:%H:%M:%S}".removesuffix(":00") if has_time else ""
    if not set(dated) & set("ymdeg"):
        return time or f"{moment:%Y-%m-%d}"
    if "d" in dated or has_time:
        is_day_of_year = "y" in dated or "e" in dated or "m" in dated
        return f"{moment:%Y-%m-%d} {time}".strip() if is_day_of_year or has_time else _day(moment, dated)
    if "m" not in dated:
        return f"{moment:%Y}"
    name = _MONTHS[moment.month - 1]
    if "y" not in dated and "e" not in dated:
        return name if "mmm" in dated else str(moment.month)
    return f"{name} {moment:%Y}" if "mmm" in dated else f"{moment:%Y-%m}"


def _day(moment: datetime, letters: str) -> str:
    return f"{moment:%A}" if "ddd" in letters else str(moment.day)
