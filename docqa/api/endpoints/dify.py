"""Retrieval as Dify asks for it: a document or a knowledge base is a knowledge outside of Dify."""

import asyncio
from typing import TYPE_CHECKING

from docqa.api.dify import DIFY, RETRIEVAL_BODY, Record, RecordMetadata, Records
from docqa.api.endpoint import Endpoint, Given
from docqa.api.endpoints.openai import documents_named
from docqa.api.permalink import permalink, quote_from
from docqa.errors import NotFound, Unavailable
from docqa.services import Services

if TYPE_CHECKING:
    from docqa.search.passages import Passage


async def retrieve_for_dify(services: Services, account: int, given: Given) -> Records:
    """The passages that fit a query, with scores above a threshold. Raises NotFound for an unknown knowledge."""
    from docqa.api.asking import passages_for

    documents = await documents_named(services, account, given.body["knowledge_id"])
    setting = given.body["retrieval_setting"]
    passages = await passages_for(services, documents, given.body["query"], setting["top_k"])
    fitting = [passage for passage in passages if passage.fit >= (setting["score_threshold"] or 0)]
    return Records(await asyncio.to_thread(_records, given.base, given.body["query"], fitting))


def _records(base: str, query: str, passages: "list[Passage]") -> list[Record]:
    """The passages as records; to find what to quote of a hundred takes tenths of a second."""
    records = []
    for passage in passages:
        doc_id, number = passage.document.doc_id, passage.chunk.page_number
        url = permalink(base, doc_id, number, quote_from(passage.text, query))
        metadata = RecordMetadata(doc_id, number, url)
        records.append(Record(passage.text, round(passage.fit, 4), passage.document.name, metadata))
    return records


RETRIEVE = Endpoint(
    path="/retrieval",
    methods=("POST",),
    handler=retrieve_for_dify,
    summary="The passages that fit a question best, as Dify asks for external knowledge",
    answers=Records,
    tag="Dify",
    lane="chats",
    body=RETRIEVAL_BODY,
    errors=(NotFound, Unavailable),
    errors_as=DIFY,
)
