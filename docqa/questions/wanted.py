"""What a question wants to be answered from, and how long an answer it asks for."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from docqa.text.words import fold, is_dense, terms

# "sender", "recipient" and "sent" are properties of a message alone.
Property = Literal["author", "written", "title", "tongue", "format", "audience", "sender", "recipient", "sent"]
Wanted = Literal["passages", "summary", "outcome", "contents", "placement", "page_count", "mentions", "properties"]


@dataclass(frozen=True)
class Place:
    """Pages, chapters or sections that a question names by number, `first` to `last`; 3.2 is (3, 2), the last one
    (-1,), the one before it (-2,). A "label" is any other `word`, a stem, with a number: documents may be divided by
    "step 3", "day 6". `label` is how the question writes it."""

    kind: Literal["page", "chapter", "section", "label"]
    first: tuple[int, ...]
    last: tuple[int, ...]
    label: str
    word: str = ""


@dataclass(frozen=True)
class TopicWord:
    """A word of a topic as it is compared with texts: folded, its first search term, or its pairs of characters in a
    script without spaces."""

    folded: str
    terms: tuple[str, ...]
    is_dense: bool


@dataclass(frozen=True)
class Scope:
    """Which text a question is about. `wanted` is "passages" for a question that a few of them answer; else what is
    wanted of whole documents, or of the `places` in them, and the words of its `topic`, none for everything; the
    `properties` of documents that it asks for. An "outcome" is all that was decided. `labels` are all that it asks
    for, where the documents have such.

    Whether a table answers is not known here: its columns decide, and what they are called; of a question that counts
    rows, the kind says so."""

    wanted: Wanted = "passages"
    topic: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    properties: tuple[Property, ...] = ()
    labels: tuple[Place, ...] = ()

    @cached_property
    def topic_words(self) -> tuple[TopicWord, ...]:
        """The words of the topic as they are compared."""
        return tuple(TopicWord(fold(word), tuple(terms(word)), is_dense(word)) for word in self.topic)


@dataclass(frozen=True)
class Size:
    """How long an answer the words of the question ask for, beside the option `length`: `sentences` by their number, 0
    for none named; `brief` or `detailed`."""

    sentences: int = 0
    brief: bool = False
    detailed: bool = False
