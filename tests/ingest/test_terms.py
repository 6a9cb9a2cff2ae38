"""The terms of full-text search after an upgrade that changes the tokeniser."""

import asyncio
from contextlib import suppress

import pytest

from conftest import client_of, key_for, upload
from docqa import store
from docqa.api.app import create
from docqa.ingest import terms
from docqa.settings import Settings
from docqa.store.database import Database
from docqa.store.sql import change
from docqa.text.words import TERMS_VERSION
from waiting import until

pytestmark = pytest.mark.anyio

RENTS = [f"The rent of flat {number} is due in May." for number in range(5)]


async def with_old_terms(settings: Settings) -> list[str]:
    """The doc_ids of documents whose terms are those of an older version."""
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        doc_ids = [await upload(client, text) for text in RENTS]
        async with app.state.services.db.write() as conn:
            await change(conn, "UPDATE stored_chunk SET terms = 'obsolete'")
            await change(conn, "UPDATE full_text SET version = ?", TERMS_VERSION - 1)
    return doc_ids


async def is_current(db: Database) -> bool:
    async with db.read() as conn:
        return await store.terms.is_current(conn, TERMS_VERSION)


async def stored_terms(db: Database) -> list[str]:
    async with db.read() as conn:
        return [row[0] for row in await conn.execute_fetchall("SELECT terms FROM chunk ORDER BY id")]


async def test_a_new_database_is_of_todays_version(settings: Settings) -> None:
    app = create(settings)
    async with app.router.lifespan_context(app):
        await until(lambda: is_current(app.state.services.db), "the terms of an empty database are current")


async def test_after_an_upgrade_old_documents_are_found_again(settings: Settings) -> None:
    doc_ids = await with_old_terms(settings)
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        await until(lambda: is_current(app.state.services.db), "the terms are rebuilt")
        for query, count in (("rent", 1), ("obsolete", 0)):
            response = await client.post("/v1/api/retrieve", json={"query": query, "doc_ids": doc_ids[:1]})
            assert len(response.json()["results"]) == count, query


async def test_until_its_terms_are_rebuilt_a_chunk_is_searched_by_its_old_ones(settings: Settings) -> None:
    await with_old_terms(settings)
    db = await Database.open(settings.database)
    async with db.write() as conn:
        await store.terms.begin_rebuild(conn, TERMS_VERSION)
        [first, *_] = await store.terms.chunks_to_rebuild(conn, 1)
        await store.terms.set_terms(conn, [(first.id, "new")])
        documents = [row[0] for row in await conn.execute_fetchall("SELECT id FROM document")]
        for match, count in (("obsolete", 4), ("new", 1)):
            scope = await store.scopes.scope_of(conn, documents)
            assert len(await store.full_text.holding(conn, scope, match)) == count
    await db.close()


class Interrupted(Exception):
    """Stands for the end of the process."""


async def rebuild(db: Database, monkeypatch: pytest.MonkeyPatch, stop_after: int = 99) -> list[int]:
    """The ids of the chunks that were rebuilt, two at a time, until the process ended after so many batches."""
    done: list[int] = []
    set_terms = store.terms.set_terms

    async def record(conn: object, made: list[tuple[int, str]]) -> None:
        await set_terms(conn, made)  # type: ignore[arg-type]
        if len(done) >= 2 * stop_after:
            raise Interrupted
        done.extend(id_ for id_, _ in made)

    monkeypatch.setattr(terms, "BATCH", 2)
    monkeypatch.setattr(store.terms, "set_terms", record)
    with suppress(Interrupted):
        await terms.rebuild_terms(db)
    monkeypatch.undo()
    return done


async def test_an_interrupted_rebuild_is_continued_and_leaves_out_what_came_after_it_began(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    await with_old_terms(settings)
    db = await Database.open(settings.database)
    assert await rebuild(db, monkeypatch, stop_after=1) == [1, 2]
    assert [words == "obsolete" for words in await stored_terms(db)] == [False, False, True, True, True]
    assert not await is_current(db)
    async with db.write() as conn:
        chunk = store.chunks.Chunk(1, 0, "Later.", "")
        await store.chunks.add_chunks(conn, 1, [(chunk, "later")])
    assert await rebuild(db, monkeypatch) == [3, 4, 5]
    assert await is_current(db)
    assert "obsolete" not in await stored_terms(db)
    assert await rebuild(db, monkeypatch) == []
    await db.close()


async def test_another_version_in_the_middle_begins_anew(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    await with_old_terms(settings)
    db = await Database.open(settings.database)
    await rebuild(db, monkeypatch, stop_after=1)
    async with db.write() as conn:
        await store.terms.begin_rebuild(conn, TERMS_VERSION + 1)
        assert [chunk.id for chunk in await store.terms.chunks_to_rebuild(conn, 9)] == [1, 2, 3, 4, 5]
        await store.terms.begin_rebuild(conn, TERMS_VERSION - 1)
        assert len(await store.terms.chunks_to_rebuild(conn, 9)) == 5, "the old version again, but some are mixed"
    await db.close()


async def test_that_it_is_being_rebuilt_is_said_by_healthz(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    await with_old_terms(settings)
    let_go = asyncio.Event()

    async def wait(*_: object) -> list[object]:
        await let_go.wait()
        return []

    monkeypatch.setattr(store.terms, "chunks_to_rebuild", wait)
    app = create(settings)
    async with app.router.lifespan_context(app), client_of(app) as client:

        async def noted() -> bool:
            return any("full-text index" in note for note in (await client.get("/healthz")).json()["notes"])

        await until(noted, "the note")
        let_go.set()

        async def gone() -> bool:
            return not await noted()

        await until(gone, "the note is gone")
