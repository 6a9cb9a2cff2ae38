"""What a sentence is worth in a summary by how it is made: whether it is whole, stands alone, and says something."""

import re
from functools import cache

from docqa.ingest.headings import SHORTEST_SENTENCE
from docqa.languages import every, every_pattern
from docqa.text.words import is_dense

SHORTEST, LONGEST = 25, 500  # characters; half of it in dense scripts
CUE = 1.6  # times as much, for a sentence that says what the whole is about

_CLOSING = "\"'”’»)]」』）"
_ENDS = frozenset(".!?…؟।。！？｡")
# A sentence that begins so is not understood without the one before it. In scripts without spaces no word ends there.
_LEANING = re.compile(
    "|".join(
        rf"(?:{'|'.join(starts)})" + ("" if is_dense(starts[0]) else r"(?!\w)")
        for starts in every("text.leaning").values()
    ),
    re.IGNORECASE,
)
# What documents of a kind all say, whatever they are about.
_BOILERPLATE = re.compile(every_pattern("text.boilerplate"), re.IGNORECASE)
# How sentences begin that say what the whole is about, or what came of it (Edmundson's cue words).
_CUE = re.compile(rf"(?:[^\n.]{{0,60}}\W)?(?:{every_pattern('text.cues')})(?!\w)", re.IGNORECASE)
_SELF = re.compile(rf"(?:{every_pattern('text.cues')})(?!\w)", re.IGNORECASE)
_ITEM = re.compile(r"(?:\d{1,2}|[A-Za-z])[.)]\s")
_HALF = re.compile(r"(?:^|\s)[^\W\d_]-?$")


def is_prose(sentence: str) -> bool:
    """Whether it is a whole sentence and no heading, table row or line of a table of contents."""
    if not (SHORTEST <= len(sentence) <= LONGEST or is_dense(sentence) and 2 * len(sentence) >= SHORTEST):
        return False
    bare = sentence.rstrip(_CLOSING)
    if bare[-1:] not in _ENDS or _HALF.search(bare[:-1]) or "\t" in sentence or " | " in sentence:
        return False
    if is_dense(sentence):
        return True
    words = sentence.split()
    # Lines of a table and of a table of contents are all names and numbers.
    plain = sum(word[0].isalpha() and word == word.lower() for word in words)
    return len(words) >= SHORTEST_SENTENCE and plain >= len(words) / 2


def leans(sentence: str) -> bool:
    """Whether it is not understood without the one before it; "this report" is."""
    return bool(_LEANING.match(sentence)) and not _SELF.match(sentence)


def is_boilerplate(sentence: str) -> bool:
    """Whether it says what documents of its kind all say."""
    return bool(_BOILERPLATE.search(sentence))


def standing(sentence: str, *, may_lean: bool) -> float:
    """0 to 2: how well a sentence stands alone and says something of its own; `may_lean`: it
    is shown together with the sentence before it."""
    worth = 0.2 if not may_lean and leans(sentence) else 1.0
    if _BOILERPLATE.search(sentence):
        worth *= 0.1
    elif _CUE.match(sentence):
        worth *= CUE
    if sentence.rstrip(_CLOSING)[-1:] in ("?", "？", "؟"):
        worth *= 0.1
    # A sentence begins with a capital or, in scripts without them, with a letter; else it is the rest of one, an item
    # of a list, or what somebody says.
    if sentence[0].islower():
        worth *= 0.05
    elif not sentence[0].isalnum() or _ITEM.match(sentence):
        worth *= 0.3
    if _byline().match(sentence) or sentence.count('"') % 2 or sentence.count("“") != sentence.count("”"):
        worth *= 0.1
    if len(sentence) > LONGEST * (0.3 if is_dense(sentence) else 0.6):
        worth *= 0.7
    return worth


@cache
def _byline() -> re.Pattern[str]:
    return re.compile(rf"(?:{every_pattern('text.bylines')})\s+[^\W\d_a-z]", re.IGNORECASE)
