"""Processes that stop while something urgent is worked on."""

import asyncio
import signal
import sys

import pytest

from docqa.workers.precedence import Precedence
from stand_ins import NotingSignals

if sys.platform == "win32":
    pytest.skip("nothing can be stopped there", allow_module_level=True)

pytestmark = pytest.mark.anyio
STOP, GO_ON = signal.SIGSTOP, signal.SIGCONT


async def test_what_runs_stops_for_the_first_that_is_urgent_and_goes_on_after_the_last() -> None:
    precedence, process = Precedence(), NotingSignals()
    with precedence.stops(process):
        with precedence.urgent():
            with precedence.urgent():
                assert process.signals == [STOP]
            assert process.signals == [STOP]
        assert process.signals == [STOP, GO_ON]


async def test_what_begins_while_something_is_urgent_is_stopped_too() -> None:
    precedence, process = Precedence(), NotingSignals()
    with precedence.urgent(), precedence.stops(process):
        assert process.signals == [STOP]


async def test_what_ended_meanwhile_is_no_error_and_later_left_alone() -> None:
    precedence, gone, process = Precedence(), NotingSignals(ended=True), NotingSignals()
    with precedence.stops(gone), precedence.stops(process), precedence.urgent():
        pass
    with precedence.urgent():
        pass
    assert process.signals == [STOP, GO_ON]


async def test_what_is_urgent_for_long_stops_it_for_some_time_only() -> None:
    precedence, process = Precedence(longest=0.02), NotingSignals()
    with precedence.stops(process), precedence.urgent():
        async with asyncio.timeout(2):
            while process.signals != [STOP, GO_ON]:
                await asyncio.sleep(0.005)


async def test_who_asks_without_end_leaves_it_half_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)
    precedence, process = Precedence(), NotingSignals()
    with precedence.stops(process):
        with precedence.urgent():
            now += 0.3
        assert process.signals == [STOP, GO_ON]
        now += 0.2
        with precedence.urgent():
            assert process.signals == [STOP, GO_ON]
        now += 0.2
        with precedence.urgent():
            assert process.signals == [STOP, GO_ON, STOP]


async def test_a_real_process_stands_still_meanwhile() -> None:
    counting = "import itertools\nfor number in itertools.count(): print(number, flush=True)"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", counting, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None

    async def said(seconds: float) -> int:
        """Bytes until it was silent for so long, or had said much."""
        read = 0
        while read < 1 << 22:
            try:
                read += len(await asyncio.wait_for(process.stdout.read(1 << 16), seconds))
            except TimeoutError:
                break
        return read

    precedence = Precedence(longest=60)
    with precedence.stops(process):
        assert await said(5) >= 1 << 22
        with precedence.urgent():
            assert await said(0.2) < 1 << 22
        assert await said(5) >= 1 << 22
    process.kill()
    await process.wait()
