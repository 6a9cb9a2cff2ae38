"""How much each term of a question tells.

Where vectors have a say, that is how rare it is in the whole file. Where words are all there is, it is how rare it is in its language for the judgement
whether documents speak of what is asked, and in the documents that are asked for the order of their passages: beside texts in other languages and on
other subjects the commonest words look rare, and so does a general word in a small file.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from aiosqlite import Connection

from docqa import store
from docqa.search.bm25 import rarity
from docqa.text.detect import is_function_word
from docqa.text.frequency import shares
from docqa.text.words import is_compound, terms

MANY_CHUNKS = 20_000  # from here on, words that stand nearly everywhere cost more time than they tell
COMMON = 0.2
BACKGROUND = (
    200  # chunks that a small collection is thought to stand among: in three chunks every word would look common
)
IN_LANGUAGE = 3000  # passages that a language is taken for: a word that it does not know stands in none of them
AVERAGE = 5  # chunks like the file's on average, which are thought to stand among those of the asked documents for the same reason
FUNCTION_WORD = 0.3  # what is left of the weight of a word such as "which"
CUT_ALIKE = 0.5  # how much of a word is said where another one stands that is cut to the same


@dataclass(frozen=True)
class Word:
    """A word of a question: itself as a search term, what it is cut to ("" for a word that is not cut), and what it tells in its language."""

    form: str
    cut: str
    tells: float


@dataclass(frozen=True)
class Query:
    """A question ready for search: what its terms tell, `weights` for the order of passages and sentences, `matching` for those that stand in the file and
    for finding passages; its `words` for how much of the question a text speaks of, where their language is known and vectors have no say; `vector` is its
    embedding, None there."""

    weights: Mapping[str, float]
    matching: Mapping[str, float]
    vector: bytes | None
    words: Sequence[Word] = ()

    def coverage(self, terms: Iterable[str], naming: frozenset[str] = frozenset()) -> float:
        """The share of the question's weight, 0 to 1, that stands in these terms. What names the document need not stand in them too."""
        held = frozenset(terms)
        total = sum(weight for term, weight in self.weights.items() if term in held or term not in naming)
        return sum(weight for term, weight in self.weights.items() if term in held) / total if total else 0.0

    def spoken_of(self, terms: Iterable[str], naming: frozenset[str] = frozenset()) -> float:
        """The same by what the words tell in their language, where that is known, and of one more word, that nobody knows: of a question that has but one
        or two general ones, more must stand there than of one that tells much."""
        if not self.words:
            return self.coverage(terms, naming)
        held = frozenset(terms)
        said = unsaid = 0.0
        for word in self.words:
            share = 1.0 if word.form in held else CUT_ALIKE if word.cut in held else 0.0
            said += share * word.tells
            if share or naming.isdisjoint((word.form, word.cut)):
                unsaid += (1 - share) * word.tells
        return said / (said + unsaid + rarity(0, IN_LANGUAGE))


async def weighed(conn: Connection, documents: Sequence[int], text: str, language: str, vector: bytes | None) -> Query:
    """The question `text`, in `language`, asked of these documents."""
    asked = terms(text)
    vocabulary = await store.chunks.vocabulary(conn, asked)
    counts = {term: vocabulary[term] for term in asked if term in vocabulary}
    total = await store.chunks.count_chunks(conn)
    small = frozenset(filter(is_function_word, asked))
    # What stands nowhere is a gap in the documents, unless it is a question word.
    if vector is not None:
        weights = _weights(
            {term: counts.get(term, 0) for term in asked if term in counts or term not in small},
            total + BACKGROUND,
            small,
        )
        return Query(weights, {term: weights[term] for term in _telling(counts, total)}, vector)
    small |= _cut(small, asked)
    # Nor is a compound one, whose parts are sought themselves: French writes "fait-il" in questions only.
    sought = [term for term in asked if term in counts or not (term in small or is_compound(term))]
    telling = _telling(counts, total)
    own, among = await store.chunks.frequencies(conn, documents, list(telling), MANY_CHUNKS) or (telling, total)
    matching = _weights(
        {term: own[term] + AVERAGE * count / total for term, count in telling.items()}, among + AVERAGE, small
    )
    weights = _weights({term: counts.get(term, 0) for term in sought}, total + BACKGROUND, small)
    known = await asyncio.to_thread(shares, language)
    in_language = (
        _weights({term: IN_LANGUAGE * known.get(term, 0.0) for term in sought}, IN_LANGUAGE, small) if known else {}
    )
    return Query(weights, matching, None, tuple(_words(asked, in_language)))


def _weights(counts: Mapping[str, float], total: float, small: frozenset[str]) -> dict[str, float]:
    return {term: rarity(count, total) * (FUNCTION_WORD if term in small else 1.0) for term, count in counts.items()}


def _cut_forms(asked: Sequence[str]) -> dict[str, str]:
    """What each word of `asked` is cut to, which follows it there; "" for one that is not cut."""
    return {
        form: following if following.endswith("~") else ""
        for form, following in zip_longest(asked, asked[1:], fillvalue="")
        if not form.endswith("~")
    }


def _words(asked: Sequence[str], in_language: Mapping[str, float]) -> Iterator[Word]:
    """Each word once, with the mean of what it and its cut form tell: counted apart, an inflected form that the language hardly knows would outweigh both."""
    for form, cut in _cut_forms(asked).items():
        if known := [in_language[term] for term in (form, cut) if term in in_language]:
            yield Word(form, cut, sum(known) / len(known))


def _telling(counts: Mapping[str, int], total: int) -> Mapping[str, int]:
    """The terms by which passages are found."""
    return {term: count for term, count in counts.items() if total <= MANY_CHUNKS or count < COMMON * total} or counts


def _cut(small: frozenset[str], asked: Sequence[str]) -> frozenset[str]:
    """What function words are cut to, where no other word of the question is cut to the same."""
    cut = _cut_forms(asked)
    return frozenset(form for word, form in cut.items() if form and word in small) - {
        form for word, form in cut.items() if word not in small
    }
