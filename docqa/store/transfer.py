"""Knowledge bases from one database to another, with originals, pages, chunks, vectors and summaries.

The database that is written is `main`, the other one is attached as `other`: an export writes to a new file beside the
server's database, an import to the server's database beside that file. Row ids are given anew; a doc_id stays where it
is free.
"""

from collections.abc import Callable
from dataclasses import dataclass

from docqa.store.chunks import Chunk, add_chunks
from docqa.store.documents import NEXT
from docqa.store.small_vectors import signs, sound
from docqa.store.sql import Connection, change, change_many, fetch_all, fetch_one, insert
from docqa.store.vector_index import StoredModel
from docqa.store.vectors import SLOTS, making_slot, pending_model, serving_model, use_model

EXPORTED = "exported"  # the account in an exported file: whose the documents were is not told
Terms = Callable[[str, str, str], str]  # the search terms of a section, columns and text

_ABOUT = """name, kind, sha256, language, pages, summary, shareable, created, notes, message, title, author, dated,
            tables_stored, recurring_names, tags"""


@dataclass(frozen=True)
class Base:
    """A knowledge base in the other database; `id` is its row, `members` are the rows of its documents, in order."""

    id: int
    knowledge_base_id: str
    name: str
    members: tuple[int, ...]


@dataclass(frozen=True)
class Terminology:
    """The version of this program's tokeniser, and what it makes."""

    version: int
    terms: Terms


async def bases(conn: Connection) -> list[Base]:
    """All knowledge bases of the other database."""
    rows = await fetch_all(conn, "SELECT id, knowledge_base_id, name FROM other.knowledge_base ORDER BY id")
    sql = """SELECT m.document FROM other.member m JOIN other.document d ON d.id = m.document
             WHERE m.knowledge_base = ? ORDER BY m.position"""
    return [
        Base(id_, public, name, tuple(member[0] for member in await fetch_all(conn, sql, id_)))
        for id_, public, name in rows
    ]


async def is_export(conn: Connection) -> bool:
    """Whether the other database is an exported file, and no backup."""
    sql = "SELECT (SELECT group_concat(name) FROM other.account), (SELECT count(*) FROM other.api_key)"
    return await fetch_one(conn, sql) == (EXPORTED, 0)


async def take_state(conn: Connection) -> None:
    """Make a new file one with the other's model and version of terms."""
    model = await _other_model(conn)
    if model:
        await use_model(conn, model)
    sql = "SELECT iif(pending_version IS NULL, version, 0) FROM other.full_text"
    await change(conn, f"UPDATE main.full_text SET version = ({sql})")


async def _other_model(conn: Connection) -> StoredModel | None:
    sql = "SELECT name, sha256, dimension FROM other.embedding_model WHERE state = 'serving'"
    row = await fetch_one(conn, sql)
    return StoredModel(*row) if row else None


async def copy_base(conn: Connection, base: Base, account: int, knowledge_base_id: str, documents: list[int]) -> None:
    """Give the account a knowledge base of these documents, named and dated like the other one."""
    sql = """INSERT INTO main.knowledge_base (knowledge_base_id, account, name, folded_name, created)
             SELECT ?, ?, name, folded_name, created FROM other.knowledge_base WHERE id = ?"""
    row = await insert(conn, sql, knowledge_base_id, account, base.id)
    members = [(row, document, position) for position, document in enumerate(dict.fromkeys(documents))]
    await change_many(conn, "INSERT INTO main.member (knowledge_base, document, position) VALUES (?, ?, ?)", members)


async def copy_document(conn: Connection, source: int, account: int, terminology: Terminology) -> tuple[int, bool]:
    """(row of the copy, or of the account's document with the same bytes; whether vectors are still to be made)."""
    sql = "SELECT id FROM main.document WHERE account = ? AND sha256 = (SELECT sha256 FROM other.document WHERE id = ?)"
    if known := await fetch_one(conn, sql, account, source):
        return int(known[0]), False
    sql = f"""INSERT INTO main.any_document (id, doc_id, account, state, {_ABOUT})
              SELECT {NEXT}, iif(EXISTS (SELECT 1 FROM main.any_document a WHERE a.doc_id = d.doc_id),
                         lower(hex(randomblob(12))), d.doc_id), ?, 'indexing', {_ABOUT}
              FROM other.document d WHERE id = ?"""
    document = await insert(conn, sql, account, source)
    sql = """INSERT INTO main.original (document, media_type, url, size)
             SELECT ?, media_type, url, size FROM other.original WHERE document = ?"""
    await change(conn, sql, document, source)
    sql = """INSERT INTO main.original_piece (document, start, bytes)
             SELECT ?, start, bytes FROM other.original_piece WHERE document = ? ORDER BY start"""
    await change(conn, sql, document, source)
    columns = "page_number, section, text, scan, blocks, pictures, recognised"
    sql = f"INSERT INTO main.page (document, {columns}) SELECT ?, {columns} FROM other.page WHERE document = ?"
    await change(conn, sql, document, source)
    await _copy_chunks(conn, source, document, terminology)
    await _copy_tables(conn, source, document)
    whole = await _copy_vectors(conn, source, document)
    return document, not whole


async def _copy_chunks(conn: Connection, source: int, document: int, terminology: Terminology) -> None:
    """The chunks with their notes; in temp.copied stands which became which, until the next document."""
    sql = """SELECT id, page_number, start, section, columns, text, terms FROM other.chunk
             WHERE document = ? ORDER BY id"""
    rows = await fetch_all(conn, sql, source)
    state = await fetch_one(conn, "SELECT version FROM other.full_text WHERE pending_version IS NULL")
    same = state == (terminology.version,)
    made = (
        (Chunk(number, start, text, section, columns), terms if same else terminology.terms(section, columns, text))
        for _, number, start, section, columns, text, terms in rows
    )
    await add_chunks(conn, document, made)
    copies = await fetch_all(conn, "SELECT id FROM main.stored_chunk WHERE document = ? ORDER BY id", document)
    await change(conn, "CREATE TEMP TABLE IF NOT EXISTS copied (old INTEGER PRIMARY KEY, new INTEGER NOT NULL)")
    await change(conn, "DELETE FROM temp.copied")
    pairs = [(row[0], copy[0]) for row, copy in zip(rows, copies, strict=True)]
    await change_many(conn, "INSERT INTO temp.copied (old, new) VALUES (?, ?)", pairs)
    sql = """INSERT INTO main.note (chunk, start, stop, part, weight)
             SELECT c.new, n.start, n.stop, n.part, n.weight FROM temp.copied c JOIN other.note n ON n.chunk = c.old"""
    await change(conn, sql)


async def _copy_tables(conn: Connection, source: int, document: int) -> None:
    for (table,) in await fetch_all(conn, "SELECT id FROM other.document_table WHERE document = ?", source):
        columns = "number, name, headings, title, before, scale"
        sql = f"""INSERT INTO main.document_table (document, {columns})
                  SELECT ?, {columns} FROM other.document_table WHERE id = ?"""
        copy = await insert(conn, sql, document, table)
        for name, columns in (
            ("table_column", "place, name, kind, unit, decimals, is_year"),
            ("table_row", "row, page_number, start, stop, cells, written, above"),
            ("table_value", "key, place, value"),
        ):
            sql = f"""INSERT INTO main.{name} (in_table, {columns})
                      SELECT ?, {columns} FROM other.{name} WHERE in_table = ?"""
            await change(conn, sql, copy, table)


async def _copy_vectors(conn: Connection, source: int, document: int) -> bool:
    """Whether the document now has every vector, by the model that makes them here, and needs no more work."""
    model = await _other_model(conn)
    if model is None:
        return False
    if await serving_model(conn) is None:
        await use_model(conn, model)
    if model != (await pending_model(conn) or await serving_model(conn)):
        return False
    slot = await making_slot(conn)
    [(number,)] = await fetch_all(conn, "SELECT slot FROM other.embedding_model WHERE state = 'serving'")
    other, made_small = SLOTS[number], f"iif(length(v.vector) = {4 * model.dimension}, small(v.vector), v.vector)"
    vectors = f"""FROM temp.copied c JOIN other.{other.vectors} v ON v.chunk = c.old
                  WHERE {sound("v.vector", model.dimension)}"""
    await change(conn, f"INSERT INTO main.{slot.vectors} (chunk, vector) SELECT c.new, {made_small} {vectors}")
    sql = f"""INSERT INTO main.{slot.signs} (rowid, embedding, document)
              SELECT c.new, {signs("v.vector", model.dimension)}, ? {vectors}"""
    await change(conn, sql, document)
    sql = f"""INSERT INTO main.{slot.sentences} (chunk, vectors)
              SELECT c.new, s.vectors FROM temp.copied c JOIN other.{other.sentences} s ON s.chunk = c.old"""
    await change(conn, sql)
    sql = f"""SELECT count(*) = (SELECT count(*) FROM temp.copied)
              FROM temp.copied c JOIN main.{slot.vectors} v ON v.chunk = c.new
              JOIN main.{slot.sentences} s ON s.chunk = c.new"""
    [(whole,)] = await fetch_all(conn, sql)
    sql = """UPDATE main.any_document SET state = (
                 SELECT iif(? AND state = 'ready', 'ready', 'indexing') FROM other.document WHERE id = ?)
             WHERE id = ?"""
    await change(conn, sql, whole, source, document)
    return await fetch_one(conn, "SELECT state FROM main.any_document WHERE id = ?", document) == ("ready",)
