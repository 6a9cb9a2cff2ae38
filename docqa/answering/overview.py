"""Questions about documents as a whole, answered from all of their text and not from what a search finds.

A number in such an answer is one that was counted here, and the answer says what was counted.
"""

import asyncio
from collections.abc import Sequence

from docqa import store
from docqa.answering.about_document import about_document, signature
from docqa.answering.by_model import Chat
from docqa.answering.contents import contents, listed_line, listing, placement
from docqa.answering.evidence import Provider
from docqa.answering.gist import gist
from docqa.answering.mentions import Place, match_of
from docqa.answering.mentions import places as mentions_of
from docqa.answering.place_summary import gist_of_places, not_recognised
from docqa.answering.sections import pages_in
from docqa.answering.whole_text import Overview, passage_of, pieces_of, stated
from docqa.ingest.outline import SLIDES
from docqa.languages import phrase
from docqa.questions.question import Question
from docqa.questions.wanted import Scope
from docqa.store.database import Database
from docqa.store.documents import StoredDocument

__all__ = ["Overview", "overview"]

LISTED = {"SHORT": 10, "LONG": 60}  # places
LONGEST = 500  # characters of a place: a row can be very long
SMALL_TALK = ("greeting", "thanks", "capabilities")


async def overview(
    db: Database, documents: Sequence[StoredDocument], question: Question, provider: Provider
) -> Overview | None:
    """The answer to a question about whole documents or a named part of them, or to no question at all; None for any
    other."""
    scope = question.scope
    if question.kind in SMALL_TALK or question.kind == "task" and not isinstance(provider, Chat):
        name = "work" if question.kind == "task" else question.kind
        return stated(phrase(f"phrases.talk.{name}", question.answer_language))
    if not documents:
        return stated(phrase("phrases.no_documents", question.answer_language))
    if question.wants_signature and scope.wanted == "passages":
        return await signature(db, documents, question)
    if scope.wanted == "passages":
        # "Which tools are on slide 15?": a slide is short, and all of it is the list.
        on_slides = bool(scope.places) and all(place.kind == "page" for place in scope.places)
        if not on_slides or question.kind != "list" or any(document.kind not in SLIDES for document in documents):
            return None
        return await gist_of_places(db, documents, question, provider)
    if scope.wanted == "properties":
        return await about_document(db, documents, question)
    if scope.wanted == "page_count":
        return await _page_counts(db, documents, question)
    if scope.wanted == "contents":
        return await contents(db, documents, question)
    if scope.wanted == "placement":
        return await placement(db, documents, question, scope)
    if scope.wanted == "mentions":
        return await _mentions(db, documents, question, scope)
    return await gist(db, documents, question, scope, provider)


async def _page_counts(db: Database, documents: Sequence[StoredDocument], question: Question) -> Overview:
    places, language = question.scope.places, question.answer_language
    if not places or places[0].kind == "page":
        return stated(_counted(documents, language))
    lines = []
    for document in documents:
        for label, pages in (await pages_in(db, document, places)).items():
            text = phrase("phrases.pages_of", language).format(
                place=label, first=min(pages), last=max(pages), count=len(pages)
            )
            lines.append(f"{document.name}: {text}" if len(documents) > 1 else text)
    return stated("\n".join(lines)) if lines else not_recognised(places, language)


def _counted(documents: Sequence[StoredDocument], language: str) -> str:
    pages = sum(document.pages for document in documents)
    if len(documents) == 1 and pages > 1:
        key = "about.slides" if documents[0].kind in SLIDES else "about.pages"
        return phrase(f"phrases.{key}", language).format(pages=pages)
    lines = [phrase("phrases.page_count", language).format(pages=pages)]
    if len(documents) > 1:
        lines += [f"- {document.name}: {document.pages}" for document in documents]
    return "\n".join(lines)


async def _mentions(
    db: Database, documents: Sequence[StoredDocument], question: Question, scope: Scope
) -> Overview | None:
    """Where the topic is mentioned, counted and listed; None where no sentence has all its words."""
    by_id = {document.id: document for document in documents}
    async with db.read() as conn:
        within = await store.scopes.scope_of(conn, list(by_id))
        chunks = await store.full_text.holding(conn, within, match_of(scope.topic_words))
    mentions = await asyncio.to_thread(mentions_of, scope.topic_words, chunks)
    if not mentions:
        return None
    on = len({(place.chunk.document, place.chunk.page_number) for place in mentions})
    template = phrase("phrases.places", question.answer_language)
    opening = template.format(
        topic=" ".join(scope.topic), count=len(mentions), on=on, pages=sum(document.pages for document in documents)
    )
    shown = mentions[: LISTED[question.options.length]]
    held = list(dict.fromkeys(place.chunk for place in shown))
    passages = [passage_of(chunk, by_id[chunk.document]) for chunk in held]
    lines = [
        (
            _place_line(place, by_id[place.chunk.document], len(documents), question.answer_language),
            held.index(place.chunk),
        )
        for place in shown
    ]
    return Overview(
        listing(opening, len(shown), len(mentions), question.answer_language), passages, pieces_of(lines), ""
    )


def _place_line(place: Place, document: StoredDocument, documents: int, language: str) -> str:
    text = place.chunk.text[place.start : min(place.end, place.start + LONGEST)]
    return listed_line(document, place.chunk.page_number, text, documents, language)
