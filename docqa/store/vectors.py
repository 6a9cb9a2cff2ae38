"""Vectors: which chunks lack them, which model made them, and how those of another model take over."""

from collections.abc import Iterable
from dataclasses import dataclass

from aiosqlite import Connection

from docqa.store.sql import change, change_many, fetch_all, fetch_one


@dataclass(frozen=True)
class StoredModel:
    """An embedding model by what tells its vectors from another's; `sha256` is that of its weights."""

    name: str
    sha256: str
    dimension: int


async def serving_model(conn: Connection) -> StoredModel | None:
    """The model whose vectors are searched."""
    return await _model(conn, "serving")


async def coming_model(conn: Connection) -> StoredModel | None:
    """The model whose vectors are being made and will take over."""
    return await _model(conn, "coming")


async def _model(conn: Connection, state: str) -> StoredModel | None:
    row = await fetch_one(conn, "SELECT name, sha256, dimension FROM embedding_model WHERE state = ?", state)
    return StoredModel(*row) if row else None


async def use_model(conn: Connection, model: StoredModel) -> None:
    """From now on vectors are made by `model`: into the index if it is the serving one or there are none yet, else beside it until `take_over`."""
    if model != await coming_model(conn):
        await change(conn, "DELETE FROM coming_embedding")
        await change(conn, "DELETE FROM embedding_model WHERE state = 'coming'")
    if model != await serving_model(conn):
        await change(
            conn,
            "INSERT OR REPLACE INTO embedding_model (state, name, sha256, dimension) VALUES ('coming', ?, ?, ?)",
            *_values(model),
        )
        if await fetch_one(conn, "SELECT 1 FROM chunk WHERE embedding IS NOT NULL LIMIT 1") is None:
            await take_over(conn)
    # Documents that came while there was no model have chunks without vectors too.
    await change(
        conn,
        f"UPDATE document SET state = 'indexing' WHERE id IN (SELECT c.document FROM chunk c WHERE {await _lacking(conn)})",
    )


async def take_over(conn: Connection) -> None:
    """Make the vectors of the coming model the index. Chunks that have none by it are found by full text only."""
    model = await coming_model(conn)
    assert model is not None, "only a coming model takes over"
    await change(
        conn, "UPDATE chunk SET embedding = (SELECT n.embedding FROM coming_embedding n WHERE n.chunk = chunk.id)"
    )
    await change(conn, "DELETE FROM coming_embedding")
    await change(conn, "DELETE FROM chunk_sentences")
    await change(conn, "UPDATE document SET examined = 0 WHERE examined")
    await change(conn, "DELETE FROM embedding_model")
    await change(
        conn,
        "INSERT INTO embedding_model (state, name, sha256, dimension) VALUES ('serving', ?, ?, ?)",
        *_values(model),
    )
    await change(conn, "DROP TABLE chunk_vec")
    await change(
        conn, f"CREATE VIRTUAL TABLE chunk_vec USING vec0 (embedding bit[{model.dimension}], document integer)"
    )
    await change(conn, f"{_SIGNS} WHERE embedding IS NOT NULL")


def _values(model: StoredModel) -> tuple[str, str, int]:
    return model.name, model.sha256, model.dimension


_SIGNS = "INSERT OR REPLACE INTO chunk_vec (rowid, embedding, document) SELECT id, vec_quantize_binary(embedding), document FROM chunk"


async def _lacking(conn: Connection) -> str:
    """The condition on a chunk `c` that it has no vector by the model that makes them now."""
    if await coming_model(conn):
        return "NOT EXISTS (SELECT 1 FROM coming_embedding n WHERE n.chunk = c.id)"
    return "c.embedding IS NULL"


async def chunks_to_embed(conn: Connection, document: int, limit: int, after: int = 0) -> list[tuple[int, str]]:
    """(chunk id, text) of the first chunks beyond the id `after` without a vector."""
    sql = f"SELECT c.id, c.text FROM chunk c WHERE c.document = ? AND c.id > ? AND {await _lacking(conn)} ORDER BY c.id LIMIT ?"
    return [(row[0], row[1]) for row in await fetch_all(conn, sql, document, after, limit)]


async def set_embeddings(conn: Connection, embeddings: Iterable[tuple[int, bytes]]) -> None:
    """Vectors by chunk id; a chunk that was deleted meanwhile is passed over."""
    rows = list(embeddings)
    if await coming_model(conn):
        await change_many(
            conn,
            "INSERT OR REPLACE INTO coming_embedding (chunk, embedding) SELECT id, ?2 FROM chunk WHERE id = ?1",
            rows,
        )
        return
    await change_many(conn, "UPDATE chunk SET embedding = ?2 WHERE id = ?1", rows)
    await change_many(conn, f"{_SIGNS} WHERE id = ?", [(chunk,) for chunk, _ in rows])


async def next_unexamined(conn: Connection) -> int | None:
    """The newest document with vectors whose sentences have none; a CSV is asked by SQL and needs none."""
    row = await fetch_one(
        conn,
        "SELECT id FROM document WHERE NOT examined AND state = 'ready' AND kind != 'csv' ORDER BY id DESC LIMIT 1",
    )
    return int(row[0]) if row else None


async def chunks_to_examine(conn: Connection, document: int, limit: int, after: int = 0) -> list[tuple[int, str]]:
    """(chunk id, text) of the first chunks beyond the id `after` whose sentences have no vectors."""
    sql = """SELECT c.id, c.text FROM chunk c LEFT JOIN chunk_sentences s ON s.chunk = c.id
             WHERE c.document = ? AND c.id > ? AND s.chunk IS NULL ORDER BY c.id LIMIT ?"""
    return [(row[0], row[1]) for row in await fetch_all(conn, sql, document, after, limit)]


async def set_examined(conn: Connection, document: int) -> None:
    await change(conn, "UPDATE document SET examined = 1 WHERE id = ?", document)


async def set_sentences(conn: Connection, vectors: Iterable[tuple[int, bytes]]) -> None:
    """The vectors of the sentences by chunk id; a chunk that was deleted meanwhile is passed over."""
    await change_many(
        conn,
        "INSERT OR IGNORE INTO chunk_sentences (chunk, vectors) SELECT id, ?2 FROM chunk WHERE id = ?1",
        list(vectors),
    )
