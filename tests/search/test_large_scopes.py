"""Among very many passages common words are counted in a sample, and weigh only what rare ones have found."""

import random
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest

from docqa import store
from docqa.search.weights import rarity
from docqa.store import full_text
from docqa.store.chunks import Chunk
from docqa.store.database import Database
from docqa.store.full_text import Scope

pytestmark = pytest.mark.anyio

SIZE = 6_000
ODDS = {"common": 0.15, "usual": 0.1, "often": 0.06, "seldom": 0.01, "rare": 0.002}


@pytest.fixture
async def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    monkeypatch.setattr(full_text, "COUNTED", 100)
    monkeypatch.setattr(full_text, "SELECTED", 200)
    monkeypatch.setattr(full_text, "FEWEST", 40)
    monkeypatch.setattr(full_text, "BEGUN", 0)
    db = await Database.open(tmp_path / "a.sqlite")
    chance = random.Random(5)
    async with db.write() as conn:
        account = await store.accounts.account_named(conn, "alice")
        for number in range(3):
            document = await store.documents.add_document(
                conn, account, doc_id=str(number), name="a", kind="txt", sha256=bytes([number]), language="en", pages=1, notes=""
            )  # fmt: skip
            words = [[word for word, odds in ODDS.items() if chance.random() < odds] for _ in range(SIZE // 3)]
            rows = [(Chunk(1, 0, f"{number}"), " ".join(["the", *held])) for held in words]
            await store.chunks.add_chunks(conn, document, rows)
    yield db
    await db.close()


async def both(
    db: Database, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> list[tuple[dict[str, int], list[int]]]:
    """(counts, the ids of the matches) in all documents, as in a small scope and as in a large one."""
    results = []
    async with db.read() as conn:
        scope: Scope = await full_text.scope_of(conn, [1, 2, 3])
        assert scope.size == SIZE
        for large in (SIZE, 0):
            monkeypatch.setattr(full_text, "LARGE", large)
            occurrences = await full_text.occurrences(conn, scope, words)
            counts = occurrences.counts
            weights = {word: rarity(count, SIZE) for word, count in counts.items()}
            hits = await full_text.matches(conn, occurrences, weights, 20)
            results.append((dict(counts), [hit.id for hit in hits]))
    return results


async def test_rare_words_are_counted_exactly_and_common_ones_nearly(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    [(exact, _), (near, _)] = await both(db, monkeypatch, [*ODDS, "the", "absent"])
    assert near["rare"] == exact["rare"]
    assert near["seldom"] == exact["seldom"]
    assert near["the"] == SIZE
    assert "absent" not in near
    for word in ("common", "usual", "often"):
        assert near[word] == pytest.approx(exact[word], rel=0.2)


@pytest.mark.parametrize(
    "words", [["rare", "common", "usual"], ["seldom", "often", "common"], ["common", "usual", "often"]]
)
async def test_the_passages_with_most_of_the_words_are_the_same(
    db: Database, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    [(_, exact), (_, near)] = await both(db, monkeypatch, words)
    assert len(set(near) & set(exact)) >= 18


async def test_where_the_ranges_are_many_every_match_is_weighed(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(full_text, "BEGUN", 10**6)
    [(_, exact), (_, near)] = await both(db, monkeypatch, ["common", "usual", "often"])
    assert near == exact


async def test_a_sample_lies_in_the_scope_and_is_spread_over_it(monkeypatch: pytest.MonkeyPatch) -> None:
    ranges = [(1, 4_000), (10_001, 16_000), (90_001, 90_010)]
    runs = full_text._sample(ranges)
    assert all(any(first <= start <= end <= last for first, last in ranges) for start, end in runs)
    assert all(before[1] < after[0] for before, after in pairwise(runs))
    assert {start > 10_000 for start, _ in runs} == {True, False}
