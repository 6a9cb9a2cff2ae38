"""What the terms of a question stand for: it asks for the ROE, the report has net income and shareholders' equity.

The entries stand in the languages' files. Whether the documents use the expanded words is found out by the search,
which applies only what they use.
"""

import re
from dataclasses import dataclass
from functools import cache

from docqa.languages import entry


@dataclass(frozen=True)
class Expansion:
    """A term as the question writes it, and the phrases it stands for; `is_name`: each of them is a name of the same
    thing, and not of what it is made up of."""

    term: str
    means: tuple[str, ...]
    is_name: bool = False


@cache
def _entries(language: str) -> tuple[tuple[re.Pattern[str], tuple[str, ...], bool], ...]:
    return tuple(
        (
            re.compile(rf"(?<!\w)(?:{'|'.join(map(_spelt, known['terms']))})(?!\w)"),
            tuple(known["means"]),
            known.get("names", False),
        )
        for known in entry("questions.expansions", language) or ()
    )


def _spelt(term: str) -> str:
    """ROE is an acronym and Roe a name: a term with capitals is matched as it is, another in any case."""
    return term if any(map(str.isupper, term)) else f"(?i:{term})"


def expansions(question: str, language: str) -> tuple[Expansion, ...]:
    """The terms of the question that have an entry in its language, in the order of the entries."""
    return tuple(
        Expansion(match[0], means, is_name)
        for pattern, means, is_name in _entries(language)
        if (match := pattern.search(question))
    )
