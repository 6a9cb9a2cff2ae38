"""Which of a file's own properties are sensible: templates fill in much that says nothing of a document."""

import re
from functools import cache
from pathlib import PurePath

from docqa.formats.properties import Properties
from docqa.languages import every_pattern
from docqa.text.words import fold

_PROGRAM = re.compile(r"^microsoft (?:office )?(?:word|powerpoint|excel)(?: document)? ?-? ?", re.IGNORECASE)
_FILE = re.compile(
    r"\.(?:docx?|pptx?|xlsx?|pdf|indd|qxd|p65|fm|dvi|tex|rtf|odt|odp|txt|html?|xml|dot|cdr|ai)$", re.IGNORECASE
)
_EARLIEST = "1450"  # a year; clocks that were never set give others


def sensible(properties: Properties, name: str) -> Properties:
    """The same without what comes from a program, a template or a login; `name` is the file's."""
    return Properties(_title(properties.title, name), _author(properties.author), _date(properties.date))


def _title(text: str, name: str) -> str:
    """A title has two words at least; one is more often a template's or a job's."""
    text = _PROGRAM.sub("", text).strip(" -")
    if _FILE.search(text) or _is_placeholder("titles", text) or fold(text) in (fold(name), fold(PurePath(name).stem)):
        return ""
    if "_" in text:  # the name of a file or a job
        return ""
    letters = sum(map(str.isalpha, text))
    return text if letters >= 4 and 2 * letters >= len(text) and (" " in text or not text.isascii()) else ""


def _author(text: str) -> str:
    """Of one word only where it is written as a name is; logins are not."""
    names = [name.strip() for name in re.split(r"[;,]", text)]
    plausible = [name for name in names if _is_name(name)]
    return ", ".join(plausible) if len(plausible) == len([name for name in names if name]) else ""


def _is_name(text: str) -> bool:
    if not text or any(map(str.isdigit, text)) or _is_placeholder("authors", text) or "@" in text or "\\" in text:
        return False
    return not text.isascii() or " " in text or text.isupper() or text.istitle()


def _date(text: str) -> str:
    return text if text >= _EARLIEST and not text.startswith(("1601", "1970-01-01", "1980-01-01")) else ""


def _is_placeholder(what: str, text: str) -> bool:
    return bool(_placeholders(what).fullmatch(text))


@cache
def _placeholders(what: str) -> re.Pattern[str]:
    return re.compile(every_pattern(f"text.placeholders.{what}"), re.IGNORECASE)
