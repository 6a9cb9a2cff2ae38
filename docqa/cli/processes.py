"""What a process and all that it has started take, as Linux tells it."""

import os
from pathlib import Path

_PROC = Path("/proc")


def can_be_measured() -> bool:
    """Whether the system tells what other processes hold."""
    return (_PROC / "self/smaps_rollup").exists()


def tree(pid: int) -> list[int]:
    """The process and its descendants that run."""
    pids = [pid]
    for each in pids:
        for children in (_PROC / f"{each}/task").glob("*/children"):
            pids += map(int, _text(children).split())
    return pids


def memory_of(pid: int, *, alone: bool = False) -> int:
    """Bytes that the tree holds, or the process `alone`; of what processes share, each has its part."""
    total = 0
    for each in [pid] if alone else tree(pid):
        words = _text(_PROC / f"{each}/smaps_rollup").split()
        if "Pss:" in words:
            total += int(words[words.index("Pss:") + 1]) << 10
    return total


def processor_seconds_of(pid: int) -> float:
    """Seconds of a processor that the tree has taken so far, with those of children that have ended."""
    ticks = 0
    for each in tree(pid):
        fields = _text(_PROC / f"{each}/stat").rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15])) if fields else 0  # utime, stime, cutime, cstime
    return ticks / os.sysconf("SC_CLK_TCK")


def size_of(folder: Path) -> int:
    """Bytes that a folder takes on the disk."""
    return sum(file.lstat().st_blocks * 512 for file in folder.rglob("*") if not file.is_symlink())


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
        return ""
