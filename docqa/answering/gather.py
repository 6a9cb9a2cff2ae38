"""From an understood question to the evidence it is answered from.

Each part of the question is searched. In agent mode, where the best sentence leaves something open that another passage
names together with what it says, that passage is searched for too. It uses no model, and takes two steps at most.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from docqa.answering.certainty import Certainty, certainty, is_answered
from docqa.answering.evidence import Candidate, CandidateUnit, Evidence
from docqa.answering.reading import read
from docqa.answering.scoring import VERIFIED, scale_of, unit_score
from docqa.answering.sections import begins_lines, blocks_in, spans_in
from docqa.answering.subject_units import coded, dated, introduced, labelled, titled
from docqa.questions.question import Kind, Part, Question
from docqa.questions.spelling import as_written
from docqa.questions.wanted import Place
from docqa.questions.wording import content, points_back
from docqa.search.candidates import RETRIEVED
from docqa.search.index import Index
from docqa.search.passages import Passage
from docqa.search.search import search
from docqa.search.weights import share, weights_among
from docqa.store.database import Database
from docqa.store.documents import StoredDocument
from docqa.text.units import in_context
from docqa.text.words import stem, term_set

LEVELS: tuple[Certainty, ...] = ("sure", "unsure", "none")
TITLED: tuple[Kind, ...] = ("reason", "procedure", "description", "summary")  # what a section of its own may explain
LINKED: tuple[Kind, ...] = ("fact", "number", "count")  # what a second passage may complete
PASSAGES = 8
MOST_PASSAGES = 12  # where several things are asked
ABOUT = 0.5  # weight of the carried-over topic
BEFORE = 0.5  # of a word's weight, where it stands in the sentence before
SAID = 0.3  # of its coverage, for a sentence that answered the previous question
NUMBER = 0.15  # for a unit with a digit, where a number is asked for; twice that where vectors count too,
# and half as much again where it names the unit that is asked for
OPEN = 0.3  # of the question's words: what the best sentence may leave open before a second search
CLOSED = 0.3  # of the open words: what that one must hold


@dataclass(frozen=True)
class Gathered:
    """Passages, best first, and their evidence in the same order; how certain it is that they answer."""

    passages: list[Passage]
    evidence: list[Evidence]
    certainty: Certainty


async def find(index: Index, documents: Sequence[StoredDocument], question: Question) -> tuple[Question, Gathered]:
    """The question as it was meant, in the words of the documents, and what they say about it; of one with several
    parts, about those of which they say anything."""
    sought = await asyncio.gather(*(_sought(index, documents, part) for part in question.parts))
    question = replace(question, parts=tuple(part for part, _ in sought))
    results = [passages for _, passages in sought]
    weighed = await asyncio.to_thread(_weighed, question, results)
    if isinstance(weighed, Gathered):
        return question, weighed
    further = await search(index, documents, weighed.link.part, PASSAGES)
    return question, await asyncio.to_thread(weighed.linked, further)


def _weighed(question: Question, results: Sequence[list[Passage]]) -> "Gathered | _Open":
    """The passages of each part that answer it as certainly as any does, judged in agent mode; as they were found where
    none does."""
    levels = [certainty(passages, part) for part, passages in zip(question.parts, results, strict=True)]
    level = min(levels, key=LEVELS.index)
    if not question.options.agent_mode or level == "none":
        return interleave(results, level)
    answered = [
        _judged(part, passages, question.said if part.follows else ()) if of_part == level else []
        for part, passages, of_part in zip(question.parts, results, levels, strict=True)
    ]
    # Nothing is built on a sentence that the verifier doubts.
    is_believed = level == "sure" or scale_of(answered[0]) is not VERIFIED
    may_link = is_believed and len(answered) == 1 and question.parts[0].kind in LINKED
    if may_link and (link := _Link.of(question.parts[0], answered[0])):
        closing = link.closing(answered[0])
        return interleave([*answered, closing], level) if closing else _Open(answered[0], level, link)
    return interleave(answered, level)


async def _in_places(db: Database, places: Sequence[Place], passages: list[Passage]) -> list[Passage]:
    """Those of the passages that are in these chapters and sections, all where none is; only the documents in which
    they were found are looked through."""
    documents = {passage.document.id: passage.document for passage in passages}.values() if places else ()
    spans = [span for place in places for document in documents for span in await spans_in(db, document, place)]
    within = frozenset(span.chunk.id for span in spans)
    return [passage for passage in passages if passage.chunk.id in within] or passages


async def _under_labels(db: Database, labels: Sequence[Place], passages: list[Passage]) -> list[Passage]:
    """The passages with their units raised where they stand under these labels, and without what stands under other
    labels of the same words. Only documents of which a passage has such labels are looked through."""
    for word in dict.fromkeys(label.word for label in labels):
        named = [label for label in labels if label.word == word]
        divided = {p.document.id: p.document for p in passages if begins_lines(word, p.text)}
        for document in divided.values():
            passages = labelled(named, await blocks_in(db, document, word), passages)
    return passages


async def _sought(index: Index, documents: Sequence[StoredDocument], part: Part) -> tuple[Part, list[Passage]]:
    """The part as it was meant, and the passages that are found, the best of them read; only those in the chapters that
    it names, where any are."""
    numbered = [place for place in part.places if place.kind in ("chapter", "section")]
    count = RETRIEVED if numbered else PASSAGES
    passages = await search(index, documents, part, count)
    if part.slips or part.expansions:
        meant = await asyncio.to_thread(as_written, part, [passage.text for passage in passages])
        if meant is not part:
            part, passages = meant, await search(index, documents, meant, count)
    chosen = (await _in_places(index.db, numbered, passages))[:PASSAGES]
    if part.kind in TITLED:
        chosen = await asyncio.to_thread(titled, part, chosen)
    if part.subject:
        chosen = await asyncio.to_thread(introduced, part, chosen)
    if part.codes:
        chosen = await asyncio.to_thread(coded, part, chosen)
    if part.claims.dates:
        chosen = await asyncio.to_thread(dated, part, chosen)
    if labels := [place for place in part.places if place.kind == "label"]:
        chosen = await _under_labels(index.db, labels, chosen)
    # No reader has learned to find what sums up.
    return part, chosen if part.kind == "summary" else await read(index.encoders, part, chosen)


def interleave(parts: Sequence[Sequence[Passage]], level: Certainty = "sure") -> Gathered:
    """The passages of each part of a question in turn, so that each has its best among the first; none twice.

    Candidates keep the number of their part; a part without passages has none.
    """
    passages: dict[int, Passage] = {}
    candidates: dict[int, list[CandidateUnit]] = {}
    spans: dict[int, list[Candidate]] = {}
    scales = [scale_of(of_part) for of_part in parts]
    for row in zip_longest(*parts):
        for part, passage in enumerate(row):
            if passage:
                passages.setdefault(passage.chunk.id, passage)
                candidates.setdefault(passage.chunk.id, []).extend(
                    CandidateUnit(scored.unit, unit_score(passage, scored, scales[part]), part, scored.yes_no)
                    for scored in passage.units
                )
                spans.setdefault(passage.chunk.id, []).extend(
                    Candidate(s.start, s.end, s.score, part) for s in passage.spans or ()
                )
    first = list(passages)[: PASSAGES if sum(map(bool, parts)) < 2 else MOST_PASSAGES]
    return Gathered(
        [passages[id_] for id_ in first],
        [_evidence(passages[id_], candidates[id_], spans[id_]) for id_ in first],
        level,
    )


def _evidence(passage: Passage, units: Sequence[CandidateUnit], spans: Sequence[Candidate]) -> Evidence:
    return Evidence(
        passage.text,
        tuple(units),
        tuple(spans),
        columns=passage.chunk.columns,
        language=passage.document.language,
        document=passage.document.name,
        page_number=passage.chunk.page_number,
        about=f"{passage.document.name} {passage.chunk.section}".strip(),
        unread=passage.spans is None,
    )


def _judged(part: Part, passages: list[Passage], said: Sequence[frozenset[str]]) -> list[Passage]:
    """The passages with their units scored in context.

    A sentence that points back is about what the one before it is about, and a question for a number is more likely
    answered by a sentence with one. In a follow-up, what is new counts more than the carried-over topic, and the
    sentences that answered the previous question, whose terms are `said`, count less: else they would come again.
    """
    texts = {passage.chunk.id: [in_context(passage.text, s.unit) for s in passage.units] for passage in passages}
    held = {id_: [term_set(text) for text in of_passage] for id_, of_passage in texts.items()}
    counts = Counter(term for of_passage in held.values() for words in of_passage for term in words)
    own, about = (weights_among(words, counts) for words in (part.terms, part.context_terms))
    follows = bool(part.context and part.content)
    number = part.expects in ("number", "date")
    unit = term_set(part.unit)
    carries = part.kind != "whether"  # what is so or not is said by the sentence that names it
    out = []
    for passage in passages:
        by_words = not passage.across
        units, before = [], term_set(passage.lead)
        for scored, text, words in zip(passage.units, texts[passage.chunk.id], held[passage.chunk.id], strict=True):
            carries_over = carries and by_words and points_back(text, part.language)
            carried = before - words if carries_over else frozenset[str]()
            coverage = scored.coverage
            if follows and by_words:
                coverage = (share(own, words) + ABOUT * share(about, words)) / (1 + ABOUT)
            coverage += BEFORE * (share(about, carried) * ABOUT / (1 + ABOUT) if follows else share(own, carried))
            if number and any(map(str.isdigit, text)):
                coverage += NUMBER * (1 if scored.cosine is None else 2) * (1.5 if unit & words else 1)
            # A row says several things, of which it was one that answered.
            repeats = scored.unit.kind != "row" and any(_repeats(words, earlier) for earlier in said)
            coverage *= SAID if repeats else 1.0
            units.append(replace(scored, coverage=coverage))
            before = words | carried
        out.append(replace(passage, units=tuple(units)))
    return (
        sorted(out, key=lambda passage: -max((scored.score for scored in passage.units), default=0.0))
        if part.follows
        else out
    )


def _repeats(sentence: frozenset[str], earlier: frozenset[str]) -> bool:
    """Whether a sentence says what an earlier answer said: one has all terms of the other."""
    return sentence <= earlier or earlier <= sentence


@dataclass(frozen=True)
class _Link:
    """What the best sentence leaves open of a question, and the `part` that is searched for next: the `words` that are
    still open, and its own, the `links`, of which one must be with them.

    Feedback as in Rocchio (1971) and RM3, from one sentence: "the workshop of the company that made it" is searched for
    again with the company's name.
    """

    words: frozenset[str]
    links: frozenset[str]
    part: Part

    @classmethod
    def of(cls, part: Part, passages: Sequence[Passage]) -> "_Link | None":
        """What is open after these passages, best first; None where that is little."""
        best = max(
            ((sentence.score, passage, sentence) for passage in passages[:3] for sentence in passage.units),
            key=lambda scored: scored[0],
            default=None,
        )
        if best is None or part.is_dense or best[1].across or is_answered(passages, part):
            return None
        _, passage, sentence = best
        stated = content(passage.text[sentence.start : sentence.end], part.language)
        words = frozenset(part.stems.values()) - frozenset(map(stem, stated))
        links = frozenset(map(stem, stated)) - part.searched_stems
        if not links or not OPEN * len(part.content) < len(words) < len(part.content):
            return None
        stems = {**part.stems, **{word: stem(word) for word in stated}}
        text = " ".join(word for word, known in stems.items() if known in words | links)
        return cls(words, links, replace(part, text=text, context="", pages={}, expansions=()))

    def closing(self, passages: Sequence[Passage]) -> list[Passage]:
        """The passages with sentences that hold enough of both, only these sentences listed in them, best first."""
        out = []
        for passage in passages:
            kept = []
            for sentence in passage.units:
                said = content(passage.text[sentence.start : sentence.end], self.part.language)
                held = frozenset(map(stem, said))
                closed, linked = len(self.words & held) / len(self.words), len(self.links & held) / len(self.links)
                if closed >= CLOSED and linked:
                    kept.append(replace(sentence, coverage=closed + linked))
            if kept:
                out.append(replace(passage, units=tuple(kept)))
        return sorted(out, key=lambda passage: -max(sentence.score for sentence in passage.units))


@dataclass(frozen=True)
class _Open:
    """The passages of a question of one part, which a second search may complete by the `link`."""

    passages: list[Passage]
    level: Certainty
    link: _Link

    def linked(self, further: Sequence[Passage]) -> Gathered:
        """With those of the second search that hold what is open."""
        return interleave([self.passages, self.link.closing(further)], self.level)
