"""`python run.py ocr`: which languages text recognition can read, and how it gets further ones."""

import sys
from collections.abc import Sequence

import click

from docqa import COMMAND
from docqa.catalog.recognition import Language, languages, named
from docqa.cli.options import with_settings
from docqa.errors import DocqaError
from docqa.formats.pictures.data import RAPID, files, has_rapid
from docqa.settings import Settings
from docqa.setup.ocr_data import NoData, add
from docqa.setup.packages import Installer

RAPID_SIZE = "about 420 MB"


class UnknownLanguage(DocqaError):
    """A name is none of a language that there are data for."""


@click.group()
def ocr() -> None:
    """List and add languages of text recognition."""


def say(sentence: str) -> None:
    """Print to stdout at once."""
    print(sentence, flush=True)


@ocr.command("list")
def list_languages() -> None:
    """Show the languages that are here, and those that can be had."""
    here = files()
    say("Here:")
    for code, file in here.items():
        entry = languages().get(code)
        say(f"  {entry.iso if entry else '':3} {code:8} {entry.name if entry else '':22} {file.parent}")
    if has_rapid():
        say(f"  zh, ja {RAPID}    RapidOCR, for Chinese and Japanese")
    if not here and not has_rapid():
        say("  none: scanned pages and pictures are not read")
    say(f"\nTo be had by `{COMMAND} ocr add CODE...`:")
    for entry in languages().values():
        if entry.code not in here:
            say(f"  {entry.iso:3} {entry.code:8} {entry.name:22} {entry.size / 1e6:4.1f} MB")
    if not has_rapid():
        say(f"  {RAPID}        RapidOCR, better for Chinese and Japanese, {RAPID_SIZE}")


@ocr.command("add")
@click.argument("names", metavar="LANGUAGE...", nargs=-1, required=True)
@with_settings
def add_languages(settings: Settings, names: tuple[str, ...]) -> int:
    """Download the data of further languages, which the server then uses at once. LANGUAGE is a code or an English name
    (de, deu, German), or `rapid`. Exits with 1 if any could not be had."""
    installer = Installer(offline=settings.offline)
    wanted = [name for name in names if name.lower() != RAPID]
    entries = _entries(wanted)
    failed = 0
    for entry in entries:
        if file := files().get(entry.code):
            say(f"{entry.name} is here already ({file}).")
            continue
        try:
            add(entry, installer, say)
        except NoData as error:
            print(f"docqa: {error}", file=sys.stderr)
            failed = 1
        else:
            say(f"{entry.name} is here. A running server uses it within seconds.")
    if len(wanted) < len(names):
        failed = _add_rapid(installer) or failed
    return failed


def _entries(names: Sequence[str]) -> list[Language]:
    """The languages of these names, each once. Raises UnknownLanguage."""
    entries: dict[str, Language] = {}
    for name in names:
        entry = named(name)
        if entry is None:
            raise UnknownLanguage(
                f"No language is called {name!r} here; `{COMMAND} ocr list` shows those that there are data for."
            )
        entries[entry.code] = entry
    return list(entries.values())


def _add_rapid(installer: Installer) -> int:
    if has_rapid():
        say("RapidOCR is here already.")
        return 0
    say(f"Installing RapidOCR, {RAPID_SIZE}.")
    if failure := installer.get(RAPID, installer.extra(RAPID)):
        print(f"docqa: RapidOCR could not be installed: {failure}", file=sys.stderr)
        return 1
    say("RapidOCR is here. It reads Chinese and Japanese after the next start of the server.")
    return 0
