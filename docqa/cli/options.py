"""What commands share: options that several have, and the settings that they begin with."""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from docqa.errors import DocqaError
from docqa.settings import Settings

Command = Callable[..., Any]


def absolute(_: click.Context, __: click.Parameter, value: str | None) -> Path | None:
    """The callback of a parameter that is a path."""
    return None if value is None else Path(value).expanduser().absolute()


def settings_of(**given: str | None) -> Settings:
    """The settings of the environment and the command line. Raises CannotStart."""
    return Settings.read(os.environ, **given)


def with_settings(command: Command) -> Command:
    """Hand a command the settings of the environment, as its first argument."""

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> Any:
        return command(settings_of(), *arguments, **options)

    return run


def with_data(command: Command) -> Command:
    """The same, with an option for another data folder."""

    @click.option("--data", metavar="DIR", help="Folder of the SQLite file and the first API key.")
    @functools.wraps(command)
    def run(*arguments: Any, data: str | None, **options: Any) -> Any:
        return command(settings_of(data=data), *arguments, **options)

    return run


def document_names(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Names of documents for a shell, of a server that runs: to complete a word, none is started."""
    return _names(begun, "documents")


def base_names(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Names of knowledge bases, likewise."""
    return _names(begun, "knowledge_bases")


def _names(begun: str, of: str) -> list[CompletionItem]:
    from docqa.cli.client import opened

    try:
        with opened(settings_of(), os.environ.get("DOCQA_URL"), os.environ.get("DOCQA_KEY"), alone=False) as service:
            names = [record["name"] for record in getattr(service, of)()]
    except DocqaError:  # the shell completes nothing then
        return []
    return [CompletionItem(name) for name in names if name.casefold().startswith(begun.casefold())]


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, in a shape that stays.")
in_base = click.option("--kb", metavar="NAME", shell_complete=base_names, help="The knowledge base of this name or id.")


def with_filters(command: Command) -> Command:
    """Hand a command `filters`, as the API takes them: what documents must be, from options that several commands
    have."""

    @click.option("--tag", metavar="TAG", help="Only documents with this tag, in any case.")
    @click.option("--kind", metavar="KIND", help="Only documents of this kind, such as pdf or docx.")
    @click.option("--written-in", metavar="LANGUAGE", help="Only documents in this language, such as de or GERMAN.")
    @click.option("--from", "date_from", metavar="DAY", help="Only documents of this day or later, such as 2027-03-31.")
    @click.option("--to", "date_to", metavar="DAY", help="Only documents of this day or earlier.")
    @functools.wraps(command)
    def run(*arguments: Any, written_in: str | None, **options: Any) -> Any:
        named = {name: options.pop(name) for name in ("tag", "kind", "date_from", "date_to")}
        given = {**named, "language": written_in}
        return command(*arguments, filters={name: value for name, value in given.items() if value}, **options)

    return run


def with_service(command: Command) -> Command:
    """Hand a command the service, as its first argument, with options that say which."""
    return _handed(command, alone=True)


def with_running_service(command: Command) -> Command:
    """The same, but where no server runs the command says so."""
    return _handed(command, alone=False)


def _handed(command: Command, *, alone: bool) -> Command:
    @click.option("--data", metavar="DIR", help="Folder of the SQLite file and the first API key.")
    @click.option("--url", envvar="DOCQA_URL", help="Another server, such as https://docs.example.org. [DOCQA_URL]")
    @click.option("--key", envvar="DOCQA_KEY", help="The API key, instead of the stored one. [DOCQA_KEY]")
    @functools.wraps(command)
    def run(*arguments: Any, data: str | None, url: str | None, key: str | None, **options: Any) -> Any:
        from docqa.cli.client import opened  # the help needs no HTTP

        with opened(settings_of(data=data), url, key, alone=alone) as service:
            return command(service, *arguments, **options)

    return run
