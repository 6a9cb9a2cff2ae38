"""Accounts and their API keys."""

from collections.abc import Collection
from dataclasses import dataclass

from aiosqlite import Connection

from docqa.store.sql import change, fetch_all, fetch_one, insert, now


@dataclass(frozen=True)
class Key:
    """An API key without its secret; `account` is the account's name, `revoked` a time or None."""

    id: int
    account: str
    name: str
    created: str
    revoked: str | None


async def accounts_of_keys(conn: Connection, hashes: Collection[bytes]) -> dict[bytes, int]:
    """The row ids of the accounts that own these keys, by their hashes; unknown and revoked ones have none."""
    places = ", ".join("?" * len(hashes))
    return dict(
        await fetch_all(
            conn, f"SELECT hash, account FROM api_key WHERE hash IN ({places}) AND revoked IS NULL", *hashes
        )
    )


async def account_named(conn: Connection, name: str) -> int:
    """The row id of the account of this name, which is created if there is none."""
    await change(conn, "INSERT INTO account (name, created) VALUES (?, ?) ON CONFLICT DO NOTHING", name, now())
    row = await fetch_one(conn, "SELECT id FROM account WHERE name = ?", name)
    assert row is not None
    return int(row[0])


async def has_accounts(conn: Connection) -> bool:
    """Whether there is any account, which a new database does not have."""
    return await fetch_one(conn, "SELECT 1 FROM account LIMIT 1") is not None


async def add_key(conn: Connection, account: int, name: str, key_hash: bytes) -> int:
    """The id of a new key, of which only the hash is stored."""
    return await insert(
        conn, "INSERT INTO api_key (account, name, hash, created) VALUES (?, ?, ?, ?)", account, name, key_hash, now()
    )


async def keys(conn: Connection) -> list[Key]:
    """All keys of all accounts, revoked ones included, oldest first."""
    sql = """SELECT k.id, a.name, k.name, k.created, k.revoked
             FROM api_key k JOIN account a ON a.id = k.account ORDER BY k.id"""
    return [Key(*row) for row in await fetch_all(conn, sql)]


async def revoke_key(conn: Connection, key: int) -> bool:
    """Whether there was a valid key of this id to revoke."""
    return await change(conn, "UPDATE api_key SET revoked = ? WHERE id = ? AND revoked IS NULL", now(), key) == 1


async def count_documents(conn: Connection, account: int) -> int:
    """How many documents the account has."""
    [(count,)] = await fetch_all(conn, "SELECT count(*) FROM document WHERE account = ?", account)
    return int(count)


async def count_bytes(conn: Connection, account: int) -> int:
    """The size of the files of all its documents, as they were uploaded."""
    sql = "SELECT total(o.size) FROM document d JOIN original o ON o.document = d.id WHERE d.account = ?"
    [(size,)] = await fetch_all(conn, sql, account)
    return int(size)


async def count_knowledge_bases(conn: Connection, account: int) -> int:
    """How many knowledge bases the account has."""
    [(count,)] = await fetch_all(conn, "SELECT count(*) FROM knowledge_base WHERE account = ?", account)
    return int(count)
