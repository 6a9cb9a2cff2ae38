"""API keys: made once, shown once, kept only as hashes."""

import hashlib
import secrets

from aiosqlite import Connection

from docqa import store
from docqa.errors import Unauthorized

DEFAULT_ACCOUNT = "default"


def _hashed(key: str) -> bytes:
    """SHA-256 without salt: the key is 256 random bits, which nobody guesses and no table holds."""
    return hashlib.sha256(key.encode()).digest()


async def create_key(conn: Connection, account: str, name: str) -> tuple[int, str]:
    """(id, key) of a new key for the account of this name, which is created if there is none."""
    key = f"dq-{secrets.token_urlsafe(32)}"
    return await store.accounts.add_key(
        conn, await store.accounts.account_named(conn, account), name, _hashed(key)
    ), key


async def account_of(conn: Connection, key: str | None) -> int:
    """The account that owns the key. Raises Unauthorized."""
    if not key:
        raise Unauthorized("An API key is needed: send it in the header x-api-key")
    account = await store.accounts.account_of_key(conn, _hashed(key))
    if account is None:
        raise Unauthorized("The API key is unknown or has been revoked")
    return account
