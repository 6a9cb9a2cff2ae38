"""The guides at `/help`: every one is shown, every link of them leads somewhere, also on a forge."""

import re
from importlib.resources import files
from pathlib import Path

import httpx
import pytest

from docqa import ROOT
from docqa.api.endpoints.page import _parts
from docqa.help.guides import NAMES, body, pictures, source, title

pytestmark = pytest.mark.anyio

FOLDER = ROOT / "docqa" / "help"
DOCUMENTS = {name: FOLDER / f"{name}.md" for name in NAMES} | {"README": ROOT / "README.md"}


def anchors(path: Path) -> set[str]:
    """The fragments of a document's headings, as forges make them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_guide_is_in_the_list_of_them_and_the_readme_leads_to_it() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == set(NAMES)
    readme = DOCUMENTS["README"].read_text(encoding="utf-8")
    for name in NAMES:
        assert f"[{title(name)}](docqa/help/{name}.md)" in readme


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_to_files_and_headings_that_there_are(name: str) -> None:
    document = DOCUMENTS[name]
    for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
        if target.startswith("https://"):
            continue
        path, _, fragment = target.partition("#")
        file = document.parent / path if path else document
        assert file.is_file(), f"{document.name} leads to {target}"
        assert not fragment or fragment in anchors(file), f"{document.name} leads to {target}"


async def test_guides_are_shown_without_a_key_and_may_run_nothing(client: httpx.AsyncClient) -> None:
    response = await client.get("/help", headers={"x-api-key": ""})
    assert response.status_code == 200
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "<script" not in response.text
    for name in NAMES:
        assert f'<a href="/help/{name}">{title(name)}</a>' in response.text
        shown = await client.get(f"/help/{name}", headers={"x-api-key": ""})
        assert shown.status_code == 200 and f"<title>{title(name)} · DocQA</title>" in shown.text
        assert f'<a href="/help/{name}" aria-current="page">' in shown.text


async def test_links_and_pictures_of_a_guide_lead_to_what_is_served(client: httpx.AsyncClient) -> None:
    for name in NAMES:
        for target in re.findall(r'(?:href|src)="([^"]+)"', (await client.get(f"/help/{name}")).text):
            path, _, fragment = target.partition("#")
            if target.startswith(("https://", "data:")):
                continue
            response = await client.get(path or f"/help/{name}")
            assert response.status_code == 200, f"{name} leads to {target}"
            assert not fragment or f'id="{fragment}"' in response.text, f"{name} leads to {target}"


async def test_a_picture_is_a_small_png_or_svg(client: httpx.AsyncClient) -> None:
    assert pictures()
    for name, content in pictures().items():
        response = await client.get(f"/help/pictures/{name}")
        is_drawing = name.endswith(".svg")
        assert response.content == content and len(content) < 150_000
        assert response.headers["content-type"] == ("image/svg+xml" if is_drawing else "image/png")
        assert content.startswith(b"<svg " if is_drawing else b"\x89PNG")


@pytest.mark.parametrize("path", ["/help/nothing", "/help/start.md", "/help/pictures/nothing.png", "/help/..%2fguides"])
async def test_what_is_no_guide_is_not_there(client: httpx.AsyncClient, path: str) -> None:
    assert (await client.get(path)).status_code == 404


@pytest.mark.parametrize("name", NAMES)
def test_a_guide_begins_with_what_it_is_about_and_is_no_html_of_its_own(name: str) -> None:
    heading, blank, first = source(name).split("\n")[:3]
    assert heading.startswith("# ") and not blank and first[0].isalpha()
    assert body(name).count("<h1") == 1
    assert "&lt;/" not in body(name), "tags in the Markdown would be shown as they are"


@pytest.mark.parametrize("name", NAMES)
def test_the_styles_of_the_page_mean_no_heading_of_a_guide(name: str) -> None:
    styles = files("docqa.page").joinpath("style/page.css").read_text(encoding="utf-8")
    styled = set(re.findall(r"#([a-z][\w-]*)", styles))
    assert styled.isdisjoint(re.findall(r' id="([^"]+)"', body(name)))


def test_what_shows_guides_comes_with_the_page() -> None:
    assert {"style/page.css", "style/help.css"} <= _parts()
