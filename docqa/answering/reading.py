"""What the reader takes for the answer in the passages that were found."""

import re
from collections.abc import Sequence
from dataclasses import replace

from docqa.errors import Unavailable
from docqa.models.encoders import Encoders
from docqa.models.reader import Span
from docqa.models.verifier import Verifier, to_verify
from docqa.search.passages import Passage
from docqa.text.facts import Counts, Facts, counts
from docqa.text.sentences import sentences

READ = 3  # passages, best first
WINDOW = (
    1000  # characters of a passage: about what it was trained on, and what can be read while the user does not notice
)
PROSE = 0.85  # of what is read: of tables, lists and headings the reader knows nothing, and finds no answer to most questions about reports and slides
LEAST_WORDS = 5  # of a sentence
LONGEST_VERIFIED = 600  # characters of a question
MOST_DIGITS = 0.15  # of its characters
UNSTATED = 8.0  # less for a span in a passage that does not state all numbers and dates of the question: the reader overlooks a wrong year
# What no few words of a text answer, and the reader has hardly learnt: whether something is so, and what to make of a text. Polite ones ask for more.
_WHETHER = r"is|are|was|were|am|do|does|did|has|have|had|can|could|may|might|must|shall|should|will|would"
_TO_MAKE = r"list|enumerate|describe|explain|summari[sz]e|compare|calculate|count|discuss|outline"
_NO_FACT = re.compile(rf"\W*(?:please\s+)?(?:(?:{_WHETHER})(?:n['’]?t)?\b(?!\s+you\b)|(?:{_TO_MAKE})\b)", re.IGNORECASE)
_END = re.compile(r"[.!?][\"'”’)\]]*\Z")


async def read(encoders: Encoders, question: str, language: str, passages: Sequence[Passage]) -> list[Passage]:
    """The passages, the best of them with the spans that the reader finds in them; all as they were where it cannot read, or where what was
    found is no prose or no fact was asked for. Raises nothing."""
    reader = encoders.reader_for(language) if asks_for_a_fact(question) else None
    chosen = [passage for passage in passages[:READ] if reader and passage.document.language in ("", language)]
    if reader is None or not chosen:
        return list(passages)
    windows = {passage.chunk.id: window(passage) for passage in chosen}
    texts = [passage.text[slice(*windows[passage.chunk.id])] for passage in chosen]
    if sum(map(prose, texts)) < PROSE * len(texts):
        return list(passages)
    try:
        found = await reader.read(question, texts)
    except Unavailable:
        return list(passages)  # it died over this one; the sentences still answer
    asked = counts(question)
    judged = [
        _lowered(one, 0.0 if _states(passage, asked, language) else UNSTATED)
        for passage, one in zip(chosen, found, strict=True)
    ]
    verifier = encoders.verifier_for(language) if len(question) <= LONGEST_VERIFIED else None
    judged, believed = await _verified(verifier, question, texts, judged)
    seen = {
        passage.chunk.id: replace(passage, spans=_placed(one, windows[passage.chunk.id][0]), verified=index == believed)
        for index, (passage, one) in enumerate(zip(chosen, judged, strict=True))
    }
    return [seen.get(passage.chunk.id, passage) for passage in passages]


async def _verified(
    verifier: Verifier | None, question: str, texts: Sequence[str], found: list[list[Span]]
) -> tuple[list[list[Span]], int | None]:
    """The spans with the verifier's opinion of the best one, and the number of its text where it is believed. Raises nothing."""
    if verifier is None or (chosen := to_verify(texts, found)) is None:
        return found, None
    best, excerpt = chosen
    try:
        sureness = await verifier.sureness(question, excerpt)
    except Unavailable:
        return found, None  # it died over this one; the reader's opinion still counts
    weighed, believed = verifier.adapter.weighed(found, best, sureness)
    return weighed, best if believed else None


def asks_for_a_fact(question: str) -> bool:
    """Whether an English question asks for what a few words can say: who, what, when, and not whether."""
    return not _NO_FACT.match(question)


def _lowered(spans: Sequence[Span], less: float) -> list[Span]:
    return [span._replace(score=span.score - less) for span in spans]


def _placed(spans: Sequence[Span], by: int) -> tuple[Span, ...]:
    return tuple(Span(span.start + by, span.end + by, span.score) for span in spans)


def _states(passage: Passage, asked: Counts, language: str) -> bool:
    """Whether the passage, its headings, its page or the name of its document state all these dates and numbers; reading it takes a millisecond."""
    held = [passage.document.name, passage.chunk.section, str(passage.chunk.page_number), passage.text]
    return not any(asked) or all(Facts.of(held, language).have(asked))


def prose(text: str) -> float:
    """The share of the text, 0 to 1, that is sentences of words."""
    return sum(end - start for start, end in sentences(text) if _is_sentence(text[start:end])) / max(1, len(text))


def _is_sentence(text: str) -> bool:
    return (
        bool(_END.search(text))
        and len(text.split()) >= LEAST_WORDS
        and "\t" not in text
        and sum(map(str.isdigit, text)) < MOST_DIGITS * len(text)
    )


def window(passage: Passage) -> tuple[int, int]:
    """(start, end) of the neighbouring sentences that fit the question best together and are no longer than WINDOW; at least one."""
    judged = passage.sentences
    if not judged or len(passage.text) <= WINDOW:
        return 0, len(passage.text)
    best, first, total = (-1.0, 0, 0), 0, 0.0
    for last, sentence in enumerate(judged):
        total += sentence.score
        while first < last and sentence.end - judged[first].start > WINDOW:
            total -= judged[first].score
            first += 1
        best = max(best, (total, first, last))
    return judged[best[1]].start, min(judged[best[2]].end, judged[best[1]].start + 2 * WINDOW)
