"""The words of documents in memory say what the file says: where terms stand, and which chunks hold most of them."""

import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from deleting import delete
from docqa import store
from docqa.ingest.chunking import chunk_terms
from docqa.search.weights import bm25_of_matches, rarity
from docqa.store import recent_words
from docqa.store.chunks import Chunk
from docqa.store.database import Database
from docqa.store.full_text import occurrences
from docqa.store.recent import Recent
from docqa.store.recent_words import Words
from docqa.store.scopes import Scope, scope_of
from docqa.text.words import TERMS_VERSION, terms

pytest.importorskip("numpy")
pytestmark = pytest.mark.anyio

# Words with a beginning in common, words that are their own, numbers, compounds, and scripts without spaces.
WORDS = (
    "rents rent rental pumps pump pumping ferry ferries 12,400 3.5 2021 state-of-the-art l'eau über straße المطر والمطر "
    "契約書の期間 家賃は月額 don't A4 e.g. §12 the of"
)
VOCABULARY = WORDS.split()
ASKED = WORDS + " absent 契約"


@pytest.fixture
async def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    """Two documents of 60 chunks in turns, as where a page was read late."""
    monkeypatch.setattr(recent_words, "PAUSE", 0.0)
    db = await Database.open(tmp_path / "docqa.sqlite3")
    chance = random.Random(3)
    async with db.write() as conn:
        await store.terms.begin_rebuild(conn, TERMS_VERSION)
        await store.terms.finish_rebuild(conn)
        account = await store.accounts.account_named(conn, "alice")
        documents = [
            await store.documents.add_document(
                conn, account, doc_id=str(number), name="a", kind="txt", sha256=bytes([number]), language="en", pages=1, notes=""
            )
            for number in range(2)
        ]  # fmt: skip
        for page in range(6):
            texts = [" ".join(chance.choices(VOCABULARY, k=chance.randrange(40))) for _ in range(20)]
            rows = [(Chunk(page, place, text), chunk_terms("", "", text)) for place, text in enumerate(texts)]
            await store.chunks.add_chunks(conn, documents[page % 2], rows)
    yield db
    await db.close()


async def scope_and_words(db: Database, documents: list[int]) -> tuple[Scope, Words]:
    async with db.read() as conn:
        scope = await scope_of(conn, documents)
    assert db.words.get(scope.ranges, scope.size) is None, "they are read for the next question"
    db.words.wait()
    words = db.words.get(scope.ranges, scope.size)
    assert words is not None
    return scope, words


@pytest.mark.parametrize("documents", [[1], [1, 2]])
async def test_terms_are_found_where_the_file_has_them_and_so_often(db: Database, documents: list[int]) -> None:
    scope, words = await scope_and_words(db, documents)
    sought = terms(ASKED)
    async with db.read() as conn:
        stored, at_hand = [await occurrences(conn, scope, sought, each) for each in (None, words)]
        assert at_hand.counts == stored.counts
        assert list(at_hand.counts) == list(stored.counts)
        assert len(stored.counts) > 30
        weights = {term: rarity(count, scope.size) for term, count in stored.counts.items()}
        for limit in (5, 1000):
            matched, in_memory = [
                await store.full_text.matches(conn, each, weights, limit) for each in (stored, at_hand)
            ]
            assert in_memory == matched
            assert {match.document for match in matched} == set(documents)
            assert bm25_of_matches(weights, in_memory) == bm25_of_matches(weights, matched)


async def test_a_few_terms_find_the_chunks_that_hold_one_of_them(db: Database) -> None:
    scope, words = await scope_and_words(db, [2])
    async with db.read() as conn:
        for sought in ({"ferry": 2.0}, {"absent": 1.0}, {"absent": 1.0, "ferry": 0.5, "2021": 0.0}):
            matched = await store.full_text.matches(conn, await occurrences(conn, scope, sought), sought, 50)
            assert words.best(sought, 50) == matched


async def test_numpy_is_imported_for_a_long_document_alone(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent_words, "has_numpy", lambda: False)
    async with db.read() as conn:
        scope = await scope_of(conn, [1])
    assert db.words.get(scope.ranges, scope.size) is None
    db.words.wait()
    assert db.words.get(scope.ranges, scope.size) is None, "it was not read"
    monkeypatch.setattr(recent_words, "LONG", scope.size)
    assert (await scope_and_words(db, [1]))[0] == scope


async def test_the_words_of_a_document_between_others_go_with_it(db: Database) -> None:
    async with db.write() as conn:
        await store.chunks.add_chunks(conn, 1, [(Chunk(6, 0, "pump"), "pump")])
    before, _ = await scope_and_words(db, [1, 2])
    await delete(db, "1")
    scope, words = await scope_and_words(db, [1])
    assert scope.ranges == before.ranges, "there is nothing between the chunks of the first document any more"
    assert {match.document for match in words.best(dict.fromkeys(terms(ASKED), 1.0), 1000)} == {1}
    async with db.read() as conn:
        stored = await occurrences(conn, scope, terms(ASKED))
    assert words.numbers(terms(ASKED)) == stored.counts


async def test_while_terms_are_rebuilt_none_are_kept(db: Database) -> None:
    scope, _ = await scope_and_words(db, [1])
    db.words.forget()
    async with db.write() as conn:
        await store.terms.begin_rebuild(conn, TERMS_VERSION + 1)
    for _ in range(2):
        assert db.words.get(scope.ranges, scope.size) is None
        db.words.wait()


def test_what_was_not_asked_for_longest_is_forgotten_first() -> None:
    recent = Recent[str](10)
    for key in "abc":
        recent.keep(key, key.upper(), 4)
    assert [recent.get(key) for key in "abc"] == [None, "B", "C"]
    recent.get("b")
    recent.keep("d", "D", 4)
    assert [recent.get(key) for key in "bcd"] == ["B", None, "D"]
    recent.keep("e", "E", 40)
    assert [recent.get(key) for key in "bde"] == [None, None, "E"], "the last one stays, whatever its size"
