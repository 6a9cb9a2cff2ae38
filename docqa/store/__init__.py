"""The one SQLite file: every SQL statement of the program is in this package.

`from docqa import store`, then `store.documents.add_document(conn, ...)`. A module is imported when it is first named:
processes that read files know the records of some, and need nothing of what opens the file.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
        scopes,
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
    "scopes",
    "shares",
    "space",
    "suggestions",
    "tables",
    "terms",
    "transfer",
    "vectors",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
