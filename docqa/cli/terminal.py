"""What a terminal shows: sentences on stderr, tables and answers on stdout, bars while something is done.

Names and texts come from strangers' files: what would steer the terminal is not written to it.
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # all but tab and line feed


def clean(text: str) -> str:
    """The text without control characters and what turns the direction of others."""
    return _STEERING.sub("", text)


def say(sentence: str) -> None:
    """Write to stderr, at once."""
    print(clean(sentence), file=sys.stderr, flush=True)


def put(text: str, end: str = "\n") -> None:
    """Write to stdout, at once."""
    print(clean(text), end=end, flush=True)


def put_json(value: Any) -> None:
    """Write JSON to stdout; control characters are escaped in it."""
    print(json.dumps(value, ensure_ascii=False, indent=2), flush=True)


def put_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write rows to stdout: aligned for a terminal, else separated by tabs and without a head, for other programs."""
    cells = [[" ".join(clean(str(cell)).split()) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for row in cells:
            print("\t".join(row))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, title in enumerate(head):
        table.add_column(title, overflow="ellipsis" if number else "fold", no_wrap=bool(number))
    for row in cells:
        table.add_row(*map(Text, row))
    Console().print(table)


class Bars:
    """Bars on stderr, of a whole and of its parts; none where stderr is no terminal."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def add(self, what: str, total: float | None) -> int:
        """A new bar; without a total it only shows that something goes on."""
        return self._progress.add_task(clean(what), total=total)

    def move(self, bar: int, done: float, total: float, what: str) -> None:
        """Set how far a bar is, and what it says."""
        self._progress.update(TaskID(bar), completed=done, total=total, description=clean(what))

    def pulse(self, bar: int, what: str) -> None:
        """Let a bar show that something of unknown length goes on."""
        self._progress.reset(TaskID(bar), total=None, description=clean(what))

    def drop(self, bar: int) -> None:
        """Take a bar away."""
        self._progress.remove_task(TaskID(bar))

    def say(self, sentence: str) -> None:
        """Write a sentence above the bars."""
        self._progress.console.print(Text(clean(sentence)), soft_wrap=True)


@contextmanager
def bars() -> Iterator[Bars]:
    """Bars, shown as long as the block runs."""
    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield Bars(progress)
