"""What questions about whole documents need: key sentences and headings."""

from collections.abc import Iterable
from dataclasses import dataclass

from docqa.store.chunks import CHUNK, StoredChunk
from docqa.store.sql import Connection, change, change_many, fetch_all


@dataclass(frozen=True)
class Note:
    """A key sentence, `chunks[chunk].text[start:end]`.

    `part` is the part of the document it stands for, from 0; `weight` is comparable within the document.
    """

    chunk: int
    start: int
    end: int
    part: int
    weight: float


@dataclass(frozen=True)
class StoredNote:
    """A key sentence, `chunk.text[start:end]`; `part` and `weight` are as in Note."""

    chunk: StoredChunk
    start: int
    end: int
    part: int
    weight: float

    @property
    def text(self) -> str:
        """The sentence, verbatim."""
        return self.chunk.text[self.start : self.end]


async def replace_notes(conn: Connection, document: int, notes: Iterable[tuple[int, int, int, int, float]]) -> None:
    """Replace the notes on a document, (chunk id, start, end, part, weight); one on a chunk that has been deleted, or
    is another document's, is skipped."""
    await change(conn, "DELETE FROM note WHERE chunk IN (SELECT id FROM chunk WHERE document = ?)", document)
    sql = """INSERT INTO note (chunk, start, stop, part, weight)
             SELECT id, ?2, ?3, ?4, ?5 FROM chunk WHERE id = ?1 AND document = ?6"""
    await change_many(conn, sql, ((*note, document) for note in notes))


async def notes(conn: Connection, document: int) -> list[StoredNote]:
    """The notes on a document in its order; none until the background work has made them."""
    sql = f"""SELECT {CHUNK}, n.start, n.stop, n.part, n.weight FROM chunk c JOIN note n ON n.chunk = c.id
              WHERE c.document = ? ORDER BY c.page_number, c.start, n.start"""
    return [StoredNote(StoredChunk(*row[:-4]), *row[-4:]) for row in await fetch_all(conn, sql, document)]


async def headed_chunks(conn: Connection, document: int) -> list[StoredChunk]:
    """The first chunk under each section title of a document, in its order."""
    sql = f"SELECT {CHUNK} FROM chunk c WHERE document = ? AND section != '' ORDER BY page_number, start"
    first: dict[str, StoredChunk] = {}
    for row in await fetch_all(conn, sql, document):
        chunk = StoredChunk(*row)
        first.setdefault(chunk.section, chunk)
    return list(first.values())
