"""The whole database as one file, made while the server writes, and put back while it does not."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from docqa.store.checked_files import UnusableFile, check_file, check_schema, opened
from docqa.store.database import DRIVER, Database, connect
from docqa.store.modes import FILE, FOLDER
from docqa.store.pragmas import PAGE_SIZE

PATIENCE = 10_000  # milliseconds
FORMER = ".before-restore"
_LOGS = ("-wal", "-shm", "-journal")


def back_up(database: Path, target: Path) -> None:
    """Write all that is stored, as it is at this moment, to a new file. Raises UnusableFile.

    The copy is made by VACUUM INTO, one reading transaction: the server goes on, and nothing of deleted documents is in
    the file.
    """
    if not database.is_file():
        raise UnusableFile(f"There is no database at {database}.")
    with new_file(target) as part:
        copy(connect(database), part)
        check_file(part)


async def restore(database: Path, source: Path) -> Path | None:
    """Put a backup in the place of the database; where the former one is kept now, None where there was none.

    Raises UnusableFile, and leaves everything as it was, for a file that is no whole backup, and while a server runs.
    """
    check_file(source)
    database.parent.mkdir(parents=True, exist_ok=True, mode=FOLDER)
    part = database.with_name(database.name + ".part")
    try:
        await take_in(source, part)
        former = _set_aside(database) if database.exists() else None
        os.replace(part, database)
    finally:
        remove(part)
    sync_folder(database.parent)
    return former


async def take_in(source: Path, target: Path) -> None:
    """A checked file, copied and brought to today's schema. Raises UnusableFile."""
    remove(target)
    copy(opened(source), target)
    await (await Database.open(target)).close()
    check_schema(target)


def _set_aside(database: Path) -> Path:
    """A second name for the database, which nobody has open and whose log is in it. Raises UnusableFile."""
    conn = connect(database)
    try:
        conn.execute("PRAGMA busy_timeout = 500")
        [mode] = conn.execute("PRAGMA journal_mode = DELETE").fetchone()
    except DRIVER.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in (5, 6):  # SQLITE_BUSY, SQLITE_LOCKED
            raise UnusableFile("A server runs on these data: stop it before restoring.") from error
        mode = "delete"  # what is too damaged to be opened has no log either
    finally:
        conn.close()
    if mode != "delete":
        raise UnusableFile("A server runs on these data: stop it before restoring.")
    former = database.with_name(database.name + FORMER)
    remove(former)
    try:
        os.link(database, former)
    except OSError:  # a file system without links
        shutil.copy2(database, former)
    for suffix in _LOGS:  # of a damaged database; SQLite would take it for the log of the restored one
        if (log := database.with_name(database.name + suffix)).exists():
            os.replace(log, former.with_name(former.name + suffix))
    return former


def copy(conn: Any, target: Path) -> None:
    """Copy the database of a connection, which is closed, to a file that is new, for its owner only. Raises
    UnusableFile."""
    try:
        conn.execute(f"PRAGMA busy_timeout = {PATIENCE}")
        target.touch(mode=FILE)  # VACUUM INTO takes an empty file
        conn.execute(f"PRAGMA page_size = {PAGE_SIZE}")  # of the copy
        conn.execute("VACUUM INTO ?", (str(target),))
    except DRIVER.Error as error:
        raise UnusableFile(f"The copy could not be made: {error}.") from error
    finally:
        conn.close()


@contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """A file that is written under another name and gets its own when it is whole. Raises UnusableFile where there is
    one already."""
    if target.exists():
        raise UnusableFile(f"{target} exists already: choose another name.")
    if not target.parent.is_dir():
        raise UnusableFile(f"There is no folder {target.parent}.")
    part = target.with_name(f".{target.name}.part")
    remove(part)
    try:
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(part, target)
        sync_folder(target.parent)
    finally:
        remove(part)


def remove(path: Path) -> None:
    """Remove a database with its log."""
    for suffix in ("", *_LOGS):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make a new name last through a power loss, where the system can."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
