"""Questions made from a stored document, in a confined child: it is work that grows with the document."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING

from docqa.ingest.children import Limits
from docqa.ingest.reader import ask, encoded
from docqa.store.chunks import StoredChunk
from docqa.store.documents import StoredDocument
from docqa.workers.loop import Header

if TYPE_CHECKING:
    from docqa.ingest.made_questions import MadeQuestion


async def questions_about(
    document: StoredDocument, chunks: Sequence[StoredChunk], count: int, limits: Limits
) -> "list[MadeQuestion]":
    """At most `count` questions that chunks of a document answer, of all kinds and from all over it. Raises Unreadable,
    ChildDied."""
    from docqa.ingest.made_questions import MadeQuestion

    given = await asyncio.to_thread(encoded, [astuple(chunk) for chunk in chunks])
    made: list[MadeQuestion] = []

    async def keep(_: Header, blob: bytes) -> None:
        made.extend(MadeQuestion(**fields) for fields in json.loads(blob))

    request = {"task": "questions", "name": document.doc_id, "language": document.language, "count": count}
    await ask(request, given, limits, (), keep)
    return made
