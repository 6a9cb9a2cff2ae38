"""Admission to one model: one prompt is read, some answers are written, none stalls beyond its patience."""

import asyncio

import pytest

from docqa.models.chat.admission import Admission, Slot

pytestmark = pytest.mark.anyio


async def slot_now(admission: Admission) -> Slot | None:
    """A slot, None where none is free now."""
    try:
        async with asyncio.timeout(0.02):
            return await admission.acquire()
    except TimeoutError:
        return None


def admission_of(slots: int, patience: float = 10.0, reading: float = 1.0) -> Admission:
    admission = Admission(patience)
    admission.slots, admission.reading_seconds = slots, reading
    return admission


async def test_prompts_are_read_one_at_a_time_and_as_many_answers_written_as_there_are_slots() -> None:
    admission = admission_of(2)
    first = await admission.acquire()
    assert await slot_now(admission) is None, "the first prompt is being read"
    admission.prompt_read(first, 1.0)
    second = await admission.acquire()
    admission.prompt_read(second, 1.0)
    assert await slot_now(admission) is None, "both answers are being written"
    admission.release(first)
    assert await slot_now(admission)


async def test_questions_are_served_in_order_of_arrival_without_those_cancelled() -> None:
    admission = admission_of(2)
    first = await admission.acquire()
    order: list[int] = []

    async def ask(number: int) -> None:
        slot = await admission.acquire()
        order.append(number)
        admission.prompt_read(slot, 0.1)
        admission.release(slot)

    waiting = [asyncio.create_task(ask(number)) for number in range(4)]
    await asyncio.sleep(0)
    waiting[1].cancel()
    admission.release(first)
    await asyncio.gather(*waiting, return_exceptions=True)
    assert order == [0, 2, 3]


async def test_no_prompt_is_read_that_would_stall_an_answer_beyond_its_patience() -> None:
    slow = admission_of(2, patience=10, reading=11)
    first = await slow.acquire()
    slow.prompt_read(first, 11)
    assert await slot_now(slow) is None, "reading a prompt takes longer than an answer may stall"
    slow.release(first)
    assert await slot_now(slow), "with no answer running, a prompt may take any time"


async def test_the_stalls_of_an_answer_add_up() -> None:
    admission = admission_of(2, patience=10, reading=4)
    writing = await admission.acquire()
    admission.prompt_read(writing, 4)
    for _ in range(2):
        other = await admission.acquire()
        admission.prompt_read(other, 4)
        admission.release(other)
    assert await slot_now(admission) is None, "it stalled for eight seconds and four more would follow"
    admission.release(writing)
    assert await slot_now(admission)


async def test_releasing_a_slot_before_its_prompt_is_read_passes_the_turn_on() -> None:
    admission = admission_of(1)
    admission.release(await admission.acquire())
    second = await admission.acquire()
    assert second.reading
    admission.release(second)
    assert await slot_now(admission)
