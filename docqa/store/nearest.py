"""The chunks whose vectors are nearest to a question's, in some documents; the documents are those of a scope."""

import json
from collections.abc import Sequence
from concurrent.futures import Future

from docqa.store.chunks import Hit
from docqa.store.recent import TOGETHER, has_numpy
from docqa.store.recent_vectors import Compared
from docqa.store.scopes import Scope
from docqa.store.small_vectors import cosine_distance, small_question
from docqa.store.sql import Connection, fetch_all, fetch_one
from docqa.store.vector_index import Known, StoredModel, VectorIndex
from docqa.store.vectors import Slot, slot_of

EXACT = 1_000  # vectors that the index does not know and that are compared one by one; for more it is made anew
# Vectors compared one by one where there is no index, 1.2 ms for 1,000; among 100,000 the signs take 23 ms and that 81.
SCANNED = 20_000
SIGN_CANDIDATES = 200  # with 200 of them, 0.998 of the true ten nearest are found
INDEX_CANDIDATES = 200
_AT = "vec_int8(substr(?1, a.start, ?3))"  # one of several vectors, which are one after the other


def begin(index: VectorIndex, scope: Scope, model: StoredModel, vector: bytes) -> "Future[Known] | None":
    """What `nearest_chunks` needs of the index, begun in a thread of its own where that takes a while, for other work
    to go on meanwhile."""
    if scope.size <= TOGETHER or not index.is_made(model):
        return None
    return index.begin(model, vector, scope.runs, INDEX_CANDIDATES)


async def nearest_chunks(
    conn: Connection,
    scope: Scope,
    model: StoredModel,
    vector: bytes,
    limit: int,
    index: VectorIndex,
    begun: "Future[Known] | None" = None,
) -> list[Hit]:
    """The chunks whose vectors by `model` are nearest, nearest first; `begun` is what `begin` gave.

    Up to TOGETHER of them are compared at once; of more the `index` tells candidates. Those that it does not know, for
    they came later, or it is still made, are compared one by one, or by their signs where they are more than SCANNED.
    It is for a thread, which it keeps for some milliseconds.
    """
    slot = await slot_of(conn, model)
    if slot is None or not scope.ranges:
        return []
    if scope.size <= TOGETHER and has_numpy():
        return await _nearest_together(conn, scope, model, slot, vector, limit, index)
    candidates, unknown = begun.result() if begun else index.candidates(model, vector, scope.runs, INDEX_CANDIDATES)
    lacking = sum(last - first + 1 for first, last in unknown)
    if lacking > EXACT and await _hold_more(conn, slot, unknown, EXACT):
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


async def _nearest_together(
    conn: Connection, scope: Scope, model: StoredModel, slot: Slot, vector: bytes, limit: int, index: VectorIndex
) -> list[Hit]:
    """The same of so few that all are read, and compared at once, as quickly as an index tells its candidates."""
    key = model, scope.ranges, scope.size  # after a deletion fewer are there in the same ranges
    compared = index.recent.get(key)
    if compared is None:
        sql = f"""SELECT v.chunk, v.vector FROM json_each(?) part CROSS JOIN {slot.vectors} v
                  ON v.chunk BETWEEN part.value ->> 0 AND part.value ->> 1"""
        rows = await fetch_all(conn, sql, json.dumps(scope.ranges))
        compared = Compared.of([(chunk, stored) for chunk, stored in rows], model.dimension)
        if len(rows) == scope.size:  # else some are still to come
            index.recent.keep(key, compared, len(rows))
    near = compared.nearest(small_question(vector), limit)
    sql = """SELECT c.id, c.document FROM json_each(?) near CROSS JOIN stored_chunk c ON c.id = near.value
             ORDER BY near.key"""
    return [Hit(*row) for row in await fetch_all(conn, sql, json.dumps(near))]


async def _hold_more(conn: Connection, slot: Slot, ranges: Sequence[tuple[int, int]], count: int) -> bool:
    """Whether more than `count` chunks in these ranges of ids have vectors; others were deleted, or still lack them."""
    sql = f"""SELECT count(*) FROM (SELECT 1 FROM json_each(?) part CROSS JOIN {slot.vectors} v
              ON v.chunk BETWEEN part.value ->> 0 AND part.value ->> 1 LIMIT ?)"""
    row = await fetch_one(conn, sql, json.dumps(ranges), count + 1)
    return bool(row and row[0] > count)


async def similarities(conn: Connection, chunks: Sequence[int], model: StoredModel, vector: bytes) -> dict[int, float]:
    """Cosine similarity of these chunks to a vector by `model`; chunks without one are left out."""
    slot = await slot_of(conn, model)
    if slot is None:
        return {}
    sql = f"""SELECT chunk, 1 - {cosine_distance("vector")} FROM {slot.vectors}
              WHERE chunk IN (SELECT value FROM json_each(?3))"""
    return {row[0]: row[1] for row in await fetch_all(conn, sql, small_question(vector), vector, json.dumps(chunks))}


async def cosines(conn: Connection, some: bytes, others: bytes, dimension: int) -> list[list[float]]:
    """Cosine similarity of each of some vectors to each of others, both float32 and one after the other; one of zeros
    is like nothing."""
    size = 4 * dimension
    sql = f"""WITH RECURSIVE {_starts("a", "?1")}, {_starts("b", "?2")}
              SELECT 1 - vec_distance_cosine(substr(?1, a.start, ?3), substr(?2, b.start, ?3))
              FROM a CROSS JOIN b ORDER BY a.start, b.start"""
    flat = [cosine or 0.0 for (cosine,) in await fetch_all(conn, sql, some, others, size)]
    each = len(others) // size
    return [flat[row * each : (row + 1) * each] for row in range(len(some) // size)]


async def along(conn: Connection, numbers: bytes, vector: bytes) -> list[float]:
    """How far each of some vectors, int8 and one after the other, reaches along a float32 vector, in its own numbers:
    0.7 ms for 200. Rounded to few steps they are longer than they were, so that their cosines would be too low."""
    dimension = len(vector) // 4
    sql = f"""WITH RECURSIVE {_starts("a", "?1")}
              SELECT (1 - vec_distance_cosine({_AT}, vec_int8(?2))) * vec_distance_L2({_AT}, vec_int8(zeroblob(?3)))
              FROM a ORDER BY a.start"""
    rows = await fetch_all(conn, sql, numbers, small_question(vector), dimension)
    return [reach or 0.0 for (reach,) in rows]


def _starts(name: str, vectors: str) -> str:
    """SQL for a table of where each of these vectors begins, of ?3 bytes each."""
    return f"{name} (start) AS (SELECT 1 UNION ALL SELECT start + ?3 FROM {name} LIMIT length({vectors}) / ?3)"
