"""The phrases of a question, which a follow-up may stand in the place of."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docqa.languages import entry, words
from docqa.questions.wording import content, spaced_pattern
from docqa.text.words import fold


@dataclass(frozen=True)
class Phrase:
    """Words of a question between small words: from its article at `start`, its content at `content`, to `end`."""

    start: int
    content: int
    end: int
    preposition: str
    has_article: bool


def phrases_of(old: Sequence[str], language: str) -> Iterator[Phrase]:
    """The phrases of a question. One without an article after a verb form may hold the verb: "built the mill" is
    two."""
    articles = words("evaluation.articles", language)
    small = [not content(word, language) for word in old]
    folded = [fold(word) for word in old]
    at = 0
    while at < len(old):
        if small[at]:
            at += 1
            continue
        end = at
        while end < len(old) and not small[end]:
            end += 1
        has_article = at > 0 and folded[at - 1] in articles
        start = at - 1 if has_article else at
        before = folded[start - 1] if start else ""
        yield Phrase(
            start,
            at,
            _without_verb(old, at, end, language),
            before if _is_preposition(before, language) else "",
            has_article,
        )
        at = end


def _is_preposition(word: str, language: str) -> bool:
    """A small word that neither asks nor is a verb form."""
    others = (*words("questions.words.asking", language), *words("questions.words.auxiliary", language))
    return bool(word) and not content(word, language) and word not in map(fold, others)


def _without_verb(old: Sequence[str], at: int, end: int, language: str) -> int:
    """The end of a phrase that ends the question without the verb behind it: "does the notice period last"; in German
    nouns have capitals."""
    if entry("text.nouns_have_capitals", language):
        nouns = [index for index in range(at, end) if old[index][0].isupper()]
        return nouns[-1] + 1 if nouns else end
    if not entry("questions.verb_at_end", language):
        return end
    auxiliaries = words("questions.words.auxiliary", language)
    verb = end == len(old) and end - at > 1 and any(fold(word) in auxiliaries for word in old[:at])
    copula = spaced_pattern("naming", language).match(" ".join(old))
    return end - 1 if verb and not copula else end
