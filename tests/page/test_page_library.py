"""The library in the page: found, filtered, renamed, put into knowledge bases, filled by dropping files."""

import httpx

from browsing import BOAT, LEASE, add, ask, documents, enter, eventually, needs_chromium
from webdriver import ENTER, Browser

pytestmark = needs_chromium

MILL = "Die Mühle am Bach gehört seit 1998 der Gemeinde.\n\nSie wird jeden Sonntag von zehn bis zwölf Uhr vorgeführt."


def fill(client: httpx.Client) -> None:
    add(client, LEASE, "lease.txt")
    add(client, BOAT, "boat.md")
    add(client, MILL, "mühle.txt")


def select(page: Browser, css: str, label: str) -> None:
    """Choose the option of this label as a person does."""
    page.run(
        "const select = document.querySelector(arguments[0]);"
        "select.value = [...select.options].find((option) => option.label === arguments[1]).value;"
        "select.dispatchEvent(new Event('input', { bubbles: true })); select.dispatchEvent(new Event('change', { bubbles: true }))",
        css,
        label,
    )


def names(page: Browser) -> list[str]:
    return page.text("#documents label span").split("\n")


def test_documents_are_found_while_one_types_and_filtered(page: Browser, reader: httpx.Client) -> None:
    fill(reader)
    # The summary is searched too, and it comes after the document, in a new installation after the models are measured.
    eventually(lambda: all(document["summary"] for document in reader.get("/v1/api/documents").json()["documents"]), 90)
    enter(page, reader)
    assert names(page) == ["mühle.txt", "boat.md", "lease.txt"], "the newest first"
    page.type("#find", "LEASE bergen")
    assert names(page) == ["lease.txt"]
    page.type("#find", "xyz")
    assert page.text("#nothing") == "No document fits."
    page.run("const find = document.querySelector('#find'); find.value = ''; find.dispatchEvent(new Event('input'))")
    select(page, "#kind", "MD")
    assert names(page) == ["boat.md"]
    select(page, "#kind", "All kinds")
    select(page, "#language", "German")
    assert names(page) == ["mühle.txt"]
    select(page, "#language", "All languages")
    assert not page.run("return document.querySelector('#tag').checkVisibility()"), "there is nothing to choose"
    day(page, "#to", "2001-01-01")
    assert page.text("#nothing") == "No document fits."
    day(page, "#to", "")
    day(page, "#from", "2001-01-01")
    assert len(names(page)) == 3


def day(page: Browser, css: str, value: str) -> None:
    page.run(
        "const input = document.querySelector(arguments[0]); input.value = arguments[1]; input.dispatchEvent(new Event('input'))",
        css,
        value,
    )


def test_a_document_is_filed_under_tags_and_chosen_by_them(page: Browser, reader: httpx.Client) -> None:
    fill(reader)
    enter(page, reader)
    page.click("#documents li:nth-child(3) .entry button")
    page.click("#documents .more .row button:nth-of-type(2)")
    assert page.text("#naming-title") == "Tags of “lease.txt”, with commas between them"
    page.type("#name", "Rent,  Bergen," + ENTER)
    page.wait("#documents", lambda text: "1 page, English · Rent · Bergen" in text)
    assert reader.get("/v1/api/documents?tag=rent").json()["documents"][0]["tags"] == ["Rent", "Bergen"]
    select(page, "#tag", "Bergen")
    assert names(page) == ["lease.txt"]
    page.click("#documents .entry button")
    page.click("#documents .more .row button:nth-of-type(2)")
    page.run("document.querySelector('#name').value = ''")
    page.type("#name", ENTER)
    page.wait("#documents", lambda text: "Bergen" not in text and "mühle.txt" in text)
    assert reader.get("/v1/api/documents?tag=rent").json()["documents"] == []


def test_a_document_is_renamed_and_tells_its_summary(page: Browser, reader: httpx.Client) -> None:
    add(reader, LEASE, "scan0001.txt")
    eventually(lambda: bool(reader.get("/v1/api/documents").json()["documents"][0]["summary"]))
    enter(page, reader)
    page.click("#documents .entry button")
    assert "warehouse" in page.wait("#documents .more p")
    page.click("#documents .more .row button")
    page.run("document.querySelector('#name').value = ''")
    page.type("#name", "Lease of 2021.txt" + ENTER)
    page.wait("#documents", lambda text: "Lease of 2021.txt" in text)
    assert documents(reader) == ["Lease of 2021.txt"]


def test_a_knowledge_base_is_made_asked_changed_and_deleted(page: Browser, reader: httpx.Client) -> None:
    fill(reader)
    enter(page, reader)
    page.click("#documents li:nth-child(1) input")  # the newest is checked at first
    page.click("#documents li:nth-child(2) input")
    page.click("#base-menu")
    page.click("#base-make")
    page.type("#name", "By the water" + ENTER)
    page.wait(
        "#question",
        lambda _: (
            page.run("return document.querySelector('#question').placeholder")
            == "Ask the knowledge base “By the water”"
        ),
    )
    assert names(page) == ["boat.md"]
    assert "61 kroner" in ask(page, "What does a crossing with a car cost?")
    select(page, "#base", "All documents")
    page.click("#documents li:nth-child(1) input")
    select(page, "#base-into", "By the water")
    eventually(lambda: len(reader.get("/v1/api/knowledge").json()["knowledge_bases"][0]["document_details"]) == 2)
    select(page, "#base", "By the water")
    page.wait("#documents", lambda text: "mühle.txt" in text)
    page.click("#documents li:nth-child(1) input")
    page.click("#base-part")
    page.wait("#documents", lambda text: "mühle.txt" not in text)
    page.click("#base-delete")
    assert "“By the water” is deleted." in page.text("#say")
    page.click("#undo")
    page.wait("#base", lambda text: "By the water" in text)
    page.click("#base-delete")
    page.click("#leave")
    eventually(lambda: reader.get("/v1/api/knowledge").json()["knowledge_bases"] == [])
    assert len(documents(reader)) == 3


def test_files_are_added_by_dropping_them_anywhere_and_join_the_shown_knowledge_base(
    page: Browser, reader: httpx.Client
) -> None:
    doc_id = add(reader, LEASE, "lease.txt")
    reader.post("/v1/api/knowledge", json={"name": "Rents", "document_ids": [doc_id]})
    enter(page, reader)
    select(page, "#base", "Rents")
    page.run(
        "const transfer = new DataTransfer();"
        "for (const [name, text] of arguments[0]) transfer.items.add(new File([text], name));"
        "document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }))",
        [["boat.txt", BOAT], ["mühle.txt", MILL]],
    )
    page.wait("#say", lambda text: text == "2 documents can be asked now.")
    assert sorted(documents(reader)) == ["boat.txt", "lease.txt", "mühle.txt"]
    [base] = reader.get("/v1/api/knowledge").json()["knowledge_bases"]
    assert len(base["document_details"]) == 3


def test_an_upload_is_cancelled(page: Browser, reader: httpx.Client) -> None:
    enter(page, reader)
    page.run(
        "XMLHttpRequest.prototype.send = function () { this.upload.onprogress({ loaded: 1, total: 4 }); };"
        "const transfer = new DataTransfer(); transfer.items.add(new File(['x'], 'slow.txt'));"
        "document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }))"
    )
    assert page.wait("#adding small") == "sent: 25 %"
    assert page.label("#adding button") == "Cancel slow.txt"
    page.click("#adding button")
    page.wait("#adding", lambda text: text == "")
