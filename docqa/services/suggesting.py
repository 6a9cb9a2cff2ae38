"""Three questions that a document can answer: made when somebody first looks at it, one document after the other."""

import asyncio
import logging

from docqa import store
from docqa.answering.resources import Answering
from docqa.errors import Unreadable
from docqa.ingest.queue import BACKGROUND, Intake
from docqa.services.lanes import Lane
from docqa.store.documents import StoredDocument
from docqa.store.suggestions import Suggestion

log = logging.getLogger(__name__)

SHOWN = 3
TRIED = 12  # questions: each takes as long as an answer
READ = 500_000  # characters that they are made from: of a longer document chunks from all over it
MOST_WAITING = 1000  # documents
QUIET_SECONDS = 10.0  # for which people's questions are waited for, before one is tried among them
LOOK_SECONDS = 0.2


class Suggesting:
    """What makes the questions, beside people's own, which come first in the lane of `chats`."""

    def __init__(self, intake: Intake, answering: Answering, chats: Lane) -> None:
        self._intake, self._answering, self._chats = intake, answering, chats
        self._waiting: dict[int, StoredDocument] = {}  # the last one that was wanted comes first
        self._bell = asyncio.Event()

    def want(self, document: StoredDocument) -> None:
        """Have questions made for a document that is not worked on otherwise."""
        self._waiting.pop(document.id, None)
        self._waiting[document.id] = document
        for waiting in list(self._waiting)[:-MOST_WAITING]:
            del self._waiting[waiting]
        self._bell.set()

    async def work_forever(self) -> None:
        """Make questions for what is wanted, until this is cancelled."""
        while True:
            await self._bell.wait()
            document = list(self._waiting.values())[-1]
            try:
                await self._suggest(document)
            except Exception:
                # A model that died, a full disk, the unforeseen: who looks at the document again has it tried again.
                log.exception("document %s has no questions to suggest", document.doc_id)
            self._waiting.pop(document.id, None)
            if not self._waiting:
                self._bell.clear()

    async def _suggest(self, document: StoredDocument) -> None:
        from docqa.answering.answerable import is_answered_surely

        async with self._intake.db.read() as conn:
            chunks = await store.chunks.spread(conn, document.id, READ)
        kept: list[Suggestion] = []
        try:
            made = await self._intake.reading.questions(document, chunks, TRIED)
        except Unreadable as error:
            log.warning("no questions are made about document %s: %s", document.doc_id, error)
            made = []
        for question in made:
            await self._quiet()
            async with self._chats.turn(BACKGROUND):
                if await is_answered_surely(self._answering, document, question):
                    kept.append(Suggestion(question.text, question.page_number))
            if len(kept) == SHOWN:
                break
        async with self._intake.db.write() as conn:
            await store.suggestions.set_suggestions(conn, document.id, kept)

    async def _quiet(self) -> None:
        """Wait until nobody else asks, but not for ever."""
        loop = asyncio.get_running_loop()
        end = loop.time() + QUIET_SECONDS
        while self._chats.in_hand and loop.time() < end:
            await asyncio.sleep(LOOK_SECONDS)
