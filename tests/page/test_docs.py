"""The API's reference in the page: found, read, tried."""

import httpx

from browsing import LEASE, add, needs_chromium
from conftest import Server
from webdriver import ENTER, Browser

pytestmark = needs_chromium


def test_an_operation_is_found_read_and_tried(page: Browser, reader: httpx.Client, server: Server) -> None:
    doc_id = add(reader, LEASE, "lease.txt")
    page.visit(server.base + "/docs")
    page.wait("#operations", lambda text: "POST /v1/api/upload" in text)
    page.type("#key", reader.headers["x-api-key"] + ENTER)
    page.type("#find", "chat/{doc_id}")
    assert page.text(".operation summary").startswith("POST /v1/chat/{doc_id}")
    page.run("document.querySelector('.operation:not([hidden]) summary').click()")
    described = page.wait(".operation:not([hidden])", lambda text: "cite_source" in text)
    assert "path, required" in described and "422" in described
    page.type(".operation:not([hidden]) input[name=doc_id]", doc_id)
    page.type(".operation:not([hidden]) input[name=cite_source]", "true")
    body = '[{"sender": "user", "message": "How much is the monthly rent?"}]'
    page.run("document.querySelector('.operation:not([hidden]) textarea').value = arguments[0]", body)
    page.run("document.querySelector('.operation:not([hidden]) form button').click()")
    answer = page.wait(".operation:not([hidden]) form > pre")
    assert answer.startswith("200 OK") and "12,400 euros" in answer
    assert '"source_chunk"' in answer


def test_every_operation_opens_without_a_fault(page: Browser, server: Server) -> None:
    page.visit(server.base + "/docs")
    page.wait("#operations")
    page.run("document.querySelectorAll('.operation').forEach((node) => { node.open = true; })")
    operations = page.run("return document.querySelectorAll('.operation').length")
    page.wait(".operation h3", lambda text: text.count("Answers") == operations)
