"""A child process serves requests, one at a time or several at once, and the parent survives whatever happens to it."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

from docqa import ROOT
from docqa.errors import ChildDied, TooLarge, Unavailable
from docqa.workers.child import Child
from docqa.workers.loop import LINGER, PATIENCE
from docqa.workers.nursery import Nursery
from waiting import can_fork, lives, until

pytestmark = pytest.mark.anyio

PARROT = """
import os, sys, time
from docqa.errors import TooLarge
from docqa.workers import loop
from docqa.workers.loop import Loaded, serve

loop.QUIET_SECONDS = 0.05

def handle(body, blob, cancelled):
    do = body["do"]
    if do == "echo":
        yield body, blob[::-1]
    elif do == "pid":
        yield {"pid": os.getpid()}, b""
    elif do == "environ":
        yield {"names": list(os.environ)}, b""
    elif do == "print":
        print("a library prints", flush=True)
        os.write(1, b"and so does its C part")
        yield {"read": os.read(0, 10).decode()}, b""
    elif do == "count":
        for number in range(body["to"]):
            time.sleep(body["pause"])
            yield {"number": number}, b""
    elif do == "alternate":
        for number in range(body["to"]):
            time.sleep(body["pause"])
            yield {"number": number}, b""
            yield None
    elif do == "nap":
        until = time.monotonic() + body["seconds"]
        while time.monotonic() < until and not cancelled.is_set():
            time.sleep(0.01)
        yield {"cancelled": cancelled.is_set()}, b""
    elif do == "hang":
        time.sleep(60)
        yield {}, b""
    elif do == "raise":
        errors = (TooLarge, ValueError, MemoryError, SystemExit)
        raise {error.__name__: error for error in errors}[body["error"]]("seven is too many")
    elif do == "die":
        sys.stderr.write("the last words\\n")
        os._exit(7)
    elif do == "abort":
        os.abort()

def load():
    with open(__file__ + ".starts", "a") as file:
        file.write("started\\n")
    if "slow" in sys.argv:
        time.sleep(0.5)
    if "broken" in sys.argv:
        raise RuntimeError("no such model")
    if "dead" in sys.argv:
        os.abort()
    return Loaded({"hello": sys.argv[1:]}, handle, at_rest)

def at_rest():
    with open(__file__ + ".rests", "a") as file:
        file.write("rested\\n")

def main():
    serve(load)

if __name__ == "__main__":
    main()
"""
PARROT_NURSERY = """
import os, socket, sys
import parrot
from docqa.workers.forking import serve_forks

def run(request):
    sys.argv[1:] = request["arguments"]
    __import__(request["module"]).main()

if os.environ.get("BARREN"):
    sys.exit(1)
serve_forks(socket.socket(fileno=int(sys.argv[1])), run)
"""


@pytest.fixture(autouse=True)
def parrot_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parrot.py").write_text(PARROT)
    (tmp_path / "parrot_nursery.py").write_text(PARROT_NURSERY)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@asynccontextmanager
async def parrot(
    *arguments: str, shared: bool = False, nursery: Nursery | None = None, **options: float
) -> AsyncIterator[Child]:
    child = Child("parrot", list(arguments), name="parrot", shared=shared, nursery=nursery, **options)
    try:
        yield child
    finally:
        await child.close()


def starts(folder: Path) -> int:
    """How many processes have begun to load."""
    return (folder / "parrot.py.starts").read_text().count("started")


async def pid_of(child: Child) -> int:
    return int((await child.call({"do": "pid"}))[0]["pid"])


async def test_it_starts_on_first_use_and_reports_its_state() -> None:
    async with parrot("slow") as child:
        assert child.state == "stopped"
        starting = asyncio.create_task(child.start())
        await until(lambda: child.state != "stopped", "a child that starts")
        assert child.state == "loading"
        assert await starting == {"hello": ["slow"]}
        assert child.state == "ready"
    assert child.state == "stopped"


async def test_header_and_bytes_come_back_whole() -> None:
    async with parrot() as child:
        blob = bytes(range(256)) * 20_000
        header, data = await child.call({"do": "echo", "text": "größer \ud800 😀", "list": [1, None]}, blob)
        assert header == {"do": "echo", "text": "größer \ud800 😀", "list": [1, None]}
        assert data == blob[::-1]


async def test_what_libraries_print_or_read_does_not_disturb_the_frames() -> None:
    async with parrot() as child:
        assert (await child.call({"do": "print"}))[0] == {"read": ""}
        assert (await child.call({"do": "echo"}, b"ab"))[1] == b"ba"


async def test_its_stderr_goes_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "docqa.workers.process")
    async with parrot() as child:
        await child.call({"do": "print"})
    assert "parrot: a library prints" in caplog.text


async def test_a_stream_gives_its_items_in_order() -> None:
    async with parrot() as child:
        assert [item["number"] async for item in child.stream({"do": "count", "to": 5, "pause": 0})] == [0, 1, 2, 3, 4]


async def test_requests_are_served_one_at_a_time_in_order() -> None:
    async with parrot() as child:
        await child.start()
        done: list[str] = []

        async def ask(name: str) -> None:
            await child.call({"do": "nap", "seconds": 0.05})
            done.append(name)

        await asyncio.gather(ask("in hand"), ask("first"), ask("second"))
        assert done == ["in hand", "first", "second"]


async def test_who_leaves_while_it_waits_for_its_turn_passes_it_on() -> None:
    async with parrot() as child:
        await child.start()
        in_hand, leaver, stayer = (
            asyncio.create_task(child.call({"do": "nap", "seconds": seconds})) for seconds in (0.1, 30, 0)
        )
        await asyncio.sleep(0.02)
        leaver.cancel()
        assert (await asyncio.wait_for(stayer, 20))[0] == {"cancelled": False}
        assert in_hand.done() and leaver.cancelled()


async def alternate(child: Child, name: str, done: list[str], to: int = 3) -> None:
    async with aclosing(child.stream({"do": "alternate", "to": to, "pause": 0.03})) as items:
        async for _ in items:
            done.append(name)


async def test_requests_that_share_a_child_alternate_where_they_yield_to_each_other() -> None:
    async with parrot(shared=True) as child:
        await child.start()
        done: list[str] = []
        await asyncio.gather(alternate(child, "a", done), alternate(child, "b", done))
        assert sorted(done) == ["a", "a", "a", "b", "b", "b"]
        assert "".join(done) not in ("aaabbb", "bbbaaa")


async def test_a_cancelled_request_does_not_disturb_others_of_a_shared_child() -> None:
    async with parrot(shared=True) as child:
        pid = await pid_of(child)
        done: list[str] = []
        leaver = asyncio.create_task(alternate(child, "left", done, to=1000))
        stayer = asyncio.create_task(alternate(child, "stayed", done, to=10))
        await until(lambda: {"left", "stayed"} <= set(done), "an answer to each of two requests")
        leaver.cancel()
        await asyncio.wait_for(stayer, 20)
        assert done.count("stayed") == 10
        assert done.count("left") < 1000
        assert (await child.call({"do": "echo"}))[0] == {"do": "echo"}
        assert await pid_of(child) == pid


@asynccontextmanager
async def behind(child: Child) -> AsyncIterator[list[str]]:
    """What is done of a long request that others may overtake, while it goes on."""
    done: list[str] = []
    work = asyncio.create_task(alternate(child, "behind", done, to=100_000))
    await until(lambda: bool(done), "it has begun")
    yield done
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)


async def test_an_urgent_request_is_served_to_its_end_before_those_that_share_the_child() -> None:
    async with parrot(shared=True) as child, behind(child) as done:
        before = len(done)
        await child.call({"do": "alternate", "to": 10, "pause": 0.02}, urgent=True)
        assert len(done) <= before + 1, "it waits for what has begun, and for no more"
        await until(lambda: len(done) > before + 3, "the other goes on")


async def test_between_two_urgent_requests_of_one_chat_nothing_else_is_begun() -> None:
    async with parrot(shared=True) as child, behind(child) as done:
        await child.call({"do": "echo"}, urgent=True)
        before = len(done)
        for _ in range(3):
            await asyncio.sleep(LINGER / 5)
            await child.call({"do": "echo"}, urgent=True)
        assert len(done) == before


async def test_however_many_urgent_requests_there_are_the_others_get_on() -> None:
    async with parrot(shared=True) as child, behind(child) as done:
        await child.call({"do": "echo"}, urgent=True)
        before, asked_for = len(done), 0
        async with asyncio.timeout(20 * PATIENCE):
            while len(done) < before + 2:
                await asyncio.sleep(LINGER / 5)
                await child.call({"do": "echo"}, urgent=True)
                asked_for += 1
        assert asked_for > 2


async def test_a_death_costs_one_of_the_urgent_requests_that_came_together() -> None:
    async with parrot(shared=True) as child:
        await child.start()
        requests = [child.call({"do": "die"}, urgent=True), child.call({"do": "echo"}, urgent=True)]
        death, (body, _) = await asyncio.gather(*requests, return_exceptions=True)  # type: ignore[misc]
        assert isinstance(death, ChildDied)
        assert body["do"] == "echo"


async def test_all_requests_in_hand_fail_when_a_shared_child_dies() -> None:
    async with parrot(shared=True) as child:
        await child.start()
        requests = [child.call({"do": "alternate", "to": 1000, "pause": 0.01}), child.call({"do": "die"})]
        errors = await asyncio.gather(*requests, return_exceptions=True)
        assert [type(error) for error in errors] == [ChildDied, ChildDied]
        assert (await child.call({"do": "echo"}))[0] == {"do": "echo"}


async def test_leaving_a_stream_stops_the_work_and_keeps_the_process() -> None:
    async with parrot(grace=60.0) as child:
        pid = await pid_of(child)
        # To its end the count would take five minutes, so the next request is answered only if it was stopped.
        async with aclosing(child.stream({"do": "count", "to": 3000, "pause": 0.1})) as numbers:
            async for _ in numbers:
                break
        assert await asyncio.wait_for(pid_of(child), 20) == pid


async def test_a_cancelled_call_leaves_the_protocol_in_step() -> None:
    async with parrot(grace=60.0) as child:
        pid = await pid_of(child)
        for _ in range(3):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(child.call({"do": "nap", "seconds": 30}), 0.05)
        assert (await child.call({"do": "echo"}, b"abc"))[1] == b"cba"
        assert await pid_of(child) == pid


async def test_a_child_that_does_not_stop_is_killed_and_restarted() -> None:
    async with parrot(grace=0.2) as child:
        pid = await pid_of(child)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(child.call({"do": "hang"}), 0.05)
        assert await asyncio.wait_for(pid_of(child), 20) != pid
        assert not lives(pid)


async def test_a_cancelled_request_does_not_stop_the_loading() -> None:
    async with parrot("slow") as child:
        request = asyncio.create_task(child.call({"do": "pid"}))
        await until(lambda: child.state == "loading", "a child that loads")
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
        assert child.state == "loading"
        await pid_of(child)


@pytest.mark.parametrize(
    ("last", "how"), [("die", r"ended with exit code 7 \(the last words\)"), ("abort", "ended by SIGABRT")]
)
async def test_death_costs_the_request_in_hand_and_no_other(last: str, how: str) -> None:
    async with parrot() as child:
        pid = await pid_of(child)
        in_hand, waiting = asyncio.create_task(child.call({"do": last})), asyncio.create_task(pid_of(child))
        with pytest.raises(ChildDied, match=how):
            await in_hand
        assert await waiting != pid


async def test_death_while_idle_is_noticed_and_the_child_restarted() -> None:
    async with parrot() as child:
        os.kill(await pid_of(child), signal.SIGKILL)
        await until(lambda: child.state != "ready", "the death of an idle child")
        assert child.state == "failed: ended by SIGKILL"
        assert await pid_of(child)
        assert child.state == "ready"


async def test_an_error_in_the_handler_is_reported_and_the_process_stays() -> None:
    async with parrot() as child:
        pid = await pid_of(child)
        with pytest.raises(Unavailable, match="ValueError: seven is too many"):
            await child.call({"do": "raise", "error": "ValueError"})
        with pytest.raises(TooLarge, match="^seven is too many$"):
            await child.call({"do": "raise", "error": "TooLarge"})
        with pytest.raises(Unavailable, match="^The process ran out of memory.$"):
            await child.call({"do": "raise", "error": "MemoryError"})
        with pytest.raises(Unavailable, match="SystemExit: seven is too many"):
            await child.call({"do": "raise", "error": "SystemExit"})
        assert await pid_of(child) == pid


@pytest.mark.parametrize(("how", "why"), [("broken", "RuntimeError: no such model"), ("dead", "it ended by SIGABRT")])
async def test_a_child_that_cannot_load_says_why_and_is_not_retried_at_once(how: str, why: str, tmp_path: Path) -> None:
    async with parrot(how, retry_seconds=60) as child:
        with pytest.raises(Unavailable, match=why):
            await child.call({"do": "pid"})
        assert child.state.startswith("failed: ")
        assert why in child.state
        with pytest.raises(Unavailable, match=why) as raised:
            await child.call({"do": "pid"})
        assert 0 < raised.value.retry_after <= 60
    assert starts(tmp_path) == 1


async def test_a_child_that_could_not_load_is_retried_later(tmp_path: Path) -> None:
    async with parrot("broken", retry_seconds=0) as child:
        for _ in range(2):
            with pytest.raises(Unavailable, match="no such model"):
                await child.call({"do": "pid"})
    assert starts(tmp_path) == 2


async def test_a_resting_child_has_no_process_until_the_next_request() -> None:
    async with parrot() as child:
        pid = await pid_of(child)
        in_hand = asyncio.create_task(child.call({"do": "nap", "seconds": 0.2}))
        await asyncio.sleep(0)  # the request is under way
        await child.rest()
        assert in_hand.done(), "what is in hand is done first"
        assert child.state == "stopped" and not lives(pid)
        await child.rest()
        assert await pid_of(child) != pid


@pytest.fixture
def nursery() -> Iterator[Nursery]:
    nursery = Nursery("parrot_nursery")
    yield nursery
    nursery.close()


@pytest.mark.skipif(not can_fork(), reason="needs Linux with descriptors of processes")
async def test_children_of_one_nursery_are_forked_from_it(nursery: Nursery) -> None:
    async with parrot("one", nursery=nursery) as first, parrot("two", nursery=nursery) as second:
        assert [(await each.start())["hello"] for each in (first, second)] == [["one"], ["two"]]
        pids = [await pid_of(first), await pid_of(second)]
        parents = {int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]) for pid in pids}
        assert len(parents) == 1 and os.getpid() not in parents
        await first.rest()
        assert not lives(pids[0])
        assert await pid_of(first) not in pids, "it is forked anew"
        assert await pid_of(second) == pids[1]


async def test_a_child_whose_nursery_bears_none_starts_by_itself(
    nursery: Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BARREN", "1")
    async with parrot("alone", nursery=nursery) as child:
        assert (await child.start())["hello"] == ["alone"]


async def test_a_child_that_is_left_alone_tidies_up_once_and_then_answers_as_before(tmp_path: Path) -> None:
    rests = tmp_path / "parrot.py.rests"

    def times() -> int:
        return rests.read_text().count("rested") if rests.exists() else 0

    async with parrot() as child:
        await child.start()
        await until(times, "it has rested")
        await asyncio.sleep(0.2)
        assert times() == 1
        await pid_of(child)
        await until(lambda: times() == 2, "it has rested again")


async def test_a_child_is_idle_from_its_last_answer_on() -> None:
    async with parrot() as child:
        assert child.idle == 0, "it does not run"
        await child.start()
        in_hand = asyncio.create_task(child.call({"do": "nap", "seconds": 0.3}))
        await asyncio.sleep(0.1)
        assert child.idle == 0
        await in_hand
        await asyncio.sleep(0.2)
        assert 0.15 < child.idle < 10
        await child.call({"do": "pid"})
        assert child.idle < 0.15
        await child.rest()
        assert child.idle == 0


async def test_a_child_gets_no_keys_of_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCQA_OPENAI_KEY", "secret")
    monkeypatch.setenv("DOCQA_SOMETHING", "else")
    async with parrot() as child:
        answer, _ = await child.call({"do": "environ"})
    assert "DOCQA_SOMETHING" in answer["names"] and "DOCQA_OPENAI_KEY" not in answer["names"]


async def test_closing_ends_the_process_and_refuses_later_requests() -> None:
    async with parrot() as child:
        pid = await pid_of(child)
        in_hand = asyncio.create_task(child.call({"do": "hang"}))
        await asyncio.sleep(0)  # the request is under way
        await child.close()
        assert not lives(pid)
        with pytest.raises(Unavailable):
            await in_hand
        with pytest.raises(Unavailable, match="being stopped"):
            await child.call({"do": "pid"})


async def test_closing_while_it_loads_leaves_no_process_behind() -> None:
    async with parrot("slow") as child:
        starting = asyncio.create_task(child.start())
        await asyncio.sleep(0)
        await child.close()
        with pytest.raises(Unavailable):
            await asyncio.wait_for(starting, 20)


async def test_control_c_is_left_to_the_parent() -> None:
    async with parrot() as child:
        pid = await pid_of(child)
        os.kill(pid, signal.SIGINT)
        assert await pid_of(child) == pid


def test_it_exits_when_its_parent_is_killed() -> None:
    parent = """
import asyncio, time
from docqa.workers.child import Child

async def main():
    child = Child("parrot", [])
    print((await child.call({"do": "pid"}))[0]["pid"], flush=True)
    await child.call({"do": "hang"})

asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout
        pid = int(process.stdout.readline())
        assert lives(pid)
        process.kill()
    asyncio.run(until(lambda: not lives(pid), "the end of a child whose parent was killed"))
