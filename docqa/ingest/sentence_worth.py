"""What a sentence is worth in a summary by how it is made: whether it is whole, stands alone, and says something."""

import re
from functools import cache

from docqa.ingest.headings import SHORTEST_SENTENCE
from docqa.languages import any_of, every, every_word
from docqa.text.detect import is_function_word
from docqa.text.words import is_dense

SHORTEST, LONGEST = 25, 500  # characters; half of it in dense scripts
FEW_WORDS = 7  # of a sentence that says little
SMALL = 3  # function words, which lines of names and figures do not have
GARBLED = 0.12  # of the words of a sentence that no longer is one
DECIDED = 1.5  # for one that says what was decided
FIGURES = 3  # numbers: a sentence with more is a row of a table in words
SHORT_LINE = 40  # characters: "Version 2.1, September 2024."
CUE = 1.6  # times as much, for a sentence that says what the whole is about

_CLOSING = "\"'”’»)]」』）"
_ENDS = frozenset(".!?…؟।。！？｡")
_SPACED = r"[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"  # a letter of a script with spaces, or a digit
# A sentence that begins so is not understood without the one before it. In scripts without spaces no word ends there.
_LEANING = re.compile(
    "|".join(
        rf"(?:{'|'.join(starts)})" + ("" if is_dense(starts[0]) else r"(?!\w)")
        for starts in every("text.leaning").values()
    ),
    re.IGNORECASE,
)
# What documents of a kind all say, whatever they are about. A word of it begins a word.
_BOILERPLATE = re.compile(rf"(?:(?<![a-zà-ÿ])|(?![a-zà-ÿ]))(?:{any_of('text.boilerplate')})", re.IGNORECASE)
# How sentences begin that say what the whole is about, or what came of it (Edmundson's cue words).
_CUE = re.compile(rf"(?:[^\n.]{{0,60}}\W)?(?:{any_of('text.cues')})(?!{_SPACED})", re.IGNORECASE)
_SELF = re.compile(rf"(?:{any_of('text.cues')})(?!{_SPACED})", re.IGNORECASE)
_ODD = re.compile(
    r"(?<!\S)(?:[^\w\s€$£¥%&+/–—-]+|[bcdfghjlmnpqrtxBCDFGHJLMNPQRTX])(?!\S)|[^\W\d_][=~|<>_\\{}§]|[=~|<>_\\{}§][^\W\d_]|[a-z][A-Z]{2}|[a-z][!?;][a-z]"
)
_DECIDED = re.compile(rf"(?<!{_SPACED})(?:{any_of('text.decided')})", re.IGNORECASE)
_NEGATION = re.compile(
    rf"(?<!\w)(?:{'|'.join(any_of(f'polarity.{name}') for name in ('negations', 'denials', 'lacking'))})(?!\w)",
    re.IGNORECASE,
)
_DATED = re.compile(rf"(?:{any_of('text.dated')})\W{{0,3}}\d", re.IGNORECASE)
_FOOTNOTE = re.compile(r"\d{1,2}\s+(?!\w+\s+\d{4})[^\W\d_a-z]")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_ITEM = re.compile(r"(?:\d{1,2}|[A-Za-z])[.)]\s")
_HALF = re.compile(r"(?:^|\s)(?:[^\W\d_A-Z]-?|[A-Z]-)$")  # "Schedule B." is whole


def is_prose(sentence: str) -> bool:
    """Whether it is a whole sentence and no heading, table row or line of a table of contents."""
    if not (SHORTEST <= len(sentence) <= LONGEST or is_dense(sentence) and 2 * len(sentence) >= SHORTEST):
        return False
    bare = sentence.rstrip(_CLOSING)
    if bare[-1:] not in _ENDS or _HALF.search(bare[:-1]) or "\t" in sentence or " | " in sentence:
        return False
    if is_dense(sentence):
        return True
    lines = sentence.splitlines()[1:]
    if len(lines) > 1 and 2 * sum(line[:1].isupper() for line in lines) > len(lines):
        return False  # lines that were not written as one sentence
    words = sentence.split()
    # Lines of a table and of a table of contents are all names and numbers.
    plain = sum(word[0].isalpha() and word == word.lower() for word in words)
    small = sum(is_function_word(word) for word in words)
    # A contract names its parties in a sentence that is all names and addresses.
    says = any(word[0].isalpha() and word == word.lower() and not is_function_word(word) for word in words)
    return len(words) >= SHORTEST_SENTENCE and (
        2 * plain >= len(words)
        or says
        and (small >= SMALL and 3 * plain >= len(words) or small > SMALL and 5 * plain >= len(words))
    )


def leans(sentence: str) -> bool:
    """Whether it is not understood without the one before it."""
    return bool(_LEANING.match(sentence))


def names_itself(sentence: str) -> bool:
    """Whether it begins as a document speaks of itself: "this report". Further in, that may be another."""
    return bool(_SELF.match(sentence))


def is_boilerplate(sentence: str) -> bool:
    """Whether it says what documents of its kind all say."""
    return bool(_BOILERPLATE.search(sentence))


def is_garbled(sentence: str) -> bool:
    """Whether it is what the recognition of a picture makes of it: many signs and single letters."""
    return not is_dense(sentence) and len(_ODD.findall(sentence)) > GARBLED * len(sentence.split())


def is_cue(sentence: str) -> bool:
    """Whether it says, at its beginning, what the whole is about or what came of it."""
    return bool(_CUE.match(sentence))


def denies(sentence: str) -> bool:
    """Whether it says that something is not so, or must not be."""
    return bool(_NEGATION.search(sentence))


def states_amount(sentence: str) -> bool:
    """Whether it names an amount of money."""
    return bool(_amount().search(sentence))


def standing(sentence: str, *, may_lean: bool, is_formula: bool) -> float:
    """0 to 3: how well a sentence stands alone and says something of its own.

    `may_lean`: it is shown together with the sentence before it. `is_formula`: it is boilerplate, and not what the
    document is about.
    """
    worth = 0.2 if not may_lean and leans(sentence) else 1.0
    if is_formula:
        worth *= 0.1
    elif is_cue(sentence):
        worth *= CUE
    if _DECIDED.search(sentence):
        worth *= DECIDED
    if _FOOTNOTE.match(sentence) or len(sentence) < SHORT_LINE and _DATED.match(sentence):
        worth *= 0.1
    if len(_FIGURE.findall(sentence)) > FIGURES:
        worth *= 0.4
    if sentence.rstrip(_CLOSING)[-1:] in ("?", "？", "؟"):
        worth *= 0.1
    # A sentence begins with a capital or, in scripts without them, with a letter; else it is the rest of one, an item
    # of a list, or what somebody says.
    if sentence[0].islower():
        worth *= 0.05
    elif not sentence[0].isalnum() or _ITEM.match(sentence):
        worth *= 0.3
    if _byline().match(sentence):
        worth *= 0.02
    if sentence.count('"') % 2 or sentence.count("“") != sentence.count("”"):
        worth *= 0.1
    if not is_dense(sentence) and len(sentence.split()) < FEW_WORDS:
        worth *= 0.5
    if is_garbled(sentence):
        worth *= 0.05
    if sentence.count("(") != sentence.count(")"):
        worth *= 0.4
    if len(sentence) > LONGEST * (0.3 if is_dense(sentence) else 0.6):
        worth *= 0.7
    return worth


@cache
def _amount() -> re.Pattern[str]:
    signs = "|".join(map(re.escape, sorted(every_word("tables.currencies"), key=len, reverse=True)))
    return re.compile(rf"(?:{signs})\s?\d|\d\s?(?:{signs})\w{{0,3}}(?!\w)", re.IGNORECASE)


@cache
def _byline() -> re.Pattern[str]:
    return re.compile(rf"(?:{any_of('text.bylines')})\s+[^\W\d_a-z]", re.IGNORECASE)
