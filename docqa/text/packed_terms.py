"""The search terms of a passage in little space, in which single terms can be counted without unpacking the rest.

Most words are followed by their beginning ("monthly month~"): both are kept as one token, the beginning first. Each
token stands between spaces, and so does the whole.

    "the monthly month~ rents rents~ 12"   becomes   " the month~ly rents~= 12 "
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from docqa.text.words import PREFIX, by_word, terms_of_word

_WHOLE = "="  # after a word of five letters, which is its own beginning; no term has it beside a tilde


def packed(terms: str) -> str:
    """Terms that are separated by spaces, in the form in which they are stored; what is in it already stays."""
    if is_packed(terms):
        return terms
    tokens: list[str] = []
    for term in terms.split():
        if tokens and term.endswith("~") and len(term) == PREFIX + 1 and _begins(tokens[-1], term):
            tokens[-1] = term + (tokens[-1][PREFIX:] or _WHOLE)
        else:
            tokens.append(term)
    return _joined(tokens)


def packed_terms(text: str) -> str:
    """The packed search terms of a text."""
    return _joined(by_word(text, _tokens_of_word))


@lru_cache(16_384)  # as for terms, which are made of a word and then packed
def _tokens_of_word(word: str) -> tuple[str, ...]:
    return tuple(packed(" ".join(terms_of_word(word))).split())


def _joined(tokens: Sequence[str]) -> str:
    return f" {' '.join(tokens)} " if tokens else " "


def _begins(token: str, prefix: str) -> bool:
    return "~" not in token and "=" not in token and token.startswith(prefix[:-1])


def unpacked(stored: str) -> str:
    """The terms separated by spaces, from what is stored."""
    if not is_packed(stored):
        return stored
    return " ".join(term for token in stored.split() for term in terms_of(token))


def terms_of(token: str) -> tuple[str, ...]:
    """The one or two terms that a token of what is stored stands for."""
    before, tilde, rest = token.partition("~")
    return (before + ("" if rest == _WHOLE else rest), before + tilde) if rest and len(before) == PREFIX else (token,)


def is_packed(stored: str) -> bool:
    """Whether terms are in the form in which they are stored today."""
    return stored.startswith(" ")


def length(stored: str) -> int:
    """How many terms there are in packed ones."""
    return max(0, stored.count(" ") - 1) + stored.count("~") - stored.count("~ ")


def lengths(stored: Sequence[str]) -> list[int]:
    """The same of many, by numpy, in a sixth of the time."""
    import numpy as np  # not with this module, which a server without many passages imports

    if not stored:
        return []
    passages = [terms.encode() for terms in stored]
    letters = np.frombuffer(b"".join(passages), "u1")
    ends, joins = letters == ord(" "), letters == ord("~")
    joins[:-1] &= ~ends[1:]
    starts = np.cumsum([0, *map(len, passages[:-1])])
    each: list[int] = np.add.reduceat(ends.view("i1") + joins.view("i1"), starts, dtype="i4").tolist()
    return [max(0, number - 1) for number in each]


def held(stored: str, terms: Iterable[str]) -> frozenset[str]:
    """Which of these terms stand in stored ones."""
    stored = packed(stored)
    return frozenset(term for term in terms if any(form in stored for form in _forms(term) if form))


def _forms(term: str) -> tuple[str, str]:
    """How packed terms hold a term alone, and joined with its beginning, "" where it is too short for that."""
    beginning = term.endswith("~")
    alone = f" {term}" if beginning and len(term) == PREFIX + 1 else f" {term} "
    # Nothing else ends like what is joined, so that no space is needed before it.
    return alone, f"{term[:PREFIX]}~{term[PREFIX:] or _WHOLE} " if len(term) >= PREFIX and not beginning else ""


def counts(terms: Iterable[str], passages: Sequence[tuple[str, int]]) -> list[list[int]]:
    """How often each of these terms stands in each of the passages, which are given as their packed terms, and with a
    bit for each of the terms that it holds."""
    counted = [(Counted(term).within, place) for place, term in enumerate(terms)]
    by_bits = {  # passages hold the same terms in few combinations
        bits_of: [(count, place) for count, place in counted if bits_of >> place & 1]
        for bits_of in {bits_of for _, bits_of in passages}
    }
    numbers = []
    for of_passage, bits_of in passages:
        each = [0] * len(counted)
        for count, place in by_bits[bits_of]:
            each[place] = count(of_passage)
        numbers.append(each)
    return numbers


class Counted:
    """A term to be counted in the packed terms of many passages."""

    def __init__(self, term: str) -> None:
        alone, joined = _forms(term)
        # Numbers and compounds stand alone; only of an alphabet whose words have roots is it not known.
        forms = [joined] if joined and term.isascii() and term.isalpha() else [form for form in (alone, joined) if form]
        self._forms = [(form, form + form[1:] if form == f" {term} " else "") for form in forms]

    def within(self, stored: str) -> int:
        """How often the term stands in packed terms."""
        number = 0
        for form, twice in self._forms:
            if count := stored.count(form):
                # Where it follows itself, the space between belongs to both.
                number += stored.replace(" ", "  ").count(form) if twice and twice in stored else count
        return number
