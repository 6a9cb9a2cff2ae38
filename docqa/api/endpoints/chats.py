"""Chats that people keep: the page stores each question with its answer, and finds it again."""

import secrets
from typing import Any

from docqa import records, store
from docqa.api import declarations as given_by
from docqa.api.endpoint import Endpoint, Given
from docqa.errors import DiskFull, NotFound
from docqa.services import Services

TAG = "Kept chats"


async def list_chats(services: Services, account: int, given: Given) -> records.ChatList:
    """A page of the account's chats, the last changed first."""
    query = given.query
    async with services.db.read() as conn:
        return await store.chats.chats(conn, account, query["query"], query["page"], query["page_size"])


async def create_chat(services: Services, account: int, given: Given) -> records.ChatCreated:
    """Keeps a chat. Raises NotFound if a document or the knowledge base is unknown."""
    chat_id, body = secrets.token_hex(12), given.body
    async with services.db.write() as conn:
        await store.chats.add_chat(conn, account, chat_id, body["title"], [_turn(turn) for turn in body["turns"]])
        await store.chats.set_scope(conn, account, chat_id, body["doc_ids"], body["knowledge_base_id"])
    return records.ChatCreated(chat_id)


async def read_chat(services: Services, account: int, given: Given) -> records.Chat:
    """A chat with its turns. Raises NotFound."""
    async with services.db.read() as conn:
        return await store.chats.chat(conn, account, given.path["chat_id"])


async def update_chat(services: Services, account: int, given: Given) -> records.Message:
    """Gives a chat another title, and other documents to ask next. Raises NotFound for it or one of them."""
    chat_id, body = given.path["chat_id"], given.body
    async with services.db.write() as conn:
        await store.chats.rename_chat(conn, account, chat_id, body["title"])
        await store.chats.set_scope(conn, account, chat_id, body["doc_ids"], body["knowledge_base_id"])
    return records.Message("Chat changed")


async def add_turn(services: Services, account: int, given: Given) -> records.Message:
    """Adds a question with its answer to a chat. Raises NotFound for the chat or a document of the answer."""
    async with services.db.write() as conn:
        await store.chats.add_turn(conn, account, given.path["chat_id"], _turn(given.body))
    return records.Message("Turn added")


async def delete_chat(services: Services, account: int, given: Given) -> records.Message:
    """Deletes a chat. Raises NotFound."""
    services.db.ballast.release()
    async with services.db.write() as conn:
        await store.chats.delete_chat(conn, account, given.path["chat_id"])
    services.intake.deleted.set()
    return records.Message("Chat deleted")


def _turn(body: dict[str, Any]) -> records.ChatTurn:
    sources = [records.Source(**source) for source in body["sources"]]
    return records.ChatTurn(body["question"], body["answer"], body["written_by"], sources)


LIST = Endpoint(
    path="/v1/api/chats",
    handler=list_chats,
    summary="List kept chats, the last changed first, or search them",
    answers=records.ChatList,
    tag=TAG,
    query=given_by.CHATS_QUERY,
)
CREATE = Endpoint(
    path="/v1/api/chats",
    methods=("POST",),
    handler=create_chat,
    summary="Keep a chat",
    answers=records.ChatCreated,
    status=201,
    tag=TAG,
    body=given_by.CHAT_CREATE_BODY,
    errors=(NotFound, DiskFull),
)
READ = Endpoint(
    path="/v1/api/chats/{chat_id}",
    handler=read_chat,
    summary="Read a kept chat",
    answers=records.Chat,
    tag=TAG,
    errors=(NotFound,),
)
UPDATE = Endpoint(
    path="/v1/api/chats/{chat_id}",
    methods=("PUT",),
    handler=update_chat,
    summary="Rename a kept chat, and say what it asks next",
    answers=records.Message,
    tag=TAG,
    body=given_by.CHAT_UPDATE_BODY,
    errors=(NotFound, DiskFull),
)
ADD_TURN = Endpoint(
    path="/v1/api/chats/{chat_id}/turns",
    methods=("POST",),
    handler=add_turn,
    summary="Add a question with its answer to a kept chat",
    answers=records.Message,
    status=201,
    tag=TAG,
    body=given_by.TURN,
    errors=(NotFound, DiskFull),
)
DELETE = Endpoint(
    path="/v1/api/chats/{chat_id}",
    methods=("DELETE",),
    handler=delete_chat,
    summary="Delete a kept chat",
    answers=records.Message,
    tag=TAG,
    errors=(NotFound, DiskFull),
)
