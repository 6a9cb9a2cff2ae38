"""Accounts and their API keys."""

from collections.abc import Mapping
from dataclasses import dataclass

from docqa import records
from docqa.errors import NotFound
from docqa.store.sql import Connection, change, change_many, fetch_all, fetch_one, insert, now


@dataclass(frozen=True)
class Key:
    """An API key without its secret; `account` is the account's name, `revoked` a time or None."""

    id: int
    account: str
    name: str
    created: str
    revoked: str | None


async def account_of_key(conn: Connection, key_hash: bytes) -> int | None:
    """The row id of the account that owns the key with this hash, None for one that is unknown or revoked."""
    row = await fetch_one(conn, "SELECT account FROM api_key WHERE hash = ? AND revoked IS NULL", key_hash)
    return row[0] if row else None


async def account_named(conn: Connection, name: str) -> int:
    """The row id of the account of this name, which is created if there is none."""
    await change(conn, "INSERT INTO account (name, created) VALUES (?, ?) ON CONFLICT DO NOTHING", name, now())
    row = await fetch_one(conn, "SELECT id FROM account WHERE name = ?", name)
    assert row is not None
    return int(row[0])


async def name_of(conn: Connection, account: int) -> str:
    """The name of an account that there is."""
    [(name,)] = await fetch_all(conn, "SELECT name FROM account WHERE id = ?", account)
    return str(name)


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


KEY_ID = "lower(substr(hex(hash), 1, 16))"  # of a random key's hash, it tells neither the key nor how many there are


async def account_keys(conn: Connection, account: int, current: str, most_revoked: int) -> list[records.ApiKey]:
    """The account's valid keys and those revoked last, newest first; `current` is the id of the request's key."""
    columns = f"{KEY_ID}, name, created, last_used, revoked, id"
    sql = f"""SELECT * FROM (SELECT {columns} FROM api_key WHERE account = ?1 AND revoked IS NULL)
              UNION ALL SELECT * FROM (SELECT {columns} FROM api_key WHERE account = ?1 AND revoked IS NOT NULL
                                       ORDER BY revoked DESC LIMIT ?2)
              ORDER BY id DESC"""
    rows = await fetch_all(conn, sql, account, most_revoked)
    return [
        records.ApiKey(key_id, name, created, last_used, revoked, key_id == current)
        for key_id, name, created, last_used, revoked, _ in rows
    ]


async def count_keys(conn: Connection, account: int) -> int:
    """How many valid keys the account has."""
    [(count,)] = await fetch_all(conn, "SELECT count(*) FROM api_key WHERE account = ? AND revoked IS NULL", account)
    return int(count)


async def rename_account_key(conn: Connection, account: int, key_id: str, name: str) -> None:
    """Give a valid key of the account another name. Raises NotFound."""
    await _change_key(conn, "name = ?", name, account, key_id)


async def revoke_account_key(conn: Connection, account: int, key_id: str) -> None:
    """Revoke a valid key of the account. Raises NotFound."""
    await _change_key(conn, "revoked = ?", now(), account, key_id)


async def _change_key(conn: Connection, change_to: str, value: str, account: int, key_id: str) -> None:
    sql = f"UPDATE api_key SET {change_to} WHERE account = ? AND {KEY_ID} = ? AND revoked IS NULL"
    if not await change(conn, sql, value, account, key_id):
        raise NotFound("API key not found")


async def note_uses(conn: Connection, uses: Mapping[bytes, str]) -> None:
    """Store when keys were last used, by their hashes."""
    sql = "UPDATE api_key SET last_used = ? WHERE hash = ?"
    await change_many(conn, sql, ((time, key_hash) for key_hash, time in uses.items()))


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
