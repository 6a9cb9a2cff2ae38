"""From messages and documents to an answer and the passages it rests on.

find the passages → enough to go on? → the provider's pieces → marks and sources.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TypeVar

from docqa.answering.by_model import Chat
from docqa.answering.citation import Citations
from docqa.answering.evidence import Piece, Provider
from docqa.answering.extractive import Extractive
from docqa.answering.gather import find
from docqa.answering.overview import Overview, overview
from docqa.answering.phrasing import refusal
from docqa.answering.resources import Answering
from docqa.catalog.targets import Target
from docqa.errors import DocqaError, ProviderFailed, Unavailable
from docqa.questions.question import Question
from docqa.records import Source
from docqa.search.passages import Passage
from docqa.store.documents import StoredDocument
from docqa.tables.answer import answer_from_table

log = logging.getLogger(__name__)

NEAREST_PASSAGES = 3  # whose pages a refusal names
TABLE, OVERVIEW, REFUSAL, READER = "table", "overview", "refusal", "reader"

T = TypeVar("T")


@dataclass
class Answer:
    """An answer in progress: `sources` is complete once `tokens` has ended, and empty unless sources were requested.

    `target` is what makes it: a target as `models.toml` writes it, READER for the extractive one if the reader found
    the facts, or TABLE, OVERVIEW or REFUSAL if no target was needed.
    """

    question: Question
    tokens: AsyncGenerator[str, None]
    target: str
    sources: list[Source] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)  # doc_id → name of the document


async def answer(answering: Answering, documents: Sequence[StoredDocument], question: Question) -> Answer:
    """Find, judge, and start the answer. Returns with its first token, so that a failure before it has its own
    status."""
    names = {document.doc_id: document.name for document in documents}
    if counted := await answer_from_table(answering.index.db, answering.index.encoders, documents, question):
        return Answer(question, _whole(counted.text), TABLE, counted.sources, names)

    async def sum_up(provider: Provider) -> Overview | None:
        whole = await overview(answering.index.db, documents, question, provider)
        return whole and replace(whole, pieces=await _started(whole.pieces))

    target, whole = await _first(answering, question.options.model_name, sum_up)
    if whole:
        made = Answer(question, _whole(""), str(target) if whole.by_provider else OVERVIEW, names=names)
        tokens = _cited(made, whole.passages, whole.pieces)
        made.tokens = _framed(whole.opening, tokens, whole.closing)
        return made
    gathered = await find(answering.index, documents, question)
    if gathered.certainty == "none":
        pages = [(passage.document.name, passage.chunk.page_number) for passage in gathered.passages[:NEAREST_PASSAGES]]
        encoders = answering.index.encoders
        foreign = encoders.foreign(question.language, {document.language for document in documents})
        by_words = encoders.lacks(question.language)
        text = refusal(pages, question.answer_language, foreign, by_words=by_words)
        return Answer(question, _whole(text), REFUSAL, names=names)
    target, pieces = await _first(
        answering,
        question.options.model_name,
        lambda provider: _started(provider.answer(question, gathered.evidence)),
        sure=gathered.certainty == "sure",
    )
    read = target.kind == "extractive" and any(passage.spans for passage in gathered.evidence)
    made = Answer(question, _whole(""), READER if read else str(target), names=names)
    made.tokens = _cited(made, gathered.passages, pieces)
    return made


async def _first(
    answering: Answering, model_name: str, begin: Callable[[Provider], Awaitable[T]], *, sure: bool = True
) -> tuple[Target, T]:
    """The first target that can begin, and what it began; all of them share the time for one answer.

    `sure`: it is certain that the evidence answers, of which a model judges for itself.

    Raises Unavailable where none can be used, and what the first one raised where all that were asked failed.
    """
    clock = asyncio.get_running_loop().time
    deadline = clock() + answering.answer_seconds
    failures: list[DocqaError] = []
    for target in answering.chat_models.targets(model_name):
        try:
            seconds = max(0.0, round(deadline - clock(), 1))
            return target, await begin(provider_of(answering, target, seconds, sure=sure))
        except (Unavailable, ProviderFailed) as error:
            log.warning("%s is not answered by %s: %s", model_name, target, error)
            failures.append(error)
            if not answering.chat_models.falls_through(model_name, error):
                break
    raise failures[0]


def provider_of(answering: Answering, target: Target, seconds: float, *, sure: bool = True) -> Provider:
    """What answers as this target; a model has so many seconds for it."""
    model = answering.chat_models.open(target)
    return Chat(model, seconds, answering.layouts[model]) if model else Extractive(sure=sure)


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
    citations = Citations(
        [passage.text for passage in passages], made.question.answer_language, visible=made.question.options.cite_source
    )
    try:
        async for text in citations.mark(pieces):
            if text:
                yield text
    finally:
        await pieces.aclose()
    for number, index in enumerate(citations.cited, 1):
        passage = passages[index]
        made.sources.append(Source(number, passage.document.doc_id, passage.text, passage.chunk.page_number))
