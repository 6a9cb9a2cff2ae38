"""Files that are being received."""

import hashlib
from pathlib import Path

import pytest

from docqa.errors import Unavailable
from docqa.ingest.spool import IN_MEMORY, Spool


def test_a_large_file_lies_on_disk_without_a_name_and_comes_back_whole(tmp_path: Path) -> None:
    spool, data = Spool(tmp_path), bytes(range(256)) * 6_000
    for start in range(0, len(data), 1000):
        spool.write(data[start : start + 1000])
        assert spool.read_piece(0, 3) == data[:3], "reading does not move where the next bytes go"
    assert spool.size == len(data) > IN_MEMORY
    assert spool.read() == data
    assert spool.sha256 == hashlib.sha256(data).digest()
    assert list(tmp_path.iterdir()) == []
    spool.close()


def test_a_disk_that_is_full_is_said(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "gone")
    with pytest.raises(Unavailable, match="cannot be received now: No such file"):
        spool.write(bytes(IN_MEMORY + 1))
    spool.close()
