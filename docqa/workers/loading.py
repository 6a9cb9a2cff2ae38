"""Imports and models that a process keeps to its end."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """What is loaded meanwhile is not looked through for garbage, which is a tenth of the time of imports, nor later: a
    collection would have others wait, and in a forked process write on what it shares, and thereby copy it."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
