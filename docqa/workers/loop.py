"""The child's side of `child`: frames over stdin and stdout, requests that take turns where they allow it.

A frame is a JSON header and raw bytes, each preceded by its length in four bytes. The child exits when its parent does.
"""

import faulthandler
import json
import math
import os
import queue
import signal
import struct
import sys
import threading
import time
import traceback
import weakref
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple, NoReturn

from docqa.errors import DocqaError
from docqa.workers.loading import loading
from docqa.workers.sandbox import die_with_parent

LENGTH = struct.Struct("<I")
PARENT = "DOCQA_PARENT"  # the environment variable that tells a child its parent's process id
URGENT = "urgent"  # the key that the body of such a request has
QUIET_SECONDS = 10.0
LINGER = 0.15  # seconds that others wait for the next urgent request: between two of one chat lie some hundredths
PATIENCE = 2.0  # seconds after which nobody lingers at the cost of others
INNERMOST = 10  # frames of a traceback that are printed; one that ends in a RecursionError has a thousand
_PIECE = 1 << 16

Header = dict[str, Any]
Answers = Generator[tuple[Header, bytes] | None, None, None]
Handler = Callable[[Header, bytes, threading.Event], Answers]


class Loaded(NamedTuple):
    """What a child is once it is ready: what it tells the parent, the handler of requests, and what is called once
    nothing was asked for QUIET_SECONDS.

    A handler takes the body, the bytes and an event, and yields its answers, or None where other requests may be served
    first: urgent ones to their end, then the others in turns. The event is set when nobody wants the answers any more:
    the handler is then closed at its next yield.
    """

    hello: Header
    handle: Handler
    at_rest: Callable[[], None] = lambda: None


def frame(header: Header, blob: bytes = b"") -> bytes:
    """The bytes of one frame."""
    return frame_start(header, len(blob)) + blob


def frame_start(header: Header, size: int) -> bytes:
    """A frame up to its raw bytes, of which there are `size`."""
    head = json.dumps(header).encode()
    return b"".join((LENGTH.pack(len(head)), head, LENGTH.pack(size)))


@dataclass(frozen=True)
class _Request:
    number: int
    body: Header
    blob: bytes | None  # None: larger than the memory
    cancelled: threading.Event

    @property
    def is_urgent(self) -> bool:
        return URGENT in self.body


class _Work(NamedTuple):
    request: _Request
    answers: Answers


class _InHand:
    """The requests that are being answered: urgent ones one after the other, then the others in turns.

    After an urgent one the others stand still for a moment: the next one is likely at hand, and would wait for what
    they begin. (Anticipatory scheduling: Iyer and Druschel, SOSP 2001, for disks.)
    """

    def __init__(self) -> None:
        self._urgent, self._others = deque[_Work](), deque[_Work]()
        # When one of them was last gone on with, by `time.monotonic`; the others also when the first of them came.
        self._urgent_until = self._others_at = -math.inf

    def add(self, work: _Work) -> None:
        """Take a request in hand."""
        if work.request.is_urgent:
            self._urgent.append(work)
            return
        if not self._others:
            self._others_at = time.monotonic()
        self._others.append(work)

    @property
    def pause(self) -> float | None:
        """Seconds to wait for another request before one in hand is gone on with; None if there is none."""
        if self._urgent:
            return 0.0
        if not self._others:
            return None
        now = time.monotonic()
        return 0.0 if now > self._others_at + PATIENCE else max(0.0, self._urgent_until + LINGER - now)

    def go_on(self, outbox: BinaryIO) -> None:
        """Answer the request whose turn it is, until it ends or yields to others."""
        if self._urgent:
            if not _goes_on(*self._urgent[0], outbox):
                self._urgent.popleft()
            self._urgent_until = time.monotonic()
        else:
            work = self._others.popleft()
            if _goes_on(*work, outbox):
                self._others.append(work)
            self._others_at = time.monotonic()


def serve(load: Callable[[], Loaded]) -> NoReturn:
    """Run the main loop of a child; never returns."""
    if parent := os.environ.get(PARENT):
        die_with_parent(int(parent))
    faulthandler.enable(all_threads=False)  # a crash in native code leaves its stack on stderr, which the parent logs
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C hits the whole group; the server closes its children itself
    inbox, outbox = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries print, and some read
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    requests: queue.Queue[_Request] = queue.Queue()
    threading.Thread(target=_listen, args=(inbox, requests), daemon=True).start()
    try:
        with loading():
            loaded = load()
    except Exception as error:  # noqa: BLE001 - whatever keeps it from loading is reported to the parent
        _send(outbox, {"kind": "failed", "message": _sentence(error)})
        os._exit(1)
    _send(outbox, {"kind": "ready", "body": loaded.hello})
    in_hand = _InHand()
    while True:
        while request := _next(requests, in_hand.pause, loaded.at_rest):
            in_hand.add(_Work(request, _answers(loaded.handle, request)))
        in_hand.go_on(outbox)


def _next(requests: "queue.Queue[_Request]", pause: float | None, at_rest: Callable[[], None]) -> _Request | None:
    """The next request that has come, or comes within a pause; without one it is waited for."""
    try:
        if pause == 0:
            return requests.get_nowait()
        return requests.get(timeout=QUIET_SECONDS if pause is None else pause)
    except queue.Empty:
        if pause is not None:
            return None
    at_rest()
    return requests.get()


def _listen(inbox: BinaryIO, requests: queue.Queue[_Request]) -> None:
    # Weak: a request that has been answered needs no event.
    cancelled: weakref.WeakValueDictionary[int, threading.Event] = weakref.WeakValueDictionary()
    try:
        while True:
            header, blob = json.loads(inbox.read(_length(inbox))), _take_blob(inbox)
            if header["kind"] == "request":
                event = cancelled.setdefault(header["id"], threading.Event())
                requests.put(_Request(header["id"], header["body"], blob, event))
                del event
            elif waiting := cancelled.get(header["id"]):
                waiting.set()
                del waiting
    except (struct.error, OSError):
        os._exit(0)  # the parent is gone or closed the pipe: nobody is left to work for
    except BaseException:  # noqa: BLE001 - a child that no longer listens must not stay
        traceback.print_exc()
        os._exit(1)


def _length(inbox: BinaryIO) -> int:
    (length,) = LENGTH.unpack(inbox.read(LENGTH.size))
    return int(length)


def _take_blob(inbox: BinaryIO) -> bytes | None:
    """The bytes of a frame; None, with the bytes skipped, if memory does not suffice for them."""
    length = _length(inbox)
    try:
        return inbox.read(length)  # allocates all of it before it reads
    except MemoryError:
        for start in range(0, length, _PIECE):
            inbox.read(min(_PIECE, length - start))
        return None


def _answers(handle: Handler, request: _Request) -> Answers:
    if request.blob is None:
        raise MemoryError
    yield from handle(request.body, request.blob, request.cancelled)


def _send(outbox: BinaryIO, header: Header, blob: bytes = b"") -> None:
    outbox.write(frame(header, blob))
    outbox.flush()


def _goes_on(request: _Request, answers: Answers, outbox: BinaryIO) -> bool:
    """Answer a request until it ends or yields to others; whether it does the latter."""
    end: Header = {"id": request.number, "kind": "end"}
    try:
        for answer in () if request.cancelled.is_set() else answers:
            if answer is None:
                return True
            if request.cancelled.is_set():
                break
            body, blob = answer
            _send(outbox, {"id": request.number, "kind": "item", "body": body}, blob)
        answers.close()
    except BaseException as error:  # noqa: BLE001 - the process continues; libraries raise SystemExit
        end |= {"kind": "error", "error": type(error).__name__, "message": _sentence(error)}
    _send(outbox, end)
    return False


def _sentence(error: BaseException) -> str:
    if isinstance(error, DocqaError):
        return str(error)
    if isinstance(error, MemoryError):
        return "The process ran out of memory."  # and has none to format a traceback
    traceback.print_exception(error, limit=-INNERMOST)
    sys.stderr.flush()
    return f"{type(error).__name__}: {error}"
