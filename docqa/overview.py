"""Questions about documents as a whole, answered from all of their text and not from what a search finds."""

import asyncio
from collections.abc import Sequence

from docqa.queries import chunk_rows
from docqa.queries.document_rows import StoredDocument
from docqa.search import Passage, Sentence
from docqa.services import Services
from docqa.summary import key_sentences

SUMMARISED_DOCUMENTS = 50


async def summary_passages(services: Services, documents: Sequence[StoredDocument], count: int) -> list[Passage]:
    """The chunks with the `count` most telling sentences of each document; only these sentences are listed in them."""
    passages: list[Passage] = []
    for document in documents[:SUMMARISED_DOCUMENTS]:
        async with services.db.read() as conn:
            chunks = await chunk_rows.chunks(conn, document.id)
        key = await asyncio.to_thread(key_sentences, [chunk.text for chunk in chunks], count)
        for index in dict.fromkeys(index for index, _ in key):
            chunk = chunks[index]
            starts = [(chunk.text.index(sentence), sentence) for i, sentence in key if i == index]
            listed = tuple(Sentence(start, start + len(sentence), 1.0, None) for start, sentence in starts)
            passages.append(Passage(chunk, document, 0.0, None, 1.0, 1.0, listed))
    return passages
