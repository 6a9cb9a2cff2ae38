"""Among very many passages common words are counted in a sample, until they have been read into memory, and weigh only
what rare ones have found."""

import random
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest

from docqa import store
from docqa.search.weights import rarity
from docqa.store import common_terms, full_text, recent_words, scopes
from docqa.store.chunks import Chunk
from docqa.store.database import Database
from docqa.store.scopes import Scope
from docqa.text.words import TERMS_VERSION

pytestmark = pytest.mark.anyio

SIZE = 6_000
ODDS = {"common": 0.15, "usual": 0.1, "often": 0.06, "seldom": 0.01, "rare": 0.002}


@pytest.fixture
async def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    monkeypatch.setattr(full_text, "COUNTED", 100)
    monkeypatch.setattr(full_text, "SELECTED", 200)
    monkeypatch.setattr(full_text, "FEWEST", 40)
    monkeypatch.setattr(full_text, "BEGUN", 0)
    monkeypatch.setattr(recent_words, "PAUSE", 0.0)
    monkeypatch.setattr(common_terms, "PIECE", 700)
    db = await Database.open(tmp_path / "a.sqlite")
    chance = random.Random(5)
    async with db.write() as conn:
        await store.terms.begin_rebuild(conn, TERMS_VERSION)
        await store.terms.finish_rebuild(conn)
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
        scope: Scope = await scopes.scope_of(conn, [1, 2, 3])
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


async def at_hand(db: Database, monkeypatch: pytest.MonkeyPatch, documents: list[int], words: list[str]) -> Scope:
    """The scope of these documents, which is a large one, and in which words have been asked for."""
    pytest.importorskip("numpy")
    monkeypatch.setattr(full_text, "LARGE", 0)
    async with db.read() as conn:
        scope = await scopes.scope_of(conn, documents)
        await full_text.occurrences(conn, scope, words, full_text.at_hand(db.words, scope))
    db.words.wait()
    return scope


@pytest.mark.parametrize("known", [[*ODDS, "the"], ["usual", "the"], ["often", "usual", "rare"]])
@pytest.mark.parametrize(
    "words",
    [["rare", "common", "usual"], ["seldom", "often", "common"], ["common", "usual", "often"], ["rare"], ["absent"]],
)
async def test_a_common_word_that_was_asked_for_is_counted_exactly_and_finds_the_same(
    db: Database, monkeypatch: pytest.MonkeyPatch, known: list[str], words: list[str]
) -> None:
    [(exact, best), (near, _)] = await both(db, monkeypatch, words)
    scope = await at_hand(db, monkeypatch, [1, 2, 3], known)
    async with db.read() as conn:
        occurrences = await full_text.occurrences(conn, scope, words, full_text.at_hand(db.words, scope))
        assert occurrences.counts == {word: (exact if word in known else near)[word] for word in exact}
        weights = {word: rarity(exact[word], SIZE) for word in exact}
        hits = await full_text.matches(conn, occurrences, weights, 20)
        monkeypatch.setattr(full_text, "LARGE", SIZE)
        counted = await full_text.matches(conn, await full_text.occurrences(conn, scope, words), weights, SIZE)
    assert len({match.id for match in hits} & set(best)) >= min(18, len(best))
    assert all(match in counted for match in hits), "with as many of each word, in as many words"


async def test_of_documents_around_one_that_was_deleted_common_words_are_counted(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = await at_hand(db, monkeypatch, [1, 2, 3], ["common"])
    async with db.write() as conn:
        await store.deletion.delete_document(conn, await store.accounts.account_named(conn, "alice"), "1")
    parted = await at_hand(db, monkeypatch, [1, 3], ["common"])
    async with db.write() as conn:
        while await store.deletion.erase_some(conn):
            pass
    joined = await at_hand(db, monkeypatch, [1, 3], ["common"])
    assert (len(whole.ranges), len(parted.ranges), joined.ranges) == (1, 2, whole.ranges)
    numbers = []
    async with db.read() as conn:
        for scope in (parted, joined):
            occurrences = await full_text.occurrences(conn, scope, ["common"], full_text.at_hand(db.words, scope))
            hits = await full_text.matches(conn, occurrences, {"common": 1.0}, SIZE)
            assert {match.document for match in hits} == {1, 3}
            assert len(hits) == occurrences.counts["common"]
            numbers.append(len(hits))
        monkeypatch.setattr(full_text, "LARGE", SIZE)
        exact = await full_text.occurrences(conn, joined, ["common"])
    assert numbers == [exact.counts["common"]] * 2


async def test_where_there_is_room_for_no_more_a_word_is_read_when_it_is_asked_for_again(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common_terms, "BYTES", SIZE // 8 * 2)
    scope = await at_hand(db, monkeypatch, [1, 2, 3], ["common", "usual"])
    terms = db.words.common(scope.ranges, scope.size)
    assert terms is not None
    assert list(terms.known(["common", "usual", "often"])) == ["common", "usual"]
    terms.known(["common"])
    await at_hand(db, monkeypatch, [1, 2, 3], ["often"])
    assert list(terms.known(["often"])) == []
    await at_hand(db, monkeypatch, [1, 2, 3], ["often"])
    assert list(terms.known(["usual", "common", "often"])) == ["common", "often"], "usual was asked for longest ago"


async def test_while_terms_are_rebuilt_no_common_one_is_kept(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    scope = await at_hand(db, monkeypatch, [1, 2, 3], ["common"])
    db.words.forget()
    async with db.write() as conn:
        await store.terms.begin_rebuild(conn, TERMS_VERSION + 1)
    await at_hand(db, monkeypatch, [1, 2, 3], ["common"])
    terms = db.words.common(scope.ranges, scope.size)
    assert terms is not None
    assert not terms.known(["common"])


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
