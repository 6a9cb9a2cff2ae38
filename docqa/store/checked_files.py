"""A database file that somebody hands in is looked at before anything is done with it.

Is it one of ours, is it whole, does nothing in it act by itself but what our migrations make?
"""

import re
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from docqa.errors import DocqaError
from docqa.store.database import DRIVER, connect, migrations

APPLICATION = 1148146513  # "DocQ", set by migration 9
LITESTREAM = {
    "_litestream_lock",
    "_litestream_seq",
}  # which Litestream adds where it copies; nothing of ours reads them
_MAGIC = b"SQLite format 3\0"


class UnusableFile(DocqaError):
    """A file that cannot be restored or imported, or not now; the sentence says why."""


def check_file(path: Path) -> None:
    """Raises UnusableFile for what is no whole database of this program, or of a newer one."""
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise UnusableFile(f"{path} cannot be read: {error.strerror}.") from error
    if magic != _MAGIC:
        raise UnusableFile(f"{path} is no SQLite file.")
    try:
        with closing(opened(path)) as conn:
            _check(conn, path)
    except DRIVER.Error as error:
        raise UnusableFile(f"{path} is damaged: {error}.") from error


def opened(path: Path) -> Any:
    """A connection that does not change the file, with what its log holds."""
    log = path.with_name(path.name + "-wal")
    immutable = "" if log.exists() and log.stat().st_size else "&immutable=1"
    return connect(path, f"mode=ro{immutable}")


def _check(conn: Any, path: Path) -> None:
    [version], [application] = (
        conn.execute(f"PRAGMA {name}").fetchone() for name in ("user_version", "application_id")
    )
    newest = migrations()[-1][0]
    if version > newest and application == APPLICATION:
        raise UnusableFile(f"{path} is from a newer DocQA (schema {version}, this one knows {newest}).")
    tables = {row[0] for row in conn.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")}
    if application not in (0, APPLICATION) or version < 1 or not {"account", "original", "chunk"} <= tables:
        raise UnusableFile(f"{path} is an SQLite file, but not one of DocQA.")
    strange = acting(conn) - _known()
    if strange:
        names = ", ".join(sorted(name for name, _ in strange))
        raise UnusableFile(f"{path} is not used: it holds what no DocQA has made ({names}).")
    faults = [row[0] for row in conn.execute("PRAGMA integrity_check(3)")]
    if faults != ["ok"]:
        raise UnusableFile(f"{path} is damaged: {'; '.join(faults)}.")


def check_schema(path: Path) -> None:
    """Raises UnusableFile where the tables of a migrated file are not those of today's schema."""
    with closing(opened(path)) as conn, closing(fresh()) as model:
        if acting(conn) != acting(model) or _columns(conn) != _columns(model):
            raise UnusableFile(f"{path} is not used: its tables are not those of DocQA.")


def acting(conn: Any) -> set[tuple[str, str]]:
    """(name, SQL) of the indexes, triggers, views and virtual tables: what runs when others are read or written."""
    rows = conn.execute("SELECT name, sql FROM sqlite_master WHERE type != 'table' OR sql LIKE 'CREATE VIRTUAL%'")
    return {(name, re.sub(r"bit\[\d+\]", "bit[]", " ".join(sql.split()))) for name, sql in rows if sql}


@cache
def _known() -> set[tuple[str, str]]:
    """What acts in a database of any version."""
    every = migrations()
    known: set[tuple[str, str]] = set()
    for last in range(1, len(every) + 1):
        with closing(fresh(every[:last])) as conn:
            known |= acting(conn)
    return known


def fresh(applied: list[tuple[int, str]] | None = None) -> Any:
    """A new database in memory, by these migrations or by all."""
    conn = connect(Path(":memory:"))
    for _, sql in migrations() if applied is None else applied:
        conn.executescript(sql)
    return conn


def _columns(conn: Any) -> dict[str, set[tuple[Any, ...]]]:
    """(name, type, NOT NULL, place in the key, hidden) of the columns of each table that is neither an index's own
    nor Litestream's."""
    names = [row[0] for row in conn.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]
    own = [name for name in names if not re.match(r"sqlite_|chunk_(fts|vec[12]?)_", name) and name not in LITESTREAM]
    return {
        name: {(row[1], row[2], row[3], row[5], row[6]) for row in conn.execute(f"PRAGMA table_xinfo({name})")}
        for name in own
    }


def schema(conn: Any) -> str:
    """Today's schema as SQL, one statement after the other, for tests/store/schema.sql."""
    rows = conn.execute(
        """SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
           AND name NOT GLOB 'chunk_fts_*' AND name NOT GLOB 'chunk_vec*_*' ORDER BY rowid"""
    )
    return "\n".join(re.sub(r"\n\s*\n", "\n", row[0]) + ";\n" for row in rows)
