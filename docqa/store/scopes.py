"""Where the chunks of some documents are: those of each have consecutive ids, but for pages that were read late, so
that a few ranges of ids hold them all."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from docqa.store.sql import Connection, fetch_all


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
