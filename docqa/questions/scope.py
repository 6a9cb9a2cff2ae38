"""Which text a question is about: passages, whole documents, a named part of them, or what documents are by themselves.

The usual ways of asking are known, not all; what else stands in the question is its topic, and whether the documents
speak of that is not known here.
"""

import re
from functools import cache
from typing import get_args

from docqa.languages import every, every_pattern, every_word, pattern
from docqa.questions.kinds import expected, wants_span
from docqa.questions.named import places_named
from docqa.questions.question import Property, Scope, Size, Wanted
from docqa.questions.wording import unspaced_codes
from docqa.text.detect import is_function_word
from docqa.text.values import in_words
from docqa.text.words import fold, is_dense

LONGEST = 200  # characters; what is longer brings a task of its own

# How many words of its own a question of this kind has: one with more asks for a fact, "how many pages did she write in
# 1911".
TOPIC_WORDS: dict[Wanted, tuple[int, int]] = {
    "page_count": (0, 0),
    "contents": (0, 0),
    "summary": (0, 3),
    "mentions": (1, 3),
}
_PATTERNS: dict[Wanted, str] = {
    "page_count": "page_count",
    "contents": "contents",
    "summary": "gist",
    "mentions": "mentions",
}
_PROPERTIES: tuple[Property, ...] = get_args(Property)
DENSE_WORD = 4  # characters that count as a word where words are not separated
_LETTER = r"[\w\u0900-\u097f]"  # to `re`, the vowel signs of Devanagari are no letters
_PARTICLES = "".join(sorted(every_word("questions.particles")))  # inside a word, they are a part of it
_COUNTED = re.compile(rf"(?P<number>\d{{1,2}}|[^\W\d_]+) ?(?:{every_pattern('questions.patterns.sentence')})")


def scope_of(question: str, language: str) -> Scope:
    """What a question wants and of which text; "passages" for one like any other, or about more than a few words."""
    places = places_named(question)
    place = places[0] if places else None
    if len(question) > LONGEST:
        return Scope(place=place)
    wanted = _wanted(question)
    if place is None and wanted in (None, "summary") and (properties := _properties(question)):
        return Scope("properties", properties=properties)
    kinds = ("filler", "document", "kinds") if wanted == "summary" else ("filler", "document")
    topic = topic_of(question if place is None else question.replace(place.label, " "), *kinds)
    if wanted is None:
        # "What happens in chapter 7?" asks for all of it, "who signs in chapter 7?" for something in it.
        whole = place is not None and not topic and expected(question, language) is None
        return Scope("summary" if whole else "passages", place=place)
    if wanted == "summary" and topic and expected(question, language) is not None:
        return Scope(place=place)  # "how many studies does the survey sum up"
    least, most = TOPIC_WORDS[wanted]
    if wanted == "summary" and not wants_span(question, language):
        most *= 2  # "Summarise why the home was closed by the council" is no other question
    words = sum(-(-len(word) // DENSE_WORD) if is_dense(word) else 1 for word in topic)
    return Scope(wanted, topic, place) if least <= words <= most else Scope(place=place)


def names_document(question: str) -> bool:
    """Whether it calls the document by what it is: "this report"."""
    return any(pattern.search(question) for pattern in _fillers(("document",)))


def size_of(question: str, language: str) -> Size:
    """How long an answer its words ask for: "in two sentences", "briefly", "in detail"."""
    if len(question) > LONGEST:
        return Size()
    counted = _COUNTED.search(question)
    number = counted["number"] if counted else ""
    sentences = int(number) if number.isdecimal() else in_words(fold(number), language) or 0 if number else 0
    brief, detailed = (any(p.search(question) for p in _fillers((name,))) for name in ("brief", "detailed"))
    return Size(sentences, brief=brief, detailed=detailed and not brief)


def _wanted(question: str) -> Wanted | None:
    return next((wanted for wanted, name in _PATTERNS.items() if _compiled(name).search(question)), None)


def _properties(question: str) -> tuple[Property, ...]:
    """What it asks of the document itself; nothing where it speaks of anything else too: "who wrote the letter"."""
    properties = tuple(name for name in _PROPERTIES if _compiled(name).search(question))
    left = question
    for name in properties:
        left = _compiled(name).sub(" ", left)
    return properties if properties and not topic_of(left, "filler", "document", "making") else ()


@cache
def _compiled(name: str) -> re.Pattern[str]:
    """The patterns of all languages: a short question may be in another language than it was taken for."""
    return re.compile(every_pattern(f"questions.patterns.{name}"), re.IGNORECASE)


@cache
def _fillers(names: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The words of such lists: whole words, and those of scripts without spaces."""
    unspaced = (*unspaced_codes(), "ko")
    places = [f"questions.patterns.{name}" for name in names]
    spaced = [pattern(place, code) for place in places for code in every(place) if code not in unspaced]
    dense = [pattern(place, code) for place in places for code in unspaced if pattern(place, code)]
    return (
        re.compile(rf"(?<!{_LETTER})(?:{'|'.join(spaced)})(?!{_LETTER})", re.IGNORECASE),
        re.compile("|".join(dense) or "(?!)"),
    )


def topic_of(question: str, *fillers: str) -> tuple[str, ...]:
    """The words of a question that say what it is about: those in none of the lists `fillers`."""
    spaced, dense = _fillers(fillers or ("filler", "document"))
    left = dense.sub(" ", spaced.sub(" ", question))
    words = (re.sub(r"^\W+|[^\w\u0900-\u097f]+$", "", word).strip(_PARTICLES) for word in left.split())
    return tuple(
        dict.fromkeys(
            word for word in words if word and not is_function_word(fold(word)) and (len(word) > 1 or is_dense(word))
        )
    )
