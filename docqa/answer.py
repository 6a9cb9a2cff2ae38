"""From messages and documents to an answer and the passages it rests on.

find the passages → enough to go on? → the provider's pieces → marks and sources.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from docqa.agent import find, question_language
from docqa.citation import Citations
from docqa.declarations import LANGUAGES
from docqa.overview import summary_passages
from docqa.phrases import NOT_FOUND, phrase
from docqa.prompts import Question
from docqa.providers import Evidence, Piece, Provider
from docqa.providers.chat import Chat
from docqa.providers.extractive import Extractive
from docqa.queries.document_rows import StoredDocument
from docqa.records import Source
from docqa.relevance import relevant
from docqa.search import Passage
from docqa.services import Services
from docqa.summary import asks_for_summary

SUMMARY_SENTENCES = {"SHORT": 2, "LONG": 8}


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
    if asks_for_summary(question.text):
        passages = await summary_passages(services, documents, SUMMARY_SENTENCES[question.length] if len(documents) == 1 else 1)
        # Several documents are not summed up in one to three sentences: each has its own.
        question = question if len(documents) == 1 else replace(question, length="LONG")
    else:
        passages = await find(services, documents, question, agent=chat["agent_mode"])
        passages = passages if relevant(passages, question.text) else []
    names = {document.doc_id: document.name for document in documents}
    if not passages:
        return Answer(question, _one(phrase(NOT_FOUND, question.language)), names=names)
    provider = provider_of(services, chat["model_name"])
    evidence = [Evidence(p.text, tuple((s.start, s.end, s.score) for s in p.sentences)) for p in passages]
    citations = Citations([passage.text for passage in passages], visible=chat["cite_source"])
    made = Answer(question, _one(""), names=names)
    made.tokens = _cited(made, citations, passages, await _started(provider.answer(question, evidence)))
    return made


def provider_of(services: Services, model_name: str) -> Provider:
    """A local model of this name; every other documented name is answered extractively."""
    model = services.local_models.get(model_name)
    return Chat(model, services.settings.answer_seconds) if model else Extractive()


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
