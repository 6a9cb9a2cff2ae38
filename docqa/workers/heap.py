"""What a process has freed goes back to the system: by its own rules glibc keeps most of it. Other C libraries are left
as they are."""

import ctypes
from contextlib import suppress

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # mallopt(3)
_BLOCK = 1 << 20  # bytes: longer blocks are mapped on their own; so much may stay free at the end of a heap
_OTHER_LIBRARY = OSError, AttributeError, TypeError  # there is no such library, or no such function in it
_HEAPS = 2  # Python lets one thread allocate at a time, SQLite a few more


def return_freed() -> None:
    """Have what the server frees go back to the system. Before there is a second thread.

    By its own rules glibc raises the size from which a block is returned on its own to that of the largest one that was
    freed, up to 32 MB, and gives each thread a heap. After uploads of all sizes each heap holds megabytes of holes, and
    the server grows for hours although it holds no more than at first.
    """
    _set((_TRIM_THRESHOLD, _BLOCK), (_MMAP_THRESHOLD, _BLOCK), (_ARENA_MAX, _HEAPS))


def keep_one_heap() -> None:
    """Have all threads share a heap: in those of their own embedder and verifier kept 18 MB that was free. Before there
    is a second thread."""
    _set((_ARENA_MAX, 1))


def give_back() -> None:
    """Return to the system what was freed so far: of a multilingual model in the other precision that is 0.4 GB."""
    with suppress(*_OTHER_LIBRARY):
        ctypes.CDLL(None).malloc_trim(0)


def _set(*options: tuple[int, int]) -> None:
    with suppress(*_OTHER_LIBRARY):
        set_option = ctypes.CDLL(None).mallopt
        for option, value in options:
            set_option(option, value)
