"""How much of what text recognition made of a picture is text: the engine tells no certainty with its words.

A picture that lies on its side, one in another script, and one without text give strokes and syllables that no
language has.
"""

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from docqa.text.detect import detect, written_in
from docqa.text.frequency import pairs, shares
from docqa.text.words import is_dense, terms

READ = 0.45  # of the characters: what is well read has as many in known words
NOISE = 0.15  # what has less is none
_MUCH = 200  # characters in known words: no other script and no other direction gives as many
_LEAST = 3  # characters in known words that a text has at least
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_NUMBER = re.compile(r"(?<![^\W_])[#$€£]?\d[\d.,:/%-]+(?![^\W_])")
_SYLLABLE = 2  # a character of the Chinese script takes the place of about two letters
_UNLISTED = 0.7  # of the words of a language of which no list is known, counted as known


class Weight(NamedTuple):
    """`known`: how many characters are in words of a language, or in numbers, of `all` that are not white space."""

    known: float
    all: int

    @property
    def share(self) -> float:
        """The share of known words, 0 of nothing."""
        return self.known / self.all if self.all else 0.0

    @property
    def is_text(self) -> bool:
        """Whether this is worth keeping."""
        return self.known >= _LEAST and self.share >= NOISE

    @property
    def is_well_read(self) -> bool:
        """Whether no other attempt is needed."""
        return self.is_text and (self.share >= READ or self.known >= _MUCH)


def weigh(text: str) -> Weight:
    """What of a text is plausible, judged by the common words of its language and of English."""
    dense = _SYLLABLE if is_dense(text) else 1
    everything = dense * sum(not character.isspace() for character in text)
    numbers = sum(len(number) for number in _NUMBER.findall(text))
    if dense > 1:
        return Weight(_SYLLABLE * _in_words(text) + numbers, everything)
    language, words = detect(text), [word for word in _WORD.findall(text) if len(word) > 2]
    possible = written_in(text)
    lists = [known for code in _candidates(language, possible) if (known := shares(code))]
    if not lists:
        return Weight(_UNLISTED * sum(map(len, words)) + numbers, everything)
    in_a_list = [word for word in words if any(not known.keys().isdisjoint(terms(word)) for known in lists)]
    return Weight(sum(map(len, in_a_list)) + numbers, everything)


def _in_words(text: str) -> int:
    """How many characters of a script without spaces stand beside another as they do in common words."""
    language = detect(text)
    known = pairs(language)
    count = 0
    for run in _WORD.findall(text):
        if not known:
            count += len(run) if len(run) > 2 else 0
            continue
        stands = [run[at : at + 2] in known for at in range(len(run) - 1)]
        count += sum(before or after for before, after in zip([False, *stands], [*stands, False], strict=True))
    return count


def _candidates(language: str, possible: Collection[str]) -> Iterable[str]:
    """The languages whose words count: that of the text, or else those of its script; English stands in any of Latin
    letters."""
    if "en" in possible:
        return dict.fromkeys(filter(None, (language, "en")))
    return [language] if language else sorted(possible)
