"""A lock between processes on an open file: it is released with its holder, however that ends."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _try(number: int) -> bool:
        try:
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try(number: int) -> bool:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def hold(path: Path, on_wait: Callable[[], None]) -> Iterator[None]:
    """Hold the lock file `path`, waiting for it if need be; `on_wait` is called once before waiting. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    number = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        if not _try(number):
            on_wait()
            while not _try(number):
                time.sleep(0.2)
        yield
    finally:
        os.close(number)


@contextmanager
def hold_if_free(path: Path) -> Iterator[bool]:
    """Hold the lock file `path` unless another process does; whether it is held. Raises OSError."""
    number = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield _try(number)
    finally:
        os.close(number)
