"""Full-text search in the chunks of some documents, and how many of them hold a term.

Nothing here counts or ranks by the whole file: another account's documents would show in the figures, and the cost
would follow what is stored instead of what is asked. A document's chunks have consecutive ids, but for pages that were
read late, so that a few ranges of ids hold them all, and FTS5 reads of each term only what lies in these.

Among very many chunks a common term costs no more either: how many hold it is estimated from a sample, and it weighs
only what the rare terms have found.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from aiosqlite import Connection

from docqa.store.chunks import CHUNK, StoredChunk
from docqa.store.recent_words import Match, Words
from docqa.store.sql import fetch_all, quoted
from docqa.text.packed_terms import counts, length, packed

LARGE = 20_000  # chunks, from which on terms are counted in a sample
COUNTED = 5_000  # matches of a term up to which it is counted exactly there: 0.4 ms
SAMPLES, SAMPLE = 16, 256  # runs of chunks in a sample, and their length: 0.4 ms a term, nearly all for beginning a run
SELECTED = 5_000  # matches that are weighed there: those of the rarest terms
FEWEST = 1_000  # matches that a further word must leave
BEGUN = 60  # matches that are weighed in the time in which one term is looked up in one range

# The ranges and the terms of a query as tables: taken from JSON row by row they would be parsed again for each match.
_IN_SCOPE = """WITH part (first, last) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(?1)),
                    term (match) AS MATERIALIZED (SELECT value FROM json_each(?2)) """


@dataclass(frozen=True)
class Scope:
    """The chunks of some documents, given by row id: `size` of them, whose ids are those in `ranges`, (first, last)
    each. No other document has a chunk in these, but one that was deleted may have had; `runs` are what of them is
    there."""

    documents: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...]
    runs: tuple[tuple[int, int], ...]
    size: int


async def scope_of(conn: Connection, documents: Sequence[int]) -> Scope:
    """The chunks of these documents; the caller has checked whose they are."""
    sql = """SELECT d.id, (SELECT min(id) FROM stored_chunk WHERE document = d.id),
                    (SELECT max(id) FROM stored_chunk WHERE document = d.id), d.chunks
             FROM json_each(?) CROSS JOIN any_document d ON d.id = value"""
    runs: list[tuple[int, int]] = []
    size = 0
    for document, first, last, count in await fetch_all(conn, sql, json.dumps(documents)):
        size += count
        if first is None:
            continue
        runs += [(first, last)] if last - first + 1 == count else await _runs(conn, document)
    runs = _joined(sorted(runs), ())
    return Scope(tuple(documents), tuple(await _over_gaps(conn, runs)), tuple(runs), size)


async def _runs(conn: Connection, document: int) -> list[tuple[int, int]]:
    """The runs of consecutive ids of a document's chunks."""
    sql = """SELECT min(id), max(id) FROM (
                 SELECT id, id - row_number() OVER (ORDER BY id) AS run FROM stored_chunk WHERE document = ?)
             GROUP BY run"""
    return [(first, last) for first, last in await fetch_all(conn, sql, document)]


async def _over_gaps(conn: Connection, runs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The runs, in order, with those made one between which there is no chunk any more."""
    gaps = [(before[1], after[0]) for before, after in pairwise(runs)]
    sql = """SELECT value ->> 1 FROM json_each(?)
             WHERE NOT EXISTS (SELECT 1 FROM stored_chunk WHERE id > value ->> 0 AND id < value ->> 1)"""
    empty = {row[0] for row in await fetch_all(conn, sql, json.dumps(gaps))} if gaps else set()
    return _joined(runs, empty)


def _joined(ranges: Sequence[tuple[int, int]], over: Collection[int]) -> list[tuple[int, int]]:
    """The ranges, in order, with each joined to the one before that follows it at once, or whose first id is in
    `over`."""
    joined = list(ranges[:1])
    for first, last in ranges[1:]:
        if first == joined[-1][1] + 1 or first in over:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return joined


@dataclass(frozen=True)
class Occurrences:
    """Where terms occur in a scope: `counts` says in how many chunks each does, without those in none; `chunks` are the
    ids of these, where the scope is not LARGE and its `words` are not at hand."""

    scope: Scope
    counts: Mapping[str, int]
    chunks: Mapping[str, Sequence[int]] = field(default_factory=dict)
    words: Words | None = None


async def occurrences(conn: Connection, scope: Scope, terms: Iterable[str], words: Words | None = None) -> Occurrences:
    """Where each term occurs in the scope, whose `words` need not be read where they are at hand. Of a LARGE one terms
    in more than COUNTED chunks are counted in a sample that is spread over it."""
    sought = list(dict.fromkeys(terms))
    if words:
        return Occurrences(scope, words.numbers(sought), words=words)
    if scope.size <= LARGE:
        chunks = await _chunks(conn, scope.ranges, {term: quoted(term) for term in sought})
        return Occurrences(scope, {term: len(ids) for term, ids in chunks.items()}, chunks)
    known = await _counts(conn, scope.ranges, sought, COUNTED)
    common = [term for term, count in known.items() if count == COUNTED]
    sample = _sample(scope.ranges)
    share = _length(sample) / _length(scope.ranges)
    sampled = await _counts(conn, sample, common)
    estimated = {term: max(COUNTED, min(scope.size, round(sampled.get(term, 0) / share))) for term in common}
    return Occurrences(scope, known | estimated)


async def _chunks(
    conn: Connection, ranges: Sequence[tuple[int, int]], queries: Mapping[str, str]
) -> dict[str, list[int]]:
    """The ids of the chunks that the query for each term matches; terms without any are left out."""
    # As JSON, since a row for each id would take five times as long.
    sql = f"""{_IN_SCOPE} SELECT (SELECT json_group_array(f.rowid) FROM part CROSS JOIN chunk_fts AS f
                  WHERE f.chunk_fts MATCH term.match AND f.rowid BETWEEN part.first AND part.last) FROM term"""
    rows = await fetch_all(conn, sql, json.dumps(ranges), json.dumps(list(queries.values())))
    return {term: json.loads(ids) for term, (ids,) in zip(queries, rows, strict=True) if ids != "[]"}


async def _counts(
    conn: Connection, ranges: Sequence[tuple[int, int]], terms: Sequence[str], most: int = -1
) -> dict[str, int]:
    """In how many chunks each term occurs, up to `most`."""
    sql = f"""{_IN_SCOPE} SELECT (SELECT count(*) FROM (
                  SELECT 1 FROM part CROSS JOIN chunk_fts AS f
                  WHERE f.chunk_fts MATCH term.match AND f.rowid BETWEEN part.first AND part.last
                  LIMIT ?3)) FROM term"""
    rows = await fetch_all(conn, sql, json.dumps(ranges), json.dumps(list(map(quoted, terms))), most)
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


async def matches(conn: Connection, occurrences: Occurrences, weights: Mapping[str, float], limit: int) -> list[Match]:
    """The chunks of a scope that hold most of these terms by weight, best first, at most `limit`; of equal ones the
    first. In a LARGE scope only chunks with rare terms are looked at."""
    if occurrences.words:
        return occurrences.words.best(weights, limit)
    chunks = occurrences.chunks
    if occurrences.scope.size > LARGE:
        chunks = await _selected_chunks(conn, occurrences.scope, weights, occurrences.counts)
    held = _best(chunks, weights, limit)
    sql = """SELECT c.id, c.document, c.terms FROM json_each(?) best CROSS JOIN stored_chunk c ON c.id = best.value
             ORDER BY best.key"""
    rows = await fetch_all(conn, sql, json.dumps(list(held)))
    found_in = [(packed(terms), held[id_]) for id_, _, terms in rows]
    return [
        Match(id_, document, length(stored), each)
        for (id_, document, _), (stored, _), each in zip(rows, found_in, counts(weights, found_in), strict=True)
    ]


def _best(chunks: Mapping[str, Sequence[int]], weights: Mapping[str, float], limit: int) -> dict[int, int]:
    """The best chunks with the bits of what they hold, given by those that hold each term."""
    held: dict[int, int] = {}
    for place, term in enumerate(weights):
        for chunk in chunks.get(term, ()):
            held[chunk] = held.get(chunk, 0) | 1 << place
    alike: dict[int, list[int]] = {}  # chunks that hold the same: a few terms are found in few combinations
    for chunk, bits in held.items():
        alike.setdefault(bits, []).append(chunk)
    each = list(weights.values())
    best: list[tuple[float, int]] = []
    for weight, ids in sorted((-_weight(bits, each), ids) for bits, ids in alike.items()):
        if len(best) >= limit and weight > best[-1][0]:
            break
        best += [(weight, chunk) for chunk in ids]
    return {chunk: held[chunk] for _, chunk in sorted(best)[:limit]}


def _weight(bits: int, weights: Sequence[float]) -> float:
    total = 0.0
    while bits:
        lowest = bits & -bits
        total += weights[lowest.bit_length() - 1]
        bits ^= lowest
    return total


async def _selected_chunks(
    conn: Connection, scope: Scope, weights: Mapping[str, float], counts: Mapping[str, int]
) -> dict[str, list[int]]:
    """The ids of the chunks with rare terms in which each term occurs."""
    rare, chosen = _selected(weights, counts, scope.size)
    lookups = len(scope.ranges) * len(weights) * chosen.count('"') / 2
    if sum(counts.get(term, 0) for term in weights) < BEGUN * lookups:
        rare = frozenset(weights)  # of documents here and there every range costs more than it saves
    queries = {term: quoted(term) if term in rare else f"{quoted(term)} AND ({chosen})" for term in weights}
    return await _chunks(conn, scope.ranges, queries)


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
    return bool(await fetch_all(conn, sql, json.dumps(scope.ranges), json.dumps([match])))


async def holding(conn: Connection, scope: Scope, match: str) -> list[StoredChunk]:
    """Every chunk of the scope that an FTS5 query matches, in the order of the documents and of their text."""
    sql = f"""{_IN_SCOPE} SELECT {CHUNK} FROM term CROSS JOIN part CROSS JOIN chunk_fts AS f
              CROSS JOIN chunk c ON c.id = f.rowid JOIN json_each(?3) AS place ON place.value = c.document
              WHERE f.chunk_fts MATCH term.match AND f.rowid BETWEEN part.first AND part.last
              ORDER BY place.key, c.page_number, c.start"""
    values = (json.dumps(scope.ranges), json.dumps([match]), json.dumps(scope.documents))
    return [StoredChunk(*row) for row in await fetch_all(conn, sql, *values)]
