"""From messages and documents to an answer and the passages it rests on.

search → enough to go on? → the provider's pieces → marks and sources. With `agent_mode` a follow-up for which nothing is
found is searched once more, together with the question before it.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from docqa.citation import Citations
from docqa.declarations import LANGUAGES
from docqa.language import detect, is_function_word
from docqa.prompts import NOT_FOUND, Question, phrase
from docqa.providers import Evidence, Piece, Provider
from docqa.providers.chat import Chat
from docqa.providers.extractive import Extractive
from docqa.queries import chunk_rows
from docqa.queries.document_rows import StoredDocument
from docqa.records import Source
from docqa.search import Passage, Sentence, search
from docqa.services import Services
from docqa.summary import asks_for_summary, key_sentences
from docqa.text import is_dense, terms

PASSAGES = 8
# When a passage counts as speaking of what is asked. Fitted on public question sets: about 3 % of the answerable questions
# fall below, and 95 % of those about another document do.
NEAR = 0.5  # the cosine of a sentence that says it in whatever words
NEAR_AND_COVERED = 0.62  # or that cosine and half the coverage of the question's words
COVERED = 0.22  # or, where vectors have no say, the coverage alone
COVERED_BY_PAIRS = 0.15  # in scripts whose terms are pairs of characters, many of which mean nothing
ENOUGH_WORDS = 2
ENOUGH_PAIRS = 4
SUMMARY_SENTENCES = {"SHORT": 2, "LONG": 8}
SUMMARISED_DOCUMENTS = 50


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


def question_language(text: str, documents: Sequence[StoredDocument]) -> str:
    """The question's own language; where it is too short to tell, that of the documents."""
    return detect(text) or next((document.language for document in documents if document.language), "en")


async def answer(services: Services, documents: Sequence[StoredDocument], question: Question, chat: dict[str, Any]) -> Answer:
    """Find, judge, and start the answer: returns with its first token at hand, so that what fails before it has its own status."""
    if asks_for_summary(question.text):
        passages = await summary_passages(services, documents, SUMMARY_SENTENCES[question.length] if len(documents) == 1 else 1)
        # Several documents are not summed up in one to three sentences: each has its own.
        question = question if len(documents) == 1 else replace(question, length="LONG")
    else:
        passages = await _find(services, documents, question, agent=chat["agent_mode"])
        passages = passages if _relevant(passages, question.text) else []
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


async def _find(services: Services, documents: Sequence[StoredDocument], question: Question, *, agent: bool) -> list[Passage]:
    """The passages for the question as it stands; for a follow-up that says too little, with the question before it."""
    language = question_language(question.text, documents)
    earlier = [text for sender, text in question.history if sender == "user"][-1:]
    if not earlier or _says_enough(question.text):
        passages = await search(services, documents, question.text, language, PASSAGES)
        if not earlier or not agent or _relevant(passages, question.text):
            return passages
    return await search(services, documents, " ".join([*earlier, question.text]), language, PASSAGES)


def _says_enough(question: str) -> bool:
    """Whether the question has words of its own to search by."""
    words = {term for term in terms(question) if not term.endswith("~") and not is_function_word(term)}
    return len(words) >= (ENOUGH_PAIRS if is_dense(question) else ENOUGH_WORDS)


def _relevant(passages: Sequence[Passage], question: str) -> bool:
    covered = COVERED_BY_PAIRS if is_dense(question) else COVERED
    return any(
        passage.coverage >= covered if passage.nearest is None else passage.nearest >= NEAR or passage.nearest + passage.coverage / 2 >= NEAR_AND_COVERED
        for passage in passages[:3]
    )


async def summary_passages(services: Services, documents: Sequence[StoredDocument], count: int) -> list[Passage]:
    """The chunks with the `count` most telling sentences of each document; only these sentences are listed in them."""
    passages: list[Passage] = []
    for document in documents[:SUMMARISED_DOCUMENTS]:
        async with services.db.read() as conn:
            chunks = await chunk_rows.chunks(conn, document.id)
        key = await asyncio.to_thread(key_sentences, [chunk.text for chunk in chunks], count)
        for index in dict.fromkeys(index for index, _ in key):
            chunk = chunks[index]
            starts = [(chunk.text.index(sentence), sentence) for i, sentence in key if i == index]
            listed = tuple(Sentence(start, start + len(sentence), 1.0, None) for start, sentence in starts)
            passages.append(Passage(chunk, document, 0.0, None, 1.0, 1.0, listed))
    return passages


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
