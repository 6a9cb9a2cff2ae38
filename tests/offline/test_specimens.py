"""What the rehearsal reads."""

from docqa.formats.kinds import SUFFIXES
from docqa.offline.rehearsal import SPECIMENS, VALUE


def test_every_format_has_its_specimen() -> None:
    assert {path.suffix for path in SPECIMENS.iterdir()} == {*SUFFIXES, ".html"}
    assert VALUE in (SPECIMENS / "lighthouse.txt").read_text()
