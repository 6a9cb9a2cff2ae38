"""TOML that was parsed once is kept where Python keeps what it has compiled: parsing takes ten times as long as all
else that a start does with it."""

import hashlib
import marshal
import os
import sys
import tomllib
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

_HASH_BYTES = 32


def read_parsed(path: Path, text: str) -> dict[str, Any]:
    """What `text`, which is that of the file at `path`, says in TOML. It is kept for the next time where a file can be
    written. Raises TOMLDecodeError."""
    digest = hashlib.sha256(text.encode()).digest()
    kept = Path(cache_from_source(str(path.with_suffix(".py")))).with_suffix(".marshal")
    with suppress(OSError, ValueError, EOFError, TypeError):  # not kept, or not whole
        data = kept.read_bytes()
        if data[:_HASH_BYTES] == digest:
            return dict(marshal.loads(data[_HASH_BYTES:]))
    parsed = tomllib.loads(text)
    if not sys.dont_write_bytecode:
        with suppress(OSError):  # installed by another user, or confined
            kept.parent.mkdir(parents=True, exist_ok=True)
            unfinished = kept.with_name(f"{kept.name}.{os.getpid()}")
            unfinished.write_bytes(digest + marshal.dumps(parsed))
            unfinished.replace(kept)
    return parsed
