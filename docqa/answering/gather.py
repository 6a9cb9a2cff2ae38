"""From a question within its conversation to the evidence it is answered from.

`agent_mode=false` is one search. With it, the question is made to stand alone, parted into what it asks, each part is searched, and where the best
sentence leaves something open that another passage names together with what it says, that one is sought too. It asks no model, and takes two steps at most.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from docqa.answering.evidence import Candidate, Evidence
from docqa.answering.reading import read
from docqa.answering.relevance import relevant
from docqa.questions import parts as compound
from docqa.questions.follow_up import StandAlone, asks_for_number, content, points_back, says_enough, stand_alone
from docqa.questions.question import Question
from docqa.search.index import Index
from docqa.search.passages import Passage
from docqa.search.search import search
from docqa.search.weights import share, weights_among
from docqa.store.documents import StoredDocument
from docqa.text.detect import detect
from docqa.text.words import PREFIX, fold, is_dense, terms

PASSAGES = 8
MOST_PASSAGES = 12  # where several things are asked
ABOUT = 0.5  # weight of what a follow-up is about beside what it asks
BEFORE = 0.5  # of a word's weight, where it stands in the sentence before
NUMBER = 0.15  # for a sentence with a digit, where a number is asked for
OPEN = 0.3  # of the question's words: what the best sentence may leave open before another one is sought
CLOSED = 0.3  # of the open words: what that one must hold


@dataclass(frozen=True)
class Found:
    """Passages, best first, and what each of them is evidence for, in the same order; `speaks` is whether they say anything of what is asked."""

    passages: list[Passage]
    evidence: list[Evidence]
    speaks: bool


def question_language(text: str, documents: Sequence[StoredDocument]) -> str:
    """The question's own language; where it is too short to tell, that of the documents."""
    return detect(text) or next((document.language for document in documents if document.language), "en")


async def find(index: Index, documents: Sequence[StoredDocument], question: Question, *, agent: bool) -> Found:
    """What the documents say about the question; of a question with several parts, about those of which they say anything."""
    earlier = [text for sender, text in question.history if sender == "user"][-1:]
    language = question_language(" ".join([*earlier, question.text]), documents)
    if not agent:
        text = question.text if says_enough(question.text, language) else " ".join([*earlier, question.text])
        passages = await _sought(index, documents, text, language)
        return together([passages], speaks=relevant(passages, question.text))
    history, asked = list(question.history), []
    for part in compound.parts(question.text, language):
        asked.append(stand_alone(part, history, language))
        history.append(("user", part))
    found = await asyncio.gather(*(_sought(index, documents, one.whole, language) for one in asked))
    told = [
        (one, _judged(one, passages, language))
        for one, passages in zip(asked, found, strict=True)
        if relevant(passages, one.text)
    ]
    if not told:
        return together(found, speaks=False)
    parts = [passages for _, passages in told]
    if len(asked) == 1:
        parts.append(await _linked(index, documents, asked[0], parts[0], language))
    return together(parts)


async def _sought(index: Index, documents: Sequence[StoredDocument], text: str, language: str) -> list[Passage]:
    """The passages that are found, the best of them read."""
    return await read(index.encoders, text, language, await search(index, documents, text, language, PASSAGES))


def together(parts: Sequence[Sequence[Passage]], *, speaks: bool = True) -> Found:
    """The passages of each part of a question in turn, so that each has its best among the first; none twice."""
    parts = [passages for passages in parts if passages]
    passages: dict[int, Passage] = {}
    candidates: dict[int, list[Candidate]] = {}
    spans: dict[int, list[Candidate]] = {}
    for row in zip_longest(*parts):
        for part, passage in enumerate(row):
            if passage:
                passages.setdefault(passage.chunk.id, passage)
                candidates.setdefault(passage.chunk.id, []).extend(
                    Candidate(s.start, s.end, s.score, part) for s in passage.sentences
                )
                spans.setdefault(passage.chunk.id, []).extend(
                    Candidate(s.start, s.end, s.score, part) for s in passage.spans or ()
                )
    first = list(passages)[: PASSAGES if len(parts) < 2 else MOST_PASSAGES]
    return Found(
        [passages[id_] for id_ in first],
        [Evidence(passages[id_].text, tuple(candidates[id_]), tuple(spans[id_])) for id_ in first],
        speaks,
    )


def _judged(asked: StandAlone, passages: list[Passage], language: str) -> list[Passage]:
    """The passages with their sentences judged as their places ask for.

    A sentence that points back is about what the one before it is about, and where a number is asked for, one with a number answers sooner. In a
    follow-up, what is asked counts before what it is about: else the sentence that answered the question before comes again.
    """
    texts = {passage.chunk.id: [passage.text[s.start : s.end] for s in passage.sentences] for passage in passages}
    counts = Counter(
        term for sentences in texts.values() for sentence in sentences for term in frozenset(terms(sentence))
    )
    own, about = (weights_among(terms(text), counts) for text in (asked.text, asked.context))
    follows = bool(asked.context and content(asked.text, language))
    number = asks_for_number(asked.text, language)
    out = []
    for passage in passages:
        sentences, before = [], frozenset(terms(passage.lead))
        for sentence, text in zip(passage.sentences, texts[passage.chunk.id], strict=True):
            words = frozenset(terms(text))
            carried = before - words if points_back(text, language) else frozenset[str]()
            coverage = (share(own, words) + ABOUT * share(about, words)) / (1 + ABOUT) if follows else sentence.coverage
            coverage += BEFORE * (share(about, carried) * ABOUT / (1 + ABOUT) if follows else share(own, carried))
            coverage += NUMBER if number and any(map(str.isdigit, text)) else 0.0
            sentences.append(replace(sentence, coverage=coverage))
            before = words | carried
        out.append(replace(passage, sentences=tuple(sentences)))
    return (
        sorted(out, key=lambda passage: -max((sentence.score for sentence in passage.sentences), default=0.0))
        if follows
        else out
    )


async def _linked(
    index: Index, documents: Sequence[StoredDocument], asked: StandAlone, passages: list[Passage], language: str
) -> list[Passage]:
    """The passages that take up what the best sentence says and hold what it leaves open of the question; none where it leaves little open.

    Feedback as in Rocchio (1971) and RM3, from one sentence: "the workshop of the company that made it" is sought again with the company's name.
    """
    best = max(
        ((sentence.score, passage, sentence) for passage in passages[:3] for sentence in passage.sentences),
        key=lambda one: one[0],
        default=None,
    )
    if best is None or is_dense(asked.text):
        return []
    _, passage, sentence = best
    said = content(passage.text[sentence.start : sentence.end], language)
    own = content(asked.text, language)
    missing = _Link(
        frozenset(map(_stem, own)) - frozenset(map(_stem, said)),
        frozenset(map(_stem, said)) - frozenset(map(_stem, content(asked.whole, language))),
    )
    if not missing.links or not OPEN * len(own) < len(missing.words) < len(own):
        return []
    if found := missing.closing(passages, language):
        return found
    text = " ".join(word for word in dict.fromkeys([*own, *said]) if _stem(word) in missing.words | missing.links)
    return missing.closing(await search(index, documents, text, language, PASSAGES), language)


@dataclass(frozen=True)
class _Link:
    """What is sought in a second step: the words that are still open, and those of which one must be with them."""

    words: frozenset[str]
    links: frozenset[str]

    def closing(self, passages: Sequence[Passage], language: str) -> list[Passage]:
        """The passages with sentences that hold enough of both, only these sentences listed in them, best first."""
        out = []
        for passage in passages:
            kept = []
            for sentence in passage.sentences:
                held = frozenset(map(_stem, content(passage.text[sentence.start : sentence.end], language)))
                closed, linked = len(self.words & held) / len(self.words), len(self.links & held) / len(self.links)
                if closed >= CLOSED and linked:
                    kept.append(replace(sentence, coverage=closed + linked))
            if kept:
                out.append(replace(passage, sentences=tuple(kept)))
        return sorted(out, key=lambda passage: -max(sentence.score for sentence in passage.sentences))


def _stem(word: str) -> str:
    return fold(word)[:PREFIX]
