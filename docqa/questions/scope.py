"""Telling a question about documents as a whole, and what it asks for, in the documented languages.

It knows the usual ways of asking, not all; what else stands in the question is its topic, and whether the documents speak of that
is not known here.
"""

import re
from dataclasses import dataclass
from typing import Literal

from docqa.questions.asking import CONTENTS, DENSE_FILLERS, FILLERS, GIST, PAGES, PLACES
from docqa.text.detect import is_function_word
from docqa.text.words import fold, is_dense

LONGEST = 200  # characters; what is longer brings a task of its own

Kind = Literal["gist", "contents", "pages", "places"]

# How many words of its own a question of this kind has: more are a fact that is asked for, "how many pages did she write in the first year".
TOPIC_WORDS: dict[Kind, tuple[int, int]] = {"pages": (0, 0), "contents": (0, 0), "gist": (0, 3), "places": (1, 3)}
DENSE_WORD = 4  # characters, where words are not parted

_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("pages", re.compile("|".join(PAGES), re.IGNORECASE)),
    ("contents", re.compile("|".join(CONTENTS), re.IGNORECASE)),
    ("gist", re.compile("|".join(GIST), re.IGNORECASE)),
    ("places", re.compile("|".join(PLACES), re.IGNORECASE)),
)

_LETTER = r"[\w\u0900-\u097f]"  # to `re`, the vowel signs of Devanagari are none
_FILLER = re.compile(rf"(?<!{_LETTER})(?:{'|'.join(FILLERS)})(?!{_LETTER})", re.IGNORECASE)
_DENSE_FILLER = re.compile("|".join(DENSE_FILLERS))
_EDGES = "的了在有是被吗嗎呢和共个個"  # particles of Chinese, which inside a word are a part of it


@dataclass(frozen=True)
class Scope:
    """What a question about whole documents asks for, and the words of its topic, none for everything.

    `gist` is a summary, `contents` the headings, `pages` how many pages there are, `places` everywhere the topic is spoken of.
    """

    kind: Kind
    topic: tuple[str, ...]


def scope_of(question: str) -> Scope | None:
    """What is asked of the documents as a whole; None for a question like any other, or about more than a few words."""
    if len(question) > LONGEST:
        return None
    kind = next((kind for kind, pattern in _KINDS if pattern.search(question)), None)
    if kind is None:
        return None
    topic = topic_of(question)
    least, most = TOPIC_WORDS[kind]
    words = sum(-(-len(word) // DENSE_WORD) if is_dense(word) else 1 for word in topic)
    return Scope(kind, topic) if least <= words <= most else None


def topic_of(question: str) -> tuple[str, ...]:
    """The words of a question that say what it is about."""
    left = _DENSE_FILLER.sub(" ", _FILLER.sub(" ", question))
    words = (re.sub(r"^\W+|[^\w\u0900-\u097f]+$", "", word).strip(_EDGES) for word in left.split())
    return tuple(
        dict.fromkeys(
            word for word in words if word and not is_function_word(fold(word)) and (len(word) > 1 or is_dense(word))
        )
    )
