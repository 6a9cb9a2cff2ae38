"""The one SQLite file: every SQL statement of the program is in this package.

`from docqa import store`, then `store.documents.add_document(conn, ...)`.
"""

from docqa.store import (
    accounts,
    askable,
    chats,
    chunks,
    compaction,
    deletion,
    document_tables,
    documents,
    full_text,
    jobs,
    knowledge,
    library,
    nearest,
    notes,
    shares,
    space,
    suggestions,
    tables,
    terms,
    transfer,
    vectors,
)

__all__ = [
    "accounts",
    "askable",
    "chats",
    "chunks",
    "compaction",
    "deletion",
    "document_tables",
    "documents",
    "full_text",
    "jobs",
    "knowledge",
    "library",
    "nearest",
    "notes",
    "shares",
    "space",
    "suggestions",
    "tables",
    "terms",
    "transfer",
    "vectors",
]
