"""A question within its conversation made to stand alone, by rules: what it points to or leaves out is taken from what
was said before.

It knows words and their order, no grammar and no meaning: which of several things "it" is, is left to the search, which
gets the words of all.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from docqa.languages import entry, every, words
from docqa.questions.neighbours import asks_for_neighbour, neighbour
from docqa.questions.phrases import Phrase, phrases_of
from docqa.questions.small_talk import small_talk
from docqa.questions.wording import (
    WORD,
    asks,
    begins_with_verb,
    content,
    opening,
    points_to_conversation,
    says_enough,
    unspaced,
    unspaced_pattern,
)
from docqa.text.frequency import is_grammar
from docqa.text.sentences import sentences
from docqa.text.words import fold

TURNS = 6
CONTEXT_WORDS = 20
_LETTER = re.compile(r"[^\W\d_]")
_DIGITS = re.compile(r"\d+")
_DECLINED = ("unsure", "not_found", "about.foreign")


@dataclass(frozen=True)
class StandAlone:
    """A question that needs no history: its text, and words of the conversation that say what it is about, "" for
    none; with what a user said of them, as passages are read for it, in `wording`, "" for the text itself."""

    text: str
    context: str = ""
    wording: str = ""
    asking: str = ""  # the question that says what is wanted, where this one does not: "and if it rains?"
    follows: bool = False  # something was taken from the previous question

    @property
    def whole(self) -> str:
        """Both together."""
        return f"{self.text} {self.context}".strip()


def stand_alone(question: str, history: Sequence[tuple[str, str]], language: str) -> StandAlone:
    """The question with what it needs of the history, (sender, message) pairs; as it is where it stands alone.

    Earlier questions are made to stand alone first, one after the other, for each may depend on the one before; small
    talk between them is passed over.
    """
    previous, answer, talks = "", "", False
    for sender, message in history[-2 * TURNS :]:
        if sender == "user":
            talks = small_talk(message, language) is not None
            if not talks:
                previous, answer = _resolve(message, previous, answer, language).whole, ""
        elif not talks:
            answer = message
    return _resolve(question, previous, answer, language)


def _resolve(question: str, previous: str, answer: str, language: str) -> StandAlone:
    """A question after the `previous` one, which stands alone, and its answer."""
    if not previous:
        return StandAlone(question)
    begins = opening(question, language)
    fragment = question[begins:]
    own = content(fragment, language)
    if beside := neighbour(previous, fragment, language):
        return StandAlone(beside, follows=True)
    if points_to_conversation(question, language):
        return _about(question, previous, answer, own, language)
    enough = says_enough(own, language)
    ellipsis = unspaced(question) and bool(_ellipsis().search(question))
    leaves_out = not asks(fragment, language) and (begins or ellipsis or not enough)
    may_replace = own and leaves_out and is_phrase(fragment, language)
    if may_replace and (replaced := _replaced(previous, fragment, language)):
        return StandAlone(replaced, follows=True)
    if enough and not leaves_out:
        return StandAlone(question)
    about = _about(question, previous, "", own, language)
    says_what = not leaves_out or not own or begins_with_verb(fragment, language)
    if says_what:
        return about
    return replace(about, asking=previous, wording=f"{previous.rstrip(' ?？؟')} {question}")


def _ellipsis() -> re.Pattern[str]:
    return re.compile(f"(?:{unspaced_pattern('ellipsis').pattern})[？?。]*$")


def is_phrase(fragment: str, language: str) -> bool:
    """Whether a fragment may stand in the place of a phrase: it names a thing, a place, a number, and is no clause ("if
    I lose it"), no "the one" and no "last year", which says something more of the same."""
    if unspaced(fragment):
        return True
    if begins_with_verb(fragment, language) or asks_for_neighbour(fragment, language):
        return False
    auxiliary = words("questions.words.auxiliary", language)
    return not any(
        word.casefold() in auxiliary or content(word, language) and is_grammar(word, language)
        for word in WORD.findall(fragment)
    )


def _about(question: str, previous: str, answer: str, own: Sequence[str], language: str) -> StandAlone:
    """The question with the words of the previous one and of the first sentence of its answer, without its own.

    What was said not to be an answer leads no further.
    """
    first = "" if answer.startswith(_declining()) else next((answer[a:b] for a, b in sentences(answer)), "")
    known = {fold(word) for word in own}
    topic, said = (
        list(dict.fromkeys(word for word in content(text, language) if fold(word) not in known))
        for text in (previous, first)
    )
    context = list(dict.fromkeys((*topic, *said)))[:CONTEXT_WORDS]
    return StandAlone(question, " ".join(context), " ".join([question, *topic[:CONTEXT_WORDS]]))


@cache
def _declining() -> tuple[str, ...]:
    """How answers begin that found nothing, or nothing certain, in all languages."""
    phrases = (phrase for place in _DECLINED for phrase in every(f"phrases.{place}").values())
    return tuple(phrase.partition("{")[0] for phrase in phrases)


def _replaced(previous: str, fragment: str, language: str) -> str:
    """The previous question with the fragment in the place of what is of its kind, "" where nothing plainly is."""
    if unspaced(previous):
        return _replaced_characters(previous, _ellipsis().sub("", fragment.strip()).strip("？?。"))
    fragment = fragment.strip(" \t\n?¿!.؟,")
    new_spans = [word.span() for word in WORD.finditer(fragment)]
    new = [fragment[start:end] for start, end in new_spans]
    spans = [word.span() for word in WORD.finditer(previous)]
    place = _place(new, [previous[start:end] for start, end in spans], language)
    if place is None:
        return ""
    first, last, taken = place
    return previous[: spans[first][0]] + fragment[new_spans[taken][0] :] + previous[spans[last - 1][1] :]


# First and end of the old words that are replaced; how many of the new words stand there already.
_Place = tuple[int, int, int]


def _place(new: Sequence[str], old: Sequence[str], language: str) -> _Place | None:
    old_folded, new_folded = [fold(word) for word in old], [fold(word) for word in new]
    matter = [index for index, word in enumerate(new) if content(word, language)]
    if not matter:
        return None
    # "tier A" for "tier B": a letter after a noun in common.
    for at in matter:
        lettered = [index for index in range(len(old) - 1) if old_folded[index] == new_folded[at]]
        if (
            at + 1 < len(new)
            and _LETTER.fullmatch(new[at + 1])
            and lettered
            and _LETTER.fullmatch(old[lettered[0] + 1])
        ):
            return lettered[0], lettered[0] + 2, at
    first, last = matter[0], matter[-1]
    # "the southern line" for "the northern line", "pump B30" for "pump A12": a noun in common.
    if last > first and new_folded[last] in old_folded:
        at = old_folded.index(new_folded[last])
        return max(0, at - (last - first)), at + 1, first
    if last > first and new_folded[first] in old_folded:
        at = old_folded.index(new_folded[first])
        return at, min(len(old), at + last - first + 1), first
    # "in 2017" for "in 2016", "F7" for "F12": a number of the same shape, a code of the same letters.
    for index in matter:
        shape = _shape(new_folded[index])
        for at, word in enumerate(old_folded):
            if shape[0] and shape == _shape(word):
                return at, at + 1, index
    return _phrase_place(new, old, first, language)


def _shape(word: str) -> tuple[str, int]:
    """A folded word's digits as one, and its length where it begins with a digit; empty without digits."""
    return (_DIGITS.sub("0", word), len(word) if word[0].isdigit() else 0) if _DIGITS.search(word) else ("", 0)


def _phrase_place(new: Sequence[str], old: Sequence[str], first: int, language: str) -> _Place | None:
    """The phrase that the new one stands for: the one after the same preposition; without a preposition, a name for a
    name, the topic of "say about", else the first phrase that has none."""
    phrases = list(phrases_of(old, language))
    articles = words("evaluation.articles", language)
    begin = first - 1 if first and fold(new[first - 1]) in articles else first
    preposition = fold(new[begin - 1]) if begin else ""
    count = len(list(phrases_of(new[first:], language)))
    if preposition:
        is_number = new[first][0].isdigit()
        alike = [p for p in phrases if p.preposition == preposition and old[p.content][0].isdigit() == is_number]
        return (alike[-1].start, _end_of(alike[-1], phrases, count), begin) if alike else None
    if new[first][0].isupper() and not entry("text.nouns_have_capitals", language) and begin == first:
        return _name_place(old, phrases, first)
    topics = words("questions.words.before_topic", language)
    about = [phrase for phrase in phrases if phrase.preposition in topics and phrase is phrases[-1]]
    free = [phrase for phrase in phrases if not phrase.preposition and phrase.has_article >= (begin < first)]
    chosen = next(iter(about or free), None)
    if chosen is None:
        return None
    return chosen.start, _end_of(chosen, phrases, count), begin


def _name_place(old: Sequence[str], phrases: Sequence[Phrase], taken: int) -> _Place | None:
    """The words with capitals at the beginning of the last phrase that has some."""
    names = [phrase for phrase in phrases if old[phrase.content][0].isupper()]
    if not names:
        return None
    end = names[-1].content
    while end < names[-1].end and old[end][0].isupper():
        end += 1
    return names[-1].content, end, taken


def _end_of(phrase: Phrase, phrases: Sequence[Phrase], count: int) -> int:
    """The end of `count` phrases, of which this is the first: "a litre of juice" for "a kilogram of pears"."""
    at = phrases.index(phrase)
    return phrases[min(at + count, len(phrases)) - 1].end


def _replaced_characters(previous: str, fragment: str) -> str:
    """The same in a script without spaces: a number for a number, else a word of the same length with the same last or
    first character."""
    digits = _DIGITS.search(fragment)
    if digits and (old := _DIGITS.search(previous)):
        return previous[: old.start()] + digits.group() + previous[old.end() :]
    length = len(fragment)
    places = [
        at for at in range(len(previous) - length + 1) if length > 1 and previous[at + length - 1] == fragment[-1]
    ]
    places += [at for at in range(len(previous) - length + 1) if length > 1 and previous[at] == fragment[0]]
    return previous[: places[0]] + fragment + previous[places[0] + length :] if places else ""
