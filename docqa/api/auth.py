"""API keys: made once, shown once, kept only as hashes."""

import asyncio
import hashlib
import secrets

from aiosqlite import Connection

from docqa import store
from docqa.errors import KeyMissing, Unauthorized

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


class Keys:
    """Whose keys are. Those that come while an answer of the database is awaited are asked together: each question to
    its thread takes two turns among the others, and hundreds of requests at once would wait for each other's."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        self._hashes: set[bytes] = set()  # that are asked next
        self._next: asyncio.Task[dict[bytes, int]] | None = None
        self._last: asyncio.Task[dict[bytes, int]] | None = None

    async def account_of(self, key: str | None) -> int:
        """The account that owns the key when it is asked, which is after this call. Raises Unauthorized."""
        if not key:
            raise KeyMissing("An API key is needed: send it in the header x-api-key, or as `Authorization: Bearer KEY`")
        key_hash = _hashed(key)
        self._hashes.add(key_hash)
        if self._next is None:
            self._next = asyncio.create_task(self._ask(self._last))
        owners = await asyncio.shield(self._next)  # others wait for it too
        if key_hash not in owners:
            raise Unauthorized("The API key is unknown or has been revoked")
        return owners[key_hash]

    async def _ask(self, last: asyncio.Task[dict[bytes, int]] | None) -> dict[bytes, int]:
        if last:
            await asyncio.wait((last,))
        hashes, self._hashes = self._hashes, set()
        self._last, self._next = self._next, None
        return await store.accounts.accounts_of_keys(self._conn, hashes)
