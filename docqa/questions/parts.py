"""A question that asks several things, parted into questions of one thing each, by its marks and small words.

It knows words and no grammar: where it is not plain that two things are asked ("research and development costs"), the question stays whole.
"""

import re
from collections.abc import Callable, Sequence

from docqa.questions.question_words import ASKING, COMPARING, DENSE_ASKING, DENSE_COMPARED, EMPTY, JOINING, words_of
from docqa.text.detect import is_function_word
from docqa.text.words import fold, is_dense

MOST = 4  # parts; each is a search
LONGEST = 8  # words of one of two things that are compared
WHOLE_TEXT = 2000  # characters: four questions and their lists are shorter
_WORD = re.compile(r"[^\W_]+(?:[.,][^\W_]+)*")
_ITEM = re.compile(r"(?:^|(?<=\s))(?:\d{1,2}|[a-h])[.)]\s+|^\s*[-•*]\s+", re.MULTILINE)
_QUESTION_END = re.compile(r"(?<=[?？؟])\s*")
_DENSE_JOIN = re.compile("[，,、；;]|以及|并且|並且|而且")
_OR = {
    "en": "or",
    "de": "oder",
    "fr": "ou",
    "es": "o u",
    "pt": "ou",
    "it": "o",
    "nl": "of",
    "ru": "или",
    "pl": "lub czy",
    "tr": "yoksa veya",
}
_AGAINST = {
    "en": "with to against versus vs",
    "de": "mit gegenüber",
    "fr": "avec à",
    "es": "con",
    "pt": "com",
    "it": "con",
    "nl": "met",
    "ru": "с",
    "tr": "ile",
}


def parts(question: str, language: str) -> list[str]:
    """The questions that it asks, at most four, in their order; itself alone where it asks one thing, or is a text that was put in whole."""
    if len(question) > WHOLE_TEXT:
        return [question]
    found = [one for item in _items(question) for one in _clauses(item, language)]
    found = [one for part in found for one in (_compared(part, language) or [part])]
    return found[:MOST]


def _items(question: str) -> list[str]:
    """The items of a list, the sentences that end with a question mark."""
    marks = [mark.start() for mark in _ITEM.finditer(question)]
    pieces = _ITEM.split(question)[1:] if len(marks) > 1 else _QUESTION_END.split(question)
    found = [piece.strip() for piece in pieces if _WORD.search(piece)]
    return found if len(found) > 1 and (len(marks) > 1 or all(piece[-1] in "?？؟" for piece in found)) else [question]


def _clauses(question: str, language: str) -> list[str]:
    """Parted where "and" and a question word stand together and something is asked on both sides."""
    if is_dense(question):
        cuts = [(mark.start(), mark.end()) for mark in _DENSE_JOIN.finditer(question)]
        return _cut(question, cuts, lambda side: bool(DENSE_ASKING.search(side)))
    asking, joining = words_of(ASKING, language), words_of(JOINING, language)
    words = list(_WORD.finditer(question))
    cuts = []
    for index in range(1, len(words)):
        lower = [word.group().casefold() for word in words[index : index + 3]]
        if lower[0] in joining and any(
            word in asking and all(len(before) <= 4 for before in lower[1:at]) for at, word in enumerate(lower) if at
        ):
            cuts.append((words[index].start(), words[index].end()))
        elif lower[0] in asking and lower[0][0] in "وו" and lower[0][1:] in asking:
            cuts.append((words[index].start(), words[index].start() + 1))
    return _cut(question, cuts, lambda side: _subject(side, language))


def _cut(question: str, cuts: Sequence[tuple[int, int]], asks: Callable[[str], bool]) -> list[str]:
    found, start = [], 0
    for end, after in cuts:
        if asks(question[start:end]) and asks(question[after:]):
            found.append(question[start:end].strip(" ,;"))
            start = after
    return [*found, question[start:].strip()]


def _subject(text: str, language: str) -> bool:
    """Whether a word of the text says about what it is."""
    empty = words_of(ASKING, language) | words_of(EMPTY, language)
    return any(word.casefold() not in empty and not is_function_word(fold(word)) for word in _WORD.findall(text))


def _compared(question: str, language: str) -> list[str]:
    """Two questions for two things that are held against each other, or that plainly run parallel; none else."""
    if is_dense(question):
        both = DENSE_COMPARED.search(question)
        return [question[: both.start()] + side + question[both.end() :] for side in both.groups()] if both else []
    bare, compared = question, False
    if language in COMPARING:
        bare, count = re.subn(rf"\b(?:{COMPARING[language]})\b", " ", question, flags=re.IGNORECASE)
        compared = count > 0
    bare = bare.strip()
    words = list(_WORD.finditer(bare))
    against, either = words_of(_AGAINST, language) if compared else frozenset(), words_of(_OR, language)
    plain = {"versus", "vs"}
    order = (against, plain, words_of(JOINING, language) | either)
    joins = next(
        (
            found
            for kind in order
            if (found := [at for at, word in enumerate(words[:-1]) if at and word.group().casefold() in kind])
        ),
        [],
    )
    for at in reversed(joins):
        sides = _sides(
            bare,
            words,
            at,
            sure=compared or words[at].group().casefold() in plain,
            either=words[at].group().casefold() in either,
        )
        if sides:
            return sides
    return []


def _sides(text: str, words: Sequence[re.Match[str]], at: int, *, sure: bool, either: bool) -> list[str]:
    """The question with the one and with the other of the things on both sides of the word `at`."""
    stop = next(
        (mark.start() for mark in re.finditer(r"[,;?]|\.(?=\s|$)", text) if mark.start() > words[at].end()), len(text)
    )
    left = [fold(word.group()) for word in words[:at]]
    right = [fold(word.group()) for word in words[at + 1 :] if word.end() <= stop]
    begin = next(
        (index + 1 for index in reversed(range(at - 1)) if "," in text[words[index].end() : words[index + 1].start()]),
        0,
    )
    alternative = either and begin and at - begin <= LONGEST
    first, count = _parallel(left, right)
    if first is None:
        if not (sure or alternative) or not right or len(right) > 2 * LONGEST:
            return []
        first, count = begin if alternative else _start(words[:at], left, right), len(right)
    if first is None:
        return []
    stem, tail = text[: words[first].start()], text[words[at + count].end() :]
    one, other = text[words[first].start() : words[at].start()], text[words[at + 1].start() : words[at + count].end()]
    return [f"{stem}{side.strip(' ,')}{tail}".strip() for side in (one, other)]


def _parallel(left: Sequence[str], right: Sequence[str]) -> tuple[int | None, int]:
    """Where the left thing begins, and how many words the right one has, when both share their noun: "the clock museum and the glass museum"."""
    for count in range(2, min(LONGEST, len(right), len(left)) + 1):
        ends = right[count - 1] == left[-1] and not is_function_word(left[-1])
        begins = right[0] == left[-count] and not is_function_word(right[0])
        if (ends or begins) and right[:count] != left[-count:]:
            return len(left) - count, count
    return None, 0


def _start(words: Sequence[re.Match[str]], left: Sequence[str], right: Sequence[str]) -> int | None:
    """Where the left thing begins: at the word that the right one begins with, or with the run of names at its end."""
    if right[0] in left:
        places = [index for index, word in enumerate(left) if word == right[0]]
        return max(
            places,
            key=lambda index: (sum(one == other for one, other in zip(left[index:], right, strict=False)), index),
        )
    first = len(words)
    while first and (words[first - 1].group()[0].isupper() or words[first - 1].group()[0].isdigit()):
        first -= 1
    return first if first < len(words) else len(words) - 1
