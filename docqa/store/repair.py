"""What can be wrong with a database file, and how it is mended from what is the truth in it: chunks, terms and vectors.

Synchronous, for `doctor`; the server only looks, at its start, at what is counted quickly.
"""

import asyncio
import hashlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from docqa import COMMAND
from docqa.store.checked_files import acting, fresh
from docqa.store.damage import Damage, Mend, script
from docqa.store.database import DRIVER, Database, connect, migrations
from docqa.store.repair_indexes import full_text, full_text_terms, rebuild_full_text, rebuild_signs, signs, vectors
from docqa.store.sql import quoted

BUSY_MS = 10_000
MOST_FAULTS = 20  # that SQLite is asked for
SERVER_DOES_IT = "The server does that when it runs."
RESTORE = (
    f"`{COMMAND} restore FILE` brings back the last backup whole; what was added since has to be uploaded again. "
    f"Before that, `{COMMAND} export KB FILE` saves the knowledge bases that can still be read."
)
_OF_INDEXES = ("missing from index", "entries in index", "non-unique entry in index", "NULL value in")
_OF_FULL_TEXT = "inverted index for FTS5"


def brought_up_to_date(path: Path, migrate: bool) -> bool:
    """Whether the database has today's schema, to which it is brought where `migrate`. Raises CannotStart and Error."""
    with closing(connect(path)) as conn:
        current = conn.execute("PRAGMA user_version").fetchone() == (migrations()[-1][0],)
    if not current and migrate:
        asyncio.run(_migrated(path))
    return current or migrate


async def _migrated(path: Path) -> None:
    await (await Database.open(path)).close()


def glance(path: Path) -> list[str]:
    """What is wrong that is quickly seen, as sentences."""
    try:
        with closing(connect(path)) as conn:
            return [damage.what for stage in (full_text, signs) for damage in _seen(stage, conn)]
    except DRIVER.Error as error:
        return [f"The database is damaged: {error}."]


def examine(path: Path) -> list[Damage]:
    """Everything that is wrong with a database, in the order in which it is to be mended."""
    try:
        with closing(connect(path)) as conn:
            conn.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
            return [damage for stage in _STAGES for damage in _seen(stage, conn)]
    except DRIVER.Error as error:
        return [Damage(f"It cannot be read to the end: {error}.", remedy=RESTORE)]


def _seen(stage: "_Stage", conn: Any) -> list[Damage]:
    """What a stage finds; what it stumbles over is damage too."""
    seen: list[Damage] = []
    try:
        seen.extend(stage(conn))
    except DRIVER.Error as error:
        mend = _WHERE_UNREADABLE.get(stage)
        seen.append(Damage(f"{stage.__doc__} That cannot be seen: {error}.", mend, "" if mend else RESTORE))
    return seen


def mend(path: Path, damage: Damage) -> None:
    """Mend one damage, wholly or not at all. Raises Error."""
    assert damage.mend is not None
    with closing(connect(path)) as conn:  # which rolls back what is not committed
        conn.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        conn.execute("PRAGMA secure_delete = 1")
        damage.mend(conn)


def interrupted(path: Path) -> list[str]:
    """What the background work has begun and not ended, as sentences: no damage."""
    with closing(connect(path)) as conn:
        counts = {
            "{} deleted documents are still to be erased": "SELECT count(*) FROM any_document WHERE deleted",
            "{} documents still get vectors or a summary": "SELECT count(*) FROM document WHERE state = 'indexing'",
            "{} documents are found by words only, for the reason that their status gives": (
                "SELECT count(*) FROM document WHERE state = 'failed'"
            ),
            "The full-text index is being rebuilt": "SELECT count(*) FROM full_text WHERE pending_version IS NOT NULL",
            "The embedding model is being changed": (
                "SELECT count(*) FROM embedding_model WHERE state IN ('pending', 'retired')"
            ),
        }
        numbers = {what: conn.execute(sql).fetchone()[0] for what, sql in counts.items()}
    return [f"{what.format(number)}. {SERVER_DOES_IT}" for what, number in numbers.items() if number]


# --- the file ---------------------------------------------------------------------------------------------------------


def _pages(conn: Any) -> Iterator[Damage]:
    """The pages of the file are whole."""
    faults = [row[0] for row in conn.execute(f"PRAGMA integrity_check({MOST_FAULTS})")]
    deep = [
        fault for fault in faults if fault != "ok" and not any(part in fault for part in (*_OF_INDEXES, _OF_FULL_TEXT))
    ]
    if deep:
        yield Damage(f"Pages of the file are damaged: {'; '.join(deep[:3])}.", remedy=RESTORE)
    elif any(part in fault for fault in faults for part in _OF_INDEXES):
        yield Damage("Indexes do not fit their tables.", lambda conn: conn.execute("REINDEX"))
    if any(_OF_FULL_TEXT in fault for fault in faults):
        yield Damage("The full-text index is broken.", rebuild_full_text)


def _schema(conn: Any) -> Iterator[Damage]:
    """The schema is today's."""
    with closing(fresh()) as model:
        names = sorted(name for name, _ in acting(model) - acting(conn))
        statements = [
            sql
            for name, sql in model.execute("SELECT name, sql FROM sqlite_master ORDER BY type = 'trigger', rowid")
            if name in names
        ]
    if names:
        drops = [f"DROP {kind} IF EXISTS {name}" for name in names for kind in _kinds(conn, name)]
        yield Damage(f"Parts of the schema are missing: {', '.join(names)}.", script(*drops, *statements))


def _kinds(conn: Any, name: str) -> list[str]:
    return [row[0] for row in conn.execute("SELECT upper(type) FROM sqlite_master WHERE name = ?", (name,))]


def _orphans(conn: Any) -> Iterator[Damage]:
    """Rows whose document, chunk or knowledge base is gone."""
    counts: dict[tuple[str, int], int] = {}
    for table, _, _, key in conn.execute("PRAGMA foreign_key_check"):
        counts[table, key] = counts.get((table, key), 0) + 1
    for (table, key), count in counts.items():
        for number, _, parent, column, referred, *_ in conn.execute(f"PRAGMA foreign_key_list({quoted(table)})"):
            if number == key:
                there = (
                    f"SELECT 1 FROM {quoted(parent)} p WHERE p.{referred or 'id'} = {quoted(table)}.{quoted(column)}"
                )
                sql = f"DELETE FROM {quoted(table)} WHERE NOT EXISTS ({there})"
                yield Damage(f"{count} rows of {table} belong to nothing.", script("PRAGMA foreign_keys = 1", sql))


def _gives_space_back(conn: Any) -> Iterator[Damage]:
    """The file gets smaller after deletions."""
    if conn.execute("PRAGMA auto_vacuum").fetchone() != (2,):
        yield Damage("The space of deleted documents is used again, but not given back to the disk.", _space)


def _space(conn: Any) -> None:
    conn.execute("PRAGMA auto_vacuum = INCREMENTAL")
    conn.execute("VACUUM")


def _originals(conn: Any) -> Iterator[Damage]:
    """The files that are not, byte for byte, what was uploaded."""
    for id_, doc_id, name, sha256 in conn.execute("SELECT id, doc_id, name, sha256 FROM document").fetchall():
        try:
            digest = hashlib.sha256()
            for (piece,) in conn.execute("SELECT bytes FROM original_piece WHERE document = ? ORDER BY start", (id_,)):
                digest.update(piece)
            whole = digest.digest() == sha256
        except DRIVER.Error:
            whole = False
        if not whole:
            yield Damage(f"The file of {name} ({doc_id}) is lost or changed.", remedy=RESTORE)


_Stage = Callable[[Any], Iterator[Damage]]
_STAGES: tuple[_Stage, ...] = (
    _pages,
    _schema,
    _orphans,
    full_text,
    full_text_terms,
    signs,
    vectors,
    _gives_space_back,
    _originals,
)
_WHERE_UNREADABLE: dict[_Stage, Mend] = {
    full_text: rebuild_full_text,
    full_text_terms: rebuild_full_text,
    signs: rebuild_signs,
}
