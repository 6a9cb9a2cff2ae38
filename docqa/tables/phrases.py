"""Runs of a question's tokens: the keys of values that they may name, and the numbers that they are."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from docqa.formats.columns import Value, plain
from docqa.languages import entry, every_word, words
from docqa.text.keys import key
from docqa.text.values import decimal_marks, in_words, number

LONGEST_PHRASE = 8  # tokens of the question that one name may take
LONGEST_QUESTION = 60  # tokens; what is longer tells a story
_ENDINGS = every_word("tables.endings")  # of number and case


def tokens(text: str) -> list[str]:
    """The tokens of a question, with each fiscal year as a year: FY22, FY 2022."""
    known = key(text).split()
    fiscal = _fiscal()
    years = {
        at + 1: number if len(number) == 4 else f"20{number}"
        for at, (word, number) in enumerate(pairwise(known))
        if word in fiscal and number.isdecimal() and len(number) in (2, 4)
    }
    return [years.get(at, word) for at, word in enumerate(known) if at + 1 not in years]


@cache
def _fiscal() -> frozenset[str]:
    return frozenset(key(word) for word in every_word("tables.fiscal_year"))


def phrases(of_question: Sequence[str]) -> set[str]:
    """Every key that a value named in a question of these tokens can have."""
    of_question = of_question[:LONGEST_QUESTION]
    runs = (
        of_question[at : at + count]
        for at in range(len(of_question))
        for count in range(1, LONGEST_PHRASE + 1)
        if at + count <= len(of_question)
    )
    return {form for run in runs for form in _forms(run)}


def key_words(text: str, language: str) -> list[str]:
    """The tokens of a question; the sign for per cent is a word of it, and so is what says "average" in a compound."""
    tokens = key(text.replace("%", " percent ")).split()
    return [part for token in tokens for part in _split(token, language)]


def _split(token: str, language: str) -> tuple[str, ...]:
    means = words("tables.mean", language)
    for mean in sorted(means, key=len, reverse=True):
        if len(mean) > 5 and token not in means and token.startswith(mean) and len(token) >= len(mean) + 4:
            return mean, token[len(mean) :]
    return (token,)


def number_of(run: Sequence[str], language: str) -> Value:
    """The number that these tokens are and nothing else, in digits or in words; None for any other. "One" is none: in
    most languages it is an article too."""
    phrase = " ".join(run)
    if marks := decimal_marks(phrase):
        usual = entry("decimal_mark", language)
        return plain(number(phrase, usual if usual in marks else min(marks)))
    count = in_words(phrase, language)
    return count if count and count > 1 else None


def _forms(run: Sequence[str]) -> Iterator[str]:
    """The keys of values that a run of words can name: itself, and its last word with another ending."""
    *others, last = run
    yield " ".join(run)
    if last.isalpha():
        yield " ".join([*others, last + "s"])
        yield from (
            " ".join([*others, last[: -len(end)]])
            for end in _ENDINGS
            if last.endswith(end) and len(last) - len(end) > 3
        )
