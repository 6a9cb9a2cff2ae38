"""What an account may read: its own, and the knowledge bases that were shared with it. Nothing else exists for it."""

from typing import Final, NoReturn

from docqa.errors import Forbidden, NotFound
from docqa.store.sql import Connection, fetch_one

# Whether ?1, an account, may read a row of `document`.
READABLE: Final = """(document.account = ?1 OR EXISTS (
    SELECT 1 FROM shared_document s WHERE s.document = document.id AND s.reader = ?1))"""


async def refuse(conn: Connection, account: int, doc_id: str) -> NoReturn:
    """Why the account cannot change a document that is not its own. Raises Forbidden for one that it may read, else
    NotFound."""
    if await fetch_one(conn, f"SELECT 1 FROM document WHERE doc_id = ?2 AND {READABLE}", account, doc_id):
        raise Forbidden("This document belongs to somebody else, who has shared it with you: you may read and ask it.")
    raise NotFound("Document not found")
