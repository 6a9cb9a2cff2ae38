"""Batches side by side, one on each core: threads of torch that share a batch wait for each other after every matrix,
and all of them for the one whose core other work takes meanwhile. torch is imported in the processes of models only."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import torch

Item = TypeVar("Item")
Result = TypeVar("Result")


class Streams:
    """Threads, one for each core, on each of which torch works alone. They serve one caller at a time."""

    def __init__(self, cores: int) -> None:
        self._cores = cores
        self._pool = ThreadPoolExecutor(cores, "stream")

    def in_batches(self, work: Callable[[Sequence[Item]], Result], items: Sequence[Item], most: int) -> list[Result]:
        """The results of `work` on batches of at most so many items, which are sorted by length: no stream gets much
        longer ones than another. Fewer items than cores are worked on as OneStream does. Raises what `work` raises."""
        if len(items) < self._cores:  # then threads that share a batch are better than cores that do nothing
            return ONE_STREAM.in_batches(work, items, most)
        runs = [items[start : start + most * self._cores] for start in range(0, len(items), most * self._cores)]
        batches = [run[first :: self._cores] for run in runs for first in range(min(self._cores, len(run)))]
        return list(self._pool.map(partial(_alone, work), batches))


class OneStream:
    """The same in the caller's thread, with as many of torch's as it has set."""

    def in_batches(self, work: Callable[[Sequence[Item]], Result], items: Sequence[Item], most: int) -> list[Result]:
        """As Streams has it."""
        return [work(items[start : start + most]) for start in range(0, len(items), most)]


ONE_STREAM = OneStream()


def _alone(work: Callable[[Sequence[Item]], Result], batch: Sequence[Item]) -> Result:
    torch.set_num_threads(1)
    with torch.inference_mode():
        return work(batch)
