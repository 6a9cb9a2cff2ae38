"""`python run.py backup`, `restore`, `export` and `import`: what is stored, as a file and back."""

import asyncio
import secrets
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import click

from docqa import store
from docqa.api.auth import DEFAULT_ACCOUNT
from docqa.cli.options import absolute, with_data
from docqa.ingest.chunking import chunk_terms
from docqa.settings import Settings
from docqa.store.backup import back_up, new_file, restore, take_in
from docqa.store.checked_files import UnusableFile, check_file
from docqa.store.database import Database
from docqa.store.modes import FOLDER
from docqa.store.transfer import EXPORTED, Base, Terminology
from docqa.text.words import TERMS_VERSION

TERMINOLOGY = Terminology(TERMS_VERSION, chunk_terms)


@click.command()
@click.argument("file", callback=absolute)
@with_data
def backup(settings: Settings, file: Path) -> None:
    """Write everything that is stored to a new FILE, while the server runs."""
    back_up(settings.database, file)
    print(f"{file} holds everything, checked: {file.stat().st_size / 1e6:,.1f} MB.")
    print("Whoever has it can read all documents. The keys are in it as hashes, so that they go on working.")


@click.command("restore")
@click.argument("file", callback=absolute)
@with_data
def put_back(settings: Settings, file: Path) -> None:
    """Put the backup FILE in the place of what is stored, which is kept beside it."""
    former = asyncio.run(restore(settings.database, file))
    print(f"{settings.database} is what {file} holds; keys are those of that time.")
    if former:
        print(f"What was stored before is kept as {former}: delete it when you do not need it.")


@click.command()
@click.argument("knowledge_base", metavar="KB")
@click.argument("file", callback=absolute)
@with_data
def export(settings: Settings, knowledge_base: str, file: Path) -> None:
    """Write the knowledge base KB, by its name or id, with its documents to a new FILE."""
    base = asyncio.run(_exported(settings.database, knowledge_base, file))
    print(f"{file} holds the knowledge base {base.name} with {len(base.members)} documents, without keys.")


@click.command("import")
@click.argument("file", callback=absolute)
@click.option("--account", default=DEFAULT_ACCOUNT, show_default=True, help="Whose it becomes.")
@with_data
def take(settings: Settings, file: Path, account: str) -> None:
    """Add the knowledge base of the exported FILE."""
    for name, documents, left in asyncio.run(_imported(settings, file, account)):
        later = f"; {left} of them get their vectors when the server runs" if left else ""
        print(f"The knowledge base {name} is here with {documents} documents{later}.")


async def _exported(database: Path, wanted: str, target: Path) -> Base:
    """The knowledge base that was written. Raises UnusableFile."""
    if not database.is_file():
        raise UnusableFile(f"There is no database at {database}.")
    await (await Database.open(database)).close()  # brought to today's schema
    with new_file(target) as part:
        async with _opened(part) as db, db.beside(database), db.write() as conn:
            base = _chosen(await store.transfer.bases(conn), wanted)
            await store.transfer.take_state(conn)
            account = await store.accounts.account_named(conn, EXPORTED)
            rows = [(await store.transfer.copy_document(conn, row, account, TERMINOLOGY))[0] for row in base.members]
            await store.transfer.copy_base(conn, base, account, base.knowledge_base_id, rows)
        check_file(part)
    return base


def _chosen(bases: list[Base], wanted: str) -> Base:
    chosen = [base for base in bases if wanted in (base.knowledge_base_id, base.name)]
    if len(chosen) == 1:
        return chosen[0]
    listed = "; ".join(f"{base.knowledge_base_id} ({base.name})" for base in chosen or bases) or "none"
    number = "several knowledge bases are" if chosen else "no knowledge base is"
    raise UnusableFile(f"{number.capitalize()} called {wanted}. There are: {listed}.")


async def _imported(settings: Settings, source: Path, account_name: str) -> list[tuple[str, int, int]]:
    """(name, documents, those of them that need vectors) of what was imported. Raises UnusableFile.

    Each document is a transaction of its own; what is interrupted goes on when the command is repeated.
    """
    check_file(source)
    settings.data.mkdir(parents=True, exist_ok=True, mode=FOLDER)
    done = []
    with tempfile.TemporaryDirectory(prefix="import-", dir=settings.data) as folder:
        copy = Path(folder) / "import.sqlite"
        await take_in(source, copy)
        async with _opened(settings.database) as db, db.beside(copy):
            async with db.write() as conn:
                if not await store.transfer.is_export(conn):
                    raise UnusableFile(f"{source} is no exported knowledge base. `restore` puts a backup back.")
                account = await store.accounts.account_named(conn, account_name)
                bases = await store.transfer.bases(conn)
            for base in bases:
                rows, left = [], 0
                for member in base.members:
                    async with db.write() as conn:
                        row, lacking = await store.transfer.copy_document(conn, member, account, TERMINOLOGY)
                    rows.append(row)
                    left += lacking
                async with db.write() as conn:
                    await store.transfer.copy_base(conn, base, account, secrets.token_hex(12), rows)
                done.append((base.name, len(rows), left))
    return done


@asynccontextmanager
async def _opened(path: Path) -> AsyncIterator[Database]:
    db = await Database.open(path)
    try:
        yield db
    finally:
        await db.close()
