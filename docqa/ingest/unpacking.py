"""A zipped knowledge base becomes documents and a knowledge base of the account; what is there stays as it is."""

import asyncio
import secrets
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import PurePath

from docqa import store
from docqa.errors import Unreadable
from docqa.ingest.add import add_file
from docqa.ingest.queue import Intake
from docqa.ingest.zipped import Packed, Parcel

LOC = ("body", "file")


@dataclass(frozen=True)
class RefusedDocument:
    """A document that was not imported, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Imported:
    """What became of an exported knowledge base: how many documents were added, how many were present, byte for byte,
    and which were refused."""

    knowledge_base_id: str
    name: str
    added: int
    present: int
    refused: list[RefusedDocument]


async def import_base(intake: Intake, account: int, parcel: Parcel, name: str, documents: Sequence[Packed]) -> Imported:
    """Add the documents one by one, and put them into the account's knowledge base of this name, which is made if there
    is none.

    What is broken off goes on when it is repeated. Raises TooLarge where the account may not keep so much, DiskFull,
    and Busy and ChildDied, as adding a file does.
    """
    async with intake.db.read() as conn:
        if await store.knowledge.own_base_named(conn, account, name) is None:
            await intake.quotas.check_knowledge_bases(conn, account)
    doc_ids: dict[str, bool] = {}  # whether each was added
    refused = []
    for document in documents:
        try:
            doc_id, is_new = await _add(intake, account, parcel, document)
            doc_ids[doc_id] = doc_ids.get(doc_id, False) or is_new
        except Unreadable as error:
            refused.append(RefusedDocument(document.name, str(error)))
    knowledge_base_id = await _put(intake, account, name, list(doc_ids))
    added = sum(doc_ids.values())
    return Imported(knowledge_base_id, name, added, len(doc_ids) - added, refused)


async def _add(intake: Intake, account: int, parcel: Parcel, document: Packed) -> tuple[str, bool]:
    """(doc_id, whether it is new). Raises Unreadable and as `add_file` does."""
    content = await asyncio.to_thread(parcel.unpacked, document.file, intake.db.path.parent)
    with closing(content):
        async with intake.db.read() as conn:
            if known := await store.documents.document_with_bytes(conn, account, content.sha256):
                return known, False
        file = PurePath(document.file).name
        doc_id = await add_file(intake, account, content, file, document.media_type, LOC, document.url or None)
    async with intake.db.write() as conn:
        await store.library.update_document(conn, account, doc_id, document.name, document.tags)
    return doc_id, True


async def _put(intake: Intake, account: int, name: str, doc_ids: Sequence[str]) -> str:
    async with intake.db.write() as conn:
        members = await store.documents.own_documents(conn, account, doc_ids)
        if (known := await store.knowledge.own_base_named(conn, account, name)) is not None:
            before = await store.knowledge.knowledge_base_documents(conn, account, known)
            together = {member.id: member for member in [*before, *members]}
            await store.knowledge.update_knowledge_base(conn, account, known, None, list(together.values()))
            return known
        await intake.quotas.check_knowledge_bases(conn, account)
        knowledge_base_id = secrets.token_hex(12)
        await store.knowledge.add_knowledge_base(conn, account, knowledge_base_id, name, members)
        return knowledge_base_id
