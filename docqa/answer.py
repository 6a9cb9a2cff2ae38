"""From messages and documents to an answer and the passages it rests on.

find the passages → enough to go on? → the provider's pieces → marks and sources.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from docqa.agent import find, question_language
from docqa.citation import Citations
from docqa.declarations import LANGUAGES
from docqa.overview import Overview, overview
from docqa.phrases import refusal
from docqa.prompts import Question
from docqa.providers import Piece, Provider
from docqa.providers.chat import Chat
from docqa.providers.extractive import Extractive
from docqa.queries.document_rows import StoredDocument
from docqa.records import Source
from docqa.search import Passage
from docqa.services import Services
from docqa.tables import answer_from_table

NEAREST_PASSAGES = 3  # whose pages a refusal names


@dataclass
class Answer:
    """One answer in the making: `sources` is complete when `tokens` has ended, and empty unless sources were asked for."""

    question: Question
    tokens: AsyncGenerator[str, None]
    sources: list[Source] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)  # doc_id → name of the document


def read_question(messages: Sequence[dict[str, Any]], chat: dict[str, Any], documents: Sequence[StoredDocument]) -> Question:
    """The last user message is the question, what stands before it the history; `chat` holds the chat query parameters."""
    last = max(index for index, message in enumerate(messages) if message["sender"] == "user")
    text = messages[last]["message"]
    history = tuple((m["sender"], m["message"]) for m in messages[:last] if m["sender"] != "system")
    system = tuple(m["message"] for m in messages if m["sender"] == "system")
    language = LANGUAGES[chat["language"]] or question_language(text, documents)
    return Question(text, history, system, language, chat["length"], chat["temperature"])


async def answer(services: Services, documents: Sequence[StoredDocument], question: Question, chat: dict[str, Any]) -> Answer:
    """Find, judge, and start the answer: returns with its first token at hand, so that what fails before it has its own status."""
    names = {document.doc_id: document.name for document in documents}
    if counted := await answer_from_table(services, documents, question, cite=chat["cite_source"]):
        return Answer(question, _one(counted.text), counted.sources, names)
    provider = provider_of(services, chat["model_name"])
    if whole := await overview(services, documents, question, provider):
        return await _overall(whole, question, names, cite=chat["cite_source"])
    found = await find(services, documents, question, agent=chat["agent_mode"])
    if not found.speaks:
        pages = [(passage.document.name, passage.chunk.page_number) for passage in found.passages[:NEAREST_PASSAGES]]
        return Answer(question, _one(refusal(pages, question.language)), names=names)
    citations = Citations([passage.text for passage in found.passages], question.language, visible=chat["cite_source"])
    made = Answer(question, _one(""), names=names)
    made.tokens = _cited(made, citations, found.passages, await _started(provider.answer(question, found.evidence)))
    return made


def provider_of(services: Services, model_name: str) -> Provider:
    """A local model of this name; every other documented name is answered extractively."""
    model = services.local_models.get(model_name)
    return Chat(model, services.settings.answer_seconds) if model else Extractive()


async def _overall(whole: Overview, question: Question, names: dict[str, str], *, cite: bool) -> Answer:
    made = Answer(question, _one(""), names=names)
    citations = Citations([passage.text for passage in whole.passages], question.language, visible=cite)
    made.tokens = _framed(whole.opening, _cited(made, citations, whole.passages, await _started(whole.pieces)), whole.closing)
    return made


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


async def _cited(made: Answer, citations: Citations, passages: Sequence[Passage], pieces: AsyncGenerator[Piece, None]) -> AsyncGenerator[str, None]:
    try:
        async for text in citations.mark(pieces):
            if text:
                yield text
    finally:
        await pieces.aclose()
    for number, index in enumerate(citations.cited, 1):
        passage = passages[index]
        made.sources.append(Source(number, passage.document.doc_id, passage.text, passage.chunk.page_number))
