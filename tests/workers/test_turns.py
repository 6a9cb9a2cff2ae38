"""Turns that go round those who want them, and a lock that the urgent get first."""

import asyncio

import pytest

from docqa.workers.turns import LINGER, FairTurns, Turns

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


# --- a lock with two priorities ---


async def hold(turns: Turns, name: str, order: list[str], urgent: bool = False) -> None:
    await turns.acquire(urgent)
    order.append(name)
    await asyncio.sleep(0.001)
    turns.release()


async def test_urgent_waiters_come_first() -> None:
    turns, order = Turns(), list[str]()
    await asyncio.gather(
        hold(turns, "batch 1", order), hold(turns, "batch 2", order), hold(turns, "question", order, urgent=True)
    )
    assert order == ["batch 1", "question", "batch 2"]


async def test_a_chat_does_not_wait_for_a_batch_between_two_of_its_calls() -> None:
    turns, order = Turns(), list[str]()

    async def chat() -> None:
        for call in ("question", "sentences", "reading"):
            await hold(turns, call, order, urgent=True)
            await asyncio.sleep(LINGER / 5)

    await turns.acquire()
    tasks = [asyncio.create_task(work) for work in (hold(turns, "batch", order), chat())]
    await asyncio.sleep(0)
    turns.release()
    await asyncio.gather(*tasks)
    assert order == ["question", "sentences", "reading", "batch"]


async def test_a_batch_gets_its_turn_however_many_chats_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docqa.workers.turns.PATIENCE", 0.05)
    turns, order = Turns(), list[str]()

    async def chats() -> None:
        while "batch" not in order:
            await hold(turns, "question", order, urgent=True)
            await asyncio.sleep(0.01)

    await turns.acquire(urgent=True)
    tasks = [asyncio.create_task(work) for work in (hold(turns, "batch", order), chats())]
    await asyncio.sleep(0)
    turns.release()
    async with asyncio.timeout(5):
        await asyncio.gather(*tasks)
    assert order.count("question") > 1


async def test_who_leaves_while_the_lock_is_handed_over_passes_it_on() -> None:
    turns, order = Turns(), list[str]()
    await turns.acquire()
    leaver = asyncio.create_task(turns.acquire())
    await asyncio.sleep(0)
    turns.release()  # handed to the leaver, who has not run yet
    leaver.cancel()
    await asyncio.gather(leaver, return_exceptions=True)
    await hold(turns, "next", order)
    assert order == ["next"]
