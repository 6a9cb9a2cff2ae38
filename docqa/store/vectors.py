"""Vectors of chunks and sentences: written, searched, and replaced by those of another model.

There are three slots of tables, each for one model. One serves; another may serve beside it, for languages that the
first does not know; the third holds the vectors of a pending model, or what is left of a former one. Pending vectors
take over by a change of state, so that the writer is free again at once.
"""

import asyncio
import json
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from typing import NamedTuple

from aiosqlite import Connection

from docqa.store.chunks import Hit
from docqa.store.full_text import Scope
from docqa.store.small_vectors import cosine_distance, nearest, small, small_question
from docqa.store.sql import change, change_many, fetch_all, fetch_one
from docqa.store.vector_index import Known, StoredModel, VectorIndex

EXACT = 1_000  # vectors that are compared one by one although there is an index
TOGETHER = 4_000  # vectors that numpy compares as soon as the index tells candidates among a million
SCANNED = 20_000  # vectors compared one by one where there is none; among 100,000 the signs take 23 ms and the scan 81
SIGN_CANDIDATES = 200  # with 200 of them, 0.998 of the true ten nearest are found
INDEX_CANDIDATES = 200


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
    sql = "SELECT 1 FROM embedding_model WHERE name = ? AND sha256 = ? AND dimension = ? AND state != 'retired'"
    return await fetch_one(conn, sql, model.name, model.sha256, model.dimension) is not None


async def _model(conn: Connection, state: str) -> StoredModel | None:
    row = await fetch_one(conn, "SELECT name, sha256, dimension FROM embedding_model WHERE state = ?", state)
    return StoredModel(*row) if row else None


async def _slot_in(conn: Connection, state: str) -> Slot | None:
    row = await fetch_one(conn, "SELECT slot FROM embedding_model WHERE state = ?", state)
    return SLOTS[row[0]] if row else None


async def _slot_of(conn: Connection, model: StoredModel) -> Slot | None:
    sql = "SELECT slot FROM embedding_model WHERE name = ? AND sha256 = ? AND dimension = ?"
    row = await fetch_one(conn, sql, model.name, model.sha256, model.dimension)
    return SLOTS[row[0]] if row else None


async def making_slot(conn: Connection) -> Slot:
    """The slot that new vectors go to."""
    return await _slot_in(conn, "pending") or await _slot_in(conn, "serving") or SLOTS[0]


async def _slot_by(conn: Connection, model: StoredModel | None) -> Slot:
    if model is None:
        return await making_slot(conn)
    if slot := await _slot_of(conn, model):
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
    if slot := await _slot_of(conn, model):
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
    slot = await making_slot(conn) if by is None else await _slot_of(conn, by)
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
    """Those of the documents whose last chunk has a vector by `model`: they get them in order."""
    slot = await _slot_of(conn, model)
    if slot is None:
        return frozenset()
    sql = f"""SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM {slot.vectors} WHERE chunk =
                  (SELECT max(id) FROM stored_chunk WHERE document = value))"""
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


def begin_nearest(index: VectorIndex, scope: Scope, model: StoredModel, vector: bytes) -> "Future[Known] | None":
    """What `nearest_chunks` needs of the index, begun in a thread of its own where that takes a while, for other work
    to go on meanwhile."""
    if scope.size <= SCANNED or not index.is_made(model):
        return None
    return index.begin(model, vector, scope.ranges, INDEX_CANDIDATES)


async def nearest_chunks(
    conn: Connection,
    scope: Scope,
    model: StoredModel,
    vector: bytes,
    limit: int,
    index: VectorIndex,
    begun: "Future[Known] | None" = None,
) -> list[Hit]:
    """The chunks whose vectors by `model` are nearest, nearest first; `begun` is what `begin_nearest` gave.

    Up to SCANNED of them are compared one by one; of more the `index` tells candidates, and where it does not know
    them (it is made, or cannot be), their signs. It is for a thread, which it keeps for some milliseconds.
    """
    slot = await _slot_of(conn, model)
    if slot is None or not scope.ranges:
        return []
    if scope.size <= TOGETHER and index.is_made(model):
        return await _nearest_together(conn, scope, slot, vector, limit)
    candidates: list[int] = []
    unknown: Sequence[tuple[int, int]] = scope.ranges
    if begun:
        candidates, unknown = begun.result()
    elif scope.size > EXACT:
        candidates, unknown = index.candidates(model, vector, scope.ranges, INDEX_CANDIDATES)
    lacking = sum(last - first + 1 for first, last in unknown)
    if lacking > EXACT and await _is_large(conn, slot):
        index.want(model, slot.vectors)
    if lacking > SCANNED and scope.size > SCANNED:
        sql = f"""SELECT rowid FROM {slot.signs} WHERE embedding MATCH vec_quantize_binary(?) AND k = ?
                  AND document IN (SELECT value FROM json_each(?))"""
        rows = await fetch_all(conn, sql, vector, SIGN_CANDIDATES, json.dumps(scope.documents))
        candidates, unknown = [row[0] for row in rows], ()
    sql = f"""WITH near (chunk, distance) AS (
                  SELECT v.chunk, {cosine_distance("v.vector")} FROM json_each(?3) part CROSS JOIN {slot.vectors} v
                  ON v.chunk BETWEEN part.value ->> 0 AND part.value ->> 1
                  UNION ALL SELECT v.chunk, {cosine_distance("v.vector")} FROM json_each(?4) candidate
                  CROSS JOIN {slot.vectors} v ON v.chunk = candidate.value
                  ORDER BY 2 LIMIT ?5)
              SELECT c.id, c.document FROM near JOIN stored_chunk c ON c.id = near.chunk ORDER BY near.distance, c.id"""
    values = small_question(vector), vector, json.dumps(unknown), json.dumps(candidates), limit
    return [Hit(*row) for row in await fetch_all(conn, sql, *values)]


async def _nearest_together(conn: Connection, scope: Scope, slot: Slot, vector: bytes, limit: int) -> list[Hit]:
    """The same of so few that all are read, and compared at once by numpy, which an index has brought along."""
    sql = f"""SELECT v.chunk, v.vector FROM json_each(?) part CROSS JOIN {slot.vectors} v
              ON v.chunk BETWEEN part.value ->> 0 AND part.value ->> 1"""
    near = nearest(await fetch_all(conn, sql, json.dumps(scope.ranges)), vector, limit)
    sql = """SELECT c.id, c.document FROM json_each(?) near CROSS JOIN stored_chunk c ON c.id = near.value
             ORDER BY near.key"""
    return [Hit(*row) for row in await fetch_all(conn, sql, json.dumps(near))]


async def _is_large(conn: Connection, slot: Slot) -> bool:
    """Whether so many vectors are stored that an index of them is worth its memory."""
    row = await fetch_one(conn, f"SELECT max(chunk) > ? FROM {slot.vectors}", SCANNED)
    return bool(row and row[0])


async def similarities(conn: Connection, chunks: Sequence[int], model: StoredModel, vector: bytes) -> dict[int, float]:
    """Cosine similarity of these chunks to a vector by `model`; chunks without one are left out."""
    slot = await _slot_of(conn, model)
    if slot is None:
        return {}
    sql = f"""SELECT chunk, 1 - {cosine_distance("vector")} FROM {slot.vectors}
              WHERE chunk IN (SELECT value FROM json_each(?3))"""
    return {row[0]: row[1] for row in await fetch_all(conn, sql, small_question(vector), vector, json.dumps(chunks))}


# --- vectors of sentences ---------------------------------------------------------------------------------------------


async def set_sentences(conn: Connection, vectors: Iterable[tuple[int, bytes]], by: StoredModel | None = None) -> None:
    """The packed vectors of units by chunk id, b"" where there are none; a chunk that has been deleted is skipped."""
    slot = await _slot_by(conn, by)
    sql = f"INSERT OR REPLACE INTO {slot.sentences} (chunk, vectors) SELECT id, ?2 FROM stored_chunk WHERE id = ?1"
    await change_many(conn, sql, list(vectors))


async def sentence_vectors(conn: Connection, chunks: Sequence[int], model: StoredModel) -> dict[int, bytes]:
    """The packed vectors by `model` of the sentences of these chunks; chunks that have none yet are left out."""
    slot = await _slot_of(conn, model)
    if slot is None:
        return {}
    sql = f"SELECT chunk, vectors FROM {slot.sentences} WHERE chunk IN (SELECT value FROM json_each(?))"
    return {row[0]: row[1] for row in await fetch_all(conn, sql, json.dumps(chunks))}
