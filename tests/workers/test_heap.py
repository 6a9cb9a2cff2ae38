"""What a process has freed goes back to the system, and its threads share heaps."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest

from docqa import ROOT

# A large block is freed, after which glibc by itself takes a smaller one from its heap, and keeps it when it is freed
# below something that stays.
CHURN = """
from pathlib import Path
from docqa.workers.heap import return_freed
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

# Each thread takes memory of the C library, which then tells its heaps.
HEAPS = """
import ctypes, re, sys, threading
from pathlib import Path
from docqa.workers.heap import keep_one_heap
{first}
c = ctypes.CDLL(None)
c.malloc.restype = c.fopen.restype = ctypes.c_void_p
c.malloc.argtypes, c.fclose.argtypes = [ctypes.c_size_t], [ctypes.c_void_p]
c.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
threads = [threading.Thread(target=c.malloc, args=(100,)) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
file = c.fopen(sys.argv[1].encode(), b"w")
c.malloc_info(0, file)
c.fclose(file)
print(len(re.findall("<heap nr", Path(sys.argv[1]).read_text())))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps it")
def test_what_was_freed_goes_back_to_the_system() -> None:
    def kept_mb(first: str) -> int:
        command = [sys.executable, "-c", CHURN.format(first=first)]
        return int(subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout)

    assert kept_mb("") >= 18  # or this would test nothing
    assert kept_mb("return_freed()") <= 4


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc gives threads heaps of their own")
def test_threads_of_a_models_process_share_one_heap(tmp_path: Path) -> None:
    def heaps(first: str) -> int:
        command = [sys.executable, "-c", HEAPS.format(first=first), str(tmp_path / "heaps")]
        return int(subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout)

    assert heaps("") > 1  # or this would test nothing
    assert heaps("keep_one_heap()") == 1
