"""A question over HTTP: understood and answered, or passages that fit it.

What is imported here, and nowhere else in the server, is half of the program: it is loaded when the server already says
that it is well.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from docqa.answering.answer import Answer, answer
from docqa.questions.question import NO_QUESTION, ChatOptions
from docqa.questions.understand import last_question, understand, wants_opinion
from docqa.search.passages import Passage
from docqa.search.readiness import await_vectors
from docqa.search.search import search
from docqa.services import Services
from docqa.store.documents import StoredDocument

log = logging.getLogger(__name__)


async def passages_for(
    services: Services, documents: Sequence[StoredDocument], query: str, top_k: int
) -> list[Passage]:
    """The passages of these documents that fit a query best. Raises Unavailable."""
    messages = [{"sender": "user", "message": query}]
    with services.intake.question_to(document.id for document in documents):
        question = await asyncio.to_thread(understand, messages, ChatOptions(agent_mode=False), documents)
        await services.encoders.awake()
        await await_vectors(services.index, documents, question.parts[0].language)
        return await search(services.index, documents, question.parts[0], top_k)


async def begin(
    services: Services, documents: Sequence[StoredDocument], messages: list[dict[str, Any]], options: ChatOptions
) -> Answer:
    """The answer to the last question of the messages, begun. Raises Unavailable, ProviderFailed."""
    with services.intake.question_to(document.id for document in documents):
        await services.encoders.awake()
        # The first question in a language loads the list of its words, which takes some tenths of a second.
        text, language = await asyncio.to_thread(last_question, messages, documents)
        opinion = await services.encoders.kind_opinion(text, language) if wants_opinion(text, language) else None
        question = await asyncio.to_thread(understand, messages, options, documents, opinion, language)
        if question.kind not in NO_QUESTION:
            await await_vectors(services.index, documents, question.language)
        made = await answer(services.answering, documents, question)
    log.info("%s: answered by %s", options.model_name, made.target)
    return made
