"""Pages as pictures: drawn in a child process when they are looked at, and kept in memory for a while.

What is kept is bounded, in all and of each account, and goes with its document.
"""

import hashlib
import json
from collections import Counter, OrderedDict
from contextlib import closing

from docqa import __version__
from docqa.ingest.drawing import Drawing, PagePicture
from docqa.ingest.queue import Intake
from docqa.ingest.spool import copied_original
from docqa.store.documents import StoredDocument
from docqa.workers.turns import FairTurns

MOST_BYTES = 64 << 20  # of pictures that are kept
MOST_OF_ACCOUNT = MOST_BYTES // 4


def tag_of(document: StoredDocument, request: Drawing) -> str:
    """What tells a picture from every other: an entity tag, with its quotation marks. The bytes of a document never
    change, and another version of this program may draw them otherwise."""
    named = json.dumps([__version__, document.doc_id, *request])
    return f'"{hashlib.sha256(named.encode("utf-8", "replace")).hexdigest()[:32]}"'


class DrawnPages:
    """Draws pages, and keeps the pictures that were looked at last. `copies` are the turns in which files are copied
    out of the database."""

    def __init__(self, intake: Intake, copies: FairTurns, most: int = MOST_BYTES, of_account: int = MOST_OF_ACCOUNT):
        self._intake, self._copies = intake, copies
        self._most, self._of_account = most, of_account
        self._kept: OrderedDict[tuple[int, str, str], PagePicture] = OrderedDict()  # account, doc_id, tag; oldest first
        self._sizes: Counter[int] = Counter()  # in bytes, by account
        self._forgotten = 0  # documents so far: what was drawn meanwhile may be of one of them, and is not kept

    @property
    def size(self) -> int:
        """Bytes of pictures that are kept."""
        return self._sizes.total()

    async def picture(self, account: int, document: StoredDocument, request: Drawing) -> PagePicture:
        """A page of a document that the account may read. Raises Unreadable for one that cannot be drawn, ChildDied."""
        key = account, document.doc_id, tag_of(document, request)
        if kept := self._kept.get(key):
            self._kept.move_to_end(key)
            return kept
        before, db = self._forgotten, self._intake.db
        async with self._copies.turn(account), db.read() as conn:
            content = await copied_original(conn, document.id, db.path.parent)
        with closing(content):
            drawn = await self._intake.reading.draw(account, content, request)
        if before == self._forgotten:
            self._keep(key, drawn)
        return drawn

    def forget(self, doc_id: str) -> None:
        """Drop the pictures of a document that was deleted, whoever looked at them."""
        self._forgotten += 1
        for key in [key for key in self._kept if key[1] == doc_id]:
            self._drop(key)

    def _keep(self, key: tuple[int, str, str], drawn: PagePicture) -> None:
        if key in self._kept:
            self._drop(key)
        self._kept[key] = drawn
        self._sizes[key[0]] += len(drawn.png)
        while self._sizes[key[0]] > self._of_account:
            self._drop(next(other for other in self._kept if other[0] == key[0]))
        while self.size > self._most:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: tuple[int, str, str]) -> None:
        self._sizes[key[0]] -= len(self._kept.pop(key).png)
        self._sizes += Counter()  # drops the accounts that have none
