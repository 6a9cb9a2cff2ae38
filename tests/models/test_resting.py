"""Encoders that nobody asks are unloaded, and the next question loads them."""

import asyncio
import math
import time
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from starlette.applications import Starlette

from conftest import upload
from docqa.errors import Unavailable
from docqa.models import encoders as module
from docqa.models.embedder import Embedder
from docqa.models.encoders import Encoders
from docqa.models.verifier import Verifier
from waiting import until

pytestmark = pytest.mark.anyio


class Model:
    """A model that takes a moment to load, in the words of Embedder and Verifier."""

    def __init__(self, seconds: float = 0.05, error: Unavailable | None = None) -> None:
        self.rests, self.ready, self.loads = False, True, 0
        self.last, self._seconds, self._error = time.monotonic(), seconds, error

    @property
    def idle(self) -> float:
        return time.monotonic() - self.last if self.ready else 0.0

    async def rest(self) -> None:
        self.rests, self.ready = True, False

    async def load(self) -> None:
        self.loads += 1
        await asyncio.sleep(self._seconds)
        if self._error:
            raise self._error
        self.rests, self.ready, self.last = False, True, time.monotonic()


def encoders(embedder: Model, verifier: Model) -> Encoders:
    """Those of a server that has loaded them."""
    first, second = cast(Embedder, embedder), cast(Verifier, verifier)
    known = Encoders(first, first, second, lambda _: None, lambda: None, cast(Any, None), serving=first)
    known.begun.set()
    return known


async def test_what_is_idle_rests_and_what_is_asked_does_not() -> None:
    busy, idle = Model(), Model()
    busy.last = math.inf  # asked at any moment
    resting = asyncio.create_task(encoders(busy, idle).rest_forever(0.2))
    await until(lambda: idle.rests, "what is idle rests")
    await asyncio.sleep(0.3)
    resting.cancel()
    assert (busy.rests, idle.rests) == (False, True)


async def test_a_question_waits_until_all_that_rests_is_loaded() -> None:
    models = Model(), Model()
    known = encoders(*models)
    for model in models:
        await model.rest()
    await asyncio.gather(*(known.awake() for _ in range(3)))
    assert [(model.ready, model.loads) for model in models] == [(True, 1)] * 2


async def test_a_question_waits_for_nothing_where_nothing_rests() -> None:
    never = Model()
    never.ready = False  # its process has died: it is loaded again in the background
    await encoders(never, never).awake()
    assert not never.loads


async def test_questions_after_a_start_wait_until_the_models_are_loaded() -> None:
    known = encoders(Model(), Model())
    known.begun.clear()
    questions = [asyncio.create_task(known.awake()) for _ in range(3)]
    assert not (await asyncio.wait(questions, timeout=0.1))[0]
    known.begun.set()
    assert not (await asyncio.wait(questions, timeout=5))[1]


async def test_they_do_not_wait_long_for_models_that_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BEGUN_SECONDS", 0.2)
    known = encoders(Model(), Model())
    known.begun.clear()
    started = time.monotonic()
    await known.awake()
    assert time.monotonic() - started > 0.15
    started = time.monotonic()
    await known.awake()
    assert time.monotonic() - started < 0.15, "nor does any further question"


async def test_a_model_that_cannot_be_loaded_again_is_missed_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AWAKE_SECONDS", 1.0)
    gone, slow = Model(error=Unavailable("its file is gone")), Model(seconds=3.0)
    known = encoders(gone, slow)
    await gone.rest()
    await slow.rest()
    started = time.monotonic()
    await known.awake()
    assert time.monotonic() - started > 0.9 and not slow.ready, "nor does the question wait for long"
    started = time.monotonic()
    await known.awake()
    assert time.monotonic() - started < 0.9, "the next one does not wait once more"
    await until(lambda: slow.ready, "the slow one is loaded for the next question")


def test_a_resting_embedder_says_so() -> None:
    embedder = Embedder("some", Path("none"), "", 384)
    assert embedder.state == "stopped"
    embedder.rests = True
    assert embedder.state == "resting" and not embedder.ready


async def test_a_question_over_http_wakes_what_rests(client: httpx.AsyncClient, app: Starlette) -> None:
    doc_id = await upload(client, "The rent of the warehouse is 12,400 euros.")
    verifier = Model()
    app.state.services.encoders.verifier = verifier
    verifier.languages = frozenset()  # type: ignore[attr-defined]
    for path, body in (
        (f"/v1/chat/{doc_id}", [{"sender": "user", "message": "How much is the rent?"}]),
        ("/v1/api/retrieve", {"query": "rent", "doc_ids": [doc_id]}),
    ):
        await verifier.rest()
        assert (await client.post(path, json=body)).status_code == 200
        assert verifier.ready
    app.state.services.encoders.verifier = None
