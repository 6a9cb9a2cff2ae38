"""A summary written by a chat model from more notes than it can read at once: parts first, then their summaries.

Which of its sentences rest on the documents is determined afterwards, as for every answer.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TypeVar

from docqa.answering import prompts
from docqa.answering.by_model import MESSAGE_TOKENS, Chat
from docqa.answering.evidence import Evidence, Piece
from docqa.answering.prompts import Shown
from docqa.answering.whole_text import Overview, passage_of
from docqa.errors import Unavailable
from docqa.questions.question import Question
from docqa.store.documents import StoredDocument
from docqa.store.notes import StoredNote

log = logging.getLogger(__name__)

DIGESTED = 400  # notes given to a model at most: more take longer to read than an answer may take
MAPPING = 0.6  # of the time for the answer goes to the parts at most


T = TypeVar("T")


def written_summary(
    by_document: Sequence[tuple[StoredDocument, list[StoredNote]]], question: Question, chat: Chat, closing: str
) -> Overview:
    """What a model makes of the notes; of very many, of as many from each document as it can read in time."""
    each = max(1, DIGESTED // len(by_document))
    chosen = [(document, note) for document, of_document in by_document for note in evenly(of_document, each)]
    passages = [
        passage_of(chunk, document) for chunk, document in {note.chunk: document for document, note in chosen}.items()
    ]
    return Overview("", passages, digest(chat, question, [note.text for _, note in chosen]), closing, by_provider=True)


def evenly(items: Sequence[T], count: int) -> Sequence[T]:
    """The items; of more than `count` every so many, up to `count`."""
    return items[:: max(1, -(-len(items) // count))]


async def digest(chat: Chat, question: Question, notes: Sequence[str]) -> AsyncGenerator[Piece, None]:
    """The answer to a question about all the notes, which are in the order of the documents. Raises Unavailable."""
    started = asyncio.get_running_loop().time()
    batches = await _batches(chat, question, notes)
    if len(batches) > 1:
        batches = [[text] for text in await _sum_up(chat, question, batches, started + MAPPING * chat.seconds)]
    left = chat.seconds - (asyncio.get_running_loop().time() - started)
    evidence = [Evidence(text, ()) for batch in batches for text in batch]
    async with aclosing(Chat(chat.model, left, chat.layouts).answer(question, evidence)) as pieces:
        async for piece in pieces:
            yield piece


async def _batches(chat: Chat, question: Question, notes: Sequence[str]) -> list[list[str]]:
    """The notes in portions that fit the model's context together with the prompt and an answer."""
    # Whichever is longer, the prompt for a part or the one for the whole.
    both = [
        prompts.chat(replace(asking, history=()), Shown((), prompts.instruction(question)))
        for asking in (question, _for_part(question))
    ]
    frames = await chat.model.count(["\n".join(message["content"] for message in messages) for messages in both])
    counts = await chat.model.count([prompts.quote(note) for note in notes])
    room = chat.model.context_tokens - prompts.MAX_TOKENS[question.options.length] - max(frames) - 5 * MESSAGE_TOKENS
    batches: list[list[str]] = []
    used = room
    for note, tokens in zip(notes, counts, strict=True):
        if used + tokens + MESSAGE_TOKENS > room:
            batches.append([])
            used = 0
        batches[-1].append(note)
        used += tokens + MESSAGE_TOKENS
    return batches


async def _sum_up(chat: Chat, question: Question, batches: Sequence[Sequence[str]], deadline: float) -> list[str]:
    """Each batch in a few sentences; its first note stands for one that the time does not allow for."""
    part = _for_part(question)
    texts = []
    for number, batch in enumerate(batches):
        # An equal share of the time for each: the end of a document counts as much as its beginning.
        seconds = (deadline - asyncio.get_running_loop().time()) / (len(batches) - number)
        try:
            async with aclosing(
                Chat(chat.model, seconds, chat.layouts).answer(part, [Evidence(note, ()) for note in batch])
            ) as pieces:
                texts.append("".join([piece.text async for piece in pieces]))
        except Unavailable as error:
            log.info("part %d of %d is not summed up: %s", number + 1, len(batches), error)
            texts.append(batch[0])
    return texts


def _for_part(question: Question) -> Question:
    return replace(
        question,
        text=prompts.sum_up_part(question.answer_language),
        history=(),
        options=replace(question.options, length="SHORT"),
    )
