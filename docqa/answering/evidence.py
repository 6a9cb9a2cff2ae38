"""What writes answers. A provider turns a prompt into pieces of text; `answer.provider_of` chooses one."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from docqa.models.reader import YesNo
from docqa.questions.question import Question
from docqa.text.units import Unit


class Candidate(NamedTuple):
    """An answer span of a passage, from `start` to `end`, with its score for one part of the question."""

    start: int
    end: int
    score: float
    part: int = 0


class CandidateUnit(NamedTuple):
    """A unit of a passage with its score for one part of the question, and what the verifier has read there if that is
    a yes/no question."""

    unit: Unit
    score: float
    part: int = 0
    yes_no: YesNo | None = None


@dataclass(frozen=True)
class Evidence:
    """A passage as a provider sees it.

    `units` are listed once for each part of the question that the passage was found for. `spans` are the reader's
    answers; a score above 0 means more probable than no answer. `columns` are the column headings of a table that was
    cut before this passage; `document` is its document's name, `language` its document's, `page_number` its page;
    `about` are that name and the heading of its section; `unread`: the reader has not read it.
    """

    text: str
    units: tuple[CandidateUnit, ...] = ()
    spans: tuple[Candidate, ...] = ()
    columns: str = ""
    language: str = ""
    document: str = ""
    page_number: int = 0
    about: str = ""
    unread: bool = False


@dataclass(frozen=True)
class Piece:
    """A part of an answer. `passage` is the index of the evidence that it quotes, None if it quotes none:
    then `rests_on` are the indexes of the evidence that supports it; what a model wrote has them once it is checked.

    `earlier`, of the first piece, are passages of earlier questions that were in the prompt: the answer may rest on
    them.
    """

    text: str
    passage: int | None = None
    earlier: tuple[str, ...] = ()
    rests_on: tuple[int, ...] = ()


class Provider(Protocol):
    """What writes an answer from evidence."""

    def answer(self, question: Question, evidence: list[Evidence]) -> AsyncGenerator[Piece, None]:
        """The answer piece by piece. Raises Unavailable (Busy, ChildDied) when it cannot be had now."""
        ...
