"""What kind of answer a question asks for, by the usual words of each language."""

import re
from functools import cache, lru_cache

from docqa.languages import pattern, words
from docqa.questions.kind_opinion import KindOpinion
from docqa.questions.question import NO_QUESTION, Expected, Kind
from docqa.questions.small_talk import is_work, small_talk
from docqa.questions.wording import WORD, asks, content, matches, spaced_pattern, unspaced, unspaced_pattern

SURE = 0.3  # of a model's opinion: from here on it is right more often than the words
# What is answered without the documents must not be mistaken for a question about them.
VERY_SURE = 0.7
# What a model takes for such a question may begin with a verb: then it asks for yes or no.
MISTAKEN: tuple[Kind, ...] = ("fact", "reason", "procedure", "description")


@lru_cache(32)  # of a message, before a model is asked for its opinion and again beside it
def settled(text: str, language: str) -> Kind | None:
    """The kind of what is no question about documents, by all of its words; None for any other text."""
    if talk := small_talk(text, language):
        return talk[0]
    return "task" if is_work(text, language) else None


def kind_of(text: str, language: str, opinion: KindOpinion | None = None) -> Kind:
    """The kind of a question that stands alone: what all its words say, else a model's opinion where that is sure, else
    what single words say; "fact" where no other is recognised."""
    if kind := settled(text, language):
        return kind
    if opinion and opinion.kind == "whether" and _asks_which(text, language):  # until when can I use it?
        opinion = None
    is_doubtful = opinion and opinion.kind in MISTAKEN and opinion.probability < VERY_SURE
    if is_doubtful and _begins("whether", text, language) and not asks(text, language):
        return "whether"
    if opinion and opinion.kind in NO_QUESTION and opinion.probability < VERY_SURE:
        opinion = opinion.otherwise
    return opinion.kind if opinion and opinion.probability >= SURE else _by_words(text, language)


def _by_words(text: str, language: str) -> Kind:
    if _begins("whether", text, language):
        return "whether"
    if matches("reason", text, language):
        return "reason"
    if matches("procedure", text, language):
        return "procedure"
    if asks_for_several(text, language):
        return "list"
    if _begins("task", text, language):
        return "description"
    return "number" if expected(text, language) == "number" else "fact"


def expected(text: str, language: str) -> Expected | None:
    """What the answer is: a person, a date, a number with its unit, a place; None where the question does not say."""
    kinds: tuple[tuple[str, Expected], ...] = (("person", "person"), ("place", "place"), ("time", "date"))
    for name, what in kinds:
        if name == "person" and matches("thing", text, language):  # qu'est-ce qui
            continue
        if _has(name, text, language) or matches(f"which_{name}", text, language):
            return what
    return "number" if matches("counting", text, language) else None


def unit_of(text: str, language: str) -> str:
    """The word for what is counted or measured, right behind the words that ask how many: "kilometres"; "" for none."""
    if unspaced(text) or not (asking := spaced_pattern("counting", language).search(text)):
        return ""
    following = WORD.match(text, asking.end() + 1)
    return following[0] if following and content(following[0], language) else ""


def asks_for_several(text: str, language: str) -> bool:
    """Whether more than one thing is asked for."""
    return matches("several", text, language)


def wants_span(text: str, language: str) -> bool:
    """Whether a few words of a text can answer it: who, what, when; not whether something is so, nor to make something
    of it."""
    return not (_begins("whether", text, language) or _begins("task", text, language))


def _has(name: str, text: str, language: str) -> bool:
    if unspaced(text):
        return bool(unspaced_pattern(name).search(text))
    known = words(f"questions.words.{name}", language)
    return any(word.casefold() in known for word in WORD.findall(text))


@cache
def _compiled(name: str, language: str) -> re.Pattern[str]:
    alternatives = pattern(f"questions.patterns.{name}", language)
    return re.compile(rf"\W*(?:{alternatives})(?!\w)" if alternatives else "(?!)", re.IGNORECASE)


def _asks_which(text: str, language: str) -> bool:
    """Whether one of the first two words asks who, what or when, and no word before it whether something is so; in
    scripts without spaces, whose question words stay where the answer would stand, whether it has any."""
    if _begins("whether", text, language):
        return False
    if unspaced(text):
        return asks(text, language)
    known = words("questions.words.asking", language)
    return any(word.casefold() in known for word in WORD.findall(text)[:2])


def _begins(name: str, text: str, language: str) -> bool:
    if unspaced(text):
        return bool(unspaced_pattern(name).search(text))
    polite = pattern("questions.patterns.polite", language)
    text = re.sub(rf"^\W*(?:{polite})\b", "", text, flags=re.IGNORECASE) if polite else text
    return bool(_compiled(name, language).match(text))
