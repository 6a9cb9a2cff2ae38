"""Which passages each sentence of an answer rests on, by comparing words, numbers, dates and names; makes the `[n]`
marks.

A model's own marks are taken out. What it does not know: whether a sentence says of these words what the passage says.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence

from docqa.answering.evidence import Piece
from docqa.languages import phrase
from docqa.text.facts import Claims, Facts
from docqa.text.sentences import sentences
from docqa.text.words import terms

SUPPORT = 0.6  # share of a sentence's words that its passage, or its two passages, must hold
_MARK = re.compile(r"\s*[\[【]\^?(?P<numbers>\d{1,3}(?:[,;\s–-]+\d{1,3}){0,9})[\]】]")
_UNDECIDED = re.compile(
    r"\s*(?:[\[【][\^\d,;\s–-]{0,50})?\Z"
)  # what may be the beginning of a mark, and the space before it
_WORD = re.compile(r"\s*\S+")
_WIDE = "（"  # brings its own space
_DIGIT = re.compile(r"\d")


class Citations:
    """Marks an answer while it is made. `cited` holds the indexes of passages in order of first mark: `[1]` is
    `cited[0]`.

    A sentence with a number, date or name that is in no passage is followed by a phrase that says so, even if marks are
    not `visible`. What is only in a passage of an earlier question is neither marked nor cited: that answer had its
    source.
    """

    def __init__(self, passages: Sequence[str], language: str, *, visible: bool) -> None:
        self.cited: list[int] = []
        self._texts = passages
        self._language = language
        self._visible = visible
        self._passages: list[Facts] = []
        self._earlier = Facts.of((), language)
        self._held = ""  # what a model wrote and is not passed on yet
        self._sentence = ""  # what it wrote since the last sentence end, all of it passed on already

    async def mark(self, pieces: AsyncIterator[Piece]) -> AsyncGenerator[str, None]:
        """The text of the pieces, each as soon as it comes, with the marks after each sentence."""
        async for piece in pieces:
            if piece.passage is not None:
                yield self._quoted(piece.text) + self._cite([piece.passage])
                continue
            if not self._passages:
                self._passages = await asyncio.to_thread(
                    lambda: [Facts.of([text], self._language) for text in self._texts]
                )
            if piece.earlier:
                self._earlier = await asyncio.to_thread(Facts.of, piece.earlier, self._language)
            for text in self._write(piece.text):
                yield text
        for text in self._finish():
            yield text

    def _quoted(self, text: str) -> str:
        """A document's own `[3]` would be taken for a mark of ours."""
        return (
            _MARK.sub(lambda mark: mark[0].translate(str.maketrans("[]【】", "()()")), text) if self._visible else text
        )

    def _write(self, text: str) -> Iterator[str]:
        self._held += text
        ready = _UNDECIDED.sub("", self._held, count=1)
        self._held = self._held[len(ready) :]
        # Word by word, so that the same sentences are found however the tokens are cut.
        for word in _WORD.findall(_MARK.sub("", ready)):
            yield from self._add(word)

    def _add(self, word: str) -> Iterator[str]:
        """One more word: a sentence is over when the next one has begun, or the line."""
        if "\n" in word[: len(word) - len(word.lstrip())]:
            yield self._close(self._sentence)
            self._sentence = ""
        written = len(self._sentence)
        self._sentence += word
        while len(spans := sentences(self._sentence)) > 1:
            end = spans[0][1]
            yield self._sentence[written:end] + self._close(self._sentence[:end])
            self._sentence, written = self._sentence[end:], max(0, written - end)
        yield self._sentence[written:]

    def _finish(self) -> Iterator[str]:
        rest, self._held = _MARK.sub("", self._held), ""
        if rest.strip():
            yield from self._add(rest)
            rest = ""
        yield self._close(self._sentence) + rest

    def _close(self, sentence: str) -> str:
        """What follows a sentence that a model wrote."""
        if not terms(sentence):
            return ""
        claims = Claims.of(sentence, self._language)
        facts = [held.have(claims) for held in self._passages]
        if not all(map(any, zip(*facts, self._earlier.have(claims), strict=True))):
            unfounded = phrase("phrases.unfounded", self._language)
            return unfounded if unfounded[0] in _WIDE else f" {unfounded}"
        return self._cite(self._supporters(sentence, facts))

    def _supporters(self, sentence: str, facts: list[list[bool]]) -> list[int]:
        """The passage with most of the sentence's words and all of its facts, or the two that have them together; else
        none.

        `facts` says for each passage which facts of the sentence it states.
        """
        words = {term for term in terms(sentence) if (len(term) > 3 or not term.isascii()) and not _DIGIT.search(term)}

        def share(*passages: int) -> float:
            if not all(map(any, zip(*(facts[i] for i in passages), strict=True))):
                return 0.0
            if not words:
                return float(bool(facts[0]))
            return len(words & frozenset().union(*(self._passages[i].terms for i in passages))) / len(words)

        numbers = range(len(self._passages))
        best = max(numbers, key=share)
        if share(best) >= SUPPORT:
            return [best]
        fullest = max(numbers, key=lambda i: (sum(facts[i]), len(words & self._passages[i].terms)))
        second = max(numbers, key=lambda i: share(fullest, i))
        return [fullest, second] if share(fullest, second) >= SUPPORT else []

    def _cite(self, passages: Sequence[int]) -> str:
        if not self._visible:
            return ""
        for passage in passages:
            if passage not in self.cited:
                self.cited.append(passage)
        return "".join(f" [{self.cited.index(passage) + 1}]" for passage in passages)
