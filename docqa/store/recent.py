"""What was read of the documents that were asked lately, and need not be read again.

It is kept as arrays of numpy, whose memory a server is spared until many passages, or a long document, are asked.
"""

import sys
from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

TOGETHER = 4_000  # chunks of a scope of which all is kept

Value = TypeVar("Value")


def has_numpy() -> bool:
    """Whether something has imported it, which takes a tenth of a second."""
    return "numpy" in sys.modules


class Recent(Generic[Value]):
    """Values by key, so many of which that their sizes are at most `most` in all; what was not asked for longest goes
    first. The last one stays, whatever its size."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> Value | None:
        """The value of this key, None where there is none any more."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def keep(self, key: Hashable, value: Value, size: int) -> None:
        """Keep this value, and forget what is too much then."""
        with self._lock:
            self._kept[key] = value, size
            while len(self._kept) > 1 and sum(size for _, size in self._kept.values()) > self._most:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._kept.clear()
