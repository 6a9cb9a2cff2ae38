"""Environments for what is compared, each with the packages of one program and of nothing else.

The others get PyTorch for processors alone, as this program takes it where it needs it, then the rest. What pip has
downloaded for one is not at hand for the next.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from docqa import ROOT
from docqa.cli.processes import size_of
from docqa.errors import CannotStart
from docqa.setup.packages import TORCH, Installer
from docqa.setup.requirements import BASE, requirements

# What their documentation tells to install for PDF and text files, an embedder on this machine and a store on its disk.
PEERS: Mapping[str, tuple[str, ...]] = {
    "txtai": ("txtai>=9.14,<10", "chonkie>=1.7,<2", "pypdf>=6,<7"),
    "llamaindex": (
        "llama-index-core>=0.14.25,<0.15",
        "llama-index-readers-file>=0.7,<0.8",
        "llama-index-embeddings-huggingface>=0.8,<0.9",
        "llama-index-vector-stores-chroma>=0.6,<0.7",
    ),
}
_KEPT = "installed.json"


@dataclass(frozen=True)
class Installed:
    """What installing took, and its Python."""

    seconds: float
    bytes: int
    python: Path


def installed(name: str, folder: Path, *, offline: bool) -> Installed:
    """Install what `name` needs into a folder, from the network, unless that was done before. Raises CannotStart."""
    root, kept = folder / name, folder / name / _KEPT
    installer = Installer(root=root, offline=offline)
    if not kept.exists():
        root.mkdir(parents=True, exist_ok=True)
        started = time.perf_counter()
        with _nothing_at_hand():
            failure = installer.install(*_group(name))
        if failure:
            raise CannotStart(f"{name} could not be installed for the comparison: {failure}")
        measured = {"seconds": time.perf_counter() - started, "bytes": size_of(installer.venv)}
        kept.write_text(json.dumps(measured), "utf-8")
    return Installed(**json.loads(kept.read_text("utf-8")), python=installer.python)


def _group(name: str) -> tuple[str, list[str]]:
    """What is to be installed, and as which group: of TORCH the installer takes PyTorch without what graphics cards
    need."""
    groups = requirements(ROOT)
    if name not in PEERS:
        return "embedding", [*groups[BASE], *groups["scans"], *groups["embedding"]]
    torch = [line for line in groups[TORCH] if line.startswith("torch==")]
    return TORCH, [*torch, *PEERS[name]]


@contextmanager
def _nothing_at_hand() -> Iterator[None]:
    before = os.environ.get("PIP_NO_CACHE_DIR")
    os.environ["PIP_NO_CACHE_DIR"] = "1"
    try:
        yield
    finally:
        del os.environ["PIP_NO_CACHE_DIR"]
        if before is not None:
            os.environ["PIP_NO_CACHE_DIR"] = before
