"""Where passages stand in the text of a document, told by their words: white space may differ."""

import asyncio
import re
from collections.abc import Sequence

from docqa import store
from docqa.records import Place
from docqa.store.database import Database
from docqa.store.documents import StoredDocument

_MOST = 100  # places of a passage
_MOST_PAGES = 1000  # that are looked at for one


async def places(db: Database, document: StoredDocument, passages: Sequence[str]) -> list[Place]:
    """Where each passage stands in a document, up to `_MOST` times; none where it is not in it."""
    everywhere: list[Place] = []
    for number, passage in enumerate(passages):
        if words := passage.split():
            async with db.read() as conn:
                pages = await store.documents.pages_with(conn, document.id, max(words, key=len), _MOST_PAGES)
            everywhere += await asyncio.to_thread(_on_pages, document, number, words, pages)
    return everywhere


def _on_pages(
    document: StoredDocument, number: int, words: Sequence[str], pages: Sequence[tuple[int, str]]
) -> list[Place]:
    passage = re.compile(r"\s+".join(map(re.escape, words)))
    known: list[Place] = []
    for page_number, text in pages:
        for match in passage.finditer(text):
            share = (page_number - 1 + match.start() / len(text)) / document.pages
            known.append(Place(number, page_number, match.start(), match.end(), round(share, 4)))
            if len(known) == _MOST:
                return known
    return known
