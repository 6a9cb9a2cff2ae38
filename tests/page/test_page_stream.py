"""A streamed answer in the page: it is shown while it is made, and can be stopped. The model is on another server, a
stand-in that begins an answer and never ends it, so that there is always something to stop."""

import asyncio
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import anyio.from_thread
import httpx
import pytest

from browsing import BOAT, add, enter, needs_chromium
from conftest import Server, start_server, stop_server, without_models
from stand_ins import StandIn, openai, stand_in, status, stream
from webdriver import ENTER, Browser

pytestmark = needs_chromium

STORY = [f"In year {n} the keeper of the lighthouse counts {n * 7} ships. " for n in range(1, 5)]


@pytest.fixture
def portal() -> Iterator[anyio.from_thread.BlockingPortal]:
    with anyio.from_thread.start_blocking_portal() as portal:
        yield portal


@pytest.fixture
def storyteller(portal: anyio.from_thread.BlockingPortal) -> Iterator[StandIn]:
    endless = stream(*openai(*STORY, end="")[:-1], asyncio.Event())
    with portal.wrap_async_context_manager(stand_in(status(404), endless)) as storyteller:  # it has no list of models
        yield storyteller


@pytest.fixture
def server(tmp_path: Path, storyteller: StandIn) -> Iterator[Server]:
    """A server without models of its own, whose GPT5_2 is the storyteller."""
    (tmp_path / "models.toml").write_text(f'[models]\nGPT5_2 = ["compatible:{storyteller.url}#storyteller"]\n')
    server = start_server(tmp_path / "data", **without_models(tmp_path))
    yield server
    assert stop_server(server) == 0


def test_an_answer_is_shown_while_it_is_made_and_can_be_stopped(
    page: Browser, reader: httpx.Client, portal: anyio.from_thread.BlockingPortal, storyteller: StandIn
) -> None:
    add(reader, BOAT, "boat.txt")
    enter(page, reader)
    page.run("document.querySelector('#model').value = 'GPT5_2'")
    page.run("""
        window.seen = [];
        new MutationObserver(() => {
          const text = document.querySelector("[aria-busy=true] .answer")?.textContent;
          if (text && text !== seen.at(-1)) seen.push(text);
        }).observe(document.querySelector("#talk"), { subtree: true, childList: true, characterData: true });
    """)
    # A task: what a model makes up is shown there, and marked.
    page.type("#question", "Write a long story about the keeper of the lighthouse and all of his ships." + ENTER)
    page.wait(".answer", lambda text: STORY[1].strip() in text)
    page.click("#stop")
    assert page.wait(".fault") == "Stopped."
    assert page.text("#stop") == ""
    grown = [*page.run("return seen"), page.run("return document.querySelector('.answer').textContent")]
    assert len(grown) > 1 and all(later.startswith(earlier) for earlier, later in pairwise(grown))
    portal.call(asyncio.wait_for, storyteller.abandoned.wait(), 20)
