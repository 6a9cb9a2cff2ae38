"""uvicorn, with connections that do not wait for ever and an end that comes."""

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import anyio.lowlevel
import uvicorn
from starlette.applications import Starlette

from docqa.cli.connection import Connection

GRACE = 3  # seconds for requests in hand at a stop
LAST_RESORT = 12.0  # seconds after which a stop is over, whatever still runs: what is acknowledged is stored
SWEEP_TICKS = 10  # tenths of a second between two looks at the connections
SWITCH_SECONDS = 0.0005  # that a thread may keep the others from running Python


class Server(uvicorn.Server):
    """Serves an application until SIGINT or SIGTERM; `on_start` is called once it does, and may ask for `address`."""

    def __init__(self, app: Starlette, host: str, port: int, on_start: Callable[[], None]) -> None:
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            http=Connection,
            ws="none",
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=GRACE,
            server_header=False,
        )
        super().__init__(config)
        self._on_start = on_start

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that it listens on."""
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        return host, port

    async def startup(self, sockets: Any = None) -> None:
        """Start to listen."""
        await super().startup(sockets)
        # The loop's thread waits for the others, which may all be computing, whenever it has waited for a client.
        sys.setswitchinterval(SWITCH_SECONDS)
        if self.started:
            self._on_start()
        await anyio.lowlevel.checkpoint()  # loads what streams need: the first would keep the loop for 60 ms
        gc.collect()
        gc.freeze()  # what is here stays: a collection in the loop's thread need not look at it

    async def on_tick(self, counter: int) -> bool:
        """Look at the connections; whether it is time to stop."""
        if counter % SWEEP_TICKS == 0:
            now = time.monotonic()
            for connection in list(self.server_state.connections):
                if isinstance(connection, Connection):
                    connection.check(now)
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Stop, and end the process in any case: a thread in the middle of a long work cannot be cancelled."""
        if not self.should_exit:
            end = threading.Timer(LAST_RESORT, os._exit, (0,))
            end.daemon = True
            end.start()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """As uvicorn's, except that a signal that ends the server cleanly makes the process exit with code 0."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
