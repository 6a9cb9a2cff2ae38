"""What the words of a question say by themselves: which say what it is about, which ask, which point back.

Words of each language are in docqa/languages; Chinese and Japanese, written without spaces, have patterns in their
place.
"""

import re
from collections.abc import Sequence
from functools import cache

from docqa.languages import entry, every, pattern, words
from docqa.text.detect import is_function_word
from docqa.text.words import fold, is_dense

WORD = re.compile(r"[^\W_]+(?:[.,][^\W_]+)*")
ENOUGH_WORDS = 2  # of its own, for a question to be about something
EMPTY = ("empty", "auxiliary", "pointing", "asking")  # lists of words that do not say what a text is about
ENOUGH_CHARACTERS = 4  # in scripts without spaces
ANTECEDENT = 3  # words before a pronoun from which on it is taken to mean one of them
_HANGUL = re.compile("[가-힣]")
_MARKS = "[。、，？！]"


def unspaced_codes() -> tuple[str, ...]:
    """The languages that have patterns in the place of words: Chinese and Japanese."""
    return tuple(every("questions.patterns.asking"))


def dense_codes() -> tuple[str, ...]:
    """The languages whose words search cuts into pairs of characters: these and Korean, whose particles stick to
    them."""
    return tuple(every("text.cut_in_pairs"))


def unspaced(text: str) -> bool:
    """Whether its words are not separated by spaces: Chinese and Japanese, not Korean."""
    return is_dense(text) and not _HANGUL.search(text)


@cache
def unspaced_pattern(name: str) -> re.Pattern[str]:
    """Any of the patterns `name` of the languages without spaces: which of them a few characters are in is often
    unclear; one that matches nothing where they have none."""
    return re.compile(
        "|".join(filter(None, (pattern(f"questions.patterns.{name}", code) for code in unspaced_codes()))) or "(?!)"
    )


@cache
def spaced_pattern(name: str, language: str) -> re.Pattern[str]:
    """The patterns `name` of a language as whole words; one that matches nothing where the language has none."""
    alternatives = pattern(f"questions.patterns.{name}", language)
    # Particles stick to Korean words: 얼마인가요.
    end = "" if entry("text.cut_in_pairs", language) else r"(?!\w)"
    return re.compile(rf"(?<!\w)(?:{alternatives}){end}" if alternatives else "(?!)", re.IGNORECASE)


def matches(name: str, text: str, language: str) -> bool:
    """Whether a pattern `name` of the question's language is found in the text."""
    return bool((unspaced_pattern(name) if unspaced(text) else spaced_pattern(name, language)).search(text))


def begins_with_verb(text: str, language: str) -> bool:
    """Whether a text begins with a verb that asks for yes or no; in scripts without spaces, whether it has its word."""
    if unspaced(text):
        return matches("whether", text, language)
    return bool(spaced_pattern("whether", language).match(text.lstrip(" ¿\"'«“")))


@cache
def _unspaced_empty() -> re.Pattern[str]:
    return re.compile("|".join([*(unspaced_pattern(name).pattern for name in ("asking", "pointing", "empty")), _MARKS]))


def content(text: str, language: str) -> list[str]:
    """The words that say what a text is about, as they stand in it; in scripts without spaces, runs of characters."""
    if unspaced(text):
        return [run for run in _unspaced_empty().sub(" ", text).split() if run]
    empty = frozenset().union(*(words(f"questions.words.{name}", language) for name in EMPTY))
    return [
        word
        for word in WORD.findall(text)
        if word.casefold() not in empty and not is_function_word(fold(word)) and (len(word) > 1 or word.isdigit())
    ]


def says_enough(own: Sequence[str]) -> bool:
    """Whether these content words are enough to search by."""
    joined = "".join(own)
    return sum(map(str.isalpha, joined)) >= ENOUGH_CHARACTERS if is_dense(joined) else len(own) >= ENOUGH_WORDS


def asks(text: str, language: str) -> bool:
    """Whether it has a question word."""
    if unspaced(text):
        return bool(unspaced_pattern("asking").search(text))
    asking = words("questions.words.asking", language)
    return any(word.casefold() in asking for word in WORD.findall(text))


def points_back(text: str, language: str) -> bool:
    """Whether a word such as "it" has nothing before it in the text that it could mean."""
    if unspaced(text):
        pronoun = unspaced_pattern("pointing").search(text)
        return pronoun is not None and not says_enough(content(text[: pronoun.start()], language))
    text = spaced_pattern("dummy_pronoun", language).sub(" ", text)
    pointing, relative = (words(f"questions.words.{name}", language) for name in ("pointing", "relative"))
    for word in WORD.finditer(text):
        # German "Sie" is the reader; elsewhere no such word is capitalised within a question.
        known = word[0] in pointing or (word[0].casefold() in pointing and not text[: word.start()].strip(" ¿"))
        if not known:
            continue
        before = len(content(text[: word.start()], language))
        # "the company that built it": after a noun, "that" begins a clause.
        if before < (1 if word[0] in relative else ANTECEDENT):
            return True
        if before >= ANTECEDENT:
            return False
    return False
