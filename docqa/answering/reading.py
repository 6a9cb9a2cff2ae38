"""What the reader takes for the answer in the passages that were found."""

from collections.abc import Sequence
from dataclasses import replace

from docqa.errors import Unavailable
from docqa.models.encoders import Encoders
from docqa.models.reader import Span
from docqa.models.verifier import Verifier, to_verify
from docqa.questions.question import Part
from docqa.search.passages import Passage
from docqa.text.facts import Claims, Facts

READ = 6  # passages, best first
WINDOW = 800  # characters of a passage: what can be read while the user does not notice
LONGEST_VERIFIED = 600  # characters of a question
# Subtracted if the passage does not state all numbers and dates of the question: the reader overlooks a wrong year.
UNSTATED = 8.0


async def read(encoders: Encoders, part: Part, passages: Sequence[Passage]) -> list[Passage]:
    """The passages, the best of them with the spans that the reader finds in them.

    Unchanged if it cannot read them because it does not know their language. Raises nothing.
    """
    question, language = part.searched, part.language
    reader = encoders.reader_for(language)
    chosen = [passage for passage in passages[:READ] if reader and passage.document.language in ("", language)]
    if reader is None or not chosen:
        return list(passages)
    windows = {passage.chunk.id: window(passage) for passage in chosen}
    texts = [passage.text[slice(*windows[passage.chunk.id])] for passage in chosen]
    try:
        readings = await reader.readings(question, texts)
    except Unavailable:
        return list(passages)  # it died over this one; the sentences still answer
    judged = [
        _lowered(reading.spans, 0.0 if _states(passage, part.numbers, language) else UNSTATED)
        for passage, reading in zip(chosen, readings, strict=True)
    ]
    verifier = encoders.verifier_for(language) if len(question) <= LONGEST_VERIFIED else None
    judged, believed = await _verified(verifier, question, texts, judged)
    seen = {
        passage.chunk.id: replace(
            passage,
            spans=_placed(spans, windows[passage.chunk.id][0]),
            yes_no=readings[index].yes_no,
            verified=index == believed,
        )
        for index, (passage, spans) in enumerate(zip(chosen, judged, strict=True))
    }
    return [seen.get(passage.chunk.id, passage) for passage in passages]


async def _verified(
    verifier: Verifier | None, question: str, texts: Sequence[str], spans: list[list[Span]]
) -> tuple[list[list[Span]], int | None]:
    """The spans, the best one adjusted by the verifier, and the index of its text if it is accepted. Raises nothing."""
    if verifier is None or (chosen := to_verify(texts, spans)) is None:
        return spans, None
    best, excerpt = chosen
    try:
        log_odds = await verifier.log_odds(question, excerpt)
    except Unavailable:
        return spans, None  # it died over this one; the reader's opinion still counts
    weighed, believed = verifier.adapter.combine(spans, best, log_odds)
    return weighed, best if believed else None


def _lowered(spans: Sequence[Span], less: float) -> list[Span]:
    return [span._replace(score=span.score - less) for span in spans]


def _placed(spans: Sequence[Span], by: int) -> tuple[Span, ...]:
    return tuple(Span(span.start + by, span.end + by, span.score) for span in spans)


def _states(passage: Passage, numbers: Claims, language: str) -> bool:
    """Whether the passage, its headings, its page or its document's name state all these dates and numbers; takes about
    1 ms."""
    held = [passage.document.name, passage.chunk.section, str(passage.chunk.page_number), passage.text]
    return not any(numbers) or all(Facts.of(held, language).have(numbers))


def window(passage: Passage) -> tuple[int, int]:
    """(start, end) of the run of sentences, up to WINDOW characters, that fits the question best; at least one
    sentence."""
    judged = passage.units
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
