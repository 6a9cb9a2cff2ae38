"""A question within its conversation made to stand alone, by rules: what it points to or leaves out is taken from what was said before.

It knows words and their places, no grammar and no meaning: which of several things "it" is, is left to the search, which gets the words of all.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from docqa.questions.question_words import (
    ASKING,
    COUNTING,
    DENSE_ASKING,
    DENSE_COUNTING,
    DENSE_ELLIPSIS,
    DENSE_EMPTY,
    DENSE_OPENING,
    DENSE_POINTING,
    EMPTY,
    OPENING,
    POINTING,
    words_of,
)
from docqa.text.detect import is_function_word
from docqa.text.sentences import sentences
from docqa.text.words import fold, is_dense

ENOUGH_WORDS = 2  # of its own, for a question to be about something
ANTECEDENT = 3  # words before a pronoun, in languages with spaces, from which on it is thought to mean one of them
ENOUGH_CHARACTERS = 4  # in scripts without spaces
TURNS = 6
CONTEXT_WORDS = 20
_WORD = re.compile(r"[^\W_]+(?:[.,][^\W_]+)*")
_DUMMY = re.compile(
    r"\bit (?:takes?|costs?) to\b|\bit (?:possible|allowed|necessary|safe|true)\b|\b(?:is|are|was|were) there\b|\bil y a\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\b(?:what|who) (?:are|were)\b|\b(?:what|which) (?:[\w-]+ ){0,3}[\w-]+s (?:are|were|do|did|have|had|can|could|will)\b"
    r"|\b(?:which|what|name|list|give) (?:the |all |some )?(?:two|three|four|five|six|several)\b|\b(?:name|list|give) (?:the|all|some) [\w-]+s\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class StandAlone:
    """What is asked, and words of the conversation that say about what; none where the question says so itself."""

    text: str
    context: str = ""

    @property
    def whole(self) -> str:
        """Both, as they are searched."""
        return f"{self.text} {self.context}".strip()


def content(text: str, language: str) -> list[str]:
    """The words that say about what a text is, as they stand in it; in scripts without spaces, runs of characters."""
    if is_dense(text):
        return [run for run in DENSE_EMPTY.sub(" ", text).split() if run]
    empty = words_of(EMPTY, language) | words_of(POINTING, language) | words_of(ASKING, language)
    return [
        word
        for word in _WORD.findall(text)
        if word.casefold() not in empty and not is_function_word(fold(word)) and (len(word) > 1 or word.isdigit())
    ]


def stand_alone(question: str, history: Sequence[tuple[str, str]], language: str) -> StandAlone:
    """The question with what it needs of the history, (sender, message) pairs; as it is where it stands alone.

    The earlier questions are made to stand alone first, one after the other, for each may hang on the one before.
    """
    asked, said = "", ""
    for sender, message in history[-2 * TURNS :]:
        if sender == "user":
            asked, said = _resolve(message, asked, said, language).whole, ""
        else:
            said = message
    return _resolve(question, asked, said, language)


def _resolve(question: str, asked: str, said: str, language: str) -> StandAlone:
    """A question after the one before it, which stands alone, and its answer."""
    alone = StandAlone(question)
    if not asked:
        return alone
    opening = _opening(question, language)
    fragment = question[opening:]
    elliptical = opening > 0 or (is_dense(question) and bool(DENSE_ELLIPSIS.search(question)))
    own = content(fragment, language)
    enough = _says_enough(own)
    if points_back(question, language):
        return replace(alone, context=_context(asked, said, own, language))
    if own and not _asks(fragment, language) and (elliptical or not enough):
        return StandAlone(_replaced(asked, fragment, language))
    return alone if enough else replace(alone, context=_context(asked, "", own, language))


def _opening(question: str, language: str) -> int:
    """Where the question begins after a word such as "and"."""
    opener = (
        DENSE_OPENING.pattern
        if is_dense(question)
        else rf"(?:{OPENING[language]})(?:\b|(?<=و))"
        if language in OPENING
        else "(?!)"
    )
    # The Arabic "and" is written together with the next word.
    found = re.match(rf"[\s¿¡]*(?:{opener})[\s、,，]*", question, re.IGNORECASE)
    return found.end() if found else 0


def says_enough(question: str, language: str) -> bool:
    """Whether a question has words of its own to search by."""
    return _says_enough(content(question, language))


def _says_enough(own: Sequence[str]) -> bool:
    if is_dense("".join(own)):
        return sum(map(str.isalpha, "".join(own))) >= ENOUGH_CHARACTERS
    return len(own) >= ENOUGH_WORDS


def _asks(question: str, language: str) -> bool:
    if is_dense(question):
        return bool(DENSE_ASKING.search(question))
    asking = words_of(ASKING, language)
    return any(word.casefold() in asking for word in _WORD.findall(question))


def asks_for_number(question: str, language: str) -> bool:
    """Whether what is asked for is a number, an amount or a time."""
    pattern = (
        DENSE_COUNTING.pattern
        if is_dense(question)
        else rf"\b(?:{COUNTING[language]})\b"
        if language in COUNTING
        else "(?!)"
    )
    return bool(re.search(pattern, question, re.IGNORECASE))


def asks_for_several(question: str) -> bool:
    """Whether more than one thing is asked for, in the languages that the reader knows, which finds them one by one."""
    return bool(_SEVERAL.search(question))


def points_back(question: str, language: str) -> bool:
    """Whether a word such as "it" has nothing in the question itself that it could mean."""
    if is_dense(question):
        found = DENSE_POINTING.search(question)
        return found is not None and not _says_enough(content(question[: found.start()], language))
    text = _DUMMY.sub(" ", question)
    pointing = words_of(POINTING, language)
    for word in _WORD.finditer(text):
        # German "Sie" is the reader; elsewhere no such word is capitalised within a question.
        known = word[0] in pointing or (word[0].casefold() in pointing and not text[: word.start()].strip(" ¿"))
        before = len(content(text[: word.start()], language))
        # "the company that built it": after a noun, "that" begins a clause.
        if known and before < (1 if word[0] == "that" else ANTECEDENT):
            return True
    return False


def _context(asked: str, said: str, own: Sequence[str], language: str) -> str:
    """The words of the question before and those that the first sentence of its answer adds, without what is asked now."""
    first = next((said[start:end] for start, end in sentences(said)), "")
    known = {fold(word) for word in own}
    words = [word for word in (*content(asked, language), *content(first, language)) if fold(word) not in known]
    return " ".join(list(dict.fromkeys(words))[:CONTEXT_WORDS])


def _replaced(asked: str, fragment: str, language: str) -> str:
    """The question before with the fragment in the place of what is of its kind; with the fragment at its end where nothing is."""
    if is_dense(asked):
        return _replaced_characters(asked, DENSE_ELLIPSIS.sub("", fragment.strip()).strip("？?。"))
    fragment = fragment.strip(" \t\n?¿!.؟,")
    words = [word.group() for word in _WORD.finditer(fragment)]
    spans = [word.span() for word in _WORD.finditer(asked)]
    place = _place(words, [asked[start:end] for start, end in spans], language)
    if place is None:
        return f"{asked.rstrip('?؟ ')} {fragment}?"
    first, last, taken = place
    return asked[: spans[first][0]] + " ".join(words[taken:]) + asked[spans[last - 1][1] :]


def _place(new: Sequence[str], old: Sequence[str], language: str) -> tuple[int, int, int] | None:
    """(first, end) of the old words that the new ones replace, and how many of the new ones stand before that place already."""
    old_folded, new_folded = [fold(word) for word in old], [fold(word) for word in new]
    matter = [index for index, word in enumerate(new) if content(word, language)]
    first, last = matter[0], matter[-1]
    # "the southern line" for "the northern line", "pump B30" for "pump A12": a noun in common.
    if last > first and new_folded[last] in old_folded:
        at = old_folded.index(new_folded[last])
        return max(0, at - (last - first)), at + 1, first
    if last > first and new_folded[first] in old_folded:
        at = old_folded.index(new_folded[first])
        return at, min(len(old), at + last - first + 1), first
    # "in 2017" for "in 2016": a number of the same shape.
    for index in matter:
        shape = _DIGITS.sub("0", new[index]), len(new[index])
        for at, word in enumerate(old):
            if new[index][0].isdigit() and shape == (_DIGITS.sub("0", word), len(word)):
                return at, at + 1, index
    # "for milk" for "for apples", "the dairy" for "the mill": what stands after the same little word.
    if first and new_folded[first - 1] in old_folded:
        at = len(old) - old_folded[::-1].index(new_folded[first - 1])
        if at < len(old) and content(old[at], language):
            return at, min(len(old), at + last - first + 1), first
    return _place_of_name(old, language, first) if new[first][0].isupper() else None


def _place_of_name(old: Sequence[str], language: str, taken: int) -> tuple[int, int, int] | None:
    """The last name, where a capital letter within a question makes one: not in German, which gives it to every noun."""
    names = [] if language == "de" else [index for index, word in enumerate(old) if index and word[0].isupper()]
    if not names:
        return None
    first = names[-1]
    while first - 1 in names:
        first -= 1
    return first, names[-1] + 1, taken


def _replaced_characters(asked: str, fragment: str) -> str:
    """The same in a script without spaces: a number for a number, else a word of the same length with the same last or first character."""
    digits = _DIGITS.search(fragment)
    if digits and (old := _DIGITS.search(asked)):
        return asked[: old.start()] + digits.group() + asked[old.end() :]
    length = len(fragment)
    places = [at for at in range(len(asked) - length + 1) if length > 1 and asked[at + length - 1] == fragment[-1]]
    places += [at for at in range(len(asked) - length + 1) if length > 1 and asked[at] == fragment[0]]
    return asked[: places[0]] + fragment + asked[places[0] + length :] if places else asked + fragment
