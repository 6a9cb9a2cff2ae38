"""Whether documents have vectors by the model that knows their language and a question's: the one beside the first
makes them from the first question on that needs them."""

import asyncio
import time
from collections.abc import Sequence

from docqa import store
from docqa.models.encoders import stored_model
from docqa.search.index import Index
from docqa.store.documents import StoredDocument

AWAITED_SECONDS = 10.0  # by one question: better a late answer than one by words alone, which mostly finds nothing
PAUSE = 0.2


async def await_vectors(index: Index, documents: Sequence[StoredDocument], language: str) -> None:
    """Have the documents embedded by the model that a question in this language needs, and wait for it, but not for
    long: what then still has no vectors is found by words, as before."""
    end = time.monotonic() + AWAITED_SECONDS
    while await is_preparing(index, documents, language) and time.monotonic() < end:
        index.encoders.want_beside()
        await asyncio.sleep(PAUSE)


async def is_preparing(index: Index, documents: Sequence[StoredDocument], language: str) -> bool:
    """Whether some of the documents are still to be embedded by the model that a question in this language needs."""
    encoders = index.encoders
    if encoders.beside is None or encoders.beside.failed:
        return False
    ids = {document.id for document in documents if encoders.is_for_beside(language, document.language)}
    if not ids:
        return False
    model = stored_model(encoders.beside)
    async with index.db.read() as conn:
        if not await store.vectors.makes_vectors(conn, model):
            return True
        lacking = ids - await store.vectors.embedded(conn, ids, model)
        return bool(lacking and await store.jobs.in_work(conn, lacking))
