"""The keys of remote providers: from the environment, or from `provider-keys.toml` in the data folder.

Only variables that begin with DOCQA_ are read: another program's key must not send documents away. Whether a key is
valid is not known here.
"""

import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from docqa.errors import CannotStart

KINDS = ("openai", "anthropic", "google", "compatible")
FILE = "provider-keys.toml"


@dataclass(frozen=True)
class ProviderKeys:
    """Keys by kind of provider or by the address of a compatible server; they are not part of its repr."""

    _keys: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def read(cls, environ: Mapping[str, str], data: Path) -> "ProviderKeys":
        """The keys in `environ`, and those of the file in the folder `data` that `environ` does not override.

        Raises CannotStart for an invalid file, one that others may read, or an invalid key, which is never quoted.
        """
        path = data / FILE
        keys = {name.rstrip("/"): _checked(key, f"{path}: {name}") for name, key in _from_file(path).items()}
        for kind in KINDS:
            if key := _checked(environ.get(variable(kind), ""), variable(kind)):
                keys[kind] = key
        return cls({name: key for name, key in keys.items() if key})

    def providers(self) -> list[str]:
        """The kinds and addresses that there are keys for."""
        return list(self._keys)

    def of(self, kind: str, url: str = "") -> str:
        """The key for a target: by its address, else by its kind, else ""."""
        return self._keys.get(url.rstrip("/")) or self._keys.get(kind, "")


def variable(kind: str) -> str:
    """`openai` → `DOCQA_OPENAI_KEY`."""
    return f"DOCQA_{kind.upper()}_KEY"


def without_keys(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` without the keys, for child processes, which do not need them."""
    keys = {variable(kind) for kind in KINDS}
    return {name: value for name, value in environ.items() if name not in keys}


def _from_file(path: Path) -> dict[str, object]:
    if not path.exists():
        return {}
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise CannotStart(f"{path} holds keys, and others may read it: chmod 600 {path}")
    try:
        keys = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        # Without the cause, which may quote a key.
        raise CannotStart(f'{path}: {type(error).__name__}; it needs lines such as openai = "..."') from None
    for name in keys:
        if name not in KINDS and not name.startswith(("http://", "https://")):
            raise CannotStart(
                f"{path}: the names must be {', '.join(KINDS)} or addresses of servers; there is another one"
            )
    return keys


def _checked(key: object, where: str) -> str:
    # A key that an HTTP header cannot carry would be refused later, in an error that quotes it.
    if not isinstance(key, str) or not key.strip().isascii() or not key.strip().isprintable() or " " in key.strip():
        raise CannotStart(f"{where} must be a key: ASCII characters without spaces")
    return key.strip()
