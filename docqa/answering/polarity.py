"""Whether what a document says means yes or no to a question that asks whether something is so.

The clause that is about what the question asks decides: by its negations, against those of the question, and by its
numbers. It knows words, not the world: that a terrace is outdoors it does not know.
"""

import re
from decimal import Decimal
from functools import cache

from docqa.languages import pattern
from docqa.questions.question import Part
from docqa.text.facts import Claims
from docqa.text.words import is_dense, terms

_MARKS = r"[,;:()–—。，；：、]|\s-\s"


def is_affirmed(part: Part, said: str, language: str) -> bool | None:
    """Whether the text `said`, in `language`, affirms what `part` asks; None where the language's negations are not
    known, or nothing of it is about the question.

    A negated question ("is it not allowed?") is taken as people mean it: yes to what is asked without the negation.
    """
    if not pattern("polarity.negations", language):
        return None
    clause = _clause_about(part, said, language)
    if clause is None:
        return None
    if _negations(language).search(clause):
        return False
    return not _states_other_numbers(part, said, language)


def _clause_about(part: Part, said: str, language: str) -> str | None:
    """The clause with most of what the question asks; of equals the first."""
    sought = {term for word in part.content for term in terms(word)}
    clauses = [clause for clause in _breaks(language).split(said) if clause.strip()]
    shared = [len(sought.intersection(terms(clause))) for clause in clauses]
    if not clauses or not max(shared):
        return said if clauses else None
    return clauses[shared.index(max(shared))]


def _states_other_numbers(part: Part, said: str, language: str) -> bool:
    """Whether the question states numbers, the text states numbers, and they have none in common: "three days?" of "up
    to two days"."""
    expected = _values(part.claims)
    stated = _values(Claims.of(said, language))
    return bool(expected) and bool(stated) and expected.isdisjoint(stated)


def _values(claims: Claims) -> set[Decimal]:
    return set[Decimal]().union(*claims.numbers)


@cache
def _negations(language: str) -> re.Pattern[str]:
    return _compiled(pattern("polarity.negations", language))


@cache
def _breaks(language: str) -> re.Pattern[str]:
    """Where a clause ends: at a mark, or before a word such as "but"."""
    words = pattern("polarity.clause_breaks", language)
    return re.compile(f"{_MARKS}|{_bounded(words)}" if words else _MARKS, re.IGNORECASE)


def _compiled(alternatives: str) -> re.Pattern[str]:
    return re.compile(_bounded(alternatives), re.IGNORECASE)


def _bounded(alternatives: str) -> str:
    """Whole words, where the script has spaces between them."""
    return f"(?:{alternatives})" if is_dense(alternatives) else rf"(?<!\w)(?:{alternatives})(?!\w)"
