"""Reading files in a child process: what comes back, what is logged when it dies, and that it leaves nothing behind."""

import asyncio
import os
import re
import signal
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docqa import ROOT
from docqa.errors import Unreadable
from docqa.formats.pdf.limits import MOST
from docqa.ingest import children, reader
from docqa.ingest.children import NURSERY, Limits, Work, remove_remains
from docqa.ingest.prepared import Prepared
from docqa.ingest.reader import ask, prepare
from docqa.workers.environment import child_environment
from docqa.workers.nursery import Nursery
from docqa.workers.precedence import Precedence
from docqa.workers.process import LAST_LINES
from docqa.workers.sandbox import means
from waiting import PATIENCE, can_fork, lives, readers_of, stopped, until

LONG = "ж ".encode() * 15_000_000  # takes seconds
LIMITS = Limits(seconds=20.0, memory_mb=1024)

pytestmark = pytest.mark.anyio
needs_proc = pytest.mark.skipif(not os.path.isdir("/proc"), reason="needs /proc to see the children")
needs_limits = pytest.mark.skipif(os.name == "nt", reason="Windows has no address space limit")


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts code in place of the library that the child imports to read a text: one that starts by itself."""

    async def none(*_: object) -> None:
        return None

    monkeypatch.setattr(NURSERY, "fork", none)

    def write(code: str) -> None:
        (tmp_path / "charset_normalizer.py").write_text(textwrap.dedent(code))
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    return write


async def refusal_of_a_text() -> str:
    with pytest.raises(Unreadable) as caught:
        await prepare(b"words", "notes.txt", limits=LIMITS)
    return str(caught.value)


async def test_a_file_comes_back_through_the_child() -> None:
    document = pymupdf.open()
    for text in ("through the pipe", "page two"):
        document.new_page().insert_text((72, 72), text)
    prepared = await prepare(document.tobytes(), "a.pdf", limits=LIMITS)
    assert (prepared.kind, [text.strip() for text in texts_of(prepared)]) == (
        "pdf",
        ["through the pipe", "page two"],
    )


async def test_pages_that_fill_several_frames_come_back_in_order() -> None:
    texts = [f"{number} {'größer ' * 2000}" for number in range(100)]
    prepared = await prepare("\f".join(texts).encode(), "a.txt", limits=LIMITS)
    assert "".join(texts_of(prepared)) == "".join(texts)


def a_report() -> bytes:
    """40 pages with a header, some text and the same large picture; the 30th draws too much to be read."""
    document = pymupdf.open()
    picture = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 300, 300))
    picture.clear_with(200)
    for number in range(1, 41):
        page = document.new_page()
        page.insert_text((72, 40), "Annual report")
        page.insert_text((72, 100), f"{number} Wells", fontsize=16)
        text = f"Well {number} was drilled in {1960 + number}. Its pump lifts {number * 7} litres a second. " * 8
        page.insert_textbox((72, 120, 500, 400), text)
        page.insert_image((72, 450, 372, 750), pixmap=picture)
    much = document.get_new_xref()
    document.update_object(much, "<<>>")
    document.update_stream(much, b" " * (MOST + 1))
    document[29].set_contents(much)
    return bytes(document.tobytes(deflate=True))


@pytest.mark.skipif(not can_fork(), reason="needs Linux")
async def test_a_helper_reads_pages_beside_and_nothing_comes_back_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "HELPED", 0)
    forked: list[int] = []
    fork = NURSERY.fork

    async def watched(request: dict[str, Any], environment: dict[str, str]) -> Any:
        forked.append(request["helpers"])
        return await fork(request, environment)

    monkeypatch.setattr(NURSERY, "fork", watched)
    NURSERY.start(child_environment({}))
    await NURSERY.awaited(PATIENCE)
    read, data = [], a_report()
    for helpers in (0, 1, 3):
        with await prepare(data, "report.pdf", limits=LIMITS, helpers=helpers) as prepared:
            pages = list(prepared.page_rows())
            read.append((pages, list(prepared.chunks()), prepared.notes, prepared.recurring_names))
    assert forked == [0, 1, 3]
    assert read[0] == read[1] == read[2]
    pages, _, notes, _ = read[0]
    assert [page.number for page in pages] == list(range(1, 41))
    assert [page.pictures for page in pages[:4]] == [1, 1, 0, 0], "from the third page on it belongs to a template"
    assert notes == ["Page 30 was left out: it draws too much to be read."]


async def test_a_table_comes_back_with_its_rows() -> None:
    with await prepare(b"city,rent\nBergen,1200\nOslo,1500\n", "a.csv", limits=LIMITS) as prepared:
        tables = prepared.tables()
        assert [column[2] for column in tables.columns] == ["city", "rent"]
        assert [row[4] for row in tables.rows] == ['["Bergen", 1200]', '["Oslo", 1500]']


async def test_a_title_is_cut_before_every_passage_repeats_it() -> None:
    page = f"<html><body><h1>{'Long ' * 2000}</h1><p>{'The pump stands in the hall. ' * 400}</p></body></html>"
    with await prepare(page.encode(), "a.html", limits=LIMITS) as prepared:
        sections = [chunk.section for chunk, _ in prepared.chunks()]
    assert len(sections) > 5
    assert {len(section) <= 200 for section in sections} == {True}
    assert sections[-1].startswith("Long Long")


async def test_chunks_find_their_heading_among_very_many() -> None:
    page = "".join(f"<h2>Part {number}</h2><p>Words of part {number}.</p>" for number in range(20_000))
    with await prepare(f"<html><body>{page}</body></html>".encode(), "a.html", limits=LIMITS) as prepared:
        last, _ = list(prepared.chunks())[-1]
    assert "Words of part 19999." in last.text
    assert last.section.startswith("Part 199")


async def test_what_takes_too_much_to_store_is_refused_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "LEAST_ANSWER", 1_000_000)
    monkeypatch.setattr(reader, "ANSWER_FACTOR", 1)
    with pytest.raises(Unreadable, match="takes more than 2 MB to store"):
        await prepare(b"the pump stands in the hall\n" * 40_000, "a.txt", limits=LIMITS)


async def test_the_child_gives_the_reason_and_the_field() -> None:
    with pytest.raises(Unreadable) as caught:
        await prepare(b"", "a.pdf", loc=("query", "url"), limits=LIMITS)
    assert caught.value.detail() == [{"loc": ["query", "url"], "msg": "The file is empty.", "type": "unreadable"}]


@needs_proc
async def test_a_file_that_takes_too_long_is_given_up() -> None:
    with pytest.raises(Unreadable, match=r"longer than 0\.5 s"):
        await prepare(LONG, "a.txt", limits=Limits(0.5, 2048))
    assert not readers()


@needs_limits
async def test_a_file_that_needs_too_much_memory_is_given_up() -> None:
    with pytest.raises(Unreadable, match=r"more than 256 MB"):
        await prepare("ж ".encode() * 60_000_000, "a.txt", limits=Limits(30, 256))


@needs_limits
async def test_a_file_larger_than_the_memory_is_given_up() -> None:
    with pytest.raises(Unreadable, match=r"more than 128 MB"):
        await prepare(bytes(200_000_000), "a.txt", limits=Limits(30, 128))


@needs_limits
async def test_the_limits_hold_before_a_library_is_imported(
    plant: Callable[[str], None], caplog: pytest.LogCaptureFixture
) -> None:
    plant("""
        import resource
        names = (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_CORE)
        raise RuntimeError(f"limited to {[resource.getrlimit(name)[0] for name in names]}")
    """)
    assert "damaged" in await refusal_of_a_text()
    assert f"limited to [{1024 << 20}, 21, 0]" in caplog.text


@needs_proc
async def test_a_cancelled_task_leaves_no_child_behind() -> None:
    task = asyncio.create_task(prepare(LONG, "a.txt", limits=Limits(60, 2048)))
    await until(readers, "a child that reads the file")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not readers()


@needs_proc
async def test_a_reader_stops_while_a_question_is_worked_on_and_then_reads_on() -> None:
    precedence = Precedence(longest=60)
    task = asyncio.create_task(prepare(LONG[:3_000_000], "a.txt", limits=Limits(60, 2048, behind=precedence)))
    await until(readers, "a child that reads the file")
    with precedence.urgent():
        await until(lambda: all(map(stopped, readers())), "the reader to stop")
        assert not (await asyncio.wait((task,), timeout=0.2))[0]
    (await task).close()


ATTACKS = {
    "reads another file": "open('/etc/passwd').read()",
    "reads the server's memory": "open(f'/proc/{os.getppid()}/environ', 'rb').read()",
    "writes a file": "open('/tmp/written', 'w')",
    "writes ten gigabytes": "[open(os.environ['TMPDIR'] + '/a', 'wb').write(bytes(1 << 20)) for _ in range(10_000)]",
    "writes into memory that is a file": "os.write(os.memfd_create('a'), b'a')",
    "opens a socket": "socket.create_connection(('127.0.0.1', 9))",
    "opens a local socket": "socket.socket(socket.AF_UNIX)",
    "forks a thousand times": "[os.fork() for _ in range(1000)]",
    "starts a program": "subprocess.run(['true'])",
    "signals the server": "os.kill(os.getppid(), 0)",
    "raises its limits": "resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))",
    "takes ten gigabytes of memory": "bytearray(10 << 30)",
    "opens a thousand files": "[open('/dev/null') for _ in range(1000)]",
}


@pytest.mark.skipif(not (means().landlock and means().seccomp), reason="needs Landlock and seccomp")
@pytest.mark.parametrize(
    "forked",
    [
        pytest.param(False, id="started by itself"),
        pytest.param(True, id="forked", marks=pytest.mark.skipif(not can_fork(), reason="no reader is forked here")),
    ],
)
async def test_a_reader_that_was_taken_over_reaches_nothing(
    forked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    lines = ["import os, resource, socket, subprocess", "def main():", "    done, refused = [], []"]
    for name, attack in ATTACKS.items():
        lines += ["    try:", f"        {attack}", f"        done.append({name!r})"]
        lines += ["    except (OSError, ValueError, MemoryError):", f"        refused.append({name!r})"]
    (tmp_path / "taken_over.py").write_text("\n".join([*lines, "    raise RuntimeError(f'{done=} {len(refused)=}')"]))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    nursery = Nursery("docqa.ingest.nursery" if forked else "no_module")
    monkeypatch.setattr(children, "NURSERY", nursery)
    with children.at_hand():
        await until(lambda: nursery.ready or not nursery.runs, "the nursery")
        assert nursery.ready == forked
        with pytest.raises(Unreadable):
            await ask({"name": "notes.txt"}, b"words", LIMITS, (), kept_by_nobody, Work("taken_over", 0))
    assert f"done=[] len(refused)={len(ATTACKS)}" in caplog.text


async def kept_by_nobody(_: dict[str, Any], __: bytes) -> None:
    raise AssertionError("a child that was taken over answers nothing")


@needs_limits
async def test_a_reader_that_never_ends_has_so_much_time_of_a_processor(plant: Callable[[str], None]) -> None:
    plant("while True: pass")
    with pytest.raises(Unreadable, match="took longer than 1 s"):
        await prepare(b"words", "notes.txt", limits=Limits(1, 1024))


SERVER = """
import asyncio
from docqa.ingest.children import Limits
from docqa.ingest.reader import prepare
asyncio.run(prepare("ж ".encode() * 15_000_000, "a.txt", limits=Limits(60, 2048)))
"""


@needs_proc
async def test_no_reader_survives_a_killed_server_and_the_next_one_removes_what_it_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A folder of its own: a server that another test starts meanwhile removes what is left in the system's.
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", SERVER, cwd=ROOT)
    await until(lambda: readers_of(server.pid), "a child that reads the file")
    [reader] = readers_of(server.pid)
    server.kill()
    await server.wait()
    await until(lambda: not lives(reader), "the end of the reader", seconds=2)
    left = list(tmp_path.glob(f"docqa-reader-{server.pid}-*"))
    remove_remains()
    assert left and not any(folder.exists() for folder in left)


@needs_proc
async def test_a_crash_of_the_child_is_a_refusal_and_its_signal_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    task = asyncio.create_task(prepare(LONG, "long.txt", limits=Limits(60, 2048)))
    await until(readers, "a child that reads the file")
    os.kill(readers()[0], signal.SIGKILL)
    with pytest.raises(Unreadable, match="Reading this file crashed"):
        await task
    assert "the process reading 'long.txt' ended by SIGKILL" in caplog.text


async def test_a_child_that_aborts_leaves_its_last_words_in_the_log(
    plant: Callable[[str], None], caplog: pytest.LogCaptureFixture
) -> None:
    plant("""
        import os, sys
        def parse_header():
            sys.stderr.write("corrupted size vs. prev_size\\n")
            os.abort()
        parse_header()
    """)
    assert "Reading this file crashed" in await refusal_of_a_text()
    [record] = caplog.records
    assert record.levelname == "WARNING"
    ending, words, *stack = record.getMessage().splitlines()
    assert ending == "the process reading 'notes.txt' ended by SIGABRT"
    assert words == "  corrupted size vs. prev_size"
    assert any("in parse_header" in line for line in stack), "the stack of the crash"


async def test_a_child_that_exits_leaves_its_exit_status_in_the_log(
    plant: Callable[[str], None], caplog: pytest.LogCaptureFixture
) -> None:
    plant("""
        import os, sys
        sys.stderr.write("no more handles")
        sys.stderr.flush()
        os._exit(7)
    """)
    assert "Reading this file crashed" in await refusal_of_a_text()
    assert "the process reading 'notes.txt' ended with exit code 7 (no more handles)\n  no more handles" in caplog.text


@pytest.mark.parametrize("error", ["ZeroDivisionError('by zero')", "SystemExit('bye')"])
async def test_an_unexpected_exception_is_a_refusal_and_is_logged_with_its_place(
    error: str, plant: Callable[[str], None], caplog: pytest.LogCaptureFixture
) -> None:
    plant(f"raise {error}")
    assert await refusal_of_a_text() == "The file is damaged, or holds something that cannot be read."
    assert f"reading 'notes.txt' failed: {error.split('(')[0]}: b" in caplog.text
    assert re.search(r'charset_normalizer\.py", line 1, in <module>', caplog.text)


async def test_a_child_cannot_flood_the_log_or_forge_its_lines(
    plant: Callable[[str], None], caplog: pytest.LogCaptureFixture
) -> None:
    plant("""
        import os, sys
        for number in range(50_000):
            sys.stderr.write(f"warning {number}\\n")
        sys.stderr.write("x" * 5_000_000 + "\\n")
        sys.stderr.write("\\x1b[2J\\rERROR forged\\n")
        sys.stderr.flush()
        os._exit(1)
    """)
    await refusal_of_a_text()
    lines = caplog.text.splitlines()
    assert len(lines) <= LAST_LINES + 1
    assert max(map(len, lines)) < 1100
    assert lines[-1] == "   [2J ERROR forged"


def texts_of(prepared: Prepared) -> list[str]:
    with prepared:
        return [page.text for page in prepared.page_rows()]


def readers() -> list[int]:
    """The readers that this process has started; servers and askers of other tests are its children too."""
    return readers_of(os.getpid())
