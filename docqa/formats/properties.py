"""What a file says of itself: its title, its author and its date, as its program stored them.

Whether that is sensible is not judged here: much of it comes from templates. `docqa/ingest/properties.py` does.
"""

import re
from dataclasses import dataclass
from datetime import datetime

_DAY = re.compile(r"(?:D:)?(\d{4})(?:-?(\d\d))?(?:-?(\d\d))?")
_LONGEST = 300  # characters


@dataclass(frozen=True)
class Properties:
    """Title, author (several are joined by commas) and the ISO 8601 date, each "" where the file names none."""

    title: str = ""
    author: str = ""
    date: str = ""

    @classmethod
    def of(cls, title: object, author: object, date: object) -> "Properties":
        """From what a library gives: texts, None, or a `datetime`; a date may also be a PDF's "D:20240131..."."""
        return cls(_line(title), _line(author), _iso(date))


def _line(value: object) -> str:
    return " ".join(str(value or "").partition("\0")[0].split())[:_LONGEST]


def _iso(value: object) -> str:
    """The day, or the month or year where no more is given."""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d}"
    match = _DAY.match(str(value or "").strip())
    return "-".join(part for part in match.groups() if part) if match else ""
