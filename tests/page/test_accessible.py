"""The page for everybody: axe-core finds nothing in any of its states, wide and narrow, light and dark; it is used by
keyboard alone, and says aloud what a screen reader must hear."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest

from browsing import LEASE, add, ask, enter, eventually, needs_chromium
from conftest import Server
from eval_samples import QUAY
from webdriver import ENTER, Browser

pytestmark = needs_chromium

TAB, SHIFT, ESCAPE = "\ue004", "\ue008", "\ue00c"
AXE = find_spec("axe_playwright_python")  # it carries axe-core; Playwright is not used
# What WCAG 2.2 adds is off by default.
RUN = """
    const done = arguments[arguments.length - 1];
    axe.run(document, { rules: { "target-size": { enabled: true } } }).then(({ violations, passes }) => done({
        passed: passes.map(({ id }) => id),
        violations: violations.map(({ id, impact, help, nodes }) => ({ id, impact, help, nodes: nodes.map(({ html, failureSummary }) => [html.slice(0, 200), failureSummary]) })),
    }), (error) => done({ error: String(error) }));
"""
# What can be pressed and is smaller than 24 by 24 pixels, its label with it; links in the middle of a sentence may be.
SMALL = """
    const pressed = document.querySelectorAll("button, select, input, summary, a[href]:not(.hint a, p a)");
    return [...pressed].filter((node) => node.checkVisibility() && !node.matches(".skip")).flatMap((node) => {
        const boxes = [node, ...(node.labels ?? [])].map((each) => each.getBoundingClientRect());
        return boxes.some(({ width, height }) => width >= 24 && height >= 24) ? [] : [node.outerHTML.slice(0, 120)];
    });
"""
WIDTHS = (1200, 390)
State = Callable[[Browser, httpx.Client, Server], object]


def signed_out(page: Browser, reader: httpx.Client, server: Server) -> None:
    page.wait("#enter")


def refused(page: Browser, reader: httpx.Client, server: Server) -> None:
    page.type("#key", "dq-wrong" + ENTER)
    page.wait("#say.fault")


def empty(page: Browser, reader: httpx.Client, server: Server) -> None:
    enter(page, reader)
    page.wait("#nothing")


def library(page: Browser, reader: httpx.Client, server: Server) -> None:
    add(reader, LEASE, "lease.txt")
    add(reader, QUAY, "quay.txt")
    enter(page, reader)
    page.click("#base-menu")
    page.click("#documents .entry button")
    page.wait("#documents .suggested button", seconds=120)


def answered(page: Browser, reader: httpx.Client, server: Server) -> None:
    add(reader, LEASE + "\fThe rent of other warehouses is not said here.", "lease.txt")
    enter(page, reader)
    ask(page, "How much is the monthly rent?")
    page.click(".uncited summary")


def kept(page: Browser, reader: httpx.Client, server: Server) -> None:
    answered(page, reader, server)
    page.click("#tab-chats")
    page.wait("#chats")


def cited(page: Browser, reader: httpx.Client, server: Server) -> None:
    answered(page, reader, server)
    page.click(".sources button")
    page.wait("#place-text mark")


def settings(page: Browser, reader: httpx.Client, server: Server) -> None:
    enter(page, reader)
    page.click("#open-settings")
    page.wait("#settings-body table")


def renaming(page: Browser, reader: httpx.Client, server: Server) -> None:
    library(page, reader, server)
    page.click("#documents .more .row button")
    page.wait("#naming-title")


def reference(page: Browser, reader: httpx.Client, server: Server) -> None:
    page.visit(f"{server.base}/docs")
    page.wait("#operations")
    page.click(".operation summary")
    page.wait(".operation form")


STATES: list[State] = [signed_out, refused, empty, library, answered, kept, cited, settings, renaming, reference]


@pytest.fixture
def sized(page: Browser) -> Iterator[Browser]:
    """The page, which has its own size and colours again afterwards."""
    yield page
    page.pretend("clearDeviceMetricsOverride")
    page.pretend("setEmulatedMedia", features=[])


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_axe_finds_nothing_and_whatever_can_be_pressed_is_24_pixels_wide_and_high(
    sized: Browser, reader: httpx.Client, server: Server, state: State
) -> None:
    state(sized, reader, server)
    for width in WIDTHS:
        appear(sized, width)
        assert sized.run(SMALL) == []
    if AXE is None or AXE.origin is None:
        pytest.skip("needs axe-core: .venv/bin/pip install axe-playwright-python")
    sized.run(Path(AXE.origin).with_name("axe.min.js").read_text(encoding="utf-8"))
    for width, scheme in product(WIDTHS, ("light", "dark")):
        appear(sized, width, scheme)
        sized.run("scrollTo(0, 0)")  # what is half under the head is only scrolled so
        findings: Any = sized.wait_for(RUN)
        assert "color-contrast" in findings["passed"], findings
        assert [each for each in findings["violations"] if each["impact"] != "minor"] == [], (width, scheme)


def appear(page: Browser, width: int, scheme: str = "light") -> None:
    """As on a screen of this width, to somebody who likes these colours."""
    page.pretend("setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 500)
    page.pretend("setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])


# What the focus is on, whether it can be seen there: an outline, and nothing that lies over its middle.
FOCUSED = """
    const node = document.activeElement, style = getComputedStyle(node), box = node.getBoundingClientRect();
    const above = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    const name = node.id || node.ariaLabel || (node.labels?.[0] ?? node).textContent.trim();
    return [name, style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2, node === above || node.contains(above)];
"""


# As if the page had just been opened: Tab leads to what comes first.
BEGIN = "document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex'); scrollTo(0, 0)"


def tabbed(page: Browser, last: str) -> list[str]:
    """The names of what Tab leads to, from the beginning of the page to the one of this name."""
    page.run(BEGIN)
    names: list[str] = []
    while last not in names:
        page.press(TAB)
        name, outlined, uncovered = page.run(FOCUSED)
        assert name and outlined and uncovered, (name, outlined, uncovered)
        assert len(names) < 60, names
        names.append(name)
    return names


def test_tab_leads_through_the_page_in_the_order_it_is_read_and_the_focus_is_seen(
    page: Browser, reader: httpx.Client, server: Server
) -> None:
    answered(page, reader, server)
    order = tabbed(page, "cite")
    assert order[:5] == ["Skip to the question", "Help", "open-settings", "leave", "tab-documents"]
    wanted = ["file", "url", "base", "find", "More about lease.txt", "Delete lease.txt", "fresh", "Source 1"]
    assert [name for name in order if name in wanted] == wanted
    assert order[-6:] == ["send", "model", "answer-language", "length", "agent", "cite"]


def test_the_focus_is_not_covered_on_a_phone(sized: Browser, reader: httpx.Client, server: Server) -> None:
    sized.pretend("setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=True)
    answered(sized, reader, server)
    assert "question" in tabbed(sized, "cite")


def test_the_first_tab_skips_to_the_question(page: Browser, reader: httpx.Client) -> None:
    enter(page, reader)
    page.run(BEGIN)
    page.press(TAB)
    assert page.label(":focus") == "Skip to the question"
    page.press(ENTER)
    assert page.run("return document.activeElement.id") == "question"


def test_a_dialog_keeps_the_focus_and_gives_it_back(page: Browser, reader: httpx.Client, server: Server) -> None:
    cited(page, reader, server)
    for _ in range(12):
        page.press(TAB)
        assert page.run(
            "const node = document.activeElement; return node === document.body || Boolean(node.closest('#place'))"
        )
    page.press(ESCAPE)
    page.wait("#place-title", lambda text: not text)
    assert page.run("return document.activeElement.textContent").startswith("[1] lease.txt")


def test_an_answer_is_read_aloud_once_it_is_whole(page: Browser, reader: httpx.Client) -> None:
    add(reader, LEASE, "lease.txt")
    enter(page, reader)
    page.run("""
        window.busy = [];
        new MutationObserver((changes) => changes.forEach(({ addedNodes, target }) => {
            for (const node of addedNodes) if (node.localName === "li") busy.push(node.ariaBusy);
            if (target.localName === "li" && target.ariaBusy !== busy.at(-1)) busy.push(target.ariaBusy);
        })).observe(document.querySelector("#talk"), { childList: true, subtree: true, attributes: true, attributeFilter: ["aria-busy"] });
    """)
    ask(page, "How much is the monthly rent?")
    eventually(lambda: page.run("return busy[0] === 'true' && busy.at(-1) === 'false'"))
    log = "document.querySelector('#talk').closest('[role=log]')"
    assert page.run(f"return {log}.ariaLive") in (None, "polite"), "which is what a log is by itself"
    assert page.run("return document.querySelector('#say').getAttribute('role')") == "status"
