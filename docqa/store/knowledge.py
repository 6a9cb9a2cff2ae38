"""Knowledge bases and their members."""

from collections.abc import Sequence
from typing import Any

from aiosqlite import Connection

from docqa import records
from docqa.errors import NotFound
from docqa.store.accounts import count_knowledge_bases
from docqa.store.documents import STORED, StoredDocument
from docqa.store.sql import BIGGEST, change, change_many, fetch_all, fetch_one, insert, now

_KNOWLEDGE = "id, knowledge_base_id, name, created"
_MEMBERS = "member m JOIN document d ON d.id = m.document WHERE m.knowledge_base = ? ORDER BY m.position"


async def _knowledge_base(conn: Connection, row: tuple[Any, ...]) -> records.KnowledgeBase:
    id_, knowledge_base_id, name, created = row
    sql = f"SELECT d.doc_id, d.name FROM {_MEMBERS}"
    members = [records.Member(*member) for member in await fetch_all(conn, sql, id_)]
    return records.KnowledgeBase(knowledge_base_id, name, members, created)


async def add_knowledge_base(
    conn: Connection, account: int, knowledge_base_id: str, name: str, members: Sequence[StoredDocument]
) -> None:
    """Store a knowledge base with its members in this order."""
    sql = "INSERT INTO knowledge_base (knowledge_base_id, account, name, folded_name, created) VALUES (?, ?, ?, ?, ?)"
    row = await insert(conn, sql, knowledge_base_id, account, name, name.casefold(), now())
    await _set_members(conn, row, members)


async def _set_members(conn: Connection, knowledge_base: int, members: Sequence[StoredDocument]) -> None:
    await change(conn, "DELETE FROM member WHERE knowledge_base = ?", knowledge_base)
    rows = [(knowledge_base, member.id, position) for position, member in enumerate(members)]
    await change_many(conn, "INSERT INTO member (knowledge_base, document, position) VALUES (?, ?, ?)", rows)


async def knowledge_bases(
    conn: Connection, account: int, page: int, page_size: int, order: str
) -> records.KnowledgeBaseList:
    """A page of the account's knowledge bases by time; `order` is `asc` or `desc`, pages are numbered from 1."""
    count = await count_knowledge_bases(conn, account)
    direction = "ASC" if order == "asc" else "DESC"
    sql = f"""SELECT {_KNOWLEDGE} FROM knowledge_base WHERE account = ?
              ORDER BY created {direction}, id {direction} LIMIT ? OFFSET ?"""
    rows = await fetch_all(conn, sql, account, page_size, min((page - 1) * page_size, BIGGEST))
    return records.KnowledgeBaseList(-(-count // page_size), [await _knowledge_base(conn, row) for row in rows])


async def knowledge_row(conn: Connection, account: int, knowledge_base_id: str) -> tuple[Any, ...]:
    """(id, knowledge_base_id, name, created). Raises NotFound."""
    sql = f"SELECT {_KNOWLEDGE} FROM knowledge_base WHERE account = ? AND knowledge_base_id = ?"
    row = await fetch_one(conn, sql, account, knowledge_base_id)
    if row is None:
        raise NotFound("Knowledge base not found")
    return row


async def knowledge_base(conn: Connection, account: int, knowledge_base_id: str) -> records.KnowledgeBase:
    """The account's knowledge base of this id with its members. Raises NotFound."""
    return await _knowledge_base(conn, await knowledge_row(conn, account, knowledge_base_id))


async def knowledge_base_documents(conn: Connection, account: int, knowledge_base_id: str) -> list[StoredDocument]:
    """The members of a knowledge base in their order. Raises NotFound."""
    [id_, *_] = await knowledge_row(conn, account, knowledge_base_id)
    columns = ", ".join(f"d.{column}" for column in STORED.split(", "))
    sql = f"SELECT {columns} FROM {_MEMBERS}"
    return [StoredDocument(*row) for row in await fetch_all(conn, sql, id_)]


async def update_knowledge_base(
    conn: Connection, account: int, knowledge_base_id: str, name: str | None, members: Sequence[StoredDocument]
) -> None:
    """Replace the members, and the name unless it is None. Raises NotFound."""
    [id_, *_] = await knowledge_row(conn, account, knowledge_base_id)
    if name is not None:
        await change(
            conn, "UPDATE knowledge_base SET name = ?, folded_name = ? WHERE id = ?", name, name.casefold(), id_
        )
    await _set_members(conn, id_, members)


async def delete_knowledge_base(conn: Connection, account: int, knowledge_base_id: str) -> None:
    """Delete a knowledge base; its documents stay. Raises NotFound."""
    sql = "DELETE FROM knowledge_base WHERE account = ? AND knowledge_base_id = ?"
    if not await change(conn, sql, account, knowledge_base_id):
        raise NotFound("Knowledge base not found")


async def search_knowledge_bases(conn: Connection, account: int, query: str) -> list[records.KnowledgeBase]:
    """The account's knowledge bases whose name contains the query in any case, newest first."""
    sql = f"""SELECT {_KNOWLEDGE} FROM knowledge_base WHERE account = ? AND instr(folded_name, ?) > 0
              ORDER BY created DESC, id DESC"""
    return [await _knowledge_base(conn, row) for row in await fetch_all(conn, sql, account, query.casefold())]
