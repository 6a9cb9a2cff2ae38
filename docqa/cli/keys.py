"""`key`: API keys, made, listed and revoked."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import click

from docqa import store
from docqa.api.auth import DEFAULT_ACCOUNT, create_key
from docqa.cli.options import with_data
from docqa.settings import Settings
from docqa.store.database import Database


@click.group()
def key() -> None:
    """Add, list and revoke API keys."""


@key.command()
@click.argument("name")
@click.option(
    "--account",
    default=DEFAULT_ACCOUNT,
    show_default=True,
    help="Whose documents it opens; a new name makes a new account.",
)
@with_data
def add(settings: Settings, name: str, account: str) -> None:
    """Create a key and print it, this once only. NAME says what it is for."""

    async def create() -> tuple[int, str]:
        async with _opened(settings) as db, db.write() as conn:
            return await create_key(conn, account, name)

    id_, secret = asyncio.run(create())
    print(f"Key {id_} ({name}) of the account {account}, shown only this once:", file=sys.stderr)
    print(secret)


@key.command("list")
@with_data
def list_keys(settings: Settings) -> None:
    """List the keys, without their secrets."""

    async def find() -> list[store.accounts.Key]:
        async with _opened(settings) as db, db.read() as conn:
            return await store.accounts.keys(conn)

    for entry in asyncio.run(find()):
        state = f"revoked {entry.revoked}" if entry.revoked else "valid"
        print(f"{entry.id:4}  {entry.account:16}  {entry.name:24}  {entry.created}  {state}")


@key.command()
@click.argument("id_", metavar="ID", type=int)
@with_data
def revoke(settings: Settings, id_: int) -> int:
    """Revoke a key for good. ID is as `key list` shows it."""

    async def end() -> bool:
        async with _opened(settings) as db, db.write() as conn:
            return await store.accounts.revoke_key(conn, id_)

    if not asyncio.run(end()):
        print(f"There is no valid key {id_}; `key list` shows them.", file=sys.stderr)
        return 1
    print(f"Key {id_} is revoked.")
    return 0


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[Database]:
    db = await Database.open(settings.database)
    try:
        yield db
    finally:
        await db.close()
