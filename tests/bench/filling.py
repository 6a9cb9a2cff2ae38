"""A database of as many passages as wanted, written without reading files, in which nothing is left to be done."""

import asyncio
import hashlib
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from docqa import store
from docqa.api.auth import DEFAULT_ACCOUNT
from docqa.cli.serve import first_key
from docqa.settings import Settings
from docqa.store.chunks import Chunk
from docqa.store.database import Database
from docqa.store.documents import PageRow
from docqa.text.blocks import blocks_of, packed

PARAGRAPH = (
    "Paragraph {n} of report {which} says that the pump of type {n} takes {n} litres of oil every {which} months. "
)
PASSAGES_A_PAGE = 4
AT_ONCE = 50  # documents in one transaction


@dataclass(frozen=True)
class Filled:
    """The key of the account, its documents and its knowledge bases."""

    key: str
    doc_ids: list[str]
    bases: list[str]


def fill(data: Path, documents: int, passages: int, bases: int) -> Filled:
    """Make the database in this folder: so many `passages` in each of the `documents`, which all are in a knowledge
    base, each in one."""
    return asyncio.run(_fill(Settings(data=data), documents, passages, bases))


async def _fill(settings: Settings, documents: int, passages: int, bases: int) -> Filled:
    await first_key(settings)
    doc_ids = [f"{which:024x}" for which in range(documents)]
    base_ids = [f"{number:024x}" for number in range(bases)]
    async with AsyncExitStack() as stack:
        db = await Database.open(settings.database)
        stack.push_async_callback(db.close)
        async with db.write() as conn:
            account = await store.accounts.account_named(conn, DEFAULT_ACCOUNT)
        for start in range(0, documents, AT_ONCE):
            async with db.write() as conn:
                for which, doc_id in list(enumerate(doc_ids))[start : start + AT_ONCE]:
                    await _add(conn, account, doc_id, which, passages)
                await conn.execute("UPDATE any_document SET state = 'ready', tables_stored = 1")
        async with db.write() as conn:
            for number, base in enumerate(base_ids):
                members = await store.documents.own_documents(conn, account, doc_ids[number::bases][:20])
                await store.knowledge.add_knowledge_base(conn, account, base, f"base {number}", members)
    return Filled(settings.key_file.read_text("utf-8").strip(), doc_ids, base_ids)


async def _add(conn: store.documents.Connection, account: int, doc_id: str, which: int, passages: int) -> None:
    texts = [PARAGRAPH.format(n=n, which=which) for n in range(passages)]
    pages = ["".join(texts[start : start + PASSAGES_A_PAGE]) for start in range(0, passages, PASSAGES_A_PAGE)]
    document = await store.documents.add_document(
        conn,
        account,
        doc_id=doc_id,
        name=f"report {which}.txt",
        kind="txt",
        sha256=hashlib.sha256(doc_id.encode()).digest(),
        language="en",
        pages=len(pages),
        notes="",
    )
    rows = [PageRow(number, "", text, "", packed(blocks_of(text)), 0) for number, text in enumerate(pages, 1)]
    await store.documents.add_pages(conn, document, rows)
    chunks = [
        (Chunk(1 + n // PASSAGES_A_PAGE, sum(map(len, texts[n - n % PASSAGES_A_PAGE : n])), text), text.lower())
        for n, text in enumerate(texts)
    ]
    await store.chunks.add_chunks(conn, document, chunks)
