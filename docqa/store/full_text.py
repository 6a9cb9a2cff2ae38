"""Full-text search in the chunks of some documents, and how many of them hold a term.

Nothing here counts or ranks by the whole file: another account's documents would show in the figures, and the cost
would follow what is stored instead of what is asked. A document's chunks have consecutive ids, but for pages that were
read late, so that a few ranges of ids hold them all, and FTS5 reads of each term only what lies in these.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from aiosqlite import Connection

from docqa.store.chunks import CHUNK, StoredChunk
from docqa.store.sql import fetch_all, quoted

# The ranges and the terms of a query as tables: taken from JSON row by row they would be parsed again for each match.
_IN_SCOPE = """WITH part (first, last) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(?1)),
                    term (match, weight) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(?2)) """


@dataclass(frozen=True)
class Scope:
    """The chunks of some documents, given by row id: `size` of them, whose ids are those in `ranges`, (first, last)
    each. No other document has a chunk in these."""

    documents: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...]
    size: int


async def scope_of(conn: Connection, documents: Sequence[int]) -> Scope:
    """The chunks of these documents; the caller has checked whose they are."""
    sql = """SELECT value, (SELECT min(id) FROM chunk WHERE document = value),
                    (SELECT max(id) FROM chunk WHERE document = value),
                    (SELECT count(*) FROM chunk WHERE document = value) FROM json_each(?)"""
    ranges: list[tuple[int, int]] = []
    size = 0
    for document, first, last, count in await fetch_all(conn, sql, json.dumps(documents)):
        size += count
        if count == 0:
            continue
        ranges += [(first, last)] if last - first + 1 == count else await _runs(conn, document)
    return Scope(tuple(documents), tuple(await _joined(conn, sorted(ranges))), size)


async def _runs(conn: Connection, document: int) -> list[tuple[int, int]]:
    """The runs of consecutive ids of a document's chunks."""
    sql = """SELECT min(id), max(id) FROM (
                 SELECT id, id - row_number() OVER (ORDER BY id) AS run FROM chunk WHERE document = ?) GROUP BY run"""
    return [(first, last) for first, last in await fetch_all(conn, sql, document)]


async def _joined(conn: Connection, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges, in order, with those made one between which there is no chunk any more."""
    gaps = [(before[1], after[0]) for before, after in pairwise(ranges)]
    sql = """SELECT EXISTS (SELECT 1 FROM chunk WHERE id > value ->> 0 AND id < value ->> 1) FROM json_each(?)"""
    parted = [bool(row[0]) for row in await fetch_all(conn, sql, json.dumps(gaps))]
    joined = list(ranges[:1])
    for part, apart in zip(ranges[1:], parted, strict=True):
        if apart:
            joined.append(part)
        else:
            joined[-1] = (joined[-1][0], part[1])
    return joined


async def counts(conn: Connection, scope: Scope, terms: Iterable[str]) -> dict[str, int]:
    """In how many chunks of the scope each term occurs; terms in none are left out."""
    sought = list(dict.fromkeys(terms))
    sql = f"""{_IN_SCOPE} SELECT (
                  SELECT count(*) FROM part CROSS JOIN chunk_fts AS f
                  WHERE f.chunk_fts MATCH term.match AND f.rowid BETWEEN part.first AND part.last) FROM term"""
    rows = await fetch_all(conn, sql, json.dumps(scope.ranges), json.dumps([[quoted(term), 0] for term in sought]))
    return {term: count for term, (count,) in zip(sought, rows, strict=True) if count}


async def matches(conn: Connection, scope: Scope, weights: Mapping[str, float], limit: int) -> list[StoredChunk]:
    """The chunks of the scope that hold most of the terms by weight, at most `limit`; of equal ones the first."""
    sql = f"""{_IN_SCOPE}, best (id, held) AS (
                  SELECT f.rowid, sum(term.weight) AS held FROM term CROSS JOIN part CROSS JOIN chunk_fts AS f
                  WHERE f.chunk_fts MATCH term.match AND f.rowid BETWEEN part.first AND part.last
                  GROUP BY f.rowid ORDER BY held DESC, f.rowid LIMIT ?3)
              SELECT {CHUNK} FROM best JOIN chunk c ON c.id = best.id ORDER BY best.held DESC, c.id"""
    terms = [[quoted(term), weight] for term, weight in weights.items()]
    rows = await fetch_all(conn, sql, json.dumps(scope.ranges), json.dumps(terms), limit)
    return [StoredChunk(*row) for row in rows]


async def any_match(conn: Connection, scope: Scope, match: str) -> bool:
    """Whether an FTS5 query matches a chunk of the scope."""
    sql = f"""{_IN_SCOPE} SELECT 1 FROM term CROSS JOIN part CROSS JOIN chunk_fts AS f
              WHERE f.chunk_fts MATCH term.match AND f.rowid BETWEEN part.first AND part.last LIMIT 1"""
    return bool(await fetch_all(conn, sql, json.dumps(scope.ranges), json.dumps([[match, 0]])))


async def holding(conn: Connection, scope: Scope, match: str) -> list[StoredChunk]:
    """Every chunk of the scope that an FTS5 query matches, in the order of the documents and of their text."""
    sql = f"""{_IN_SCOPE} SELECT {CHUNK} FROM term CROSS JOIN part CROSS JOIN chunk_fts AS f
              CROSS JOIN chunk c ON c.id = f.rowid JOIN json_each(?3) AS place ON place.value = c.document
              WHERE f.chunk_fts MATCH term.match AND f.rowid BETWEEN part.first AND part.last
              ORDER BY place.key, c.page_number, c.start"""
    values = (json.dumps(scope.ranges), json.dumps([[match, 0]]), json.dumps(scope.documents))
    return [StoredChunk(*row) for row in await fetch_all(conn, sql, *values)]
