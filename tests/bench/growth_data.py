"""A data folder of many passages for growth.py, made at once: words by their frequency in English, vectors in clusters.

Words of a document repeat in it, as in real ones: three of ten are drawn from some two hundred of its own. A vector is
near that of its subject, of which a document has some twenty. What is made depends on the number of the document alone,
so that a folder grows where it ended.
"""

import itertools
import string
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from wordfreq import top_n_list

from docqa import store
from docqa.ingest.chunking import chunk_terms
from docqa.store.chunks import Chunk
from docqa.store.database import Database
from docqa.store.documents import PageRow
from docqa.store.vector_index import StoredModel
from docqa.text.packed_terms import packed_terms

MODEL = StoredModel("growth", "0" * 64, 384)
ACCOUNT = "growth"
WORDS = 50_000
OWN_WORDS, OWN = 200, 0.3  # of a document: how many, and their share of its text
SENTENCE, SENTENCES = 13, 11  # words, and sentences of a passage: some 900 characters
SUBJECT = 50  # passages in a row
NEAR = 0.65  # cosine of a passage to its subject, about that of two passages of a chapter by all-MiniLM-L6-v2: 0.4
SIZES = (2000, 200, 1200, 400, 1000, 1600, 600)  # passages of documents, in turn
FIRST_OF_BASE = 100_000  # passages: the documents with the first of them are a knowledge base

_VOCABULARY = [word for word in top_n_list("en", 2 * WORDS) if set(word) <= set(string.ascii_lowercase)][:WORDS]
_TERMS = [packed_terms(word)[1:] for word in _VOCABULARY]
_ODDS = 1 / (np.arange(len(_VOCABULARY)) + 2.7)
_CUMULATED = np.cumsum(_ODDS / _ODDS.sum())


def passages(document: int, size: int) -> Iterator[tuple[str, str]]:
    """(text, search terms) of each passage of the document of this number."""
    chance = np.random.default_rng([1, document])
    own = chance.integers(100, len(_VOCABULARY), OWN_WORDS)
    for _ in range(size):
        count = SENTENCE * SENTENCES
        drawn = np.minimum(np.searchsorted(_CUMULATED, chance.random(count)), len(_VOCABULARY) - 1)
        drawn = np.where(chance.random(count) < OWN, own[chance.integers(0, OWN_WORDS, count)], drawn)
        words = [_VOCABULARY[index] for index in drawn]
        sentences = (" ".join(words[start : start + SENTENCE]) for start in range(0, count, SENTENCE))
        yield ". ".join(map(str.capitalize, sentences)) + ".", " " + "".join(_TERMS[index] for index in drawn)


def vectors(document: int, size: int) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    """A row for each passage of the document of this number, of length 1."""
    chance = np.random.default_rng([2, document])
    subjects = chance.standard_normal((-(-size // SUBJECT), MODEL.dimension)).repeat(SUBJECT, axis=0)[:size]
    subjects /= np.linalg.norm(subjects, axis=1, keepdims=True)
    own = chance.standard_normal((size, MODEL.dimension))
    own /= np.linalg.norm(own, axis=1, keepdims=True)
    mixed = NEAR * subjects + np.sqrt(1 - NEAR**2) * own
    return (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype("<f4")


async def fill(folder: Path, size: int, seconds: float) -> int:
    """Make the folder's file one of `size` passages, or as far as it gets in the time; how many it then has."""
    db = await Database.open(folder / "docqa.sqlite")
    try:
        until = _Clock(seconds)
        async with db.write() as conn:
            account = await store.accounts.account_named(conn, ACCOUNT)
            await store.vectors.use_model(conn, MODEL)
            [[(first,)], [(reached,)]] = [
                list(await conn.execute_fetchall(f"SELECT count(*) FROM {table}")) for table in ("document", "chunk")
            ]
        for number, wanted in itertools.islice(enumerate(itertools.cycle(SIZES)), int(first), None):
            if reached >= size or until.passed:
                break
            await _add(db, account, number, min(wanted, size - reached))
            reached += min(wanted, size - reached)
        return int(reached)
    finally:
        await db.close()


async def _add(db: Database, account: int, number: int, size: int) -> None:
    made = list(passages(number, size))
    if number == 0:
        text, stored = made[0]
        assert chunk_terms("", "", text) == stored, "what is stored is what the tokeniser makes"
    await add(db, account, number, made, vectors(number, size))


async def add(
    db: Database,
    account: int,
    number: int,
    made: list[tuple[str, str]],
    of_passages: "np.ndarray[tuple[int, int], np.dtype[np.float32]]",
) -> None:
    """Store passages, (text, search terms) each, with their vectors as the document of this number, three on a page."""
    pages = [made[start : start + 3] for start in range(0, len(made), 3)]
    async with db.write() as conn:
        document = await store.documents.add_document(
            conn, account, doc_id=f"{number:024x}", name=f"Report {number}.txt", kind="txt",
            sha256=number.to_bytes(32), language="en", pages=len(pages), notes="",
        )  # fmt: skip
        texts = ["\n\n".join(text for text, _ in page) for page in pages]
        await store.documents.add_pages(
            conn, document, (PageRow(n, "", text, "", "[]", 0) for n, text in enumerate(texts, 1))
        )
        await store.chunks.add_chunks(conn, document, _chunks(pages))
        first = (await store.vectors.chunks_to_embed(conn, document, 1))[0][0]
        rows = [(first + n, row.tobytes()) for n, row in enumerate(of_passages)]
        await store.vectors.set_embeddings(conn, rows)
        await store.jobs.finish_document(conn, document, "ready", "")


def _chunks(pages: list[list[tuple[str, str]]]) -> Iterator[tuple[Chunk, str]]:
    for number, page in enumerate(pages, 1):
        start = 0
        for text, stored in page:
            yield Chunk(number, start, text), stored
            start += len(text) + 2


class _Clock:
    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    @property
    def passed(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self._until
