"""Turns that go round those who want them."""

import asyncio

import pytest

from docqa.workers.turns import FairTurns

pytestmark = pytest.mark.anyio


async def served(turns: FairTurns, *parties: int) -> list[int]:
    """The parties in the order in which their requests, sent in this order, had their turns."""
    order: list[int] = []

    async def request(party: int) -> None:
        async with turns.turn(party):
            order.append(party)
            await asyncio.sleep(0.001)

    await asyncio.gather(*map(request, parties))
    return order


async def test_one_with_many_requests_delays_another_by_one() -> None:
    assert await served(FairTurns(1), 1, 1, 1, 1, 2, 2, 3) == [1, 1, 2, 3, 1, 2, 1]


async def test_one_party_never_has_all_turns() -> None:
    turns, let_go = FairTurns(4, 3), asyncio.Event()
    running: list[int] = []

    async def request(party: int) -> None:
        async with turns.turn(party):
            running.append(party)
            await let_go.wait()

    requests = [asyncio.create_task(request(party)) for party in (1, 1, 1, 1, 1, 2)]
    await asyncio.sleep(0.01)
    assert sorted(running) == [1, 1, 1, 2]
    let_go.set()
    await asyncio.gather(*requests)
    assert len(running) == 6


async def test_who_leaves_gives_back_the_turn() -> None:
    turns = FairTurns(1)
    async with turns.turn(1):
        leaver = asyncio.create_task(served(turns, 2))
        await asyncio.sleep(0.01)
        leaver.cancel()
        late = asyncio.create_task(served(turns, 3))
        await asyncio.sleep(0.01)
    late.cancel()  # its turn was handed out, and it has not had it yet
    await asyncio.gather(leaver, late, return_exceptions=True)
    assert await served(turns, 4, 5) == [4, 5]
