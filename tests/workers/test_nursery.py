"""Children that are forked from a process which has imported everything: as good as those that start by themselves."""

import asyncio
import os
import signal
import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from docqa import ROOT
from docqa.workers.environment import child_environment
from docqa.workers.nursery import Forked, Nursery
from waiting import PATIENCE, can_fork, lives, until

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not can_fork(), reason="needs Linux with descriptors of processes"),
]

MODULE = """
    import os, signal, socket, sys, time
    from docqa.workers.forking import serve_forks

    def run(request):
        exec(request["code"], {"os": os, "signal": signal, "sys": sys, "time": time, "request": request})

    serve_forks(socket.socket(fileno=int(sys.argv[1])), run, idle=float(os.environ["IDLE"]))
"""

Fork = Callable[..., Awaitable[Forked]]


@pytest.fixture
async def nursery(tmp_path: Path) -> AsyncIterator[Nursery]:
    (tmp_path / "small_nursery.py").write_text(textwrap.dedent(MODULE))
    nursery = Nursery("small_nursery")
    yield nursery
    nursery.close()


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return child_environment({"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "IDLE": "600"})


@pytest.fixture
def fork(nursery: Nursery, environment: dict[str, str]) -> Fork:
    """A child that runs this code, once the nursery is ready."""

    async def forked(code: str, **further: Any) -> Forked:
        async with asyncio.timeout(20):
            while not (child := await nursery.fork({"code": textwrap.dedent(code)}, {**environment, **further})):
                await asyncio.sleep(0.02)
        return child

    return forked


async def words_of(child: Forked) -> str:
    said = (await child.stdout.read()).decode()
    child.stdin.close()
    return said


async def test_none_can_be_had_before_it_is_ready(nursery: Nursery, environment: dict[str, str]) -> None:
    assert await nursery.fork({"code": ""}, environment) is None
    assert nursery.runs


async def test_who_waits_while_it_is_being_started_gets_a_child(nursery: Nursery, environment: dict[str, str]) -> None:
    nursery.start(environment)
    await nursery.awaited(PATIENCE)
    child = await nursery.fork({"code": "os.write(1, b'here')"}, environment)
    assert child is not None
    assert await words_of(child) == "here"


async def test_nobody_waits_for_one_that_does_not_run_or_longer_than_is_said(
    nursery: Nursery, environment: dict[str, str]
) -> None:
    async with asyncio.timeout(PATIENCE / 2):
        await nursery.awaited(PATIENCE)
        nursery.start(environment)
        await nursery.awaited(0)
    assert nursery.runs


async def test_a_child_reads_what_is_sent_answers_and_says_how_it_ended(fork: Fork) -> None:
    child = await fork("""
        sys.stderr.write("a word to the log\\n")
        sys.stderr.flush()
        os.write(1, os.read(0, 100).upper())
        os._exit(7)
    """)
    child.stdin.write(b"something to read")
    assert await words_of(child) == "SOMETHING TO READ"
    assert await child.stderr.read() == b"a word to the log\n"
    assert await child.wait() == 7


async def test_a_child_that_is_ended_by_a_signal_says_which(fork: Fork) -> None:
    child = await fork("os.kill(os.getpid(), signal.SIGABRT)")
    assert await child.wait() == -signal.SIGABRT
    child.stdin.close()


async def test_a_child_is_stopped_and_goes_on_and_can_be_killed_while_it_is_stopped(fork: Fork) -> None:
    child = await fork("""
        os.write(1, b"%d\\n" % os.getpid())
        while word := os.read(0, 100):
            os.write(1, word.upper())
    """)
    about = Path("/proc", (await child.stdout.readline()).decode().strip(), "stat")
    child.send_signal(signal.SIGSTOP)
    await until(lambda: about.read_text().rpartition(")")[2].split()[0] == "T", "the child to be stopped")
    child.stdin.write(b"are you there")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(child.stdout.read(1), 0.2)
    child.send_signal(signal.SIGCONT)
    assert await child.stdout.readexactly(13) == b"ARE YOU THERE"
    child.send_signal(signal.SIGSTOP)
    child.kill()
    assert await child.wait() == -signal.SIGKILL
    child.stdin.close()


async def test_an_exception_in_a_child_ends_that_child_only(fork: Fork) -> None:
    child = await fork("raise ValueError('no good')")
    assert b"ValueError: no good" in await child.stderr.read()
    assert await child.wait() == 1
    child.stdin.close()
    assert await words_of(await fork("os.write(1, b'still here')")) == "still here"


async def test_a_child_has_the_environment_of_now_and_nothing_of_the_nursery_open(fork: Fork) -> None:
    child = await fork(
        'os.write(1, f\'{os.environ["LATER"]} {sorted(map(int, os.listdir("/proc/self/fd")))[:4]}\'.encode())',
        LATER="set after the nursery was started",
    )
    # The fourth is the folder that is listed.
    assert await words_of(child) == "set after the nursery was started [0, 1, 2, 3]"


async def test_killing_a_child_kills_what_it_has_started(fork: Fork) -> None:
    child = await fork("pid = os.fork(); os.write(1, b'%d ' % os.getpid()); time.sleep(600)")
    pids = [int(await child.stdout.readuntil(b" ")) for _ in range(2)]
    child.kill()
    assert await child.wait() == -signal.SIGKILL
    child.stdin.close()
    await until(lambda: not any(map(lives, pids)), "the end of both")
    child.kill()  # does nothing any more


async def test_a_child_that_ends_leaves_none_behind_it_has_started(fork: Fork) -> None:
    child = await fork("pid = os.fork(); pid or time.sleep(600); os.write(1, b'%d ' % pid); os._exit(0)")
    started = int(await child.stdout.readuntil(b" "))
    assert await child.wait() == 0
    child.stdin.close()
    await until(lambda: not lives(started), "the end of what it has started")


async def test_many_children_live_at_once_and_end_by_themselves(fork: Fork) -> None:
    children = [await fork(f"os.read(0, 1); os._exit({number})") for number in range(40)]
    for child in children:
        child.stdin.close()
    assert [await child.wait() for child in children] == list(range(40))


async def test_it_ends_when_it_was_idle_and_is_started_again_when_it_is_wanted(
    nursery: Nursery, environment: dict[str, str], fork: Fork
) -> None:
    environment["IDLE"] = "0.2"
    child = await fork("time.sleep(0.5); os._exit(3)")
    assert await child.wait() == 3, "it is not idle as long as a child lives"
    child.stdin.close()
    await until(lambda: not nursery.runs, "the end of the nursery")
    assert await words_of(await fork("os.write(1, b'again')")) == "again"


async def test_the_children_end_with_a_nursery_that_is_killed(nursery: Nursery, fork: Fork) -> None:
    child = await fork("os.write(1, b'%d %d ' % (os.getppid(), os.getpid())); time.sleep(600)")
    parent, pid = [int(await child.stdout.readuntil(b" ")) for _ in range(2)]
    os.kill(parent, signal.SIGKILL)
    assert await child.wait() == -signal.SIGKILL
    await until(lambda: not lives(pid), "the end of the child", seconds=2)
    child.stdin.close()
    assert await nursery.fork({"code": ""}, {}) is None, "what was killed for its memory is not started anew"


async def test_one_that_cannot_be_started_gives_no_children_and_is_not_tried_again(tmp_path: Path) -> None:
    tried = tmp_path / "tried"
    (tmp_path / "bad_nursery.py").write_text(f"open({str(tried)!r}, 'a').write('x'); raise SystemExit(1)")
    nursery = Nursery("bad_nursery")
    environment = child_environment({"PYTHONPATH": str(tmp_path)})
    assert await nursery.fork({}, environment) is None
    await until(lambda: not nursery.runs, "the end of it")
    assert await nursery.fork({}, environment) is None
    assert tried.read_text() == "x"
    nursery.close()
