"""The properties of an RTF group, restored by its closing brace: those that decide what is text and where it goes."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from docqa.formats.rtf.story import Story

NO_OUTLINE = 9
_HEADING_STYLE = re.compile(r"\s*(?:heading ([1-9])|title)\b", re.IGNORECASE)


def heading_level(outline: int, style: str) -> int:
    """The level of a heading by its outline level, from 0, or the name of its style; 0 of what is none."""
    if outline < NO_OUTLINE:
        return max(0, outline) + 1
    named = _HEADING_STYLE.match(style)
    return int(named[1] or 1) if named else 0


class Voice(Enum):
    """What the characters of a group are."""

    SPEAKING = "text"
    WAITING = "not text, but a group inside may be"
    SILENT = "not text, nor is anything inside"
    INSTRUCTION = "the instruction of a field"
    FONTS = "names of fonts"
    STYLES = "names of styles"


@dataclass(slots=True)
class Group:
    """What a closing brace restores; `closings` are called then."""

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
    list_number: int = 0  # of the list that the paragraph belongs to; 0 for none
    list_level: int = 0
    bold: int = 0
    closings: tuple[Callable[[], None], ...] = ()

    @property
    def item(self) -> int:
        """The level of the list that the paragraph is an item of, from 1; 0 for none."""
        return self.list_level + 1 if self.list_number else 0

    def inner(self) -> "Group":
        """A group opened in this one. `copy` would take three times as long, and a file may have millions of groups."""
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
            self.list_number,
            self.list_level,
            self.bold,
        )
