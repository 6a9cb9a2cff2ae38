"""The files that the page is made of."""

import json
import re
from importlib.resources import files

import httpx
import pytest

from docqa.api.endpoints.page import _parts

pytestmark = pytest.mark.anyio

FOLDER = files("docqa.page")
OWN = [path for path in sorted(_parts()) if not path.startswith("vendor/")]
LIGHT = 150_000  # bytes of what is loaded at first; the vendored libraries come with the first answer of a model


def read(path: str) -> str:
    return FOLDER.joinpath(path).read_text(encoding="utf-8")


async def test_each_part_is_served_with_its_type_and_nothing_else_is(client: httpx.AsyncClient) -> None:
    types = {"js": "text/javascript", "css": "text/css", "json": "application/json"}
    for path in _parts():
        response = await client.get(f"/page/{path}", headers={"x-api-key": ""})
        assert response.status_code == 200 and response.text == read(path)
        assert response.headers["content-type"].startswith(types[path.rpartition(".")[2]])
    for path in (
        "script/nothing.js",
        "vendor/purify.LICENSE",
        "../__init__.py",
        "%2e%2e/__init__.py",
        "script/..%2f..%2frecords.py",
    ):
        assert (await client.get(f"/page/{path}")).status_code == 404


def test_the_page_is_light() -> None:
    assert sum(len(read(path).encode()) for path in [*OWN, "index.html", "docs.html"]) <= LIGHT


def test_every_language_has_the_same_words_with_the_same_places() -> None:
    english, *others = [json.loads(read(path)) for path in OWN if path.startswith("words/")][::-1]
    for words in others:
        assert words.keys() == english.keys()
        for key, text in words.items():
            assert sorted(re.findall(r"{\w+}", text)) == sorted(re.findall(r"{\w+}", english[key])), key


def test_every_word_that_the_page_says_is_there_and_is_said() -> None:
    words = json.loads(read("words/en.json"))
    source = "".join(read(path) for path in OWN if path.endswith(".js")) + read("index.html") + read("docs.html")
    said = set(re.findall(r"""(?:word|counted|section)\(\s*"(\w+)\"""", source))
    said |= set(re.findall(r'data-(?:word|label|hint|title)="(\w+)"', source))
    assert said <= words.keys()
    assert [
        key
        for key in words
        if key not in source and not key.startswith(("place_", "in_", "use_", "disk_")) and not key.endswith("Many")
    ] == []


def test_no_part_makes_html_of_text() -> None:
    for path in OWN:
        if path.endswith(".js"):
            assert not re.search(r"innerHTML|outerHTML =|insertAdjacentHTML|document\.write|\beval\(", read(path)), path
