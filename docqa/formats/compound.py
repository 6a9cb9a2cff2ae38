"""Compound files ([MS-CFB]): the streams and the properties of the files of old Office programs."""

import codecs
import io
import struct
from datetime import datetime, timedelta

import olefile  # type: ignore[import-untyped]

from docqa.formats.properties import Properties

# olefile checks little: a damaged file raises whatever its missing part leads to.
_BROKEN = (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, struct.error)
_SUMMARY = "\x05SummaryInformation"
_CODE_PAGE, _TITLE, _AUTHOR, _CREATED = 1, 2, 4, 12
_BYTES, _WIDE = 0x1E, 0x1F  # types of texts
_MOST_PROPERTIES = 1_000
_LONGEST = 2_000  # bytes of a property
_CODE_PAGES = {1200: "utf-16-le", 10000: "mac-roman", 65001: "utf-8"}


class Damaged(Exception):
    """The file, or the stream that is wanted of it, cannot be read."""


class Compound:
    """An open compound file. Names of streams are paths with slashes, in any case."""

    def __init__(self, data: bytes) -> None:
        """Raises Damaged."""
        try:
            self._file = olefile.OleFileIO(io.BytesIO(data))
        except _BROKEN as error:
            raise Damaged from error
        self._below: dict[str, list[str]] | None = None  # the names in each storage

    def __contains__(self, name: str) -> bool:
        return bool(self._file.exists(name))

    def names(self, path: str = "") -> list[str]:
        """The names of what is right in a storage, whose path ends in a slash or is empty for the root."""
        if self._below is None:
            self._below = {}
            for *folders, name in self._file.listdir(streams=True, storages=True):
                self._below.setdefault("".join(f"{folder}/" for folder in folders).lower(), []).append(name)
        return self._below.get(path.lower(), [])

    def stream(self, name: str) -> bytes:
        """The bytes of a stream, none if there is no such stream. Raises Damaged."""
        try:
            return bytes(self._file.openstream(name).read()) if name in self else b""
        except _BROKEN as error:
            raise Damaged from error

    def properties(self) -> Properties:
        """What the file says of itself, empty if that is missing or damaged."""
        try:
            values = _summary(self.stream(_SUMMARY))
            code_page = int.from_bytes(values.get(_CODE_PAGE, (0, b"\xe4\x04"))[1][:2], "little")
            encoding = codecs.lookup(_CODE_PAGES.get(code_page, f"cp{code_page}")).name
            title, author = (_text(*values.get(name, (0, b"")), encoding) for name in (_TITLE, _AUTHOR))
            return Properties.of(title, author, _time(values.get(_CREATED, (0, b""))[1]))
        except (Damaged, LookupError, OverflowError, struct.error):
            return Properties()


def _summary(blob: bytes) -> dict[int, tuple[int, bytes]]:
    """(type, value) of the properties that we know, by their numbers ([MS-OLEPS] 2.20 and 2.25).

    olefile reads them too, but as many as a damaged file claims to have.
    """
    start = struct.unpack_from("<I", blob, 44)[0] if len(blob) >= 48 else 0
    count = struct.unpack_from("<I", blob, start + 4)[0] if start else 0
    values: dict[int, tuple[int, bytes]] = {}
    for place in range(min(count, _MOST_PROPERTIES, (len(blob) - start) // 8 - 1)):
        name, offset = struct.unpack_from("<II", blob, start + 8 + 8 * place)
        if name in (_CODE_PAGE, _TITLE, _AUTHOR, _CREATED) and start + offset + 4 <= len(blob):
            kind = struct.unpack_from("<I", blob, start + offset)[0]
            values[name] = kind, blob[start + offset + 4 : start + offset + 4 + _LONGEST]
    return values


def _text(kind: int, value: bytes, encoding: str) -> str:
    if kind not in (_BYTES, _WIDE) or len(value) < 4:
        return ""
    size = struct.unpack_from("<I", value)[0] * (2 if kind == _WIDE else 1)
    return value[4 : 4 + size].decode("utf-16-le" if kind == _WIDE else encoding, "replace").partition("\0")[0]


def _time(value: bytes) -> datetime | None:
    """A time in units of 100 nanoseconds since 1601; None where there is none."""
    ticks = int.from_bytes(value[:8], "little")
    return datetime(1601, 1, 1) + timedelta(microseconds=ticks // 10) if ticks else None
