"""What an account can ask, documents and knowledge bases alike, by the ids that other programs know them by."""

from dataclasses import dataclass
from typing import Final, Literal

from docqa.errors import NotFound
from docqa.store.access import READABLE
from docqa.store.documents import StoredDocument, stored_columns, stored_document
from docqa.store.filters import NONE, Filters
from docqa.store.knowledge import knowledge_base_documents
from docqa.store.sql import Connection, fetch_all

MOST: Final = 1_000  # documents, the newest, that are listed and asked where nobody says which
_BEGINS = "BETWEEN ?2 AND ?2 || 'g'"  # ids are hexadecimal digits


@dataclass(frozen=True)
class Askable:
    """A document or a knowledge base; `created` is when it was added, in UTC."""

    kind: Literal["document", "knowledge base"]
    id: str
    name: str
    created: str


async def askables(conn: Connection, account: int) -> list[Askable]:
    """The knowledge bases that the account may read and then its documents, the newest first, at most MOST together."""
    sql = """SELECT kind, id, name, created FROM (
                 SELECT 0 AS place, 'knowledge base' AS kind, knowledge_base_id AS id, name, created, id AS row
                 FROM readable_base JOIN knowledge_base ON id = knowledge_base WHERE reader = ?
                 UNION ALL SELECT 1, 'document', doc_id, name, created, id FROM document WHERE account = ?)
             ORDER BY place, created DESC, row DESC LIMIT ?"""
    return [Askable(*row) for row in await fetch_all(conn, sql, account, account, MOST)]


async def askable(conn: Connection, account: int, beginning: str) -> Askable:
    """The document or knowledge base that the account may read whose id begins so. Raises NotFound, also where two
    do."""
    sql = f"""SELECT 'document', doc_id, name, created FROM document WHERE doc_id {_BEGINS} AND {READABLE}
              UNION ALL SELECT 'knowledge base', knowledge_base_id, name, created
              FROM readable_base JOIN knowledge_base ON id = knowledge_base
              WHERE reader = ?1 AND knowledge_base_id {_BEGINS} LIMIT 2"""
    rows = await fetch_all(conn, sql, account, beginning) if beginning else []
    if len(rows) != 1:
        raise NotFound("Neither a document nor a knowledge base has this id")
    return Askable(*rows[0])


async def documents_of(conn: Connection, account: int, what: Askable) -> list[StoredDocument]:
    """The document itself, or the members of the knowledge base. Raises NotFound."""
    if what.kind == "document":
        return [await stored_document(conn, account, what.id)]
    return await knowledge_base_documents(conn, account, what.id)


async def newest_documents(conn: Connection, account: int, filters: Filters = NONE) -> list[StoredDocument]:
    """The account's documents that fit, the newest first, at most MOST."""
    fit, values = filters.condition()
    sql = f"SELECT {stored_columns()} FROM document WHERE account = ? AND {fit} ORDER BY created DESC, id DESC LIMIT ?"
    return [StoredDocument(*row) for row in await fetch_all(conn, sql, account, *values, MOST)]
