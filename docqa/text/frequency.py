"""How often the words of a language stand in its texts, which says what a word tells whatever else there is in the
file.

The lists of `wordfreq` are of 2021 and cover some forty languages. Not covered: scripts without spaces, which are
compared by pairs of characters.
"""

import math
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path

from docqa.languages import entry
from docqa.text.words import by_word, terms, terms_of_word

PASSAGE = 180  # words: about a chunk
# Centibels below every word there is, once in 100,000 words: rarer ones tell nearly as much as unknown ones, and take
# time to read
_LEAST = 500
_UNLISTED = 1e-4  # share of passages, of a word that is in no list
_GRAMMAR = -math.log(0.3)
_LISTS = {"bs": "sh", "hr": "sh", "no": "nb"}  # lists that go by another code


@cache
def shares(language: str) -> Mapping[str, float]:
    """In what share of the passages of a language the search terms of its common words stand; nothing where there is no
    list of them.

    Thread-safe; the first call for a language takes some tenths of a second, as words are cut into terms one by one.
    """
    if entry("text.cut_in_pairs", language):
        return {}
    often: defaultdict[str, float] = defaultdict(float)
    # Not by what keeps the terms of words: questions have few of so many.
    for centibels, words in enumerate(_common_words(language)):
        for term in (term for word in words for term in set(by_word(word, terms_of_word.__wrapped__))):
            often[term] += 10 ** (-centibels / 100)
    return {term: 1 - (1 - min(frequency, 1)) ** PASSAGE for term, frequency in often.items()}


@cache
def pairs(language: str) -> frozenset[str]:
    """The pairs of characters within the common words of a language; none where there is no list of it. Thread-safe."""
    common = (word for words in _common_words(language) for word in words)
    return frozenset(word[at : at + 2] for word in common for at in range(len(word) - 1))


def has_word(word: str, language: str) -> bool:
    """Whether a word in small letters, as it stands, is one that a language uses, be it rarely; True where there is no
    list of it. Thread-safe."""
    listed, sought = _listed(language), hash(word)
    at = bisect_left(listed, sought)
    return not listed or at < len(listed) and listed[at] == sought


@cache
def _listed(language: str) -> "array[int]":
    """The words of a language by their hashes, in order, which take a tenth of what a set would."""
    return array("q", sorted(hash(word) for words in _common_words(language, None) for word in words))


def _common_words(language: str, least: int | None = _LEAST) -> Iterator[list[str]]:
    """The words of a language that are not rare, by how much rarer than a word that is all of a text they are, in
    centibels; with `least` None all that are listed."""
    # `wordfreq`, whose file it is, is not imported: it brings 10 MB of what it takes to cut texts into words.
    import gzip
    from importlib.metadata import distribution

    import msgpack  # type: ignore[import-untyped]

    name = f"small_{_LISTS.get(language, language)}.msgpack.gz"
    file = Path(str(distribution("wordfreq").locate_file("wordfreq/data"))) / name
    if not file.is_file():
        return
    with gzip.open(file) as packed:
        parts = msgpack.Unpacker(packed)
        parts.read_array_header()
        parts.skip()  # the name of the format and its version
        yield from islice(parts, least)


def is_rare(word: str, language: str) -> bool:
    """Whether a word comes less than once in 100,000 in a language's texts; False where there is no list of it."""
    known = shares(language)
    return bool(known) and known.keys().isdisjoint(terms(word))


def information(word: str, language: str) -> float:
    """What a word tells, in nats: minus the logarithm of the share of passages that have it. 3.5 at three in a hundred;
    as much as the rarest word of the list, 9, where it is not listed, has a digit, or its language has no list."""
    known = shares(language)
    return -math.log(max(_UNLISTED, min((known.get(term, 0.0) for term in _forms(word)), default=0.0)))


def is_grammar(word: str, language: str) -> bool:
    """Whether so common a word cannot name a thing: it stands in a third of all passages, as "if", "you"."""
    return information(word, language) < _GRAMMAR


def _forms(word: str) -> list[str]:
    return [] if any(map(str.isdigit, word)) else terms(word)
