"""Who waits until no file is read."""

import asyncio

import pytest

from docqa.ingest.queue import ReadingQueue
from docqa.settings import Settings

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("steps", range(6))
async def test_a_wait_that_is_given_up_just_when_it_ends_is_given_up(settings: Settings, steps: int) -> None:
    reading = ReadingQueue(settings)
    reading._at_rest.clear()
    waiting = asyncio.create_task(reading.at_rest(60))
    await asyncio.sleep(0.01)
    reading._at_rest.set()
    for _ in range(steps):
        await asyncio.sleep(0)
    is_given_up = waiting.cancel()
    await asyncio.wait((waiting,))
    assert waiting.cancelled() == is_given_up
