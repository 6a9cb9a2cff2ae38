"""A server inside a command, for as long as that takes: on loopback, on a free port, in a thread of its own."""

import asyncio
import logging
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace

from docqa.api.app import create
from docqa.cli.presence import presence, url_of
from docqa.cli.serve import first_key
from docqa.cli.terminal import say
from docqa.cli.web_server import Server
from docqa.errors import CannotStart
from docqa.settings import Settings

HOST = "127.0.0.1"


class _InThread(Server):
    """Leaves signals to the command, which ends it."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


@contextmanager
def own_server(settings: Settings) -> Iterator[str]:
    """Its address. Raises CannotStart."""
    logging.basicConfig(level="ERROR", format="%(levelname)s %(name)s: %(message)s")
    if asyncio.run(first_key(settings)):
        say(f"Your API key is in {settings.key_file}.")
    settings = replace(settings, host=HOST, port=0)
    ready = threading.Event()
    server = _InThread(create(settings), HOST, 0, ready.set)

    def run() -> None:
        try:
            server.run()
        except SystemExit:  # uvicorn's word for a server that could not start, which is logged
            logging.getLogger(__name__).debug("the server ended before it began")
        finally:
            ready.set()

    thread = threading.Thread(target=run, name="own server")
    thread.start()
    try:
        ready.wait()
        if not server.started:
            raise CannotStart(f"{settings.database} could not be served; the lines above say why.")
        with presence(settings.data) as present:
            present.announce(*server.address)
            yield url_of(*server.address)
    finally:
        server.should_exit = True
        thread.join()
