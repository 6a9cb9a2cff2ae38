"""Further processes for the work of a confined one, which can start none itself: they are forked before it is confined,
and are confined like it.

What is to be done is numbered. The numbers lie in a pipe from which each process takes the next one, so that all end
together; results come back by sockets. They are pickled: whoever takes over a helper by a hostile file gets no further
than into the process that was given the same file.
"""

import os
import struct
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, TypeAlias, TypeVar

from docqa.workers.sandbox import Confinement, confine, die_with_parent

Result = TypeVar("Result")
Make = Callable[[int], Result]
_Line: TypeAlias = "Connection[Any, Any]"

_NUMBER = struct.Struct("<H")
_LARGEST = 1 << 16  # number, and one more
_FEWEST = 8  # things to do: fewer are done before a helper has begun
_AHEAD = 64  # results that wait for those before them


class Helpers:
    """Those of this process. Each can help once: with what `in_order` is given first."""

    def __init__(self) -> None:
        self._lines: list[_Line] = []
        self._numbers = self._end = -1  # the pipe

    def fork(self, count: int, bounds: Confinement) -> None:
        """Start so many, confined by `bounds`, each with a share of the time, which end with this process. It must have
        one thread only. Where the system starts no further process, all is done without."""
        if not count:
            return
        parent, bounds = os.getpid(), bounds._replace(seconds=max(1, bounds.seconds // (count + 1)))
        self._numbers, self._end = os.pipe()
        with suppress(OSError):
            for _ in range(count):
                ours, theirs = Pipe()
                if not os.fork():
                    self._be_helper(parent, bounds, ours, theirs)
                theirs.close()
                self._lines.append(ours)

    def in_order(
        self, make: Make[Result], opened: Callable[[bytes], Make[Result]], data: bytes, count: int
    ) -> Iterator[Result]:
        """What `make` makes of each number below `count`. Helpers make it by what the function of a module, `opened`,
        makes of `data`, which must be the same; what they fail at is made here. Raises what `make` does."""
        if not self._lines or count < _FEWEST:
            yield from map(make, range(count))
            return
        lines, self._lines = self._lines, []
        os.set_blocking(self._end, False)  # what does not go in is left: most pipes take 32,768 numbers, some 2,048
        shared = os.write(self._end, b"".join(map(_NUMBER.pack, range(min(count, _LARGEST))))) // _NUMBER.size
        os.close(self._end)
        crew = _Crew(lines, self._numbers, shared)
        try:
            crew.begin(opened, data)
            yield from crew.results(make, count)
        finally:
            crew.close()

    def _be_helper(self, parent: int, bounds: Confinement, ours: _Line, theirs: _Line) -> None:
        """Help, and end."""
        code = 1
        try:
            die_with_parent(parent)
            for line in (ours, *self._lines):
                line.close()
            os.close(self._end)
            nothing = os.open(os.devnull, os.O_RDWR)
            for standard in (0, 1):  # what the server tells the other one, and is told
                os.dup2(nothing, standard)
            confine(bounds)
            _help(theirs, self._numbers)
            code = 0
        except BaseException:  # noqa: BLE001 - it must not go on as a second reader
            traceback.print_exc()
        os._exit(code)


HELPERS = Helpers()


class _Crew:
    """Helpers at work on the first `shared` numbers."""

    def __init__(self, lines: list[_Line], numbers: int, shared: int) -> None:
        self._lines, self._numbers, self._shared = lines, numbers, shared
        self._ready: dict[int, Any] = {}
        self._is_whole = True  # no helper was lost, whose number nobody knows

    def begin(self, opened: Callable[[bytes], Make[Any]], data: bytes) -> None:
        """Tell them what to do."""
        for line in list(self._lines):
            try:
                line.send(opened)
                line.send_bytes(data)
            except OSError:  # it has ended before it took a number
                self._part_from(line)

    def results(self, make: Make[Result], count: int) -> Iterator[Result]:
        """All results, in order. While somebody else makes the next one, others are made here."""
        for number in range(count):
            self._collect(0)
            while number not in self._ready:
                mine = self._next() if len(self._ready) < _AHEAD else None
                if mine is not None:
                    self._ready[mine] = make(mine)
                elif number < self._shared and self._lines and self._is_whole:
                    self._collect(None)
                else:
                    self._ready[number] = make(number)
                self._collect(0)
            yield self._ready.pop(number)

    def close(self) -> None:
        """Let them end."""
        os.close(self._numbers)
        for line in self._lines:
            line.close()

    def _next(self) -> int | None:
        number = os.read(self._numbers, _NUMBER.size)
        return int(_NUMBER.unpack(number)[0]) if number else None

    def _collect(self, timeout: int | None) -> None:
        """Take what they have made; wait for it where that is wanted."""
        for line in wait(self._lines, timeout):
            assert isinstance(line, Connection)
            try:
                made = line.recv()
            except (OSError, EOFError):
                self._part_from(line)
                self._is_whole = False
                continue
            if made is None:
                self._part_from(line)
            else:
                self._ready.setdefault(*made)

    def _part_from(self, line: _Line) -> None:
        self._lines.remove(line)
        line.close()


def _help(line: _Line, numbers: int) -> None:
    with suppress(OSError, EOFError):  # nothing is to be done, or no more of it
        opened = line.recv()
        make = opened(line.recv_bytes())
        while number := os.read(numbers, _NUMBER.size):
            (mine,) = _NUMBER.unpack(number)
            line.send((mine, make(mine)))
        line.send(None)
