"""What finding costs as a file grows: python tests/bench/growth.py FOLDER [--sizes 10000,100000,1000000] [--fill SECONDS]

FOLDER/PASSAGES keeps the data of each size, which are made where they are not there yet, in --fill seconds at most (a
million takes some 20 minutes). Asked are one document of 2,000 passages, a knowledge base of 100,000, and the whole
account; the question's own vector is given, and so are those of sentences. "Finding" is all up to the candidates, the
rest reads their sentences; "others" are questions that were not asked before. Each size has a process of its own. Writes
growth.json and growth.svg into FOLDER; with --before FILE, a growth.json, the drawing has its lines too.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import growth_data
import numpy as np
from growth_plot import drawn

from docqa import store
from docqa.models.embedder import Embedder
from docqa.questions.question import Part
from docqa.search.candidates import MATCHED, RETRIEVED
from docqa.search.index import Index
from docqa.search.search import RERANKED, search
from docqa.search.weights import bm25_of_matches, weigh
from docqa.store.database import Database
from docqa.store.documents import StoredDocument
from docqa.store.sql import fetch_all

SIZES = (10_000, 100_000, 1_000_000)
QUESTIONS = 40
COMMON = "what time people first year after well back"
NAMES = {"document": "one document", "base": "knowledge base", "account": "all of it"}
PARTS = ("scope", "weights", "full text", "BM25", "vectors", "similarities")


class Given(Embedder):
    """Gives every text the vector that is set: what a model takes is not measured."""

    def __init__(self) -> None:
        model = growth_data.MODEL
        super().__init__(model.name, ROOT, model.sha256, model.dimension)
        self.vector = b""

    async def encode_question(self, text: str) -> bytes:
        """The vector that is set."""
        return self.vector

    async def encode(self, texts: list[str], *, urgent: bool = False) -> list[bytes]:
        """The vector that is set, for each."""
        return [self.vector] * len(texts)


class Models:
    """The encoders of the index, by what a search asks of them."""

    def __init__(self) -> None:
        self.given = self.serving = Given()
        self.beside = None

    async def embedder_for(self, language: str, documents: Sequence[str] = ()) -> Given:
        """The one there is."""
        return self.given


def resident() -> float:
    """Memory of this process, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def questions(documents: Sequence[int], count: int) -> list[tuple[str, bytes]]:
    """(text, vector) of questions about passages of these documents, by their numbers: six of its words, one of them common."""
    chance = np.random.default_rng(3)
    made = []
    for number in chance.choice(list(documents), count):
        size = growth_data.SIZES[int(number) % len(growth_data.SIZES)]
        place = int(chance.integers(0, min(size, 100)))
        text = list(growth_data.passages(int(number), place + 1))[place][0]
        words = [word.strip(".").lower() for word in text.split() if len(word) > 3]
        vector = growth_data.vectors(int(number), size)[place] + 0.8 * chance.standard_normal(384) / np.sqrt(384)
        vector = (vector / np.linalg.norm(vector)).astype("<f4")
        made.append((f"what {' '.join(chance.choice(words, 5))}?", vector.tobytes()))
    return made


async def scopes(db: Database) -> dict[str, list[StoredDocument]]:
    """Documents to ask, by the name of the scope."""
    async with db.read() as conn:
        [(account,)] = await fetch_all(conn, "SELECT id FROM account WHERE name = ?", growth_data.ACCOUNT)
        everything = sorted(await store.askable.newest_documents(conn, account), key=lambda document: document.id)
        sizes = dict(await fetch_all(conn, "SELECT document, count(*) FROM chunk GROUP BY document"))
    base, passed = [], 0
    for document in everything:
        if passed < growth_data.FIRST_OF_BASE:
            base.append(document)
            passed += sizes[document.id]
    middle = [document for document in everything if sizes[document.id] == growth_data.SIZES[0]]
    whole = {"document": [middle[len(middle) // 2]], "base": base, "account": everything}
    return {name: documents for name, documents in whole.items() if name != "base" or len(base) < len(everything)}


def cold(path: Path) -> None:
    """Have the system forget what it holds of a file."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


async def timed(
    index: Index, models: Models, documents: list[StoredDocument], texts: Sequence[tuple[str, bytes]]
) -> list[float]:
    """Milliseconds of a whole search for each question."""
    taken = []
    for text, vector in texts:
        models.given.vector = vector
        started = time.perf_counter()
        await search(index, documents, Part(text), 5)
        taken.append((time.perf_counter() - started) * 1e3)
    return taken


async def parts(
    db: Database, documents: list[StoredDocument], texts: Sequence[tuple[str, bytes]]
) -> tuple[dict[str, float], list[float]]:
    """(milliseconds of each part of the finding, the median; of all parts together, for each question)."""
    taken: dict[str, list[float]] = {}
    whole = []
    for text, vector in texts:
        async with db.read() as conn:
            marks = [time.perf_counter()]
            scope = await store.scopes.scope_of(conn, [document.id for document in documents])
            marks.append(time.perf_counter())
            words = store.full_text.at_hand(db.words, scope)
            query = await weigh(conn, scope, Part(text).searched_terms, "en", vector, at_hand=words)
            marks.append(time.perf_counter())
            matched = await store.full_text.matches(conn, query.occurrences, query.matching, MATCHED)
            marks.append(time.perf_counter())
            bm25_of_matches(query.matching, matched)
            marks.append(time.perf_counter())
            near = await store.nearest.nearest_chunks(conn, scope, growth_data.MODEL, vector, RETRIEVED, db.vectors)
            marks.append(time.perf_counter())
            chunks = await store.chunks.by_id(conn, [hit.id for hit in near[:RERANKED]])
            await store.nearest.similarities(conn, list(chunks), growth_data.MODEL, vector)
            marks.append(time.perf_counter())
        for name, (before, after) in zip(PARTS, pairwise(marks), strict=True):
            taken.setdefault(name, []).append((after - before) * 1e3)
        whole.append((marks[-1] - marks[0]) * 1e3)
    return {name: round(statistics.median(values), 2) for name, values in taken.items()}, sorted(whole)


async def recall(db: Database, documents: list[StoredDocument], texts: Sequence[tuple[str, bytes]]) -> float:
    """The share of the true twenty nearest, by float32 and one by one, among the first twenty that are found."""
    queries = np.stack([np.frombuffer(vector, "<f4") for _, vector in texts])
    ids, cosines = [], []
    async with db.read() as conn:
        scope = await store.scopes.scope_of(conn, [document.id for document in documents])
        for document in documents:
            sql = "SELECT min(id), count(*) FROM stored_chunk WHERE document = ?"
            [(first, size)] = await fetch_all(conn, sql, document.id)
            ids.append(np.arange(first, first + size))
            whole = growth_data.SIZES[int(document.doc_id, 16) % len(growth_data.SIZES)]
            cosines.append(growth_data.vectors(int(document.doc_id, 16), whole)[:size] @ queries.T)
        every, of_every, shares = np.concatenate(ids), np.concatenate(cosines), []
        for number, (_, vector) in enumerate(texts):
            true = set(every[np.argsort(-of_every[:, number])[:20]].tolist())
            near = await store.nearest.nearest_chunks(conn, scope, growth_data.MODEL, vector, 20, db.vectors)
            shares.append(len(true & {hit.id for hit in near}) / 20)
    return round(statistics.mean(shares), 4)


async def measured(folder: Path, count: int) -> dict[str, Any]:
    """All figures of one folder."""
    path = folder / "docqa.sqlite"
    db, models = await Database.open(path), Models()
    index = Index(db, models, rerank=True)  # type: ignore[arg-type]
    idle, result, by_scope = resident(), {}, await scopes(db)
    for name, documents in by_scope.items():
        texts = questions([int(document.doc_id, 16) for document in documents], 2 * count)
        texts, fresh = texts[:count], texts[count:]
        cold(path)
        [first] = await timed(index, models, documents, texts[:1])
        await timed(index, models, documents, texts)
        await db.vectors.ready()
        await timed(index, models, documents, texts)
        await asyncio.to_thread(db.words.wait)
        taken = sorted(await timed(index, models, documents, texts))
        others = sorted(await timed(index, models, documents, fresh))
        common = await timed(index, models, documents, [(COMMON, vector) for _, vector in texts[:3]])
        medians, finding = await parts(db, documents, texts)
        cold(path)
        again = await timed(index, models, documents, texts[-3:])
        result[name] = {
            "first of all, cold": round(first, 1),
            "cold": round(statistics.median(again), 1),
            "p50": round(statistics.median(taken), 2),
            "p95": round(taken[int(0.95 * len(taken))], 2),
            "others p50": round(statistics.median(others), 2),
            "others p95": round(others[int(0.95 * len(others))], 2),
            "finding p50": round(statistics.median(finding), 2),
            "finding p95": round(finding[int(0.95 * len(finding))], 2),
            "common words": round(statistics.median(common), 2),
            "parts": medians,
        }
        print(name, result[name], file=sys.stderr, flush=True)
    grown = resident() - idle
    for name, documents in by_scope.items():
        result[name]["recall@20"] = await recall(db, documents, questions([0, 1, 2, 3], 10))
    async with db.read() as conn:
        [(size,)] = await fetch_all(conn, "SELECT count(*) FROM stored_chunk")
    await db.close()
    a_passage = round(path.stat().st_size / size)
    return {"passages": size, "scopes": result, "memory, MB": round(grown), "bytes a passage": a_passage}


def main() -> None:
    """Fill, measure each size in a process of its own, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--fill", type=float, default=3600)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--only", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.only:
        print(json.dumps(asyncio.run(measured(given.folder, given.questions))))
        return
    results = []
    for size in map(int, given.sizes.split(",")):
        made = asyncio.run(growth_data.fill(given.folder / str(size), size, given.fill))
        print(f"{made:,} passages", flush=True)
        words = [sys.executable, __file__, str(given.folder / str(size)), "--only", "--questions", str(given.questions)]
        results.append(json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout))
        (given.folder / "growth.json").write_text(json.dumps(results, indent=1))
    former = lines(json.loads(given.before.read_text())) if given.before else {}
    drawing = drawn("A search, by the passages in the file", lines(results), former)
    (given.folder / "growth.svg").write_text(drawing, "utf-8")


def lines(results: list[dict[str, Any]]) -> dict[str, list[tuple[int, float]]]:
    """(passages, milliseconds) by scope."""
    of_scopes: dict[str, list[tuple[int, float]]] = {}
    for result in results:
        for name, figures in result["scopes"].items():
            of_scopes.setdefault(NAMES[name], []).append((result["passages"], figures["p50"]))
    return of_scopes


if __name__ == "__main__":
    main()
