"""The records of a binary presentation, and where the newest edit of each of its objects stands ([MS-PPT] 2.1.2 and 2.3)."""

import struct
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from itertools import chain

DOCUMENT = 0x03E8
_USER_EDIT = 0x0FF5
_DIRECTORY = 0x1772
_ENCRYPTION = 0x2F14


@dataclass(frozen=True, slots=True)
class Record:
    """`whole` is False for one that says it is longer than what it stands in; it then ends there."""

    kind: int
    instance: int
    body: memoryview
    whole: bool

    def children(self) -> Iterator["Record"]:
        return records(self.body)

    def number(self, offset: int) -> int:
        """The 32-bit number at `offset` of the body, 0 past its end."""
        return int.from_bytes(self.body[offset : offset + 4], "little")

    def is_whole(self, opened: Container[int]) -> bool:
        """Whether all records below this one fit, the kinds `opened` looked into."""
        waiting = [self]
        while waiting:
            record = waiting.pop()
            if not record.whole:
                return False
            if record.kind in opened:
                waiting.extend(record.children())
        return True


def records(data: memoryview) -> Iterator[Record]:
    """The records that stand one after the other in `data` ([MS-PPT] 2.3.1)."""
    offset = 0
    while offset + 8 <= len(data):
        version, kind, length = struct.unpack_from("<HHI", data, offset)
        body = data[offset + 8 : offset + 8 + length]
        yield Record(kind, version >> 4, body, len(body) == length)
        offset += 8 + length


@dataclass(frozen=True)
class Objects:
    """The persist objects in force: where they stand by identifier, the document among them, and whether they are encrypted."""

    stream: memoryview
    offsets: dict[int, int]
    document: Record | None = None
    encrypted: bool = False

    def get(self, identifier: int) -> Record | None:
        return _record(self.stream, self.offsets.get(identifier))


def objects(data: bytes, newest: int) -> Objects:
    """Follow the edits from the one at `newest` back to the first; where they are damaged, what the whole stream holds fills in."""
    stream = memoryview(data)
    offsets, edits, whole = _follow(stream, newest)
    if not whole:
        found, others = _scan(stream)
        offsets, edits = found | offsets, edits or others
    known = Objects(stream, offsets)
    # The newest edit names the document; should that name be damaged, the one that was saved last is it.
    named = (known.get(edit.number(16)) for edit in edits)
    latest = (_record(stream, offset) for offset in sorted(offsets.values(), reverse=True))
    document = next((one for one in chain(named, latest) if one and one.kind == DOCUMENT), None)
    sessions = [known.get(edit.number(28)) for edit in edits if len(edit.body) >= 32]
    return replace(known, document=document, encrypted=any(one and one.kind == _ENCRYPTION for one in sessions))


def _record(stream: memoryview, offset: int | None) -> Record | None:
    return None if offset is None else next(records(stream[offset:]), None)


def _follow(stream: memoryview, newest: int) -> tuple[dict[int, int], list[Record], bool]:
    """Offsets by identifier, the edits from the newest on ([MS-PPT] 2.3.3), and whether their chain was whole."""
    offsets: dict[int, int] = {}
    edits: list[Record] = []
    seen: set[int] = set()
    offset = newest
    while offset or not edits:
        edit = _record(stream, offset)
        if offset in seen or edit is None or edit.kind != _USER_EDIT:
            return offsets, edits, False
        seen.add(offset)
        edits.append(edit)
        directory = _record(stream, edit.number(12))
        if directory is None or directory.kind != _DIRECTORY or not directory.whole:
            return offsets, edits, False
        offsets = _entries(directory) | offsets
        offset = edit.number(8)
    return offsets, edits, True


def _scan(stream: memoryview) -> tuple[dict[int, int], list[Record]]:
    """The same from all edits that stand in the stream: what is saved later stands later."""
    offsets: dict[int, int] = {}
    edits: list[Record] = []
    for record in records(stream):
        if record.kind == _DIRECTORY:
            offsets |= _entries(record)
        elif record.kind == _USER_EDIT:
            edits.append(record)
    return offsets, edits[::-1]


def _entries(directory: Record) -> dict[int, int]:
    """Offsets by identifier, of runs of identifiers ([MS-PPT] 2.3.4 and 2.3.5)."""
    count = len(directory.body) // 4
    numbers = struct.unpack(f"<{count}I", directory.body[: 4 * count])
    offsets: dict[int, int] = {}
    at = 0
    while at < count:
        first, size = numbers[at] & 0xFFFFF, numbers[at] >> 20
        offsets.update(enumerate(numbers[at + 1 : at + 1 + size], first))
        at += 1 + size
    return offsets
