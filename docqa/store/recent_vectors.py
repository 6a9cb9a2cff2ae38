"""Vectors as numpy compares them. Those of the documents that were asked last need not be read again: a chunk's vector
by a model never changes, and ids are never given again."""

from collections.abc import Sequence
from dataclasses import dataclass
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
