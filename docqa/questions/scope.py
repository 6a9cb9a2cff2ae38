"""Which text a question is about: passages, whole documents, a named part of them, or what documents are by themselves.

The usual ways of asking are known, not all; what else stands in the question is its topic, and whether the documents
speak of that is not known here.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import get_args

from docqa.languages import any_of, every, every_pattern, every_word, pattern, words
from docqa.questions.kinds import expected, wants_span
from docqa.questions.named import labels_named, places_named
from docqa.questions.wanted import Place, Property, Scope, Size, Wanted
from docqa.questions.wording import WORD, dense_codes, matches
from docqa.text.detect import is_function_word
from docqa.text.values import in_words
from docqa.text.words import fold, is_dense, without_accents

LONGEST = 200  # characters; what is longer brings a task of its own

# How many words of its own a question of this kind has: one with more asks for a fact, "how many pages did she write in
# 1911".
TOPIC_WORDS: dict[Wanted, tuple[int, int]] = {
    "page_count": (0, 0),
    "contents": (0, 0),
    "placement": (0, 5),
    "summary": (0, 3),
    "mentions": (1, 3),
}
_PATTERNS: dict[Wanted, str] = {
    "page_count": "page_count",
    "contents": "contents",
    "placement": "placement",
    "summary": "gist",
    "mentions": "mentions",
}
_PROPERTIES: tuple[Property, ...] = get_args(Property)
DENSE_WORD = 4  # characters that count as a word where words are not separated
_LETTER = r"[\w\u0900-\u097f]"  # to `re`, the vowel signs of Devanagari are no letters
_PARTICLES = "".join(sorted(every_word("questions.particles")))  # inside a word, they are a part of it
_EDITION = re.compile(r"(?<![\w.])(?!(?:19|20)\d\d(?![\w.]))\d")  # "when did version 3.1 come out?"; no year
_COUNTED = re.compile(rf"(?P<number>\d{{1,2}}|[^\W\d_]+) ?(?:{every_pattern('questions.patterns.sentence')})")


# Asked several times while one question is understood.
@lru_cache(maxsize=16)
def scope_of(question: str, language: str) -> Scope:
    """What a question wants and of which text; "passages" for one like any other, or about more than a few words."""
    places = tuple(places_named(question, language))
    if len(question) > LONGEST:
        return Scope(places=places)
    wanted = _wanted(question, language)
    scope = _scope_of(question, language, wanted, places)
    return scope if places or wanted not in (None, "summary") else replace(scope, labels=_labels(question, language))


def _labels(question: str, language: str) -> tuple[Place, ...]:
    """The labels that are all it asks for: "what happens on day 6?"."""
    labels, rest = labels_named(question, language), question
    for label in labels:
        rest = rest.replace(label.label, " ")
    fillers = ("filler", "document", "kinds", "task", "polite")
    return () if not labels or expected(question, language) or topic_of(rest, *fillers) else tuple(labels)


def _scope_of(question: str, language: str, wanted: Wanted | None, places: tuple[Place, ...]) -> Scope:
    if not places and wanted in (None, "summary") and (properties := _properties(question, language)):
        return Scope("properties", properties=properties)
    if wanted is None and not places:
        return Scope("outcome") if _asks_for_outcome(question, language) else Scope()
    rest = question
    for place in places:
        rest = rest.replace(place.label, " ")
    fillers = [
        "filler",
        "document",
        *(["kinds"] if wanted == "summary" else []),
        *(["placing"] if wanted in ("placement", "contents") else []),
        *(["task", "polite"] if wanted is None else []),
    ]
    topic = topic_of(rest, *fillers)
    if wanted is None:
        # "What happens in chapter 7?" asks for all of it, "who signs in chapter 7?" for something in it.
        whole = not topic and expected(question, language) is None
        return Scope("summary" if whole else "passages", places=places)
    if wanted == "summary" and topic and expected(question, language) is not None:
        return Scope(places=places)  # "how many studies does the survey sum up"
    least, most = TOPIC_WORDS[wanted]
    if wanted == "summary" and not wants_span(question, language):
        most *= 2  # "Summarise why the home was closed by the council" is no other question
    if wanted == "placement" and not topic and not places:
        return Scope()
    words = sum(-(-len(word) // DENSE_WORD) if is_dense(word) else 1 for word in topic)
    pronouns = every_word("questions.words.pointing")
    topic = tuple(word for word in topic if word.casefold() not in pronouns)
    return Scope(wanted, topic, places) if words <= most and len(topic) >= least else Scope(places=places)


def common_scope(scopes: Sequence[Scope]) -> Scope:
    """The scope of a question with these parts: what they all want of whole documents, of the places of all; passages
    where they want different things."""
    places = tuple(dict.fromkeys(place for scope in scopes for place in scope.places))
    if len({scope.wanted for scope in scopes}) > 1:
        return Scope(places=places)
    topic = tuple(dict.fromkeys(word for scope in scopes for word in scope.topic))
    properties = tuple(dict.fromkeys(name for scope in scopes for name in scope.properties))
    labels = tuple(dict.fromkeys(label for scope in scopes for label in scope.labels))
    return Scope(scopes[0].wanted, topic, places, properties, labels if all(scope.labels for scope in scopes) else ())


def summed_up(question: str, language: str) -> str:
    """What it asks a summary of, in its own words: "the rules on deposits"; "" where that is no topic in particular."""
    scope = scope_of(question, language)
    if scope.wanted != "summary" or not scope.topic or scope.places or scope.labels:
        return ""
    plain = without_accents(question)
    wordings = [*_compiled("gist").finditer(question), *_typed("gist", language).finditer(plain)]
    begun = max((wording.end() for wording in wordings if wording.end() <= question.find(scope.topic[0])), default=0)
    left = _blanked(_typed("gist", language), _blanked(_compiled("gist"), question))
    return " ".join(left[begun:].split())


def names_document(question: str) -> bool:
    """Whether it calls the document by what it is: "this report"."""
    return any(pattern.search(without_accents(question)) for pattern in _fillers(("document",)))


def points_at_document(question: str, language: str) -> bool:
    """Whether it speaks of "this book" or "it", and not of "the book", which may be one that is told of."""
    if not names_document(question):
        return True
    articles = words("evaluation.articles", language)
    folded = [word.casefold() for word in WORD.findall(question)]
    return not any(article in articles and names_document(following) for article, following in pairwise(folded))


def size_of(question: str, language: str) -> Size:
    """How long an answer its words ask for: "in two sentences", "briefly", "in detail"."""
    if len(question) > LONGEST:
        return Size()
    counted = _COUNTED.search(question)
    number = counted["number"] if counted else ""
    sentences = int(number) if number.isdecimal() else in_words(fold(number), language) or 0 if number else 0
    brief, detailed = (
        any(p.search(without_accents(question)) for p in _fillers((name,))) for name in ("brief", "detailed")
    )
    return Size(sentences, brief=brief, detailed=detailed and not brief)


def asks_for_decisions(question: str) -> bool:
    """Whether it asks, in whatever language, for what was decided."""
    return any(pattern.search(without_accents(question)) for pattern in _fillers(("decisions",)))


def _asks_for_outcome(question: str, language: str) -> bool:
    """Whether what was decided is all it asks for, by whomever: "what did the court decide in the end?" and not "what
    was decided on the roof?"."""
    if not asks_for_decisions(question) or expected(question, language) or not wants_span(question, language):
        return False
    topic = topic_of(question, "decisions", "deciders", "filler", "document", "kinds")
    return not topic and not matches("reason", question, language)


def asks_for_signature(question: str, language: str) -> bool:
    """Whether it asks who signed a document or a letter in it, and names nothing else."""
    if len(question) > LONGEST or not _asks("signing", question, language):
        return False
    left = _blanked(_typed("signing", language), _compiled("signing").sub(" ", question))
    return not topic_of(left, "filler", "document", "making", "kinds")


def _wanted(question: str, language: str) -> Wanted | None:
    return next((wanted for wanted, name in _PATTERNS.items() if _asks(name, question, language)), None)


def _asks(name: str, question: str, language: str) -> bool:
    """Whether a pattern of any language is in the question; those of its own also without accents: "cuantas paginas".
    Of another language they would mean something else: "resume" is no "résume"."""
    return bool(_any_of(name).search(question) or _typed(name, language).search(without_accents(question)))


def _properties(question: str, language: str) -> tuple[Property, ...]:
    """What it asks of the document itself; nothing where it speaks of anything else too: "who wrote the letter"."""
    left = question
    properties = tuple(name for name in _PROPERTIES if _asks(name, question, language))
    for name in properties:
        left = _blanked(_typed(name, language), _compiled(name).sub(" ", left))
    return () if _EDITION.search(left) or topic_of(left, "filler", "document", "making") else properties


@cache
def _any_of(name: str) -> re.Pattern[str]:
    """The patterns of all languages: a short question may be in another language than it was taken for."""
    return re.compile(any_of(f"questions.patterns.{name}"), re.IGNORECASE)


@cache
def _compiled(name: str) -> re.Pattern[str]:
    """As `_any_of`, for all that is found."""
    return re.compile(every_pattern(f"questions.patterns.{name}"), re.IGNORECASE)


@cache
def _typed(name: str, language: str) -> re.Pattern[str]:
    return re.compile(without_accents(pattern(f"questions.patterns.{name}", language)) or "(?!)", re.IGNORECASE)


@cache
def _fillers(names: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The words of such lists: whole words, and those of scripts without spaces."""
    unspaced = dense_codes()
    places = [f"questions.patterns.{name}" for name in names]
    spaced = [pattern(place, code) for place in places for code in every(place) if code not in unspaced]
    dense = [pattern(place, code) for place in places for code in unspaced if pattern(place, code)]
    return (
        re.compile(without_accents(rf"(?<!{_LETTER})(?:{'|'.join(spaced)})(?!{_LETTER})"), re.IGNORECASE),
        re.compile("|".join(dense) or "(?!)"),
    )


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    """The text with spaces in the place of what the pattern finds in it, whether its accents are written or not."""
    for match in pattern.finditer(without_accents(text)):
        text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return text


def topic_of(question: str, *fillers: str) -> tuple[str, ...]:
    """The words of a question that say what it is about: those in none of the lists `fillers`."""
    spaced, dense = _fillers(fillers or ("filler", "document"))
    left = _blanked(dense, _blanked(spaced, question))
    words = (re.sub(r"^\W+|[^\w\u0900-\u097f]+$", "", word).strip(_PARTICLES) for word in left.split())
    return tuple(
        dict.fromkeys(
            word for word in words if word and not is_function_word(fold(word)) and (len(word) > 1 or is_dense(word))
        )
    )
