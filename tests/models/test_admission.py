"""Who may ask a model now: one reads, some write, and nobody stands still for others longer than its patience."""

import asyncio

import pytest

from docqa.models.chat.admission import Admission, Place

pytestmark = pytest.mark.anyio


async def taken(admission: Admission) -> Place | None:
    """A place, None where there is none now."""
    try:
        async with asyncio.timeout(0.02):
            return await admission.take()
    except TimeoutError:
        return None


def admission_of(number: int, patience: float = 10.0, reading: float = 1.0) -> Admission:
    admission = Admission(patience)
    admission.number, admission.reading_seconds = number, reading
    return admission


async def test_prompts_are_read_one_at_a_time_and_as_many_answers_written_as_there_are_places() -> None:
    admission = admission_of(2)
    first = await admission.take()
    assert await taken(admission) is None, "the first one reads"
    admission.has_read(first, 1.0)
    second = await admission.take()
    admission.has_read(second, 1.0)
    assert await taken(admission) is None, "both write"
    admission.leave(first)
    assert await taken(admission)


async def test_who_came_first_is_first() -> None:
    admission = admission_of(2)
    first = await admission.take()
    order: list[int] = []

    async def ask(number: int) -> None:
        place = await admission.take()
        order.append(number)
        admission.has_read(place, 0.1)
        admission.leave(place)

    waiting = [asyncio.create_task(ask(number)) for number in range(4)]
    await asyncio.sleep(0)
    waiting[1].cancel()
    admission.leave(first)
    await asyncio.gather(*waiting, return_exceptions=True)
    assert order == [0, 2, 3]


async def test_nobody_reads_beside_an_answer_that_would_wait_too_long_for_it() -> None:
    slow = admission_of(2, patience=10, reading=11)
    first = await slow.take()
    slow.has_read(first, 11)
    assert await taken(slow) is None, "prompts take longer than an answer may stand still"
    slow.leave(first)
    assert await taken(slow), "alone it may take as long as it takes"


async def test_what_an_answer_waits_for_one_after_the_other_is_added_up() -> None:
    admission = admission_of(2, patience=10, reading=4)
    writes = await admission.take()
    admission.has_read(writes, 4)
    for _ in range(2):
        other = await admission.take()
        admission.has_read(other, 4)
        admission.leave(other)
    assert await taken(admission) is None, "it stood still for eight seconds and four more would follow"
    admission.leave(writes)
    assert await taken(admission)


async def test_one_that_leaves_before_it_has_read_gives_its_turn_on() -> None:
    admission = admission_of(1)
    admission.leave(await admission.take())
    second = await admission.take()
    assert second.reads
    admission.leave(second)
    assert await taken(admission)
