"""The second look: the verifier reads the units that fit best, each among its neighbours, until it has found an
answer."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from docqa.answering.row_slips import in_own_row
from docqa.answering.scoring import NOT_SAID, VERIFIED, rank_bonus, unit_score
from docqa.answering.table_rows import cells_of, headings_of
from docqa.errors import Unavailable
from docqa.models.encoders import Encoders
from docqa.models.reader import LONGEST_EXCERPT, Reading, Span
from docqa.questions.question import Part
from docqa.search.passages import Passage, ScoredUnit
from docqa.text.units import Unit, begins

# The best excerpts are read first; where these answer with at least so many log odds, which holds of 60 % of answerable
# and 6 % of adversarial questions, the others are not read: of 316 questions they changed none's answer.
FIRST, ANSWERED = 2, 4.0
LONGEST_QUESTION = 600  # characters of a question
LONGEST_HEADING = 150  # characters


class Excerpt(NamedTuple):
    """`text[start:end]` of a passage, by the passage's index: whole units, and the heading or line that they stand
    under, without which many a list does not say what it is about."""

    passage: int
    start: int
    end: int
    heading: str

    def read_in(self, text: str) -> str:
        """What is read of the passage with this text."""
        return self.heading + text[self.start : self.end]

    def holds(self, scored: ScoredUnit) -> bool:
        """Whether a unit of the passage lies in it."""
        return self.start <= scored.start and scored.end <= self.end

    def in_passage(self, span: Span) -> Span:
        """The span of what was read, in the coordinates of the passage."""
        by = self.start - len(self.heading)
        return span._replace(start=span.start + by, end=span.end + by)


async def verify(encoders: Encoders, part: Part, passages: Sequence[Passage]) -> list[Passage]:
    """The passages, their best units with what the verifier thinks of them. Raises nothing."""
    verifier = encoders.verifier_for(part.language) if len(part.as_read) <= LONGEST_QUESTION else None
    excerpts = list(islice(_excerpts(passages, part.language), verifier.excerpts)) if verifier else []
    read: list[tuple[Excerpt, Reading]] = []
    for some in (excerpts[:FIRST], excerpts[FIRST:]):
        if verifier is None or not some or _is_answered(read):
            break
        texts = [excerpt.read_in(passages[excerpt.passage].text) for excerpt in some]
        try:
            readings = await verifier.readings(part.as_read, texts)
        except Unavailable:
            break  # it died over these; the reader's opinion still counts
        decided = map(_as_told, readings) if part.kind == "whether" else readings
        read += [
            (excerpt, _in_passage(part, passages[excerpt.passage], excerpt, reading))
            for excerpt, reading in zip(some, decided, strict=True)
        ]
    return [
        _verified(passage, [(excerpt, reading) for excerpt, reading in read if excerpt.passage == place])
        for place, passage in enumerate(passages)
    ]


def _as_told(reading: Reading) -> Reading:
    """What is read to a yes/no question: its best span answers at least as surely as the excerpt says yes or no."""
    if reading.yes_no is None or not reading.spans:
        return reading
    best, *others = reading.spans
    return reading._replace(spans=[best._replace(score=max(best.score, *reading.yes_no)), *others])


def _in_passage(part: Part, passage: Passage, excerpt: Excerpt, reading: Reading) -> Reading:
    """What was read, its spans in the coordinates of the passage, and in a table in the rows that they are of."""
    spans = map(excerpt.in_passage, reading.spans)
    return reading._replace(spans=[in_own_row(part, passage.text, passage.units, span) for span in spans])


def _is_answered(read: Sequence[tuple[Excerpt, Reading]]) -> bool:
    return any(reading.score >= ANSWERED for _, reading in read)


def _excerpts(passages: Sequence[Passage], language: str) -> Iterator[Excerpt]:
    """The surroundings of the units that fit best, each unit once, in passages of this language."""
    ranked = sorted(
        (
            (unit_score(passage, scored, VERIFIED) + rank_bonus(place), place, number)
            for place, passage in enumerate(passages)
            if passage.document.language in ("", language)
            for number, scored in enumerate(passage.units)
        ),
        key=lambda scored: (-scored[0], scored[1:]),
    )
    made: list[Excerpt] = []
    for _, place, number in ranked:
        units = passages[place].units
        if any(excerpt.passage == place and excerpt.holds(units[number]) for excerpt in made):
            continue
        start, end = _surroundings(units, number)
        first = next(scored.unit for scored in units if scored.start == start)
        begun = begins(passages[place].text, first)
        excerpt = Excerpt(place, begun, end, _heading(passages[place], first) if begun == start else "")
        made.append(excerpt)
        yield excerpt


def _heading(passage: Passage, unit: Unit) -> str:
    """What a unit stands under: a line, and of a row those of the column headings too."""
    heading = passage.heading_of(unit).strip() if unit.lead_end is None or unit.lead_end <= unit.start else ""
    lines = [heading] if heading else []
    if unit.kind == "row":
        units = [scored.unit for scored in passage.units]
        columns = headings_of(passage.text, passage.chunk.columns, unit, units)
        lines += ["\t".join(cells_of(line)) for line in columns]
    return "".join(f"{line}\n" for line in lines if len(line) <= LONGEST_HEADING)


def _surroundings(units: Sequence[ScoredUnit], number: int) -> tuple[int, int]:
    """Where a unit begins and ends with as many units after and before it, in turn, as LONGEST_EXCERPT allows."""
    first = last = number
    grows = True
    while grows:
        after, before = (first, last + 1), (first - 1, last)
        grows = False
        for begin, end in (after, before) if last - number <= number - first else (before, after):
            if begin >= 0 and end < len(units) and units[end].end - units[begin].start <= LONGEST_EXCERPT:
                first, last, grows = begin, end, True
                break
    return units[first].start, max(unit.end for unit in units[first : last + 1])


def _verified(passage: Passage, read: Sequence[tuple[Excerpt, Reading]]) -> Passage:
    """The passage with what the verifier thinks of its units."""
    return replace(passage, units=tuple(_seen(passage.text, each, read) for each in passage.units)) if read else passage


def _seen(text: str, scored: ScoredUnit, read: Sequence[tuple[Excerpt, Reading]]) -> ScoredUnit:
    """The unit with its best span in any of these excerpts, and what the surest one of them says to a yes/no
    question; as it is where none holds it."""
    holding = [(excerpt, reading) for excerpt, reading in read if excerpt.holds(scored)]
    if not holding:
        return scored
    start = begins(text, scored.unit)
    shown = (
        span.score for _, reading in holding for span in reading.spans if span.start < scored.end and span.end > start
    )
    _, surest = max(holding, key=lambda pair: pair[1].score)
    return replace(scored, verified=max(shown, default=NOT_SAID), yes_no=surest.yes_no)
