"""How the server's C library keeps memory: what was freed goes back to the system.

By its own rules glibc raises the size from which a block is returned on its own to that of the largest one that was
freed, up to 32 MB, and gives each thread a heap. After uploads of all sizes each heap holds megabytes of holes, and the
server grows for hours although it holds no more than at first.
"""

import ctypes
from contextlib import suppress

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # mallopt(3)
_BLOCK = 1 << 20  # bytes: longer blocks are mapped on their own; so much may stay free at the end of a heap
_HEAPS = 2  # Python lets one thread allocate at a time, SQLite a few more


def return_freed() -> None:
    """Set it for this process. Call it before threads are started; other C libraries are left as they are."""
    with suppress(OSError, AttributeError, TypeError):  # no such library, or no such function in it
        set_option = ctypes.CDLL(None).mallopt
        for option, value in ((_TRIM_THRESHOLD, _BLOCK), (_MMAP_THRESHOLD, _BLOCK), (_ARENA_MAX, _HEAPS)):
            set_option(option, value)
