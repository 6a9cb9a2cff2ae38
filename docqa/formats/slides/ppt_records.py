"""The records of a binary presentation, and where the newest version of each object is ([MS-PPT] 2.1.2 and 2.3)."""

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
    """`whole` is False for a record that declares more bytes than its container holds; it then ends with that."""

    kind: int
    instance: int
    body: memoryview
    whole: bool

    def children(self) -> Iterator["Record"]:
        """The records in the body."""
        return records(self.body)

    def number(self, offset: int) -> int:
        """The 32-bit number at `offset` of the body, 0 past its end."""
        return int.from_bytes(self.body[offset : offset + 4], "little")

    def is_whole(self, opened: Container[int]) -> bool:
        """Whether this record and those in it are whole; only the kinds `opened` are looked into."""
        waiting = [self]
        while waiting:
            record = waiting.pop()
            if not record.whole:
                return False
            if record.kind in opened:
                waiting.extend(record.children())
        return True


def records(data: memoryview) -> Iterator[Record]:
    """The consecutive records in `data` ([MS-PPT] 2.3.1)."""
    offset = 0
    while offset + 8 <= len(data):
        version, kind, length = struct.unpack_from("<HHI", data, offset)
        body = data[offset + 8 : offset + 8 + length]
        yield Record(kind, version >> 4, body, len(body) == length)
        offset += 8 + length


@dataclass(frozen=True)
class Objects:
    """The persist objects in force: their offsets by identifier, the document, and whether they are encrypted."""

    stream: memoryview
    offsets: dict[int, int]
    document: Record | None = None
    encrypted: bool = False

    def get(self, identifier: int) -> Record | None:
        """An object, None if it is missing."""
        return _record(self.stream, self.offsets.get(identifier))


def objects(data: bytes, newest: int) -> Objects:
    """The objects in force: the edits are followed from the one at offset `newest` back to the first.

    If that chain is damaged, all edits in the stream fill in.
    """
    stream = memoryview(data)
    offsets, edits, whole = _follow(stream, newest)
    if not whole:
        scanned, others = _scan(stream)
        offsets, edits = scanned | offsets, edits or others
    known = Objects(stream, offsets)
    # The newest edit refers to the document; if that reference is damaged, the document saved last is used.
    named = (known.get(edit.number(16)) for edit in edits)
    latest = (_record(stream, offset) for offset in sorted(offsets.values(), reverse=True))
    document = next((record for record in chain(named, latest) if record and record.kind == DOCUMENT), None)
    sessions = [known.get(edit.number(28)) for edit in edits if len(edit.body) >= 32]
    encrypted = any(session and session.kind == _ENCRYPTION for session in sessions)
    return replace(known, document=document, encrypted=encrypted)


def _record(stream: memoryview, offset: int | None) -> Record | None:
    return None if offset is None else next(records(stream[offset:]), None)


def _follow(stream: memoryview, newest: int) -> tuple[dict[int, int], list[Record], bool]:
    """Offsets by identifier, the edits from the newest back ([MS-PPT] 2.3.3), and whether their chain was whole."""
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
    """Offsets and edits as of `_follow`, from all edits in the stream: later ones were saved later."""
    offsets: dict[int, int] = {}
    edits: list[Record] = []
    for record in records(stream):
        if record.kind == _DIRECTORY:
            offsets |= _entries(record)
        elif record.kind == _USER_EDIT:
            edits.append(record)
    return offsets, edits[::-1]


def _entries(directory: Record) -> dict[int, int]:
    """Offsets by identifier, stored for runs of identifiers ([MS-PPT] 2.3.4 and 2.3.5)."""
    count = len(directory.body) // 4
    numbers = struct.unpack(f"<{count}I", directory.body[: 4 * count])
    offsets: dict[int, int] = {}
    at = 0
    while at < count:
        first, size = numbers[at] & 0xFFFFF, numbers[at] >> 20
        offsets.update(enumerate(numbers[at + 1 : at + 1 + size], first))
        at += 1 + size
    return offsets
