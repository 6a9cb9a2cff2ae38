"""The guides in the hands of a person: reached from the page, readable on a phone, by keys, in light and dark."""

import httpx

from browsing import enter, needs_chromium
from conftest import Server
from docqa.help.guides import NAMES
from webdriver import Browser

pytestmark = needs_chromium


def test_help_is_reached_from_the_page_with_and_without_a_key(page: Browser, reader: httpx.Client) -> None:
    enter(page, reader)
    page.click("header a")
    page.wait("h1", lambda text: text == "Guides")
    page.click("dt a[href='/help/deployment']")
    page.wait("h1", lambda text: text == "Deployment")
    assert page.text("nav [aria-current]") == "Deployment"
    page.click("main a[href='/help/models']")
    page.wait("h1", lambda text: text == "Models")


def test_nothing_of_a_guide_is_wider_than_the_window(page: Browser, server: Server) -> None:
    for name in NAMES:
        page.visit(f"{server.base}/help/{name}")
        page.wait("h1")
        for width in (1280, 360):
            page.pretend("setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 400)
            assert page.run("return document.documentElement.scrollWidth") <= width, name
    page.pretend("clearDeviceMetricsOverride")


def test_what_is_scrolled_can_have_the_focus_and_pictures_are_shown(page: Browser, server: Server) -> None:
    page.visit(f"{server.base}/help/api")
    page.wait("h1")
    assert page.run("return [...document.querySelectorAll('pre')].every((node) => node.tabIndex === 0)")
    page.visit(f"{server.base}/help/page")
    page.wait("h1")
    page.run("document.images[0].decode()")
    assert page.run("return [...document.images].every((image) => image.alt && image.naturalWidth > 0)")


def test_colours_follow_the_system(page: Browser, server: Server) -> None:
    page.visit(f"{server.base}/help/start")
    page.wait("h1")
    papers = []
    for scheme in ("light", "dark"):
        page.pretend("setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        papers.append(page.run("return getComputedStyle(document.body).backgroundColor"))
    page.pretend("setEmulatedMedia", features=[])
    assert papers == ["rgb(251, 250, 248)", "rgb(23, 24, 26)"]
