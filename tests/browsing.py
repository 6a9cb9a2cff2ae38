"""The page at `/` in the hands of a person: a real Chromium on a real server, as fixtures for tests of the page."""

import io
import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

import httpx
import pytest

from conftest import Server, without_models
from docqa import ROOT
from docqa.cli.main import main
from webdriver import CHROMEDRIVER, CHROMIUM, ENTER, Browser, chromium

needs_chromium = pytest.mark.skipif(
    not (CHROMIUM and CHROMEDRIVER),
    reason="needs chromium and chromedriver (Debian: apt install chromium chromium-driver)",
)
LEASE = "The lease of the warehouse in Bergen was signed by Kari Nordmann on 3 May 2021.\n\nThe monthly rent is 12,400 euros, due on the third working day."
BOAT = "The ferry to Askøy leaves the harbour every forty minutes.\n\nA crossing costs 61 kroner for a car with its driver."


@pytest.fixture(scope="session")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser with one tab for all tests, which forgets what the one before kept."""
    with chromium(tmp_path_factory.mktemp("chromium")) as browser:
        yield browser


@pytest.fixture
def reader(server: Server, request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    """A client of an account that has no documents yet."""
    with redirect_stdout(io.StringIO()) as said:
        assert main(["key", "add", "page", "--account", request.node.name, "--data", str(server.data)]) == 0
    key = said.getvalue().strip()
    with httpx.Client(base_url=server.base, headers={"x-api-key": key}, timeout=60) as client:
        yield client


@pytest.fixture
def page(chrome: Browser, server: Server) -> Iterator[Browser]:
    """The page, just opened. Whatever is done in it, it asks nobody but its server, and the console holds nothing but
    requests that were refused."""
    chrome.visit(server.base, "sessionStorage.clear(); localStorage.clear()")
    chrome.wait("#enter")
    chrome.console(), chrome.requested()
    yield chrome
    assert [line for line in chrome.console() if "the server responded with a status of 4" not in line] == []
    elsewhere = [url for url in chrome.requested() if not url.startswith((server.base + "/", "data:", "blob:"))]
    assert elsewhere == []


@contextmanager
def on_a_terminal(data: Path) -> Iterator[str]:
    """A server of its own, started by a person; the link that signs in."""
    master, terminal = pty.openpty()
    command = [sys.executable, str(ROOT / "run.py"), "serve", "--port", "0", "--data", str(data)]
    environment = os.environ | without_models(data.with_name("no-models"))
    process = subprocess.Popen(command, stdout=terminal, stderr=subprocess.DEVNULL, env=environment)
    os.close(terminal)
    try:
        shown = ""
        while not (link := re.search(r"http://\S+/#key=[\w-]+", shown)):
            shown += os.read(master, 4096).decode()
        yield link[0]
    finally:
        process.terminate()
        process.wait(30)
        os.close(master)


def add(client: httpx.Client, text: str, name: str) -> str:
    """Upload a text; its doc_id."""
    response = client.post("/v1/api/upload", files={"file": (name, text.encode())})
    assert response.status_code == 201, response.text
    return str(response.json()["doc_id"])


def documents(client: httpx.Client) -> list[str]:
    """The names of the documents, as the server knows them."""
    return [document["name"] for document in client.get("/v1/api/documents").json()["documents"]]


def eventually(condition: Callable[[], bool], seconds: float = 30) -> None:
    """Wait until what the page does without showing it has reached the server."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "in vain"
        time.sleep(0.05)


def enter(page: Browser, client: httpx.Client) -> None:
    page.paste("#key", client.headers["x-api-key"])
    page.type("#key", ENTER)
    page.wait("#tab-documents")


def ask(page: Browser, question: str) -> str:
    """The answer, once it is complete."""
    page.type("#question", question + ENTER)
    page.wait("#talk > li:last-child[aria-busy=false]")
    return page.text("#talk > li:last-child .answer")
