"""A knowledge base goes from the page to another account: shared by a link until it is withdrawn, or as a ZIP."""

import httpx

from browsing import LEASE, add, ask, enter, eventually, needs_chromium
from conftest import Server
from tests.page.test_page_library import names, select
from webdriver import ENTER, Browser

pytestmark = needs_chromium


def test_a_knowledge_base_is_shared_by_a_link_and_withdrawn(
    page: Browser, reader: httpx.Client, server: Server
) -> None:
    doc_id = add(reader, LEASE, "lease.txt")
    reader.post("/v1/api/knowledge", json={"name": "Rents", "document_ids": [doc_id]})
    enter(page, reader)
    select(page, "#base", "Rents")
    page.click("#base-menu")
    page.click("#base-share")
    assert page.wait("#sharing-title") == "Share “Rents”"
    page.type("#share-for", "Kari" + ENTER)
    page.wait("#share-made")
    link = page.run("return document.querySelector('#share-link').value")
    assert link.startswith(f"{server.base}/#/share/")
    shares = page.wait("#shares")  # asked for once the link is there
    assert "Kari" in shares and "without the original files · not taken yet" in shares
    page.click("#sharing-close")
    page.click("#leave")

    with server.client() as kari:
        page.open(link)
        page.wait("#enter")
        page.type("#key", str(kari.headers["x-api-key"]) + ENTER)
        page.wait("#naming-title", lambda text: text.startswith("Link or code of the knowledge base"))
        page.type("#name", ENTER)
        page.wait("#say", lambda text: text == "“Rents” can be asked now.")
        page.wait("#documents", lambda text: "lease.txt" in text)
        assert names(page) == ["lease.txt"]
        assert page.run("return location.hash") == ""
        assert "12,400" in ask(page, "How much is the monthly rent?")
        page.click("#talk .sources button")
        page.wait("#place-title", lambda text: text == "lease.txt, page 1")
        assert "12,400" in page.wait("#place-text mark")
        page.click("#place-close")
        page.click("#documents .entry button")
        page.wait("#documents .more")
        shown = page.run(
            "return [...document.querySelectorAll('#documents button:not(.suggested button)')].filter((node) => node.checkVisibility()).map((node) => node.textContent)"
        )
        assert shown == ["⋯"], "it is neither renamed, tagged, downloaded nor deleted"
        page.click("#base-menu")
        assert page.text("#base-delete") == "Give back"
        assert not page.run("return document.querySelector('#base-share').checkVisibility()")

        [base] = [each for each in kari.get("/v1/api/knowledge").json()["knowledge_bases"] if each["name"] == "Rents"]
        path = f"/v1/api/knowledge/{base['knowledge_base_id']}/shares"
        [share] = reader.get(path).json()
        assert share["taken"]
        reader.delete(f"{path}/{share['share_id']}")
        page.reload()
        page.wait("#base", lambda text: "All documents" in text and "Rents" not in text)
        assert "lease.txt" not in page.text("#documents")


def test_what_was_shared_is_given_back(page: Browser, reader: httpx.Client, server: Server) -> None:
    with server.client() as owner:
        doc_id = add(owner, "The pump was repaired by Aqua Nord in 2019.", "pump.txt")
        made = owner.post("/v1/api/knowledge", json={"name": "Pumps", "document_ids": [doc_id]}).json()
        path = f"/v1/api/knowledge/{made['knowledge_base_id']}/shares"
        code = owner.post(path, json={"name": "Ola", "originals": True}).json()["code"]
        enter(page, reader)
        page.click("#base-menu")
        page.click("#base-take")
        page.type("#name", code + ENTER)
        page.wait("#documents", lambda text: "pump.txt" in text)
        page.click("#documents .entry button")
        page.wait("#documents .more", lambda text: "Download the original" in text)
        page.click("#base-delete")
        assert "“Pumps” is given back." in page.text("#say")
        page.click("#leave")
        page.wait("#enter")
        eventually(lambda: owner.get(path).json() == [])
        assert owner.get(f"/v1/api/documents/{doc_id}").status_code == 200
        owner.delete(f"/v1/api/documents/{doc_id}")
        owner.delete(path.removesuffix("/shares"))


def test_a_knowledge_base_is_saved_as_a_zip_and_brought_in_again(page: Browser, reader: httpx.Client) -> None:
    doc_id = add(reader, LEASE, "lease.txt")
    base = reader.post("/v1/api/knowledge", json={"name": "Rents", "document_ids": [doc_id]}).json()
    enter(page, reader)
    select(page, "#base", "Rents")
    page.click("#base-menu")
    page.run("URL.createObjectURL = (blob) => { window.saved = blob; return 'blob:'; }")
    page.run("HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; }")
    page.click("#base-save")
    eventually(lambda: page.run("return window.savedAs") == "Rents.zip")
    reader.delete(f"/v1/api/documents/{doc_id}")
    reader.delete(f"/v1/api/knowledge/{base['knowledge_base_id']}")
    page.run(
        "const transfer = new DataTransfer(); transfer.items.add(new File([window.saved], 'Rents.zip'));"
        "const input = document.querySelector('#base-file'); input.files = transfer.files;"
        "input.dispatchEvent(new Event('change'))"
    )
    page.wait("#say", lambda text: text == "“Rents”: 1 added, 0 there already.")
    page.wait("#documents", lambda text: "lease.txt" in text)
    assert page.run("return document.querySelector('#base').selectedOptions[0].label") == "Rents"
    [brought] = reader.get("/v1/api/knowledge").json()["knowledge_bases"]
    assert [member["name"] for member in brought["document_details"]] == ["lease.txt"]
