"""What this machine has and lacks (`python run.py doctor`), and the proof that nothing leaves it (`doctor --offline`).

It mends nothing and, without --offline, starts nothing; it runs on a machine where nothing is installed yet, so it imports
third-party packages only where it has found them.
"""

import argparse
import importlib.util
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from docqa import ROOT
from docqa.catalog.catalog import Catalog
from docqa.catalog.machine import find_machine
from docqa.formats.pdf.ocr import INSTALL, languages
from docqa.offline import namespace
from docqa.offline.rehearsal import LONE
from docqa.offline.watch import environment, read_report, unwatched
from docqa.settings import Settings, environment_name
from docqa.setup.packages import WITHOUT, Installer

DISK_MB = 1000  # for the packages' caches and some documents; the models are there already
MEMORY_MB = 2000  # the server, the embedding model and one file being read
WAL_RESET_BUG = ((3, 7, 0), (3, 51, 2))  # https://sqlite.org/wal.html#walresetbug
INSTALL_AGAIN = "`python run.py install` gets it."


@dataclass(frozen=True)
class Finding:
    """One line of the report; `remedy` is what to do where something is not as it should be, `needed` whether the server cannot do without."""

    what: str
    state: str
    remedy: str = ""
    needed: bool = False

    def __str__(self) -> str:
        mark = "ok  " if not self.remedy else "MISS" if self.needed else "note"
        return f"{mark} {self.what}: {self.state}" + (f"\n     {self.remedy}" if self.remedy else "")


def examine(arguments: Sequence[str]) -> int:
    """Print the findings, or pass the rehearsal; the exit code, 1 when something needed is missing."""
    parser = argparse.ArgumentParser(prog="run.py doctor", description="Tell what this machine has and lacks.")
    parser.add_argument(
        "--offline",
        action="store_true",
        help="start the service with temporary data, use all of it, and prove that nothing leaves this machine",
    )
    given = parser.parse_args(arguments)
    settings = Settings.read(os.environ)
    if given.offline:
        return prove_offline()
    found = list(findings(settings))
    print("\n".join(map(str, found)))
    missing = [one.what for one in found if one.remedy and one.needed]
    print(f"\nNeeded and missing: {', '.join(missing)}." if missing else "\nNothing that is needed is missing.")
    return 1 if missing else 0


def findings(settings: Settings) -> Iterator[Finding]:
    """Every finding, in the order of a setup."""
    yield Finding("Python", f"{platform.python_version()} ({sys.executable})")
    yield from _packages()
    yield from _database()
    yield from _models(settings)
    read = languages()
    yield Finding(
        "Tesseract",
        f"reads scanned pages in {', '.join(read)}" if read else "not here: scanned pages are not read",
        "" if read else f"{INSTALL}.",
    )
    yield from _room(settings)
    yield _data_folder(settings.data)
    yield _port(settings.host, settings.port)
    way = (
        "is on: links, remote models and downloads are refused"
        if settings.offline
        else "is off: links that are given are followed"
    )
    yield Finding(environment_name("offline"), way)


def _packages() -> Iterator[Finding]:
    installer = Installer()
    for name, lines in installer.groups(test=False).items():
        missing = installer.missing(lines)
        sentence = (
            f"missing: {', '.join(missing)}" + (f"; {WITHOUT[name]}" if name in WITHOUT else "")
            if missing
            else "installed"
        )
        compiler = (
            ""
            if name != "local" or installer.compiler()
            else " It needs a C++ compiler (Debian, Ubuntu: apt install g++; macOS: xcode-select --install)."
        )
        yield Finding(
            f"packages ({name})", sentence, INSTALL_AGAIN + compiler if missing else "", needed=name == "base"
        )


def _database() -> Iterator[Finding]:
    if importlib.util.find_spec("aiosqlite") is None:
        return
    from docqa.errors import CannotStart
    from docqa.store.database import DRIVER, check_driver

    version = DRIVER.sqlite_version
    low, high = WAL_RESET_BUG
    buggy = low <= tuple(map(int, version.split("."))) <= high
    remedy = (
        "It may damage the file when two processes write to it at once: install pysqlite3, or a Python with SQLite 3.51.3 or newer."
        if buggy
        else ""
    )
    yield Finding(
        "SQLite",
        f"{version} ({DRIVER.__name__.partition('.')[0]})" + (", which has the WAL-reset bug" if buggy else ""),
        remedy,
    )
    try:
        check_driver()
    except CannotStart as error:
        yield Finding(
            "SQLite extensions",
            str(error),
            "Use a Python whose sqlite3 loads extensions, or for which pysqlite3 has a wheel.",
            needed=True,
        )
    else:
        yield Finding("SQLite extensions", "sqlite-vec and FTS5 work")


def _models(settings: Settings) -> Iterator[Finding]:
    catalog = Catalog.load(settings.models)
    if settings.embedder == "none":
        yield Finding("embedding model", "none, as set: search is by words only")
    else:
        entry = catalog.embedding(settings.embedder)
        right = catalog.present(entry) and not catalog.verify(entry)
        state = f"{entry.name}, " + ("every byte right" if right else f"missing or damaged; {WITHOUT['embedding']}")
        yield Finding("embedding model", state, "" if right else INSTALL_AGAIN)
    local = catalog.local_models()
    state = (
        ", ".join(f"{name} ({path.stat().st_size / 1e6:,.0f} MB)" for name, path in local.items())
        or f"none; {WITHOUT['local']}"
    )
    yield Finding("local models", state, "" if local else f"Put a GGUF file into {settings.models}.")


def _room(settings: Settings) -> Iterator[Finding]:
    folder = next(path for path in (settings.data, *settings.data.parents) if path.exists())
    free = shutil.disk_usage(folder).free >> 20
    yield Finding(
        "disk",
        f"{free:,} MB free for {settings.data}",
        "" if free >= DISK_MB else f"Make room: it should be {DISK_MB:,} MB at least.",
    )
    machine = find_machine()
    memory = machine.memory >> 20
    low = f"It should be {MEMORY_MB:,} MB at least; {environment_name('embedder')}=none takes the least."
    yield Finding("memory", f"{memory:,} MB, {machine.cores} cores", "" if memory >= MEMORY_MB or not memory else low)


def _data_folder(data: Path) -> Finding:
    try:
        data.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=data):
            pass
    except OSError as error:
        return Finding(
            "data folder",
            f"{data} cannot be written to: {error.strerror}",
            f"Give it to this user, or choose another ({environment_name('data')}).",
            True,
        )
    return Finding("data folder", f"{data} can be written to")


def _port(host: str, port: int) -> Finding:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family) as trial:
            if os.name != "nt":
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
            trial.bind((host, port))
    except OSError as error:
        if version := _running(host, port):
            return Finding("port", f"DocQA {version} runs on {host}:{port}")
        return Finding(
            "port",
            f"{host}:{port} cannot be listened on: {error.strerror}",
            f"Choose another ({environment_name('port')}, --port).",
            needed=True,
        )
    return Finding("port", f"{host}:{port} is free")


def _running(host: str, port: int) -> str:
    """The version of the DocQA that listens there, "" if something else does."""
    reached = "127.0.0.1" if host == "0.0.0.0" else f"[{'::1' if host == '::' else host}]" if ":" in host else host
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"http://{reached}:{port}/healthz", timeout=3) as response:
            health = json.loads(response.read())
    except (OSError, ValueError):
        return ""
    return str(health.get("version", "")) if isinstance(health, dict) else ""


def prove_offline(tell: Callable[[str], None] = print) -> int:
    """Pass the rehearsal under watch, in a network of its own where that can be had; 0 if all went well and nothing tried to leave."""
    alone = namespace.available()
    tell(
        "The service runs in a network of its own, without a route to anywhere; the kernel counts what native code tries."
        if alone
        else "This system gives no network of its own: what Python does is refused and seen, what native code does by itself is not."
    )
    with tempfile.TemporaryDirectory(prefix="docqa-offline-") as name:
        folder = Path(name)
        report = folder / "report.jsonl"
        added = {
            environment_name("offline"): "1",
            environment_name("private_networks"): "127.0.0.0/8",
            **environment(report),
        }
        command = [
            *(namespace.PREFIX if alone else ()),
            sys.executable,
            "-m",
            "docqa.offline.rehearsal",
            name,
            *([LONE] if alone else []),
        ]
        code = subprocess.run(command, cwd=ROOT, env={**os.environ, **added}, check=False).returncode
        counted = json.loads((folder / "counted.json").read_text("utf-8")) if alone else {}
        return _judge(code, report, counted, alone, tell)


def _judge(code: int, report: Path, counted: dict[str, int], alone: bool, tell: Callable[[str], None]) -> int:
    events = read_report(report)
    refused = [event for event in events if event.kind == "refused"]
    watching = {event.pid for event in events if event.kind == "watching"}
    for event in refused:
        tell(f"\n{event.what}\nin {event.command}\n{event.stack}")
    for counter, times in counted.items():
        tell(f"\nNative code tried {times} times ({counter}); it leaves no stack.")
    unseen = unwatched(events)
    if unseen:
        tell(f"Started and not watched{', but without a route either' if alone else ''}: {'; '.join(unseen)}")
    tell(f"{len(watching)} processes watched, {len(refused) + sum(counted.values())} outbound attempts")
    return 1 if code or refused or counted or not watching or (unseen and not alone) else 0
