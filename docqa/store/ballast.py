"""Space that is kept for a full disk: a file that holds nothing, and is given up when a deletion needs room."""

import os
import shutil
from itertools import repeat
from pathlib import Path

from docqa.store.modes import FILE

SIZE = 16 << 20  # bytes: what erasing needs in the write-ahead log between two checkpoints, four times over
ROOMY = 8 * SIZE  # only a disk with so much free space has any to spare


def free_space(folder: Path) -> int:
    """The bytes that this user may still write to the disk of this folder."""
    return shutil.disk_usage(folder).free


class Ballast:
    """The file `ballast` beside the database; `hold` it in good times, `release` it when the disk is full."""

    def __init__(self, database: Path) -> None:
        self._path = database.with_name("ballast")

    @property
    def kept(self) -> bool:
        """Whether the space is kept now."""
        return self._path.exists() and self._path.stat().st_size == SIZE

    def hold(self) -> bool:
        """Whether the space is kept, now or already; on a disk that is nearly full it is not."""
        folder = self._path.parent
        if self.kept:
            return True
        if free_space(folder) < ROOMY:
            return False
        with open(self._path, "wb", opener=lambda path, flags: os.open(path, flags, FILE)) as file:
            # A hole, or what can be compressed, would keep no space. No file system looks back a megabyte for that.
            file.writelines(repeat(os.urandom(1 << 20), SIZE >> 20))
        return True

    def release(self) -> None:
        """Give the space up where the disk has less than that."""
        if free_space(self._path.parent) < SIZE:
            self._path.unlink(missing_ok=True)
