"""What the words of a question say by themselves: which say what it is about, which ask, which point back.

Words of each language are in docqa/languages; Chinese and Japanese, written without spaces, have patterns in their
place.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from docqa.languages import entry, every, pattern, words
from docqa.text.detect import is_function_word
from docqa.text.frequency import information
from docqa.text.words import fold, is_dense

WORD = re.compile(r"[^\W_]+(?:[.,][^\W_]+)*")
ENOUGH_WORDS = 2  # of its own, for a question to be about something
EMPTY = ("empty", "auxiliary", "pointing", "asking")  # lists of words that do not say what a text is about
ENOUGH = 7.0  # nats of these words together: as much as two words tell that each stand in three of a hundred passages
TELLING = 2.3  # nats: a word that fewer than one passage in ten has may be what a question is about
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


def opening(question: str, language: str) -> int:
    """Where the question begins after a word such as "and"."""
    if unspaced(question):
        opener = unspaced_pattern("opening").pattern
    else:
        alternatives = pattern("questions.patterns.opening", language)
        # The Arabic "and" is written together with the next word.
        joined = "".join(f"|(?<={word})" for word in entry("text.joined_and", language) or ())
        opener = rf"(?:{alternatives})(?:\b{joined})" if alternatives else "(?!)"
    match = re.match(rf"[\s¿¡]*(?:{opener})[\s、,，]*", question, re.IGNORECASE)
    return match.end() if match else 0


def telling(text: str, language: str) -> list[str]:
    """The words of `content` that are not too common to say what a text is about: "have" and "back" tell nothing."""
    return [word for word in content(text, language) if unspaced(word) or information(word, language) >= TELLING]


def says_enough(own: Sequence[str], language: str) -> bool:
    """Whether these content words are enough to search by."""
    joined = "".join(own)
    if is_dense(joined):
        return sum(map(str.isalpha, joined)) >= ENOUGH_CHARACTERS
    said = [nats for word in own if (nats := information(word, language)) >= TELLING]
    return len(said) >= ENOUGH_WORDS and sum(said) >= ENOUGH


def asks(text: str, language: str) -> bool:
    """Whether it has a question word."""
    if unspaced(text):
        return bool(unspaced_pattern("asking").search(text))
    asking = words("questions.words.asking", language)
    return any(word.casefold() in asking for word in WORD.findall(text))


def points_back(text: str, language: str) -> bool:
    """Whether a word such as "it" has nothing before it in the text that it could mean."""
    if unspaced(text):
        return _points_back_unspaced(text)
    relative = words("questions.words.relative", language)
    for pronoun, before in _pronouns(text, language):
        count = len(content(before, language))
        # "the company that built it": after a noun, "that" begins a clause.
        if count < (1 if pronoun in relative else ANTECEDENT):
            return True
        if count >= ANTECEDENT:
            return False
    return False


def points_to_conversation(question: str, language: str) -> bool:
    """As `points_back`, of a question that follows another: words that tell nothing ("can we have it") are not
    what its pronouns mean, and "that" begins a clause only where a noun stands before it ("the firm that built it", but
    "can I have that back", "in that case")."""
    if unspaced(question):
        return _points_back_unspaced(question)
    relative, articles = words("questions.words.relative", language), words("evaluation.articles", language)
    for pronoun, before in _pronouns(question, language):
        *_, article, last = ["", "", *WORD.findall(before)]
        is_noun = bool(telling(last, language) or article.casefold() in articles and content(last, language))
        if pronoun in relative and is_noun:
            continue
        return len(telling(before, language)) < ANTECEDENT
    return False


def _points_back_unspaced(text: str) -> bool:
    pronoun = unspaced_pattern("pointing").search(text)
    return pronoun is not None and not says_enough(content(text[: pronoun.start()], ""), "")


def _pronouns(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Each word that points back, and the text before it."""
    text = spaced_pattern("dummy_pronoun", language).sub(" ", text)
    pointing = words("questions.words.pointing", language)
    for word in WORD.finditer(text):
        # German "Sie" is the reader; elsewhere no such word is capitalised within a question.
        if word[0] in pointing or (word[0].casefold() in pointing and not text[: word.start()].strip(" ¿")):
            yield word[0], text[: word.start()]
