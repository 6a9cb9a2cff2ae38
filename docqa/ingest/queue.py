"""What adding a document needs: the database, the processes that read files, and the bell of the background work."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from docqa.formats.pages import ExtractedPage
from docqa.ingest.children import Limits
from docqa.ingest.drawing import Drawing, PagePicture, draw
from docqa.ingest.gist import Gist, StoredText
from docqa.ingest.prepared import Prepared
from docqa.ingest.question_making import questions_about
from docqa.ingest.quotas import Quotas
from docqa.ingest.reader import PATIENCE, prepare, prepare_gist, prepare_tables, recognise
from docqa.ingest.spool import Spool
from docqa.settings import Settings
from docqa.store.chunks import StoredChunk
from docqa.store.database import Database
from docqa.store.documents import StoredDocument
from docqa.workers.precedence import Precedence
from docqa.workers.turns import FairTurns

if TYPE_CHECKING:
    from docqa.ingest.made_questions import MadeQuestion

MOST_WANTED = 1000  # documents that were asked, which are remembered


BACKGROUND = 0  # the party of the background work, beside the accounts, whose numbers begin at 1


class ReadingQueue:
    """Reads files in child processes: so many at once, in turns of the accounts whose files they are."""

    def __init__(self, settings: Settings) -> None:
        self.precedence = Precedence()  # of questions before all but pages that somebody looks at
        self._drawing_limits = Limits(settings.extract_seconds, settings.extract_memory_mb, settings.data)
        self._limits = replace(self._drawing_limits, behind=self.precedence)
        self._ocr_languages = settings.ocr_languages
        self.patience = settings.extract_seconds * PATIENCE  # seconds that a file with its attachments may take
        self._turns = FairTurns(settings.extract_parallel)
        # Who looks at a page does not wait for files that are read, nor for another account's pages.
        self._drawing = FairTurns(settings.extract_parallel, max(1, settings.extract_parallel // 2))
        self._files = 0  # that are being read, or wait for it
        self._at_rest = asyncio.Event()
        self._at_rest.set()

    async def read(self, account: int, content: Spool, name: str, media_type: str, loc: tuple[str, ...]) -> Prepared:
        """What is stored of a file of this account; the caller closes it.

        Raises Unreadable at `loc`, ChildDied.
        """
        self._files += 1
        self._at_rest.clear()
        try:
            async with self._turns.turn(account):
                return await prepare(
                    content,
                    name,
                    media_type,
                    languages=self._ocr_languages,
                    loc=loc,
                    limits=self._limits,
                    helpers=self._turns.free,  # nobody else reads for now
                )
        finally:
            self._files -= 1
            if not self._files:
                self._at_rest.set()

    async def at_rest(self, seconds: float) -> None:
        """Wait while files are read for accounts, but no longer."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._at_rest.wait()

    async def recognise(
        self, content: Spool, page_number: int, hint: str = "", *, beside: bool = False
    ) -> ExtractedPage:
        """The text of a page that waits for text recognition, or that on the pictures `beside` its text; `hint` is the
        ISO 639-1 code of the document's language.

        Waits for its turn however long. Raises Unreadable and ChildDied.
        """
        async with self._turns.turn(BACKGROUND):
            return await recognise(
                content, page_number, self._ocr_languages, hint=hint, beside=beside, limits=self._limits
            )

    async def draw(self, account: int, content: Spool, request: Drawing) -> PagePicture:
        """A page of this account's file. Raises Unreadable, ChildDied."""
        async with self._drawing.turn(account):
            return await draw(content, request, self._ocr_languages, self._drawing_limits)

    async def tables(self, pages: list[tuple[int, str]], name: str) -> Prepared:
        """The tables in the text of stored pages, (page number, text), of the document `name`; the caller closes them.

        Waits for its turn however long. Raises Unreadable and ChildDied.
        """
        async with self._turns.turn(BACKGROUND):
            return await prepare_tables(pages, name, self._limits)

    async def gist(
        self, document: StoredDocument, chunks: Sequence[StoredChunk], pages: Sequence[StoredText], parts: str
    ) -> Gist:
        """What a stored document is about, from chunks and pages of it; `parts` are those of a table, in a sentence.

        Waits for its turn however long. Raises Unreadable and ChildDied.
        """
        async with self._turns.turn(BACKGROUND):
            return await prepare_gist(document, chunks, pages, parts, self._limits)

    async def questions(
        self, document: StoredDocument, chunks: Sequence[StoredChunk], count: int
    ) -> "list[MadeQuestion]":
        """At most `count` questions that chunks of a stored document answer.

        Waits for its turn however long. Raises Unreadable and ChildDied.
        """
        async with self._turns.turn(BACKGROUND):
            return await questions_about(document, chunks, count, self._limits)


@dataclass(frozen=True)
class Intake:
    """Where documents are written and files are read; `work` is set when there is something for the background work,
    or something more urgent than what it does; `deleted` when something was deleted."""

    db: Database
    reading: ReadingQueue
    work: asyncio.Event
    quotas: Quotas = field(default_factory=Quotas)
    deleted: asyncio.Event = field(default_factory=asyncio.Event)
    _wanted: dict[int, None] = field(default_factory=dict)
    _resting: asyncio.Event = field(default_factory=asyncio.Event)  # set while no document has work left
    _in_hand: asyncio.Event = field(default_factory=asyncio.Event)  # set while one is worked on

    @property
    def wanted(self) -> list[int]:
        """The documents that were asked lately, the last ones first: background work on them comes before all other."""
        return list(reversed(self._wanted))

    def want(self, documents: Iterable[int]) -> None:
        """Note that somebody asks these documents; what is done for others is then laid aside."""
        before = self.wanted
        for document in documents:
            self._wanted.pop(document, None)
            self._wanted[document] = None
        for document in list(self._wanted)[:-MOST_WANTED]:
            del self._wanted[document]
        if not self._resting.is_set() and not (self._in_hand.is_set() and self.wanted == before):
            self.work.set()

    @contextmanager
    def question_to(self, documents: Iterable[int]) -> Iterator[None]:
        """Meanwhile a question to these documents is worked on, for which files stop being read."""
        self.want(documents)
        with self.reading.precedence.urgent():
            yield

    @contextmanager
    def in_hand(self) -> Iterator[None]:
        """Meanwhile a document is worked on, the next one by what is wanted: who asks the same ones again changes
        nothing."""
        self._in_hand.set()
        try:
            yield
        finally:
            self._in_hand.clear()

    async def rest(self) -> None:
        """Wait for work, where no document has any left: questions bring none."""
        self._resting.set()
        try:
            await self.work.wait()
        finally:
            self._resting.clear()

    async def files_first(self, document: int, seconds: float) -> None:
        """Wait while files are read, since somebody waits for each, but no longer; nor where the document was asked
        lately."""
        if document not in self._wanted:
            await self.reading.at_rest(seconds)
