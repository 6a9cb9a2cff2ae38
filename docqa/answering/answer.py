"""From messages and documents to an answer and the passages it rests on.

find the passages → enough to go on? → the provider's pieces → marks and sources.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from docqa.answering.by_model import Chat
from docqa.answering.citation import Citations
from docqa.answering.evidence import Piece, Provider
from docqa.answering.extractive import Extractive
from docqa.answering.gather import find, question_language
from docqa.answering.overview import Overview, overview
from docqa.answering.phrasing import refusal
from docqa.answering.resources import Answering
from docqa.catalog.targets import Target
from docqa.errors import DocqaError, ProviderFailed, Unavailable
from docqa.languages import BY_API_NAME
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
    """One answer in the making: `sources` is complete when `tokens` has ended, and empty unless sources were asked for.

    `target` is what made it: a target as `models.toml` writes it, READER for the extractive one where the reader found the facts, or TABLE, OVERVIEW or
    REFUSAL where none was needed.
    """

    question: Question
    tokens: AsyncGenerator[str, None]
    target: str
    sources: list[Source] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)  # doc_id → name of the document


def read_question(
    messages: Sequence[dict[str, Any]], chat: dict[str, Any], documents: Sequence[StoredDocument]
) -> Question:
    """The last user message is the question, what stands before it the history; `chat` holds the chat query parameters."""
    last = max(index for index, message in enumerate(messages) if message["sender"] == "user")
    text = messages[last]["message"]
    history = tuple((m["sender"], m["message"]) for m in messages[:last] if m["sender"] != "system")
    system = tuple(m["message"] for m in messages if m["sender"] == "system")
    language = BY_API_NAME[chat["language"]] or question_language(text, documents)
    return Question(
        text,
        history,
        system,
        language,
        chat["length"],
        chat["temperature"],
        tuple(document.id for document in documents),
    )


async def answer(
    answering: Answering, documents: Sequence[StoredDocument], question: Question, chat: dict[str, Any]
) -> Answer:
    """Find, judge, and start the answer: returns with its first token at hand, so that what fails before it has its own status."""
    names = {document.doc_id: document.name for document in documents}
    if counted := await answer_from_table(answering.index.db, documents, question, cite=chat["cite_source"]):
        return Answer(question, _one(counted.text), TABLE, counted.sources, names)

    async def sum_up(provider: Provider) -> Overview | None:
        whole = await overview(answering.index.db, documents, question, provider)
        return whole and replace(whole, pieces=await _started(whole.pieces))

    target, whole = await _first(answering, chat["model_name"], sum_up)
    if whole:
        made = Answer(question, _one(""), str(target) if whole.by_provider else OVERVIEW, names=names)
        tokens = _cited(made, whole.passages, whole.pieces, cite=chat["cite_source"])
        made.tokens = _framed(whole.opening, tokens, whole.closing)
        return made
    found = await find(answering.index, documents, question, agent=chat["agent_mode"])
    if not found.speaks:
        pages = [(passage.document.name, passage.chunk.page_number) for passage in found.passages[:NEAREST_PASSAGES]]
        return Answer(question, _one(refusal(pages, question.language)), REFUSAL, names=names)
    target, pieces = await _first(
        answering, chat["model_name"], lambda provider: _started(provider.answer(question, found.evidence))
    )
    read = target.kind == "extractive" and any(passage.spans for passage in found.evidence)
    made = Answer(question, _one(""), READER if read else str(target), names=names)
    made.tokens = _cited(made, found.passages, pieces, cite=chat["cite_source"])
    return made


async def _first(answering: Answering, model_name: str, begin: Callable[[Provider], Awaitable[T]]) -> tuple[Target, T]:
    """The first target that can begin, and what it began; all of them share the time for one answer.

    Raises Unavailable where none can be used, and what the first one raised where all that were asked failed.
    """
    clock = asyncio.get_running_loop().time
    deadline = clock() + answering.answer_seconds
    failures: list[DocqaError] = []
    for target in answering.chat_models.targets(model_name):
        try:
            return target, await begin(provider_of(answering, target, max(0.0, round(deadline - clock(), 1))))
        except (Unavailable, ProviderFailed) as error:
            log.warning("%s is not answered by %s: %s", model_name, target, error)
            failures.append(error)
            if not answering.chat_models.falls_through(model_name, error):
                break
    raise failures[0]


def provider_of(answering: Answering, target: Target, seconds: float) -> Provider:
    """What answers as this target; a model has so many seconds for it."""
    model = answering.chat_models.open(target)
    return Chat(model, seconds) if model else Extractive()


async def _framed(opening: str, tokens: AsyncGenerator[str, None], closing: str) -> AsyncGenerator[str, None]:
    async with aclosing(tokens):
        if opening:
            yield opening
        async for token in tokens:
            yield token
        if closing:
            yield closing


async def _one(text: str) -> AsyncGenerator[str, None]:
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
    made: Answer, passages: Sequence[Passage], pieces: AsyncGenerator[Piece, None], *, cite: bool
) -> AsyncGenerator[str, None]:
    citations = Citations([passage.text for passage in passages], made.question.language, visible=cite)
    try:
        async for text in citations.mark(pieces):
            if text:
                yield text
    finally:
        await pieces.aclose()
    for number, index in enumerate(citations.cited, 1):
        passage = passages[index]
        made.sources.append(Source(number, passage.document.doc_id, passage.text, passage.chunk.page_number))
