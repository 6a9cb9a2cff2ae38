"""In which of very many chunks common terms stand, kept in memory with a bit for each chunk.

A common term stands in thousands of chunks of a large base, and a question has several: to count them there, and to see
which of the chunks with its rare terms hold them, their postings would be read again for each question. They are read
once, in the background, when a question first has them.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Any, NamedTuple

from docqa.store.sql import quoted

Ranges = tuple[tuple[int, int], ...]

BYTES = 32_000_000  # of one scope: 256 terms of a million chunks, 2,560 of 100,000
NOTED = 10_000  # terms that were wanted once, where there is room for no more
PIECE = 32_768  # chunks whose postings are read at a time: the interpreter is held for two milliseconds


class Postings(NamedTuple):
    """The chunks of a scope that hold a term: their bits, the first in the lowest of each byte, and how many there
    are."""

    bits: Any
    number: int


class CommonTerms:
    """Those of the chunks whose ids are in `ranges`, (first, last) each, in order; where terms are wanted that are not
    known yet, `ask` is given the function that reads the first of them, and says whether there are more, for later and
    another thread."""

    def __init__(self, ranges: Ranges, ask: Callable[[Callable[[Any], bool]], None]) -> None:
        import numpy as np  # not with this module, which a server without many passages imports

        self._ranges, self._ask = ranges, ask
        self._firsts = np.array([first for first, _ in ranges])
        sizes = np.array([last - first + 1 for first, last in ranges])
        self._before = np.cumsum(sizes) - sizes  # chunks before each range
        self._size = int(sizes.sum())
        self._most = max(1, BYTES * 8 // self._size)
        self._known: OrderedDict[str, Postings] = OrderedDict()
        self._wanted: list[str] = []
        self._noted: set[str] = set()
        self._lock = Lock()

    def known(self, terms: Iterable[str]) -> "dict[str, Postings]":
        """The postings of each of the terms that is known."""
        with self._lock:
            known = {term: self._known[term] for term in terms if term in self._known}
            for term in known:
                self._known.move_to_end(term)
        return known

    def want(self, terms: Sequence[str]) -> None:
        """Have terms read for the next question; where others would have to go for them, if they were wanted before."""
        with self._lock:
            room = self._most - len(self._known)
            wanted = [term for place, term in enumerate(terms) if place < room or term in self._noted]
            self._wanted += [term for term in wanted if term not in self._wanted and term not in self._known]
            self._noted |= set(terms)
            if len(self._noted) > NOTED:
                self._noted.clear()
        if wanted:
            self._ask(self._read)

    def _read(self, conn: Any) -> bool:
        if not self._wanted:
            return False
        term = self._wanted[0]
        postings = self._postings(conn, term)
        with self._lock:
            self._known[term] = postings
            self._wanted.remove(term)
            while len(self._known) > self._most:
                self._known.popitem(last=False)
            return bool(self._wanted)

    def _postings(self, conn: Any, term: str) -> Postings:
        import numpy as np

        sql = """SELECT json_group_array(f.rowid) FROM json_each(?) AS part CROSS JOIN chunk_fts AS f
                 WHERE f.chunk_fts MATCH ? AND f.rowid BETWEEN part.value ->> 0 AND part.value ->> 1"""
        held = np.zeros(self._size, bool)
        for part in _pieces(self._ranges):
            [(ids,)] = conn.execute(sql, (json.dumps(part), quoted(term))).fetchall()
            held[self._places(numbers(ids))] = True
        return Postings(np.packbits(held, bitorder="little"), int(held.sum()))

    def _places(self, ids: Any) -> Any:
        """Which bits are those of chunks."""
        return _moved(ids, self._firsts, self._before)

    def best(
        self,
        known: Mapping[str, Postings],
        listed: Mapping[str, Any],
        together: Sequence[str],
        weights: Mapping[str, float],
        limit: int,
    ) -> dict[int, int]:
        """Of the chunks that are `listed` by `numbers` for terms that are not known, or hold all of the terms
        `together` if these are known, those that hold most terms by weight, best first, at most `limit`; of equal ones
        the first. With bits of what they hold."""
        import numpy as np

        lists = {term: self._places(ids) for term, ids in listed.items()}
        candidates = np.zeros(self._size, bool)
        if together and known.keys() >= set(together):
            bits = np.bitwise_and.reduce([known[term].bits for term in together])
            candidates = np.unpackbits(bits, count=self._size, bitorder="little").view(bool)
        for places in lists.values():
            candidates[places] = True
        chunks = np.flatnonzero(candidates)
        holds = np.zeros((len(weights), len(chunks)), bool)
        total = np.zeros(len(chunks))
        at_byte, at_bit = chunks >> 3, (chunks & 7).astype("u1")
        for row, (term, weight) in zip(holds, weights.items(), strict=True):
            if term in known:
                row[:] = known[term].bits[at_byte] >> at_bit & 1
            elif term in lists:
                row[chunks.searchsorted(lists[term])] = True
            total += weight * row
        chosen = np.arange(len(chunks))
        if len(chunks) > limit:
            chosen = np.flatnonzero(total >= np.partition(total, -limit)[-limit])
        chosen = chosen[np.argsort(-total[chosen], kind="stable")[:limit]]
        bits = np.packbits(holds[:, chosen], axis=0, bitorder="little").T
        ids = _moved(chunks[chosen], self._before, self._firsts).tolist()
        return {id_: int.from_bytes(each.tobytes(), "little") for id_, each in zip(ids, bits, strict=True)}


def numbers(listed: str) -> Any:
    """An array of the numbers in a list of JSON: a third of the time that `json` takes."""
    import numpy as np

    return np.fromstring(listed[1:-1], "i8", sep=",")


def _moved(places: Any, starts: Any, others: Any) -> Any:
    """Places in ranges that begin at `starts`, in the same ranges where they begin at `others`; both ascend."""
    within = starts.searchsorted(places, "right") - 1
    return places - starts[within] + others[within]


def _pieces(ranges: Ranges) -> Iterator[list[tuple[int, int]]]:
    """The ranges in pieces of at most PIECE ids."""
    part: list[tuple[int, int]] = []
    room = PIECE
    for first, last in ranges:
        while first <= last:
            end = min(last, first + room - 1)
            part.append((first, end))
            room -= end - first + 1
            first = end + 1
            if not room:
                yield part
                part, room = [], PIECE
    if part:
        yield part
