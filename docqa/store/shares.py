"""Shares: knowledge bases that another account may read.

No account is named: the owner hands a code to whomever it is for, and it is good for the account that takes it first.
So nobody learns which accounts there are, and nobody is given what he did not ask for.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from docqa.errors import NotFound
from docqa.records import Timestamp
from docqa.store.chats import forget_unreadable
from docqa.store.knowledge import own_row
from docqa.store.sql import Connection, change, fetch_all, fetch_one, insert, now


@dataclass(frozen=True)
class Share:
    """A knowledge base shared with another account: `name` is whom it is for, in the words of its owner, `originals`
    whether the files may be downloaded, `taken` when the account took it, or null."""

    share_id: str
    name: str
    originals: bool
    created: Timestamp
    taken: Timestamp | None


async def add_share(
    conn: Connection, account: int, knowledge_base_id: str, share_id: str, name: str, originals: bool, code_hash: bytes
) -> None:
    """Share a knowledge base of the account's own. Raises NotFound, Forbidden."""
    row = await own_row(conn, account, knowledge_base_id)
    sql = """INSERT INTO share (share_id, knowledge_base, name, originals, code_hash, created)
             VALUES (?, ?, ?, ?, ?, ?)"""
    await insert(conn, sql, share_id, row, name, originals, code_hash, now())


async def shares(conn: Connection, account: int, knowledge_base_id: str) -> list[Share]:
    """The shares of a knowledge base of the account's own, newest first. Raises NotFound, Forbidden."""
    row = await own_row(conn, account, knowledge_base_id)
    sql = "SELECT share_id, name, originals, created, taken FROM share WHERE knowledge_base = ? ORDER BY id DESC"
    return [
        Share(share_id, name, bool(originals), created, taken)
        for share_id, name, originals, created, taken in await fetch_all(conn, sql, row)
    ]


async def take_share(conn: Connection, account: int, code_hash: bytes) -> str:
    """Let the account read what a code is for; the knowledge_base_id. Its share of the same knowledge base so far ends,
    and the code of its own one leads to it. Raises NotFound."""
    sql = """SELECT s.id, k.id, k.knowledge_base_id, k.account FROM share s
             JOIN knowledge_base k ON k.id = s.knowledge_base
             WHERE s.code_hash = ?1 AND (s.account IS NULL OR s.account = ?2)"""
    row = await fetch_one(conn, sql, code_hash, account)
    if row is None:
        raise NotFound("There is nothing to take for this code: it was withdrawn, or somebody has taken it.")
    share, knowledge_base, knowledge_base_id, owner = row
    if owner != account:
        sql = "DELETE FROM share WHERE knowledge_base = ? AND account = ? AND id != ?"
        await change(conn, sql, knowledge_base, account, share)
        sql = "UPDATE share SET account = ?, taken = ? WHERE id = ? AND account IS NULL"
        await change(conn, sql, account, now(), share)
    return str(knowledge_base_id)


async def withdraw_share(conn: Connection, account: int, knowledge_base_id: str, share_id: str) -> None:
    """End a share of a knowledge base of the account's own. Raises NotFound, Forbidden."""
    row = await own_row(conn, account, knowledge_base_id)
    if not await change(conn, "DELETE FROM share WHERE knowledge_base = ? AND share_id = ?", row, share_id):
        raise NotFound("Share not found")


@asynccontextmanager
async def losing(conn: Connection, knowledge_base_id: str) -> AsyncIterator[None]:
    """What the readers of a knowledge base can no longer read after the block is gone from their chats, too."""
    sql = """SELECT s.account FROM share s JOIN knowledge_base k ON k.id = s.knowledge_base
             WHERE k.knowledge_base_id = ? AND s.account IS NOT NULL"""
    readers = [account for (account,) in await fetch_all(conn, sql, knowledge_base_id)]
    yield
    for reader in readers:
        await forget_unreadable(conn, reader)
