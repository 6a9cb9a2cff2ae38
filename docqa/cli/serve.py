"""`python run.py serve`: the server, its greeting, and the line that shows how far the installation is."""

import asyncio
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import fields
from functools import partial
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

import click

from docqa import store
from docqa.api.app import create
from docqa.api.auth import DEFAULT_ACCOUNT, create_key
from docqa.api.mcp.served import MISSING
from docqa.api.mcp.served import available as mcp_available
from docqa.cli.options import settings_of
from docqa.cli.presence import presence
from docqa.cli.web_server import Server
from docqa.errors import CannotStart
from docqa.ingest.children import at_hand
from docqa.models.embedder import NURSERY
from docqa.services import Services
from docqa.settings import Settings, environment_name
from docqa.setup.installation import Installation
from docqa.setup.progress import DONE, Progress, ProgressLine, current
from docqa.store.database import Database
from docqa.store.modes import FILE
from docqa.workers.heap import return_freed

LOG_BYTES = 1 << 20


def _epilog() -> str:
    """Every setting of the environment, as click shows lines that it must not join."""
    listed = [
        f"  {environment_name(field.name):28} {field.metadata['help']} [{_shown(field.default)}]"
        for field in fields(Settings)
    ]
    return "\n".join(["\b", "Settings, from the environment:", *listed])


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or "none"
    return str(value)


@click.command(epilog=_epilog())
@click.option("--host", help="Address to listen on.")
@click.option("--port", help="Port to listen on; 0 takes a free one.")
@click.option("--data", metavar="DIR", help="Folder of the SQLite file and the first API key.")
@click.option("--log-level", help="debug, info, warning or error.")
@click.option("--wait", is_flag=True, help="Install everything before serving, not meanwhile.")
@click.pass_obj
def serve(background: tuple[str, ...], /, wait: bool, **given: str | None) -> int:
    """Serve the API and the page until Ctrl-C or SIGTERM."""
    try:
        return run(settings_of(**given), background)
    except KeyboardInterrupt:  # before the server handles it
        return 0


def run(settings: Settings, background: Sequence[str]) -> int:
    """Serve until a signal ends it; the exit code. `background` is what the installer is told. Raises CannotStart."""
    return_freed()
    line = ProgressLine()
    form = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    handlers = [_AboveTheLine(line), _Kept(settings)]
    logging.basicConfig(level=settings.log_level.upper(), format=form, handlers=handlers)
    logging.getLogger("httpx").setLevel("WARNING")
    logging.getLogger("python_multipart").setLevel("ERROR")  # it warns of every form that is none
    if key := asyncio.run(first_key(settings)):
        show_key(key, settings.key_file)
    installation = Installation(background) if background else None
    app = create(settings, installation=installation)

    def show() -> None:
        present.announce(*server.address)
        _Greeting(settings, installation, line).show(server)

    server = Server(app, settings.host, settings.port, show)
    try:
        with presence(settings.data) as present, at_hand(), closing(NURSERY):
            server.run()
    except SystemExit:  # uvicorn raises it if the port is taken, after logging that
        return 1
    finally:
        line.close()
    return 0 if server.started else 1


def show_key(key: str, file: Path) -> None:
    """Show the first key on a terminal; anything else may be a log, which would keep it."""
    if sys.stdout.isatty():
        print(f"\nYour API key, shown only this once and stored in {file}:\n\n    {key}\n")
    else:
        print(f"\nYour API key is in {file}.\n")


class _AboveTheLine(logging.StreamHandler[Any]):
    """Log records on stderr, above the line that shows how far the installation is."""

    def __init__(self, line: ProgressLine) -> None:
        super().__init__()
        self._line = line

    def emit(self, record: logging.LogRecord) -> None:
        self._line.clear()
        super().emit(record)
        self._line.draw()


class _Kept(RotatingFileHandler):
    """Log records in a file, for `log`; the one before it is kept too."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        super().__init__(settings.log_file, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8", delay=True)

    def _open(self) -> TextIOWrapper:
        file = self._settings.log_file
        file.touch(mode=FILE)
        return file.open("a", encoding="utf-8")

    def handleError(self, record: logging.LogRecord) -> None:
        """Nothing: the disk is full, and stderr has the record too."""


class _Greeting:
    """What is shown when the server has started, and while the rest is installed."""

    def __init__(self, settings: Settings, installation: Installation | None, line: ProgressLine) -> None:
        self.settings, self.installation, self.line = settings, installation, line

    def show(self, server: Server) -> None:
        """Show where it serves, with an example, and what is missing."""
        host, port = server.address
        shown = f"[{host}]" if ":" in host else host
        services: Services = server.config.app.state.services  # type: ignore[union-attr]
        tools = [] if mcp_available() or self.installation else [MISSING]
        for note in [*services.notes(), *services.languages, *tools]:
            print(note)
        file = self.settings.key_file
        key = f"$(cat '{file}')" if file.exists() else "YOUR-KEY"
        address = f"http://{shown}:{port}"
        print(f"DocQA serves on {address} - try:\n", flush=True)
        print(f'    curl -H "x-api-key: {key}" {address}/v1/api/models\n', flush=True)
        # On a terminal only: anything else may be a log, which others may read in time to use the link.
        if sys.stdout.isatty() and (ticket := services.ticket.issue()):
            print(f"or open the page, signed in by this link once:\n\n    {address}/#key={ticket}\n", flush=True)
        if self.installation:
            self.installation.on_change = partial(self._progress, services)
            self._progress(services, self.installation.steps)
        elif proposal := services.proposal():
            print(proposal, flush=True)

    def _progress(self, services: Services, steps: Sequence[Progress]) -> None:
        """Show how far the installation is, and at its end what is still worth having."""
        self.line.show(steps)
        if steps and not current(steps):
            self.line.close()
            if all(step.state == DONE for step in steps):
                print(services.proposal() or "Everything is installed.", flush=True)


async def first_key(settings: Settings) -> str | None:
    """The first key of a new database, None for any other."""
    async with AsyncExitStack() as stack:
        db = await Database.open(settings.database)
        stack.push_async_callback(db.close)
        async with db.write() as conn:
            if await store.accounts.has_accounts(conn):
                return None
            _, key = await create_key(conn, DEFAULT_ACCOUNT, "first key")
            # Inside the transaction: a key that could not be written to its file must not exist.
            try:
                with os.fdopen(os.open(settings.key_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                    settings.key_file.chmod(0o600)  # the file may have existed, readable by others
                    file.write(key + "\n")
            except OSError as error:
                raise CannotStart(f"The first API key cannot be written: {error}") from error
        return key
