"""The full-text index, the vectors and their index: what is wrong with them, and how they are made anew."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import Any

from docqa.store import small_vectors
from docqa.store.checked_files import fresh
from docqa.store.damage import Damage, script
from docqa.store.database import DRIVER
from docqa.store.vectors import SLOTS

_SECURE = "INSERT INTO chunk_fts (chunk_fts, rank) VALUES ('secure-delete', 1)"
_REBUILD = "INSERT INTO chunk_fts (chunk_fts) VALUES ('rebuild')"


def full_text(conn: Any) -> Iterator[Damage]:
    """The full-text index has a row for each passage, and no other."""
    chunks = _count(conn, "SELECT count(*) FROM chunk")
    lacking = chunks - _count(conn, "SELECT count(*) FROM chunk JOIN chunk_fts_docsize d ON d.id = chunk.id")
    extra = _count(conn, "SELECT count(*) FROM chunk_fts_docsize") - (chunks - lacking)
    if lacking:
        yield Damage(f"The full-text index lacks {lacking} of {chunks} passages.", rebuild_full_text)
    elif extra:
        yield Damage(f"The full-text index holds {extra} passages that there are not.", rebuild_full_text)
    if conn.execute("SELECT v FROM chunk_fts_config WHERE k = 'secure-delete'").fetchone() != (1,):
        yield Damage("The full-text index would keep words of deleted documents.", script(_SECURE))


def full_text_terms(conn: Any) -> Iterator[Damage]:
    """The full-text index holds the terms of its passages."""
    try:
        conn.execute("BEGIN IMMEDIATE")
        conn.execute("INSERT INTO chunk_fts (chunk_fts, rank) VALUES ('integrity-check', 1)")
    except DRIVER.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF != 11:  # SQLITE_CORRUPT
            raise
        yield Damage("The full-text index does not fit the passages.", rebuild_full_text)
    finally:
        if conn.in_transaction:
            conn.rollback()


def rebuild_full_text(conn: Any) -> None:
    """Make the full-text index from chunk.terms; as a new table where it is too broken to be rebuilt."""
    try:
        script(_REBUILD, _SECURE)(conn)
    except DRIVER.Error:
        if conn.in_transaction:
            conn.rollback()
        names, of_name = ("chunk_fts", "chunk_vocabulary"), "SELECT sql FROM sqlite_master WHERE name = ?"
        with closing(fresh()) as model:
            made = [model.execute(of_name, (name,)).fetchone()[0] for name in names]
        own = _struck(conn, *names)
        script(*own, *made, _REBUILD, _SECURE)(conn)


def _struck(conn: Any, *names: str) -> list[str]:
    """Strike virtual tables from the schema, which cannot be dropped where tables of their own are broken; the
    statements that drop these."""
    conn.execute("PRAGMA writable_schema = 1")
    conn.executemany("DELETE FROM sqlite_master WHERE name = ?", [(name,) for name in names])
    conn.execute("PRAGMA writable_schema = RESET")
    sql = "SELECT name FROM sqlite_master WHERE name GLOB ? AND type = 'table'"
    return [f"DROP TABLE {name}" for table in names for (name,) in conn.execute(sql, (f"{table}_*",)).fetchall()]


def signs(conn: Any) -> Iterator[Damage]:
    """The index of vectors has a row for each vector, and no other."""
    for number, dimension in _models(conn):
        slot = SLOTS[number]
        vectors = _count(conn, f"SELECT count(*) FROM {slot.vectors}")
        signed = _count(conn, f"SELECT count(*) FROM {slot.vectors} v JOIN {slot.signs}_rowids r ON r.rowid = v.chunk")
        surplus = _count(conn, f"SELECT count(*) FROM {slot.signs}_rowids") - signed
        rebuild = partial(_rebuild_signs, number=number, dimension=dimension)
        if signed < vectors:
            yield Damage(f"The index of vectors lacks {vectors - signed} of {vectors}.", rebuild)
        elif surplus:
            yield Damage(f"The index of vectors holds {surplus} that there are not.", rebuild)


def rebuild_signs(conn: Any) -> None:
    """Make the index of vectors anew from the vectors."""
    for number, dimension in _models(conn):
        _rebuild_signs(conn, number, dimension)


def _rebuild_signs(conn: Any, number: int, dimension: int) -> None:
    slot = SLOTS[number]
    script(
        *_struck(conn, slot.signs),
        f"CREATE VIRTUAL TABLE {slot.signs} USING vec0 (embedding bit[{dimension}], document integer)",
        f"""INSERT INTO {slot.signs} (rowid, embedding, document)
            SELECT c.id, {small_vectors.signs("v.vector", dimension)}, c.document
            FROM {slot.vectors} v JOIN stored_chunk c ON c.id = v.chunk
            WHERE length(v.vector) IN ({dimension}, {4 * dimension})""",
    )(conn)


def vectors(conn: Any) -> Iterator[Damage]:
    """Every passage has a vector, which is one."""
    for number, dimension in _models(conn):
        slot = SLOTS[number]
        wrong = f"SELECT chunk FROM {slot.vectors} WHERE NOT {small_vectors.sound('vector', dimension)}"
        if count := _count(conn, f"SELECT count(*) FROM ({wrong})"):
            yield Damage(
                f"{count} vectors are no numbers, or have another length than {dimension}.",
                script(
                    f"CREATE TEMP TABLE wrong AS {wrong}",
                    f"DELETE FROM {slot.signs} WHERE rowid IN (SELECT chunk FROM temp.wrong)",
                    f"DELETE FROM {slot.sentences} WHERE chunk IN (SELECT chunk FROM temp.wrong)",
                    f"DELETE FROM {slot.vectors} WHERE chunk IN (SELECT chunk FROM temp.wrong)",
                    """UPDATE any_document SET state = 'indexing'
                       WHERE id IN (SELECT document FROM chunk WHERE id IN (SELECT chunk FROM temp.wrong))""",
                ),
            )
        lacking = f"""SELECT c.document FROM chunk c JOIN document d ON d.id = c.document AND d.state = 'ready'
                      WHERE NOT EXISTS (SELECT 1 FROM {slot.vectors} v WHERE v.chunk = c.id)"""
        if count := _count(conn, f"SELECT count(*) FROM ({lacking})"):
            yield Damage(
                f"{count} passages have no vector: they are to be embedded when the server runs.",
                script(f"UPDATE any_document SET state = 'indexing' WHERE id IN ({lacking})"),
            )


def _models(conn: Any) -> list[tuple[int, int]]:
    """(slot, dimension) of the models whose vectors are used."""
    return list(conn.execute("SELECT slot, dimension FROM embedding_model WHERE state != 'retired'"))


def _count(conn: Any, sql: str) -> int:
    return int(conn.execute(sql).fetchone()[0])
