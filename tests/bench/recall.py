"""How many of the truly nearest passages search by meaning finds: python tests/bench/recall.py TEXTS QUESTIONS [--most N]

Lines of the file TEXTS are embedded as passages, those of QUESTIONS as questions, by all-MiniLM-L6-v2 in this process;
the passages are stored as one document. Says of the twenty that are nearest by float32 the share among the first twenty
that are found, compared one by one as they are stored, and by the index in memory, as of more than some 20,000.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import growth_data
import numpy as np

from docqa import store
from docqa.catalog.catalog import Catalog
from docqa.models.encoder import precisions
from docqa.models.sentence_encoder import load
from docqa.store import nearest
from docqa.store.database import Database

NEAREST = 20
BATCH = 16
MODEL = growth_data.MODEL  # of as many numbers


def embedded(texts: list[str]) -> Any:
    """A row of float32 for each text, of length 1, by the model in the last of the precisions of this processor."""
    catalog = Catalog.load(ROOT / "models")
    folder = catalog.path(catalog.find("all-MiniLM-L6-v2"))
    [model] = load(folder, precisions()[-1:])
    return model.encode(texts).astype("<f4")


async def filled(path: Path, texts: list[str], vectors: Any) -> Database:
    """A database of one document, with a passage for each text; words are not what is measured."""
    db = await Database.open(path)
    async with db.write() as conn:
        account = await store.accounts.account_named(conn, growth_data.ACCOUNT)
        await store.vectors.use_model(conn, MODEL)
    await growth_data.add(db, account, 0, [(text, "") for text in texts], vectors)
    return db


async def places(db: Database, questions: Any) -> list[list[int]]:
    """The places of the passages that are found for each question."""
    async with db.read() as conn:
        scope = await store.scopes.scope_of(conn, [1])
        first = scope.ranges[0][0]
        hits = [
            await nearest.nearest_chunks(conn, scope, MODEL, question.tobytes(), NEAREST, db.vectors)
            for question in questions
        ]
    return [[hit.id - first for hit in of_question] for of_question in hits]


def share(true: Any, own: list[list[int]]) -> str:
    shares = [len(set(row.tolist()) & set(of_question)) / NEAREST for row, of_question in zip(true, own, strict=True)]
    return f"{statistics.mean(shares):.4f}, in the worst twentieth of questions at most {np.percentile(shares, 5):.2f}"


async def measured(texts: list[str], questions: list[str]) -> None:
    started = time.perf_counter()
    vectors, of_questions = embedded(texts), embedded(questions)
    print(f"{len(texts):,} passages, {len(questions):,} questions; embedded in {time.perf_counter() - started:.0f} s")
    true = np.argsort(-(of_questions @ vectors.T), axis=1)[:, :NEAREST]
    with tempfile.TemporaryDirectory() as folder:
        db = await filled(Path(folder) / "docqa.sqlite", texts, vectors)
        try:
            nearest.SCANNED, scanned = len(texts), nearest.SCANNED
            print(f"one by one: recall@{NEAREST} {share(true, await places(db, of_questions))}")
            nearest.SCANNED = scanned
            await places(db, of_questions[:1])  # wants the index, where there are enough for one
            await db.vectors.ready()
            if db.vectors.is_made(MODEL):
                print(f"by the index: recall@{NEAREST} {share(true, await places(db, of_questions))}")
        finally:
            await db.close()


def main() -> None:
    """Read the files and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--most", type=int, default=30_000)
    given = parser.parse_args()
    texts, questions = (
        list(dict.fromkeys(path.read_text("utf-8").splitlines())) for path in (given.texts, given.questions)
    )
    asyncio.run(
        measured([text for text in texts if text.strip()][: given.most], [each for each in questions if each.strip()])
    )


if __name__ == "__main__":
    main()
