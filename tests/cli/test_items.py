"""What `add` takes out of archives."""

import io
import zipfile
from pathlib import Path

import pytest

from docqa.cli.client.items import CannotUnpack, items_of


def test_a_damaged_member_is_refused_and_the_others_come(tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bad.txt", "The lease ends in May. " * 50)
        archive.writestr("good.txt", "The rent is 900 euros.")
    data = bytearray(content.getvalue())
    start = data.index(b"bad.txt") + len("bad.txt")
    data[start : start + 8] = b"\xff" * 8
    (tmp_path / "papers.zip").write_bytes(data)
    bad, good = items_of([str(tmp_path / "papers.zip")], "stdin")
    assert bad.open and good.open
    with pytest.raises(CannotUnpack, match="It cannot be unpacked"):
        bad.open()
    with good.open() as member:
        assert member.read() == b"The rent is 900 euros."
