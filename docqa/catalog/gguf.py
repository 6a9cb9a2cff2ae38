"""The header of a GGUF file with its metadata, read without llama.cpp.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3, little-endian. Whether llama.cpp
can run the model is not known here.
"""

import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from docqa.errors import DocqaError

MAGIC = b"GGUF"
VERSIONS = (2, 3)

# `struct` formats of the value types, by their numbers.
NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
STRING, ARRAY = 8, 9

Value = str | int | float | bool


class NotGguf(DocqaError):
    """The file is not a complete GGUF file; the message says why."""


@dataclass(frozen=True)
class Header:
    """The number of tensors, and the metadata without its lists, which are the vocabulary."""

    tensors: int
    metadata: dict[str, Value]

    @property
    def has_chat_template(self) -> bool:
        """Whether the model is for conversations."""
        return bool(self.metadata.get("tokenizer.chat_template"))


def read_header(path: Path) -> Header:
    """The header of the file at `path`. Raises NotGguf, also for a truncated file, and OSError."""
    with path.open("rb") as file:
        reader = _Reader(file, path)
        if reader.take(4) != MAGIC:
            raise NotGguf(f"{path} is not a GGUF file")
        version = reader.number("<I")
        if version not in VERSIONS:
            raise NotGguf(f"{path} is GGUF version {version}; supported are {' and '.join(map(str, VERSIONS))}")
        tensors, pairs = reader.count(), reader.count()
        metadata: dict[str, Value] = {}
        for _ in range(pairs):
            key, value = reader.text(), reader.value(int(reader.number("<I")))
            if value is not None:
                metadata[key] = value
        last = max((reader.tensor_offset() for _ in range(tensors)), default=0)
        if tensors and file.tell() + last >= reader.size:
            raise NotGguf(f"{path} is truncated: it ends after {reader.size} bytes, before its last tensor begins")
        return Header(tensors, metadata)


class _Reader:
    """Reads the values of a file in sequence; raises NotGguf where one would extend beyond its end."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self.file, self.path, self.size = file, path, os.fstat(file.fileno()).st_size

    def take(self, length: int) -> bytes:
        data = self.file.read(length) if length <= self.size else b""
        if len(data) < length:
            raise NotGguf(f"{self.path} is truncated: it ends inside its header")
        return data

    def number(self, form: str) -> int | float | bool:
        value: int | float | bool = struct.unpack(form, self.take(struct.calcsize(form)))[0]
        return value

    def count(self) -> int:
        return int(self.number("<Q"))

    def text(self) -> str:
        return self.take(self.count()).decode("utf-8", "replace")

    def value(self, kind: int) -> Value | None:
        """A value of this type; None for a list, which is skipped."""
        if kind == ARRAY:
            self._skip(int(self.number("<I")), self.count())
            return None
        return self.text() if kind == STRING else self.number(self._form(kind))

    def _skip(self, kind: int, count: int) -> None:
        if kind == STRING:
            for _ in range(count):
                self.text()
        else:
            self.take(count * struct.calcsize(self._form(kind)))

    def _form(self, kind: int) -> str:
        if kind not in NUMBERS:
            raise NotGguf(f"{self.path} is damaged: there is no value type {kind}")
        return NUMBERS[kind]

    def tensor_offset(self) -> int:
        """The offset of the next tensor from the end of the header; its name, shape and type are skipped."""
        self.text()
        self.take(8 * int(self.number("<I")))
        self.number("<I")
        return int(self.number("<Q"))
