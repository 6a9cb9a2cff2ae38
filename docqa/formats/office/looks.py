"""What styles and direct formatting of Word documents say of a text: heading, list, page break, hidden or bold."""

import re
from dataclasses import dataclass

from docqa.formats.office.flow import Line
from docqa.formats.office.layers import Layer
from docqa.languages import every_pattern

NO_OUTLINE = 9
_HEADING = re.compile(rf"\s*(?:{every_pattern('blocks.heading_styles')})[\s_-]*([1-9])\b", re.IGNORECASE)
_TITLE = re.compile(r"\s*title\s*", re.IGNORECASE)
_CONTENTS = re.compile(r"\s*(?:toc|table of figures|index) ?[1-9]?\s*", re.IGNORECASE)
_CAPTION = re.compile(r"\s*caption\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Look(Layer):
    """What a style or direct formatting sets, None where it says nothing. `names` are those of the styles, own first.

    `number` and `number_level` are the list (w:numId) and its level, `marks_head` a table's first row looks different.
    """

    outline: int | None = None
    number: str | None = None
    number_level: int | None = None
    page_before: bool | None = None
    hidden: bool | None = None
    bold: bool | None = None
    font: str | None = None
    marks_head: bool | None = None

    @property
    def heading_level(self) -> int:
        """The level of a heading by its outline level, or else by the name of its style; 0 of what is none."""
        if self.outline is not None:
            return self.outline + 1 if self.outline < NO_OUTLINE else 0
        levels = (int(named[1]) for name in self.names if (named := _HEADING.match(name)))
        return next(levels, int(any(map(_TITLE.fullmatch, self.names))))

    @property
    def is_contents(self) -> bool:
        """Whether it is that of an entry of a table of contents."""
        return any(map(_CONTENTS.fullmatch, self.names))

    @property
    def is_caption(self) -> bool:
        """Whether it is that of a caption."""
        return any(map(_CAPTION.fullmatch, self.names))

    def known(self, line: Line, item: int) -> Line:
        """A line of this look with what that says of it; `item` is the level of its label, 0 if it has none."""
        is_bullet = item and not line.text.lstrip("\f")[:1].isalnum() and line.text.lstrip("\f")[1:2] == " "
        if (level := self.heading_level) and not is_bullet:
            return Line(line.text, "heading", level)
        if self.is_contents:
            return Line(line.text, "boilerplate")
        if self.is_caption:
            return Line(line.text, "caption")
        return Line(line.text, "item", item) if item else line
