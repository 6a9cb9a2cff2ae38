"""Messages that tests write: in MIME, and in Outlook's own format, a compound file with its streams in storages."""

import struct
from datetime import UTC, datetime
from typing import Any

from test_ppt import END, FAT, FREE, entry

Tree = dict[str, "bytes | Tree"]
_CLASS = bytes.fromhex("0b0d0200 0000 0000 c000 000000000046")
_SECTOR, _MINI, _CUTOFF = 512, 64, 4096


def compound_tree(tree: Tree) -> bytes:
    """A compound file with these streams and storages; small streams share the mini stream, as [MS-CFB] has it."""
    entries: list[list[Any]] = [["Root Entry", 5, FREE, FREE, END, 0]]
    large, mini, mini_table = list[bytes](), b"", list[int]()

    def place(branch: Tree, parent: int) -> None:
        nonlocal mini
        before = -1
        for name, content in branch.items():
            number = len(entries)
            if before < 0:
                entries[parent][2] = number
            else:
                entries[before][3] = number
            before = number
            if isinstance(content, dict):
                entries.append([name, 1, FREE, FREE, 0, 0])
                place(content, number)
            elif len(content) < _CUTOFF:
                count = -(-len(content) // _MINI)
                first = len(mini_table)
                entries.append([name, 2, FREE, FREE, first if count else END, len(content)])
                mini_table.extend([*range(first + 1, first + count), END] if count else [])
                mini += content.ljust(count * _MINI, b"\0")
            else:
                entries.append([name, 2, FREE, FREE, -len(large) - 1, len(content)])
                large.append(content)

    place(tree, 0)
    directory_size = -(-len(entries) // 4)
    mini_sectors = -(-len(mini_table) // 128)
    blocks = [mini, *large]
    needed = directory_size + mini_sectors + sum(-(-len(block) // _SECTOR) for block in blocks)
    tables = -(-(needed + needed // 127 + 2) // 128)
    table = [FAT] * tables

    def chain(count: int) -> int:
        first = len(table)
        table.extend([*range(first + 1, first + count), END] if count else [])
        return first if count else END

    directory_at, mini_table_at = chain(directory_size), chain(mini_sectors)
    starts = [chain(-(-len(block) // _SECTOR)) for block in blocks]
    entries[0][4], entries[0][5] = starts[0], len(mini)
    for fields in entries:
        if fields[4] < 0:
            fields[4] = starts[-fields[4]]
    table += [FREE] * (128 * tables - len(table))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    numbers = (62, 3, 0xFFFE, 9, 6, 0, tables, directory_at, 0, _CUTOFF, mini_table_at, mini_sectors, END, 0)
    header += struct.pack("<HHHHH6xIIIIIIIII", *numbers) + struct.pack(f"<{tables}I", *range(tables))
    directory = bytearray(b"".join(entry(*fields) for fields in entries).ljust(directory_size * _SECTOR, b"\0"))
    directory[80:96] = _CLASS
    mini_table += [FREE] * (128 * mini_sectors - len(mini_table))
    body = b"".join(block.ljust(-(-len(block) // _SECTOR) * _SECTOR, b"\0") for block in blocks)
    return (
        header.ljust(_SECTOR, b"\xff")
        + struct.pack(f"<{len(table)}I", *table)
        + bytes(directory)
        + struct.pack(f"<{len(mini_table)}I", *mini_table)
        + body
    )


def storage(values: dict[int, Any], header: int, more: Tree | None = None, charset: str = "") -> Tree:
    """The streams of properties: texts (in a charset of 8 bits if one is given), bytes, whole numbers, times."""
    fixed = bytes(header)
    streams: Tree = {}
    for number, value in values.items():
        if isinstance(value, str):
            kind, data = (0x1E, value.encode(charset)) if charset else (0x1F, value.encode("utf-16-le"))
        elif isinstance(value, datetime):
            ticks = int((value - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000
            fixed += struct.pack("<HHIQ", 0x40, number, 6, ticks)
            continue
        elif isinstance(value, int):
            fixed += struct.pack("<HHIQ", 3, number, 6, value)
            continue
        else:
            kind, data = 0x102, value
        fixed += struct.pack("<HHIII", kind, number, 6, len(data), 0)
        streams[f"__substg1.0_{number:04X}{kind:04X}"] = data
    return {"__properties_version1.0": fixed, **streams, **(more or {})}


def outlook_tree(
    values: dict[int, Any],
    recipients: list[dict[int, Any]] | None = None,
    files: "list[dict[int, Any] | Tree] | None" = None,
    charset: str = "",
    header: int = 32,
) -> Tree:
    """The storages of a message; a file that is a tree of its own is a message in the message."""
    more: Tree = {}
    for place, recipient in enumerate(recipients or []):
        more[f"__recip_version1.0_#{place:08X}"] = storage(recipient, 8, charset=charset)
    for place, file in enumerate(files or []):
        is_message = "__properties_version1.0" in file
        inner: Tree = storage({0x3705: 5}, 8, {"__substg1.0_3701000D": file}) if is_message else storage(file, 8)  # type: ignore[dict-item,arg-type]
        more[f"__attach_version1.0_#{place:08X}"] = inner
    return storage(values, header, more, charset)


def outlook(
    values: dict[int, Any],
    recipients: list[dict[int, Any]] | None = None,
    files: "list[dict[int, Any] | Tree] | None" = None,
    charset: str = "",
) -> bytes:
    """A message of Outlook as a file."""
    return compound_tree(outlook_tree(values, recipients, files, charset))


def multipart(kind: str, *parts: bytes, boundary: str = "b0", fields: str = "") -> bytes:
    """A multipart message or part, which begins with its header."""
    head = f'{fields}Content-Type: multipart/{kind}; boundary="{boundary}"\r\n\r\n'.encode()
    return (
        head
        + b"".join(b"--" + boundary.encode() + b"\r\n" + part + b"\r\n" for part in parts)
        + f"--{boundary}--\r\n".encode()
    )


def part(content_type: str, body: bytes | str, fields: str = "") -> bytes:
    """A part with one body."""
    data = body.encode() if isinstance(body, str) else body
    return f"Content-Type: {content_type}\r\n{fields}\r\n".encode() + data
