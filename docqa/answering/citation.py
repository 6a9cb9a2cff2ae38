"""Makes the `[n]` marks after what an answer quotes, and after the sentences of a model with what they rest on."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence

from docqa.answering.evidence import Piece

_MARK = re.compile(r"\s*[\[【]\^?(?P<numbers>\d{1,3}(?:[,;\s–-]+\d{1,3}){0,9})[\]】]")


class Citations:
    """Marks an answer while it is made. `cited` holds the indexes of passages in order of first mark: `[1]` is
    `cited[0]`. Without marks `visible`, nothing is cited."""

    def __init__(self, *, visible: bool) -> None:
        self.cited: list[int] = []
        self._visible = visible

    async def mark(self, pieces: AsyncIterator[Piece]) -> AsyncGenerator[str, None]:
        """The text of the pieces, each as soon as it comes, with its marks."""
        async for piece in pieces:
            passages = piece.rests_on if piece.passage is None else (piece.passage,)
            yield (piece.text if piece.passage is None else self._quoted(piece.text)) + self._cite(passages)

    def _quoted(self, text: str) -> str:
        """A document's own `[3]` would be taken for a mark of ours."""
        return (
            _MARK.sub(lambda mark: mark[0].translate(str.maketrans("[]【】", "()()")), text) if self._visible else text
        )

    def _cite(self, passages: Sequence[int]) -> str:
        if not self._visible:
            return ""
        for passage in passages:
            if passage not in self.cited:
                self.cited.append(passage)
        return "".join(f" [{self.cited.index(passage) + 1}]" for passage in passages)
