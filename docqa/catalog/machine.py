"""What this machine has for models: memory and cores. Graphics cards are not looked for."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Machine:
    """`memory` in bytes, 0 if unknown; `cores` are physical ones."""

    memory: int
    cores: int


def find_machine(root: Path = Path("/")) -> Machine:
    """What this process may use of the machine, within a container's limits; `root` is the folder of `sys`."""
    groups = root / "sys/fs/cgroup"
    memory = _installed_memory()
    limit = _number(groups / "memory.max") or _number(groups / "memory/memory.limit_in_bytes") or memory
    return Machine(min(memory, limit), min(_cores(root), _quota(groups)))


def processor(root: Path = Path("/")) -> str:
    """The name of the processor, "" where the system does not tell it."""
    file = root / "proc/cpuinfo"
    lines = file.read_text(errors="replace").splitlines() if file.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def _installed_memory() -> int:
    if "SC_PHYS_PAGES" not in getattr(os, "sysconf_names", {}):
        return 0
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _cores(root: Path) -> int:
    """Physical cores that this process may run on; logical ones if the system does not tell them apart."""
    if not hasattr(os, "sched_getaffinity"):
        return os.cpu_count() or 1
    usable = os.sched_getaffinity(0)
    siblings = [root / f"sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list" for number in usable]
    return len({file.read_text() for file in siblings}) if all(file.exists() for file in siblings) else len(usable)


def _quota(groups: Path) -> int:
    """The number of cores that a container may use, at least 1; without a limit, all logical ones."""
    words = (
        _words(groups / "cpu.max")
        or [*_words(groups / "cpu/cpu.cfs_quota_us"), *_words(groups / "cpu/cpu.cfs_period_us")]
    )[:2]
    if len(words) == 2 and all(word.isdecimal() for word in words):
        return max(1, round(int(words[0]) / int(words[1])))
    return os.cpu_count() or 1


def _number(path: Path) -> int:
    """The number in a file, 0 for `max` and for a missing file."""
    words = _words(path)
    return int(words[0]) if words and words[0].isdecimal() else 0


def _words(path: Path) -> list[str]:
    return path.read_text().split() if path.exists() else []


def available_memory(root: Path = Path("/")) -> int:
    """Bytes that programs may still take, within a container's limit; 0 if unknown.

    `root` is the folder of `proc` and `sys`.
    """
    words = _words(root / "proc/meminfo")
    if "MemAvailable:" not in words:
        return 0
    free = int(words[words.index("MemAvailable:") + 1]) << 10
    groups = root / "sys/fs/cgroup"
    for limit, used, cache in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        folder = groups if limit == "memory.max" else groups / "memory"
        if maximum := _number(folder / limit):
            statistics = _words(folder / "memory.stat")
            # The page cache counts as used, but the system drops it when it needs the memory.
            reclaimable = int(statistics[statistics.index(cache) + 1]) if cache in statistics else 0
            free = min(free, max(0, maximum - _number(folder / used) + reclaimable))
    return free
