"""Which passage each sentence of an answer rests on, found by comparing words; the `[n]` marks are made here."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence

from docqa.providers import Piece
from docqa.text import terms

SUPPORT = 0.6  # share of a sentence's words that the passage must hold
_END = re.compile(r"[.!?؟।]+[\"'”’»)]*(?=\s)|[。！？]+[」』”）]*")
_NUMBER = re.compile(r"\d")


class Citations:
    """Marks an answer while it is made. `cited` are the indexes of the passages in the order of their first mark: `[1]` is `cited[0]`."""

    def __init__(self, passages: Sequence[str], *, visible: bool) -> None:
        self.cited: list[int] = []
        self._passages = [frozenset(terms(passage)) for passage in passages]
        self._visible = visible

    async def mark(self, pieces: AsyncIterator[Piece]) -> AsyncGenerator[str, None]:
        """The text of the pieces, each as soon as it comes, with a mark after each sentence that a passage supports."""
        written = ""  # what a model wrote since the last sentence end, all of it passed on already
        async for piece in pieces:
            if piece.passage is not None:
                yield piece.text + self._mark(piece.passage)
                continue
            rest = piece.text
            while end := _END.search(written + rest):
                # A full stop counts once white space follows, so the mark comes with the token after the sentence.
                cut = max(0, end.end() - len(written))
                sentence, head, rest = (written + rest)[: end.end()], rest[:cut], rest[cut:]
                written = ""
                yield head + self._mark(self.supporter(sentence))
            written += rest
            if rest:
                yield rest
        if written.strip():
            yield self._mark(self.supporter(written))

    def supporter(self, sentence: str) -> int | None:
        """The passage that holds most of the sentence's words and all of its numbers; None when none holds enough."""
        words = {term for term in terms(sentence) if len(term) > 3 or not term.isascii() or _NUMBER.search(term)}
        numbers = {word for word in words if _NUMBER.search(word)}
        shares = [len(words & held) / len(words) if words and numbers <= held else 0.0 for held in self._passages]
        best = max(range(len(shares)), key=shares.__getitem__, default=None)
        return best if best is not None and shares[best] >= SUPPORT else None

    def _mark(self, passage: int | None) -> str:
        if passage is None or not self._visible:
            return ""
        if passage not in self.cited:
            self.cited.append(passage)
        return f" [{self.cited.index(passage) + 1}]"
