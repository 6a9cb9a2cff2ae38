"""A file on its way into the database: small ones in memory, larger ones in a nameless temporary file."""

import asyncio
import errno
import hashlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from io import SEEK_END
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO

from docqa import store
from docqa.errors import DiskFull, Unavailable
from docqa.store.sql import Connection

IN_MEMORY = 1 << 20  # bytes
PIECE = 1 << 18  # bytes of a file that are in memory at once


class Spool:
    """What is received of a file, with its size and SHA-256. Above 1 MB it lies in `folder`, the system's own where
    that is None, without a name where the system can do that: what a killed server was receiving is gone with it."""

    def __init__(self, folder: Path | None = None, in_memory: int = IN_MEMORY) -> None:
        """`in_memory`: bytes above which it lies on disk; 0 for never."""
        self._file = SpooledTemporaryFile(in_memory, dir=str(folder) if folder else None)  # noqa: SIM115 - `close` closes it
        self._hash = hashlib.sha256()
        self.size = 0

    @classmethod
    def of(cls, data: bytes) -> "Spool":
        """A spool that holds `data`, which is in memory anyway, and keeps it there."""
        spool = cls(in_memory=0)
        spool.write(data)
        return spool

    def write(self, data: bytes | memoryview) -> None:
        """Append bytes. Raises DiskFull, and Unavailable where the disk does not take them for another reason."""
        try:
            self._file.write(data)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise DiskFull(f"There is no room on the disk to receive the file ({error.strerror}).") from error
            raise Unavailable(f"The file cannot be received now: {error.strerror}.", retry_after=30) from error
        self._hash.update(data)
        self.size += len(data)

    @property
    def sha256(self) -> bytes:
        """The SHA-256 of what was written."""
        return self._hash.digest()

    def opened(self) -> IO[bytes]:
        """The file, for who seeks in it in a thread, while nothing else reads or writes it."""
        return self._file

    def read(self) -> bytes:
        """All that was written. Reads from disk: call it in a thread."""
        return self.read_piece(0, -1)

    def read_piece(self, start: int, size: int) -> bytes:
        """Up to `size` bytes from `start`; what is written goes behind the end as before. Call it in a thread."""
        self._file.seek(start)
        data = self._file.read(size)
        self._file.seek(0, SEEK_END)
        return data

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """All that was written, piece by piece: a file is never in memory as a whole."""
        for start in range(0, self.size, PIECE):
            yield await asyncio.to_thread(self.read_piece, start, PIECE)

    def close(self) -> None:
        """Drop what was written."""
        self._file.close()


async def copied_original(conn: Connection, document: int, folder: Path) -> Spool:
    """A document's file out of the database, whose transaction need not be open while it is used. Raises as `write`."""
    content = Spool(folder)
    try:
        async with aclosing(store.documents.original_pieces(conn, document)) as pieces:
            async for piece in pieces:
                await asyncio.to_thread(content.write, piece)
    except BaseException:
        content.close()
        raise
    return content
