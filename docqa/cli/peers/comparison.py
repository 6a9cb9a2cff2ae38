"""Contestants measured one after the other, and their figures side by side."""

import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from docqa.cli.peers.contestants import Running
from docqa.cli.peers.course import Course, Query
from docqa.cli.peers.installing import Installed
from docqa.cli.processes import memory_of, processor_seconds_of, size_of

_QUIET = 3.0  # seconds, after which what a question has started is over


class Contestant(Protocol):
    """Who is measured."""

    name: str

    def running(self, folder: Path) -> AbstractContextManager[Running]:
        """It runs on a folder while the block does."""


@dataclass(frozen=True)
class Figures:
    """Of one contestant. Seconds but for bytes, for hits, which are shares of the questions whose passage is first or
    among five, and for pages, which only we count."""

    name: str
    install_seconds: float
    install_bytes: int
    searchable_seconds: float
    embedded_seconds: float
    processor_seconds: float
    start_to_answer: float
    start_to_meaning: float
    retrieval: float
    hit_1: float
    hit_5: float
    idle_bytes: int
    disk_bytes: int
    pages: int


@dataclass(frozen=True)
class Row:
    """A figure as it is shown: of `values` by contestant, the `best`, and whether that is the least."""

    name: str
    values: tuple[float, ...]
    digits: int
    least: bool = True

    @property
    def ahead(self) -> bool:
        """Whether the first contestant is, or none is before it."""
        best = min(self.values) if self.least else max(self.values)
        return round(self.values[0], self.digits) == round(best, self.digits)


def measured(contestant: Contestant, setup: Installed, course: Course, folder: Path) -> Figures:
    """Let one read the course in, start anew and answer the questions; it keeps what it has in the folder's `data`."""
    folder.mkdir()
    with contestant.running(folder) as running:
        running.await_models()
        running.find(course.questions[0].question)  # what is loaded with the first one is loaded
        began, worked = time.perf_counter(), processor_seconds_of(running.pid)
        searchable = running.read_in(course.files)
        embedded = time.perf_counter() - began
        worked = processor_seconds_of(running.pid) - worked
        pages = running.pages()
    started = time.perf_counter()
    with contestant.running(folder) as running:
        running.find(course.questions[0].question)
        answered = time.perf_counter() - started
        running.await_meaning()
        running.find(course.questions[1].question)
        by_meaning = time.perf_counter() - started
        answers = [_tried(running, question) for question in course.questions]
        time.sleep(_QUIET)
        idle = memory_of(running.pid)
    ranks = [rank for _, rank in answers]
    return Figures(
        contestant.name,
        setup.seconds,
        setup.bytes,
        searchable,
        embedded,
        worked,
        answered,
        by_meaning,
        statistics.median(seconds for seconds, _ in answers),
        sum(rank == 1 for rank in ranks) / len(ranks),
        sum(rank > 0 for rank in ranks) / len(ranks),
        idle,
        size_of(folder / "data"),
        pages,
    )


def _tried(running: Running, question: Query) -> tuple[float, int]:
    """Seconds, and at which place the passage stands that answers it; 0 if it does not."""
    started = time.perf_counter()
    passages = running.find(question.question)
    seconds = time.perf_counter() - started
    wanted = [_plain(answer) for answer in question.answers]
    return seconds, next((n for n, text in enumerate(map(_plain, passages), 1) if any(w in text for w in wanted)), 0)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def rows(figures: Sequence[Figures]) -> Iterator[Row]:
    """What is shown of figures, the first of which is ours."""
    pages = figures[0].pages

    def row(name: str, values: Iterator[float], digits: int, *, least: bool = True) -> Row:
        return Row(name, tuple(values), digits, least)

    yield row("installed in, s", (each.install_seconds for each in figures), 0)
    yield row("installed, MB", (each.install_bytes / 1e6 for each in figures), 0)
    yield row("start to first answer, s", (each.start_to_answer for each in figures), 1)
    yield row("start to answer by meaning, s", (each.start_to_meaning for each in figures), 1)
    yield row("idle memory, MB", (each.idle_bytes / 1e6 for each in figures), 0)
    yield row("searchable, pages/s", (pages / each.searchable_seconds for each in figures), 1, least=False)
    yield row("embedded, pages/s", (pages / each.embedded_seconds for each in figures), 1, least=False)
    yield row("processor, ms a page", (1000 * each.processor_seconds / pages for each in figures), 0)
    yield row("retrieval p50, ms", (1000 * each.retrieval for each in figures), 0)
    yield row("passage first, %", (100 * each.hit_1 for each in figures), 0, least=False)
    yield row("passage among five, %", (100 * each.hit_5 for each in figures), 0, least=False)
    yield row("on the disk, MB", (each.disk_bytes / 1e6 for each in figures), 1)
