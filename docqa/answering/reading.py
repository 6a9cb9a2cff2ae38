"""What the reader takes for the answer in the passages that were found; the verifier then reads the best of it."""

from collections.abc import Sequence
from dataclasses import replace

from docqa.answering.verifying import verify
from docqa.errors import Unavailable
from docqa.models.encoders import Encoders
from docqa.models.reader import Span
from docqa.questions.question import Part
from docqa.search.passages import Passage
from docqa.text.facts import Claims, Facts

READ = 6  # passages, best first
WINDOW = 800  # characters of a passage: what can be read while the user does not notice
# Subtracted if the passage does not state all numbers and dates of the question: the reader overlooks a wrong year.
UNSTATED = 8.0


async def read(encoders: Encoders, part: Part, passages: Sequence[Passage]) -> list[Passage]:
    """The passages, the best of them with the spans that the reader finds in them, and their best units verified.

    Unchanged where neither knows the language. Raises nothing.
    """
    reader, language = encoders.reader_for(part.language), part.language
    chosen = [passage for passage in passages[:READ] if reader and passage.document.language in ("", language)]
    if reader is None or not chosen:
        return list(passages)
    windows = [window(passage) for passage in chosen]
    texts = [passage.text[slice(*place)] for passage, place in zip(chosen, windows, strict=True)]
    try:
        readings = await reader.readings(part.searched, texts)
    except Unavailable:
        return list(passages)  # it died over this one; the sentences still answer
    seen = {
        passage.chunk.id: replace(
            passage,
            spans=_placed(_lowered(reading.spans, _doubt(passage, part)), start),
            yes_no=reading.yes_no,
        )
        for passage, (start, _), reading in zip(chosen, windows, readings, strict=True)
    }
    return await verify(encoders, part, [seen.get(passage.chunk.id, passage) for passage in passages])


def _doubt(passage: Passage, part: Part) -> float:
    """What a span in the passage loses because the numbers and dates of the question are not all stated there."""
    return 0.0 if _states(passage, part.numbers, part.language) else UNSTATED


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
