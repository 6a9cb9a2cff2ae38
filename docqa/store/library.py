"""The library: documents as the API's records, listed, read, renamed, filed under tags."""

import json
from collections.abc import Iterable
from typing import Any

from docqa import records
from docqa.errors import NotFound, TooLarge
from docqa.store.access import READABLE, refuse
from docqa.store.filters import DATE, NONE, Filters
from docqa.store.knowledge import knowledge_row
from docqa.store.sql import BIGGEST, Connection, change, fetch_all, fetch_one

_RECORD = f"name, doc_id, summary, language, pages, shareable, created, kind, {DATE}, tags"


async def documents(
    conn: Connection,
    account: int,
    page: int,
    page_size: int,
    filters: Filters = NONE,
    knowledge_base_id: str | None = None,
) -> records.DocumentList:
    """A page of the account's documents, or of those of a knowledge base that it may read, which fit, newest first;
    pages are numbered from 1. Raises NotFound."""
    fit, values = filters.condition()
    where, scope = "account = ?", account
    if knowledge_base_id is not None:
        [scope, *_] = await knowledge_row(conn, account, knowledge_base_id)
        where = "id IN (SELECT document FROM member WHERE knowledge_base = ?)"
    [(count,)] = await fetch_all(conn, f"SELECT count(*) FROM document WHERE {where} AND {fit}", scope, *values)
    sql = f"SELECT {_RECORD} FROM document WHERE {where} AND {fit} ORDER BY created DESC, id DESC LIMIT ? OFFSET ?"
    rows = await fetch_all(conn, sql, scope, *values, page_size, min((page - 1) * page_size, BIGGEST))
    return records.DocumentList(-(-count // page_size), [_document(row) for row in rows])


def _document(row: tuple[Any, ...]) -> records.Document:
    name, doc_id, summary, language, pages, shareable, created, kind, date, tags = row
    about = kind, date, list(json.loads(tags))
    return records.Document(name, doc_id, summary, language, pages, bool(shareable), created, *about)


async def document(conn: Connection, account: int, doc_id: str) -> records.Document:
    """The document of this doc_id, which the account may read. Raises NotFound."""
    row = await fetch_one(conn, f"SELECT {_RECORD} FROM document WHERE doc_id = ?2 AND {READABLE}", account, doc_id)
    if row is None:
        raise NotFound("Document not found")
    return _document(row)


async def update_document(
    conn: Connection, account: int, doc_id: str, name: str | None, tags: Iterable[str] | None
) -> None:
    """Give a document another name, and other tags, unless they are None. Raises NotFound, Forbidden."""
    sql = """UPDATE any_document SET name = coalesce(?, name), tags = coalesce(?, tags)
             WHERE account = ? AND doc_id = ? AND NOT deleted"""
    folded = None if tags is None else json.dumps({tag: tag.casefold() for tag in tags})
    if not await change(conn, sql, name, folded, account, doc_id):
        await refuse(conn, account, doc_id)


async def add_tags(conn: Connection, account: int, doc_id: str, tags: Iterable[str], most: int) -> None:
    """Give a document these tags beside its own. Raises NotFound, and TooLarge where it would have more than `most`."""
    known = (await document(conn, account, doc_id)).tags
    together = {tag.casefold(): tag for tag in [*known, *tags]}
    if len(together) > most:
        raise TooLarge(f"The document would have more than {most} tags, the most it may have. It has the ones it had.")
    await update_document(conn, account, doc_id, None, together.values())
