"""`bench --peers`: other programs are installed and measured beside this one."""

from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from docqa import __version__
from docqa.catalog.catalog import Catalog
from docqa.cli.goals import machine
from docqa.cli.peers.comparison import Contestant, Figures, measured, rows
from docqa.cli.peers.contestants import Ours, Peer
from docqa.cli.peers.course import Course, given, made
from docqa.cli.peers.installing import PEERS, installed
from docqa.cli.processes import can_be_measured
from docqa.cli.terminal import put_json, put_table, say
from docqa.errors import CannotStart
from docqa.settings import Settings

_EXTENT, _QUICK = (8, 3, 16, 100), (3, 1, 8, 40)  # texts, reports, pages of a report, questions


def compare(settings: Settings, folder: Path, documents: Path | None, *, quick: bool, as_json: bool) -> None:
    """Install what is not in `folder` yet, measure all, and print their figures side by side. Raises CannotStart."""
    if not can_be_measured():
        raise CannotStart("Memory and processor time of others are measured on Linux only.")
    embedder = _embedder(settings)
    names = [Ours.name, *PEERS]
    say(f"{', '.join(names)} are installed in {folder}, from the network unless they are there already.")
    setups = {name: installed(name, folder, offline=settings.offline) for name in names}
    figures: list[Figures] = []
    with TemporaryDirectory(prefix="docqa-peers-") as temporary:
        at = Path(temporary)
        course = given(documents) if documents else _made(at / "documents", quick=quick)
        for name in names:
            say(f"{name} reads and is asked.")
            contestant: Contestant = Ours() if name == Ours.name else Peer(name, setups[name].python, embedder)
            figures.append(measured(contestant, setups[name], course, at / name))
        about = machine(at / Ours.name / "data")
    table = list(rows(figures))
    if as_json:
        shown = [{"name": row.name, "values": dict(zip(names, row.values, strict=True))} for row in table]
        put_json(
            {
                "version": __version__,
                "machine": about,
                "pages": figures[0].pages,
                "questions": len(course.questions),
                "rows": shown,
                "figures": [asdict(each) for each in figures],
            }
        )
        return
    put_table(
        ("what", *names, "ahead"),
        [
            (row.name, *(f"{value:.{row.digits}f}" for value in row.values), "yes" if row.ahead else "no")
            for row in table
        ],
    )
    say(f"{figures[0].pages} pages, {len(course.questions)} questions; {', '.join(map(' '.join, about.items()))}.")


def _embedder(settings: Settings) -> Path:
    """The folder of the model that all embed with. Raises CannotStart."""
    catalog = Catalog.load(settings.models)
    entry = catalog.embedding(settings.embedder)
    if not catalog.present(entry):
        raise CannotStart(f"All are to have the same embedder, and {entry.name} is not installed.")
    if entry.query_prefix or entry.passage_prefix:
        raise CannotStart(
            f"{entry.name} wants words before each text, which others do not give it by themselves: "
            "choose all-MiniLM-L6-v2 by DOCQA_EMBEDDER."
        )
    return catalog.path(entry)


def _made(folder: Path, *, quick: bool) -> Course:
    folder.mkdir()
    return made(folder, *(_QUICK if quick else _EXTENT))
