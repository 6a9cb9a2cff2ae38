"""What the reader takes for the answer in the passages that were found."""

from collections.abc import Sequence
from dataclasses import replace

from docqa.embedding import Embedder
from docqa.errors import Unavailable
from docqa.reader import Span
from docqa.search import Passage
from docqa.services import Services

READ = 3  # passages, best first
WINDOW = 1000  # characters of a passage: about what it was trained on, and what can be read while the user does not notice


def usable_reader(services: Services, question_language: str) -> Embedder | None:
    """The reader when it is loaded and knows the language. A question does not wait for it to load; one that died is loaded again for the next one."""
    reader = services.reader
    if reader is None or reader.reader is None or question_language not in reader.reader.languages:
        return None
    if not reader.ready:
        services.work.set()
        return None
    return reader


async def read(services: Services, question: str, language: str, passages: Sequence[Passage]) -> list[Passage]:
    """The passages, the best of them with the spans that the reader finds in them; all as they were where it cannot read. Raises nothing."""
    reader = usable_reader(services, language)
    chosen = [passage for passage in passages[:READ] if reader and passage.document.language in ("", language)]
    if reader is None or not chosen:
        return list(passages)
    windows = {passage.chunk.id: window(passage) for passage in chosen}
    try:
        found = await reader.read(question, [passage.text[slice(*windows[passage.chunk.id])] for passage in chosen])
    except Unavailable:
        return list(passages)  # it died over this one; the sentences still answer
    spans = {passage.chunk.id: _moved(one, windows[passage.chunk.id][0]) for passage, one in zip(chosen, found, strict=True)}
    return [replace(passage, spans=spans.get(passage.chunk.id)) for passage in passages]


def _moved(spans: Sequence[Span], by: int) -> tuple[Span, ...]:
    return tuple(Span(span.start + by, span.end + by, span.score) for span in spans)


def window(passage: Passage) -> tuple[int, int]:
    """(start, end) of the neighbouring sentences that fit the question best together and are no longer than WINDOW; at least one."""
    sentences = passage.sentences
    if not sentences or len(passage.text) <= WINDOW:
        return 0, len(passage.text)
    best, first, total = (-1.0, 0, 0), 0, 0.0
    for last, sentence in enumerate(sentences):
        total += sentence.score
        while first < last and sentence.end - sentences[first].start > WINDOW:
            total -= sentences[first].score
            first += 1
        best = max(best, (total, first, last))
    return sentences[best[1]].start, min(sentences[best[2]].end, sentences[best[1]].start + 2 * WINDOW)
