"""Word weighting: how much each term of a question counts, and BM25 with these weights.

A term counts by its rarity in the documents that are asked. Those of others would show in an answer, and beside texts
in other languages and on other subjects the commonest words look rare. Without vectors, whether documents answer the
question is judged by rarity in the language, for a general word looks rare in a small file.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from docqa import store
from docqa.store.common_terms import CommonTerms
from docqa.store.full_text import Occurrences
from docqa.store.recent_words import Match, Words
from docqa.store.scopes import Scope
from docqa.store.sql import Connection
from docqa.text.detect import is_function_word
from docqa.text.frequency import shares
from docqa.text.words import is_compound

K1, B = 1.2, 0.75  # of BM25, as in FTS5
MANY_CHUNKS = 20_000  # from here on, terms that are in nearly every chunk cost more time than they are worth
COMMON = 0.2
LONG = 100  # chunks of the documents that are asked, from which on a name that is in many of them finds nothing
COMMON_HERE = 0.2
# Chunks that a small collection is padded with: among three chunks alone every word would look common.
BACKGROUND = 200
IN_LANGUAGE = 3000  # passages that stand for a whole language: a word that its list lacks is in none of them
# Chunks like the language's average that the asked documents are padded with, for the same reason as BACKGROUND.
AVERAGE = 5
FUNCTION_WORD = 0.3  # of the weight that a word such as "which" would have
STEM_ONLY = 0.5  # how much a word counts where only another word with its stem is present


# --- functions on weights ---------------------------------------------------------------------------------------------


def rarity(count: float, total: float) -> float:
    """Inverse document frequency (Robertson and Spärck Jones), kept positive, of a term in `count` of `total`
    passages."""
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def bm25(weights: Mapping[str, float], passages: Sequence[Sequence[str]]) -> list[float]:
    """The BM25 score of each passage, given by its terms, with these weights as IDF.

    The average length is that of these passages. FTS5 weighs by the whole file, which is not only these documents.
    """
    counts = [Counter(term for term in passage if term in weights) for passage in passages]
    held = [[(weights[term], count) for term, count in each.items()] for each in counts]
    return _bm25(held, list(map(len, passages)))


def bm25_of_matches(weights: Mapping[str, float], matches: Sequence[Match]) -> list[float]:
    """The same of chunks that full text has found by these terms."""
    each = tuple(weights.values())
    held = [[(weight, count) for weight, count in zip(each, match.counts, strict=True) if count] for match in matches]
    return _bm25(held, [match.length for match in matches])


def _bm25(held: Sequence[Sequence[tuple[float, int]]], lengths: Sequence[int]) -> list[float]:
    """The score of each passage, which holds terms of these weights so often, and has so many terms in all."""
    average = sum(lengths) / len(lengths) if lengths else 0.0
    dampings = [K1 * (1 - B + B * size / average) if size else 0.0 for size in lengths]
    return [
        sum(weight * count * (K1 + 1) / (count + damping) for weight, count in of_passage)
        for of_passage, damping in zip(held, dampings, strict=True)
    ]


def share(weights: Mapping[str, float], held: Iterable[str], optional: frozenset[str] = frozenset()) -> float:
    """The share of the total weight, 0 to 1, whose terms are `held`. `optional` terms that are not do not count."""
    held = frozenset(held)
    present = missing = 0.0
    for term, weight in weights.items():
        if term in held:
            present += weight
        elif term not in optional:
            missing += weight
    return present / (present + missing) if present else 0.0


def weights_among(question_terms: Iterable[str], counts: Counter[str]) -> dict[str, float]:
    """Weights by rarity among some sentences, given the number of them that hold each term; terms in none are left
    out."""
    most = max(counts.values(), default=0)
    return {
        term: math.log(1 + most / counts[term]) * (FUNCTION_WORD if is_function_word(term) else 1.0)
        for term in question_terms
        if term in counts
    }


# --- a question's weights ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Word:
    """A word of a question: its search term, its stem's term ("" for a word without one), its weight in the
    language."""

    form: str
    stem: str
    weight: float


@dataclass(frozen=True)
class Query:
    """A question ready for search.

    `weights` order passages and sentences, `matching` are the weights of the terms that find passages. `words` judge
    how much of the question a text covers; they are empty with vectors and where the language has no word list.
    `vector` is the question's embedding, None where its `language` has no embedder. `occurrences` are those of its
    terms in the documents that are asked.
    """

    weights: Mapping[str, float]
    matching: Mapping[str, float]
    vector: bytes | None
    occurrences: Occurrences
    words: Sequence[Word] = ()
    language: str = ""

    @property
    def terms(self) -> frozenset[str]:
        """All that it looks for in a text."""
        return frozenset(self.weights).union(*((word.form, word.stem) for word in self.words)) - {""}

    def coverage(self, held: Iterable[str], document_name: frozenset[str] = frozenset()) -> float:
        """The share of the question's weight, 0 to 1, in the terms `held`; terms of the document's name are
        optional."""
        return share(self.weights, held, document_name)

    def lexical_coverage(self, held: Iterable[str], document_name: frozenset[str] = frozenset()) -> float:
        """The same by the words' weights in their language, or `coverage` where there are none.

        The total includes one unknown word more: of a question with only one or two general words, more must be present
        than of a specific one.
        """
        if not self.words:
            return self.coverage(held, document_name)
        held = frozenset(held)
        present = missing = 0.0
        for word in self.words:
            part = 1.0 if word.form in held else STEM_ONLY if word.stem in held else 0.0
            present += part * word.weight
            if part or document_name.isdisjoint((word.form, word.stem)):
                missing += (1 - part) * word.weight
        return present / (present + missing + rarity(0, IN_LANGUAGE))


async def weigh(
    conn: Connection,
    scope: Scope,
    question_terms: Sequence[str],
    language: str,
    vector: bytes | None,
    names: frozenset[str] = frozenset(),
    at_hand: Words | CommonTerms | None = None,
) -> Query:
    """A question in `language`, given by its search terms, with their weights in these documents; `names` are the terms
    of names in it, `at_hand` what need not be read of the documents' words. It is for a thread, which it keeps
    for some milliseconds."""
    occurrences = await store.full_text.occurrences(conn, scope, question_terms, at_hand)
    counts = occurrences.counts
    function_words = frozenset(filter(is_function_word, question_terms))
    if vector is not None:
        # A term that is in no chunk is a gap in the documents, unless it is a question word.
        sought = [term for term in question_terms if term in counts or term not in function_words]
        weights = _weights({term: counts.get(term, 0) for term in sought}, scope.size + BACKGROUND, function_words)
        telling = _telling_here(_telling(counts, scope.size), scope.size, names)
        return Query(weights, {term: weights[term] for term in telling}, vector, occurrences, (), language)
    function_words |= _stems_of(function_words, question_terms)
    # Nor is a compound one, whose parts are terms themselves: French writes "fait-il" in questions only.
    sought = [term for term in question_terms if term in counts or not (term in function_words or is_compound(term))]
    weights = _weights({term: counts.get(term, 0) for term in sought}, scope.size + BACKGROUND, function_words)
    known = shares(language)
    matching = _matching(_telling(counts, scope.size), scope.size, known, function_words)
    expected = {term: IN_LANGUAGE * known.get(term, 0.0) for term in sought} if known else {}
    words = tuple(_words(question_terms, _weights(expected, IN_LANGUAGE, function_words)))
    return Query(weights, matching, None, occurrences, words, language)


def _matching(
    telling: Mapping[str, int], size: int, known: Mapping[str, float], function_words: frozenset[str]
) -> dict[str, float]:
    """Weights by rarity in these documents, and a little in their language."""
    padded = {
        term: count + AVERAGE * (known.get(term, 0.0) if known else count / size) for term, count in telling.items()
    }
    return _weights(padded, size + AVERAGE, function_words)


def _weights(counts: Mapping[str, float], total: float, function_words: frozenset[str]) -> dict[str, float]:
    return {
        term: rarity(count, total) * (FUNCTION_WORD if term in function_words else 1.0)
        for term, count in counts.items()
    }


def _telling_here(telling: Mapping[str, int], size: int, names: frozenset[str]) -> Mapping[str, int]:
    """The terms without names that tell no part of a long document from another: the company's in its report."""
    if size < LONG:
        return telling
    common = {term for term in names & telling.keys() if telling[term] >= COMMON_HERE * size}
    return {term: count for term, count in telling.items() if term not in common} or telling


def _telling(counts: Mapping[str, int], size: int) -> Mapping[str, int]:
    """The terms that passages are found by."""
    return {term: count for term, count in counts.items() if size <= MANY_CHUNKS or count < COMMON * size} or counts


def _words(question_terms: Sequence[str], in_language: Mapping[str, float]) -> Iterator[Word]:
    """Each word once, weighted by the mean of itself and its stem.

    Counted apart, an inflected form that the word list hardly has would outweigh both.
    """
    for form, stem in _stems(question_terms).items():
        if known := [in_language[term] for term in (form, stem) if term in in_language]:
            yield Word(form, stem, sum(known) / len(known))


def _stems(question_terms: Sequence[str]) -> dict[str, str]:
    """The stem of each word, which follows it among the terms; "" for a word without one."""
    return {
        form: following if following.endswith("~") else ""
        for form, following in zip_longest(question_terms, question_terms[1:], fillvalue="")
        if not form.endswith("~")
    }


def _stems_of(function_words: frozenset[str], question_terms: Sequence[str]) -> frozenset[str]:
    """The stems of the function words that no other word of the question shares."""
    stems = _stems(question_terms)
    return frozenset(stem for word, stem in stems.items() if stem and word in function_words) - {
        stem for word, stem in stems.items() if word not in function_words
    }
