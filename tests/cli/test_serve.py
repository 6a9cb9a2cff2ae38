"""What the server says at its first start."""

import os
import sys
from pathlib import Path

import pytest

from docqa.cli.serve import show_key

FILE = Path("/srv/docqa/api-key")


def test_a_log_is_told_where_the_first_key_is_and_not_the_key(capsys: pytest.CaptureFixture[str]) -> None:
    show_key("dq-secret", FILE)
    said = capsys.readouterr().out
    assert str(FILE) in said and "dq-secret" not in said


@pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals")
def test_a_terminal_shows_the_first_key(monkeypatch: pytest.MonkeyPatch) -> None:
    leader, terminal = os.openpty()
    with open(terminal, "w") as shown:
        monkeypatch.setattr(sys, "stdout", shown)
        show_key("dq-secret", FILE)
        shown.flush()
        assert b"dq-secret" in os.read(leader, 4096)
    os.close(leader)
