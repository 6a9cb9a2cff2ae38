"""Passages a second of the background embedding, beside the bare model on the same passages, in one run.

    .venv/bin/python tests/bench/embed.py [PASSAGES] [DOCUMENTS]

A service of its own embeds DOCUMENTS texts of PASSAGES passages in all; then the model that it uses, in the precision that
it chose, encodes the same passages by itself on all cores, all at once and sorted by length, in the best of several
batches.
"""

import asyncio
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2])]

from docqa import ROOT, store
from docqa.api.app import create
from docqa.ingest.add import add_file
from docqa.ingest.spool import Spool
from docqa.models.measured import EIGHT_BITS
from docqa.models.sentence_encoder import load
from docqa.settings import Settings

BATCHES = (4, 8, 16, 32)
SENTENCES = (
    "The {n}th pump of the waterworks in Lauterach was overhauled by the company Aqua Nord.",
    "Its {n} seals had worn out, and the bearings ran dry twice in the course of the winter.",
    "According to the minutes of the meeting the costs of {n} euros are borne by the county.",
    "Nobody was hurt.",
    "The next inspection of pump number {n} is due in the spring, before the water rises again in the valley.",
)


def text(first: int, passages: int) -> str:
    """A text of about so many passages."""
    return "\n\n".join(
        " ".join(SENTENCES[(n * 7 + k) % 5].format(n=n * 31 + k) for k in range(6 + n % 9))
        for n in range(first, first + passages)
    )


async def embedded(folder: Path, count: int, documents: int) -> tuple[float, float, list[str], str, int]:
    """Seconds from the first batch to the last, from the upload to the end, the passages, the precision, and the bytes
    of the vectors of units."""
    app = create(replace(Settings.read({}), data=folder, reader=False, verifier=False))
    async with app.router.lifespan_context(app):
        services = app.state.services
        embedder = services.encoders.embedder
        while not embedder.ready:
            await asyncio.sleep(0.1)
        async with services.db.write() as conn:
            account = await store.accounts.account_named(conn, "bench")
        begun = time.perf_counter()
        each = count // documents
        for number in range(documents):
            data = text(number * each, each).encode()
            await add_file(services.intake, account, Spool.of(data), f"{number}.txt", "", ("body", "file"))
        added = time.perf_counter()
        while True:
            async with services.db.read() as conn:
                if not await store.jobs.indexing(conn):
                    break
            await asyncio.sleep(0.05)
        ended = time.perf_counter()
        async with services.db.read() as conn:
            passages = [row[0] for row in await conn.execute_fetchall("SELECT text FROM chunk ORDER BY id")]
            [(size,)] = await conn.execute_fetchall("SELECT sum(length(vectors)) FROM sentence_embedding_0")
        return ended - added, ended - begun, passages, embedder.precision, size


def bare(passages: list[str], precision: str) -> tuple[float, float]:
    """Passages a second of the model itself, by its best batch: where it leaves out what it cannot read in one go, and
    where it reads all of each passage."""
    models = ROOT / "models"
    [model] = load(models / "all-MiniLM-L6-v2", [precision], models / EIGHT_BITS)
    beginnings, whole = [], []
    model.encode(passages[:8])
    for model.at_once in BATCHES:
        begun = time.perf_counter()
        model.encode(passages)
        read = time.perf_counter()
        model.encode_parts(passages, [[]] * len(passages))
        beginnings.append(len(passages) / (read - begun))
        whole.append(len(passages) / (time.perf_counter() - read))
    return max(beginnings), max(whole)


def main() -> None:
    """The figures, as lines."""
    count, documents = (int(word) for word in (*sys.argv[1:], *("120", "4")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as folder:
        background, whole, passages, precision, size = asyncio.run(embedded(Path(folder), count, documents))
    (rate, whole_rate), own = bare(passages, precision), len(passages) / background
    print(f"{len(passages)} passages of {sum(map(len, passages)) / len(passages):.0f} characters, {precision}")
    print(f"bare model   {rate:6.1f} passages/s, {whole_rate:.1f} where it reads them whole")
    print(
        f"background   {own:6.1f} passages/s, {own / rate:.2f} and {own / whole_rate:.2f} of it, units and summaries among it"
    )
    print(f"from upload  {whole:6.1f} s")
    print(f"units        {size / len(passages):6.0f} bytes a passage")


if __name__ == "__main__":
    main()
