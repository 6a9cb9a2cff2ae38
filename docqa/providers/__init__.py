"""What writes answers. A provider turns a prompt into pieces of text; `answer.provider_of` chooses one."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol

from docqa.prompts import Question


@dataclass(frozen=True)
class Evidence:
    """A passage as a provider sees it: its text, and its sentences as (start, end, score for this question)."""

    text: str
    sentences: tuple[tuple[int, int, float], ...]


@dataclass(frozen=True)
class Piece:
    """A part of an answer. `passage` is the index of the evidence it was taken from word for word, None where a model wrote it."""

    text: str
    passage: int | None = None


class Provider(Protocol):
    def answer(self, question: Question, evidence: list[Evidence]) -> AsyncGenerator[Piece, None]:
        """The answer piece by piece. Raises Unavailable (Busy, ChildDied) when it cannot be had now."""
        ...
