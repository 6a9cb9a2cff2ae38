"""The most telling sentences of a document, without a model: of each section one or two, and of these the few that sum
it up.

It counts words and considers where a sentence stands and how it is made: an abstract, a summary, the first paragraph
and conclusions come before the rest. What is said once, in rare words and in the middle of a section, it misses.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from docqa.ingest.headings import after_headings, role_of
from docqa.ingest.selection import FIRST_SECTIONS, alike, content
from docqa.ingest.sentence_worth import (
    LONGEST,
    denies,
    is_boilerplate,
    is_cue,
    is_prose,
    leans,
    names_itself,
    standing,
    states_amount,
)
from docqa.ingest.subjects import defines, names, tells_story
from docqa.store.notes import Note
from docqa.text.detect import is_function_word
from docqa.text.sentences import sentences
from docqa.text.words import terms

PARTS = 12  # into which even a short document without sections is divided
SMALLEST_PART, PART = 400, 3000  # characters; a longer section is divided into parts
NOTES = 2  # of each part
OPENING = 6  # sentences at the beginning of a document that stand for it
WHOLE_SUMMARY, FEW_SUMMED = 40, 3  # sentences of a summary that do; with fewer, the next one does too
WORDS = 12  # telling ones; a sentence of fewer says less
CANDIDATES = 12_000  # sentences judged, spread evenly over a very long document: the cost stays a few seconds
BOILERPLATE = 0.3  # of the sentences of a part: from here on it is a licence or the like, and counts LICENCE
LICENCE = 0.1
FEW = 20  # sentences: of fewer, their share says nothing of what a document is about
_STEP = re.compile(r"(?:^|\n)[ \t]*\(?(?:\d{1,2}|[A-Za-z])[.)][ \t]*$")
DECAY = 0.12  # of the weight of a summary, from each of its sentences to the next
SUMMARY, LEAD, CLOSING, SKIPPED = 8.0, 2.0, 1.6, 0.02
EARLY_PARTS = 3
BEGINS, LEADS = 1.8, 1.3  # times as much, for the first sentence below a heading, and of a paragraph
STEP = 0.2  # of an instruction
AMOUNT = 1.3  # for one with an amount of money, in a document of few parts: a bill, a contract, a notice
FEW_PARTS = 15
END = 0.9  # of a document: from here on what was found or decided counts CLOSING
DEFINES = 3.0  # for the first one that says what something is of which the document speaks by name
LEAST = 0.1  # of what the words of a typical sentence weigh: so much weigh those that are not said again
JUDGED = 1.5  # in a summary, for one that says that something is not so
MANY_PARTS, MIDDLE = 40, 0.4  # of a document; what a sentence inside its sections weighs there
NAMED = 0.15  # in a story, for each of its names


class Chunk(Protocol):
    """What a chunk is judged by; `terms` are its search terms, separated by spaces."""

    @property
    def section(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def terms(self) -> str: ...


class _Sentence(NamedTuple):
    chunk: int
    start: int
    end: int
    role: str = ""  # of the section it stands in: summary, closing, skipped
    begins: bool = False  # the first one below a heading
    leads: bool = False  # the first one of a paragraph
    is_step: bool = False  # an item of a numbered list


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
    # A guide to copyright speaks of it throughout.
    texts = [_of(chunks, span) for part in prose for span in part]
    formulas = {span for part in prose for span in part if is_boilerplate(_of(chunks, span))}
    formulas = formulas if len(texts) < FEW or len(formulas) <= BOILERPLATE * len(texts) else set()
    known, is_story = names(texts), tells_story(chunk.text for chunk in chunks)
    defining = _defining(prose, known, chunks)
    means = [_mean(frozenset(terms(_of(chunks, span))), weights, set()) for part in prose for span in part]
    typical = _median(means) or max(means, default=0.0) or 1.0
    made: list[Note] = []
    for number, spans in enumerate(prose):
        titles = set(terms(chunks[parts[number][0]].section))
        early = 1 + 0.5 * max(0.0, 1 - number / (FIRST_SECTIONS * len(parts)))
        weighed, kept = [], NOTES
        is_licence = sum(span in formulas for span in spans) > BOILERPLATE * len(spans)
        for place, span in enumerate(spans):
            text = _of(chunks, span)
            words = frozenset(terms(text))
            opens = opening.get(span, 0.0)
            mean = _mean(words, weights, titles)
            # What a summary says counts also where it says it in words that do not come again; a story has no topic.
            mean = (mean + 2 * typical) / 2 if opens or span in defining or focus else mean
            mean = typical if is_story else math.sqrt((mean + LEAST * typical) * typical)
            sought = focus(text) if focus else 1.0
            weight = (
                standing(text, may_lean=bool(opens), is_formula=span in formulas)
                * mean
                * _placed(span, place, opens, denies=denies(text))
                * sought
                * (MIDDLE if len(parts) > MANY_PARTS and not (opens or span.begins or span in defining) else 1.0)
                * (AMOUNT if len(parts) <= FEW_PARTS and states_amount(text) else 1.0)
                * (CLOSING if number >= END * len(parts) and is_cue(text) else 1.0)
                * (DEFINES if span in defining else 1.0)
                * (1 + NAMED * sum(name in text for name in known) if is_story else 1.0)
            )
            weighed.append(
                (
                    Note(span.chunk, span.start, span.end, number, weight * early * (LICENCE if is_licence else 1.0)),
                    content(words),
                )
            )
            kept += opens > 0 or sought > 1 or span in defining
        made += _different(weighed, kept)
    return sorted(made, key=lambda note: (note.chunk, note.start))


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
    role, last_role, section, begins = "", "", "", True
    said: set[str] = set()  # sections that have sentences
    for part in parts:
        spans: list[_Sentence] = []
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
                spans.append(_Sentence(index, start, end, role, begins and is_sentence, leads, is_step))
                if is_sentence:
                    begins, last_role = False, role
                    said |= {title} if belongs else set()
        yield spans


def _line_of(title: str, text: str) -> int:
    """Where the title stands in a line of its own, -1 where it does not."""
    match = re.search(rf"^{re.escape(title)}[ \t]*$", text, re.MULTILINE) if title else None
    return match.start() if match else -1


def _thinned(every: Sequence[list[_Sentence]]) -> list[list[_Sentence]]:
    """Of a very long document every so many sentences, but the first of each part, which are the likeliest."""
    step = max(1, sum(map(len, every)) // CANDIDATES)
    return [[*spans[:NOTES], *spans[NOTES::step]] for spans in every]


def _openings(prose: Sequence[Sequence[_Sentence]]) -> dict[_Sentence, float]:
    """The first sentences of the summary, and of the document, with what they weigh more, the first one most."""
    spans = [span for part in prose for span in part]
    summary = _first_summary(spans)
    lead = [span for span in next(filter(None, prose), ()) if span.role == ""][: 0 if summary else OPENING]
    opening = {span: LEAD - 0.15 * place for place, span in enumerate(lead)}
    return opening | {span: SUMMARY - DECAY * place for place, span in enumerate(summary)}


def _first_summary(spans: Sequence[_Sentence]) -> list[_Sentence]:
    """The sentences of the first summary, and of what follows it under the same kind of title while these are few."""
    summary: list[_Sentence] = []
    for span in spans:
        if span.role == "summary":
            if span.begins and len(summary) >= FEW_SUMMED or len(summary) == WHOLE_SUMMARY:
                break
            summary.append(span)
    return summary


def _placed(span: _Sentence, place: int, opens: float, *, denies: bool) -> float:
    """What a sentence weighs by its place: in a summary, at the beginning, in a conclusion, first of its part."""
    by_role = {"closing": CLOSING, "skipped": SKIPPED}.get(span.role, 1.0)
    weight = opens or by_role * (1 + 0.5 / (1 + place))
    weight *= JUDGED if span.role == "summary" and opens and denies else 1.0
    weight *= BEGINS if span.begins else LEADS if span.leads else 1.0
    return weight * STEP if span.is_step else weight


def _defining(prose: Sequence[Sequence[_Sentence]], known: Sequence[str], chunks: Sequence[Chunk]) -> set[_Sentence]:
    """The first sentences, early in the document, that say of each name what it is."""
    first: dict[str, _Sentence] = {}
    for part in prose[: max(EARLY_PARTS, round(FIRST_SECTIONS * len(prose)))]:
        for span in part:
            text = _of(chunks, span)
            if span.role != "skipped" and (name := defines(text, known)):
                first.setdefault(name, span)
            elif span.role == "" and names_itself(text) and leans(text):  # "This agreement is made between"
                first.setdefault("", span)
    return set(first.values())


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


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2] if values else 0.0


def _different(weighed: Sequence[tuple[Note, frozenset[str]]], count: int) -> list[Note]:
    """The `count` heaviest that do not say the same."""
    chosen: list[tuple[Note, frozenset[str]]] = []
    for note, words in sorted(weighed, key=lambda pair: -pair[0].weight):
        if len(chosen) < count and not any(alike(words, other) for _, other in chosen):
            chosen.append((note, words))
    return [note for note, _ in chosen]


def _of(chunks: Sequence[Chunk], span: _Sentence) -> str:
    return chunks[span.chunk].text[span.start : span.end]
