"""A passage that a page does not hold letter by letter: the parts of it that are there.

Long runs of letters are taken first; shorter ones and single words only beside what was taken.
"""

from docqa.formats.drawn.letters import GRAM, Glyph, PageLetters, Passage, Word

_SURE = 24  # letters: a run that is as long stands alone
_NEAR = 2.5  # heights of a letter between what belongs together
_TELLING = 4  # letters of a word that counts on the lines around, not on its own line alone
_SEEDS = 12  # words that a passage without long runs is looked up by
_ROUNDS = 8


class Parts:
    """The parts of a passage that were recognised on a page: `matched` is, for each of its letters, that of the page,
    or -1."""

    def __init__(self, page: PageLetters, passage: Passage) -> None:
        self.page, self.passage = page, passage
        self.matched = [-1] * len(passage.text)
        self.places: set[int] = set()
        self._rows: set[tuple[float, float]] = set()  # (top, bottom) of the lines on which letters were taken

    def take_runs(self) -> None:
        """Take long runs of letters, and shorter ones beside them."""
        runs = self._runs()
        if not runs:
            return
        longest = max(length for _, _, length in runs)
        sure = [run for run in runs if run[2] >= min(_SURE, longest)]
        for run in sure:
            self._take(*run)
        waiting = [run for run in runs if run not in sure]
        for _ in range(_ROUNDS):
            near = [run for run in waiting if self._is_near(run[1])]
            if not near:
                return
            for run in near:
                self._take(*run)
            waiting = [run for run in waiting if run not in near]

    def _runs(self) -> list[tuple[int, int, int]]:
        """(letter of the passage, letter of the page, length) of runs that share no letter, the longest from each
        beginning."""
        grams, text, other = self.page.grams(), self.passage.text, self.page.text
        runs: list[tuple[int, int, int]] = []
        used: set[int] = set()
        start, last = 0, 0
        while start <= len(text) - GRAM:
            best, length = -1, 0
            for place in grams.get(text[start : start + GRAM], ()):
                if place in used:
                    continue
                reached = _common(text, start, other, place)
                if reached > length or reached == length and abs(place - last) < abs(best - last):
                    best, length = place, reached
            length = self._to_word_end(start, best, length)
            if length < GRAM:
                start += 1
                continue
            runs.append((start, best, length))
            used.update(range(best, best + length))
            start, last = start + length, best + length
        return runs

    def _to_word_end(self, start: int, place: int, length: int) -> int:
        """The length of a run without letters of a word that goes on otherwise."""
        while length and not (start + length in self.passage.starts or self.page.is_start(place + length)):
            length -= 1
        return length

    def _take(self, start: int, place: int, length: int) -> None:
        for step in range(length):
            self.matched[start + step] = place + step
            glyph = self.page.glyph(place + step)
            self._rows.add((glyph.top, glyph.bottom))
        self.places.update(range(place, place + length))

    def take_words(self) -> None:
        """Take single words beside what was taken, or around a rare one where nothing was."""
        if not self.places and not self._take_seed():
            return
        for _ in range(_ROUNDS):
            if not sum(self._take_word(word) for word in self.passage.words if self.matched[word.start] < 0):
                return

    def _take_word(self, word: Word) -> bool:
        places = [other for other in self.page.words(self._text(word)) if other.start not in self.places]
        beside = self._beside(word)
        if not places or not beside:
            return False
        is_telling = word.end - word.start >= _TELLING
        nearest = min(places, key=lambda other: min(_distance(self.page.glyph(other.start), glyph) for glyph in beside))
        glyph = self.page.glyph(nearest.start)
        belongs = any(_same_row(glyph, other) for other in beside) or self._follows(word, nearest)
        if not (belongs or is_telling and self._is_near(nearest.start)):
            return False
        self._take(word.start, nearest.start, word.end - word.start)
        return True

    def _beside(self, word: Word) -> list[Glyph]:
        """The glyphs of the recognised letters before and after a word of the passage."""
        before = next((place for place in reversed(self.matched[: word.start]) if place >= 0), -1)
        after = next((place for place in self.matched[word.end :] if place >= 0), -1)
        return [self.page.glyph(place) for place in (before, after) if place >= 0]

    def _follows(self, word: Word, other: Word) -> bool:
        """Whether it follows or precedes on the page what it follows or precedes in the passage."""
        before = self.matched[word.start - 1] if word.start else -1
        after = self.matched[word.end] if word.end < len(self.matched) else -1
        return 0 <= before == other.start - 1 or after == other.end

    def _take_seed(self) -> bool:
        """Take the rare word around which most words of the passage stand."""
        rare = [word for word in self.passage.words if len(self.page.words(self._text(word))) == 1]
        rare = sorted(rare, key=lambda word: word.start - word.end)[:_SEEDS]
        if not rare:
            return False
        known = [other for word in self.passage.words for other in self.page.words(self._text(word))]

        def support(word: Word) -> int:
            glyph = self.page.glyph(self.page.words(self._text(word))[0].start)
            reach = _NEAR * (glyph.bottom - glyph.top)
            return sum(abs(self.page.glyph(other.start).top - glyph.top) <= reach for other in known)

        best = max(rare, key=support)
        self._take(best.start, self.page.words(self._text(best))[0].start, best.end - best.start)
        return True

    def _text(self, word: Word) -> str:
        return self.passage.text[word.start : word.end]

    def _is_near(self, place: int) -> bool:
        """Whether a letter stands beside one that was taken, or on the lines above or below."""
        glyph = self.page.glyph(place)
        reach = _NEAR * (glyph.bottom - glyph.top)
        return any(top - reach <= glyph.top <= bottom + reach for top, bottom in self._rows)


def _common(text: str, start: int, other: str, place: int) -> int:
    """How many letters from here on are the same."""
    most, length = min(len(text) - start, len(other) - place), GRAM
    while length < most and text[start + length] == other[place + length]:
        length += 1
    return length


def _same_row(glyph: Glyph, other: Glyph) -> bool:
    middle = (glyph.top + glyph.bottom) / 2
    return other.top < middle < other.bottom


def _distance(glyph: Glyph, other: Glyph) -> float:
    # A line further down is further away than the other end of the line.
    return abs(glyph.left - other.left) + 20 * abs(glyph.top - other.top)
