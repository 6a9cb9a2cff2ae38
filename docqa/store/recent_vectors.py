"""Vectors as numpy compares them, and those of the documents that were asked lately."""

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

KEPT = 16_000  # vectors: 24 MB of 384 numbers


@dataclass(frozen=True)
class Compared:
    """The ids of chunks, ascending, and a row of length 1 for each."""

    ids: Any
    vectors: Any

    @classmethod
    def of(cls, rows: Sequence[tuple[int, bytes]], dimension: int) -> "Compared":
        """Those of (id, vector) as they are stored."""
        return cls(*unit_vectors(rows, dimension))

    def nearest(self, vector: bytes, limit: int) -> list[int]:
        """The ids of those nearest to a vector of int8, nearest first, at most `limit`."""
        import numpy as np  # not with this module, which a server without many passages imports

        # Not `@`, whose threads would wait for each other longer than this takes.
        cosines = np.einsum("ij,j->i", self.vectors, np.frombuffer(vector, "i1").astype("f4"))
        return list(self.ids[np.lexsort((self.ids, -cosines))[:limit]].tolist())


class RecentVectors:
    """Those that were compared last, KEPT in all. They need not be read again: a chunk's vector by a model never
    changes, and ids are never given again."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Compared] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> Compared | None:
        """Those of this key, None where there are none any more."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def keep(self, key: Hashable, compared: Compared) -> None:
        """Keep these, and forget what was not asked for longest."""
        with self._lock:
            self._kept[key] = compared
            while len(self._kept) > 1 and sum(len(each.ids) for each in self._kept.values()) > KEPT:
                self._kept.popitem(last=False)


def unit_vectors(rows: Sequence[tuple[int, bytes]], dimension: int) -> tuple[Any, Any]:
    """(ids, vectors of length 1) of rows; a row that is no vector is left out."""
    import numpy as np  # not with this module, which a server without many passages imports

    parts = []
    for size, kind in ((dimension, "i1"), (4 * dimension, "<f4")):
        own = [row for row in rows if len(row[1]) == size]
        vectors = np.frombuffer(b"".join(vector for _, vector in own), kind).reshape(-1, dimension).astype("f4")
        parts.append((np.array([chunk for chunk, _ in own], "i8"), vectors))
    ids, vectors = np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    sound = np.isfinite(lengths[:, 0]) & (lengths[:, 0] > 0)
    order = np.argsort(ids[sound], kind="stable")
    return ids[sound][order], np.ascontiguousarray((vectors[sound] / lengths[sound])[order])
