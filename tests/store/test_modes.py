"""Who may read what is stored: nobody but its owner."""

import os
import stat
from pathlib import Path

import pytest

from docqa.store.database import Database
from docqa.store.modes import make_private

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(os.name == "nt", reason="there folders inherit who may read them")]


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}


PRIVATE = {"data": 0o700, "docqa.sqlite": 0o600, "docqa.sqlite-wal": 0o600, "docqa.sqlite-shm": 0o600}


async def test_a_new_data_folder_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        db = await Database.open(tmp_path / "data" / "docqa.sqlite")
        assert modes(tmp_path / "data") == PRIVATE
        await db.close()
    finally:
        os.umask(before)


async def test_the_data_folder_of_an_earlier_version_is_mended(tmp_path: Path) -> None:
    database = tmp_path / "data" / "docqa.sqlite"
    first = await Database.open(database)
    for path in (database.parent, *database.parent.iterdir()):
        path.chmod(0o777)
    second = await Database.open(database)
    assert modes(tmp_path / "data") == PRIVATE
    await second.close()
    await first.close()


def test_a_folder_that_all_share_stays_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    make_private(tmp_path / "docqa.sqlite")
    assert modes(tmp_path) == {tmp_path.name: 0o1777, "docqa.sqlite": 0o600}
