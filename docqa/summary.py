"""The most telling sentences of a text, without a model; and telling a question that asks for them."""

import re
from collections import Counter
from collections.abc import Sequence

from docqa.text import is_dense, sentences, terms

SHORTEST = 15  # characters
LONGEST = 500
MAX_SENTENCES = 2000  # looked at, spread evenly over the whole text
_ENDS = frozenset(".!?…؟।。！？｡")

_ASKS = re.compile(
    r"\bsummar(?:y|ies|i[sz]e|i[sz]ation)\b|\btl;?dr\b|\b(?:main|key) (?:points|ideas|takeaways)\b|\boverview\b"
    r"|\bwhat (?:is|are) (?:(?:this|these|it)(?: \w+)?|the (?:document|file|text|paper|book|report|article)s?) about\b"
    r"|\bzusammenfass|\bworum geht|\brésum|\bde quoi (?:parle|traite)|\bresum(?:e|a|en|o|ir)\b|\bde qué trata|\bdo que trata|\briassu"
    r"|总结|總結|摘要|概括|概述|要約|まとめ|概要|요약|لخص|ملخص|تلخيص|סכם|תקציר|кратко|резюме",
    re.IGNORECASE,
)


def key_sentences(texts: Sequence[str], count: int) -> list[tuple[int, str]]:
    """(index of the text, sentence) of the `count` sentences that say most, in reading order; each is verbatim.

    SumBasic: a sentence weighs the mean probability of its terms, and the terms of a chosen sentence lose theirs
    (Nenkova and Vanderwende, "The Impact of Frequency on Summarization", 2005). Texts without a usable sentence give their beginning.
    """
    candidates = [(index, text[start:end]) for index, text in enumerate(texts) for start, end in sentences(text)]
    usable = [one for one in candidates if _is_prose(one[1])] or [(index, sentence[:LONGEST]) for index, sentence in candidates]
    step = max(1, -(-len(usable) // MAX_SENTENCES))
    usable = usable[::step]
    words = [[term for term in terms(sentence) if len(term) > 3 or not term.isascii()] for _, sentence in usable]
    frequency = Counter(term for found in words for term in found)
    total = sum(frequency.values()) or 1
    probability = {term: n / total for term, n in frequency.items()}
    chosen: list[int] = []
    while len(chosen) < min(count, len(usable)):
        rest = [i for i in range(len(usable)) if i not in chosen]
        # The beginning of a text mostly says what it is about: half as much again, fading over the first tenth.
        best = max(rest, key=lambda i: _mean(words[i], probability) * (1 + max(0.0, 0.5 - 5 * i / len(usable))))
        chosen.append(best)
        for term in set(words[best]):
            probability[term] **= 2
    return [usable[i] for i in sorted(chosen)]


def _is_prose(sentence: str) -> bool:
    """Whether it is a whole sentence and no heading, table row or line of a table of contents."""
    if not SHORTEST <= len(sentence) <= LONGEST or sentence.rstrip("\"'”’»)]")[-1:] not in _ENDS:
        return False
    if is_dense(sentence):
        return True
    words = sentence.split()
    # Lines of a table and of a table of contents are all names and numbers.
    plain = sum(word[0].isalpha() and word == word.lower() for word in words)
    return len(words) >= 6 and plain >= len(words) / 2


def _mean(words: Sequence[str], probability: dict[str, float]) -> float:
    return sum(probability[word] for word in words) / max(len(words), 8)


def asks_for_summary(question: str) -> bool:
    """Whether the question is about the documents as a whole, in any of the documented languages."""
    return len(question) < 200 and _ASKS.search(question) is not None
