"""What is looked at while soak.py runs: a server's memory, children, descriptors, threads and files, from /proc."""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

READERS, MODELS = "docqa.ingest.nursery", "docqa.models.nursery"  # what was forked from them bears their names
ROLES = {
    READERS: "nursery",
    MODELS: "nursery",
    "docqa.ingest": "reader",
    "embedder_child": "embedder",
    "verifier_child": "verifier",
    "local_child": "model",
}
LASTING = ("docqa.sqlite", "docqa.sqlite-wal", "docqa.sqlite-shm", "api-key", "ballast", "model-precisions.json")
TICKS = os.sysconf("SC_CLK_TCK")


class Sample(NamedTuple):
    """The state at a moment: seconds since the start, MB, counts; `cpu` in seconds since the server's start, with that
    of its children. `open_temporary` are files without a name, which end with their descriptor."""

    at: float
    server_mb: float
    server_own_mb: float
    embedder_mb: float
    readers_mb: float
    other_mb: float
    children: int
    readers: int
    descriptors: int
    open_temporary: int
    threads: int
    database_mb: float
    wal_mb: float
    temporary_files: int
    cpu: float
    health_ms: float


def sample(pid: int, data: Path, temporary: Path, at: float, health_ms: float) -> Sample:
    """The state of the server `pid`, whose files lie in these two folders. Raises FileNotFoundError if it is gone."""
    status = _status(pid)
    memory: Counter[str] = Counter()
    count: Counter[str] = Counter()
    cpu = _cpu(pid)
    for child, role in _roles(pid):
        try:
            size = _megabytes(_status(child), "VmRSS")
            cpu += _cpu(child)
        except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            continue
        memory[role] += size  # type: ignore[assignment]
        count[role] += 1
    links = [_link(Path(f"/proc/{pid}/fd") / name) for name in os.listdir(f"/proc/{pid}/fd")]
    return Sample(
        at=at,
        server_mb=_megabytes(status, "VmRSS"),
        server_own_mb=_megabytes(status, "RssAnon"),
        embedder_mb=memory["embedder"],
        readers_mb=memory["reader"],
        other_mb=round(memory.total() - memory["embedder"] - memory["reader"], 1),
        children=count.total(),
        readers=count["reader"],
        descriptors=len(links),
        open_temporary=sum(link.endswith("(deleted)") for link in links),
        threads=int(status["Threads"]),
        database_mb=_size(data / "docqa.sqlite"),
        wal_mb=_size(data / "docqa.sqlite-wal"),
        temporary_files=len(left_files(data, temporary)),
        cpu=round(cpu, 2),
        health_ms=health_ms,
    )


def left_files(data: Path, temporary: Path) -> list[Path]:
    """What lies in these folders beside what stays there."""
    return [path for path in (*temporary.iterdir(), *data.iterdir()) if path.name not in LASTING]


def descendants(pid: int) -> list[int]:
    """The children of a process that live, and theirs."""
    return [each for child in _children(pid) for each in (child, *descendants(child))]


def _children(pid: int) -> list[int]:
    try:
        lists = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except FileNotFoundError:
        return []
    return [int(child) for listed in lists for child in listed.split()]


def _roles(pid: int) -> Iterator[tuple[int, str]]:
    """The children of a server with what they are there for, and those of its nurseries."""
    for child in _children(pid):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            command = Path(f"/proc/{child}/cmdline").read_text()
            yield child, next((role for module, role in ROLES.items() if module in command), "other")
            if READERS in command:
                yield from ((reader, "reader") for reader in _children(child))
            elif MODELS in command:
                for model in _children(child):
                    yield model, ROLES.get(Path(f"/proc/{model}/comm").read_text().strip(), "other")


def _status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _megabytes(status: dict[str, str], name: str) -> float:
    return round(int(status.get(name, "0 kB").split()[0]) / 1024, 1)


def _cpu(pid: int) -> float:
    times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]
    return sum(map(int, times)) / TICKS


def _link(path: Path) -> str:
    try:
        return os.readlink(path)
    except FileNotFoundError:
        return ""


def _size(path: Path) -> float:
    return round(path.stat().st_size / 1e6, 2) if path.exists() else 0.0
