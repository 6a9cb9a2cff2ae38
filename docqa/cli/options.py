"""What commands share: options that several have, and the settings that they begin with."""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

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
