"""The vectors of one model in memory, two bits for each number, so that among very many the nearest are soon found.

It is no truth: it tells candidates, which are compared by their stored vectors, and which ranges of ids it does not
know, which are compared one by one. It is made from the file when a scope first asks for more than can be compared, in
some seconds of a thread, and anew when many vectors have come since. A vector of a chunk never changes, and ids are
never given again: what has been deleted since is in no scope any more.

Measured with a million vectors of 384 numbers in clusters, on one core: 2 bits and 200 candidates 19 ms and 82 MB with
all of the nearest twenty; 4 bits and 50 candidates 9 ms, but 400 MB; signs in numpy 81 ms and 97 % with 400 candidates.
Adding to an index of a million lays it out anew, 0.9 s, hence the new ones beside it.
"""

import asyncio
import importlib.util
import logging
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock
from typing import Any, NamedTuple

from docqa.store.recent import Recent
from docqa.store.recent_vectors import KEPT, Compared, unit_vectors

log = logging.getLogger(__name__)

BITS = 2
BATCH = 1_000  # vectors read at once: of four times as many the server kept 13 MB
SAMPLE = 1_024  # vectors by which the index is fitted to the model
SEARCHES = 3  # at a time, beside the readers of the database


@dataclass(frozen=True)
class StoredModel:
    """An embedding model by what distinguishes its vectors from another's; `sha256` is that of its weights."""

    name: str
    sha256: str
    dimension: int


class Known(NamedTuple):
    """What an index tells: the chunks that may be nearest, and the ranges of ids that it knows nothing of."""

    chunks: list[int]
    unknown: Sequence[tuple[int, int]]


@dataclass(frozen=True)
class _Made:
    model: StoredModel
    ids: Any  # an array of the chunks, ascending
    runs: list[tuple[int, int]]  # of ids, of which every chunk there is has its vector in it
    codes: Any


class VectorIndex:
    """The index of one database; `connect` opens a connection to it."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect
        self.recent = Recent[Compared](KEPT)
        self._made: _Made | None = None
        self._making: Future[None] | None = None
        self._wanting = Lock()
        self._makes = ThreadPoolExecutor(1, "index of vectors")
        self._looks = ThreadPoolExecutor(SEARCHES, "nearest vectors")
        self._usable = importlib.util.find_spec("turbovec") is not None

    def is_made(self, model: StoredModel) -> bool:
        """Whether there is an index of this model."""
        return self._made is not None and self._made.model == model

    def candidates(self, model: StoredModel, vector: bytes, ranges: Sequence[tuple[int, int]], limit: int) -> Known:
        """The chunks in these ranges of ids that may be nearest to a vector by this model; among a million it takes
        10 ms."""
        made = self._made
        if made is None or made.model != model:
            return Known([], ranges)
        return _candidates(made, vector, ranges, limit)

    def begin(
        self, model: StoredModel, vector: bytes, ranges: Sequence[tuple[int, int]], limit: int
    ) -> "Future[Known]":
        """The same, in a thread of its own."""
        return self._looks.submit(self.candidates, model, vector, ranges, limit)

    def want(self, model: StoredModel, table: str) -> None:
        """Have the index made from the vectors of the model, in this table, unless that is under way or cannot be."""
        with self._wanting:
            if self._usable and (self._making is None or self._making.done()):
                self._making = self._makes.submit(self._make, model, table)

    async def ready(self) -> None:
        """Wait until an index that is being made is there."""
        if self._making is not None:
            await asyncio.wrap_future(self._making)

    async def close(self) -> None:
        """Wait until nothing is made any more, and drop the index."""
        self._usable = False
        await self.ready()
        for pool in (self._makes, self._looks):
            pool.shutdown(wait=False)
        self._made = None

    def _make(self, model: StoredModel, table: str) -> None:
        try:
            self._made = self._read(model, table)
        except Exception:
            # The search goes on without it; the next one that wants it tries again.
            log.exception("the index of vectors was not made; the search of many documents is slower")

    def _read(self, model: StoredModel, table: str) -> _Made:
        import numpy as np
        import turbovec  # type: ignore[import-untyped]

        codes = turbovec.TurboQuantIndex(dim=model.dimension, bit_width=BITS)
        all_ids: list[Any] = []
        with closing(self._connect()) as conn:
            conn.execute("BEGIN")
            step = max(1, conn.execute(f"SELECT max(chunk) FROM {table}").fetchone()[0] // SAMPLE)
            sql = f"""WITH RECURSIVE place (id) AS (SELECT 1 UNION ALL SELECT id + {step} FROM place LIMIT {SAMPLE})
                      SELECT v.chunk, v.vector FROM place CROSS JOIN {table} v ON v.chunk = place.id"""
            sample = conn.execute(sql).fetchall()
            if len(sample) >= SAMPLE // 4:
                codes.calibrate(unit_vectors(sample, model.dimension)[1])
            rows = conn.execute(f"SELECT chunk, vector FROM {table} ORDER BY chunk")
            while batch := rows.fetchmany(BATCH):
                ids, vectors = unit_vectors(batch, model.dimension)
                codes.add(vectors)
                all_ids.append(ids)
            sql = f"""SELECT id FROM stored_chunk WHERE id <= (SELECT max(chunk) FROM {table})
                      AND NOT EXISTS (SELECT 1 FROM {table} v WHERE v.chunk = id) ORDER BY id"""
            lacking = [row[0] for row in conn.execute(sql)]
        ids = np.concatenate(all_ids)
        codes.prepare()
        codes.search(vectors[:1], 1, mask=np.ones(len(ids), bool))  # the first of a million takes half a second
        ends = [0, *lacking, int(ids[-1]) + 1]
        runs = [(before + 1, after - 1) for before, after in pairwise(ends) if before + 1 < after]
        return _Made(model, ids, runs, codes)


def _candidates(made: _Made, vector: bytes, ranges: Sequence[tuple[int, int]], limit: int) -> Known:
    import numpy as np

    mask = np.zeros(len(made.ids), bool)
    starts = np.searchsorted(made.ids, [first for first, _ in ranges])
    ends = np.searchsorted(made.ids, [last for _, last in ranges], "right")
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        mask[start:end] = True
    unknown = [gap for part in ranges for gap in _gaps(part, made.runs)]
    if not mask.any():
        return Known([], unknown)
    query = np.frombuffer(vector, "<f4")[None]
    _, places = made.codes.search(query, limit, mask=None if mask.all() else mask)
    return Known(made.ids[places[0]].tolist(), unknown)


def _gaps(part: tuple[int, int], runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """What of a range of ids lies between runs, which are in order."""
    first, last = part
    low = bisect_left(runs, first, key=lambda run: run[1])
    high = bisect_right(runs, last, key=lambda run: run[0])
    gaps = []
    for start, end in runs[low:high]:
        if first < start:
            gaps.append((first, start - 1))
        first = end + 1
    return [*gaps, (first, last)] if first <= last else gaps
