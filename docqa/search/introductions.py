"""Where documents introduce what a question asks about: the Public Integrity Commission (“PIC”), (the “Concept Plan”).

Contracts, judgments and reports say there what a name means; elsewhere they use it.
"""

import asyncio
import re
from collections.abc import Sequence
from functools import lru_cache

from docqa import store
from docqa.store.chunks import StoredChunk
from docqa.store.scopes import Scope
from docqa.store.sql import Connection, quoted
from docqa.text.marks import item_mark
from docqa.text.words import terms

EXPLAINED = 3  # terms that explain at the least: fewer may be a value
MOST = 300  # passages that name it, from the beginning, among which the one is sought that introduces it


def introduces(text: str, name: str) -> bool:
    """Whether a name stands in a text in quotation marks or, being all of them, in brackets."""
    return bool(_introduction(name).search(text))


def explains(text: str, name: str) -> bool:
    """Whether a text begins with a name that it explains, as an entry of a glossary does: "Lender – who lends"."""
    mark = item_mark(text)
    entry = _entry(name).match(text, mark.end if mark else 0)
    return entry is not None and len(terms(text[entry.end() :])) >= EXPLAINED


@lru_cache(256)
def _entry(name: str) -> re.Pattern[str]:
    in_brackets, separator = r"(?:\s*[(（][^()（）\n]*[)）])?", r"(?:\s*[:：=→–—]|\s+-+\s)"
    return re.compile(rf"\W*{_spelt(name)}{in_brackets}{separator}", re.IGNORECASE)


def _spelt(name: str) -> str:
    return r"\s+".join(map(re.escape, name.split()))


@lru_cache(256)
def _introduction(name: str) -> re.Pattern[str]:
    spelt = _spelt(name)
    return re.compile(rf"[“”„\"«「『]{spelt}[”“\"»」』]|[(（]{spelt}[)）]")


async def introducing(conn: Connection, scope: Scope, name: str) -> list[StoredChunk]:
    """The first chunk of a scope that introduces a name, if any does."""
    match = " AND ".join(map(quoted, dict.fromkeys(terms(name))))
    chunks = await store.full_text.first_holding(conn, scope, match, MOST) if match else []
    return await asyncio.to_thread(_first, chunks, name)


def _first(chunks: Sequence[StoredChunk], name: str) -> list[StoredChunk]:
    return next(([chunk] for chunk in chunks if introduces(chunk.text, name)), [])
