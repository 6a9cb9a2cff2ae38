"""A document ready to be stored: what the child made of it, kept in a temporary file without a name until it is stored.

The server holds little of it in memory, and looks at nothing but the shape of its records.
"""

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self

from docqa.errors import Unreadable
from docqa.formats.properties import Properties
from docqa.store.chunks import Chunk
from docqa.store.document_tables import TableRecords
from docqa.store.documents import PageRow
from docqa.workers.loop import Header

CRASHED = "Reading this file crashed: the file is damaged, or holds something that cannot be read."


@dataclass(frozen=True)
class Carried:
    """A file that a message carries; `media_type` is what the message calls it. Its bytes are read when asked for."""

    name: str
    media_type: str
    pieces: list[tuple[int, int]]
    spool: "IO[bytes] | None" = None

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        assert self.spool is not None
        return b"".join(_piece(self.spool, *piece) for piece in self.pieces)


@dataclass
class Prepared:
    """What a child said of a file. Use it in a `with` statement: its temporary file is deleted at the end.

    `pages` counts them; `notes` are about what could not be read; `properties` are what the file says of itself.
    """

    kind: str = ""
    title: str = ""
    language: str = ""
    pages: int = 0
    notes: list[str] = field(default_factory=list)
    properties: Properties = Properties()
    attachments: list[Carried] = field(default_factory=list)
    recurring_names: list[str] = field(default_factory=list)
    size: int = 0
    _spool: "IO[bytes] | None" = None
    _pieces: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    @classmethod
    def empty(cls, folder: Path | None) -> Self:
        """One that frames are added to; its temporary file is in `folder`, None for the system's. Raises OSError."""
        return cls(_spool=tempfile.TemporaryFile(dir=folder))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Delete what is kept of the document."""
        if self._spool:
            self._spool.close()

    def add(self, header: Header, blob: bytes) -> None:
        """Keep a frame of the child's. Raises OSError, and Unreadable for one that is not of the right shape."""
        assert self._spool is not None
        piece = self.size, len(blob)
        self._spool.seek(self.size)
        self._spool.write(blob)
        self.size += len(blob)
        kind = header.get("of")
        if kind == "file" and "name" in header:
            self.attachments.append(Carried(str(header["name"]), str(header["media_type"]), [piece], self._spool))
        elif kind == "file" and self.attachments:
            self.attachments[-1].pieces.append(piece)
        else:
            self._pieces.setdefault(str(kind), []).append(piece)

    def finish(self, about: Header, _: bytes = b"") -> None:
        """Take what the child said of the whole. Raises OSError and Unreadable."""
        assert self._spool is not None
        self._spool.flush()
        try:
            self.kind, self.title, self.language = (str(about.get(name, "")) for name in ("kind", "title", "language"))
            self.pages = int(about.get("pages", 0))
            self.notes, self.recurring_names = (list(map(str, about.get(n, ()))) for n in ("notes", "recurring_names"))
            self.properties = Properties(**about.get("properties", {}))
        except (TypeError, ValueError) as error:
            raise Unreadable(CRASHED) from error

    def page_rows(self) -> Iterator[PageRow]:
        """The pages in order."""
        return (PageRow(*values) for values in self._records("page", 6))

    def chunks(self) -> Iterator[tuple[Chunk, str]]:
        """The chunks in order, each with its search terms."""
        return ((Chunk(*values[:-1]), values[-1]) for values in self._records("chunk", 6))

    def tables(self) -> TableRecords:
        """The tables with their rows and values."""
        return TableRecords(
            self._records("table", 6),
            self._records("column", 7),
            self._records("row", 7),
            self._records("value", 4),
            self.recurring_names,
        )

    def _records(self, kind: str, fields: int) -> Iterator[Sequence[Any]]:
        """The records of a kind, read from the file as they are needed. Raises Unreadable, OSError."""
        for piece in self._pieces.get(kind, ()):
            assert self._spool is not None
            for line in _piece(self._spool, *piece).splitlines():
                try:
                    values = json.loads(line)
                except ValueError as error:
                    raise Unreadable(CRASHED) from error
                if type(values) is not list or len(values) != fields:
                    raise Unreadable(CRASHED)
                yield values


def _piece(spool: "IO[bytes]", start: int, size: int) -> bytes:
    spool.seek(start)
    return spool.read(size)
