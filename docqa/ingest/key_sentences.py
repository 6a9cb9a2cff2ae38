"""The most telling sentences of a document, without a model: of each section one or two, and of these the few that sum
it up.

It counts words and considers where a sentence stands and how it is made: an abstract, a summary, the first paragraph
and conclusions come before the rest. What is said once, in rare words and in the middle of a section, it misses.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from docqa.ingest.headings import after_headings, role_of
from docqa.ingest.sentence_worth import LONGEST, is_boilerplate, is_prose, leans, standing
from docqa.store.notes import Note
from docqa.text.detect import is_function_word
from docqa.text.sentences import sentences
from docqa.text.words import is_dense, terms

PARTS = 12  # into which even a short document without sections is divided
SMALLEST_PART, PART = 400, 3000  # characters; a longer section is divided into parts
NOTES = 2  # of each part
OPENING = 6  # sentences of a summary, and of the beginning of a document, that stand for it
WORDS = 12  # telling ones; a sentence of fewer says less
WORTH = 0.08  # of the heaviest note; what is below sums nothing up
CANDIDATES = 12_000  # sentences judged, spread evenly over a very long document: the cost stays a few seconds
ALIKE = 0.6  # two sentences that share more of their words say the same
FIRST_SECTIONS = 0.1  # of a document: they say what it is about
AGAIN = 0.75  # of its weight, for each sentence already chosen from the same stretch
BOILERPLATE = 0.3  # of the sentences of a part: from here on it is a licence or the like
BESIDE = 3  # characters between two sentences of a paragraph at most
SUMMARY, LEAD, CLOSING, SKIPPED = 5.0, 2.0, 1.6, 0.02


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
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def part(self) -> int: ...
    @property
    def weight(self) -> float: ...


class _Sentence(NamedTuple):
    chunk: int
    start: int
    end: int
    role: str = ""  # of the section it stands in: summary, closing, skipped


def notes(chunks: Sequence[Chunk], focus: Callable[[str], float] | None = None) -> list[Note]:
    """The most telling sentences of every part of a document, in its order; a part without a sentence gives none.
    `focus` says how often more a sentence weighs, 1 for those like any other; all others are kept.

    A sentence weighs the mean of its words' tf-idf within the document (cf. Radev et al., "Centroid-based
    summarization", 2004), more in a summary and at the beginning of a section and of the document (Edmundson, "New
    Methods in Automatic Extracting", 1969), less where it cannot stand alone.
    """
    parts = list(_parts(chunks))
    every_part = _thinned(list(_sentences(chunks, parts)))
    # A list or a table has no sentences: its first lines must do.
    prose = [[span for span in spans if is_prose(_of(chunks, span))] for spans in every_part]
    if not any(prose):
        prose = [
            [
                _Sentence(index, start, min(end, start + LONGEST))
                for index in part
                for start, end in sentences(chunks[index].text)
            ]
            for part in parts
        ]
        prose = [spans[:NOTES] for spans in prose]
    weights = _term_weights(chunks)
    opening = _openings(prose)
    typical = _median([_mean(frozenset(terms(_of(chunks, span))), weights, set()) for part in prose for span in part])
    made: list[Note] = []
    for number, spans in enumerate(prose):
        titles = set(terms(chunks[parts[number][0]].section))
        early = 1 + 0.5 * max(0.0, 1 - number / (FIRST_SECTIONS * len(parts)))
        weighed, kept = [], NOTES
        worth = _own(chunks, spans)
        for place, span in enumerate(spans):
            text = _of(chunks, span)
            words = frozenset(terms(text))
            opens = opening.get(span, 0.0)
            mean = _mean(words, weights, titles)
            # What a summary says counts also where it says it in words that do not come again.
            mean = (mean + 2 * typical) / 2 if opens or focus else mean
            sought = focus(text) if focus else 1.0
            weight = standing(text, may_lean=bool(opens)) * mean * _placed(span, place, opens) * sought
            weighed.append((Note(span.chunk, span.start, span.end, number, weight * early * worth), _content(words)))
            kept += opens > 0 or sought > 1
        made += _different(weighed, kept)
    return sorted(made, key=lambda note: (note.chunk, note.start))


def choose(weighed: Sequence[Weighed], texts: Sequence[str], count: int, words: int = 10_000) -> list[int]:
    """The indexes of the `count` notes that sum a document up, in its order, of so many words together: the heaviest,
    each the less the more of its stretch of the document is chosen already.

    `texts` are the notes' sentences. One that leans on the sentence before it is taken only together with that.
    """
    if not weighed:
        return []
    parts = weighed[-1].part + 1
    # The first stretch is short: it says what the document is about.
    first = max(1.0, FIRST_SECTIONS * parts)
    stretch = [
        0 if note.part < first else 1 + int((note.part - first) / (parts - first) * max(1, count - 1))
        for note in weighed
    ]
    least = WORTH * max(note.weight for note in weighed)
    contents = [_content(frozenset(terms(text))) for text in texts]
    chosen: list[int] = []
    taken: Counter[int] = Counter()
    left = words
    while len(chosen) < count:
        possible = [
            index
            for index, note in enumerate(weighed)
            if index not in chosen
            and note.weight >= least
            and (not chosen or _length(texts[index]) <= left)
            and _is_understood(index, weighed, texts, chosen)
            and not any(_alike(contents[index], contents[other]) for other in chosen)
        ]
        if not possible:
            break
        best = max(possible, key=lambda index: weighed[index].weight * AGAIN ** taken[stretch[index]])
        chosen.append(best)
        taken[stretch[best]] += 1
        left -= _length(texts[best])
    return sorted(chosen)


def _length(text: str) -> int:
    """In words; in scripts without spaces, two characters count as one."""
    return len(text) // 2 if is_dense(text) else len(text.split())


def _is_understood(index: int, weighed: Sequence[Weighed], texts: Sequence[str], chosen: Sequence[int]) -> bool:
    """Whether a sentence stands alone, or directly behind one that is chosen."""
    if not leans(texts[index]):
        return True
    gap = weighed[index].start - weighed[index - 1].end if index else -1
    return index - 1 in chosen and 0 <= gap <= BESIDE


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


def _sentences(chunks: Sequence[Chunk], parts: Sequence[Sequence[int]]) -> Iterator[list[_Sentence]]:
    """The sentences and rows of each part, without the headings that stand before them, with the role of their
    section."""
    role, section = "", ""
    for part in parts:
        spans = []
        for index in part:
            text, title = chunks[index].text, chunks[index].section
            if title != section:
                role, section = role_of(title), title
            for start, end in sentences(text):
                start, heading = after_headings(text, start, end, title)
                role = role if heading is None else role_of(heading)
                if start < end:
                    spans.append(_Sentence(index, start, end, role))
        yield spans


def _thinned(every: Sequence[list[_Sentence]]) -> list[list[_Sentence]]:
    """Of a very long document every so many sentences, but the first of each part, which are the likeliest."""
    step = max(1, sum(map(len, every)) // CANDIDATES)
    return [[*spans[:NOTES], *spans[NOTES::step]] for spans in every]


def _openings(prose: Sequence[Sequence[_Sentence]]) -> dict[_Sentence, float]:
    """The first sentences of the summary, and of the document, with what they weigh more, the first one most."""
    spans = [span for part in prose for span in part]
    summary = [span for span in spans if span.role == "summary"][:OPENING]
    lead = [span for span in next(filter(None, prose), ()) if span.role == ""][: 0 if summary else OPENING]
    opening = {span: LEAD - 0.15 * place for place, span in enumerate(lead)}
    return opening | {span: SUMMARY - 0.2 * place for place, span in enumerate(summary)}


def _placed(span: _Sentence, place: int, opens: float) -> float:
    """What a sentence weighs by its place: in a summary, at the beginning, in a conclusion, first of its part."""
    by_role = {"closing": CLOSING, "skipped": SKIPPED}.get(span.role, 1.0)
    return opens or by_role * (1 + 0.5 / (1 + place))


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


def _own(chunks: Sequence[Chunk], spans: Sequence[_Sentence]) -> float:
    """What a part counts: little where much of it is boilerplate, as in a licence."""
    count = sum(bool(is_boilerplate(_of(chunks, span))) for span in spans)
    return 0.1 if count > BOILERPLATE * len(spans) else 1.0


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2] if values else 0.0


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


def _of(chunks: Sequence[Chunk], span: _Sentence) -> str:
    return chunks[span.chunk].text[span.start : span.end]
