"""How quick the PDF reader is beside bare PyMuPDF, and whether its memory grows with the pages.

    .venv/bin/python tests/bench/pdf.py FILE.pdf ...

Pages per CPU second of `get_text()`, of the reader with all its layout work, and of all that is stored before 201:
passages, their terms, tables; on the same files in turns, three rounds; the ratio is what counts. Then the peak memory
of the child process that reads 200 and 4,000 pages made here. `bulk.py` measures uploads to a server.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import pymupdf

from docqa.formats import reading
from docqa.ingest.preparation import of_document

ROUNDS = 3


def bare(data: bytes) -> int:
    return sum(1 for page in pymupdf.open(stream=data, filetype="pdf") if page.get_text() is not None)


def ours(data: bytes) -> int:
    return sum(1 for _ in reading.read(data, "a.pdf").pages)


def stored(data: bytes) -> int:
    about: dict[str, Any] = {}
    return sum(1 for kind, _ in of_document(reading.read(data, "a.pdf"), about) if kind == "page")


def seconds(read: Callable[[bytes], int], data: bytes) -> tuple[float, int]:
    start = time.process_time()
    count = read(data)
    return time.process_time() - start, count


def made(count: int) -> bytes:
    document = pymupdf.open()
    for number in range(count):
        page = document.new_page()
        page.insert_text((72, 40), "Annual report")
        page.insert_textbox(
            (72, 100, 500, 700),
            f"Page {number} speaks of rent. " + "The tenant pays on the first day of each month. " * 40,
        )
        page.insert_text((280, 810), str(number + 1))
    return bytes(document.tobytes(deflate=True))


REPORTING = """
import asyncio, resource, sys
from docqa.ingest.children import Limits
from docqa.ingest.reader import prepare
asyncio.run(prepare(sys.stdin.buffer.read(), "a.pdf", limits=Limits(600, 4096))).close()
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak_mb(data: bytes) -> float:
    """Peak memory of the child that reads the file as an upload is read."""
    run = subprocess.run([sys.executable, "-c", REPORTING], input=data, capture_output=True, cwd=ROOT, check=True)
    return int(run.stdout) / 1024


def main() -> None:
    total = {bare: 0.0, ours: 0.0, stored: 0.0}
    pages = 0
    for name in sys.argv[1:]:
        data = Path(name).read_bytes()
        for _ in range(ROUNDS):
            for read in total:
                spent, count = seconds(read, data)
                total[read] += spent
            pages += count
    if pages:
        print(f"{pages // ROUNDS} pages: get_text {pages / total[bare]:.0f} pages/s")
        for what, read in {"reader": ours, "all that is stored": stored}.items():
            print(f"{what} {pages / total[read]:.0f} pages/s, {total[bare] / total[read]:.2f} of get_text")
    for count in (200, 4000):
        data = made(count)
        print(f"{count} pages, {len(data) / 1e6:.1f} MB: peak {peak_mb(data):.0f} MB")


if __name__ == "__main__":
    main()
