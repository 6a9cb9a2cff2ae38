"""The SQLite that is used has none of the bugs that doctor warns of."""

import importlib.util

import pytest

from docqa.setup.data import WAL_RESET_BUG
from docqa.store.database import DRIVER


@pytest.mark.skipif(
    importlib.util.find_spec("pysqlite3") is None, reason="there is no wheel of pysqlite3 for this machine"
)
def test_the_required_pysqlite3_brings_an_sqlite_without_the_wal_reset_bug() -> None:
    assert DRIVER.sqlite_version_info > WAL_RESET_BUG[1]
