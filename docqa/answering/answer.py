"""From messages and documents to an answer and the passages it rests on.

find the passages → enough to go on? → the provider's pieces, a model's checked → marks and sources.
"""

import asyncio
import logging
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from docqa.answering.by_model import Chat
from docqa.answering.certainty import Certainty
from docqa.answering.checking import Checked
from docqa.answering.citation import Citations
from docqa.answering.evidence import Evidence, Piece, Provider
from docqa.answering.extractive import Extractive
from docqa.answering.gather import Gathered, find
from docqa.answering.gist import called, speak_of
from docqa.answering.overview import Overview, overview
from docqa.answering.phrasing import refusal
from docqa.answering.place_summary import NamedPlace, gist_of, labelled
from docqa.answering.resources import Answering
from docqa.answering.whole_text import pieces_of
from docqa.catalog.targets import QUOTES, Target
from docqa.errors import DocqaError, OutOfTime, ProviderFailed, TooSlow, Unavailable
from docqa.languages import phrase
from docqa.questions.question import Question
from docqa.records import Source
from docqa.search.passages import Passage
from docqa.search.readiness import passages_left
from docqa.store.documents import StoredDocument
from docqa.tables.answer import answer_from_table

log = logging.getLogger(__name__)

NEAREST_PASSAGES = 3  # whose pages a refusal names
TABLE, OVERVIEW, REFUSAL = "table", "overview", "refusal"
GAINING = ("reason", "compare", "summary", "task")  # kinds of questions

T = TypeVar("T")


@dataclass
class Answer:
    """An answer in progress: `sources` is complete once `tokens` has ended, and empty unless sources were requested;
    whatever a token marks is in it when the token comes.

    `target` is what makes it: a target as `models.toml` writes it, or TABLE, OVERVIEW or REFUSAL if none was needed.
    `gathered` are the passages that were found for it, if it was searched for, and `certainty` is how certain it was,
    before it began, that they answer.
    """

    question: Question
    tokens: AsyncGenerator[str, None]
    target: str
    sources: list[Source] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)  # doc_id → name of the document
    gathered: Sequence[Passage] = ()
    certainty: Certainty = "sure"

    def uncited(self) -> list[Passage]:
        """What was found and is not among the sources."""
        cited = {(source.doc_id, source.page_number, source.source_chunk) for source in self.sources}
        return [
            passage
            for passage in self.gathered
            if (passage.document.doc_id, passage.chunk.page_number, passage.text) not in cited
        ]

    @property
    def gains(self) -> bool:
        """Whether quotes are made for a question that a language model answers better: why, compare, summarise."""
        question = self.question
        wanted = question.wants_reasons or question.wants_comparison or question.scope.wanted == "summary"
        return self.target == str(QUOTES) and (wanted or any(part.kind in GAINING for part in question.parts))


async def answer(answering: Answering, documents: Sequence[StoredDocument], question: Question) -> Answer:
    """Find, judge, and start the answer. Returns with its first token, so that a failure before it has its own
    status."""
    db = answering.index.db
    under_labels = await labelled(db, documents, question.scope.labels)
    if not under_labels and (counted := await answer_from_table(db, answering.index.encoders, documents, question)):
        return Answer(question, _whole(counted.text), TABLE, counted.sources, _names(documents))
    on_topic = await _of_topic(answering, documents, question)
    is_told = on_topic is not None and on_topic[1].certainty == "sure"
    if not is_told and (whole := await _of_whole_documents(answering, documents, question, under_labels)):
        return whole
    return await _of_passages(answering, documents, *(on_topic or await find(answering.index, documents, question)))


async def _of_topic(
    answering: Answering, documents: Sequence[StoredDocument], question: Question
) -> tuple[Question, Gathered] | None:
    """The passages about what a summary is wanted of, sure where they speak of it; None where it is all of a document,
    by whatever name."""
    if not question.sums_up_topic or await called(answering.index.db, documents, question.scope):
        return None
    question, gathered = await find(answering.index, documents, question)
    if gathered.certainty == "unsure" and speak_of(question.scope, gathered.passages):
        gathered = replace(gathered, certainty="sure")  # whatever stands there of it, it is what was wanted
    return question, gathered


def _names(documents: Sequence[StoredDocument]) -> dict[str, str]:
    return {document.doc_id: document.name for document in documents}


async def _of_whole_documents(
    answering: Answering, documents: Sequence[StoredDocument], question: Question, under_labels: Sequence[NamedPlace]
) -> Answer | None:
    """The answer from all of the documents, or from all that stands under labels; None for a question that some
    passages answer."""

    async def look_over(provider: Provider) -> Overview | None:
        if under_labels:
            return await gist_of(under_labels, question, provider)
        return await overview(answering.index.db, documents, question, provider)

    async def sum_up(provider: Provider) -> tuple[Overview | None, bool]:
        whole = await look_over(provider)
        if whole is None:
            return None, False
        if not isinstance(provider, Chat) or not whole.by_provider:
            return replace(whole, pieces=await _started(whole.pieces)), False
        evidence = [Evidence(passage.text, language=passage.document.language) for passage in whole.passages]
        checked = Checked(question, evidence, None, strict=provider.model.is_small)
        pieces = await _started(checked.pieces(whole.pieces))
        if checked.says_nothing:
            return await look_over(Extractive()), True
        return replace(whole, pieces=pieces), False

    begun = await _first(answering, question.options.model_name, sum_up)
    whole = begun.what
    if not whole:
        return None
    target = QUOTES if begun.replaced else begun.target
    made = Answer(question, _whole(""), str(target) if whole.by_provider else OVERVIEW, names=_names(documents))
    instead = _instead(answering, begun, question) if whole.by_provider else ""
    tokens = _cited(made, whole.passages, whole.pieces)
    made.tokens = _framed(whole.opening, tokens, whole.closing + instead)
    return made


async def _of_passages(
    answering: Answering, documents: Sequence[StoredDocument], question: Question, gathered: Gathered
) -> Answer:
    """The answer from the passages that are found, or that they do not tell."""
    names = _names(documents)
    # Nothing has to be said of a task in the documents: it is done with what they say.
    if gathered.certainty == "none" and not (question.kind == "task" and gathered.passages):
        pages = [(passage.document.name, passage.chunk.page_number) for passage in gathered.passages[:NEAREST_PASSAGES]]
        encoders = answering.index.encoders
        foreign = encoders.foreign(question.language, {document.language for document in documents})
        by_words = encoders.lacks(question.language)
        preparing = await passages_left(answering.index, documents, question.language) > 0
        text = refusal(pages, question.answer_language, foreign, by_words=by_words, preparing=preparing)
        return Answer(question, _whole(text), REFUSAL, [], names, gathered.passages, gathered.certainty)
    sure = gathered.certainty == "sure"

    async def write(provider: Provider) -> tuple[AsyncGenerator[Piece, None], bool]:
        if not isinstance(provider, Chat) and question.kind == "task":
            return pieces_of([]), False
        pieces = provider.answer(question, gathered.evidence)
        if not isinstance(provider, Chat):
            return await _started(pieces), False
        extract = Extractive(sure=sure).answer(question, gathered.evidence) if question.kind != "task" else None
        checked = Checked(question, gathered.evidence, extract, strict=provider.model.is_small)
        pieces = await _started(checked.pieces(pieces))
        return pieces, checked.replaced

    written = await _first(answering, question.options.model_name, write, sure=sure)
    target = QUOTES if written.replaced else written.target
    made = Answer(question, _whole(""), str(target), [], names, gathered.passages, gathered.certainty)
    tokens = _cited(made, gathered.passages, written.what)
    if question.kind == "task" and written.target == QUOTES:
        made.tokens = _framed(phrase("phrases.talk.work", question.answer_language), tokens, "")
    else:
        made.tokens = _framed("", tokens, _instead(answering, written, question))
    return made


def _instead(answering: Answering, begun: "_Begun[Any]", question: Question) -> str:
    """What is said after quotes that stand in the place of a model's answer; "" after any other."""
    language, limit = question.answer_language, round(answering.answer_seconds)
    if begun.replaced:
        text = phrase("phrases.instead.wrong", language).format(model=begun.target.model)
    elif begun.target.kind == QUOTES.kind and begun.late:
        target, error = begun.late
        if isinstance(error, TooSlow):
            seconds = max(math.ceil(error.seconds), limit + 1)
            text = phrase("phrases.instead.too_slow", language).format(model=target.model, seconds=seconds, limit=limit)
        else:
            text = phrase("phrases.instead.out_of_time", language).format(model=target.model, limit=limit)
    else:
        return ""
    return f"\n\n{text}"


@dataclass(frozen=True)
class _Begun(Generic[T]):
    """What the first target that could begin has begun. `replaced`: it was wrong, and quotes stand in its place;
    `late` is the first target that had too little time."""

    target: Target
    what: T
    replaced: bool
    late: tuple[Target, OutOfTime] | None


async def _first(
    answering: Answering, model_name: str, begin: Callable[[Provider], Awaitable[tuple[T, bool]]], *, sure: bool = True
) -> _Begun[T]:
    """The first target that can begin, and what it began; all of them share the time for one answer.

    `sure`: it is certain that the evidence answers, of which a model judges for itself.

    Raises Unavailable where none can be used, and what the first one raised where all that were asked failed.
    """
    clock = asyncio.get_running_loop().time
    deadline = clock() + answering.answer_seconds
    failures: list[DocqaError] = []
    late: tuple[Target, OutOfTime] | None = None
    for target in answering.chat_models.targets(model_name):
        try:
            seconds = max(0.0, round(deadline - clock(), 1))
            what, replaced = await begin(provider_of(answering, target, seconds, sure=sure))
            return _Begun(target, what, replaced, late)
        except (Unavailable, ProviderFailed) as error:
            log.warning("%s is not answered by %s: %s", model_name, target, error)
            failures.append(error)
            late = late or (target, error) if isinstance(error, OutOfTime) else late
            if not answering.chat_models.falls_through(model_name, error):
                break
    raise failures[0]


def provider_of(answering: Answering, target: Target, seconds: float, *, sure: bool = True) -> Provider:
    """What answers as this target; a model has so many seconds for it."""
    model = answering.chat_models.open(target)
    return Chat(model, seconds, answering.layouts[model], is_unsure=not sure) if model else Extractive(sure=sure)


async def _framed(opening: str, tokens: AsyncGenerator[str, None], closing: str) -> AsyncGenerator[str, None]:
    async with aclosing(tokens):
        if opening:
            yield opening
        async for token in tokens:
            yield token
        if closing:
            yield closing


async def _whole(text: str) -> AsyncGenerator[str, None]:
    yield text


async def _started(pieces: AsyncGenerator[Piece, None]) -> AsyncGenerator[Piece, None]:
    """The same pieces, the first one already made."""
    first = await anext(pieces, None)

    async def rest() -> AsyncGenerator[Piece, None]:
        try:
            if first is not None:
                yield first
            async for piece in pieces:
                yield piece
        finally:
            await pieces.aclose()

    return rest()


async def _cited(
    made: Answer, passages: Sequence[Passage], pieces: AsyncGenerator[Piece, None]
) -> AsyncGenerator[str, None]:
    citations = Citations(visible=made.question.options.cite_source)
    try:
        async for text in citations.mark(pieces):
            for index in citations.cited[len(made.sources) :]:
                passage, number = passages[index], len(made.sources) + 1
                made.sources.append(Source(number, passage.document.doc_id, passage.text, passage.chunk.page_number))
            if text:
                yield text
    finally:
        await pieces.aclose()
