"""What this machine has and lacks (`python run.py doctor`), and the proof that nothing leaves it (`doctor --offline`).

Without --repair it changes nothing and, without --offline, starts nothing. It also runs where nothing is installed yet,
so it imports third-party packages only after checking that they are there.
"""

import asyncio
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
from collections.abc import Callable, Iterator
from pathlib import Path

from docqa import IN_CHECKOUT, ROOT
from docqa.catalog.catalog import Catalog
from docqa.catalog.keys import ProviderKeys
from docqa.catalog.machine import find_machine
from docqa.catalog.proposals import for_languages
from docqa.catalog.recognition import command, for_iso
from docqa.catalog.targets import embedding_target
from docqa.formats.pictures.data import INSTALL, covered, languages
from docqa.models.chat.remote import obstacle
from docqa.models.installed import is_installed
from docqa.models.sentence_folder import INSTALLED_BY, PACKAGE, needs_package
from docqa.offline import namespace
from docqa.offline.rehearsal import COUNTS, ISOLATED
from docqa.offline.watch import environment, read_report, unwatched
from docqa.settings import Settings, environment_name
from docqa.setup.confinement import confinement
from docqa.setup.data import data_findings, data_folder, sqlite
from docqa.setup.findings import Finding
from docqa.setup.packages import COMPILER, WITHOUT, Installer
from docqa.workers.sandbox import means

DISK_MB = 1000  # for the packages' caches and some documents, beside the models
MEMORY_MB = 2000  # the server, the embedding model and one file being read
INSTALL_AGAIN = (
    "Run `python run.py install`."
    if IN_CHECKOUT
    else "Install DocQA with `[scans,embedding,local]` behind its name; `docqa models pull NAME` brings models."
)


def examine(settings: Settings, *, repair: bool = False) -> int:
    """Print the findings; the exit code, 1 if something needed is missing."""
    report = list(findings(settings, repair))
    print("\n".join(map(str, report)))
    missing = [finding.what for finding in report if finding.remedy and finding.needed]
    print(f"\nNeeded and missing: {', '.join(missing)}." if missing else "\nNothing that is needed is missing.")
    return 1 if missing else 0


def findings(settings: Settings, repair: bool = False) -> Iterator[Finding]:
    """Every finding, in the order of a setup; with `repair`, the data are mended first."""
    yield Finding("Python", f"{platform.python_version()} ({sys.executable})")
    yield from _packages()
    yield from sqlite()
    yield from _models(settings)
    yield _recognition(settings.database)
    yield Finding("readers of files", *confinement(means()))
    yield from _disk_and_memory(settings)
    yield data_folder(settings.data)
    yield from data_findings(settings, repair)
    yield _port(settings.host, settings.port)
    state = "on: links, remote models and downloads are refused" if settings.offline else "off: links are followed"
    yield Finding(environment_name("offline"), state)


def _packages() -> Iterator[Finding]:
    installer = Installer()
    for name, lines in installer.groups(test=False).items():
        missing = installer.missing(lines)
        if not missing:
            yield Finding(f"packages ({name})", "installed")
            continue
        state = f"missing: {', '.join(missing)}" + (f"; {WITHOUT[name]}" if name in WITHOUT else "")
        remedy = INSTALL_AGAIN
        if name == "local" and not installer.compiler():
            remedy += f" {COMPILER}"
        yield Finding(f"packages ({name})", state, remedy, needed=name == "base")


def _models(settings: Settings) -> Iterator[Finding]:
    catalog = Catalog.load(settings.models)
    if settings.embedder == "none":
        yield Finding("embedding model", "none, as configured: search is by words only")
    elif target := embedding_target(settings.embedder):
        why = obstacle(target, ProviderKeys.read(os.environ, settings.data), settings.offline)
        state = f"{target}, of a server" + (
            f", which is not asked because {why}; {WITHOUT['embedding']}" if why else ""
        )
        yield Finding("embedding model", state, f"Change that, or {environment_name('embedder')}." if why else "")
    else:
        entry = catalog.embedding(settings.embedder)
        valid = catalog.present(entry) and not catalog.verify(entry)
        state, remedy = ("verified", "") if valid else (f"missing or damaged; {WITHOUT['embedding']}", INSTALL_AGAIN)
        if valid and needs_package(catalog.path(entry)) and not is_installed(PACKAGE):
            state, remedy = f"verified, but it needs {PACKAGE}; {WITHOUT['embedding']}", f"Run {INSTALLED_BY}."
        yield Finding("embedding model", f"{entry.name}, {state}", remedy)
        beside = catalog.beside(settings.embedder)
        entries = [entry, *([beside] if beside and catalog.present(beside) else [])]
        known = {entry.name: entry.languages for entry in entries}
        lack, remedy = for_languages(known, _languages(settings.database))
        if lack:
            yield Finding("languages", lack, remedy)
    local = catalog.local_models()
    state = (
        ", ".join(f"{name} ({path.stat().st_size / 1e6:,.0f} MB)" for name, path in local.items())
        or f"none; {WITHOUT['local']}"
    )
    yield Finding("local models", state, "" if local else f"Put a GGUF file into {settings.models}.")


def _recognition(database: Path) -> Finding:
    """What text recognition reads, and in which languages of the documents it does not."""
    trained = languages()
    if not trained:
        state = "no language data: pictures and scanned pages are not read"
        return Finding("text recognition", state, f"{INSTALL}.")
    lacking = [
        entry for code in _languages(database, scanned=True) if not covered(trained, code) and (entry := for_iso(code))
    ]
    return Finding(
        "text recognition",
        f"reads pictures and scanned pages in {', '.join(trained)}"
        + (f"; there are pictures and scans in {', '.join(entry.name for entry in lacking)}" if lacking else ""),
        f"Run `{command(*(entry.iso for entry in lacking))}`." if lacking else "",
    )


def _languages(database: Path, scanned: bool = False) -> dict[str, int]:
    """How many documents, or of those that text recognition reads, are in each language; {} without documents, and
    where the packages or a newer version's migrations are missing: other findings say so."""
    if importlib.util.find_spec("aiosqlite") is None or not database.is_file():
        return {}
    from docqa import store
    from docqa.store.database import Error, read_only

    async def languages() -> dict[str, int]:
        async with read_only(database) as conn:
            return await (store.documents.scanned_languages if scanned else store.documents.languages)(conn)

    try:
        return asyncio.run(languages())
    except Error:
        return {}


def _disk_and_memory(settings: Settings) -> Iterator[Finding]:
    folder = next(path for path in (settings.data, *settings.data.parents) if path.exists())
    free = shutil.disk_usage(folder).free >> 20
    yield Finding(
        "disk",
        f"{free:,} MB free for {settings.data}",
        "" if free >= DISK_MB else f"Free some space: at least {DISK_MB:,} MB are needed.",
    )
    machine = find_machine()
    memory = machine.memory >> 20
    low = f"At least {MEMORY_MB:,} MB are recommended; {environment_name('embedder')}=none needs the least."
    yield Finding("memory", f"{memory:,} MB, {machine.cores} cores", "" if memory >= MEMORY_MB or not memory else low)


def _port(host: str, port: int) -> Finding:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family) as trial:
            if os.name != "nt":
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
            trial.bind((host, port))
    except OSError as error:
        if version := _version_at(host, port):
            return Finding("port", f"DocQA {version} runs on {host}:{port}")
        return Finding(
            "port",
            f"{host}:{port} cannot be listened on: {error.strerror}",
            f"Choose another ({environment_name('port')}, --port).",
            needed=True,
        )
    return Finding("port", f"{host}:{port} is free")


def _version_at(host: str, port: int) -> str:
    """The version of the DocQA that listens there, "" if there is none."""
    address = "127.0.0.1" if host == "0.0.0.0" else f"[{'::1' if host == '::' else host}]" if ":" in host else host
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"http://{address}:{port}/healthz", timeout=3) as response:
            health = json.loads(response.read())
    except (OSError, ValueError):
        return ""
    return str(health.get("version", "")) if isinstance(health, dict) else ""


def prove_offline(say: Callable[[str], None] = print) -> int:
    """Run the rehearsal watched, in a network namespace if possible; 0 if it worked and nothing tried to leave."""
    isolated = namespace.available()
    say(
        "The service runs in a network namespace without any route; the kernel counts attempts by native code."
        if isolated
        else "This system allows no network namespace: attempts by Python are refused and reported, "
        "those by native code are not seen."
    )
    with tempfile.TemporaryDirectory(prefix="docqa-offline-") as name:
        folder = Path(name)
        report = folder / "report.jsonl"
        environ = {
            **os.environ,
            environment_name("offline"): "1",
            environment_name("private_networks"): "127.0.0.0/8",
            environment_name("link_ports"): "1-65535",
            **environment(report),
        }
        command = [
            *(namespace.PREFIX if isolated else ()),
            *(sys.executable, "-m", "docqa.offline.rehearsal", name),
            *([ISOLATED] if isolated else []),
        ]
        code = subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode
        counted = json.loads((folder / COUNTS).read_text("utf-8")) if isolated else {}
        return _judge(code, report, counted, isolated, say)


def _judge(code: int, report: Path, counted: dict[str, int], isolated: bool, say: Callable[[str], None]) -> int:
    """Report what was seen; the exit code. `counted`: attempts by native code."""
    events = read_report(report)
    refused = [event for event in events if event.kind == "refused"]
    watching = {event.pid for event in events if event.kind == "watching"}
    for event in refused:
        say(f"\n{event.what}\nin {event.command}\n{event.stack}")
    for counter, times in counted.items():
        say(f"\nAttempts by native code, without a stack: {times} ({counter})")
    unseen = unwatched(events)
    if unseen:
        say(f"Started but not watched{', though without any route' if isolated else ''}: {'; '.join(unseen)}")
    say(f"{len(watching)} processes watched, {len(refused) + sum(counted.values())} outbound attempts")
    return 1 if code or refused or counted or not watching or (unseen and not isolated) else 0
