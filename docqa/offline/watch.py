"""Watches a process and every Python that it starts: outbound connections are refused and reported with their stack.

An audit hook sees everything that Python's own `socket` does, but not native code that opens sockets; `namespace`
counts that.
"""

import json
import os
import socket
import sys
import traceback
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from docqa import child_path
from docqa.loopback import is_loopback

GUARD = Path(__file__).with_name("guard")
REPORT = "DOCQA_WATCH"  # the variable naming the file that all watched processes write to
LOOKUPS = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo")
SENDING = ("socket.connect", "socket.sendto", "socket.sendmsg")
STARTING = {"subprocess.Popen": 1, "os.posix_spawn": 1, "os.system": 0}  # the index of the command among the arguments
HERE = ("", "0.0.0.0", "::")  # destinations that mean this machine
LOCAL_FAMILIES = {getattr(socket, name) for name in ("AF_UNIX", "AF_NETLINK", "AF_ALG") if hasattr(socket, name)}
FRAMES = 20


@dataclass(frozen=True)
class Event:
    """One line of the report; `what` is the command or the attempt.

    `kind` is `watching` (a Python is watched), `started` (a program was started) or `refused` (an attempt).
    """

    kind: str
    pid: int
    command: str
    what: str
    stack: str = ""


def environment(report: Path) -> dict[str, str]:
    """The environment variables that make a process and its children watched, with this report."""
    return {"PYTHONPATH": child_path(GUARD), REPORT: str(report)}


def watch() -> None:
    """Start watching this process, for good: an audit hook cannot be removed."""
    _write("watching", _command(sys.orig_argv))
    sys.addaudithook(_audit)


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event in STARTING:
        _write("started", _command(arguments[STARTING[event]]))
    elif event in LOOKUPS:
        _check(event, arguments[0])
    elif event in SENDING and arguments[0].family not in LOCAL_FAMILIES:
        _check(event, arguments[1])


def _check(event: str, address: object) -> None:
    if not _is_here(address):
        what = f"{event} {address!r}"
        _write("refused", what, "".join(traceback.format_stack(sys._getframe(2), FRAMES)))
        raise PermissionError(f"Nothing may leave this machine: {what}")


def _is_here(address: object) -> bool:
    """Whether an address of `socket` is this machine: a host, a tuple that begins with one, or None if connected."""
    host = address[0] if isinstance(address, tuple) else address
    text = host.decode("latin-1") if isinstance(host, bytes) else str(host or "")
    return text in HERE or is_loopback(text)


def _command(arguments: Any) -> str:
    parts = [arguments] if isinstance(arguments, (str, bytes, os.PathLike)) else list(arguments)
    return " ".join(os.fsdecode(part) for part in parts)


def _write(kind: str, what: str, stack: str = "") -> None:
    event = Event(kind, os.getpid(), _command(sys.orig_argv), what, stack)
    number = os.open(os.environ[REPORT], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(number, json.dumps(asdict(event)).encode() + b"\n")  # in one piece: other processes write there too
    os.close(number)


def read_report(report: Path) -> list[Event]:
    """The events in the report, in order; none if no process was watched."""
    if not report.exists():
        return []
    return [Event(**json.loads(line)) for line in report.read_text("utf-8").splitlines()]


def unwatched(events: list[Event]) -> list[str]:
    """The commands that were started but not watched: other programs, and Pythons that ignore PYTHONPATH."""
    watching = Counter(event.what for event in events if event.kind == "watching")
    started = Counter(event.what for event in events if event.kind == "started")
    return [command for command, times in started.items() if times > watching[command]]
