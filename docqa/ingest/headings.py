"""Headings inside a text whose reader did not mark them, and what a section is by its title: a summary, a conclusion,
or what only leads elsewhere."""

import re
from functools import cache

from docqa.languages import every_pattern

LONGEST_HEADING = 10  # words
SHORTEST_SENTENCE = 5  # words
FULL_LINE = 0.75  # of the longest line: a shorter one, before a capital, was ended on purpose
_ROLES = {"summary": "summary_titles", "closing": "closing_titles", "skipped": "skipped_titles"}
_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[IVX]+\.?|[A-Z]\.)\s+")
_CLAUSE = re.compile(r"\d{1,2}(?:\.\d{1,2})+\.?\s+(?=[^\W\d_a-z])")  # "3.2 The rent may be reviewed"
_NO_END = ".!?…,;:。！？，；：-–—"


def role_of(title: str) -> str:
    """`summary`, `closing` or `skipped`, by the usual titles of such sections; "" for any other."""
    bare = _NUMBER.sub("", " ".join(title.split())).strip(" .:：—–-")
    return next((role for role in _ROLES if _titles(role).fullmatch(bare)), "")


def after_headings(text: str, start: int, end: int, title: str) -> tuple[int, str | None]:
    """(where the sentence text[start:end] begins behind the headings before it, the last of these, None without one).

    `title` is that of its section. A span that is all heading begins at its end.
    """
    heading = None
    if title and text.startswith(title, start, end) and not text[start + len(title) : end].lstrip()[:1].islower():
        heading, start = title, _skipped(text, start + len(title), end)
    before = text[text.rfind("\n", 0, start) + 1 : start]
    at_line_start = heading is not None or bool(_NUMBER.fullmatch(before)) or not before.strip()
    if number := _CLAUSE.match(text, start, end):
        start = number.end()
    while start < end:
        stop = text.find("\n", start, end)
        line = text[start : stop if stop >= 0 else end]
        if inline := _inline().match(line):
            return _skipped(text, start + inline.end(), end), inline["title"]
        following = text[stop:end].lstrip() if stop >= 0 else ""
        # A sentence that begins within a line has no heading before it.
        if not at_line_start or not is_heading(line, following, _width(text)):
            break
        heading, start = line, _skipped(text, start + len(line), end)
    return start, heading


def is_heading(line: str, following: str, width: int) -> bool:
    """Whether a line stands above a text: short, without an end, before a line that begins anew."""
    words = line.split()
    if not 1 <= len(words) <= LONGEST_HEADING or line.rstrip()[-1] in _NO_END or "\t" in line or " | " in line:
        return False
    if line.lstrip()[0].islower() or not any(map(str.isalpha, line)):
        return False
    return not following or len(line) < FULL_LINE * width and not (following[0].islower() or following[0] in "(&")


def _width(text: str) -> int:
    return max(map(len, text.splitlines()))


def _skipped(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


@cache
def _titles(role: str) -> re.Pattern[str]:
    """As they stand, or with the spaces lost that PDFs lose in headings."""
    return re.compile(every_pattern(f"text.{_ROLES[role]}").replace(" ", " ?"), re.IGNORECASE)


@cache
def _inline() -> re.Pattern[str]:
    """A summary's title in the line of its first sentence: "Abstract—We show"."""
    return re.compile(rf"(?P<title>(?i:{every_pattern('text.summary_titles')}))\s*[—–:.]\s*(?=[^\W\d_a-z])")
