"""API keys: made once, shown once, kept only as hashes."""

import asyncio
import hashlib
import logging
import secrets

from docqa import store
from docqa.errors import DiskFull, KeyMissing, Unauthorized
from docqa.store.database import Database
from docqa.store.database import Error as DatabaseError
from docqa.store.sql import Connection, now

log = logging.getLogger(__name__)

DEFAULT_ACCOUNT = "default"
SECONDS = 60  # between two times that uses of keys are stored


def _hashed(key: str) -> bytes:
    """SHA-256 without salt: the key is 256 random bits, which nobody guesses and no table holds."""
    return hashlib.sha256(key.encode()).digest()


def id_of(key: str) -> str:
    """The public id of a key, as the store derives it from its hash."""
    return _hashed(key).hex()[:16]


async def create_key(conn: Connection, account: str, name: str) -> tuple[int, str]:
    """(id, key) of a new key for the account of this name, which is created if there is none."""
    key = _made()
    return await store.accounts.add_key(
        conn, await store.accounts.account_named(conn, account), name, _hashed(key)
    ), key


async def new_key(conn: Connection, account: int, name: str) -> str:
    """A new key of an account that there is."""
    key = _made()
    await store.accounts.add_key(conn, account, name, _hashed(key))
    return key


async def may_change_machine(db: Database, account: int) -> bool:
    """Whether an account may change what belongs to the machine: the one of the first key, whose file lies in the data
    folder. Further accounts are made on the machine only, for others."""
    return await db.glances.look(lambda conn: store.accounts.name_of(conn, account)) == DEFAULT_ACCOUNT


def _made() -> str:
    return f"dq-{secrets.token_urlsafe(32)}"


class Keys:
    """Whose keys are, asked anew with each request: a key that was revoked, by another process too, is none at once."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._uses: dict[bytes, str] = {}  # when keys were used, by their hashes, since that was stored last

    async def account_of(self, key: str | None) -> int:
        """The account that owns the key when it is asked, which is after this call. Raises Unauthorized."""
        if not key:
            raise KeyMissing("An API key is needed: send it in the header x-api-key, or as `Authorization: Bearer KEY`")
        key_hash = _hashed(key)
        owner = await self._db.glances.look(lambda conn: store.accounts.account_of_key(conn, key_hash))
        if owner is None:
            raise Unauthorized("The API key is unknown or has been revoked")
        self._uses[key_hash] = now()
        return owner

    async def note_uses_forever(self) -> None:
        """Store once in `SECONDS` which keys were used, until this is cancelled: no request waits for it."""
        while True:
            await asyncio.sleep(SECONDS)
            await self.note_uses()

    async def note_uses(self) -> None:
        """Store which keys were used since the last time. A full or busy disk loses no more than that."""
        uses, self._uses = self._uses, {}
        try:
            if uses:
                async with self._db.write() as conn:
                    await store.accounts.note_uses(conn, uses)
        except (DiskFull, DatabaseError) as error:
            log.warning("when keys were last used cannot be stored: %s", error)
