"""A child is ready before the next page is asked for, sees one file only, and does not wait for ever."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from docqa.ingest.spare import Spare
from waiting import until

pytestmark = pytest.mark.anyio


class Started:
    """Stands for the process of a child: nothing of it is used here but how it ended."""

    def __init__(self) -> None:
        self.death, self.ended = "", False


class Children:
    def __init__(self) -> None:
        self.all: list[Started] = []

    @asynccontextmanager
    async def start(self) -> AsyncIterator[Started]:
        child = Started()
        self.all.append(child)
        try:
            yield child
        finally:
            child.ended = True

    def lives(self) -> int:
        return sum(not child.ended for child in self.all)


def spare_of(children: Children, seconds: float = 60) -> Spare:
    return Spare(children.start, seconds)  # type: ignore[arg-type]


async def test_the_next_child_waits_when_it_is_wanted() -> None:
    children = Children()
    spare = spare_of(children)
    assert children.all == [], "none before the first use"
    async with spare.child() as first:
        pass
    await until(lambda: len(children.all) == 2, "another one is started")
    async with spare.child() as second:
        assert second is children.all[1] and len(children.all) == 2
    assert first.ended and second.ended, "each is used once"  # type: ignore[attr-defined]
    await spare.close()
    assert children.lives() == 0


async def test_one_that_nobody_wants_ends() -> None:
    children = Children()
    spare = spare_of(children, 0.05)
    async with spare.child():
        pass
    await until(lambda: len(children.all) == 2 and children.lives() == 0, "it has waited long enough")
    async with spare.child() as third:
        assert third is children.all[2]
    await spare.close()


async def test_one_that_died_while_it_waited_is_not_used() -> None:
    children = Children()
    spare = spare_of(children)
    async with spare.child():
        pass
    await until(lambda: len(children.all) == 2, "another one is started")
    children.all[1].death = "ended by SIGKILL"
    async with spare.child() as third:
        assert third is children.all[2] and children.all[1].ended is False
    await spare.close()
    assert children.lives() == 0


async def test_two_at_once_each_get_their_own() -> None:
    children = Children()
    spare = spare_of(children)
    async with spare.child() as first, spare.child() as second:
        assert first is not second
    await spare.close()
    assert children.lives() == 0
