"""What the rehearsal reads."""

from docqa.formats.names import SUFFIXES, kind_named
from docqa.offline.rehearsal import SPECIMENS, VALUE


def test_every_format_has_its_specimen() -> None:
    assert {kind_named(path.suffix) for path in SPECIMENS.iterdir()} == set(map(kind_named, SUFFIXES))
    assert VALUE in (SPECIMENS / "lighthouse.txt").read_text()
