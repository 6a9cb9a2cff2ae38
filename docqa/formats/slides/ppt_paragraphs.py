"""The paragraphs of a binary slide's text: their indentation and whether they have bullets ([MS-PPT] 2.9.44)."""

import struct
from collections.abc import Iterator
from typing import NamedTuple

_BULLET_FLAGS, _TAB_STOPS = 0x0F, 1 << 20
# The other fields of a TextPFException (2.9.20) in their order: the bits of the mask that say that it is there, and
# its size.
_BEFORE_TABS = (
    (1 << 7, 2),
    (1 << 4, 2),
    (1 << 6, 2),
    (1 << 5, 4),
    (1 << 11, 2),
    (1 << 12, 2),
    (1 << 13, 2),
    (1 << 14, 2),
    (1 << 8, 2),
    (1 << 10, 2),
    (1 << 15, 2),
)
_AFTER_TABS = ((1 << 16, 2), (7 << 17, 2), (1 << 21, 2))


class Style(NamedTuple):
    """A paragraph's indentation from 0, and whether it has a bullet; None where its master decides."""

    indent: int
    bullet: bool | None


def paragraph_styles(data: bytes, text: str) -> list[Style]:
    """The style of each paragraph of a text, whose paragraphs end with a carriage return; `data` is the body of its
    StyleTextPropAtom. Paragraphs for which it is too short have the usual one."""
    styles = []
    runs = _runs(data)
    reached, style = 0, Style(0, None)
    position = 0
    for paragraph in text.split("\r"):
        while reached <= position:
            run = next(runs, None)
            if run is None:
                break
            count, style = run
            reached += count
        styles.append(style)
        position += len(paragraph) + 1
    return styles


def _runs(data: bytes) -> Iterator[tuple[int, Style]]:
    """(number of characters, style) of each run of paragraphs, as far as the data go."""
    offset = 0
    try:
        while True:
            count, indent, mask = struct.unpack_from("<IHI", data, offset)
            offset += 10
            bullet = None
            if mask & _BULLET_FLAGS:
                flags = struct.unpack_from("<H", data, offset)[0]
                bullet = bool(flags & 1) if mask & 1 else None
                offset += 2
            offset += sum(size for bits, size in _BEFORE_TABS if mask & bits)
            if mask & _TAB_STOPS:
                offset += 2 + 4 * struct.unpack_from("<H", data, offset)[0]
            offset += sum(size for bits, size in _AFTER_TABS if mask & bits)
            yield max(1, count), Style(min(indent, 4), bullet)
    except struct.error:
        return  # the end of the data, or a damaged run
