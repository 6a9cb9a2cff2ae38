"""Compound files ([MS-CFB]): the streams and the properties of the files of old Office programs."""

import io
import struct

import olefile  # type: ignore[import-untyped]

from docqa.formats.properties import Properties

# olefile checks little: a damaged file raises whatever its missing part leads to.
_BROKEN = (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, struct.error)
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
            known = self._file.get_metadata()
            code_page = (known.codepage or 1252) & 0xFFFF
            encoding = _CODE_PAGES.get(code_page, f"cp{code_page}")
            title, author = (str(text or b"", encoding, "replace") for text in (known.title, known.author))
            return Properties.of(title, author, known.create_time)
        except _BROKEN:
            return Properties()
