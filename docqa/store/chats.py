"""Conversations that people keep.

What a turn quotes is text of a document, and so is most of its answer: both go when the document is deleted, and when
the account may no longer read it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from docqa import records
from docqa.errors import NotFound
from docqa.store.access import READABLE
from docqa.store.documents import stored_documents
from docqa.store.knowledge import knowledge_row
from docqa.store.sql import BIGGEST, Connection, change, change_many, fetch_all, fetch_one, insert, now


async def chats(conn: Connection, account: int, query: str, page: int, page_size: int) -> records.ChatList:
    """A page of the account's chats, the last changed first; with a query those whose title, questions or answers
    contain it in any case."""
    words = query.casefold()
    where = "account = ?"
    values: tuple[Any, ...] = (account,)
    if words:
        where += """ AND (instr(folded_title, ?) > 0
                     OR EXISTS (SELECT 1 FROM turn t WHERE t.chat = chat.id AND instr(t.folded, ?) > 0))"""
        values += (words, words)
    [(count,)] = await fetch_all(conn, f"SELECT count(*) FROM chat WHERE {where}", *values)
    sql = f"""SELECT chat_id, title, changed FROM chat WHERE {where}
              ORDER BY changed DESC, id DESC LIMIT ? OFFSET ?"""
    rows = await fetch_all(conn, sql, *values, page_size, min((page - 1) * page_size, BIGGEST))
    return records.ChatList(-(-count // page_size), [records.ChatEntry(*row) for row in rows])


async def chat(conn: Connection, account: int, chat_id: str) -> records.Chat:
    """The account's chat of this id with its turns. Raises NotFound."""
    id_, title, changed, knowledge_base_id = await _row(conn, account, chat_id)
    sql = (
        "SELECT d.doc_id FROM chat_document c JOIN document d ON d.id = c.document WHERE c.chat = ? ORDER BY c.position"
    )
    doc_ids = [doc_id for (doc_id,) in await fetch_all(conn, sql, id_)]
    sql = "SELECT id, question, answer, written_by FROM turn WHERE chat = ? ORDER BY position"
    turns = [
        records.ChatTurn(question, answer, written_by, await _sources(conn, turn))
        for turn, question, answer, written_by in await fetch_all(conn, sql, id_)
    ]
    return records.Chat(chat_id, title, doc_ids, knowledge_base_id, turns, changed)


async def _sources(conn: Connection, turn: int) -> list[records.Source]:
    sql = """SELECT s.number, d.doc_id, s.quote, s.page_number FROM turn_source s JOIN document d ON d.id = s.document
             WHERE s.turn = ? ORDER BY s.number"""
    return [records.Source(*row) for row in await fetch_all(conn, sql, turn)]


async def add_chat(conn: Connection, account: int, chat_id: str, title: str, turns: Sequence[records.ChatTurn]) -> None:
    """Store a chat with these turns. Raises NotFound if a turn rests on an unknown document."""
    sql = "INSERT INTO chat (chat_id, account, title, folded_title, created, changed) VALUES (?, ?, ?, ?, ?, ?)"
    time = now()
    id_ = await insert(conn, sql, chat_id, account, title, title.casefold(), time, time)
    for position, turn in enumerate(turns):
        await _add_turn(conn, account, id_, position, turn)


async def add_turn(conn: Connection, account: int, chat_id: str, turn: records.ChatTurn) -> None:
    """Add a turn at the end of a chat. Raises NotFound for the chat, and for a document that the turn rests on."""
    [id_, *_] = await _row(conn, account, chat_id)
    [(position,)] = await fetch_all(conn, "SELECT coalesce(max(position) + 1, 0) FROM turn WHERE chat = ?", id_)
    await _add_turn(conn, account, id_, position, turn)
    await change(conn, "UPDATE chat SET changed = ? WHERE id = ?", now(), id_)


async def _add_turn(conn: Connection, account: int, chat: int, position: int, turn: records.ChatTurn) -> None:
    folded = f"{turn.question}\n{turn.answer}".casefold()
    sql = "INSERT INTO turn (chat, position, question, answer, folded, written_by) VALUES (?, ?, ?, ?, ?, ?)"
    row = await insert(conn, sql, chat, position, turn.question, turn.answer, folded, turn.written_by)
    documents = {
        document.doc_id: document.id
        for document in await stored_documents(conn, account, dict.fromkeys(source.doc_id for source in turn.sources))
    }
    sources = [
        (row, source.id, documents[source.doc_id], source.page_number, source.source_chunk) for source in turn.sources
    ]
    sql = "INSERT OR REPLACE INTO turn_source (turn, number, document, page_number, quote) VALUES (?, ?, ?, ?, ?)"
    await change_many(conn, sql, sources)


async def set_scope(
    conn: Connection, account: int, chat_id: str, doc_ids: Iterable[str], knowledge_base_id: str | None
) -> None:
    """What the chat asks next. Raises NotFound for the chat, a document or the knowledge base."""
    [id_, *_] = await _row(conn, account, chat_id)
    knowledge_base = (await knowledge_row(conn, account, knowledge_base_id))[0] if knowledge_base_id else None
    documents = await stored_documents(conn, account, dict.fromkeys(doc_ids))
    await change(conn, "UPDATE chat SET knowledge_base = ? WHERE id = ?", knowledge_base, id_)
    await change(conn, "DELETE FROM chat_document WHERE chat = ?", id_)
    rows = [(id_, document.id, position) for position, document in enumerate(documents)]
    await change_many(conn, "INSERT INTO chat_document (chat, document, position) VALUES (?, ?, ?)", rows)


async def rename_chat(conn: Connection, account: int, chat_id: str, title: str) -> None:
    """Give a chat another title. Raises NotFound."""
    sql = "UPDATE chat SET title = ?, folded_title = ? WHERE account = ? AND chat_id = ?"
    if not await change(conn, sql, title, title.casefold(), account, chat_id):
        raise NotFound("Chat not found")


async def delete_chat(conn: Connection, account: int, chat_id: str) -> None:
    """Delete a chat with its turns. Raises NotFound."""
    if not await change(conn, "DELETE FROM chat WHERE account = ? AND chat_id = ?", account, chat_id):
        raise NotFound("Chat not found")


async def forget_document(conn: Connection, document: int) -> None:
    """Take a document out of all chats: its quotes, and the answers that rest on it; the questions stay."""
    sql = """UPDATE turn SET answer = '', folded = '' WHERE id IN (SELECT turn FROM turn_source WHERE document = ?)"""
    await change(conn, sql, document)
    await change(conn, "DELETE FROM turn_source WHERE document = ?", document)
    await change(conn, "DELETE FROM chat_document WHERE document = ?", document)


async def forget_unreadable(conn: Connection, account: int) -> None:
    """The same for what the account may no longer read, in its own chats."""
    gone = f"NOT EXISTS (SELECT 1 FROM document WHERE document.id = {{}}.document AND {READABLE})"
    turns = "(SELECT t.id FROM turn t JOIN chat c ON c.id = t.chat WHERE c.account = ?1)"
    sources = f"turn IN {turns} AND {gone.format('turn_source')}"
    sql = f"UPDATE turn SET answer = '', folded = '' WHERE id IN (SELECT turn FROM turn_source WHERE {sources})"
    await change(conn, sql, account)
    await change(conn, f"DELETE FROM turn_source WHERE {sources}", account)
    sql = f"""DELETE FROM chat_document WHERE chat IN (SELECT id FROM chat WHERE account = ?1)
              AND {gone.format("chat_document")}"""
    await change(conn, sql, account)
    sql = """UPDATE chat SET knowledge_base = NULL WHERE account = ?1 AND knowledge_base NOT IN (
                 SELECT knowledge_base FROM readable_base WHERE reader = ?1)"""
    await change(conn, sql, account)


async def _row(conn: Connection, account: int, chat_id: str) -> tuple[Any, ...]:
    """(id, title, changed, knowledge_base_id or "") of a chat."""
    sql = """SELECT c.id, c.title, c.changed, coalesce(k.knowledge_base_id, '')
             FROM chat c LEFT JOIN knowledge_base k ON k.id = c.knowledge_base WHERE c.account = ? AND c.chat_id = ?"""
    row = await fetch_one(conn, sql, account, chat_id)
    if row is None:
        raise NotFound("Chat not found")
    return row
