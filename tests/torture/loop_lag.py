"""A server that notes what keeps its event loop: python tests/torture/loop_lag.py FILE serve [OPTIONS]

Each callback that takes the loop's thread longer than 20 ms becomes a line of JSON in FILE: `cpu` and `wall`
milliseconds, and where it was meanwhile. On a busy machine `wall` tells of the machine, `cpu` of the server.
"""

import asyncio
import json
import sys
import threading
import time
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).parents[2]))

LIMIT = 0.020  # seconds
INNERMOST = 8  # calls of our own that are named


def install(path: Path) -> None:
    """Watch every event loop of the calling thread from now on."""
    loop_thread, original = threading.get_ident(), asyncio.Handle._run
    since, seen = 0.0, ""
    out = path.open("a", buffering=1)

    def run(handle: asyncio.Handle) -> None:
        nonlocal since, seen
        if threading.get_ident() != loop_thread:
            return original(handle)
        cpu = time.thread_time()
        since, seen = time.perf_counter(), ""
        try:
            original(handle)
        finally:
            wall, cpu = time.perf_counter() - since, time.thread_time() - cpu
            since = 0.0
            if wall > LIMIT:
                out.write(json.dumps({"cpu": round(1000 * cpu), "wall": round(1000 * wall), "where": seen}) + "\n")

    def sample() -> None:
        nonlocal seen
        while True:
            time.sleep(LIMIT / 4)
            if since and time.perf_counter() - since > LIMIT / 2 and not seen:
                seen = _calls(sys._current_frames().get(loop_thread))

    asyncio.Handle._run = run  # type: ignore[method-assign]
    threading.Thread(target=sample, daemon=True).start()


def _calls(frame: FrameType | None) -> str:
    names: list[str] = []
    while frame is not None and len(names) < INNERMOST:
        if "docqa" in frame.f_code.co_filename or not names:
            names.append(f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {frame.f_code.co_name}")
        frame = frame.f_back
    return " < ".join(names)


if __name__ == "__main__":
    from docqa.cli.main import main

    install(Path(sys.argv[1]))
    sys.exit(main(sys.argv[2:]))
