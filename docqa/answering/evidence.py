"""What writes answers. A provider turns a prompt into pieces of text; `answer.provider_of` chooses one."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from docqa.questions.question import Question


class Candidate(NamedTuple):
    """A sentence of a passage, or what the reader takes for the answer in it, from `start` to `end`, and how well it fits a part of the question; 0 is the
    first part."""

    start: int
    end: int
    score: float
    part: int = 0


@dataclass(frozen=True)
class Evidence:
    """A passage as a provider sees it: its text, and its sentences, once for each part of the question that it was found for; `spans` are what the reader
    takes for the answer, more probable than none where their score is above 0."""

    text: str
    sentences: tuple[Candidate, ...]
    spans: tuple[Candidate, ...] = ()


@dataclass(frozen=True)
class Piece:
    """A part of an answer. `passage` is the index of the evidence it was taken from word for word, None where a model wrote it.

    `earlier`, of the first piece, are passages of earlier questions that the model was shown too: the answer may rest on them.
    """

    text: str
    passage: int | None = None
    earlier: tuple[str, ...] = ()


class Provider(Protocol):
    def answer(self, question: Question, evidence: list[Evidence]) -> AsyncGenerator[Piece, None]:
        """The answer piece by piece. Raises Unavailable (Busy, ChildDied) when it cannot be had now."""
        ...
