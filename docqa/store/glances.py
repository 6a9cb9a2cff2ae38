"""Short reads of the database. Those that come while others are at work go to the thread together and come back
together: the way there and back takes longer than the statements."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, TypeVar, cast

from docqa.errors import Unavailable
from docqa.store.pragmas import forget_pages
from docqa.store.sql import Connection

Result = TypeVar("Result")
Read = Callable[[Connection], Coroutine[Any, Any, Result]]
_Asked = list[tuple[Read[Any], "asyncio.Future[Any]"]]


class _Raised(NamedTuple):
    """What a read raised, in the place of its result."""

    error: Exception


class _AtHand:
    """A connection of the driver, in the words of an aiosqlite.Connection whose answers are there at once."""

    def __init__(self, conn: Any) -> None:
        self._conn = conn

    async def execute_fetchall(self, sql: str, values: Iterable[Any] = ()) -> Iterable[Any]:
        """All rows of a statement."""
        return cast(Iterable[Any], self._conn.execute(sql, values).fetchall())


def at_once(conn: Any, read: Read[Result]) -> Result:
    """What `read` makes of a connection of the driver, here and in one step: it awaits nothing else. Raises what it
    does."""
    coroutine = read(cast(Connection, _AtHand(conn)))
    try:
        coroutine.send(None)
    except StopIteration as end:
        return cast(Result, end.value)
    coroutine.close()
    raise RuntimeError("a read at once awaited something else than its connection")


class Glances:
    """Reads by a connection and a thread of their own; `conn` is one of the driver, which is closed with this, and
    `prepare` what is done with it at first."""

    def __init__(self, conn: Any, prepare: Read[None]) -> None:
        at_once(conn, prepare)
        self._conn = conn
        self._waiting: _Asked = []
        self._is_at_work = self._is_closed = False
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = Thread(target=self._do, name="glances", daemon=True)
        self._thread.start()

    async def look(self, read: Read[Result]) -> Result:
        """What `read` makes of its SELECTs, which see all that was committed before this call, and one state of the
        data. It awaits nothing but its connection. Raises what `read` does, and Unavailable at the end."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        self._waiting.append((read, future))
        if not self._is_at_work:
            self._send(loop)
        return await future

    def _send(self, loop: asyncio.AbstractEventLoop) -> None:
        together, self._waiting = self._waiting, []
        if self._is_closed:
            for _, future in together:
                future.set_exception(Unavailable("The server is being stopped."))
            return
        self._is_at_work = True
        self._work.put(partial(self._answer, loop, together))

    def _do(self) -> None:
        while work := self._work.get():
            work()
        self._conn.close()

    def _answer(self, loop: asyncio.AbstractEventLoop, together: _Asked) -> None:
        results: list[Any]
        try:
            self._conn.execute("BEGIN")
            results = [self._result(read) for read, _ in together]
            self._conn.rollback()
        except Exception as error:  # noqa: BLE001 - whoever asked is told
            results = [_Raised(error)] * len(together)
        loop.call_soon_threadsafe(self._hand_out, loop, together, results)

    def _result(self, read: Read[Any]) -> Any:
        try:
            return at_once(self._conn, read)
        except Exception as error:  # noqa: BLE001 - whoever asked is told
            return _Raised(error)

    def _hand_out(self, loop: asyncio.AbstractEventLoop, together: _Asked, results: list[Any]) -> None:
        self._is_at_work = False
        if self._waiting:
            self._send(loop)
        for (_, future), result in zip(together, results, strict=True):
            if future.done():  # who asked has left
                continue
            if isinstance(result, _Raised):
                future.set_exception(result.error)
            else:
                future.set_result(result)

    async def rest(self) -> None:
        """Have the connection forget the pages that it has read. Raises Unavailable at the end."""
        await self.look(forget_pages)

    async def close(self) -> None:
        """Wait for what is at work, and close the connection; other reads raise Unavailable."""
        self._is_closed = True
        self._work.put(None)
        await asyncio.to_thread(self._thread.join)
