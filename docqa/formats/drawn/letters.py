"""The letters of a page and of a passage: what of them tells words apart, and where they are on the page."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

GRAM = 8  # letters by which runs are looked up

Box = tuple[float, float, float, float]


class Glyph(NamedTuple):
    """A letter of a page; `line` tells the line it is on, and glyphs of a line follow each other."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    line: int


class Word(NamedTuple):
    """A word, as numbers of letters."""

    start: int
    end: int


class PageLetters:
    """The letters of a page, in which passages are looked for; `glyphs` in any order that keeps lines together."""

    def __init__(self, glyphs: Sequence[Glyph]) -> None:
        self.glyphs = glyphs
        texts: list[str] = []
        owners: list[int] = []
        starts: list[int] = []
        before, line = "", -1  # the letter before, and its line
        for number, glyph in enumerate(glyphs):
            letters = _letters(glyph.text)
            if not letters:
                before = ""
                continue
            is_start = line != glyph.line or _begins(before, letters[0])
            texts.append(letters)
            if is_start:
                starts.append(len(owners))
            owners += [number] * len(letters)
            before, line = letters[-1], glyph.line
        self.text = "".join(texts)
        self._owners = owners
        self._starts = {*starts, len(owners)}
        self._by_text: dict[str, list[Word]] = {}
        for word in _words(starts, len(owners)):
            self._by_text.setdefault(self.text[word.start : word.end], []).append(word)
        self._grams: dict[str, list[int]] = {}

    def grams(self) -> dict[str, list[int]]:
        """Where each `GRAM` letters begin."""
        if not self._grams:
            for start in range(len(self.text) - GRAM + 1):
                self._grams.setdefault(self.text[start : start + GRAM], []).append(start)
        return self._grams

    def words(self, text: str) -> Sequence[Word]:
        """Where a word stands."""
        return self._by_text.get(text, ())

    def is_start(self, place: int) -> bool:
        """Whether a word begins at this letter, or the page ends before it."""
        return place in self._starts

    def owner(self, place: int) -> int:
        """The number of the glyph that a letter belongs to."""
        return self._owners[place]

    def glyph(self, place: int) -> Glyph:
        """The glyph that a letter belongs to."""
        return self.glyphs[self._owners[place]]

    def boxes(self, glyphs: Iterable[int]) -> list[Box]:
        """The boxes around these glyphs, one for each piece of a line; what stands between two of them that are no
        letters is in the box, too."""
        boxes: list[Box] = []
        for piece in self._pieces(sorted(glyphs)):
            parts = [self.glyphs[number] for number in piece]
            left, top = min(part.left for part in parts), min(part.top for part in parts)
            boxes.append((left, top, max(part.right for part in parts), max(part.bottom for part in parts)))
        return boxes

    def _pieces(self, numbers: Sequence[int]) -> Iterator[list[int]]:
        piece: list[int] = []
        for number in numbers:
            between = range(piece[-1] + 1, number) if piece else range(0)
            joined = piece and self.glyphs[piece[-1]].line == self.glyphs[number].line
            if joined and not any(_letters(self.glyphs[other].text) for other in between):
                piece += [*between, number]
                continue
            if piece:
                yield self._ended(piece)
            piece = [number]
        if piece:
            yield self._ended(piece)

    def _ended(self, piece: list[int]) -> list[int]:
        """With the sign that closes a sentence or a bracket."""
        after = piece[-1] + 1
        if after < len(self.glyphs) and self.glyphs[after].line == self.glyphs[piece[-1]].line:
            text = self.glyphs[after].text
            if text.strip() and not _letters(text):
                return [*piece, after]
        return piece


class Passage:
    """The letters of a passage; `words` are where they begin and end, `starts` where one may end before."""

    def __init__(self, passage: str) -> None:
        texts, starts, length, before = [], [], 0, ""
        for character in passage:
            letters = _letters(character)
            if letters and _begins(before, letters[0]):
                starts.append(length)
            before = letters[-1:]
            texts.append(letters)
            length += len(letters)
        self.text = "".join(texts)
        self.words = _words(starts, length)
        self.starts = {*starts, length}


def _words(starts: Sequence[int], length: int) -> list[Word]:
    return [Word(start, end) for start, end in pairwise([*starts, length])]


def _letters(text: str) -> str:
    """What of a text tells it from another: letters and digits, in no case, ligatures as their letters."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _begins(before: str, letter: str) -> bool:
    """Whether a word begins with a letter; `before` is the one before it, "" for what is no letter. The page may hold a
    number and a word of a right-to-left script without the space between them."""
    if not before or _is_dense(letter) or _is_dense(before):
        return True
    is_turned = {unicodedata.bidirectional(before), unicodedata.bidirectional(letter)} & {"R", "AL"}
    return bool(is_turned) and before.isdigit() != letter.isdigit()


def _is_dense(letter: str) -> bool:
    """Whether a letter is of a script without spaces between words: each counts as a word."""
    return "\u3040" <= letter <= "\u30ff" or "\u3400" <= letter <= "\u9fff" or letter >= "\U00020000"
