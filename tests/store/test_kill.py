"""The short version of tests/torture/kill.py."""

from pathlib import Path

from tests.torture.kill import kill_again_and_again


def test_a_server_that_is_killed_while_it_writes_loses_nothing(tmp_path: Path) -> None:
    rounds, ledger = kill_again_and_again(tmp_path / "data", 2, seconds=60)
    assert rounds == 2
    assert ledger.acknowledged
