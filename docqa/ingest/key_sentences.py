"""The most telling sentences of a document, without a model: of each section one or two, and of these the few that sum
it up.

It counts words and considers where a sentence stands and how it is made: an abstract, a summary, the first paragraph
and conclusions come before the rest. What is said once, in rare words and in the middle of a section, it misses.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from docqa.ingest.headings import after_headings, role_of
from docqa.ingest.selection import alike, content
from docqa.ingest.sentence_weights import Chunk, Sentence, Weights, text_of
from docqa.ingest.sentence_worth import LONGEST, is_prose
from docqa.store.notes import Note
from docqa.text.sentences import sentences

PARTS = 12  # into which even a short document without sections is divided
SMALLEST_PART, PART = 400, 3000  # characters; a longer section is divided into parts
NOTES = 2  # of each part
CANDIDATES = 12_000  # sentences judged, spread evenly over a very long document: the cost stays a few seconds
_STEP = re.compile(r"(?:^|\n)[ \t]*\(?(?:\d{1,2}|[A-Za-z])[.)][ \t]*$")


def notes(chunks: Sequence[Chunk], focus: Callable[[str], float] | None = None) -> list[Note]:
    """The most telling sentences of every part of a document, in its order; a part without a sentence gives none.
    `focus` says how often more a sentence weighs, 1 for those like any other; all others are kept."""
    parts = list(_parts(chunks))
    prose = _prose(chunks, parts)
    weights = Weights(chunks, prose, focus)
    made: list[Note] = []
    for number, spans in enumerate(prose):
        weighed = [
            (Note(span.chunk, span.start, span.end, number, weight), content(weights.words(span)))
            for span, weight in zip(spans, weights.of_part(number, chunks[parts[number][0]].section), strict=True)
        ]
        made += _different(weighed, NOTES + sum(map(weights.stands_out, spans)))
    return sorted(made, key=lambda note: (note.chunk, note.start))


def _prose(chunks: Sequence[Chunk], parts: Sequence[Sequence[int]]) -> list[list[Sentence]]:
    """The sentences of each part. A list or a table has none: its first lines must do."""
    every_part = _thinned(list(_sentences(chunks, parts)))
    prose = [[span for span in spans if is_prose(text_of(chunks, span))] for spans in every_part]
    if any(prose):
        return prose
    lines = [
        [
            Sentence(index, start, min(end, start + LONGEST))
            for index in part
            for start, end in sentences(chunks[index].text)
        ]
        for part in parts
    ]
    return [spans[:NOTES] for spans in lines]


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


def _sentences(chunks: Sequence[Chunk], parts: Sequence[Sequence[int]]) -> Iterator[list[Sentence]]:
    """The sentences and rows of each part, without the headings that stand before them, with the role of their
    section."""
    role, last_role, section, begins = "", "", "", True
    said: set[str] = set()  # sections that have sentences
    for part in parts:
        spans: list[Sentence] = []
        for index in part:
            text, title = chunks[index].text, chunks[index].section
            at = _line_of(title, text)  # further in, the text before it belongs to the section before
            is_new = title != section
            if is_new and at <= 0:
                role, begins = role_of(title), True
            elif not is_new and title not in said and at < 0:
                # A heading at the side or the foot of a page has no text: the next page goes on with what stood above.
                role, begins = last_role, False
            section = title
            for start, end in sentences(text):
                if is_new and 0 < at <= start:
                    role, begins, is_new = role_of(title), True, False
                start, heading = after_headings(text, start, end, title)
                role, begins = (role, begins) if heading is None else (role_of(heading), True)
                if start >= end:
                    continue
                belongs = not (is_new and at > 0)
                is_sentence = (begins or title not in said) and is_prose(text[start:end])
                before = text[:start].rstrip(" ")
                leads = not before or before.endswith("\n\n") or heading is not None
                is_step = heading is None and bool(_STEP.search(before))
                spans.append(Sentence(index, start, end, role, begins and is_sentence, leads, is_step))
                if is_sentence:
                    begins, last_role = False, role
                    said |= {title} if belongs else set()
        yield spans


def _line_of(title: str, text: str) -> int:
    """Where the title stands in a line of its own, -1 where it does not."""
    match = re.search(rf"^{re.escape(title)}[ \t]*$", text, re.MULTILINE) if title else None
    return match.start() if match else -1


def _thinned(every: Sequence[list[Sentence]]) -> list[list[Sentence]]:
    """Of a very long document every so many sentences, but the first of each part, which are the likeliest."""
    step = max(1, sum(map(len, every)) // CANDIDATES)
    return [[*spans[:NOTES], *spans[NOTES::step]] for spans in every]


def _different(weighed: Sequence[tuple[Note, frozenset[str]]], count: int) -> list[Note]:
    """The `count` heaviest that do not say the same."""
    chosen: list[tuple[Note, frozenset[str]]] = []
    for note, words in sorted(weighed, key=lambda pair: -pair[0].weight):
        if len(chosen) < count and not any(alike(words, other) for _, other in chosen):
            chosen.append((note, words))
    return [note for note, _ in chosen]
