"""The words of the documents that were asked lately, so that full text is matched and weighed in memory: among many
documents, a question to one of them spends most of its time on reading its words from the file again.

They are read in a thread of its own, a moment after a scope is first asked, and say exactly what the file says: the
terms of a chunk change only where all are rebuilt, which has them forgotten.
"""

import importlib.util
import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from threading import Event, Lock
from typing import Any, NamedTuple

from docqa.store.common_terms import CommonTerms, Ranges
from docqa.store.recent import TOGETHER, Recent, has_numpy
from docqa.text.packed_terms import lengths, packed, terms_of

log = logging.getLogger(__name__)

KEPT = 16_000  # chunks, of 1 kB each
PAUSE = 1.0  # seconds, before words are read: the question that is worked on meanwhile would wait for the interpreter
LONG = 1_000  # chunks of a scope, from which on numpy is imported for it: SQL takes 5 ms there
LARGE_KEPT = 2  # scopes of which common terms are kept

Key = tuple[Ranges, int]  # with the number of chunks in them: after a deletion there are fewer in the same ranges


class Match(NamedTuple):
    """A chunk that holds terms of a question: how often each of these, in their order, and how many terms there are in
    it."""

    id: int
    document: int
    length: int
    counts: Sequence[int]


@dataclass(frozen=True)
class Words:
    """The terms of some chunks, up to 65,536 of them.

    `ids`, ascending, `documents` and `lengths` are arrays with a number for each chunk. `hashes` are those of all terms
    in them, ascending; term n stands in the chunks `rows[starts[n] : starts[n + 1]]`, so often as `counts` say there.
    """

    ids: Any
    documents: Any
    lengths: Any
    hashes: Any
    starts: Any
    rows: Any
    counts: Any

    @classmethod
    def of(cls, chunks: Sequence[tuple[int, int, str]]) -> "Words":
        """Those of (id, document, terms) in the order of the ids, at least one chunk."""
        import numpy as np  # not with this module, which a server without many passages imports

        stored = [packed(terms) for _, _, terms in chunks]
        numbers: dict[str, int] = {}
        tokens: list[int] = []
        sizes = []
        for terms in stored:
            held = [numbers.setdefault(token, len(numbers)) for token in terms.split()]
            tokens += held
            sizes.append(len(held))
        of_tokens, places = np.array(tokens, "i8"), np.repeat(np.arange(len(chunks)), sizes)
        # A token stands for one term or for two; one that is alone is its own second.
        pairs = np.array([(hash(each[0]), hash(each[-1])) for each in map(terms_of, numbers)], "i8").reshape(-1, 2)
        hashes, numbered = np.unique(pairs, return_inverse=True)
        first, second = numbered.reshape(-1, 2)[of_tokens].T
        both = first != second
        keys, counts = np.unique(
            np.concatenate([first, second[both]]) * len(chunks) + np.concatenate([places, places[both]]),
            return_counts=True,
        )
        of_terms, rows = np.divmod(keys, len(chunks))
        return cls(
            np.array([id_ for id_, _, _ in chunks], "i8"),
            np.array([document for _, document, _ in chunks], "i8"),
            np.array(lengths(stored), "i4"),
            hashes,
            np.searchsorted(of_terms, np.arange(len(hashes) + 1)).astype("i4"),
            rows.astype("u2"),
            counts.astype("u2"),
        )

    def numbers(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many chunks each of these terms stands; those in none are left out."""
        held = {term: self._within(term) for term in dict.fromkeys(terms)}
        return {term: within.stop - within.start for term, within in held.items() if within.stop > within.start}

    def best(self, weights: Mapping[str, float], limit: int) -> list[Match]:
        """The chunks that hold most of these terms by weight, best first, at most `limit`; of equal ones the first."""
        import numpy as np

        counts = np.zeros((len(weights), len(self.ids)), "u2")
        total = np.zeros(len(self.ids))
        for place, (term, weight) in enumerate(weights.items()):
            within = self._within(term)
            rows = self.rows[within]
            counts[place, rows] = self.counts[within]
            total[rows] += weight
        held = np.flatnonzero(counts.any(axis=0))
        chosen = held[np.lexsort((self.ids[held], -total[held]))[:limit]]
        columns = (self.ids[chosen], self.documents[chosen], self.lengths[chosen], counts[:, chosen].T)
        return list(map(Match, *(column.tolist() for column in columns)))

    def _within(self, term: str) -> slice:
        wanted = hash(term)
        place = int(self.hashes.searchsorted(wanted))
        if place == len(self.hashes) or self.hashes[place] != wanted:
            return slice(0, 0)
        return slice(int(self.starts[place]), int(self.starts[place + 1]))


class RecentWords:
    """Those of one database; `connect` opens a connection to it."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect
        self._kept = Recent[Words](KEPT)
        self._large = Recent[CommonTerms](LARGE_KEPT)
        self._reads = ThreadPoolExecutor(1, "recent words")
        self._closing = Event()
        self._usable = importlib.util.find_spec("numpy") is not None
        self._reading: set[Key] = set()
        self._asking = Lock()

    def get(self, ranges: Ranges, size: int) -> Words | None:
        """The words of the so many chunks in these ranges of ids; where they could be at hand and are not, they are
        read, for the next question."""
        if not self._usable or not 0 < size <= TOGETHER or size < LONG and not has_numpy():
            return None
        key = ranges, size
        words = self._kept.get(key)
        if words is None:
            self._ask(key, partial(self._words, key))
        return words

    def common(self, ranges: Ranges, size: int) -> CommonTerms | None:
        """The common terms of the so many chunks, which are very many, in these ranges of ids; those that are wanted
        and not known are read, for the next question."""
        if not self._usable:
            return None
        key = ranges, size
        terms = self._large.get(key)
        if terms is None:
            terms = CommonTerms(ranges, partial(self._ask, key))
            self._large.keep(key, terms, 1)
        return terms

    def forget(self) -> None:
        """Terms are being rebuilt, or have been."""
        self._kept.clear()
        self._large.clear()

    def wait(self) -> None:
        """Wait until all words that were asked for are read."""
        self._reads.submit(lambda: None).result()

    def close(self) -> None:
        """Wait until nothing is read any more."""
        self._closing.set()
        self._reads.shutdown(cancel_futures=True)

    def _ask(self, key: Key, read: Callable[[Any], bool]) -> None:
        with self._asking:
            if key not in self._reading:
                self._reading.add(key)
                self._reads.submit(self._read, key, read)

    def _read(self, key: Key, read: Callable[[Any], bool]) -> None:
        self._closing.wait(PAUSE)
        try:
            with closing(self._connect()) as conn:
                conn.execute("BEGIN")
                [(is_rebuilt,)] = conn.execute("SELECT pending_version IS NULL FROM full_text")
                while is_rebuilt and read(conn) and not self._closing.is_set():
                    pass
        except Exception:
            # The search goes on in the file; the next question tries again.
            log.exception("words were not read into memory; questions take a few milliseconds longer")
        finally:
            with self._asking:
                self._reading.discard(key)

    def _words(self, key: Key, conn: Any) -> bool:
        sql = """SELECT c.id, c.document, c.terms FROM json_each(?) part CROSS JOIN stored_chunk c
                 ON c.id BETWEEN part.value ->> 0 AND part.value ->> 1 ORDER BY c.id"""
        chunks = conn.execute(sql, (json.dumps(key[0]),)).fetchall()
        conn.rollback()  # what follows takes a while, and needs no state of the file
        if len(chunks) == key[1]:
            self._kept.keep(key, Words.of(chunks), len(chunks))
        return False
