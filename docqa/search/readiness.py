"""Whether documents have vectors by the model that knows their language and a question's: the one beside the first
makes them from the first question on that needs them."""

import asyncio
import time
from collections.abc import Sequence

from docqa import store
from docqa.models.encoders import stored_model
from docqa.search.index import Index
from docqa.store.documents import StoredDocument

MOST_AWAITED = 2_000  # passages: a minute or two of two cores, in which some questions wait; of more each would
AWAITED_SECONDS = 10.0  # by one question: better a late answer than one by words alone, which mostly finds nothing
PAUSE = 0.2


async def await_vectors(index: Index, documents: Sequence[StoredDocument], language: str) -> None:
    """Have the documents embedded by the model that a question in this language needs, and wait for it, but not for
    long: what then still has no vectors is found by words, as before."""
    end = time.monotonic() + AWAITED_SECONDS
    while left := await passages_left(index, documents, language):
        index.encoders.want_beside()
        if left > MOST_AWAITED or time.monotonic() > end:
            return
        await asyncio.sleep(PAUSE)


async def passages_left(index: Index, documents: Sequence[StoredDocument], language: str) -> int:
    """How many passages are in those documents that are still to be embedded by the model that a question in this
    language needs."""
    encoders = index.encoders
    if encoders.beside is None or encoders.beside.failed:
        return 0
    ids = frozenset(document.id for document in documents if encoders.is_for_beside(language, document.language))
    if not ids:
        return 0
    model, queued = stored_model(encoders.beside), encoders.beside_begun  # before the data are seen, which may be older
    async with index.db.read() as conn:
        ids -= await store.vectors.embedded(conn, ids, model)
        if queued:
            ids = await store.jobs.in_work(conn, ids)
        return (await store.scopes.scope_of(conn, list(ids))).size if ids else 0
