"""Vectors of chunks and sentences: written, read, and replaced by those of another model.

There are three slots of tables, each for one model. One serves; another may serve beside it, for languages that the
first does not know; the third holds the vectors of a pending model, or what is left of a former one. Pending vectors
take over by a change of state, so that the writer is free again at once.
"""

import asyncio
import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from docqa.store.small_vectors import small
from docqa.store.sql import Connection, change, change_many, fetch_all, fetch_one
from docqa.store.vector_index import StoredModel


class Slot(NamedTuple):
    """The names of the tables of one slot."""

    number: int
    vectors: str
    signs: str
    sentences: str


SLOTS = (
    Slot(0, "embedding_0", "chunk_vec", "sentence_embedding_0"),
    Slot(1, "embedding_1", "chunk_vec1", "sentence_embedding_1"),
    Slot(2, "embedding_2", "chunk_vec2", "sentence_embedding_2"),
)


# --- which model ------------------------------------------------------------------------------------------------------


async def serving_model(conn: Connection) -> StoredModel | None:
    """The model whose vectors are searched."""
    return await _model(conn, "serving")


async def pending_model(conn: Connection) -> StoredModel | None:
    """The model whose vectors are being made and will take over."""
    return await _model(conn, "pending")


async def model_beside(conn: Connection) -> StoredModel | None:
    """The model that makes vectors beside the serving one, for languages which that does not know."""
    return await _model(conn, "beside")


async def makes_vectors(conn: Connection, model: StoredModel) -> bool:
    """Whether a model serves, is to, or serves beside another."""
    sql = "SELECT name, sha256, dimension FROM embedding_model WHERE state != 'retired'"
    return model in [StoredModel(*row) for row in await fetch_all(conn, sql)]


async def _model(conn: Connection, state: str) -> StoredModel | None:
    row = await fetch_one(conn, "SELECT name, sha256, dimension FROM embedding_model WHERE state = ?", state)
    return StoredModel(*row) if row else None


async def _slot_in(conn: Connection, state: str) -> Slot | None:
    row = await fetch_one(conn, "SELECT slot FROM embedding_model WHERE state = ?", state)
    return SLOTS[row[0]] if row else None


async def slot_of(conn: Connection, model: StoredModel) -> Slot | None:
    """Where the vectors by a model are; None where there are none."""
    sql = "SELECT slot FROM embedding_model WHERE name = ? AND sha256 = ? AND dimension = ?"
    row = await fetch_one(conn, sql, model.name, model.sha256, model.dimension)
    return SLOTS[row[0]] if row else None


async def making_slot(conn: Connection) -> Slot:
    """The slot that new vectors go to."""
    return await _slot_in(conn, "pending") or await _slot_in(conn, "serving") or SLOTS[0]


async def _slot_by(conn: Connection, model: StoredModel | None) -> Slot:
    if model is None:
        return await making_slot(conn)
    if slot := await slot_of(conn, model):
        return slot
    raise LookupError(f"{model.name} makes no vectors here")


async def use_model(conn: Connection, model: StoredModel) -> bool:
    """Make vectors by `model` from now on: it serves if no other model's vectors are there, else it is pending.

    False where all slots are taken: try again when `empty_retired` has freed one.
    """
    serving = await serving_model(conn)
    if model == await pending_model(conn):
        return True
    await change(conn, "UPDATE embedding_model SET state = 'retired' WHERE state = 'pending'")
    if model == serving:
        return True
    slot = await _slot_in(conn, "serving")
    if slot and await fetch_one(conn, f"SELECT 1 FROM {slot.vectors} LIMIT 1") is None:
        await change(conn, "DELETE FROM embedding_model WHERE slot = ?", slot.number)
        serving = None
    return await _put(conn, model, "pending" if serving else "serving")


async def use_beside(conn: Connection, model: StoredModel) -> bool:
    """Make vectors by `model` too, beside those of the serving one; that is nothing to do while it serves itself.

    False where all slots are taken: try again when `empty_retired` has freed one.
    """
    if model in (await model_beside(conn), await serving_model(conn)):
        return True
    await change(conn, "UPDATE embedding_model SET state = 'retired' WHERE state = 'beside'")
    return await _put(conn, model, "beside")


async def _put(conn: Connection, model: StoredModel, state: str) -> bool:
    """Give a model this state, in the slot where it has vectors already, or else in a free one; False without one."""
    if slot := await slot_of(conn, model):
        await change(conn, "UPDATE embedding_model SET state = ? WHERE slot = ?", state, slot.number)
        return True
    taken = {row[0] for row in await fetch_all(conn, "SELECT slot FROM embedding_model")}
    free = next((slot for slot in SLOTS if slot.number not in taken), None)
    if free is None:
        return False
    await change(conn, f"DROP TABLE {free.signs}")
    columns = f"embedding bit[{model.dimension}], document integer"
    await change(conn, f"CREATE VIRTUAL TABLE {free.signs} USING vec0 ({columns})")
    sql = "INSERT INTO embedding_model (slot, state, name, sha256, dimension) VALUES (?, ?, ?, ?, ?)"
    await change(conn, sql, free.number, state, model.name, model.sha256, model.dimension)
    return True


async def take_over(conn: Connection) -> None:
    """Search the vectors of the pending model. Chunks that have none by it are found by full text only."""
    await change(conn, "UPDATE embedding_model SET state = 'retired' WHERE state = 'serving'")
    await change(conn, "UPDATE embedding_model SET state = 'serving' WHERE state = 'pending'")


async def empty_retired(conn: Connection, limit: int) -> bool:
    """Delete what is left of a former model, the vectors of `limit` chunks at most; False when there was nothing."""
    slot = await _slot_in(conn, "retired")
    if slot is None:
        return False
    for table in (slot.sentences, slot.vectors):
        rows = await fetch_all(conn, f"SELECT chunk FROM {table} LIMIT ?", limit)
        if rows:
            await change_many(conn, f"DELETE FROM {table} WHERE chunk = ?", rows)
            if table == slot.vectors:
                await change_many(conn, f"DELETE FROM {slot.signs} WHERE rowid = ?", rows)
            return True
    await change(conn, "DELETE FROM embedding_model WHERE slot = ?", slot.number)
    return False


# --- vectors of chunks ------------------------------------------------------------------------------------------------


async def documents_to_embed(conn: Connection, by: StoredModel | None = None) -> list[int]:
    """The documents that are done but for chunks without a vector `by` a model: they came before it. Here and below
    None is the model that makes vectors now."""
    lacks = await _lacks_vectors(conn, by)
    sql = f"""SELECT id FROM document WHERE state != 'indexing' AND EXISTS (
                  SELECT 1 FROM stored_chunk c WHERE c.document = document.id AND {lacks})"""
    return [row[0] for row in await fetch_all(conn, sql)]


async def chunks_to_embed(
    conn: Connection, document: int, limit: int, after: int = 0, by: StoredModel | None = None
) -> list[tuple[int, str]]:
    """(chunk id, text) of the first chunks beyond the id `after` without a vector, or without those of their units."""
    lacks = await _lacks_vectors(conn, by)
    sql = f"""SELECT c.id, c.text FROM chunk c JOIN document d ON d.id = c.document WHERE c.document = ? AND c.id > ?
              AND {lacks} ORDER BY c.id LIMIT ?"""
    return [(row[0], row[1]) for row in await fetch_all(conn, sql, document, after, limit)]


async def _lacks_vectors(conn: Connection, by: StoredModel | None) -> str:
    """The condition that the chunk c has no vector, or its units have none. By the model beside the serving one, those
    of units are made where a question finds their chunk."""
    slot = await making_slot(conn) if by is None else await slot_of(conn, by)
    if slot is None:
        return "true"
    lacks = f"NOT EXISTS (SELECT 1 FROM {slot.vectors} v WHERE v.chunk = c.id)"
    if slot == await _slot_in(conn, "beside"):
        return lacks
    return f"({lacks} OR NOT EXISTS (SELECT 1 FROM {slot.sentences} s WHERE s.chunk = c.id))"


async def count_embedded(conn: Connection, document: int) -> int:
    """How many chunks of a document have a vector by the model that makes them now."""
    slot = await making_slot(conn)
    sql = f"SELECT count(*) FROM chunk c JOIN {slot.vectors} v ON v.chunk = c.id WHERE c.document = ?"
    [(count,)] = await fetch_all(conn, sql, document)
    return int(count)


async def embedded(conn: Connection, documents: Iterable[int], model: StoredModel) -> frozenset[int]:
    """Those of the documents whose last chunk has a vector by `model`: they get them in order. Of those that are done
    the first is enough: what text recognition finds in their pictures comes last, and is found by words until then."""
    slot = await slot_of(conn, model)
    if slot is None:
        return frozenset()
    sql = f"""SELECT d.id FROM json_each(?) JOIN document d ON d.id = value WHERE EXISTS (
                  SELECT 1 FROM {slot.vectors} WHERE chunk = CASE d.state
                      WHEN 'indexing' THEN (SELECT max(id) FROM stored_chunk WHERE document = d.id)
                      ELSE (SELECT min(id) FROM stored_chunk WHERE document = d.id) END)"""
    return frozenset(row[0] for row in await fetch_all(conn, sql, json.dumps(list(documents))))


async def set_embeddings(
    conn: Connection, embeddings: Iterable[tuple[int, bytes]], by: StoredModel | None = None
) -> None:
    """Vectors, float32, by chunk id; a chunk that has been deleted is skipped."""
    slot = await _slot_by(conn, by)
    rows = await asyncio.to_thread(lambda: [(chunk, vector, small(vector)) for chunk, vector in embeddings])
    await change_many(
        conn,
        f"INSERT OR REPLACE INTO {slot.vectors} (chunk, vector) SELECT id, ?2 FROM stored_chunk WHERE id = ?1",
        [(chunk, stored) for chunk, _, stored in rows],
    )
    await change_many(
        conn,
        f"""INSERT OR REPLACE INTO {slot.signs} (rowid, embedding, document)
            SELECT id, vec_quantize_binary(?2), document FROM stored_chunk WHERE id = ?1""",
        [(chunk, vector) for chunk, vector, _ in rows],
    )


# --- vectors of sentences ---------------------------------------------------------------------------------------------


async def set_sentences(conn: Connection, vectors: Iterable[tuple[int, bytes]], by: StoredModel | None = None) -> None:
    """The packed vectors of units by chunk id, b"" where there are none; a chunk that has been deleted is skipped."""
    slot = await _slot_by(conn, by)
    sql = f"INSERT OR REPLACE INTO {slot.sentences} (chunk, vectors) SELECT id, ?2 FROM stored_chunk WHERE id = ?1"
    await change_many(conn, sql, list(vectors))


async def sentence_vectors(conn: Connection, chunks: Sequence[int], model: StoredModel) -> dict[int, bytes]:
    """The packed vectors by `model` of the sentences of these chunks; chunks that have none yet are left out."""
    slot = await slot_of(conn, model)
    if slot is None:
        return {}
    sql = f"SELECT chunk, vectors FROM {slot.sentences} WHERE chunk IN (SELECT value FROM json_each(?))"
    return {row[0]: row[1] for row in await fetch_all(conn, sql, json.dumps(chunks))}
