"""A server that works for an hour is the same at its end: python tests/torture/soak.py [MINUTES] [FOLDER]

Ten accounts upload files of every kind, small and large, ask, search, download and delete, make and fill knowledge
bases; clients leave in the middle, keys are wrong, files are refused or damaged, a backup is made every five minutes.
The pace is fixed: two things a second, about half a core in all. Every ten seconds the server is looked at. At the end
its last quarter is compared with its second one, when the caches have filled: memory may be 10 % more, descriptors,
threads and lasting children as many (2 more for connections, and for asyncio's thread for each child), the WAL below
128 MB, no temporary file and no child left, no 5xx but 503 and 507. Prints a table; FOLDER (else a new one, which is
named) gets the samples and the requests as CSV, the plot as SVG, and the server's log.
"""

import csv
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import astuple
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(Path(__file__).parent)]

import httpx
from soak_load import BUSY, Account, Ledger, site
from soak_plot import plot
from soak_samples import Sample, descendants, left_files, sample

from waiting import lives

ACCOUNTS = 10
PACE = 5.0  # seconds from one thing that an account does to its next
EVERY = 10.0  # seconds between samples, of a short run a fortieth of it
BACKUP_EVERY = 300.0
MORE_MEMORY, MORE_DESCRIPTORS, MORE_THREADS, WAL_MB = 0.10, 2, 2, 128.0
SETTLED = 240.0  # seconds that the background may take at the end
RUN = "import sys; from docqa.cli.main import main; sys.exit(main(sys.argv[1:]))"


class Soaked:
    """A server in a process of its own, its folders, and what was seen of it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data, self.temporary = folder, folder / "data", folder / "tmp"
        self.temporary.mkdir(parents=True)
        own = {"TMPDIR": str(self.temporary), "PYTHONPATH": str(ROOT), "DOCQA_DATA": str(self.data)}
        links = {"DOCQA_PRIVATE_NETWORKS": "127.0.0.0/8", "DOCQA_LINK_PORTS": "1-65535"}
        self._environment = {**os.environ, "DOCQA_VERIFIER": "off", **links, **own}
        self.log = folder / "server.log"
        with self.log.open("w") as log:
            command = [sys.executable, "-c", RUN, "serve", "--port", "0"]
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, text=True, env=self._environment, cwd=ROOT
            )
        assert self.process.stdout
        match = next(filter(None, (re.search(r"serves on (http://\S+)", line) for line in self.process.stdout)), None)
        assert match, self.log.read_text()
        self.base = match[1]
        self.samples: list[Sample] = []
        self.backups: list[float] = []

    def command(self, *words: str) -> str:
        """What a command of run.py prints, on the same data. Raises CalledProcessError."""
        command = [sys.executable, "-c", RUN, *words]
        # Its own temporary files are no matter of the server.
        environment = self._environment | {"TMPDIR": str(self.folder)}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=ROOT)
        return done.stdout

    def look(self, client: httpx.Client, start: float) -> Sample:
        """A sample, kept and returned."""
        began = time.monotonic()
        health = client.get("/healthz")
        took = time.monotonic() - began
        assert health.json()["status"] == "ok", health.text
        at = round(began - start, 1)
        seen = sample(self.process.pid, self.data, self.temporary, at, round(1000 * took, 1))
        self.samples.append(seen)
        # At once: they tell of a run that is cut off, too.
        with (self.folder / "samples.csv").open("a", newline="") as file:
            csv.writer(file).writerows([seen] if self.samples[1:] else [Sample._fields, seen])
        return seen

    def back_up(self) -> None:
        """Make a backup beside the data, and delete it."""
        target, began = self.folder / "backup", time.monotonic()
        self.command("backup", str(target))
        self.backups.append(time.monotonic() - began)
        target.unlink()


def load(soaked: Soaked, accounts: Iterable[Account], ledger: Ledger, minutes: float) -> None:
    """Let the accounts work, and look every now and then."""
    for account in accounts:
        account.start()
    end = ledger.start + 60 * minutes
    due, backup_due = ledger.start, ledger.start + min(BACKUP_EVERY, 20 * minutes)
    with httpx.Client(base_url=soaked.base, timeout=60) as client:
        while (now := time.monotonic()) < end:
            seen = soaked.look(client, ledger.start)
            if len(soaked.samples) % 30 == 1:
                print(f"  {seen}", flush=True)
            if now >= backup_due:
                soaked.back_up()
                backup_due += BACKUP_EVERY
            due = max(due + min(EVERY, 1.5 * minutes), time.monotonic())
            time.sleep(max(0.0, min(due, end) - time.monotonic()))
        for account in accounts:
            account.stopped.set()
        for account in accounts:
            account.join(100)
        settled = time.monotonic() + SETTLED
        while client.get("/healthz").json()["indexing"] and time.monotonic() < settled:
            time.sleep(1)
        time.sleep(10)  # connections that are kept alive close, readers end
        soaked.look(client, ledger.start)


def judge(soaked: Soaked, ledger: Ledger, minutes: float) -> list[str]:
    """Print how the last quarter compares with the second one; what has grown that should not."""
    working, last = soaked.samples[:-1], soaked.samples[-1]
    quarters = [[seen for seen in working if part <= seen.at / (15 * minutes) < part + 1] for part in range(4)]
    broken = []

    def row(name: str, value: Callable[[Sample], float], most_more: float | None = None, share: float = 0.0) -> None:
        medians = [statistics.median(map(value, samples)) for samples in quarters]
        most = max(map(value, working))
        print(f"| {name} | {' | '.join(f'{median:,.1f}' for median in medians)} | {most:,.1f} | {value(last):,.1f} |")
        if most_more is not None and medians[3] > medians[1] * (1 + share) + most_more:
            broken.append(f"{name}: {medians[1]:,.1f}, at the end {medians[3]:,.1f}")

    print("\n| median of | 1st quarter | 2nd | 3rd | 4th | most | after |\n|---|---|---|---|---|---|---|")
    row("server, MB", lambda seen: seen.server_mb, 0, MORE_MEMORY)
    row("server without mapped files, MB", lambda seen: seen.server_own_mb, 0, MORE_MEMORY)
    row("embedder, MB", lambda seen: seen.embedder_mb, 0, MORE_MEMORY)
    row("readers, MB", lambda seen: seen.readers_mb)
    row("other children, MB", lambda seen: seen.other_mb, 0, MORE_MEMORY)
    row("descriptors", lambda seen: seen.descriptors, MORE_DESCRIPTORS)
    row("threads", lambda seen: seen.threads, MORE_THREADS)
    row("children that stay", lambda seen: seen.children - seen.readers, 0)
    row("readers", lambda seen: seen.readers)
    row("database, MB", lambda seen: seen.database_mb)
    row("WAL, MB", lambda seen: seen.wal_mb)
    row("temporary files", lambda seen: seen.temporary_files + seen.open_temporary)
    row("/healthz, ms", lambda seen: seen.health_ms)
    broken += [f"WAL of {seen.wal_mb} MB" for seen in working if seen.wal_mb > WAL_MB][:1]
    broken += [f"readers left: {last.readers}"] * bool(last.readers)
    broken += [f"open temporary files left: {last.open_temporary}"] * bool(last.open_temporary)
    busy = (last.cpu - working[0].cpu) / (last.at - working[0].at)
    backups = f"{len(soaked.backups)} backups, {max(soaked.backups, default=0):.1f} s at most"
    print(f"\nprocessor: {busy:.2f} cores for the server and its children; {backups}")
    return broken


def tell(ledger: Ledger, minutes: float) -> list[str]:
    """Print how requests ended and how long they took; the statuses that must not be."""
    print(
        "\n| request | statuses (0: the client left) | p50 / p95 / max, s | p50, 2nd and 4th quarter |\n|---|---|---|---|"
    )
    for kind in sorted({request.kind for request in ledger.requests}):
        of_kind = [request for request in ledger.requests if request.kind == kind]
        ended = Counter(request.status for request in of_kind)
        times = sorted(request.seconds for request in of_kind)
        medians = [
            statistics.median([r.seconds for r in of_kind if part <= r.at / (15 * minutes) < part + 1] or [0.0])
            for part in (1, 3)
        ]
        figures = f"{statistics.median(times):.2f} / {times[int(0.95 * len(times))]:.2f} / {times[-1]:.2f}"
        statuses = ", ".join(f"{count} x {status}" for status, count in sorted(ended.items()))
        print(f"| {kind} | {statuses} | {figures} | {medians[0]:.2f}, {medians[1]:.2f} |")
    faulty = Counter(each.status for each in ledger.requests if each.status >= 500 and each.status not in BUSY)
    failed = [f"{count} x {status}" for status, count in faulty.items()]
    return [*failed, *ledger.faults[:5]]


def keep(soaked: Soaked, ledger: Ledger) -> None:
    """Write the requests, and the plot of the samples."""
    with (soaked.folder / "requests.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("kind", "at", "seconds", "status"), *map(astuple, ledger.requests)])
    seen = soaked.samples[:-1]
    panels = (
        ("MB", [("server", [s.server_mb for s in seen]), ("embedder", [s.embedder_mb for s in seen])]),
        ("", [("descriptors", [s.descriptors for s in seen]), ("threads", [s.threads for s in seen]),
              ("children", [s.children for s in seen]), ("temporary files", [s.temporary_files for s in seen])]),
        ("MB", [("database", [s.database_mb for s in seen]), ("WAL", [s.wal_mb for s in seen])]),
        ("ms", [("/healthz", [s.health_ms for s in seen])]),
    )  # fmt: skip
    picture = plot([s.at / 60 for s in seen], panels)
    (soaked.folder / "plot.svg").write_text(picture)


def stop(soaked: Soaked) -> list[str]:
    """End the server; what it left behind, in its log also."""
    children = descendants(soaked.process.pid)
    soaked.process.terminate()
    code = soaked.process.wait(60)
    time.sleep(0.5)
    alive, files = [pid for pid in children if lives(pid)], left_files(soaked.data, soaked.temporary)
    broken = [f"exit {code}"] * bool(code) + [f"children outlive the server: {alive}"] * bool(alive)
    broken += [f"temporary files left: {[path.name for path in files]}"] * bool(files)
    traces = soaked.log.read_text().count("Traceback (most recent")
    return broken + [f"{traces} tracebacks in {soaked.log}"] * bool(traces)


def main() -> int:
    """Run it; 1 where the server has grown or failed."""
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(tempfile.mkdtemp(prefix="soak-"))
    soaked = Soaked(folder.absolute())
    print(f"{soaked.base}, process {soaked.process.pid}, all of it in {folder}", flush=True)
    try:
        keys = [soaked.command("key", "add", "soak", "--account", f"account{n}").split()[-1] for n in range(ACCOUNTS)]
        place, ledger = site(), Ledger()
        accounts = [Account(soaked.base, key, n, place, ledger, PACE) for n, key in enumerate(keys)]
        load(soaked, accounts, ledger, minutes)
        broken = tell(ledger, minutes) + judge(soaked, ledger, minutes)
        keep(soaked, ledger)
        broken += stop(soaked)
    finally:
        soaked.process.kill()
    print("broken promises:", "; ".join(broken) or "none")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
