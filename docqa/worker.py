"""The child's side of `child`: frames over stdin and stdout, one request at a time, and an end when the parent ends.

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
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from docqa.errors import DocqaError

LENGTH = struct.Struct("<I")

Header = dict[str, Any]
Handler = Callable[[Header, bytes, threading.Event], Generator[tuple[Header, bytes], None, None]]


def frame(header: Header, blob: bytes = b"") -> bytes:
    """The bytes of one frame."""
    head = json.dumps(header).encode()
    return b"".join((LENGTH.pack(len(head)), head, LENGTH.pack(len(blob)), blob))


@dataclass(frozen=True)
class _Request:
    number: int
    body: Header
    blob: bytes
    cancelled: threading.Event = field(default_factory=threading.Event)


def serve(load: Callable[[], tuple[Header, Handler]]) -> None:
    """The main loop of a child: `load` gives what to tell the parent when ready, and the handler of requests.

    A handler yields its answers and looks at the event it is given: when that is set, nobody wants them any more.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal hits the whole group; the server closes its children
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
    while True:
        _answer(requests.get(), handle, outbox)


def _listen(inbox: BinaryIO, requests: queue.Queue[_Request]) -> None:
    request = None
    try:
        while True:
            header, blob = json.loads(_take(inbox)), _take(inbox)
            if header["kind"] == "request":
                request = _Request(header["id"], header["body"], blob)
                requests.put(request)
            elif request and request.number == header["id"]:
                request.cancelled.set()
    except (struct.error, OSError):
        os._exit(0)  # the parent is gone or closed the pipe: nobody is left to work for


def _take(inbox: BinaryIO) -> bytes:
    (length,) = LENGTH.unpack(inbox.read(LENGTH.size))
    return inbox.read(length)


def _tell(outbox: BinaryIO, header: Header, blob: bytes = b"") -> None:
    outbox.write(frame(header, blob))
    outbox.flush()


def _answer(request: _Request, handle: Handler, outbox: BinaryIO) -> None:
    end: Header = {"id": request.number, "kind": "end"}
    try:
        with closing(handle(request.body, request.blob, request.cancelled)) as answers:
            for body, blob in answers:
                if request.cancelled.is_set():
                    break
                _tell(outbox, {"id": request.number, "kind": "item", "body": body}, blob)
    except Exception as error:  # noqa: BLE001 - one request failed, the process goes on
        end |= {"kind": "error", "error": type(error).__name__, "message": _sentence(error)}
    _tell(outbox, end)


def _sentence(error: Exception) -> str:
    if isinstance(error, DocqaError):
        return str(error)
    traceback.print_exception(error)
    sys.stderr.flush()
    return f"{type(error).__name__}: {error}"
