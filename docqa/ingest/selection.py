"""The few of a document's key sentences that sum it up: the heaviest, from all of it, each said once."""

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from docqa.ingest.sentence_worth import leans, names_itself
from docqa.text.detect import is_function_word
from docqa.text.words import is_dense, terms

FIRST_SECTIONS = 0.1  # of a document: they say what it is about
WORTH, HEAVIEST = 0.08, 4  # of the weight of the fourth heaviest note; what is below sums nothing up
ALIKE = 0.6  # two sentences that share more of their words say the same
AGAIN = 0.75  # of its weight, for each sentence already chosen from the same stretch
BESIDE = 3  # characters between two sentences of a paragraph at most


class Weighed(Protocol):
    """What a note is chosen by among many."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def part(self) -> int: ...
    @property
    def weight(self) -> float: ...


def choose(weighed: Sequence[Weighed], texts: Sequence[str], count: int, words: int = 10_000) -> list[int]:
    """The indexes of the `count` notes that sum a document up, in its order, of so many words together: the heaviest,
    each the less the more of its stretch of the document is chosen already.

    `texts` are the notes' sentences. One that leans on the sentence before it is taken only together with that.
    """
    if not weighed:
        return []
    parts = weighed[-1].part + 1
    # The first stretch is short: it says what the document is about.
    first = max(1.0, FIRST_SECTIONS * parts)
    stretch = [
        0 if note.part < first else 1 + int((note.part - first) / (parts - first) * max(1, count - 1))
        for note in weighed
    ]
    # The very heaviest are in a class of their own, such as the first of a summary.
    least = WORTH * sorted(note.weight for note in weighed)[-HEAVIEST:][0]
    contents = [content(frozenset(terms(text))) for text in texts]
    chosen: list[int] = []
    taken: Counter[int] = Counter()
    left = words
    while len(chosen) < count:
        possible = [
            index
            for index, note in enumerate(weighed)
            if index not in chosen
            and note.weight >= least
            and (not chosen or _length(texts[index]) <= left)
            and (_is_understood(index, weighed, texts, chosen) or note.part < first and names_itself(texts[index]))
            and not any(alike(contents[index], contents[other]) for other in chosen)
        ]
        if not possible:
            break
        best = max(possible, key=lambda index: weighed[index].weight * AGAIN ** taken[stretch[index]])
        chosen.append(best)
        taken[stretch[best]] += 1
        left -= _length(texts[best])
    # Where every sentence leans on another, the heaviest has to do.
    return sorted(chosen) or [max(range(len(weighed)), key=lambda index: weighed[index].weight)][:count]


def _length(text: str) -> int:
    """In words; in scripts without spaces, two characters count as one."""
    return len(text) // 2 if is_dense(text) else len(text.split())


def _is_understood(index: int, weighed: Sequence[Weighed], texts: Sequence[str], chosen: Sequence[int]) -> bool:
    """Whether a sentence stands alone, or directly behind one that is chosen."""
    if not leans(texts[index]):
        return True
    gap = weighed[index].start - weighed[index - 1].end if index else -1
    return index - 1 in chosen and 0 <= gap <= BESIDE


def content(words: frozenset[str]) -> frozenset[str]:
    """The search terms that say something, without function words and parts of compounds."""
    return frozenset(word for word in words if not word.endswith("~") and not is_function_word(word))


def alike(words: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two sentences, given by `content`, share most of their words and so say the same."""
    return len(words & others) > ALIKE * min(len(words), len(others))
