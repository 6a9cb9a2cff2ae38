"""The page at `/`: documents are added and asked, answers and their places are shown."""

import re
from pathlib import Path

import httpx
import pymupdf

from browsing import BOAT, LEASE, add, ask, documents, enter, eventually, needs_chromium, on_a_terminal
from conftest import Server
from webdriver import ENTER, Browser

pytestmark = needs_chromium

STORY = "\n\n".join(
    f"In chapter {n} the keeper of the lighthouse counts {n * 7} ships and writes a letter to his sister about the weather."
    for n in range(1, 40)
)


def test_a_document_is_added_asked_and_deleted(page: Browser, reader: httpx.Client, tmp_path: Path) -> None:
    file = tmp_path / "lease.txt"
    file.write_text(LEASE)
    enter(page, reader)
    page.type("#file", str(file))
    page.click("#add button")
    page.wait("#say", lambda text: "can be asked now" in text)
    page.wait("#documents", lambda text: "lease.txt" in text and "1 page, English" in text)

    answer = ask(page, "How much is the monthly rent?")
    assert "12,400 euros" in answer and "[1]" in answer
    assert page.text(".sources button") == "[1] lease.txt, page 1"
    assert page.text(".sources blockquote") in LEASE

    page.click("#documents .entry button:last-child")
    assert page.text("#documents") == "" and page.text("#say") == "“lease.txt” is deleted."
    page.click("#leave")
    eventually(lambda: documents(reader) == [])  # what could still be taken back is done at the end


def test_a_deletion_can_be_taken_back(page: Browser, reader: httpx.Client) -> None:
    add(reader, LEASE, "lease.txt")
    enter(page, reader)
    page.click("#documents .entry button:last-child")
    page.click("#undo")
    assert "lease.txt" in page.text("#documents") and page.text("#say") == "Nothing was deleted."
    assert page.text("#undo") == ""
    page.click("#leave")
    assert documents(reader) == ["lease.txt"]


def test_a_wrong_key_is_said_in_a_sentence(page: Browser) -> None:
    page.type("#key", "dq-wrong" + ENTER)
    assert page.wait("#say") == "The API key is unknown or has been revoked"
    assert page.text("#desk") == ""
    assert page.run("return sessionStorage.length") == 0


def test_the_key_is_kept_for_this_tab_only_until_it_is_forgotten(page: Browser, reader: httpx.Client) -> None:
    enter(page, reader)
    page.reload()
    page.wait("#tab-documents")
    assert page.run("return [localStorage.length, document.cookie, location.search]") == [0, "", ""]
    page.click("#leave")
    assert page.run("return sessionStorage.length") == 0
    page.reload()
    assert page.wait("label[for=key]") == "API key" and page.text("#desk") == ""


def test_the_key_is_kept_on_the_device_if_that_is_wanted(page: Browser, reader: httpx.Client, server: Server) -> None:
    page.click("#keep")
    enter(page, reader)
    page.open(server.base)
    page.wait("#tab-documents")
    page.click("#leave")
    page.open(server.base)
    assert page.wait("label[for=key]") == "API key"


def test_a_second_tab_is_signed_in_by_the_first(page: Browser, reader: httpx.Client, server: Server) -> None:
    add(reader, LEASE, "lease.txt")
    enter(page, reader)
    with page.second_tab(server.base):
        page.wait("#documents", lambda text: "lease.txt" in text)
    page.click("#leave")


def test_the_link_of_the_start_signs_in_once(page: Browser, tmp_path: Path) -> None:
    with on_a_terminal(tmp_path / "data") as link:
        page.open(link)
        page.wait("#tab-documents")
        assert page.run("return location.hash") == "", "the ticket does not stay in the address"
        page.click("#leave")
        page.open(link)
        assert "This link has been used" in page.wait("#say.fault")
        assert page.wait("label[for=key]") == "API key"
    page.console(), page.requested()


def test_a_source_opens_its_page_with_the_passage_marked(page: Browser, reader: httpx.Client) -> None:
    add(reader, STORY + "\f" + STORY.replace("ships", "whales") + "\n\n" + LEASE, "book.txt")
    enter(page, reader)
    ask(page, "How much is the monthly rent of the warehouse?")
    passage = page.run("return document.querySelector('.sources blockquote').textContent")
    page.click(".answer button")
    title = page.wait("#place-title")
    number = re.fullmatch(r"book\.txt, page (\d+)", title)
    assert number and page.text(".sources button").startswith(f"[1] {title}")
    assert page.run("return document.querySelector('#place-text mark').textContent") == passage
    doc_id = reader.get("/v1/api/documents").json()["documents"][0]["doc_id"]
    whole = reader.get(f"/v1/api/documents/{doc_id}/pages/{number[1]}").json()["text"]
    assert page.run("return document.querySelector('#place-text').textContent") == whole
    page.click("#place-close")
    assert page.text("#place-title") == ""
    after_close = (
        "const done = arguments[0]; setTimeout(() => done(location.hash))"  # a dialog says later that it closed
    )
    assert page.wait_for(after_close) == ""


def test_what_stands_in_a_document_is_shown_and_never_run(page: Browser, reader: httpx.Client) -> None:
    attack = "<img src=x onerror=document.title='taken'>"
    text = f"The rent of the mill is 900 euros {attack} a month.\u2028It is due <script>document.title='taken'</script> on Fridays."
    add(reader, text, f"mill {attack}.txt")
    enter(page, reader)
    assert f"mill {attack}.txt" in page.text("#documents")
    assert attack in ask(page, f"How much is the rent of the mill {attack}?")
    assert attack in page.text(".question") and attack in page.text(".sources button")
    assert attack in page.run("return document.querySelector('.sources blockquote').textContent")
    page.click(".sources button")
    assert attack in page.wait("#place-title")
    assert page.run("return document.querySelector('#place-text').textContent") == text
    assert page.run("return [document.title, document.scripts.length, document.images.length]") == ["DocQA", 1, 1]
    assert page.run("return document.querySelector('img').hidden"), "the one of the page itself"


def test_nothing_that_gets_into_the_page_can_run_or_reach_another_host(chrome: Browser, server: Server) -> None:
    chrome.open(server.base)
    chrome.run("try { document.body.innerHTML = '<p>' } catch { window.refused = true }")
    chrome.run(
        "document.body.append(Object.assign(document.createElement('p'), { id: 'trap' })); fetch('http://127.0.0.1:9/').catch(() => 0)"
    )
    chrome.run(
        "const trap = document.getElementById('trap'); try { trap.setAttribute('onclick', 'window.taken = true') } catch {} trap.click()"
    )
    assert chrome.run("return [window.refused, window.taken ?? false]") == [True, False]
    console = "\n".join(chrome.console())
    assert "TrustedHTML" in console and "connect-src 'self'" in console


def test_the_checked_documents_are_asked_together(page: Browser, reader: httpx.Client) -> None:
    add(reader, LEASE, "lease.txt")
    add(reader, BOAT, "boat.txt")
    enter(page, reader)
    assert page.run("return document.querySelector('#question').placeholder") == "Ask “boat.txt”", (
        "the newest is checked at first"
    )
    page.click("#documents li:nth-child(2) input")
    assert page.run("return document.querySelector('#question').placeholder") == "Ask 2 documents"
    assert "61 kroner" in ask(page, "What does a crossing with a car cost?")
    assert "12,400 euros" in ask(page, "How much is the monthly rent of the warehouse?")
    assert "lease.txt, page 1" in page.text("#talk > li:last-child .sources")
    page.click("#documents li:nth-child(1) input")
    page.click("#documents li:nth-child(2) input")
    page.type("#question", "And now?" + ENTER)
    assert page.wait("#say") == "Check the documents to ask first."


def test_a_follow_up_is_sent_with_what_was_said_before(page: Browser, reader: httpx.Client) -> None:
    add(reader, LEASE, "lease.txt")
    enter(page, reader)
    page.run(
        "const real = fetch; window.sent = []; window.fetch = (path, options) => { if (path.includes('/v1/chat/')) window.sent.push(options.body); return real(path, options); }"
    )
    first = ask(page, "Who signed the lease?")
    ask(page, "And on which day?")
    page.click("#fresh")
    assert page.text("#talk") == ""
    ask(page, "How much is the rent?")
    said = page.run(
        "return window.sent.map(JSON.parse).map(messages => messages.map(one => [one.sender, one.message]))"
    )
    assert said[1] == [
        ["user", "Who signed the lease?"],
        ["bot", first.replace(" [1]", "")],
        ["user", "And on which day?"],
    ]
    assert said[2] == [["user", "How much is the rent?"]]


def test_an_answer_that_is_broken_off_is_not_shown_as_complete(page: Browser, reader: httpx.Client) -> None:
    add(reader, LEASE, "lease.txt")
    enter(page, reader)
    half = 'event: token\ndata: {"text": "The rent is"}\n\n'
    page.run(
        "const real = fetch; window.fetch = (path, options) => path.includes('/v1/chat/') ? Promise.resolve(new Response(arguments[0])) : real(path, options)",
        half,
    )
    assert ask(page, "How much is the rent?") == "The rent is"
    assert page.text(".fault") == "The answer was broken off. Ask again."
    assert page.run("return document.querySelector('#question').value") == "How much is the rent?", (
        "so that it need not be typed again"
    )


def test_a_file_without_text_is_refused_with_the_reason(page: Browser, reader: httpx.Client, tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text(LEASE)
    (tmp_path / "empty.txt").write_text("")
    enter(page, reader)
    page.type("#file", f"{tmp_path / 'good.txt'}\n{tmp_path / 'empty.txt'}")
    page.click("#add button")
    assert "empty" in page.wait("#adding .fault")
    page.wait("#documents", lambda text: "good.txt" in text)
    (tmp_path / "empty.txt").write_text(BOAT)  # the browser reads it again
    page.click("#adding button:first-of-type")
    assert page.text("#adding") == "", "dismissed"


def test_a_dead_link_is_refused_with_the_reason(page: Browser, reader: httpx.Client, server: Server) -> None:
    enter(page, reader)
    page.type("#url", f"{server.base}/nothing-here" + ENTER)
    assert "404" in page.wait("#adding .fault")
    assert page.label("#adding button:last-child").startswith("Try ")


def test_a_link_becomes_a_document(page: Browser, reader: httpx.Client, server: Server) -> None:
    enter(page, reader)
    page.type("#url", server.base + ENTER)
    page.wait("#say", lambda text: "can be asked now" in text)
    assert "DocQA" in page.text("#documents")


def test_the_shelf_says_how_far_indexing_is(page: Browser, reader: httpx.Client, tmp_path: Path) -> None:
    (tmp_path / "lease.txt").write_text(LEASE)
    enter(page, reader)
    page.run("""
        const real = fetch, answers = [{ state: "indexing", chunks: 7, chunks_done: 3, message: "" }, { state: "ready", message: "2 pages had no text" }];
        window.fetch = (path, options) => path.endsWith("/status") ? Promise.resolve(Response.json(answers.shift())) : real(path, options);
    """)
    page.type("#file", str(tmp_path / "lease.txt"))
    page.click("#add button")
    page.wait("#documents small", lambda text: text == "Read, searched by words; vectors: 3 of 7 passages")
    page.wait("#documents small", lambda text: text == "1 page, English. 2 pages had no text")


def test_it_shows_what_is_being_installed_and_what_this_machine_could_run(page: Browser) -> None:
    page.run("""
        const real = fetch, step = (what, state, percent, message) => ({ what, state, percent, message });
        const answers = [
            { installing: [step("search by meaning", "running", 40, "search is by words only"), step("llama.cpp", "waiting", 0, "")], proposal: "" },
            { installing: [step("search by meaning", "done", 100, ""), step("llama.cpp", "failed", 0, "There is no compiler.")], proposal: "Get a model." },
        ];
        window.fetch = (path, options) => path === "/healthz" ? Promise.resolve(Response.json(answers.shift())) : real(path, options);
        document.dispatchEvent(new Event("visibilitychange"));
    """)
    page.wait(
        "#steps",
        lambda text: "Installing search by meaning" in text and "40 %; until then, search is by words only" in text,
    )
    assert page.run("return document.querySelector('#steps progress').value") == 40
    assert "Next: llama.cpp" in page.text("#steps")
    page.wait("#steps", lambda text: text == "Not installed: llama.cpp. There is no compiler.")
    assert page.text("#proposal") == "Get a model."


def test_everything_has_a_name_and_is_reached_by_keyboard(page: Browser, reader: httpx.Client) -> None:
    add(reader, LEASE, "lease.txt")
    enter(page, reader)
    assert page.run("return document.activeElement.id") == "question"
    for css, name in [
        ("#file", "Files to add"),
        ("#url", "Link to add"),
        ("#question", "Question"),
        ("#model", "Model"),
        ("#documents .entry button", "More about lease.txt"),
        ("#documents .entry button:last-child", "Delete lease.txt"),
        ("#find", "Find documents"),
        ("#base", "Knowledge base"),
    ]:
        assert page.label(css) == name
    assert page.label("#documents input").startswith("lease.txt")
    ask(page, "How much is the rent?")
    assert page.label(".answer button") == "Source 1"
    assert page.run("return document.activeElement.id") == "question"
    page.run("document.querySelector('.answer button').focus()")
    page.press(ENTER)
    assert page.wait("#place-title") == "lease.txt, page 1"
    page.press("\ue00c")  # Escape
    page.wait("#place-title", lambda text: not text)
    assert page.label(":focus") == "Source 1"


def test_it_fits_the_width_of_a_phone(page: Browser, reader: httpx.Client) -> None:
    add(reader, LEASE + "\n\n" + "https://" + "long" * 60, "a-name-without-any-spaces-" * 6 + ".txt")
    enter(page, reader)
    page.pretend("setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=2, mobile=True)
    ask(page, "How much is the rent?")
    page.click(".sources button")
    page.wait("#place-title")
    assert page.run("return [innerWidth, document.documentElement.scrollWidth]") == [360, 360]
    page.click("#place-close")


def test_a_source_shows_the_sentence_it_is_cited_for(page: Browser, reader: httpx.Client) -> None:
    add(reader, "Nothing of the kind is said here at all.\n" * 15 + LEASE, "long.txt")
    enter(page, reader)
    ask(page, "How much is the monthly rent?")
    assert "12,400 euros" in page.run("return document.querySelector('.sources mark.quote').textContent")
    shown = "const mark = document.querySelector('.sources mark'), box = mark.parentElement.getBoundingClientRect(), place = mark.getBoundingClientRect(); return place.top >= box.top && place.top < box.bottom"
    eventually(lambda: page.run(shown))


def test_a_cited_page_of_a_pdf_is_a_picture_that_shows_the_marked_passage(page: Browser, reader: httpx.Client) -> None:
    document = pymupdf.open()
    for text in ("Nothing of the kind is said here.", LEASE):
        document.new_page().insert_textbox((72, 700, 500, 830), text)
    reader.post("/v1/api/upload", files={"file": ("lease.pdf", document.tobytes())}).raise_for_status()
    enter(page, reader)
    ask(page, "How much is the monthly rent?")
    page.click(".sources button")
    assert page.wait("#place-title") == "lease.pdf, page 2"
    shown = "const body = document.querySelector('#place-body'); return !document.querySelector('#place-picture').hidden && body.scrollTop > 100"
    eventually(lambda: page.run(shown))
    assert page.run("return location.hash").startswith("#/doc/") and "/page/2?quote=" in page.run(
        "return location.hash"
    )
    page.click("#place-larger")
    eventually(lambda: page.run("return document.querySelector('#place-picture').naturalWidth") == 1200)
    page.click("#place-form")
    eventually(lambda: "12,400 euros" in page.text("#place-text mark"))
    page.click("#place-form")
    page.click("#place-before")
    page.wait("#place-title", lambda text: text == "lease.pdf, page 1")
    page.reload()
    assert page.wait("#place-title") == "lease.pdf, page 1", "a place has an address"
    page.click("#place-close")


def test_what_was_found_and_not_cited_is_shown_apart_and_opens_its_place(page: Browser, reader: httpx.Client) -> None:
    other = "The rent of other warehouses is not said here, nor what they are used for in the winter months."
    add(reader, f"{LEASE}\f{other}", "lease.txt")
    enter(page, reader)
    ask(page, "How much is the monthly rent?")
    assert page.text(".sources button") == "[1] lease.txt, page 1"
    assert page.text(".uncited summary").startswith("Found, not cited: ") and page.text(".uncited button") == ""
    page.click(".uncited summary")
    assert page.text(".uncited li:last-child blockquote") == other
    page.click(".uncited li:last-child button")
    assert page.wait("#place-title") == "lease.txt, page 2"
    assert page.text("#place-text mark") == other
    page.click("#place-close")
