"""What is wanted of the figures that `bench` measures, and the machine that they are of."""

import json
import platform
from collections.abc import Mapping
from pathlib import Path

from docqa.catalog.machine import find_machine, processor
from docqa.models.measured import FILE as PRECISIONS

# At most so many seconds, on two cores of a server with AVX2, by the name of the measure. What has no goal here depends
# on the model, or is held against the bare parts by tests/bench/.
SECONDS: Mapping[str, float] = {
    "start": 0.6,
    "embedder ready": 6.0,
    "page read in": 1 / 250,
    "answer in quotes": 0.25,
}
# At most so many bytes, likewise.
BYTES: Mapping[str, float] = {"server": 60e6, "all processes": 450e6}


def machine(data: Path) -> dict[str, str]:
    """What figures depend on; `data` is the folder of a server that has run here."""
    here = find_machine()
    return {
        "processor": processor() or platform.machine(),
        "cores": str(here.cores),
        "memory": f"{here.memory / 1e9:.0f} GB",
        "system": platform.platform(terse=True),
        "Python": platform.python_version(),
        "precision": ", ".join(sorted(_precisions(data))) or "-",
    }


def _precisions(data: Path) -> set[str]:
    """In which precisions the models have been faster."""
    try:
        measured = json.loads((data / PRECISIONS).read_text("utf-8"))
    except FileNotFoundError:
        return set()
    return {str(each["precision"]) for each in measured.values() if "precision" in each}
