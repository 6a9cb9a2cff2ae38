"""`install`, `test` and `bundle`: what is done with the source and its .venv, which an installed package lacks; and
`install torch`, which both have."""

import subprocess
import sys
from pathlib import Path

import click

from docqa import IN_CHECKOUT, ROOT
from docqa.catalog.catalog import Catalog
from docqa.cli.options import absolute, with_settings
from docqa.errors import CannotStart
from docqa.settings import Settings
from docqa.setup.bundle import bundle
from docqa.setup.packages import TORCH, Installer, say

WORDS = {"ignore_unknown_options": True, "help_option_names": ["--help"]}


@click.command()
@click.argument("group", type=click.Choice([TORCH]), required=False)
@with_settings
def install(settings: Settings, group: str | None) -> int:
    """Install what failed or is missing, and fetch the models. With `torch`, install PyTorch and sentence-transformers
    alone, about 1 GB: embedding models of another kind than BERT's family and MPNet need them, and training."""
    if group is None:
        return _by_run("install")
    if failure := Installer(offline=settings.offline).add(group):
        print(f"docqa: PyTorch could not be installed: {failure}", file=sys.stderr)
        return 1
    say("PyTorch and sentence-transformers are here. A running server uses them within seconds.")
    return 0


@click.command(context_settings=WORDS)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def test(words: tuple[str, ...]) -> int:
    """Run the tests; further words go to pytest."""
    return _by_run("test", *words)


@click.command("bundle")
@click.argument("folder", metavar="DIR", callback=absolute)
@with_settings
def gather(settings: Settings, folder: Path) -> None:
    """Gather what a machine without a network needs into DIR: a new folder, or that of an earlier run."""
    _check()
    bundle(Installer(offline=settings.offline), Catalog.load(settings.models), folder.resolve(), say)


def _by_run(*words: str) -> int:
    """run.py does it before this command line is there; whoever comes by another way is sent there."""
    _check()
    return subprocess.run([sys.executable, str(ROOT / "run.py"), *words], check=False).returncode


def _check() -> None:
    if not IN_CHECKOUT:
        raise CannotStart(
            "This needs DocQA's source: run it with `python run.py` there. Here, pip installs and updates."
        )
