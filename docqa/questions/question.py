"""What is asked, as one record."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """What is asked, as the client sent it: `history` are the earlier (sender, message) pairs, `system` the custom system prompts.

    `documents` are the row ids of those that are asked.
    """

    text: str
    history: tuple[tuple[str, str], ...]
    system: tuple[str, ...]
    language: str
    length: str
    temperature: float
    documents: tuple[int, ...] = ()
