"""A question that asks several things, divided into questions of one thing each, by its marks and small words.

It knows words and no grammar: where it is not plain that two things are asked ("research and development costs", "the
difference between gross and net rent"), the question stays whole.
"""

import re
from collections.abc import Callable, Sequence

from docqa.languages import every_pattern, every_word, words
from docqa.questions.wording import WORD, asks, begins_with_verb, matches, spaced_pattern, unspaced, unspaced_pattern
from docqa.text.detect import is_function_word
from docqa.text.sentences import sentences
from docqa.text.words import fold

MOST = 4  # parts; each is a search
LONGEST = 8  # words of one of two things that are compared
WHOLE_TEXT = 2000  # characters: four questions and their lists are shorter
_ITEM = re.compile(r"(?:^|(?<=\s))(?:\d{1,2}|[a-h])[.)]\s+|^\s*[-•*]\s+", re.MULTILINE)
_QUESTION_MARKS = ("?", "？", "؟")
_QUESTION_END = re.compile(r"(?<=[?？؟])\s*")
_DENSE_JOIN = re.compile(f"[，,、；;]|{every_pattern('questions.patterns.clause_joining')}")
_VERSUS = every_word("questions.words.versus")  # in any language


def parts(question: str, language: str) -> list[str]:
    """The questions that it asks, at most four, in order; itself alone where it asks one thing, or is a text pasted in
    whole."""
    if len(question) > WHOLE_TEXT:
        return [question]
    clauses = [clause for item in _items(question) for clause in _clauses(item, language)]
    return [side for clause in clauses for side in (_compared(clause, language) or [clause])][:MOST]


def asking_sentence(message: str, language: str) -> str:
    """The sentence of a message that asks, where those around it only tell ("It was off last night. Will that be made
    up for? I have version 4."); the message itself where none does, or several do."""
    if len(message) > WHOLE_TEXT:
        return message
    small = message.lower()  # where there are no capitals, a sentence may begin with a small letter, as people type
    bounds = sentences(small if len(small) == len(message) else message)
    pieces = [message[start:end] for start, end in bounds]
    marked = [piece for piece in pieces if piece.endswith(_QUESTION_MARKS)]
    asking = marked or [each for each in pieces if begins_with_verb(each, language) or asks(each, language)]
    return asking[0] if len(asking) == 1 else message


def _items(question: str) -> list[str]:
    """The items of a list, or the sentences that end with a question mark."""
    marks = [mark.start() for mark in _ITEM.finditer(question)]
    pieces = _ITEM.split(question)[1:] if len(marks) > 1 else _QUESTION_END.split(question)
    items = [piece.strip() for piece in pieces if WORD.search(piece)]
    all_ask = len(marks) > 1 or all(item.endswith(_QUESTION_MARKS) for item in items)
    return items if len(items) > 1 and all_ask else [question]


def _clauses(question: str, language: str) -> list[str]:
    """Divided where "and" and a question word stand together and something is asked on both sides; or "and" and a verb
    that asks whether, where the question begins with one: "Is smoking allowed and are pets?"."""
    if unspaced(question):
        cuts = [(mark.start(), mark.end()) for mark in _DENSE_JOIN.finditer(question)]
        return _cut(question, cuts, lambda side: bool(unspaced_pattern("asking").search(side)))
    asking, joining = words("questions.words.asking", language), words("questions.words.joining", language)
    tokens = list(WORD.finditer(question))
    whether = spaced_pattern("whether", language)
    fronted = {token.start() for token in tokens if whether.match(question, token.start())}
    both = bool(tokens) and tokens[0].start() in fronted
    cuts = []
    for index in range(1, len(tokens)):
        lower = [token.group().casefold() for token in tokens[index : index + 3]]
        if (
            lower[0] in joining
            and any(
                word in asking and all(len(before) <= 4 for before in lower[1:at])
                for at, word in enumerate(lower)
                if at
            )
            or lower[0] in joining
            and both
            and len(lower) > 1
            and tokens[index + 1].start() in fronted
        ):
            cuts.append((tokens[index].start(), tokens[index].end()))
        elif lower[0] in asking and lower[0][0] in words("text.joined_and", language) and lower[0][1:] in asking:
            cuts.append((tokens[index].start(), tokens[index].start() + 1))
    return _cut(question, cuts, lambda side: _has_subject(side, language))


def _cut(question: str, cuts: Sequence[tuple[int, int]], asks: Callable[[str], bool]) -> list[str]:
    clauses, start = [], 0
    for end, after in cuts:
        if asks(question[start:end]) and asks(question[after:]):
            clauses.append(question[start:end].strip(" ,;"))
            start = after
    return [*clauses, question[start:].strip()]


def _has_subject(text: str, language: str) -> bool:
    """Whether a word of the text says what it is about."""
    empty = words("questions.words.asking", language) | words("questions.words.empty", language)
    return any(word.casefold() not in empty and not is_function_word(fold(word)) for word in WORD.findall(text))


def _compared(question: str, language: str) -> list[str]:
    """Two questions for two things that are compared, or that plainly run parallel; none for any other question.

    A difference is one thing: what tells two things apart stands where a text speaks of both.
    """
    if matches("difference", question, language):
        return []
    if unspaced(question):
        both = unspaced_pattern("compared").search(question)
        sides = [side for side in both.groups() if side] if both else []
        return [question[: both.start()] + side + question[both.end() :] for side in sides] if both else []
    bare, count = spaced_pattern("comparing", language).subn(" ", question)
    bare = bare.strip()
    tokens = list(WORD.finditer(bare))
    lower = [token.group().casefold() for token in tokens]
    against = words("questions.words.against", language) if count else frozenset()
    either = words("questions.words.or", language)
    for joining in (against, _VERSUS, words("questions.words.joining", language) | either):
        if joins := [at for at, word in enumerate(lower[:-1]) if at and word in joining]:
            for at in reversed(joins):
                sure = count > 0 or lower[at] in _VERSUS
                if sides := _sides(bare, tokens, at, sure=sure, either=lower[at] in either):
                    return sides
            return []
    return []


def _sides(text: str, tokens: Sequence[re.Match[str]], at: int, *, sure: bool, either: bool) -> list[str]:
    """The question with each of the things on the two sides of the word `at`."""
    marks = (mark.start() for mark in re.finditer(r"[,;?]|\.(?=\s|$)", text))
    stop = next((mark for mark in marks if mark > tokens[at].end()), len(text))
    left = [fold(token.group()) for token in tokens[:at]]
    right = [fold(token.group()) for token in tokens[at + 1 :] if token.end() <= stop]
    begin = next(
        (
            index + 1
            for index in reversed(range(at - 1))
            if "," in text[tokens[index].end() : tokens[index + 1].start()]
        ),
        0,
    )
    alternative = either and begin and at - begin <= LONGEST
    first, count = _parallel(left, right)
    if first is None:
        if not (sure or alternative) or not right or len(right) > 2 * LONGEST:
            return []
        first, count = begin if alternative else _start(tokens[:at], left, right), len(right)
    if first is None or _shares_noun(text, tokens, first, at, count, either=either):
        return []
    stem, tail = text[: tokens[first].start()], text[tokens[at + count].end() :]
    sides = text[tokens[first].start() : tokens[at].start()], text[tokens[at + 1].start() : tokens[at + count].end()]
    return [f"{stem}{side.strip(' ,')}{tail}".strip(" ,;") for side in sides]


def _shares_noun(text: str, tokens: Sequence[re.Match[str]], first: int, at: int, count: int, *, either: bool) -> bool:
    """Whether the left side is a mere attribute of a noun that only the right side names: "gross and net rent", "the
    gross and the net rent", "Brutto- und Nettomiete", "kalter und warmer Miete"."""
    if text[tokens[at - 1].end() : tokens[at].start()].startswith("-"):
        return True
    left, right = ([token.group() for token in side] for side in (tokens[first:at], tokens[at + 1 : at + 1 + count]))
    # With an article each may be a thing of its own: "the mill or the glass works".
    if not either and left[0] == right[0] and is_function_word(fold(left[0])):
        left, right = left[1:], right[1:]
    return len(left) == 1 and len(right) == 2 and left[0][0].islower() and right[0][0].islower()


def _parallel(left: Sequence[str], right: Sequence[str]) -> tuple[int | None, int]:
    """Where the left thing begins, and how many words the right one has, when both share their noun: "the clock museum
    and the glass museum"."""
    for count in range(2, min(LONGEST, len(right), len(left)) + 1):
        ends = right[count - 1] == left[-1] and not is_function_word(left[-1])
        begins = right[0] == left[-count] and not is_function_word(right[0])
        if (ends or begins) and right[:count] != left[-count:]:
            return len(left) - count, count
    return None, 0


def _start(tokens: Sequence[re.Match[str]], left: Sequence[str], right: Sequence[str]) -> int | None:
    """Where the left thing begins: at the word that the right one begins with, or with the run of names at its end."""
    if right[0] in left:
        places = [index for index, word in enumerate(left) if word == right[0]]
        return max(
            places,
            key=lambda index: (sum(word == other for word, other in zip(left[index:], right, strict=False)), index),
        )
    first = len(tokens)
    while first and (tokens[first - 1].group()[0].isupper() or tokens[first - 1].group()[0].isdigit()):
        first -= 1
    return first if first < len(tokens) else len(tokens) - 1
