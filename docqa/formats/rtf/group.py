"""The properties of an RTF group, which its braces save and restore. Only those that change what is text, and where it goes."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from docqa.formats.rtf.story import Story

NO_OUTLINE = 9


class Voice(Enum):
    """What becomes of the characters of a group."""

    SPEAKING = "they are text"
    WAITING = "they are not, but a group inside may be text"
    SILENT = "they are not, nor is anything inside"
    INSTRUCTION = "they are the instruction of a field"
    FONTS = "they name fonts"
    STYLES = "they name styles"


@dataclass(slots=True)
class Group:
    """What a closing brace restores; `closings` are done then."""

    voice: Voice
    story: Story
    font: int = 0
    fallback: int = 1
    hidden: int = 0
    deleted: int = 0
    style: int = 0
    outline: int = NO_OUTLINE
    table: int = 0
    page_before: int = 0
    closings: tuple[Callable[[], None], ...] = ()

    def inner(self) -> "Group":
        """A group opened in this one; copying with `copy` takes three times as long, and a file has millions."""
        return Group(
            self.voice,
            self.story,
            self.font,
            self.fallback,
            self.hidden,
            self.deleted,
            self.style,
            self.outline,
            self.table,
            self.page_before,
        )
