"""What was measured of a model on this machine, kept in one file, so that a later start need not measure it again.

Each entry names the processor, the threads and the versions of the libraries: with others it says nothing.
"""

import json
import logging
import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from docqa.catalog.machine import processor

log = logging.getLogger(__name__)

FILE = "model-precisions.json"
EIGHT_BITS = "eight-bits"  # the folder, in that of models, with matrices in eight bits, where these are faster
LIBRARIES = ("openvino",)

Measurement = dict[str, Any]


def circumstances(model: Sequence[str], threads: int) -> str:
    """What a measurement depends on, as one line; `model` is what identifies the model and its use."""
    versions = ", ".join(f"{library} {version(library)}" for library in LIBRARIES)
    return f"{' '.join(model)}, {threads} threads of {processor() or platform.machine()}, {versions}"


def kept(path: Path | None, key: str) -> Measurement:
    """What was measured under these circumstances, {} if nothing was or the file cannot be read."""
    return _read(path).get(key, {}) if path else {}


def keep(path: Path | None, key: str, measurement: Measurement) -> None:
    """Keep a measurement. A file that cannot be written is logged: the next start measures again."""
    if path is None:
        return
    part = path.with_suffix(f".{os.getpid()}.part")  # two models may be loaded at the same time
    try:
        part.write_text(json.dumps(_read(path) | {key: measurement}, indent=1) + "\n", "utf-8")
        part.replace(path)
    except OSError as error:
        log.warning("%s cannot be written, so a later start measures again: %s", path, error)


def _read(path: Path) -> dict[str, Measurement]:
    try:
        raw = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        log.warning("%s cannot be read, and is written anew: %s", path, error)
        return {}
    return {key: value for key, value in raw.items() if isinstance(value, dict)} if isinstance(raw, dict) else {}
