"""`python run.py backup`, `restore`, `export` and `import`: what is stored, as a file and back."""

import argparse
import asyncio
import secrets
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from docqa import store
from docqa.api.auth import DEFAULT_ACCOUNT
from docqa.ingest.terms import chunk_terms
from docqa.settings import Settings
from docqa.store.backup import back_up, new_file, restore, take_in
from docqa.store.checked_files import UnusableFile, check_file
from docqa.store.database import Database
from docqa.store.modes import FOLDER
from docqa.store.transfer import EXPORTED, Base, Terminology
from docqa.text.words import TERMS_VERSION

TERMINOLOGY = Terminology(TERMS_VERSION, chunk_terms)


def declare(commands: Any) -> list[argparse.ArgumentParser]:
    """Add the commands to those of `run.py`; their parsers."""
    backup = commands.add_parser("backup", help="write everything that is stored to a new file, while the server runs")
    backup.set_defaults(run=_backup)
    put_back = commands.add_parser("restore", help="put a backup in the place of what is stored")
    put_back.set_defaults(run=_restore)
    give = commands.add_parser("export", help="write a knowledge base with its documents to a new file")
    give.add_argument("knowledge_base", metavar="KB", help="its knowledge_base_id, or its name")
    give.set_defaults(run=_export)
    take = commands.add_parser("import", help="add the knowledge base of an exported file")
    take.add_argument("--account", default=DEFAULT_ACCOUNT, help="whose it becomes [%(default)s]")
    take.set_defaults(run=_import)
    for command in (backup, put_back, give, take):
        command.add_argument("file", metavar="FILE", type=lambda raw: Path(raw).expanduser().absolute())
    return [backup, put_back, give, take]


def _backup(settings: Settings, options: argparse.Namespace) -> int:
    back_up(settings.database, options.file)
    print(f"{options.file} holds everything, checked: {options.file.stat().st_size / 1e6:,.1f} MB.")
    print("Whoever has it can read all documents. The keys are in it as hashes, so that they go on working.")
    return 0


def _restore(settings: Settings, options: argparse.Namespace) -> int:
    former = asyncio.run(restore(settings.database, options.file))
    print(f"{settings.database} is what {options.file} holds; keys are those of that time.")
    if former:
        print(f"What was stored before is kept as {former}: delete it when you do not need it.")
    return 0


def _export(settings: Settings, options: argparse.Namespace) -> int:
    base = asyncio.run(_exported(settings.database, options.knowledge_base, options.file))
    print(f"{options.file} holds the knowledge base {base.name} with {len(base.members)} documents, without keys.")
    return 0


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


def _import(settings: Settings, options: argparse.Namespace) -> int:
    for name, documents, left in asyncio.run(_imported(settings, options.file, options.account)):
        later = f"; {left} of them get their vectors when the server runs" if left else ""
        print(f"The knowledge base {name} is here with {documents} documents{later}.")
    return 0


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
