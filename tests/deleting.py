"""Documents that are deleted and erased, as the server does both."""

from docqa import store
from docqa.store.database import Database


async def delete(db: Database, doc_id: str) -> None:
    """Delete a document of alice, and erase it."""
    async with db.write() as conn:
        await store.deletion.delete_document(conn, await store.accounts.account_named(conn, "alice"), doc_id)
        while await store.deletion.erase_some(conn):
            pass
