"""An answer about whole texts in the making, and the passages and pieces that it is put together from."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from docqa.answering.evidence import Piece
from docqa.search.passages import Passage, Scores
from docqa.store.chunks import StoredChunk
from docqa.store.documents import StoredDocument


@dataclass(frozen=True)
class Overview:
    """An answer in the making: `pieces` rest on `passages`; what stands around them is ours and needs no source.

    `by_provider` is whether the provider had a part in it: what is counted and listed needs none.
    """

    opening: str
    passages: list[Passage]
    pieces: AsyncGenerator[Piece, None]
    closing: str
    by_provider: bool = False


def stated(text: str) -> Overview:
    """An answer that is ours alone."""
    return Overview(text, [], pieces_of([]), "")


def passage_of(chunk: StoredChunk, document: StoredDocument) -> Passage:
    """A chunk as a passage."""
    return Passage(chunk=chunk, document=document, scores=Scores(coverage=1.0), score=1.0)


async def pieces_of(lines: Sequence[tuple[str, int]]) -> AsyncGenerator[Piece, None]:
    """Each (text, index of its passage) as a piece of the answer."""
    for text, passage in lines:
        yield Piece(text, passage)
