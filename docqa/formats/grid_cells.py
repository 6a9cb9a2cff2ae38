"""What stands in the cells of a table: numbers, years, currency signs, footnote marks, and what numbers are in."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from docqa.languages import every, every_pattern, every_word
from docqa.text.values import decimal_marks

DIGITS = re.compile(r"\d(?:[\d.,'’ \u00a0\u202f]*\d)?")  # of one number, with its marks and spaces
_SIGN_AT_END = re.compile(r"(?:^|(?<=[\d)%—–-])\s+)(?:US|CA|A)?[$€£¥]$")
_FOOTNOTE = re.compile(r"(?<=[^\s(\d])\s?(?:\((?:\d|[a-z])\)|[*†‡¹²³⁴⁵⁶⁷⁸⁹]+)(?:,\s?\(\d\))*$")
_UNIT_AT_END = re.compile(r"(?<=\w)\s?\([ghlmst]\)$")
_TO = rf"(?:[-–—~〜]|{every_pattern('questions.patterns.range_to')})"
_NUMBER = re.compile(
    r"[\s~≈<>(+±−–—-]*(?:[A-Z]{0,3}[$€£¥₹]|(?:EUR|USD|GBP|CHF) )?\s*[(−–-]?\d[\d.,'’ \u00a0\u202f]*\s*[%)]*"
    rf"(?:{_TO}\s?\d[\d.,]*\s*%?)?"
    r"(?:\s?(?:(?P<unit>[^\W\d_]{1,8})\.?[²³]?|[€$£¥₹])(?:/\s?[^\W\d_]{1,8}[²³]?)?)?[%)*†]*"
)
_GLUED = re.compile(rf"(?<=\d)\s?({every_pattern('questions.patterns.range_to')})\s?(?=\d)")
MONTHS = frozenset(
    name
    for place in ("text.months", "text.short_months")
    for months in every(place).values()
    for forms in months
    for name in forms.split("|")
)
_DASH = re.compile(r"[$€£\s]*[-–—][\s%]*")
_YEAR = re.compile(r"(?:(?:FY|CY|Q[1-4]|H[12])\s?)?['’]?(?:19|20)\d\d(?:\s?[-–/]\s?(?:\d\d){1,2})?[A-Z*]?")
_OF_YEAR = re.compile(r"(?:199\d|20[0-4]\d)(?<!2000) [^\W\d_]")
_FIGURE = re.compile(r"[(−–-]?\s?[$€£]?\s?[(−–-]?\d[\d.,]*\s?[)%]*|(?<!\S)[-–—](?!\S)")
LEAST_SPLIT = 0.6  # of the cells with digits in a column
_DATE_AT_END = re.compile(
    r"(?:(?:" + "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True)) + r")\.? \d{1,2},? )?(?:19|20)\d\d$"
    r"|\d{1,2}\.? (?:" + "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True)) + r") (?:19|20)\d\d$",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"(?:(?:" + "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True)) + r")\.? \d{1,2},? )?(?:19|20)\d\d"
    r"|\d{1,2}\.? (?:" + "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True)) + r") (?:19|20)\d\d",
    re.IGNORECASE,
)
_SCALES = "|".join(
    sorted(
        {re.escape(word) for scales in every("text.scales").values() for words in scales.values() for word in words},
        key=len,
        reverse=True,
    )
)
_SCALE = re.compile(
    rf"\b(?:in|en|em|auf|w)\s+(?:[^\W\d_]{{2,8}}\.?\s+|[$€£¥]\s?){{0,3}}(?P<plain>(?:{_SCALES})s?)\b"
    rf"|[(（]\s*(?:[A-Z$€£¥]+\s*)?(?P<bracket>(?:{_SCALES})s?)(?:\s+[A-Z$€£¥]+)?\s*[,)）]|[$€£]\s?['’]?000s?\b",
    re.IGNORECASE,
)
_MARKED = re.compile(r"\d[\d.,]*\d")
CURRENCY = re.compile(r"\b(?:EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN)\b|(?:US|CA|A)?[$€£¥₹]")


def is_number(cell: str) -> bool:
    """Whether a cell holds a number with its unit, or a dash for nothing; not a year, which heads a column, alone or
    with a word that is no unit: 2024 actual."""
    if _YEAR.fullmatch(cell):
        return False
    match = _NUMBER.fullmatch(cell)
    if match and match["unit"] and _OF_YEAR.match(cell) and match["unit"].casefold() not in every_word("tables.units"):
        return False
    return bool(_DASH.fullmatch(cell)) or (match is not None and (match["unit"] or "").casefold() not in MONTHS)


def decimal_mark(columns: Iterable[Sequence[str]]) -> str:
    """The decimal mark of the numbers in columns, by those that can have one only; where none can, a point groups the
    digits of money, and those of numbers beside which others have none: 3.240 € and 980."""
    sure: Counter[str] = Counter()
    groups = False
    for column in columns:
        runs = [(run, decimal_marks(run), cell) for cell in column for run in _MARKED.findall(cell)]
        sure.update(mark for _, marks, _ in runs for mark in marks if len(marks) == 1)
        with_point = [cell for run, marks, cell in runs if len(marks) == 2 and "." in run]
        is_whole = any(run.isdecimal() and len(run) < 4 for run, _, _ in runs)
        groups = groups or bool(with_point) and (is_whole or any(map(CURRENCY.search, with_point)))
    return "," if sure[","] > sure["."] or not sure and groups else "."


def spaced_range(cell: str) -> str:
    """A range of numbers with its word apart, which a scan may have glued to them: 1 to 2 for "1 to2"."""
    return _GLUED.sub(r" \1 ", cell)


def is_year(cell: str) -> bool:
    """Whether a cell is a year, or a quarter or half of one."""
    return bool(_YEAR.fullmatch(cell))


def with_currency(cells: list[str]) -> list[str]:
    """The cells with each currency sign at the number that it stands before, which may be in the next cell."""
    if len(cells) > 1 and _SIGN_AT_END.search(next((cell for cell in reversed(cells) if cell), "")):
        return cells  # 5 €: the sign stands after its number
    carried = ""
    moved = []
    for place, cell in enumerate(cells):
        sign = _SIGN_AT_END.search(cell) if place else None
        if sign and not any(map(str.isdigit, next(filter(None, cells[place + 1 :]), ""))):
            sign = None  # 380 € | included: no number stands behind it
        text = cell[: sign.start()].strip() if sign else cell
        if carried and text and text[0] not in "$€£¥":
            text, carried = f"{carried}{'' if len(carried) == 1 else ' '}{text}", ""
        moved.append(text)
        carried = sign.group().strip() if sign else carried
    return moved


def split_numbers(rows: list[list[str]], columns: tuple[str, ...]) -> tuple[list[list[str]], tuple[str, ...]]:
    """The rows and headings with a column of several numbers a cell made into as many columns: a PDF may hold the
    figures of a line as one text. Its heading is parted where it has as many dates."""
    for place in range(len(columns) - 1, 0, -1):
        parts = [figures_of(row[place]) for row in rows]
        counts = Counter(len(figures) for figures in parts if figures)
        filled = sum(any(map(str.isdigit, row[place])) for row in rows)
        if not counts:
            continue
        size, often = counts.most_common(1)[0]
        if size == 2 and _are_ranges([figures for figures in parts if len(figures) == 2]):
            continue
        if size < 2 or often < LEAST_SPLIT * filled:
            continue
        headings = _parted_heading(columns[place], size)
        columns = (*columns[:place], *headings, *columns[place + 1 :])
        rows = [
            [*row[:place], *(figures if len(figures) == size else [row[place], *[""] * (size - 1)]), *row[place + 1 :]]
            for row, figures in zip(rows, parts, strict=True)
        ]
    return rows, columns


def _are_ranges(pairs: Sequence[Sequence[str]]) -> bool:
    """Whether pairs of numbers are mostly ranges: a dash stands before the second of each, which is the larger one."""
    dashed = all(last[:1] in "-–—" and not first[:1] in "-–—(" for first, last in pairs)
    rising = sum(_plain(last) > _plain(first) for first, last in pairs)
    return dashed and 3 * rising >= 2 * len(pairs)


def _plain(figure: str) -> tuple[int, str]:
    """The digits of a number with as many decimals as its like, by which these are put in order."""
    digits = "".join(filter(str.isdigit, figure)).lstrip("0")
    return len(digits), digits


def figures_of(cell: str) -> list[str]:
    """The numbers of a cell that holds several and nothing else, each with its sign; one of them must have a mark, a
    currency or a per cent sign, which a telephone number has not."""
    figures = [" ".join(match.group().split()) for match in _FIGURE.finditer(cell)]
    if len(figures) < 2 or "".join("".join(figures).split()) != "".join(cell.split()):
        return []
    return figures if any(char in figure for figure in figures for char in ".,$€£%") else []


def _parted_heading(heading: str, size: int) -> list[str]:
    """The heading of each of so many columns, by its dates; what stands before them belongs to all, or in two halves
    that end alike to one half of them each."""
    dates = [match.group() for match in _DATE.finditer(heading)]
    if len(dates) != size:
        return [heading] * size if not dates else [""] * size
    before = heading[: heading.index(dates[0])].split()
    half = len(before) // 2
    if size % 2 == 0 and half and len(before) % 2 == 0 and before[half - 1] == before[-1]:
        firsts = [" ".join(before[:half])] * (size // 2) + [" ".join(before[half:])] * (size // 2)
    else:
        firsts = [" ".join(before)] * size
    return [f"{first} {date}".strip() for first, date in zip(firsts, dates, strict=True)]


def spread_dates(columns: list[str]) -> tuple[str, ...]:
    """The headings, with what stands before the first of several dates or years before each of them: Three months ended
    July 2023, July 2022."""
    before = ""
    for place, heading in enumerate(columns):
        date = _DATE_AT_END.search(heading)
        own = heading[: date.start()].strip() if date else heading
        if date and own:
            before = own
        elif date and before and place:
            columns[place] = f"{before} {heading}"
        else:
            before = ""
    return tuple(columns)


def scale_of(text: str) -> str:
    """What numbers are in, with the currency if it is said there: "millions", "$ millions", "thousand EUR"."""
    match = _SCALE.search(text)
    if match is None:
        return ""
    scale = (match["plain"] or match["bracket"] or "thousand").casefold()
    around = text[max(0, match.start() - 6) : match.end() + 8]
    currency = CURRENCY.search(around)
    return f"{currency.group()} {scale}" if currency else scale


def clean_label(text: str, *, has_notes: bool = True) -> str:
    """A label without footnote marks and a trailing colon. A letter in brackets that is a unit too, (l) or (g), is such
    a mark only where the table `has_notes` with letters."""
    text = " ".join(text.split())
    if not has_notes and _UNIT_AT_END.search(text):
        return text
    return _FOOTNOTE.sub("", text).rstrip(" :.…") or text.strip()


def are_numbers_of_rows(labels: Sequence[str]) -> bool:
    """Whether the labels only number their rows: 1, 2, 3, in each group of them anew; sums between them have none."""
    numbers = [label.rstrip(".") for label in labels if label]
    if not all(map(str.isdecimal, numbers)):
        return False
    steps = [int(after) - int(before) for before, after in pairwise(numbers)]
    goes_on = (step == 1 or after == "1" for step, after in zip(steps, numbers[1:], strict=True))
    return 2 * steps.count(1) >= len(steps) > 0 and all(goes_on)
