"""Which text a question is about: passages, whole documents, or a named part of them.

The usual ways of asking are known, not all; what else stands in the question is its topic, and whether the documents
speak of that is not known here.
"""

import re
from collections.abc import Sequence
from functools import cache

from docqa.languages import every, every_pattern, every_word, pattern
from docqa.questions.kinds import expected
from docqa.questions.named import places_named
from docqa.questions.question import Scope, Wanted
from docqa.questions.wording import unspaced_codes
from docqa.text.detect import is_function_word
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
DENSE_WORD = 4  # characters that count as a word where words are not separated
_LETTER = r"[\w\u0900-\u097f]"  # to `re`, the vowel signs of Devanagari are no letters
_PARTICLES = "".join(sorted(every_word("questions.particles")))  # inside a word, they are a part of it


def scope_of(question: str, language: str) -> Scope:
    """What a question wants and of which text; "passages" for one like any other, or about more than a few words."""
    places = tuple(places_named(question, language))
    if len(question) > LONGEST:
        return Scope(places=places)
    wanted = _wanted(question)
    rest = question
    for place in places:
        rest = rest.replace(place.label, " ")
    topic = topic_of(rest)
    if wanted is None:
        # "What happens in chapter 7?" asks for all of it, "who signs in chapter 7?" for something in it.
        whole = bool(places) and not topic and expected(question, language) is None
        return Scope("summary" if whole else "passages", places=places)
    least, most = TOPIC_WORDS[wanted]
    words = sum(-(-len(word) // DENSE_WORD) if is_dense(word) else 1 for word in topic)
    return Scope(wanted, topic, places) if least <= words <= most else Scope(places=places)


def common_scope(scopes: Sequence[Scope]) -> Scope:
    """The scope of a question with these parts: what they all want of whole documents, of the places of all; passages
    where they want different things."""
    places = tuple(dict.fromkeys(place for scope in scopes for place in scope.places))
    if len({scope.wanted for scope in scopes}) > 1:
        return Scope(places=places)
    return Scope(scopes[0].wanted, tuple(dict.fromkeys(word for scope in scopes for word in scope.topic)), places)


def _wanted(question: str) -> Wanted | None:
    return next((wanted for wanted, name in _PATTERNS.items() if _compiled(name).search(question)), None)


@cache
def _compiled(name: str) -> re.Pattern[str]:
    """The patterns of all languages: a short question may be in another language than it was taken for."""
    return re.compile(every_pattern(f"questions.patterns.{name}"), re.IGNORECASE)


@cache
def _fillers() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The words of such questions besides their topic: whole words, and those of scripts without spaces."""
    unspaced = (*unspaced_codes(), "ko")
    spaced = (
        pattern("questions.patterns.filler", code)
        for code in every("questions.patterns.filler")
        if code not in unspaced
    )
    dense = (pattern("questions.patterns.filler", code) for code in unspaced)
    return (
        re.compile(rf"(?<!{_LETTER})(?:{'|'.join(spaced)})(?!{_LETTER})", re.IGNORECASE),
        re.compile("|".join(dense)),
    )


def topic_of(question: str) -> tuple[str, ...]:
    """The words of a question that say what it is about."""
    spaced, dense = _fillers()
    left = dense.sub(" ", spaced.sub(" ", question))
    words = (re.sub(r"^\W+|[^\w\u0900-\u097f]+$", "", word).strip(_PARTICLES) for word in left.split())
    return tuple(
        dict.fromkeys(
            word for word in words if word and not is_function_word(fold(word)) and (len(word) > 1 or is_dense(word))
        )
    )
