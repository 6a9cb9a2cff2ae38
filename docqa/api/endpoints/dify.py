"""Retrieval as Dify asks for it: a document or a knowledge base is a knowledge outside of Dify."""

from docqa.api.dify import DIFY, RETRIEVAL_BODY, Record, RecordMetadata, Records
from docqa.api.endpoint import Endpoint, Given
from docqa.api.endpoints.chat import passages_for
from docqa.api.endpoints.openai import documents_named
from docqa.api.permalink import permalink
from docqa.errors import NotFound, Unavailable
from docqa.services import Services


async def retrieve(services: Services, account: int, given: Given) -> Records:
    """The passages that fit a query, with scores above a threshold. Raises NotFound for an unknown knowledge."""
    documents = await documents_named(services, account, given.body["knowledge_id"])
    setting = given.body["retrieval_setting"]
    passages = await passages_for(services, documents, given.body["query"], setting["top_k"])
    return Records(
        [
            Record(
                content=passage.text,
                score=round(passage.fit, 4),
                title=passage.document.name,
                metadata=RecordMetadata(
                    passage.document.doc_id,
                    passage.chunk.page_number,
                    permalink(given.base, passage.document.doc_id, passage.chunk.page_number, passage.text),
                ),
            )
            for passage in passages
            if passage.fit >= (setting["score_threshold"] or 0)
        ]
    )


RETRIEVE = Endpoint(
    path="/retrieval",
    methods=("POST",),
    handler=retrieve,
    summary="The passages that fit a question best, as Dify asks for external knowledge",
    answers=Records,
    tag="Dify",
    lane="chats",
    body=RETRIEVAL_BODY,
    errors=(NotFound, Unavailable),
    errors_as=DIFY,
)
