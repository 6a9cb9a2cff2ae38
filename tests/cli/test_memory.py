"""What the server freed goes back to the system."""

import platform
import subprocess
import sys

import pytest

from docqa import ROOT

# A large block is freed, after which glibc by itself takes a smaller one from its heap, and keeps it when it is freed
# below something that stays.
CHURN = """
from pathlib import Path
from docqa.cli.memory import return_freed
def own():
    return int(Path("/proc/self/status").read_text().split("RssAnon:")[1].split()[0])
{first}
large = b"a" * 30_000_000
del large
before = own()
smaller = b"a" * 20_000_000
stays = [b"a" * 100_000 for _ in range(20)]
del smaller
print((own() - before) // 1000)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps it")
def test_what_was_freed_goes_back_to_the_system() -> None:
    def kept_mb(first: str) -> int:
        command = [sys.executable, "-c", CHURN.format(first=first)]
        return int(subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout)

    assert kept_mb("") >= 18  # or this would test nothing
    assert kept_mb("return_freed()") <= 4
