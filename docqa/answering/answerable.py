"""Whether a question that was made from a document is really answered: before it is suggested to people."""

import asyncio
from contextlib import aclosing

from docqa.answering.answer import answer
from docqa.answering.resources import Answering
from docqa.ingest.made_questions import MadeQuestion, holds
from docqa.models.chat.registry import QUOTES_NAME
from docqa.questions.question import ChatOptions
from docqa.questions.understand import last_question, understand
from docqa.store.documents import StoredDocument

# Quotes are made at once and cost nothing; a language model gets the same passages.
OPTIONS = ChatOptions(model_name=QUOTES_NAME, cite_source=True)


async def is_answered_surely(answering: Answering, document: StoredDocument, candidate: MadeQuestion) -> bool:
    """Whether the document's own words answer the candidate surely and with its value, from the page that it was made
    from. Raises Unavailable."""
    messages = [{"sender": "user", "message": candidate.text}]
    text, language = await asyncio.to_thread(last_question, messages, [document])
    opinion = await answering.index.encoders.kind_opinion(text, language)
    understood = await asyncio.to_thread(understand, messages, OPTIONS, [document], opinion, language)
    made = await answer(answering, [document], understood)
    async with aclosing(made.tokens) as tokens:
        said = "".join([token async for token in tokens])
    return (
        made.certainty == "sure"
        and [source.page_number for source in made.sources[:1]] == [candidate.page_number]
        and (not candidate.value or holds(said, candidate.value))
    )
