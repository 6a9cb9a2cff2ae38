"""The SQLite file: opened, checked and migrated.

There is one writing connection and a few reading ones, each with a thread of its own.

Reads and writes are `async with db.read() as conn` and `async with db.write() as conn`; a write is one transaction.
A read that takes a moment is `await db.lists.look(lambda conn: ...)`, which costs a tenth; one of many statements and
some reckoning is `await db.at_once(lambda conn: ...)`, which goes to a thread once for all of it.
"""

import asyncio
import importlib.util
import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import aiosqlite

from docqa.errors import CannotStart, DiskFull
from docqa.store import early
from docqa.store.ballast import Ballast, free_space
from docqa.store.glances import Glances, Read, Result
from docqa.store.modes import make_private
from docqa.store.pragmas import forget_pages, only_reading, set_pragmas
from docqa.store.readers import Readers
from docqa.store.recent_words import RecentWords
from docqa.store.small_vectors import small
from docqa.store.vector_index import VectorIndex
from docqa.text.packed_terms import packed, unpacked

MIGRATIONS = Path(__file__).parent / "migrations"
READERS = 3
WAL_LIMIT = 32 << 20
TRUNCATE_MS = 200  # how long emptying the log waits for readers, and with it every writer
CONVERTED = 64 << 20  # bytes: files up to this size are made to give space back at once, in a second
RESERVE = 64 << 20  # bytes that uploads leave free on the disk, for all else to go on


def _driver() -> ModuleType:
    """pysqlite3 where it is installed: many Pythons have an sqlite3 without extensions, or an old SQLite."""
    try:
        import pysqlite3.dbapi2 as driver  # type: ignore[import-untyped]
    except ImportError:
        return sqlite3
    return driver  # type: ignore[no-any-return]


DRIVER = _driver()
Error: type[Exception] = DRIVER.Error
# SQLITE_FULL, and SQLITE_IOERR_WRITE and SQLITE_IOERR_SHMSIZE, which some file systems and limits lead to.
_FULL = (13, 778, 4874)
FULL = (
    "The disk is full, so nothing was stored. Delete documents or free space on the disk of {folder}, then try again."
)


def _vector_extension() -> str:
    """The path of sqlite-vec's library. Importing the package would load numpy, for functions that we do not call."""
    package = importlib.util.find_spec("sqlite_vec")
    if package is None or package.origin is None:
        raise CannotStart("sqlite-vec is not installed: start with `python run.py`, which installs it.")
    return str(Path(package.origin).with_name("vec0"))


def connect(path: Path, options: str = "") -> Any:
    """A connection of the driver with the vector extension; `options` are those of SQLite's file names (mode=ro).

    Raises CannotStart where this Python cannot load the extension.
    """
    name = f"{path.absolute().as_uri()}?{options}" if path.name != ":memory:" else ":memory:"
    conn = DRIVER.connect(name, uri=True, isolation_level=None, check_same_thread=False)
    for function in (packed, unpacked, small):  # which the schema uses
        conn.create_function(function.__name__, 1, function, deterministic=True)
    if not hasattr(conn, "enable_load_extension"):
        raise CannotStart("This Python's sqlite3 cannot load extensions: install pysqlite3, or use another Python.")
    conn.enable_load_extension(True)
    conn.load_extension(_vector_extension())
    conn.enable_load_extension(False)
    return conn


def check_driver() -> None:
    """Raises CannotStart where this Python's SQLite lacks what the database needs: extensions, sqlite-vec, FTS5."""
    try:
        conn = connect(Path(":memory:"))
        conn.execute("CREATE VIRTUAL TABLE fts USING fts5 (text)")
        conn.execute("SELECT vec_version()")
        conn.close()
    except DRIVER.Error as error:
        raise CannotStart(f"SQLite {DRIVER.sqlite_version} lacks what DocQA needs: {error}.") from error


async def _open(raw: Any, prepare: Read[None]) -> aiosqlite.Connection:
    """The connection that is made of one of the driver."""
    conn = await aiosqlite.Connection(lambda: raw, 64)
    try:
        await prepare(conn)
    except BaseException:
        await conn.close()  # its thread would keep the process from ending
        raise
    return conn


@asynccontextmanager
async def read_only(path: Path) -> AsyncIterator[aiosqlite.Connection]:
    """The database as it is, for a look into it: nothing is created or migrated. Raises Error."""
    conn = await aiosqlite.Connection(lambda: connect(path, "mode=ro"), 64)
    try:
        yield conn
    finally:
        await conn.close()


def migrations() -> list[tuple[int, str]]:
    """(number, SQL) of every file in migrations/, in order."""
    files = MIGRATIONS.glob("[0-9][0-9][0-9][0-9]_*.sql")
    return sorted((int(path.name[:4]), path.read_text(encoding="utf-8")) for path in files)


async def _migrate(conn: aiosqlite.Connection) -> None:
    """Apply what is missing, in transactions, so that a failed start leaves the old schema intact.

    Each file has its own, but the early ones share one: the number of what lies between would not tell its schema.
    """
    [(version,)] = await conn.execute_fetchall("PRAGMA user_version")
    known = migrations()
    if version > known[-1][0]:
        raise CannotStart(f"The data are from a newer DocQA (schema {version}, this one knows {known[-1][0]}).")
    if version <= early.LAST:
        first = [await early.completion(conn, known[0][1])] if version == 1 else []
        absent = await early.missing(conn, version)
        scripts = [*first, *(sql for number, sql in known if number in absent)]
        reached = max(number for number, _ in known if number <= early.LAST)
        if any(scripts):
            await _apply(conn, "\n;\n".join(scripts), reached)
    for number, sql in known:
        if number > max(version, early.LAST):
            await _apply(conn, sql, number)


async def _apply(conn: aiosqlite.Connection, sql: str, version: int) -> None:
    """Run the statements after which the file has this user_version. Raises CannotStart."""
    try:
        await conn.executescript(f"BEGIN IMMEDIATE;\n{sql}\n;PRAGMA user_version = {version};\nCOMMIT;")
    except DRIVER.Error as error:
        if conn.in_transaction:
            await conn.rollback()
        [(reached,)] = await conn.execute_fetchall("PRAGMA user_version")
        if reached < version:  # else a second process was faster
            raise CannotStart(f"Migration {version} failed: {error}") from error


async def _shrinkable(conn: aiosqlite.Connection, path: Path) -> None:
    """Make a file of an earlier version give space back after deletions, where that takes but a moment."""
    [(mode,)] = await conn.execute_fetchall("PRAGMA auto_vacuum")
    size = path.stat().st_size
    if not mode and size <= CONVERTED and free_space(path.parent) > 4 * size + RESERVE:
        await conn.execute_fetchall("PRAGMA auto_vacuum = INCREMENTAL")
        await conn.execute_fetchall("VACUUM")


def _is_full(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", None) in _FULL


class Database:
    """Open with `await Database.open(path)`, close with `await db.close()`."""

    def __init__(
        self,
        path: Path,
        writer: aiosqlite.Connection,
        readers: Mapping[aiosqlite.Connection, Any],
        short: list[Glances],
    ) -> None:
        self.path = path
        # Nobody's list has others wait for their keys and the server's health, which are single rows.
        self.glances, self.lists = short
        self._writer = writer
        self._writing = asyncio.Lock()
        self._owed = False  # whether the log still holds deleted data
        self.ballast = Ballast(path)
        self.vectors = VectorIndex(partial(connect, path, "mode=ro"))
        self.words = RecentWords(partial(connect, path, "mode=ro"))
        self._readers = Readers(readers)
        self._opened: list[Glances | Readers | aiosqlite.Connection] = [*short, self._readers, writer]

    @classmethod
    async def open(cls, path: Path) -> "Database":
        """The database at `path`, created if there is none, with the current schema.

        Raises CannotStart when the file is not our database, damaged, newer than this program, or cannot be written.
        """
        try:
            make_private(path)
            Ballast(path).release()  # a server starts on a full disk, too
            writer = await _open(connect(path), set_pragmas)
            readers: dict[aiosqlite.Connection, Any] = {}
            try:
                await _migrate(writer)
                await _shrinkable(writer, path)
                for raw in [connect(path) for _ in range(READERS)]:
                    readers[await _open(raw, only_reading)] = raw
                short = [Glances(connect(path), only_reading) for _ in range(2)]
            except BaseException:
                for conn in (writer, *readers):
                    await conn.close()
                raise
        except (OSError, DRIVER.Error) as error:
            raise CannotStart(f"{path} cannot be used as the database: {error}") from error
        return cls(path, writer, readers, short)

    def read(self) -> AbstractAsyncContextManager[aiosqlite.Connection]:
        """A connection for SELECTs that all see the same state of the data."""
        return self._readers.read()

    async def at_once(self, read: Read[Result]) -> Result:
        """What `read` makes of such SELECTs and what it reckons between them, in one go in a thread; it awaits nothing
        but its connection. Raises what `read` does."""
        return await self._readers.at_once(read)

    @asynccontextmanager
    async def write(self) -> AsyncIterator[aiosqlite.Connection]:
        """The writing connection in a transaction, committed at the end, rolled back when the block raises.

        Raises DiskFull where there is no room for what is written.
        """
        async with self._writing:
            conn = self._writer
            try:
                await conn.execute_fetchall("BEGIN IMMEDIATE")
                yield conn
                await asyncio.shield(conn.commit())
            except BaseException as error:
                # A cancelled statement still runs in the connection's thread; the rollback queues behind it.
                await asyncio.shield(conn.rollback())
                if isinstance(error, DRIVER.Error) and _is_full(error):
                    raise DiskFull(FULL.format(folder=self.path.parent)) from error
                raise
            if self._owed or self._wal_size() > WAL_LIMIT:
                await self._truncate()

    @asynccontextmanager
    async def beside(self, path: Path) -> AsyncIterator[None]:
        """Another database, which is only read, is `other` for the statements of writes. Raises Error."""
        async with self._writing:
            await self._writer.execute_fetchall("ATTACH ? AS other", (f"{path.absolute().as_uri()}?mode=ro",))
        try:
            yield
        finally:
            async with self._writing:
                await self._writer.execute_fetchall("DETACH other")

    def check_space(self, size: int) -> None:
        """Raises DiskFull where a file of `size` bytes would leave too little room for all else to go on."""
        if free_space(self.path.parent) < RESERVE + 2 * size:
            raise DiskFull(FULL.format(folder=self.path.parent))

    def _wal_size(self) -> int:
        wal = self.path.with_name(self.path.name + "-wal")
        return wal.stat().st_size if wal.exists() else 0

    async def forget(self) -> bool:
        """Empty the write-ahead log, so that it keeps no byte of what was just deleted; False where a reader of the old
        state keeps it alive: the next write tries again."""
        async with self._writing:
            await self._truncate()
            return not self._owed

    async def _truncate(self) -> None:
        [(patience,)] = await self._writer.execute_fetchall("PRAGMA busy_timeout")
        await self._writer.execute_fetchall(f"PRAGMA busy_timeout = {min(TRUNCATE_MS, patience)}")
        try:
            [(busy, *_)] = await self._writer.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            await self._writer.execute_fetchall(f"PRAGMA busy_timeout = {patience}")
        self._owed = bool(busy)

    async def rest(self) -> None:
        """Give back the memory of pages that were read or written, as far as nobody is at work."""
        for each in (self.glances, self.lists, self._readers):
            await each.rest()
        async with self._writing:
            await forget_pages(self._writer)

    async def close(self) -> None:
        """Wait for the current write and close every connection, readers in use included."""
        async with self._writing:
            for conn in self._opened:
                await conn.close()
        await self.vectors.close()
        await asyncio.to_thread(self.words.close)
