"""The address of a place in a document, as every face gives it."""

from typing import Any
from urllib.parse import parse_qs

import pytest

from docqa.api.permalink import LONGEST_QUOTE, base_of, permalink, quote_from

BASE = "http://localhost:8000"


def quote_in(link: str) -> str:
    [quote] = parse_qs(link.partition("?")[2], strict_parsing=True)["quote"]
    return quote


def test_it_names_document_page_and_quote() -> None:
    link = permalink(BASE, "65f0c2", 7, "The rent is\n 12,400 euros (net).")
    assert link == f"{BASE}/#/doc/65f0c2/page/7?quote=The%20rent%20is%2012%2C400%20euros%20%28net%29."
    assert quote_in(link) == "The rent is 12,400 euros (net)."
    assert permalink(BASE, "65f0c2", 1) == f"{BASE}/#/doc/65f0c2/page/1"


def test_a_long_quote_ends_with_a_word() -> None:
    text = "word " * 100
    quote = quote_in(permalink(BASE, "d", 1, text))
    assert quote == "word " * 39 + "word"
    assert len(quote) <= LONGEST_QUOTE


@pytest.mark.parametrize("text", ["借" * 500, "第七章 " + "借" * 500], ids=["without spaces", "with a space early"])
def test_a_script_without_spaces_is_cut_anywhere(text: str) -> None:
    assert quote_in(permalink(BASE, "d", 1, text)) == text[:LONGEST_QUOTE]


def test_a_quote_is_the_sentence_of_a_passage_that_says_what_was_said() -> None:
    passage = "The lease ends in March. The rent is due on the third day; it is 12,400 euros.\nThe tenant insures fire."
    assert quote_from(passage, "It ends in March 2027") == "The lease ends in March."
    assert quote_from(passage, "who insures against fire?") == "The tenant insures fire."
    assert quote_from(passage, "Zürich") == passage


@pytest.mark.parametrize(
    ("scheme", "host", "base"),
    [
        ("http", b"localhost:8000", "http://localhost:8000"),
        ("https", b"docs.example.org", "https://docs.example.org"),
        ("http", b"[::1]:8000", "http://[::1]:8000"),
        ("http", b"a b)](", "http://127.0.0.1:9"),
        ("http", b"", "http://127.0.0.1:9"),
    ],
)
def test_it_begins_with_the_address_of_the_request(scheme: str, host: bytes, base: str) -> None:
    scope: dict[str, Any] = {"scheme": scheme, "headers": [(b"host", host)], "server": ("127.0.0.1", 9)}
    assert base_of(scope) == base
