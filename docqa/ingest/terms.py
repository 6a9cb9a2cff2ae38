"""The search terms of chunks: made when a document is added, and rebuilt in the background after an upgrade.

Questions are cut by today's tokeniser, so that terms of an older one are matched less well, and without an error.
"""

import asyncio
import logging
import time

from docqa import store
from docqa.ingest.chunking import chunk_terms
from docqa.store.database import Database
from docqa.text.words import TERMS_VERSION

log = logging.getLogger(__name__)

BATCH = 64  # chunks in one transaction: some 0.1 s of the only writer


async def rebuild_terms(db: Database) -> None:
    """Bring all terms to TERMS_VERSION; returns when they are. What an interruption leaves is continued from there.

    Every chunk is searched by its old terms until its new ones replace them.
    """
    async with db.read() as conn:
        if await store.terms.is_current(conn, TERMS_VERSION):
            return
    async with db.write() as conn:
        await store.terms.begin_rebuild(conn, TERMS_VERSION)
    db.words.forget()
    log.info("the full-text index is being rebuilt for a new version of the tokeniser")
    while True:
        started = time.monotonic()
        async with db.read() as conn:
            batch = await store.terms.chunks_to_rebuild(conn, BATCH)
        if not batch:
            break
        made = [
            (chunk.id, await asyncio.to_thread(chunk_terms, chunk.section, chunk.columns, chunk.text))
            for chunk in batch
        ]
        async with db.write() as conn:
            await store.terms.set_terms(conn, made)
        await asyncio.sleep(time.monotonic() - started)  # leaves half of the time to uploads and questions
    async with db.write() as conn:
        await store.terms.finish_rebuild(conn)
    db.words.forget()
    log.info("the full-text index has been rebuilt")
