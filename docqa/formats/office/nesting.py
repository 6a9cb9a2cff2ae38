"""How deep the elements of a document may stand in each other."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

DEEPEST = 100  # tables, text boxes and elements around text in each other


class Bounded(Protocol):
    """A document that knows whether something in it stands too deep."""

    is_too_deep: bool


@contextmanager
def deeper(story: "Nested") -> Iterator[bool]:
    """Go one deeper in a story: whether what stands there is read."""
    story.depth += 1
    is_allowed = story.depth <= DEEPEST
    story.document.is_too_deep = story.document.is_too_deep or not is_allowed
    try:
        yield is_allowed
    finally:
        story.depth -= 1


class Nested(Protocol):
    """A story, and how deep it stands in others."""

    depth: int

    @property
    def document(self) -> Bounded:
        """What it belongs to."""
