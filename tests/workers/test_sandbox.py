"""What confines a child that reads a file, and that it ends with its parent."""

import os
import platform
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from docqa import ROOT
from docqa.workers.sandbox import means
from docqa.workers.seccomp import filter_for
from waiting import lives

needs_posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux tells a child that its parent has ended")
SECONDS = 2.0  # that a child may live on


def run(code: str) -> subprocess.Popen[str]:
    """Python running this code, which writes a process id in a line as soon as it has come so far."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True, cwd=ROOT, process_group=0
    )


def ends(pid: int) -> bool:
    end = time.monotonic() + SECONDS
    while lives(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not lives(pid)


# A reader that hears nothing: it holds Python's lock and is in native code, as Tesseract is for a minute.
PARENT = """
    import os, subprocess, sys
    child = subprocess.Popen([sys.executable, "-c", {child!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             start_new_session=True)
    child.stdout.readline()
    print(child.pid, flush=True)
    import time
    time.sleep(600)
"""


@pytest.mark.parametrize(
    "begin",
    [
        pytest.param("die_with_parent(os.getppid())", marks=on_linux, id="told by the kernel"),
        pytest.param("watch_parent()", marks=needs_posix, id="watched by a process"),
    ],
)
def test_a_child_in_native_code_ends_within_two_seconds_of_a_killed_parent(begin: str) -> None:
    child = textwrap.dedent(f"""
        import ctypes, os
        from docqa.workers.sandbox import die_with_parent, watch_parent
        {begin}
        print(flush=True)
        ctypes.PyDLL(None).pause()
    """)
    parent = run(PARENT.format(child=child))
    assert parent.stdout
    pid = int(parent.stdout.readline())
    try:
        assert lives(pid)
        parent.kill()
        parent.wait()
        assert ends(pid)
    finally:
        parent.stdout.close()
        if lives(pid):
            os.kill(pid, signal.SIGKILL)


@on_linux
def test_a_child_whose_parent_ended_before_it_began_ends_at_once() -> None:
    code = "from docqa.workers.sandbox import die_with_parent; die_with_parent(1 << 22); print('lives on')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout) == (1, "")


CONFINED = """
    import ctypes, os, resource, sys, threading
    from docqa.workers.sandbox import Confinement, confine
    confine(Confinement(1024, 5, (sys.prefix, sys.base_prefix, {allowed!r}), {temporary!r}))
    {code}
"""


def confined(code: str, folder: Path) -> str:
    """What code prints that runs confined: it may read below `folder / "allowed"`, and make links in `folder / "own"`."""
    allowed, own = folder / "allowed", folder / "own"
    allowed.mkdir()
    own.mkdir()
    whole = textwrap.dedent(CONFINED).format(allowed=str(allowed), temporary=str(own), code=textwrap.dedent(code))
    done = subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, check=False, cwd=ROOT)
    return (done.stdout + done.stderr).strip()


@needs_posix
def test_a_confined_process_has_limits_that_it_cannot_raise(tmp_path: Path) -> None:
    names = ("AS", "CPU", "CORE", "FSIZE", "NOFILE")
    code = f"print([resource.getrlimit(getattr(resource, 'RLIMIT_' + name)) for name in {names}])"
    memory = 1024 << 20
    assert confined(code, tmp_path) == str([(memory, memory), (5, 7), (0, 0), (0, 0), (128, 128)])


def session_niceness(process: int) -> str | None:
    """What Linux takes a process's whole session for, or None where it does not share the processor by sessions: some
    kernels have no such file, and in some containers it is empty."""
    shared_by = Path(f"/proc/{process}/autogroup")
    words = shared_by.read_text().split() if shared_by.exists() else []
    return words[-1] if words else None


@needs_posix
@pytest.mark.parametrize("own_session", [True, False])
def test_a_reader_steps_back_as_a_session_and_leaves_that_of_others_alone(own_session: bool) -> None:
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    code = "import sys; from docqa.workers.sandbox import Confinement, confine; sys.stdin.readline()"
    child = subprocess.Popen(
        [sys.executable, "-c", f"{code}; confine(Confinement(1024, 5, (), '/')); print('confined', flush=True); sys.stdin.read()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, start_new_session=own_session,
    )  # fmt: skip
    with child:
        assert child.stdin and child.stdout
        # Asked of the child: what started a container may itself belong to no session that Linux shares by.
        before = session_niceness(child.pid)
        child.stdin.write(b"\n")
        child.stdin.flush()
        assert child.stdout.readline() == b"confined\n"
        assert os.getpriority(os.PRIO_PROCESS, child.pid) == min(nice + 10, 19)
        assert session_niceness(child.pid) == ("10" if own_session and before is not None else before)
        child.stdin.close()


@needs_posix
def test_a_process_that_computes_steps_behind_its_server_only() -> None:
    nice, ours = os.getpriority(os.PRIO_PROCESS, 0), session_niceness(os.getpid())
    code = "from docqa.workers.sandbox import BEHIND_SERVER, step_back; step_back(BEHIND_SERVER); import os; print(os.nice(0))"
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True).strip() == str(min(nice + 5, 19))
    assert session_niceness(os.getpid()) == ours


@on_linux
def test_a_confined_process_gets_no_new_privileges(tmp_path: Path) -> None:
    assert confined("print(ctypes.CDLL(None).prctl(39, 0, 0, 0, 0))", tmp_path) == "1"


@pytest.mark.skipif(not means().landlock, reason="needs Landlock")
def test_a_confined_process_reads_what_it_was_given_and_makes_links_in_its_folder(tmp_path: Path) -> None:
    code = f"""
os.symlink({str(tmp_path / "allowed")!r}, {str(tmp_path / "own" / "link")!r})
print(os.listdir({str(tmp_path / "own" / "link")!r}))
try:
    os.listdir({str(tmp_path)!r})
except PermissionError as error:
    print(error.strerror)
"""
    assert confined(code, tmp_path) == "[]\nPermission denied"


@pytest.mark.skipif(not means().seccomp, reason="needs seccomp")
def test_a_confined_process_may_have_threads(tmp_path: Path) -> None:
    code = "thread = threading.Thread(target=print, args=('in a thread',)); thread.start(); thread.join()"
    assert confined(code, tmp_path) == "in a thread"


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_of_each_machine_ends_and_jumps_within_itself(machine: str) -> None:
    code = filter_for(machine, 1)
    instructions = [
        (int.from_bytes(code[at : at + 2], sys.byteorder), code[at + 2], code[at + 3]) for at in range(0, len(code), 8)
    ]
    assert instructions[-1][0] == 0x06, "it ends with a verdict"
    assert all(place + 1 + max(jumps) < len(instructions) for place, (_, *jumps) in enumerate(instructions[:-1]))


def test_a_machine_that_is_not_known_has_no_filter() -> None:
    assert filter_for("riscv64", 1) == b""
    assert means().seccomp == (sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64"))
