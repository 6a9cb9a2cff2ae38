"""Where packages come from beside PyPI, and whether it can be reached. Standard library only."""

import json
import os
import subprocess
import threading
import urllib.request
from collections.abc import Mapping, Sequence
from urllib.error import HTTPError

TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
LLAMA_INDEX = "https://abetlen.github.io/llama-cpp-python/whl/cpu"
REACH_SECONDS = 3.0


def without_indexes(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of a pip that uses only what its arguments name."""
    return {name: value for name, value in environ.items() if not name.startswith("PIP_")} | {
        "PIP_CONFIG_FILE": os.devnull
    }


def chooses_cpu_build(pip: Sequence[str], torch: str) -> bool:
    """Whether a pip command, as configured on this machine, would choose a CPU build for the requirement `torch`."""
    options = ("--dry-run", "--ignore-installed", "--no-deps", "--quiet", "--report", "-")
    report = subprocess.run([*pip, "install", *options, torch], capture_output=True, text=True, check=False)
    return report.returncode == 0 and any(
        "+cpu" in package["metadata"]["version"] for package in json.loads(report.stdout)["install"]
    )


def reachable(address: str, seconds: float = REACH_SECONDS) -> bool:
    """Whether `address` answers without an error within `seconds`, including the name look-up."""
    answered = threading.Event()

    def request() -> None:
        try:
            urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=seconds).close()
        except HTTPError as error:
            if error.code >= 400:
                return
        except OSError:
            return
        answered.set()

    # In a thread: nothing else limits the time of a name look-up.
    thread = threading.Thread(target=request, daemon=True)
    thread.start()
    thread.join(seconds)
    return answered.is_set()
