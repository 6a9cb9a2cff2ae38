"""`python run.py models`: list, pull, add, remove and check the models on this machine.

How much memory a model takes, and which one suits a machine, are estimates: nothing is loaded here to find out.
"""

import argparse
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from docqa.catalog.catalog import PART, Catalog, digest, split_models
from docqa.catalog.download import fetch
from docqa.catalog.entries import Entry, File, api_name
from docqa.catalog.gguf import read_header
from docqa.catalog.machine import Machine, find_machine
from docqa.errors import DocqaError, NotFound
from docqa.settings import Settings

USES = {"embedding": "search", "gguf": "answers"}
HEAD = ("MODEL", "FOR", "SIZE", "MEMORY", "LANGUAGES", "LICENCE", "")
# Factor of the weights, and MB. A context is as long as the memory allows; 4,096 tokens of keys and values are 0.6 GB in Qwen3-4B and 8B, the rest is buffers. An embedding model is held in two
# precisions while it is loaded, beside PyTorch: measured 0.7 GB for all-MiniLM-L6-v2.
MEMORY = {"gguf": (1.1, 750), "embedding": (1.5, 550)}
SHARE = 0.5  # of the machine's memory, what a proposed model may take


class Refused(DocqaError):
    """What was asked for is not done; the message says why."""


def declare(commands: Any) -> None:
    """Add `models` and its actions to the subparsers `commands`; each sets `run(settings, given)`."""
    actions = commands.add_parser("models", help="list, pull, add, remove and check models").add_subparsers(
        required=True, metavar="ACTION"
    )
    actions.add_parser(
        "list", help="the models there are and can be had, and which are proposed for this machine"
    ).set_defaults(run=_running(list_models))
    pull = actions.add_parser("pull", help="download a model of the catalogue")
    pull.add_argument("name", metavar="NAME", help="as `models list` shows it")
    pull.set_defaults(run=_running(pull_model))
    add = actions.add_parser("add", help="take a GGUF file into the models folder")
    add.add_argument(
        "file", metavar="FILE.gguf", type=Path, help="a language model; of one that was split, any of its parts"
    )
    add.set_defaults(run=_running(add_model))
    remove = actions.add_parser("remove", help="delete a model from the models folder")
    remove.add_argument("name", metavar="NAME", help="as `models list` shows it")
    remove.set_defaults(run=_running(remove_model))
    check = actions.add_parser("check", help="read every byte and compare with the SHA-256 that is known")
    check.add_argument("name", metavar="NAME", nargs="?", help="as `models list` shows it [all that are here]")
    check.set_defaults(run=_running(check_models))


def _running(action: Callable[[Settings, argparse.Namespace], int]) -> Callable[[Settings, argparse.Namespace], int]:
    """`action`, with what the disk refuses as a sentence, and an end by Ctrl-C that is none of success."""

    def run(settings: Settings, given: argparse.Namespace) -> int:
        try:
            return action(settings, given)
        except OSError as error:
            raise Refused(str(error)) from error
        except KeyboardInterrupt:
            say("\nStopped. The next try goes on from here.")
            return 130

    return run


def say(sentence: str) -> None:
    print(sentence, flush=True)


# list


def list_models(settings: Settings, _: argparse.Namespace) -> int:
    catalog, machine = Catalog.load(settings.models), find_machine()
    say(
        f"This machine has {gigabytes(machine.memory) if machine.memory else 'an unknown amount'} of memory and {machine.cores} cores.\n"
    )
    proposed = propose(catalog, machine)
    rows = [HEAD, *(_row(catalog, entry, settings, entry in proposed) for entry in catalog.models())]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    for row in rows:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    say(
        "\n`models pull NAME` gets a model; `DOCQA_EMBEDDER=NAME` chooses the one for search, `model_name` of a request the one for answers."
    )
    return 0


def _row(catalog: Catalog, entry: Entry, settings: Settings, proposed: bool) -> tuple[str, ...]:
    here = catalog.present(entry)
    state = "can be pulled" if entry.hub or entry.wheel or entry.path else ""
    if here:
        state = (
            f"here, as {entry.api_name}"
            if entry.kind == "gguf"
            else "here, in use"
            if entry.name == settings.embedder
            else "here"
        )
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
    return f"{size / 1e9:.1f} GB"


def memory(entry: Entry) -> int:
    """About how many bytes of memory the model takes when it is loaded."""
    factor, megabytes = MEMORY[entry.kind]
    return round(factor * entry.size) + megabytes * 10**6


def propose(catalog: Catalog, machine: Machine) -> list[Entry]:
    """For each use the largest model of the catalogue that this machine has the cores and, in half of it, the memory for.

    The catalogue's `cores` assume that a core reads the prompt of a model of 0.7 billion parameters as fast as one can wait for it.
    """
    room = SHARE * machine.memory
    fitting = [entry for entry in catalog.entries if entry.cores <= machine.cores and memory(entry) <= room]
    return [entries[-1] for kind in USES if (entries := [entry for entry in fitting if entry.kind == kind])]


# pull


def pull_model(settings: Settings, given: argparse.Namespace) -> int:
    catalog = Catalog.load(settings.models)
    entry = catalog.find(given.name)
    if catalog.present(entry):
        say(f"{entry.name} is here already; `models check {entry.name}` reads whether it is whole.")
        return 0
    if settings.offline and entry.path is None:
        raise Refused(f"{entry.name} is not here, and DOCQA_OFFLINE forbids to download it.")
    fetch(catalog, entry, say)
    catalog.given_up(entry).unlink(missing_ok=True)
    say(f"{entry.name} is here, {entry.licence}. {_use(entry)}")
    return 0


def _use(entry: Entry) -> str:
    if entry.kind == "gguf":
        return f"The server serves it as {entry.api_name} from its next start."
    return f"Start the server with DOCQA_EMBEDDER={entry.name} to search with it."


# add


def add_model(settings: Settings, given: argparse.Namespace) -> int:
    catalog = Catalog.load(settings.models)
    name, parts = _parts(given.file.expanduser().resolve())
    headers = [read_header(part) for part in parts]
    if not headers[0].has_chat_template:
        raise Refused(f"{parts[0]} has no chat template: it is not a model for conversations.")
    for other in catalog.models():
        if (
            other.api_name == api_name(name)
            and catalog.present(other)
            and {file.path for file in other.files} != {part.name for part in parts}
        ):
            raise Refused(
                f"There is a model that is served as {other.api_name} already; `models remove {other.name}`, or give the file another name."
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
    say(f"{entry.name} is here, licence {headers[0].metadata.get('general.license', 'unknown')}. {_use(entry)}")
    return 0


def _parts(file: Path) -> tuple[str, list[Path]]:
    """The name of the model that `file` belongs to, and its files in order."""
    part = PART.fullmatch(file.stem)
    beside = file.parent.glob("*.gguf") if part else [file]
    for name, parts in split_models(beside):
        if file in parts:
            return name, parts
    raise NotFound(f"{file} is one of {int(part['count']) if part else 1} files, and the others are not beside it")


def _take(source: Path, target: Path, known: File | None) -> File:
    """`source` at `target`, linked or copied, and read once for its SHA-256. Raises Refused."""
    if target.exists() and not target.samefile(source):
        raise Refused(f"There is another {target.name} in the models folder; `models remove {target.stem}` deletes it.")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        _link_or_copy(source, part)
        file = File(target.name, part.stat().st_size, digest(part))
        if known not in (None, file):
            raise Refused(
                f"{source} is not the {target.name} that the catalogue knows (SHA-256 {file.sha256}); give it another name."
            )
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
    return file


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # another disk, or one that knows no links
        shutil.copyfile(source, target)


# remove


def remove_model(settings: Settings, given: argparse.Namespace) -> int:
    catalog = Catalog.load(settings.models)
    entry = catalog.find(given.name)
    if entry.kind == "embedding" and entry.name == settings.embedder:
        raise Refused(
            f"{entry.name} is the model that the server searches with; choose another with DOCQA_EMBEDDER first."
        )
    files = [path for path in (catalog.target(entry, file) for file in entry.files) if path.is_file()]
    rest = [path for path in catalog.unfinished(entry).rglob("*") if path.is_file()]
    if not files and not rest:
        raise NotFound(f"{entry.name} is not here.")
    size = sum(path.stat().st_size for path in [*files, *rest])
    for path in [*files, *rest, catalog.record_path(entry)]:
        path.unlink(missing_ok=True)
    for folder in sorted({path.parent for path in [*files, *rest]} - {catalog.models_dir}, reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    if not entry.optional and entry in catalog.entries:
        catalog.given_up(entry).parent.mkdir(exist_ok=True)
        catalog.given_up(entry).touch()
    say(
        f"Removed {entry.name}, {gigabytes(size)}: {', '.join(str(path.relative_to(catalog.models_dir)) for path in [*files, *rest])}."
    )
    return 0


# check


def check_models(settings: Settings, given: argparse.Namespace) -> int:
    catalog = Catalog.load(settings.models)
    entries = (
        [catalog.find(given.name)] if given.name else [entry for entry in catalog.models() if catalog.present(entry)]
    )
    right = [_check(catalog, entry) for entry in entries]
    return int(not all(right))


def _check(catalog: Catalog, entry: Entry) -> bool:
    if not entry.files:
        raise NotFound(f"{entry.name} is not here.")
    wrong = catalog.verify(entry)
    if wrong:
        say(f"{entry.name}: missing or damaged: {', '.join(wrong)}. `models remove {entry.name}`, then get it again.")
    elif all(file.sha256 for file in entry.files):
        say(f"{entry.name}: every byte is right.")
    else:
        say(
            f"{entry.name}: there is no SHA-256 to compare with; `models add {catalog.path(entry)}` notes the one it has now."
        )
    return not wrong
