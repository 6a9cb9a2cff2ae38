"""Knowledge bases and their members: the account's own, and those that were shared with it."""

from collections.abc import Sequence
from typing import Any

from docqa import records
from docqa.errors import Forbidden, NotFound
from docqa.store.documents import StoredDocument, stored_columns
from docqa.store.sql import BIGGEST, Connection, change, change_many, fetch_all, fetch_one, insert, now

OWN = "own"  # the access of its owner; the others are `read` and `originals`
_KNOWLEDGE = """SELECT k.id, k.knowledge_base_id, k.name, k.created, r.access
                FROM readable_base r JOIN knowledge_base k ON k.id = r.knowledge_base WHERE r.reader = ?"""
_MEMBERS = "member m JOIN document d ON d.id = m.document WHERE m.knowledge_base = ? ORDER BY m.position"


async def _knowledge_base(conn: Connection, row: tuple[Any, ...]) -> records.KnowledgeBase:
    id_, knowledge_base_id, name, created, access = row
    sql = f"SELECT d.doc_id, d.name FROM {_MEMBERS}"
    members = [records.Member(*member) for member in await fetch_all(conn, sql, id_)]
    return records.KnowledgeBase(knowledge_base_id, name, members, created, access)


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
    """A page of the knowledge bases that the account may read, by time; `order` is `asc` or `desc`, pages are numbered
    from 1."""
    [(count,)] = await fetch_all(conn, "SELECT count(*) FROM readable_base WHERE reader = ?", account)
    direction = "ASC" if order == "asc" else "DESC"
    sql = f"{_KNOWLEDGE} ORDER BY k.created {direction}, k.id {direction} LIMIT ? OFFSET ?"
    rows = await fetch_all(conn, sql, account, page_size, min((page - 1) * page_size, BIGGEST))
    return records.KnowledgeBaseList(-(-count // page_size), [await _knowledge_base(conn, row) for row in rows])


async def knowledge_row(conn: Connection, account: int, knowledge_base_id: str) -> tuple[Any, ...]:
    """(id, knowledge_base_id, name, created, access) of one that the account may read. Raises NotFound."""
    row = await fetch_one(conn, f"{_KNOWLEDGE} AND k.knowledge_base_id = ?", account, knowledge_base_id)
    if row is None:
        raise NotFound("Knowledge base not found")
    return row


async def own_row(conn: Connection, account: int, knowledge_base_id: str) -> int:
    """The row id of the account's own. Raises NotFound, and Forbidden for one that it may only read."""
    [id_, _, name, _, access] = await knowledge_row(conn, account, knowledge_base_id)
    if access != OWN:
        raise Forbidden(f"{name} was shared with you: you may read and ask it, and its owner alone may change it.")
    return int(id_)


async def knowledge_base(conn: Connection, account: int, knowledge_base_id: str) -> records.KnowledgeBase:
    """The knowledge base of this id with its members, which the account may read. Raises NotFound."""
    return await _knowledge_base(conn, await knowledge_row(conn, account, knowledge_base_id))


async def knowledge_base_documents(conn: Connection, account: int, knowledge_base_id: str) -> list[StoredDocument]:
    """The members of a knowledge base in their order. Raises NotFound."""
    [id_, *_] = await knowledge_row(conn, account, knowledge_base_id)
    sql = f"SELECT {stored_columns('d')} FROM {_MEMBERS}"
    return [StoredDocument(*row) for row in await fetch_all(conn, sql, id_)]


async def base_with_originals(conn: Connection, account: int, knowledge_base_id: str) -> tuple[str, list[str]]:
    """(name, doc_ids) of a knowledge base whose files the account may have. Raises NotFound, Forbidden."""
    row = await knowledge_row(conn, account, knowledge_base_id)
    base = await _knowledge_base(conn, row)
    if base.access == "read":
        raise Forbidden(f"{base.name} was shared with you without its files: ask its owner for them.")
    return base.name, [member.doc_id for member in base.document_details]


async def own_base_named(conn: Connection, account: int, name: str) -> str | None:
    """The id of the account's own knowledge base of this very name, the oldest; None where there is none."""
    sql = "SELECT knowledge_base_id FROM knowledge_base WHERE account = ? AND name = ? ORDER BY id LIMIT 1"
    row = await fetch_one(conn, sql, account, name)
    return row[0] if row else None


async def update_knowledge_base(
    conn: Connection, account: int, knowledge_base_id: str, name: str | None, members: Sequence[StoredDocument]
) -> None:
    """Replace the members, and the name unless it is None. Raises NotFound, Forbidden."""
    id_ = await own_row(conn, account, knowledge_base_id)
    if name is not None:
        await change(
            conn, "UPDATE knowledge_base SET name = ?, folded_name = ? WHERE id = ?", name, name.casefold(), id_
        )
    await _set_members(conn, id_, members)


async def delete_knowledge_base(conn: Connection, account: int, knowledge_base_id: str) -> None:
    """Delete a knowledge base; its documents stay. One that was shared with the account is only given back. Raises
    NotFound."""
    [id_, _, _, _, access] = await knowledge_row(conn, account, knowledge_base_id)
    if access == OWN:
        await change(conn, "DELETE FROM knowledge_base WHERE id = ?", id_)
    else:
        await change(conn, "DELETE FROM share WHERE knowledge_base = ? AND account = ?", id_, account)


async def search_knowledge_bases(conn: Connection, account: int, query: str) -> list[records.KnowledgeBase]:
    """The knowledge bases that the account may read whose name contains the query in any case, newest first."""
    sql = f"{_KNOWLEDGE} AND instr(k.folded_name, ?) > 0 ORDER BY k.created DESC, k.id DESC"
    return [await _knowledge_base(conn, row) for row in await fetch_all(conn, sql, account, query.casefold())]
