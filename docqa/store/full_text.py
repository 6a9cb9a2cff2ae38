"""Full-text search in the chunks of some documents, and how many of them hold a term.

Nothing here counts or ranks by the whole file: another account's documents would show in the figures, and the cost
would follow what is stored instead of what is asked. FTS5 reads of each term only what lies in the ranges of a scope.

Among very many chunks a common term costs no more either: how many hold it is estimated from a sample until it has been
read into memory, and it weighs only what the rare terms have found.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from docqa.store.chunks import CHUNK, StoredChunk
from docqa.store.common_terms import CommonTerms, numbers
from docqa.store.recent_words import Match, RecentWords, Words
from docqa.store.scopes import Scope
from docqa.store.sql import Connection, fetch_all, quoted
from docqa.text.packed_terms import counts, length, lengths, packed

LARGE = 20_000  # chunks, from which on terms are counted in a sample
COUNTED = 5_000  # matches of a term from which on it is common there: fewer are read and counted, in a millisecond
SAMPLES, SAMPLE = 16, 256  # runs of chunks in a sample, and their length: 0.4 ms a term, nearly all for beginning a run
SELECTED = 5_000  # matches that are weighed there: those of the rarest terms
FEWEST = 1_000  # matches that a further word must leave
BEGUN = 60  # matches that are weighed in the time in which one term is looked up in one range

# The ranges and the terms of a query as tables: taken from JSON row by row they would be parsed again for each match.
_IN_SCOPE = """WITH part (first, last) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(?1)),
                    term (match) AS MATERIALIZED (SELECT value FROM json_each(?2)) """


@dataclass(frozen=True)
class Occurrences:
    """Where terms occur in a scope: `counts` says in how many chunks each does, without those in none; `chunks` are the
    ids of these, unless they are `at_hand`, or too many in a LARGE scope."""

    scope: Scope
    counts: Mapping[str, int]
    chunks: Mapping[str, Sequence[int]] = field(default_factory=dict)
    at_hand: Words | CommonTerms | None = None


def at_hand(recent: RecentWords, scope: Scope) -> Words | CommonTerms | None:
    """What is kept in memory of the words in a scope, of a LARGE one those of its common terms that were asked for."""
    return recent.common(scope.ranges, scope.size) if scope.size > LARGE else recent.get(scope.ranges, scope.size)


async def occurrences(
    conn: Connection, scope: Scope, terms: Iterable[str], at_hand: Words | CommonTerms | None = None
) -> Occurrences:
    """Where each term occurs in the scope; what is `at_hand` of it need not be read. Of a LARGE one terms in more than
    COUNTED chunks are counted in a sample that is spread over it, unless they are known."""
    sought = list(dict.fromkeys(terms))
    if isinstance(at_hand, Words):
        return Occurrences(scope, at_hand.numbers(sought), at_hand=at_hand)
    if scope.size <= LARGE:
        chunks = await _chunks(conn, scope.ranges, {term: quoted(term) for term in sought})
        return Occurrences(scope, {term: len(ids) for term, ids in chunks.items()}, chunks)
    known = {term: postings.number for term, postings in at_hand.known(sought).items()} if at_hand else {}
    queries = {term: quoted(term) for term in sought if term not in known}
    read = await _chunks(conn, scope.ranges, queries, COUNTED, numbers if at_hand else json.loads)
    chunks = {term: ids for term, ids in read.items() if len(ids) < COUNTED}
    common = [term for term in read if term not in chunks]
    if at_hand:
        at_hand.want(common)
    counts = known | await _estimated(conn, scope, common) | {term: len(ids) for term, ids in chunks.items()}
    return Occurrences(scope, {term: counts[term] for term in sought if term in counts}, chunks, at_hand)


async def _chunks(
    conn: Connection,
    ranges: Sequence[tuple[int, int]],
    queries: Mapping[str, str],
    most: int = -1,
    loads: Callable[[str], Sequence[int]] = json.loads,
) -> dict[str, Sequence[int]]:
    """The ids of the chunks that the query for each term matches, up to `most`; terms without any are left out."""
    # As JSON, since a row for each id would take five times as long.
    sql = f"""{_IN_SCOPE} SELECT (SELECT json_group_array(id) FROM (
                  SELECT f.rowid AS id FROM part CROSS JOIN chunk_fts AS f
                  WHERE f.chunk_fts MATCH term.match AND f.rowid BETWEEN part.first AND part.last
                  LIMIT ?3)) FROM term"""
    rows = await fetch_all(conn, sql, json.dumps(ranges), json.dumps(list(queries.values())), most)
    return {term: loads(ids) for term, (ids,) in zip(queries, rows, strict=True) if ids != "[]"}


async def _estimated(conn: Connection, scope: Scope, terms: Sequence[str]) -> dict[str, int]:
    """In how many chunks of a LARGE scope terms occur that are in COUNTED ones or more, by a sample."""
    if not terms:
        return {}
    sample = _sample(scope.ranges)
    share = _length(sample) / _length(scope.ranges)
    sampled = await _counts(conn, sample, terms)
    return {term: max(COUNTED, min(scope.size, round(sampled.get(term, 0) / share))) for term in terms}


async def _counts(conn: Connection, ranges: Sequence[tuple[int, int]], terms: Sequence[str]) -> dict[str, int]:
    """In how many chunks each term occurs."""
    sql = f"""{_IN_SCOPE} SELECT (SELECT count(*) FROM part CROSS JOIN chunk_fts AS f
                  WHERE f.chunk_fts MATCH term.match AND f.rowid BETWEEN part.first AND part.last) FROM term"""
    rows = await fetch_all(conn, sql, json.dumps(ranges), json.dumps(list(map(quoted, terms))))
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
    if isinstance(occurrences.at_hand, Words):
        return occurrences.at_hand.best(weights, limit)
    if occurrences.scope.size > LARGE:
        held = await _best_of_many(conn, occurrences, weights, limit)
    else:
        held = _best(occurrences.chunks, weights, limit)
    sql = """SELECT c.id, c.document, c.terms FROM json_each(?) best CROSS JOIN stored_chunk c ON c.id = best.value
             ORDER BY best.key"""
    rows = await fetch_all(conn, sql, json.dumps(list(held)))
    found_in = [(packed(terms), held[id_]) for id_, _, terms in rows]
    stored = [terms for terms, _ in found_in]
    sizes = lengths(stored) if isinstance(occurrences.at_hand, CommonTerms) else map(length, stored)
    return [
        Match(id_, document, size, each)
        for (id_, document, _), size, each in zip(rows, sizes, counts(weights, found_in), strict=True)
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


async def _best_of_many(
    conn: Connection, occurrences: Occurrences, weights: Mapping[str, float], limit: int
) -> dict[int, int]:
    """The same in a LARGE scope."""
    scope, counts = occurrences.scope, occurrences.counts
    common = occurrences.at_hand if isinstance(occurrences.at_hand, CommonTerms) else None
    known = common.known(weights) if common else {}
    listed = {term: ids for term, ids in occurrences.chunks.items() if term in weights and term not in known}
    rare, together = _selected(weights, counts, scope.size)
    unknown = [term for term in weights if term in counts and term not in listed and term not in known]
    if unknown:
        chosen = " OR ".join([*map(quoted, rare), *([f"({' AND '.join(map(quoted, together))})"] if together else [])])
        lookups = len(scope.ranges) * len(unknown) * (len(rare) + len(together))
        # Of documents here and there every range costs more than it saves.
        whole = sum(counts[term] for term in unknown) < BEGUN * lookups
        queries = {
            term: quoted(term) if whole or term in rare else f"{quoted(term)} AND ({chosen})" for term in unknown
        }
        listed |= await _chunks(conn, scope.ranges, queries, loads=numbers if common else json.loads)
    return common.best(known, listed, together, weights, limit) if common else _best(listed, weights, limit)


def _selected(weights: Iterable[str], counts: Mapping[str, int], size: int) -> tuple[list[str], list[str]]:
    """(the terms that select chunks by themselves, those that do together), SELECTED chunks or so.

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
    return rare, together if total < FEWEST or expected <= 2 * SELECTED else []


async def any_match(conn: Connection, scope: Scope, match: str) -> bool:
    """Whether an FTS5 query matches a chunk of the scope."""
    sql = f"""{_IN_SCOPE} SELECT 1 FROM term CROSS JOIN part CROSS JOIN chunk_fts AS f
              WHERE f.chunk_fts MATCH term.match AND f.rowid BETWEEN part.first AND part.last LIMIT 1"""
    return bool(await fetch_all(conn, sql, json.dumps(scope.ranges), json.dumps([match])))


async def holding(conn: Connection, scope: Scope, match: str, most: int = 0) -> list[StoredChunk]:
    """Every chunk of the scope that an FTS5 query matches, in the order of the documents and of their text; of more
    than `most`, where that is given, an even share."""
    ids = (await _chunks(conn, scope.ranges, {match: match})).get(match, ())
    return await _in_order(conn, scope, ids[:: _step(len(ids), most)] if most else ids)


async def first_holding(conn: Connection, scope: Scope, match: str, most: int) -> list[StoredChunk]:
    """The first chunks of the scope that an FTS5 query matches, `most` at most, in the same order."""
    return await _in_order(conn, scope, (await _chunks(conn, scope.ranges, {match: match}, most)).get(match, ()))


async def spread(conn: Connection, scope: Scope, most: int) -> list[StoredChunk]:
    """All chunks of the scope, in the same order; of more than `most` an even share."""
    ids = chain.from_iterable(range(first, last + 1) for first, last in scope.runs)
    return await _in_order(conn, scope, list(islice(ids, 0, None, _step(scope.size, most))))


def _step(count: int, most: int) -> int:
    return max(1, -(-count // most))


async def _in_order(conn: Connection, scope: Scope, ids: Sequence[int]) -> list[StoredChunk]:
    sql = f"""SELECT {CHUNK} FROM json_each(?1) AS held CROSS JOIN chunk c ON c.id = held.value
              JOIN json_each(?2) AS place ON place.value = c.document
              ORDER BY place.key, c.page_number, c.start"""
    values = (json.dumps(ids), json.dumps(scope.documents))
    return [StoredChunk(*row) for row in await fetch_all(conn, sql, *values)]
