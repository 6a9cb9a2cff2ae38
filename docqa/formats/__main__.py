"""The child process that reads one file: a JSON line and the bytes come in over stdin, a JSON object goes out over stdout."""

import os
import sys
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from docqa.formats.pages import ExtractedPage


def limit(memory_mb: int, seconds: int) -> None:
    """Bound memory, processor time and core dumps; a system without `resource` (Windows) has the parent's clock only."""
    try:
        import resource
    except ImportError:
        return
    wanted = memory_mb << 20
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard == resource.RLIM_INFINITY or wanted <= hard:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, wanted))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    limit(int(sys.argv[1]), int(sys.argv[2]))
    # Libraries print to file descriptor 1; what they print must not get into the reply.
    out = os.dup(1)
    os.dup2(2, 1)
    with os.fdopen(out, "wb") as pipe:
        pipe.write(answer(pipe))
    os._exit(0)


def answer(pipe: BinaryIO) -> bytes:
    """Write the pages, a line of JSON each; the last line, which tells how it went, is returned."""
    import json
    import traceback

    try:
        return json.dumps(pages(pipe), ensure_ascii=False).encode("utf-8", "replace")
    except MemoryError:
        return b'{"memory": true}'
    except BaseException as error:  # noqa: BLE001 - reported to the parent, with its traceback
        # Whatever a reader's library raises on a hostile file ends here; the parent logs it.
        if any(
            sign in str(error).lower()
            for sign in ("malloc", "out of memory", "memory allocation", "bad_alloc", "cannot allocate")
        ):
            return b'{"memory": true}'
        return json.dumps({"unexpected": traceback.format_exc(limit=-5)}).encode()


def pages(pipe: BinaryIO) -> dict[str, object]:
    import dataclasses
    import json

    from docqa.errors import Unreadable
    from docqa.formats import reading

    request = json.loads(sys.stdin.buffer.readline())
    data = sys.stdin.buffer.read()
    try:
        if "page_number" in request:
            _write(pipe, reading.recognise(data, request["page_number"], request["languages"]))
            return {"kind": "pdf", "title": "", "notes": [], "table": None}
        found = reading.read(data, request["name"], request["media_type"])
        for page in found.pages:
            _write(pipe, page)
    except Unreadable as error:
        return {"refused": str(error)}
    return {
        "kind": found.kind,
        "title": found.title,
        "notes": found.notes,
        "table": found.table and dataclasses.astuple(found.table),
    }


def _write(pipe: BinaryIO, page: "ExtractedPage") -> None:
    import dataclasses
    import json

    pipe.write(json.dumps(dataclasses.astuple(page), ensure_ascii=False).encode("utf-8", "replace") + b"\n")


if __name__ == "__main__":
    main()
