"""Questions made from a stored document, in a confined child of their own: it is work that grows with the document."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from docqa.ingest.children import Limits, Work
from docqa.ingest.made_questions import MadeQuestion
from docqa.ingest.reader import ask
from docqa.store.chunks import StoredChunk
from docqa.store.documents import StoredDocument
from docqa.workers.loop import Header
from docqa.workers.sandbox import READING

MAKES_QUESTIONS = Work("docqa.ingest.questions_child", READING)


async def questions_about(
    document: StoredDocument, chunks: Sequence[StoredChunk], count: int, limits: Limits
) -> list[MadeQuestion]:
    """At most `count` questions that chunks of a document answer, of all kinds and from all over it. Raises Unreadable,
    ChildDied."""
    given = await asyncio.to_thread(_encoded, [astuple(chunk) for chunk in chunks])
    made: list[MadeQuestion] = []

    async def keep(_: Header, blob: bytes) -> None:
        made.extend(MadeQuestion(**fields) for fields in json.loads(blob))

    request = {"task": "questions", "name": document.doc_id, "language": document.language, "count": count}
    await ask(request, given, limits, (), keep, MAKES_QUESTIONS)
    return made


def _encoded(given: Any) -> bytes:
    return json.dumps(given, ensure_ascii=False).encode("utf-8", "surrogatepass")
