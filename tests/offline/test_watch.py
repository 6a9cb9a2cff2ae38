"""Outbound connections of any Python are refused and reported."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from docqa.offline import watch
from docqa.offline.watch import Event, environment, read_report, unwatched
from stand_ins import NOWHERE


def run_watched(tmp_path: Path, code: str) -> list[Event]:
    """The report of a watched Python that starts a Python that runs `code`."""
    (tmp_path / "grandchild.py").write_text(code)
    parent = "import subprocess, sys; subprocess.run([sys.executable, 'grandchild.py'], check=True)"
    report = tmp_path / "report.jsonl"
    subprocess.run([sys.executable, "-c", parent], cwd=tmp_path, env={**os.environ, **environment(report)}, check=True)
    return read_report(report)


def refused(events: list[Event]) -> list[str]:
    return [event.what for event in events if event.kind == "refused"]


@pytest.mark.parametrize(
    ("attempt", "what"),
    [
        (f"socket.create_connection(('{NOWHERE}', 80), timeout=1)", f"socket.getaddrinfo '{NOWHERE}'"),
        (f"socket.socket().connect(('{NOWHERE}', 80))", f"socket.connect ('{NOWHERE}', 80)"),
        ("socket.socket(socket.AF_INET6).connect_ex(('2001:db8::1', 80))", "socket.connect ('2001:db8::1', 80)"),
        (f"socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('{NOWHERE}', 53))", f"socket.sendto ('{NOWHERE}', 53)"),
        (
            f"socket.socket(type=socket.SOCK_DGRAM).sendmsg([b'x'], [], 0, ('{NOWHERE}', 53))",
            f"socket.sendmsg ('{NOWHERE}', 53)",
        ),
        ("socket.gethostbyname('telemetry.example')", "socket.gethostbyname 'telemetry.example'"),
        ("urllib.request.urlopen('http://telemetry.example/')", "socket.getaddrinfo 'telemetry.example'"),
    ],
)
def test_an_attempt_of_a_grandchild_is_refused_and_reported_with_its_stack(
    tmp_path: Path, attempt: str, what: str
) -> None:
    code = f"import socket, urllib.request\ndef phone_home():\n    {attempt}\ntry:\n    phone_home()\nexcept OSError:\n    pass\n"
    events = run_watched(tmp_path, code)
    assert refused(events) == [what]
    [event] = [event for event in events if event.kind == "refused"]
    assert "grandchild.py" in event.command
    assert 'grandchild.py", line 3, in phone_home' in event.stack


def test_loopback_and_local_sockets_are_allowed(tmp_path: Path) -> None:
    code = (
        "import socket\n"
        "with socket.create_server(('127.0.0.1', 0)) as server:\n"
        "    socket.create_connection(('localhost', server.getsockname()[1])).close()\n"
        "left, right = socket.socketpair()\n"
        "left.sendmsg([b'x'])\n"
        "with socket.socket(socket.AF_UNIX) as local:\n"
        "    local.bind('here'); local.listen()\n"
        "    with socket.socket(socket.AF_UNIX) as client: client.connect('here')\n"
    )
    events = run_watched(tmp_path, code)
    assert refused(events) == []
    assert len([event for event in events if event.kind == "watching"]) == 2


def test_a_process_that_cannot_be_watched_is_named(tmp_path: Path) -> None:
    events = run_watched(
        tmp_path, "import subprocess, sys\nsubprocess.run(['true'])\nsubprocess.run([sys.executable, '-I', '-c', ''])\n"
    )
    assert unwatched(events) == ["true", f"{sys.executable} -I -c "]


def test_the_report_has_one_json_object_per_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = tmp_path / "report.jsonl"
    monkeypatch.setenv(watch.REPORT, str(report))
    events = run_watched(tmp_path, "")
    assert (
        [json.loads(line)["kind"] for line in report.read_text().splitlines()]
        == [event.kind for event in events]
        == ["watching", "started", "watching"]
    )


@pytest.mark.skipif(find_spec("openvino") is None, reason="needs openvino")
def test_openvino_reports_to_nobody_that_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Imported as it is, it tells Google Analytics, and writes what it knows you by into the home folder."""
    for name in ("CI", "TF_BUILD", "JENKINS_URL"):  # where it would be silent
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    code = (
        "import sys, docqa.models.encoder\n"
        "loaded = [name for name in sys.modules if name.startswith('openvino_telemetry') and sys.modules[name]]\n"
        "sys.exit(f'{loaded} are loaded' if loaded else 0)\n"
    )
    assert refused(run_watched(tmp_path, code)) == []
    assert not list((tmp_path / "home").iterdir())
