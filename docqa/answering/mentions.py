"""Every sentence and table row that speaks of something: words are compared, and counted is what is listed.

It knows plurals and other endings, not synonyms: what the documents call by another name is not found.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from docqa.questions.wanted import TopicWord
from docqa.store.chunks import StoredChunk
from docqa.store.sql import quoted
from docqa.text.sentences import sentences
from docqa.text.words import PREFIX, fold, terms


@dataclass(frozen=True)
class Place:
    """A sentence or row, `chunk.text[start:end]`."""

    chunk: StoredChunk
    start: int
    end: int


def match_of(topic: Sequence[TopicWord], *, every: bool = True) -> str:
    """An FTS5 query for the chunks that may speak of all the topic's words, or of any."""
    return (" AND " if every else " OR ").join(map(_match_of_word, topic))


def _match_of_word(word: TopicWord) -> str:
    return f"({' AND '.join(map(quoted, word.terms))})" if word.is_dense else f"{quoted(_stem(word.terms[0]))}*"


def places(topic: Sequence[TopicWord], chunks: Sequence[StoredChunk]) -> list[Place]:
    """The sentences and rows of these chunks that hold every word of the topic, each text once, in the chunks' order.

    For a row or an item of a list, the words of its section's title and of its columns' names count as its own.
    """
    by_text: dict[str, Place] = {}
    for chunk in chunks:
        above = f"{chunk.section}\n{chunk.columns}"
        for start, end in sentences(chunk.text):
            text = chunk.text[start:end]
            if speaks_of(topic, f"{above}\n{text}" if _is_item(text) else text):
                by_text.setdefault(" ".join(fold(text).split()), Place(chunk, start, end))
    return list(by_text.values())


def speaks_of(topic: Sequence[TopicWord], text: str) -> bool:
    """Whether the text holds every word of the topic, in whatever form."""
    folded = fold(text)
    words = {term for term in terms(text) if not term.endswith("~")}
    return all(
        word.folded in folded if word.is_dense else any(_same(word.terms[0], other) for other in words)
        for word in topic
    )


def _same(word: str, other: str) -> bool:
    """Whether two words are forms of the same word: up to two letters longer, or with other endings of up to three;
    fewer in short words.

    Of 31 pairs in ten languages it judges 24 right (not "parties", "children"), Snowball's stems 27, simplemma's lemmas
    30; but both must be told the language of each text, which here need not be that of the question.
    """
    common = len(os.path.commonprefix((word, other)))
    shortest, longest = sorted((len(word), len(other)))
    changed = shortest - common
    return common >= 2 and changed <= (shortest > 4) and longest - common <= min(2 + changed, max(1, longest // 3))


def _stem(word: str) -> str:
    """The beginning that all forms of a word share."""
    return word[:PREFIX] if len(word) > PREFIX else word[: max(2, len(word) - 1)]


def _is_item(text: str) -> bool:
    """Whether it is a row of a table or an item of a list."""
    return "\t" in text or " | " in text or "; " in text and ": " in text or not text[0].isalpha()
