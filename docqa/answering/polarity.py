"""Whether what a document says means yes or no to a question that asks whether something is so.

What is about the question decides: by its negations, and by its numbers. It knows words, not the world: that a terrace
is outdoors it does not know.
"""

import re
from decimal import Decimal
from functools import cache

from docqa.languages import pattern
from docqa.models.reader import YesNo
from docqa.questions.question import Part
from docqa.text.sentences import sentences
from docqa.text.values import every_number
from docqa.text.words import is_dense, terms

_MARKS = r"[;。；]"


def is_affirmed(part: Part, said: str, language: str, reading: YesNo | None = None) -> bool | None:
    """Whether the text `said`, in `language`, affirms what `part` asks; None where the language's negations are not
    known, or nothing of it is about the question. The `reading` of a trained reader can deny what no word denies.

    A negated question ("is it not allowed?") is taken as people mean it: yes to what is asked without the negation.
    """
    if not pattern("polarity.negations", language):
        return None
    statement = _statement_about(part, said, language)
    if not statement:
        return None
    if _negations(language).search(_asides(language).sub(" ", statement)):
        return False
    if _states_other_numbers(part, statement, language):
        return False
    return reading is None or reading.no < max(0.0, reading.yes)


def is_negated(text: str, language: str) -> bool:
    """Whether a word denies something in the text; False where the language's negations are not known."""
    return bool(pattern("polarity.negations", language)) and bool(_negations(language).search(text))


def statements(text: str, language: str) -> list[str]:
    """The parts of a sentence that are affirmed or denied each by itself: before and after a word such as "but"."""
    return [piece for piece in _breaks(language).split(text) if piece and piece.strip()]


def _statement_about(part: Part, said: str, language: str) -> str:
    """The sentence, or the part of it before or after a word such as "but", with most of what the question asks; of
    equals the first."""
    sought = {term for word in part.content for term in terms(word)}
    statements = [
        piece
        for start, end in sentences(said)
        for piece in _breaks(language).split(said[start:end])
        if piece and piece.strip()
    ]
    return max(statements, key=lambda piece: len(sought.intersection(terms(piece))), default="")


def _states_other_numbers(part: Part, said: str, language: str) -> bool:
    """Whether the question states numbers, the text states numbers, and they have none in common: "three days?" of "up
    to two days"."""
    expected = set[Decimal]().union(*part.claims.numbers)
    stated = every_number([said], language)
    return bool(expected) and bool(stated) and expected.isdisjoint(stated)


@cache
def _negations(language: str) -> re.Pattern[str]:
    return _compiled(pattern("polarity.negations", language))


@cache
def _asides(language: str) -> re.Pattern[str]:
    """Negations that deny nothing of the sentence: of a condition, of who is meant, "with or without"."""
    asides = pattern("polarity.asides", language)
    return _compiled(asides) if asides else re.compile("(?!)")


@cache
def _breaks(language: str) -> re.Pattern[str]:
    """What parts a sentence: a semicolon, or a word such as "but"."""
    words = pattern("polarity.clause_breaks", language)
    return re.compile(f"{_MARKS}|{_bounded(words)}" if words else _MARKS, re.IGNORECASE)


def _compiled(alternatives: str) -> re.Pattern[str]:
    return re.compile(_bounded(alternatives), re.IGNORECASE)


def _bounded(alternatives: str) -> str:
    """Whole words, where the script has spaces between them."""
    return f"(?:{alternatives})" if is_dense(alternatives) else rf"(?<!\w)(?:{alternatives})(?!\w)"
