"""Kept chats in the page: found again, opened, renamed, branched, deleted, saved as files."""

import httpx

from browsing import LEASE, add, ask, enter, eventually, needs_chromium
from webdriver import ENTER, Browser

pytestmark = needs_chromium

LISTED = "#chats .open"


def kept(client: httpx.Client) -> list[str]:
    return [chat["title"] for chat in client.get("/v1/api/chats").json()["chats"]]


def chats(page: Browser) -> None:
    page.click("#tab-chats")
    page.wait(LISTED)


def test_a_conversation_is_kept_and_opened_again(page: Browser, reader: httpx.Client) -> None:
    add(reader, LEASE, "lease.txt")
    enter(page, reader)
    answer = ask(page, "How much is the monthly rent?")
    ask(page, "Who signed the lease?")
    page.reload()
    page.wait("#tab-documents")
    assert page.text("#talk") == "" and "Ask your documents" in page.text("#welcome")
    page.click("#tab-chats")
    assert page.wait(LISTED) == "How much is the monthly rent?"
    page.click(LISTED)
    page.wait("#talk > li:nth-child(2)")
    assert page.text("#talk > li:first-child .answer") == answer
    assert "lease.txt, page 1" in page.text("#talk > li:first-child .sources")
    assert page.text("#talk-title") == "How much is the monthly rent?"
    ask(page, "And on which day?")
    assert kept(reader) == ["How much is the monthly rent?"], "it goes on where it was"
    chat_id = page.run("return location.hash").split("/")[-1]
    assert len(reader.get(f"/v1/api/chats/{chat_id}").json()["turns"]) == 3


def test_chats_are_found_by_what_was_said(page: Browser, reader: httpx.Client) -> None:
    add(reader, LEASE, "lease.txt")
    enter(page, reader)
    ask(page, "How much is the monthly rent?")
    page.click("#fresh")
    ask(page, "Who signed the lease?")
    chats(page)
    page.wait(LISTED, lambda text: text == "Who signed the lease?\nHow much is the monthly rent?")
    page.type("#find-chat", "KARI")
    page.wait(LISTED, lambda text: text == "Who signed the lease?")
    page.type("#find-chat", " has never said this")
    page.wait("#no-chats")


def test_a_chat_is_renamed_and_deleted(page: Browser, reader: httpx.Client) -> None:
    add(reader, LEASE, "lease.txt")
    enter(page, reader)
    ask(page, "How much is the monthly rent?")
    chats(page)
    page.click("#chats .entry button:nth-child(2)")
    page.run("document.querySelector('#name').value = ''")
    page.type("#name", "The rent" + ENTER)
    page.wait(LISTED, lambda text: text == "The rent")
    assert page.text("#talk-title") == "The rent"
    page.click("#chats .entry button:last-child")
    assert page.text(LISTED) == "" == page.text("#talk")
    page.click("#undo")
    assert page.text(LISTED) == "The rent" and kept(reader) == ["The rent"]
    page.click("#chats .entry button:last-child")
    page.click("#leave")
    eventually(lambda: kept(reader) == [])


def test_a_chat_branches_from_an_earlier_question(page: Browser, reader: httpx.Client) -> None:
    add(reader, LEASE, "lease.txt")
    enter(page, reader)
    ask(page, "How much is the monthly rent?")
    ask(page, "Who signed the lease?")
    page.run("document.querySelectorAll('#talk > li:first-child .row button')[2].click()")
    page.wait("#talk-title", lambda text: "from an earlier question" in text)
    assert page.run("return document.querySelectorAll('#talk > li').length") == 1
    ask(page, "On which day is it due?")
    listed = reader.get("/v1/api/chats").json()["chats"]
    turns = [reader.get(f"/v1/api/chats/{chat['chat_id']}").json()["turns"] for chat in listed]
    assert [[turn["question"] for turn in each] for each in turns] == [
        ["How much is the monthly rent?", "On which day is it due?"],
        ["How much is the monthly rent?", "Who signed the lease?"],
    ]


def test_an_answer_goes_with_its_document_and_the_question_stays(page: Browser, reader: httpx.Client) -> None:
    doc_id = add(reader, LEASE, "lease.txt")
    enter(page, reader)
    ask(page, "How much is the monthly rent?")
    reader.delete(f"/v1/api/documents/{doc_id}")
    page.reload()
    page.wait("#tab-chats")
    page.click("#tab-chats")
    page.wait(LISTED)
    page.click(LISTED)
    page.wait("#talk", lambda text: "rested on a document that has been deleted" in text)
    assert "12,400" not in page.text("#talk") and "How much is the monthly rent?" in page.text("#talk")


def test_a_conversation_is_saved_with_its_evidence(page: Browser, reader: httpx.Client) -> None:
    attack = "The <b>rent</b> of the mill is 900 euros a month."
    doc_id = add(reader, attack, "mill.txt")
    enter(page, reader)
    answer = ask(page, "How much is the rent of the mill?")
    page.run(
        "window.saved = []; const real = URL.createObjectURL; URL.createObjectURL = (blob) => { saved.push(blob.text()); return real(blob); }"
    )
    page.click("#export-markdown")
    page.click("#export-html")
    eventually(lambda: page.run("return saved.length") == 2)
    page.run("Promise.all(saved).then((texts) => { window.texts = texts; })")
    eventually(lambda: page.run("return Boolean(window.texts)"))
    markdown, html = page.run("return texts")
    assert markdown.startswith("# How much is the rent of the mill?\n\n## How much is the rent of the mill?\n\n")
    assert answer in markdown and f"> {attack}" in markdown and f"/#/doc/{doc_id}/page/1?quote=" in markdown
    assert "&#60;b&#62;rent&#60;/b&#62;" in html and "<b>rent" not in html and "default-src 'none'" in html
    assert html.startswith("<!doctype html>") and f"/#/doc/{doc_id}/page/1?quote=" in html
