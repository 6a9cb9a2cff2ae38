"""The address under which the page at `/` shows one place of a document: what citations of every face lead to."""

import re
from collections.abc import MutableMapping
from typing import Any
from urllib.parse import quote as percent_encoded

from docqa.text.sentences import sentences
from docqa.text.words import terms

PLACE = "/#/doc/"  # by which the page knows such an address
_LONGEST_SAID = 1_000  # characters before a mark that are looked at
LONGEST_QUOTE = 200  # characters; a browser takes longer addresses, a person does not
_HOST = re.compile(r"[\w.-]+(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?", re.ASCII)


def permalink(base: str, doc_id: str, page_number: int, quote: str = "") -> str:
    """`{base}/#/doc/{doc_id}/page/{page_number}?quote=...`, without `?quote=` where there is nothing to quote.

    `base` is an address without a slash at its end, as `base_of` gives it. The quote is put in one line, cut at a word
    where it is long, and percent-encoded, parentheses too: the address may stand in a Markdown link.
    """
    place = f"{base}{PLACE}{percent_encoded(doc_id, safe='')}/page/{page_number}"
    shown = _cut(" ".join(quote.split()))
    return f"{place}?quote={percent_encoded(shown, safe='')}" if shown else place


def quote_from(passage: str, said: str) -> str:
    """The sentence or line of a passage that has most of the words of what was `said` of it, or of what was searched
    for: what a person looks for behind a citation. The whole passage where none has any."""
    words = set(terms(said[-_LONGEST_SAID:]))
    lines = [line for line in passage.split("\n") if line.strip()]
    parts = [line[start:end] for line in lines for start, end in sentences(line)]
    shared = [len(words.intersection(terms(part))) for part in parts]
    return parts[shared.index(max(shared))] if any(shared) else passage


def _cut(text: str) -> str:
    """The first LONGEST_QUOTE characters, up to the end of a word; a script without spaces is cut anywhere."""
    if len(text) <= LONGEST_QUOTE:
        return text
    words = text[: LONGEST_QUOTE + 1].rpartition(" ")[0]
    return words if len(words) > LONGEST_QUOTE // 2 else text[:LONGEST_QUOTE]


def base_of(scope: MutableMapping[str, Any]) -> str:
    """The address that a request was sent to, `http://localhost:8000`: its own scheme and Host header, for a server
    does not know the name that a proxy gives it. A Host header that is no name gives way to the address of the
    socket."""
    host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
    if not _HOST.fullmatch(host):
        name, port = scope.get("server") or ("localhost", None)
        name = f"[{name}]" if ":" in name else name
        host = f"{name}:{port}" if port else name
    return f"{scope.get('scheme', 'http')}://{host}"
