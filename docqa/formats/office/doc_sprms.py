"""Single property modifiers of a Word document ([MS-DOC] 2.6, for Word 6 and 95 of one byte): a list of settings."""

from collections.abc import Iterator

# Word 6 and 95: how many bytes the operand of a modifier has; those that are not listed have their length before it.
_OLD_SIZES = {
    **dict.fromkeys((*range(4, 12), 13, 14, 24, 25, 29, 37, 44, 50, 51, 65, 66, 67, 71, 75, 94, 98, 100, 102, 104), 1),
    **dict.fromkeys((*range(85, 93), 117, 118, 119), 1),
    **dict.fromkeys((2, *range(16, 20), 21, 22, *range(26, 29), *range(30, 37), *range(38, 44), *range(45, 50)), 2),
    **dict.fromkeys((69, 72, 80, 93, 96, 97, 99, 101, 107, 109, 110, 111, 112, *range(121, 125), 182, 183, 184), 2),
    **dict.fromkeys((185, 186), 1), 189: 2, 73: 3, 95: 3, 20: 4, 70: 4, 83: 0,
}  # fmt: skip
_OLD_VARIABLE = {3, 12, 15, 23, 64, 68, 74, 77, 79, 81, 82, 103, 105, 106, 108, 120, 187, 191}
_OLD_TABLES = {188, 190}  # their length has two bytes
# What we read of Word 6 and 95, by the name of Word 97.
_OLD_NAMES = {
    2: 0x4600, 9: 0x2407, 24: 0x2416, 25: 0x2417, 65: 0x0800, 74: 0x6A09, 80: 0x4A30, 85: 0x0835, 92: 0x083C,
    93: 0x4A4F, 117: 0x0855, 186: 0x3404, 190: 0xD608,
}  # fmt: skip
_SIZES = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}
_TABLE, _TABS = 0xD608, 0xC615

STYLE, PAGE_BEFORE, IN_TABLE, ROW_END, LEVEL, LIST = 0x4600, 0x2407, 0x2416, 0x2417, 0x260A, 0x460B
DEPTH, INNER_CELL, INNER_ROW_END, OUTLINE, HUGE, HUGE_OLD = 0x6649, 0x244B, 0x244C, 0x2640, 0x6646, 0x6645
DELETED, HIDDEN, SPECIAL, BOLD, SYMBOL, DATA, CHARACTER_STYLE, FONT = (
    0x0800, 0x083C, 0x0855, 0x0835, 0x6A09, 0x6A03, 0x4A30, 0x4A4F,
)  # fmt: skip
HEAD_ROW, TABLE, TITLE_PAGE, BREAK_KIND = 0x3404, 0xD608, 0x300A, 0x3009
# A setting of a piece (2.9.212): those that decide what is text.
PIECE = {0x41: DELETED, 0x55: BOLD, 0x5C: HIDDEN}


def modifiers(blob: bytes, *, is_old: bool) -> Iterator[tuple[int, bytes]]:
    """(name, operand) of each, up to one that is unknown or cut off."""
    return _old(blob) if is_old else _new(blob)


def _new(blob: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 2 < len(blob):
        name = int.from_bytes(blob[at : at + 2], "little")
        at += 2
        if name == _TABLE:
            size, at = int.from_bytes(blob[at : at + 2], "little") - 1, at + 2
        elif name >> 13 == 6:
            size, at = blob[at], at + 1
            if name == _TABS and size == 255:
                return
        else:
            size = _SIZES[name >> 13]
        if size < 0:
            return
        yield name, blob[at : at + size]
        at += size


def _old(blob: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(blob):
        code = blob[at]
        at += 1
        if code in _OLD_TABLES:
            size, at = int.from_bytes(blob[at : at + 2], "little") - 1, at + 2
        elif code in _OLD_VARIABLE and at < len(blob):
            size, at = blob[at], at + 1
        elif code in _OLD_SIZES:
            size = _OLD_SIZES[code]
        else:
            return
        if size < 0:
            return
        if code in _OLD_NAMES:
            yield _OLD_NAMES[code], blob[at : at + size]
        at += size
