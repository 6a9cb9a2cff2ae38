"""A group of commands under headings, each imported when it is run: one start should not pay for all others."""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import click

from docqa.workers.loading import loading


@dataclass(frozen=True)
class Listed:
    """A command: its name, where it is (`module:attribute`), and what it does, for the list of all."""

    name: str
    where: str
    does: str

    def load(self) -> click.Command:
        """The command itself, imported."""
        module, _, attribute = self.where.partition(":")
        with loading():
            command: click.Command = getattr(importlib.import_module(module), attribute)
        return command


class Commands(click.Group):
    """Shows its commands under their headings."""

    def __init__(self, sections: Mapping[str, Sequence[Listed]], **attributes: object) -> None:
        super().__init__(**attributes)  # type: ignore[arg-type]
        self._sections = sections
        self._listed = {command.name: command for section in sections.values() for command in section}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in their order."""
        return list(self._listed)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, imported; None if there is none."""
        listed = self._listed.get(cmd_name)
        return listed.load() if listed else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names. Raises NoSuchCommand with the nearest names."""
        if args[0] not in self._listed and not args[0].startswith("-"):
            raise click.exceptions.NoSuchCommand(args[0], possibilities=list(self._listed), ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the headings with their commands."""
        for heading, section in self._sections.items():
            with formatter.section(heading):
                formatter.write_dl([(command.name, command.does) for command in section])
