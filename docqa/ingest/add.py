"""A file or link becomes a document: prepared in a child process, written in one transaction. The rest is
background.py's."""

import asyncio
import secrets
from contextlib import ExitStack
from dataclasses import dataclass

from docqa import store
from docqa.ingest.attachments import read_attachments
from docqa.ingest.prepared import Prepared
from docqa.ingest.properties import sensible
from docqa.ingest.queue import Intake
from docqa.ingest.quotas import Quotas
from docqa.ingest.spool import Spool
from docqa.store.sql import Connection


@dataclass(frozen=True)
class _Source:
    """A file that becomes a document, and what is known of it; `name` is the document's, `file` its own."""

    name: str
    file: str
    content: Spool
    media_type: str
    url: str | None


async def add_file(
    intake: Intake,
    account: int,
    content: Spool,
    name: str,
    media_type: str,
    loc: tuple[str, ...],
    url: str | None = None,
) -> str:
    """The doc_id of the new document, or of the account's document with the same bytes.

    What a message carries becomes documents of its own, together with it. Raises Unreadable at `loc`, TooLarge where
    the account may not keep so much, and DiskFull.
    """
    until = asyncio.get_running_loop().time() + intake.reading.patience
    async with intake.db.read() as conn:
        if known := await store.documents.document_with_bytes(conn, account, content.sha256):
            return known
        await intake.quotas.check_documents(conn, account, content.size)
    intake.db.check_space(content.size)
    # A link may be a web page and its server says so; what a client says of an upload decides nothing.
    with ExitStack() as kept:
        prepared = kept.enter_context(await intake.reading.read(account, content, name, media_type if url else "", loc))
        title = (url is not None and prepared.title) or name
        attached, notes = await read_attachments(intake.reading, account, prepared, title, until)
        prepared.notes.extend(notes)
        documents = [(_Source(title, name, content, media_type, url), prepared)]
        for part in attached:
            file, own = part.file, kept.enter_context(part.prepared)
            documents.append((_Source(part.name, file.name, part.content, file.media_type, None), own))
        async with intake.db.write() as conn:
            doc_ids = [await _store(conn, intake.quotas, account, *document) for document in documents]
    intake.work.set()
    return doc_ids[0]


async def _store(conn: Connection, quotas: Quotas, account: int, source: _Source, prepared: Prepared) -> str:
    """The doc_id of a new document, or of the account's one with the same bytes: a file may be uploaded twice at the
    same time, and attached to several messages."""
    if known := await store.documents.document_with_bytes(conn, account, source.content.sha256):
        return known
    await quotas.check_documents(conn, account, source.content.size)
    doc_id, about = secrets.token_hex(12), sensible(prepared.properties, source.file)
    document = await store.documents.add_document(
        conn,
        account,
        doc_id=doc_id,
        name=source.name,
        kind=prepared.kind,
        sha256=source.content.sha256,
        language=prepared.language,
        pages=prepared.pages,
        notes=" ".join(prepared.notes),
        title=about.title,
        author=about.author,
        dated=about.date,
    )
    content = source.content
    await store.documents.add_original(conn, document, source.media_type, source.url, content.size, content.pieces())
    await store.documents.add_pages(conn, document, prepared.page_rows())
    await store.chunks.add_chunks(conn, document, prepared.chunks())
    await store.document_tables.replace_tables(conn, document, prepared.tables())
    return doc_id
