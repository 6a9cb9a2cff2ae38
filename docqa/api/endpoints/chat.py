"""Asking questions: of one document, a list of documents, a knowledge base; and retrieval without an answer."""

from contextlib import aclosing
from dataclasses import asdict
from typing import Any

from starlette.responses import JSONResponse, Response

from docqa import records, store
from docqa.api import declarations as given_by
from docqa.api.declarations import chat_options
from docqa.api.endpoint import Endpoint, Given
from docqa.api.filters import filters_of
from docqa.api.streaming import SSE, stream
from docqa.errors import NotFound, ProviderFailed, Unavailable
from docqa.services import Services
from docqa.store.documents import StoredDocument
from docqa.store.sql import now

TAG = "Chat"
TARGET_HEADER = "X-DocQA-Target"  # what answered, as `Answer.target` says
GAINS = {"X-DocQA-Gains": "language-model"}  # where the question would be answered better by one


async def chat_with_document(services: Services, account: int, given: Given) -> Response:
    """The answer from one document. Raises NotFound for an unknown one."""
    document = await services.db.lists.look(
        lambda conn: store.documents.stored_document(conn, account, given.path["doc_id"])
    )
    return await _reply(services, [document], given.body, given)


async def chat_with_documents(services: Services, account: int, given: Given) -> Response:
    """The answer from several documents. Raises NotFound if one of them is unknown."""
    async with services.db.read() as conn:
        documents = await store.documents.stored_documents(conn, account, given.body["documents"])
        documents = await store.documents.fitting(conn, documents, filters_of(given.body["filters"]))
    return await _reply(services, documents, given.body["messages"] or [], given)


async def chat_with_knowledge(services: Services, account: int, given: Given) -> Response:
    """The answer from the documents of a knowledge base. Raises NotFound for an unknown one."""
    async with services.db.read() as conn:
        documents = await store.knowledge.knowledge_base_documents(conn, account, given.path["knowledge_base_id"])
        documents = await store.documents.fitting(conn, documents, filters_of(given.body["filters"]))
    return await _reply(services, documents, given.body["messages"], given)


async def retrieve(services: Services, account: int, given: Given) -> records.RetrieveResult:
    """The passages that fit a query best, without an answer. Raises NotFound for unknown documents."""
    body, filters = given.body, filters_of(given.body)
    async with services.db.read() as conn:
        if body["doc_ids"] is not None:
            documents = await store.documents.stored_documents(conn, account, body["doc_ids"])
        elif body["knowledge_base_id"] is not None:
            documents = await store.knowledge.knowledge_base_documents(conn, account, body["knowledge_base_id"])
        else:
            documents = await store.askable.newest_documents(conn, account, filters)
        documents = await store.documents.fitting(conn, documents, filters)
    from docqa.api.asking import passages_for

    passages = await passages_for(services, documents, body["query"], body["top_k"])
    return records.RetrieveResult(
        [records.Retrieved(p.document.doc_id, p.chunk.page_number, p.text, round(p.score, 6)) for p in passages]
    )


async def _reply(
    services: Services, documents: list[StoredDocument], messages: list[dict[str, Any]], given: Given
) -> Response:
    from docqa.api.asking import begin

    made = await begin(services, documents, messages, chat_options(given.query))
    headers = {TARGET_HEADER: made.target} | (GAINS if made.gains else {})
    if not given.query["stream"]:
        async with aclosing(made.tokens) as tokens:
            text = "".join([token async for token in tokens])
        turns = records.Turn("user", made.question.text, "question"), records.Turn("bot", text, "response")
        return JSONResponse(asdict(records.ChatResponse(*turns, made.sources, now())), headers=headers)
    return stream(made, headers, as_events=SSE in given.accept)


_ANSWERS = (records.ChatResponse, "text/plain", SSE)
WITH_DOCUMENT = Endpoint(
    path="/v1/chat/{doc_id}",
    methods=("POST",),
    handler=chat_with_document,
    summary="Chat with one document",
    answers=_ANSWERS,
    tag=TAG,
    lane="chats",
    query=given_by.CHAT_QUERY,
    body=given_by.MESSAGES,
    errors=(NotFound, ProviderFailed, Unavailable),
)
WITH_DOCUMENTS = Endpoint(
    path="/v1/api/knowledge_base_chat",
    methods=("POST",),
    handler=chat_with_documents,
    summary="Chat with a list of documents; without messages, a summary of them",
    answers=_ANSWERS,
    tag=TAG,
    lane="chats",
    query=given_by.CHAT_QUERY,
    body=given_by.DOCUMENT_LIST_CHAT_BODY,
    errors=(NotFound, ProviderFailed, Unavailable),
    deprecated=True,
)
WITH_KNOWLEDGE = Endpoint(
    path="/v1/api/knowledge/{knowledge_base_id}/chat",
    methods=("POST",),
    handler=chat_with_knowledge,
    summary="Chat with a knowledge base",
    answers=_ANSWERS,
    tag=TAG,
    lane="chats",
    query=given_by.CHAT_QUERY,
    body=given_by.KNOWLEDGE_CHAT_BODY,
    errors=(NotFound, ProviderFailed, Unavailable),
)
RETRIEVE = Endpoint(
    path="/v1/api/retrieve",
    methods=("POST",),
    handler=retrieve,
    summary="The passages that fit a question best, without an answer",
    answers=records.RetrieveResult,
    tag=TAG,
    lane="chats",
    body=given_by.RETRIEVE_BODY,
    errors=(NotFound, Unavailable),
)
