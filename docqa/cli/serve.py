"""`python run.py serve`: the server, its greeting, and the line that shows how far the installation is."""

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Generator, Sequence
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn

from docqa import store
from docqa.api.app import create
from docqa.api.auth import DEFAULT_ACCOUNT, create_key
from docqa.errors import CannotStart
from docqa.services import Services
from docqa.settings import Settings
from docqa.setup.installation import Installation
from docqa.setup.progress import Progress, ProgressLine, current
from docqa.store.database import Database

GRACE = 3  # seconds for open streams at shutdown


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Serve until a signal ends it; the exit code. Raises CannotStart."""
    line = ProgressLine()
    form = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(level=settings.log_level.upper(), format=form, handlers=[_AboveTheLine(line)])
    logging.getLogger("httpx").setLevel("WARNING")
    if key := asyncio.run(_first_key(settings)):
        show_key(key, _key_file(settings))
    installation = Installation(options.background) if options.background else None
    config = uvicorn.Config(
        create(settings, installation=installation),
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=GRACE,
        server_header=False,
    )
    server = _Server(config, settings, installation, line)
    try:
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


class _Server(uvicorn.Server):
    def __init__(
        self, config: uvicorn.Config, settings: Settings, installation: Installation | None, line: ProgressLine
    ) -> None:
        super().__init__(config)
        self.settings, self.installation, self.line = settings, installation, line

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._greet()

    def _greet(self) -> None:
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        services: Services = self.config.app.state.services  # type: ignore[union-attr]
        for note in [*services.notes(), *services.languages]:
            print(note)
        key_file = _key_file(self.settings)
        key = f"$(cat '{key_file}')" if key_file.exists() else "YOUR-KEY"
        address = f"http://{shown}:{port}"
        print(f"DocQA serves on {address} - try:\n", flush=True)
        print(f'    curl -H "x-api-key: {key}" {address}/v1/api/models\n', flush=True)
        if self.installation:
            self.installation.on_change = partial(self._show, services)
            self._show(services, self.installation.steps)
        elif proposal := services.proposal():
            print(proposal, flush=True)

    def _show(self, services: Services, steps: Sequence[Progress]) -> None:
        """Show how far the installation is, and at its end what is still worth having."""
        self.line.show(steps)
        if steps and not current(steps):
            self.line.close()
            print(services.proposal() or "Everything is installed.", flush=True)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """As uvicorn's, except that a signal that ends the server cleanly makes the process exit with code 0."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _key_file(settings: Settings) -> Path:
    return settings.data / "api-key"


async def _first_key(settings: Settings) -> str | None:
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
                with os.fdopen(os.open(_key_file(settings), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                    _key_file(settings).chmod(0o600)  # the file may have existed, readable by others
                    file.write(key + "\n")
            except OSError as error:
                raise CannotStart(f"The first API key cannot be written: {error}") from error
        return key
