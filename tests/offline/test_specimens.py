"""What the rehearsal reads."""

from docqa.formats.kinds import detect
from docqa.formats.reading import READERS
from docqa.offline.rehearsal import SPECIMENS, VALUE


def test_every_reader_has_its_specimen() -> None:
    media_types = {".html": "text/html"}
    specimens = [(path.read_bytes(), path.name, media_types.get(path.suffix, "")) for path in SPECIMENS.iterdir()]
    assert {detect(*specimen) for specimen in specimens} == set(READERS)
    assert VALUE in (SPECIMENS / "lighthouse.txt").read_text()
