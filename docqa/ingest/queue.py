"""What adding a document needs: the database, the processes that read files, and the bell of the background work."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

from docqa.formats.extraction import extract, recognise
from docqa.formats.pages import Extracted, ExtractedPage
from docqa.ingest.quotas import Quotas
from docqa.ingest.spool import Spool
from docqa.settings import Settings
from docqa.store.database import Database
from docqa.workers.turns import FairTurns

MOST_WANTED = 1000  # documents that were asked, which are remembered


BACKGROUND = 0  # the party of the background work, beside the accounts, whose numbers begin at 1


class ReadingQueue:
    """Reads files in child processes: so many at once, in turns of the accounts whose files they are."""

    def __init__(self, settings: Settings) -> None:
        self._limits = {"seconds": settings.extract_seconds, "memory_mb": settings.extract_memory_mb}
        self._ocr_languages = settings.ocr_languages
        self.seconds = settings.extract_seconds  # that one file may take
        self._turns = FairTurns(settings.extract_parallel)

    async def read(self, account: int, content: Spool, name: str, media_type: str, loc: tuple[str, ...]) -> Extracted:
        """The pages of a file of this account. It is in memory only while it is read. Raises Unreadable at `loc`,
        ChildDied."""
        async with self._turns.turn(account):
            data = await asyncio.to_thread(content.read)
            return await extract(data, name, media_type, languages=self._ocr_languages, loc=loc, **self._limits)

    async def recognise(self, data: bytes, page_number: int, hint: str = "", *, beside: bool = False) -> ExtractedPage:
        """The text of a page that waits for text recognition, or that on the pictures `beside` its text; `hint` is the
        ISO 639-1 code of the document's language.

        Waits for its turn however long. Raises Unreadable and ChildDied.
        """
        async with self._turns.turn(BACKGROUND):
            return await recognise(data, page_number, self._ocr_languages, hint=hint, beside=beside, **self._limits)


@dataclass(frozen=True)
class Intake:
    """Where documents are written and files are read; `work` is set when there is something for the background work,
    or something more urgent than what it does."""

    db: Database
    reading: ReadingQueue
    work: asyncio.Event
    quotas: Quotas = field(default_factory=Quotas)
    _wanted: dict[int, None] = field(default_factory=dict)

    @property
    def wanted(self) -> list[int]:
        """The documents that were asked lately, the last ones first: background work on them comes before all other."""
        return list(reversed(self._wanted))

    def want(self, documents: Iterable[int]) -> None:
        """Note that somebody asks these documents."""
        for document in documents:
            self._wanted.pop(document, None)
            self._wanted[document] = None
        for document in list(self._wanted)[:-MOST_WANTED]:
            del self._wanted[document]
        self.work.set()
