"""The child's side of `child`: frames over stdin and stdout, requests that let each other go on where they say so, and an end when the parent ends.

A frame is a JSON header and raw bytes, each with its length in four bytes in front.
"""

import json
import os
import queue
import signal
import struct
import sys
import threading
import traceback
import weakref
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, BinaryIO

from docqa.errors import DocqaError

LENGTH = struct.Struct("<I")

Header = dict[str, Any]
Answers = Generator[tuple[Header, bytes] | None, None, None]
Handler = Callable[[Header, bytes, threading.Event], Answers]


def frame(header: Header, blob: bytes = b"") -> bytes:
    """The bytes of one frame."""
    head = json.dumps(header).encode()
    return b"".join((LENGTH.pack(len(head)), head, LENGTH.pack(len(blob)), blob))


@dataclass(frozen=True)
class _Request:
    number: int
    body: Header
    blob: bytes
    cancelled: threading.Event


def serve(load: Callable[[], tuple[Header, Handler]]) -> None:
    """The main loop of a child: `load` gives what to tell the parent when ready, and the handler of requests.

    A handler yields its answers, and None where other requests may go on before it does. When the event that it is given is set, nobody wants them any
    more: it is closed where it yields.
    """
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C in a terminal hits the whole group; the server closes its children
    inbox, outbox = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries print, and some read
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    requests: queue.Queue[_Request] = queue.Queue()
    threading.Thread(target=_listen, args=(inbox, requests), daemon=True).start()
    try:
        hello, handle = load()
    except Exception as error:  # noqa: BLE001 - whatever keeps it from loading is what the parent must be told
        _tell(outbox, {"kind": "failed", "message": _sentence(error)})
        os._exit(1)
    _tell(outbox, {"kind": "ready", "body": hello})
    in_hand: list[tuple[_Request, Answers]] = []
    while True:
        while not in_hand or not requests.empty():
            request = requests.get()
            in_hand.append((request, handle(request.body, request.blob, request.cancelled)))
        in_hand = [one for one in in_hand if _goes_on(*one, outbox)]


def _listen(inbox: BinaryIO, requests: queue.Queue[_Request]) -> None:
    cancelled: weakref.WeakValueDictionary[int, threading.Event] = (
        weakref.WeakValueDictionary()
    )  # of the requests that are not answered yet
    try:
        while True:
            header, blob = json.loads(_take(inbox)), _take(inbox)
            if header["kind"] == "request":
                requests.put(
                    _Request(header["id"], header["body"], blob, cancelled.setdefault(header["id"], threading.Event()))
                )
            elif event := cancelled.get(header["id"]):
                event.set()
                del event
    except (struct.error, OSError):
        os._exit(0)  # the parent is gone or closed the pipe: nobody is left to work for


def _take(inbox: BinaryIO) -> bytes:
    (length,) = LENGTH.unpack(inbox.read(LENGTH.size))
    return inbox.read(length)


def _tell(outbox: BinaryIO, header: Header, blob: bytes = b"") -> None:
    outbox.write(frame(header, blob))
    outbox.flush()


def _goes_on(request: _Request, answers: Answers, outbox: BinaryIO) -> bool:
    """Answer a request until it ends or lets others go on: whether it does the latter."""
    end: Header = {"id": request.number, "kind": "end"}
    try:
        for answer in () if request.cancelled.is_set() else answers:
            if answer is None:
                return True
            if request.cancelled.is_set():
                break
            body, blob = answer
            _tell(outbox, {"id": request.number, "kind": "item", "body": body}, blob)
        answers.close()
    except Exception as error:  # noqa: BLE001 - one request failed, the process goes on
        end |= {"kind": "error", "error": type(error).__name__, "message": _sentence(error)}
    _tell(outbox, end)
    return False


def _sentence(error: Exception) -> str:
    if isinstance(error, DocqaError):
        return str(error)
    traceback.print_exception(error)
    sys.stderr.flush()
    return f"{type(error).__name__}: {error}"
