"""Settings in the page: keys are made, shown once, named and revoked; what answers here is told."""

import httpx

from browsing import enter, needs_chromium
from webdriver import ENTER, Browser

pytestmark = needs_chromium


def test_a_key_is_made_shown_once_and_revoked(page: Browser, reader: httpx.Client) -> None:
    enter(page, reader)
    page.click("#open-settings")
    page.wait("#settings-body", lambda text: "used here" in text)
    page.click("#settings-body section > button")
    page.type("#name", "The script on the scanner" + ENTER)
    made = page.wait("#new-key")
    answer = reader.get("/v1/api/documents", headers={"x-api-key": made})
    assert answer.status_code == 200 and answer.json()["documents"] == []
    page.click("#settings-close")
    page.click("#open-settings")
    page.wait("#settings-body", lambda text: "The script on the scanner" in text)
    assert made not in page.text("#settings-body")
    assert page.label("#settings-body td .row button:nth-child(2)") == "Revoke The script on the scanner"
    page.click("#settings-body td .row button:nth-child(2)")
    page.wait("#settings-body", lambda text: "The script on the scanner" not in text)
    assert reader.get("/v1/api/documents", headers={"x-api-key": made}).status_code == 401


def test_settings_tell_what_answers_and_how_programs_ask(page: Browser, reader: httpx.Client) -> None:
    enter(page, reader)
    page.click("#open-settings")
    text = page.wait("#settings-body", lambda text: "SMOLLM2_135M" in text)
    assert reader.get("/healthz").json()["version"] in text
    assert f'curl -H "x-api-key: YOUR-KEY" {str(reader.base_url).rstrip("/")}/v1/api/documents' in text
    assert reader.headers["x-api-key"] not in text
