"""The most telling sentences of a document, without a model: of each section one or two, and of these the few that sum
it up.

It counts words and considers where a sentence stands and how it is made. What is said once, in rare words and in the
middle of a section, it misses.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

from docqa.languages import every, every_pattern
from docqa.store.notes import Note
from docqa.text.detect import is_function_word
from docqa.text.sentences import sentences
from docqa.text.words import is_dense, terms

SHORTEST, LONGEST = 25, 500  # characters; half of it in dense scripts
PARTS = 12  # into which even a short document without sections is divided
SMALLEST_PART, PART = 400, 3000  # characters; a longer section is divided into parts
NOTES = 2  # of each part
WORDS = 12  # telling ones; a sentence of fewer says less
WORTH = 0.25  # of the heaviest note; what is below sums nothing up
CANDIDATES = 12_000  # sentences judged, spread evenly over a very long document: the cost stays a few seconds
ALIKE = 0.6  # two sentences that share more of their words say the same
FIRST_SECTIONS = 0.1  # of a document: they say what it is about

_ENDS = frozenset(".!?…؟।。！？｡")
# A sentence that begins so is not understood without the one before it. In scripts without spaces no word ends there.
_LEANING = re.compile(
    "|".join(
        rf"(?:{'|'.join(starts)})" + ("" if is_dense(starts[0]) else r"(?!\w)")
        for starts in every("text.leaning").values()
    ),
    re.IGNORECASE,
)
# What documents of a kind all say, whatever they are about.
_BOILERPLATE = re.compile(every_pattern("text.boilerplate"), re.IGNORECASE)


class Chunk(Protocol):
    """What a chunk is judged by; `terms` are its search terms, separated by spaces."""

    @property
    def section(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def terms(self) -> str: ...


class Weighed(Protocol):
    """What a note is chosen by among many."""

    @property
    def part(self) -> int: ...
    @property
    def weight(self) -> float: ...


def notes(chunks: Sequence[Chunk]) -> list[Note]:
    """The most telling sentences of every part of a document, in its order; a part without a sentence gives none.

    A sentence weighs the mean of its words' tf-idf within the document (cf. Radev et al., "Centroid-based
    summarization", 2004), more at the beginning of a section and of the document (Edmundson, "New Methods in Automatic
    Extracting", 1969), less where it cannot stand alone.
    """
    parts = list(_parts(chunks))
    every = _thinned([_sentences(chunks, part) for part in parts])
    # A list or a table has no sentences: its first lines must do.
    prose = [[span for span in spans if _is_prose(_of(chunks, span))] for spans in every]
    if not any(prose):
        prose = [[(index, start, min(end, start + LONGEST)) for index, start, end in spans[:NOTES]] for spans in every]
    weights = _term_weights(chunks)
    made: list[Note] = []
    for number, spans in enumerate(prose):
        titles = set(terms(chunks[parts[number][0]].section))
        early = 1 + 0.5 * max(0.0, 1 - number / (FIRST_SECTIONS * len(parts)))
        weighed = []
        for place, (index, start, end) in enumerate(spans):
            text = chunks[index].text[start:end]
            words = frozenset(terms(text))
            weight = _standing(text) * _mean(words, weights, titles) * early * (1 + 0.5 / (1 + place))
            weighed.append((Note(index, start, end, number, weight), _content(words)))
        made += _different(weighed, NOTES)
    return sorted(made, key=lambda note: (note.chunk, note.start))


def choose(weighed: Sequence[Weighed], texts: Sequence[str], count: int) -> list[int]:
    """The indexes of the `count` notes that sum a document up, in its order: the best of its beginning, its middle and
    its end.

    `texts` are the notes' sentences.
    """
    if len(weighed) <= count:
        return list(range(len(weighed)))
    parts = weighed[-1].part + 1
    # The first stretch is short: it says what the document is about.
    first = max(1.0, FIRST_SECTIONS * parts)
    stretches: dict[int, list[int]] = {}
    for index, note in enumerate(weighed):
        stretch = 0 if note.part < first else 1 + int((note.part - first) / (parts - first) * (count - 1))
        stretches.setdefault(stretch, []).append(index)
    least = WORTH * max(note.weight for note in weighed)
    ranked = [
        sorted((i for i in indexes if weighed[i].weight >= least), key=lambda i: -weighed[i].weight)
        for _, indexes in sorted(stretches.items())
    ]
    chosen: list[int] = []
    words: list[frozenset[str]] = []
    # Round after round, the best of each stretch that says something new.
    for depth in range(max(map(len, ranked))):
        for indexes in ranked:
            if depth < len(indexes) and len(chosen) < count:
                mine = _content(frozenset(terms(texts[indexes[depth]])))
                if not any(_alike(mine, other) for other in words):
                    chosen.append(indexes[depth])
                    words.append(mine)
    return sorted(chosen)


def _parts(chunks: Sequence[Chunk]) -> Iterator[list[int]]:
    """The chunks' indexes, section by section; a long section in several parts."""
    longest = min(PART, max(SMALLEST_PART, sum(len(chunk.text) for chunk in chunks) // PARTS))
    part: list[int] = []
    length = 0
    for index, chunk in enumerate(chunks):
        if part and (chunk.section != chunks[part[0]].section or length > longest):
            yield part
            part, length = [], 0
        part.append(index)
        length += len(chunk.text)
    if part:
        yield part


def _sentences(chunks: Sequence[Chunk], part: Sequence[int]) -> list[tuple[int, int, int]]:
    """(chunk, start, end) of each sentence or row of a part; a title that stands before its first sentence in the same
    paragraph is left out."""
    spans = []
    for index in part:
        text, title = chunks[index].text, chunks[index].section
        for start, end in sentences(text):
            if title and text.startswith(title, start, end):
                start += len(title) + len(text[start + len(title) : end]) - len(text[start + len(title) : end].lstrip())
            if start < end:
                spans.append((index, start, end))
    return spans


def _thinned(every: Sequence[list[tuple[int, int, int]]]) -> list[list[tuple[int, int, int]]]:
    """Of a very long document every so many sentences, but the first of each part, which are the likeliest."""
    step = max(1, sum(map(len, every)) // CANDIDATES)
    return [[*spans[:NOTES], *spans[NOTES::step]] for spans in every]


def _term_weights(chunks: Sequence[Chunk]) -> dict[str, float]:
    """What a term says about this document: often said, but not everywhere."""
    often: Counter[str] = Counter()
    spread: Counter[str] = Counter()
    for chunk in chunks:
        words = chunk.terms.split()
        often.update(words)
        spread.update(set(words))
    return {
        term: math.sqrt(count) * math.log(1 + len(chunks) / spread[term])
        for term, count in often.items()
        if count > 1 and (len(term) > 3 or not term.isascii()) and term[0].isalpha() and not is_function_word(term)
    }


def _mean(words: frozenset[str], weights: dict[str, float], titles: set[str]) -> float:
    """The mean weight of the words; those of the section's title count half as much again."""
    telling = [word for word in words if word in weights]
    return sum(weights[word] * (1.5 if word in titles else 1) for word in telling) / max(len(telling), WORDS)


def _standing(sentence: str) -> float:
    """0 to 1: how well a sentence stands alone and says something of its own."""
    worth = 0.4 if _LEANING.match(sentence) else 1.0
    if _BOILERPLATE.search(sentence):
        worth *= 0.2
    if sentence[-1] in "?？؟":
        worth *= 0.3
    # A sentence begins with a capital or, in scripts without them, with a letter; else it is the rest of one, or an
    # item of a list.
    if sentence[0].islower() or not sentence[0].isalpha():
        worth *= 0.5
    if len(sentence) > LONGEST * (0.3 if is_dense(sentence) else 0.6):
        worth *= 0.7
    return worth


def _different(weighed: Sequence[tuple[Note, frozenset[str]]], count: int) -> list[Note]:
    """The `count` heaviest that do not say the same."""
    chosen: list[tuple[Note, frozenset[str]]] = []
    for note, words in sorted(weighed, key=lambda pair: -pair[0].weight):
        if len(chosen) < count and not any(_alike(words, other) for _, other in chosen):
            chosen.append((note, words))
    return [note for note, _ in chosen]


def _content(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if not word.endswith("~") and not is_function_word(word))


def _alike(words: frozenset[str], others: frozenset[str]) -> bool:
    return len(words & others) > ALIKE * min(len(words), len(others))


def _of(chunks: Sequence[Chunk], span: tuple[int, int, int]) -> str:
    return chunks[span[0]].text[span[1] : span[2]]


def _is_prose(sentence: str) -> bool:
    """Whether it is a whole sentence and no heading, table row or line of a table of contents."""
    if not (SHORTEST <= len(sentence) <= LONGEST or is_dense(sentence) and 2 * len(sentence) >= SHORTEST):
        return False
    if sentence.rstrip("\"'”’»)]」』）")[-1:] not in _ENDS:
        return False
    if is_dense(sentence):
        return True
    words = sentence.split()
    # Lines of a table and of a table of contents are all names and numbers.
    plain = sum(word[0].isalpha() and word == word.lower() for word in words)
    return len(words) >= 6 and plain >= len(words) / 2
