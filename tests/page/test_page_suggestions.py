"""Questions that a document answers, in the page: with its entry and before a conversation; a click asks."""

import httpx

from browsing import BOAT, add, enter, needs_chromium
from eval_samples import QUAY
from webdriver import Browser

pytestmark = needs_chromium


def test_a_question_is_offered_before_a_conversation_and_asked_by_a_click(page: Browser, reader: httpx.Client) -> None:
    add(reader, QUAY, "quay.txt")
    enter(page, reader)
    offered = page.wait("#suggested button", lambda text: text.count("\n") == 2).split("\n")
    page.click("#suggested button")
    page.wait("#talk > li:last-child[aria-busy=false]")
    assert page.text("#talk .question") == offered[0]
    assert page.text("#talk .sources button") == "[1] quay.txt, page 1"
    assert page.text("#suggested") == "", "the conversation has begun"
    page.click("#fresh")
    assert page.text("#suggested button").split("\n") == offered


def test_the_entry_of_a_document_has_its_questions_and_a_click_asks_that_document(
    page: Browser, reader: httpx.Client
) -> None:
    add(reader, QUAY, "quay.txt")
    add(reader, BOAT, "boat.txt")
    enter(page, reader)
    page.click("#documents li:nth-child(2) .entry button")
    page.wait("#documents .suggested button", lambda text: "quay" in text)
    page.click("#documents .suggested button")
    page.wait("#talk > li:last-child[aria-busy=false]")
    assert "quay.txt" in page.text("#talk .sources button")
    assert page.run("return document.querySelector('#question').placeholder") == "Ask “quay.txt”"


def test_nothing_is_shown_where_no_question_can_be_made(page: Browser, reader: httpx.Client) -> None:
    doc_id = add(reader, "Hei!", "hei.txt")
    enter(page, reader)
    page.run(
        "const real = fetch; window.looked = 0;"
        "window.fetch = async (path, options) => { const answer = await real(path, options);"
        " if (path.endsWith('/questions') && (await answer.clone().json()).state === 'ready') looked += 1; return answer; }"
    )
    page.click("#documents .entry button")
    while not page.run("return looked"):
        pass
    assert reader.get(f"/v1/api/documents/{doc_id}/questions").json()["questions"] == []
    assert page.text(".suggested") == ""
