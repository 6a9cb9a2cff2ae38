"""Full-text search in the chunks of some documents, and how many of them hold a term.

Nothing here counts or ranks by the whole file: another account's documents would show in the figures, and the cost
would follow what is stored instead of what is asked. A document's chunks have consecutive ids, but for pages that were
read late, so that a few ranges of ids hold them all, and FTS5 reads of each term only what lies in these.

Among very many chunks a common term costs no more either: how many hold it is estimated from a sample, and it weighs
only what the rare terms have found.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from aiosqlite import Connection

from docqa.store.chunks import CHUNK, StoredChunk
from docqa.store.sql import fetch_all, quoted

# The ranges and the terms of a query as tables: taken from JSON row by row they would be parsed again for each match.
LARGE = 20_000  # chunks, from which on terms are counted in a sample
COUNTED = 5_000  # matches of a term up to which it is counted exactly there: 0.4 ms
SAMPLES, SAMPLE = 16, 256  # runs of chunks in a sample, and their length: 0.4 ms a term, nearly all for beginning a run
SELECTED = 5_000  # matches that are weighed there: those of the rarest terms
FEWEST = 1_000  # matches that a further word must leave
BEGUN = 60  # matches that are weighed in the time in which one term is looked up in one range
BITS = 60  # of SQLite's integers, for the terms that a chunk holds

_IN_SCOPE = """WITH part (first, last) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(?1)),
                    term (match, weight, bit) AS MATERIALIZED (
                        SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?2)) """


@dataclass(frozen=True)
class Scope:
    """The chunks of some documents, given by row id: `size` of them, whose ids are those in `ranges`, (first, last)
    each. No other document has a chunk in these."""

    documents: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...]
    size: int


async def scope_of(conn: Connection, documents: Sequence[int]) -> Scope:
    """The chunks of these documents; the caller has checked whose they are."""
    sql = """SELECT d.id, (SELECT min(id) FROM stored_chunk WHERE document = d.id),
                    (SELECT max(id) FROM stored_chunk WHERE document = d.id), d.chunks
             FROM json_each(?) CROSS JOIN any_document d ON d.id = value"""
    ranges: list[tuple[int, int]] = []
    size = 0
    for document, first, last, count in await fetch_all(conn, sql, json.dumps(documents)):
        size += count
        if first is None:
            continue
        ranges += [(first, last)] if last - first + 1 == count else await _runs(conn, document)
    return Scope(tuple(documents), tuple(await _joined(conn, sorted(ranges))), size)


async def _runs(conn: Connection, document: int) -> list[tuple[int, int]]:
    """The runs of consecutive ids of a document's chunks."""
    sql = """SELECT min(id), max(id) FROM (
                 SELECT id, id - row_number() OVER (ORDER BY id) AS run FROM stored_chunk WHERE document = ?)
             GROUP BY run"""
    return [(first, last) for first, last in await fetch_all(conn, sql, document)]


async def _joined(conn: Connection, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges, in order, with those made one between which there is no chunk any more."""
    gaps = [(before[1], after[0]) for before, after in pairwise(ranges) if before[1] + 1 < after[0]]
    sql = """SELECT value ->> 1 FROM json_each(?)
             WHERE EXISTS (SELECT 1 FROM stored_chunk WHERE id > value ->> 0 AND id < value ->> 1)"""
    apart = {row[0] for row in await fetch_all(conn, sql, json.dumps(gaps))} if gaps else set()
    joined = list(ranges[:1])
    for first, last in ranges[1:]:
        if first in apart:
            joined.append((first, last))
        else:
            joined[-1] = (joined[-1][0], last)
    return joined


async def counts(conn: Connection, scope: Scope, terms: Iterable[str]) -> dict[str, int]:
    """In how many chunks of the scope each term occurs; terms in none are left out.

    Of a LARGE scope terms in more than COUNTED chunks are counted in a sample that is spread over it.
    """
    sought = list(dict.fromkeys(terms))
    if scope.size <= LARGE:
        return await _counts(conn, scope.ranges, sought)
    known = await _counts(conn, scope.ranges, sought, COUNTED)
    common = [term for term, count in known.items() if count == COUNTED]
    sample = _sample(scope.ranges)
    share = _length(sample) / _length(scope.ranges)
    sampled = await _counts(conn, sample, common)
    return known | {term: max(COUNTED, min(scope.size, round(sampled.get(term, 0) / share))) for term in common}


async def _counts(
    conn: Connection, ranges: Sequence[tuple[int, int]], terms: Sequence[str], most: int = -1
) -> dict[str, int]:
    """In how many chunks each term occurs, up to `most`."""
    sql = f"""{_IN_SCOPE} SELECT (SELECT count(*) FROM (
                  SELECT 1 FROM part CROSS JOIN chunk_fts AS f
                  WHERE f.chunk_fts MATCH term.match AND f.rowid BETWEEN part.first AND part.last
                  LIMIT ?3)) FROM term"""
    matched = json.dumps([[quoted(term), 0] for term in terms])
    rows = await fetch_all(conn, sql, json.dumps(ranges), matched, most)
    return {term: count for term, (count,) in zip(terms, rows, strict=True) if count}


def _length(ranges: Sequence[tuple[int, int]]) -> int:
    return sum(last - first + 1 for first, last in ranges)


def _sample(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Runs of ids at equal distances in these ranges, which hold far more."""
    runs: list[tuple[int, int]] = []
    step, wanted, passed = _length(ranges) / SAMPLES, 0, 0
    for first, last in ranges:
        while wanted < SAMPLES and round(wanted * step) < passed + last - first + 1:
            start = max(first + round(wanted * step) - passed, runs[-1][1] + 1 if runs else first)
            if start <= last:
                runs.append((start, min(start + SAMPLE - 1, last)))
            wanted += 1
        passed += last - first + 1
    return runs


class Match(NamedTuple):
    """A chunk that holds terms of a question; `terms` are its own, packed, `held` has a bit for each of the first BITS
    terms of the question that it holds."""

    id: int
    document: int
    terms: str
    held: int


async def matches(
    conn: Connection, scope: Scope, weights: Mapping[str, float], counts: Mapping[str, int], limit: int
) -> list[Match]:
    """The chunks of the scope that hold most of the terms by weight, at most `limit`; of equal ones the first.

    `counts` says in how many chunks of a LARGE scope each term is; there only chunks with rare terms are looked at.
    """
    sql = f"""{_IN_SCOPE}, best (id, weight, held) AS (
                  SELECT f.rowid, sum(term.weight) AS weight, sum(term.bit) FROM term CROSS JOIN part
                  CROSS JOIN chunk_fts AS f
                  WHERE f.chunk_fts MATCH term.match AND f.rowid BETWEEN part.first AND part.last
                  GROUP BY f.rowid ORDER BY weight DESC, f.rowid LIMIT ?3)
              SELECT c.id, c.document, c.terms, best.held FROM best JOIN stored_chunk c ON c.id = best.id
              ORDER BY best.weight DESC, c.id"""
    bits = {term: 1 << place if place < BITS else 0 for place, term in enumerate(weights)}
    rare, chosen = _selected(weights, counts, scope.size) if scope.size > LARGE else (frozenset(weights), "")
    lookups = len(scope.ranges) * len(weights) * chosen.count('"') / 2
    if sum(counts.get(term, 0) for term in weights) < BEGUN * lookups:
        rare = frozenset(weights)  # of documents here and there every range costs more than it saves
    terms = [
        [quoted(term) if term in rare else f"{quoted(term)} AND ({chosen})", weight, bits[term]]
        for term, weight in weights.items()
    ]
    rows = await fetch_all(conn, sql, json.dumps(scope.ranges), json.dumps(terms), limit)
    return [Match(*row) for row in rows]


def _selected(weights: Iterable[str], counts: Mapping[str, int], size: int) -> tuple[frozenset[str], str]:
    """(the terms that select chunks by themselves, the query of the chunks that are selected), SELECTED or so.

    These are the rarest terms, and the next ones where a chunk holds them together.
    """
    rarest = sorted(weights, key=lambda term: counts.get(term, 0))
    rare: list[str] = []
    total = 0
    for term in rarest:
        total += counts.get(term, 0)
        if total > SELECTED:
            total -= counts.get(term, 0)
            break
        rare.append(term)
    together: list[str] = []
    expected = float(size)
    for term in rarest[len(rare) :]:
        share = counts.get(term, 0) / size
        if together and (expected <= SELECTED or expected * share < FEWEST):
            break
        together.append(term)
        expected *= share
    queries = list(map(quoted, rare))
    if together and (total < FEWEST or expected <= 2 * SELECTED):
        queries.append(f"({' AND '.join(map(quoted, together))})")
    return frozenset(rare), " OR ".join(queries)


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
