"""The lists of a Word document ([MS-DOC] 2.9.131 to 2.9.150): which label a paragraph has."""

import struct
from dataclasses import dataclass, field, replace

from docqa.formats.office.doc_file import Binary
from docqa.formats.office.lists import BULLET, LEVELS, Counters, Level

LONGEST_LABEL = 100
# Kinds of numbers ([MS-OSHARED] 2.2.1.3) by their names in .docx.
_FORMATS = {
    0: "decimal", 1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 5: "ordinal", 8: "hex",
    9: "chicago", 10: "ideographDigital", 11: "japaneseCounting", 12: "aiueo", 13: "iroha", 14: "decimalFullWidth",
    18: "decimalEnclosedCircle", 19: "decimalFullWidth", 20: "aiueoFullWidth", 21: "irohaFullWidth", 22: "decimalZero",
    23: "bullet", 24: "ganada", 25: "chosung", 28: "decimalEnclosedCircleChinese", 30: "ideographTraditional",
    31: "ideographZodiac", 33: "taiwaneseCounting", 35: "taiwaneseCountingThousand", 37: "chineseCounting",
    39: "chineseCountingThousand", 42: "koreanCounting", 45: "hebrew1", 46: "arabicAlpha", 47: "hebrew2",
    48: "arabicAbjad", 57: "numberInDash", 58: "russianLower", 59: "russianUpper", 255: "none",
}  # fmt: skip


@dataclass
class _List:
    """A list as the document uses it: its definition, and where it differs."""

    definition: int
    levels: dict[int, Level] = field(default_factory=dict)
    restarted: list[int] = field(default_factory=list)


class Lists:
    """The lists of a document, while its paragraphs are counted."""

    def __init__(self, file: Binary) -> None:
        self._counters = Counters()
        self._definitions = _definitions(file)
        self._lists = list(_lists(file.structure("list overrides")))

    def label(self, number: int, place: int) -> str:
        """The label of the next item of a list, by the number that the paragraph has; "" where it shows none."""
        if not 0 < number <= len(self._lists):
            return ""
        used = self._lists[number - 1]
        levels = self._definitions.get(used.definition, {}) | used.levels
        if not levels:
            return ""
        place = min(place, LEVELS - 1)
        return self._counters.next_label(used.definition, number, levels, used.restarted, place)


def _definitions(file: Binary) -> dict[int, dict[int, Level]]:
    """The levels of each list by its identifier. They follow the list of lists, which does not count them."""
    blob = file.structure("lists")
    count = int.from_bytes(blob[:2], "little")
    heads = [blob[2 + 28 * place : 30 + 28 * place] for place in range(min(count, len(blob) // 28))]
    if not heads:
        return {}
    at = file.table.find(blob) + 2 + 28 * count
    definitions: dict[int, dict[int, Level]] = {}
    for head in heads:
        levels: dict[int, Level] = {}
        for place in range(1 if head[26:27] and head[26] & 1 else LEVELS):
            level, at = _level(file.table, at)
            if level is None:
                return definitions
            levels[place] = level
        definitions[int.from_bytes(head[:4], "little")] = levels
    return definitions


def _level(blob: bytes, at: int) -> tuple[Level | None, int]:
    """(the level at this place, where it ends), None where the structure is cut off (2.9.150)."""
    if at + 30 > len(blob):
        return None, at
    start, kind, flags = struct.unpack_from("<iBB", blob, at)
    restarts_after = blob[at + 26]
    text_at = at + 28 + blob[at + 24] + blob[at + 25]
    size = int.from_bytes(blob[text_at : text_at + 2], "little")
    text = blob[text_at + 2 : text_at + 2 + 2 * size].decode("utf-16-le", "replace")[:LONGEST_LABEL]
    style = _FORMATS.get(kind, "decimal")
    if style == "bullet":
        text = text if len(text) == 1 and text.isprintable() and not text.isalnum() and text < "\ue000" else BULLET
    else:
        text = "".join(f"%{ord(sign) + 1}" if sign < "\x09" else sign for sign in text)
    level = Level(style, text, max(0, start), restarts_after if flags & 8 else LEVELS, bool(flags & 4))
    return level, text_at + 2 + 2 * size


def _lists(blob: bytes) -> list[_List]:
    """The lists that paragraphs refer to by their place, with the levels that they change (2.9.133)."""
    count = min(int.from_bytes(blob[:4], "little"), len(blob) // 16)
    at = 4 + 16 * count
    lists = []
    for place in range(count):
        head = blob[4 + 16 * place : 20 + 16 * place]
        used = _List(int.from_bytes(head[:4], "little"))
        at += 4
        for _ in range(head[12] if len(head) > 12 else 0):
            start, flags = int.from_bytes(blob[at : at + 4], "little"), blob[at + 4] if at + 4 < len(blob) else 0
            at += 8
            level = Level()
            if flags & 0x20:
                changed, at = _level(blob, at)
                if changed is None:
                    break
                level = changed
                used.levels[min(flags & 0xF, LEVELS - 1)] = level
            if flags & 0x10:
                used.restarted.append(min(flags & 0xF, LEVELS - 1))
                if flags & 0x20:
                    used.levels[flags & 0xF] = replace(level, start=start)
        lists.append(used)
    return lists
