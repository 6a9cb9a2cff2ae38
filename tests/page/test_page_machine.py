"""The machine in the page: models are added with one click and in the settings, with progress and cancel; what other
accounts see."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from browsing import LEASE, add, ask, enter, eventually, needs_chromium
from conftest import Server, start_server, stop_server
from docqa.catalog.catalog import SHIPPED, Catalog
from docqa.models.chat.local import available
from hub import Hub
from stand_ins import free_port
from webdriver import Browser

CATALOG = """
[[model]]
name = "Tiny-Chat"
kind = "gguf"
licence = "Apache-2.0"
languages = ["en"]
size_mb = {size}
optional = true
[model.hub]
repository = "somebody/tiny"
revision = "main"
pattern = "*.gguf"
"""
FILE = Catalog.load(SHIPPED.parent).find("SmolLM2-135M-Instruct").files[0].path
pytestmark = [
    needs_chromium,
    pytest.mark.skipif(
        not (available() and (SHIPPED.parent / FILE).exists()), reason="needs llama-cpp-python and SmolLM2"
    ),
]
WHY = "Why is the rent due on the third working day?"


@pytest.fixture
def hub() -> Iterator[Hub]:
    pytest.importorskip("huggingface_hub")
    with Hub({"somebody/tiny": {FILE: (SHIPPED.parent / FILE).read_bytes()}}) as hub:
        yield hub


@pytest.fixture
def server(tmp_path: Path, hub: Hub) -> Iterator[Server]:
    """A server without models, whose catalogue has a real one that the hub on loopback has."""
    (tmp_path / "models").mkdir()
    size = round((SHIPPED.parent / FILE).stat().st_size / 1e6)
    (tmp_path / "models" / "catalog.toml").write_text(CATALOG.format(size=size))
    (tmp_path / "models" / "models.toml").write_text(
        f'[models]\nGPT5_2 = ["compatible:http://127.0.0.1:{free_port()}/v1#gone", "openai:gpt-5.2", "quotes"]\n'
    )
    environ = {"DOCQA_MODELS": str(tmp_path / "models"), "DOCQA_EMBEDDER": "none", "HF_ENDPOINT": hub.address}
    server = start_server(tmp_path / "data", **environ)
    yield server
    assert stop_server(server) == 0


@pytest.fixture
def owner(server: Server) -> Iterator[httpx.Client]:
    """A client with the first key."""
    with server.client() as client:
        yield client


def test_an_answer_that_gains_by_a_model_adds_it_with_one_click_and_is_asked_again(
    page: Browser, owner: httpx.Client, hub: Hub
) -> None:
    add(owner, LEASE, "lease.txt")
    enter(page, owner)
    ask(page, "How much is the monthly rent?")
    ask(page, WHY)
    size = (SHIPPED.parent / FILE).stat().st_size / 1e6
    offered = page.wait(".better")
    assert "could run the language model Tiny-Chat" in page.text("#proposal")
    assert f"get better with a language model: add Tiny-Chat, {size:.0f} MB." in offered
    assert page.run("return document.querySelectorAll('#talk > li:first-child .better').length") == 0, "a fact"
    hub.held_after[FILE] = 60_000_000
    page.click(".better button")
    page.wait(".better .pull", lambda text: re.search(r"5\d %", text) is not None)
    assert page.label(".better button") == "Cancel Tiny-Chat"
    page.click(".better button")
    page.wait(".better button", lambda text: text == "Add")
    assert owner.get("/v1/api/machine/models").json()["models"][0]["download"] is None
    hub.go_on.set()
    page.click(".better button")
    page.wait(".better", lambda text: text == "Tiny-Chat answers from now on. Ask again to see what it says.")
    page.wait("#setup", lambda text: text == "")
    assert hub.requested[FILE][-1] > 0, "the second download goes on where the first was cancelled"
    assert page.run("return document.querySelector('#model').value") == "TINY_CHAT"
    page.click("#talk > li:last-child > .row:not(.better) button:nth-child(2)")
    # It wrote the answer, or quotes stand in the place of what it wrote, which the answer says.
    page.wait("#talk > li:nth-child(3)[aria-busy=false]", lambda text: "TINY_CHAT" in text, 60)
    page.reload()
    page.wait("#tab-documents")
    assert page.run("return document.querySelector('#model').value") == "TINY_CHAT", "it is remembered"


def test_in_the_settings_a_model_is_downloaded_tried_and_removed(page: Browser, owner: httpx.Client, hub: Hub) -> None:
    enter(page, owner)
    page.click("#open-settings")
    text = page.wait("#settings-body", lambda text: "Tiny-Chat" in text)
    assert "No models yet." in text and "writes answers" in text and "English" in text and "proposed" in text
    assert page.label(".models button") == f"Download Tiny-Chat, {(SHIPPED.parent / FILE).stat().st_size / 1e6:.0f} MB"
    page.click(".models button")
    page.wait(".models", lambda text: "named TINY_CHAT in chats" in text)
    # The list in chats is asked for beside the settings, and may come after them.
    page.wait("#model", lambda text: "TINY_CHAT" in text)
    page.click(".models button")
    page.wait(".models .result", lambda text: "tokens a second" in text and "Why does bread dough rise?" in text)
    page.click(".models button:nth-child(2)")
    assert page.accept().startswith("Remove Tiny-Chat (")
    page.wait("#settings-body", lambda text: "No models yet." in text)
    eventually(lambda: "TINY_CHAT" not in page.run("return document.querySelector('#model').innerText"))


def test_a_download_that_fails_says_why_and_is_tried_again(page: Browser, owner: httpx.Client, hub: Hub) -> None:
    hub.broken_after[FILE] = 1000
    enter(page, owner)
    page.click("#open-settings")
    page.wait("#settings-body", lambda text: "Tiny-Chat" in text)
    page.click(".models button")
    assert "Tiny-Chat could not be fetched" in page.wait(".models .fault")
    assert page.text(".models button") == "Try again"


def test_other_accounts_are_not_offered_what_they_may_not_do(
    page: Browser, reader: httpx.Client, owner: httpx.Client
) -> None:
    add(reader, LEASE, "lease.txt")
    enter(page, reader)
    ask(page, WHY)
    page.click("#open-settings")
    text = page.wait("#settings-body", lambda text: "Tiny-Chat" in text)
    assert "Models belong to the machine" in text
    assert page.text(".models button") == "" and page.text(".better") == ""
    assert "Knowledge bases" in text and "On the disk" not in text and "DOCQA_OPENAI_KEY" not in text


def test_the_settings_show_providers_recognition_storage_and_what_doctor_finds(
    page: Browser, owner: httpx.Client
) -> None:
    add(owner, LEASE, "lease.txt")
    enter(page, owner)
    page.click("#open-settings")
    text = page.wait("#settings-body", lambda text: "Check-up" in text)
    assert "DOCQA_OPENAI_KEY" in text and "no key is given (DOCQA_OPENAI_KEY)" in text and "not asked yet" in text
    assert f"Original files\t{len(LEASE)} byte" in text and "Free on the disk" in text
    assert "python run.py ocr add" in text
    page.run("document.querySelector('#settings-body select').value = 'deu'")
    page.run("document.querySelector('#settings-body select').dispatchEvent(new Event('change'))")
    assert "python run.py ocr add deu" in page.text("#settings-body pre")
    buttons = "return [...document.querySelectorAll('#settings-body section > button')].find(e => e.innerText === arguments[0]).click()"
    page.run(buttons, "Ask them now")
    page.wait("#settings-body .fault", lambda text: "cannot be reached. Start its server" in text)
    page.run(buttons, "Look now")
    page.wait(".findings", lambda text: "Fine: database whole" in text, 60)
    page.run("document.querySelector('#settings-body nav button:last-child').click()")
    assert page.run("return document.activeElement.innerText") == "This server"
