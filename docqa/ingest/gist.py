"""The language, the key sentences and the summary of a stored document: made in a child process, like all work that
grows with a document. This is what the server gives and gets; `summary` is the child's side."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from docqa.store.chunks import StoredChunk
from docqa.store.documents import StoredDocument

PARTS_NAMED = 10

StoredText = tuple[int, str, str | None]  # a page's number, text, and packed blocks, None where there are none yet


class Gist(NamedTuple):
    """What a document is about; `notes` are its key sentences, (chunk id, start, end, part, weight), none where they
    are not to be stored."""

    language: str
    summary: str
    notes: Sequence[tuple[int, int, int, int, float]] = ()


def given_of(
    document: StoredDocument, chunks: Sequence[StoredChunk], pages: Sequence[StoredText], parts: str
) -> dict[str, Any]:
    """What a summary is made of; `parts` are those of a table, in a sentence."""
    rows = [list(vars(chunk).values()) for chunk in chunks]
    return {"document": vars(document), "chunks": rows, "pages": list(pages), "parts": parts}
