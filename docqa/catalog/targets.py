"""Which targets answer for which model name: `models/models.toml`, read, checked, and read again when it changes.

It does not know which of them can be used on this machine; `models.chat.registry` does.
"""

import logging
import re
import time
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from docqa import SHIPPED as FOLDER
from docqa.errors import CannotStart
from docqa.loopback import is_loopback

log = logging.getLogger(__name__)

SHIPPED = FOLDER / "models.toml"
CHECK_SECONDS = 1.0  # at least, between two checks of the file
BILLING = ("openai", "anthropic", "google")
FORMS = {
    "quotes": "quotes",
    "local": "local:NAME",
    **{kind: f"{kind}:MODEL" for kind in BILLING},
    "compatible": "compatible:http://HOST:PORT/v1#MODEL",
}
FORMER = {"extractive": "quotes"}  # what older files of users say
_NAME = re.compile(r"[!-~](?:[ -~]*[!-~])?")  # printable ASCII: targets are sent in a response header


@dataclass(frozen=True)
class Target:
    """What can answer: `kind` is a key of FORMS, `model` its name there, "" for quotes.

    `url` is the address of the API: always given for a compatible server, else only where it is not the provider's own.
    """

    kind: str
    model: str
    url: str = ""

    @classmethod
    def parse(cls, written: str) -> "Target":
        """The target written in one of FORMS. Raises CannotStart saying what is wrong."""
        written = FORMER.get(written, written)
        kind, _, rest = written.partition(":")
        if kind not in FORMS:
            raise CannotStart(f"{kind!r} is not a kind of target; use {', '.join(FORMS.values())}")
        url, model = "", rest
        if kind == "compatible":
            url, _, model = rest.partition("#")
            _check_address(url)
        if written != kind if kind == "quotes" else not _NAME.fullmatch(model):
            raise CannotStart(f"{written!r} does not have the form {FORMS[kind]}, in ASCII")
        return cls(kind, model, url)

    def __str__(self) -> str:
        """As it is written in `models.toml`; it holds no secret."""
        if self.kind == "compatible":
            return f"compatible:{self.url}#{self.model}"
        return f"{self.kind}:{self.model}" if self.model else self.kind

    @property
    def is_remote(self) -> bool:
        """Whether it is reached over HTTP, possibly on this machine."""
        return self.kind not in ("quotes", "local")

    @property
    def bills(self) -> bool:
        """Whether its answers cost money."""
        return self.kind in BILLING

    @property
    def leaves_machine(self) -> bool:
        """Whether using it sends data to another machine."""
        return self.is_remote and not is_loopback(urlsplit(self.url).hostname or "")


QUOTES = Target("quotes", "")
EMBEDDING = ("openai", "google", "compatible")  # the kinds that have `/embeddings`


def embedding_target(embedder: str) -> Target | None:
    """The remote target that the setting `embedder` names; None where it names a model of this machine. Raises
    CannotStart for a target that is none."""
    return Target.parse(embedder) if embedder.partition(":")[0] in EMBEDDING else None


@dataclass(frozen=True)
class Table:
    """One state of the file: targets by model name, whether a failure falls through to the next target, and the
    addresses of providers that are not their own."""

    targets: dict[str, tuple[Target, ...]]
    fall_through: bool
    urls: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, source: Path) -> "Table":
        """The table in the file `source`. Raises CannotStart naming the file and the invalid key or line."""
        try:
            raw = tomllib.loads(source.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            raise CannotStart(f"{source}: {error}") from error
        try:
            _check_keys(raw, "", "fall_through", "models", "providers")
            providers = _table(raw, "providers")
            _check_keys(providers, "providers.", *BILLING)
            urls = {kind: _url(providers, kind) for kind in providers}
            fall_through = raw.get("fall_through", True)
            if not isinstance(fall_through, bool):
                raise CannotStart("fall_through must be true or false")
            targets = {name: _targets(name, written, urls) for name, written in _table(raw, "models").items()}
            return cls(targets, fall_through, urls)
        except CannotStart as error:
            raise CannotStart(f"{source}: {error}") from error


class Mapping:
    """The current `models.toml` of the models folder, or the shipped one where that folder has none.

    A file that becomes invalid changes nothing: the last valid state stays, and `fault` says what is wrong. Raises
    CannotStart for a file that is invalid from the start.
    """

    def __init__(self, models_dir: Path) -> None:
        self.fault = ""
        self._file = models_dir / "models.toml"
        self._checked = time.monotonic()
        self._seen = self._state()
        self._table = Table.read(self._seen[0])

    def table(self) -> Table:
        """The current table; the file is checked at most every CHECK_SECONDS."""
        now = time.monotonic()
        if now - self._checked >= CHECK_SECONDS:
            self._checked = now
            state = self._state()
            if state != self._seen:
                self._seen = state
                self._reload(state[0])
        return self._table

    def _state(self) -> tuple[Path, int, int]:
        """The file, its modification time in nanoseconds and its size."""
        try:
            status = self._file.stat()
        except FileNotFoundError:
            return SHIPPED, 0, 0
        return self._file, status.st_mtime_ns, status.st_size

    def _reload(self, source: Path) -> None:
        try:
            self._table, self.fault = Table.read(source), ""
            log.info("%s has been read again", source)
        except CannotStart as error:
            self.fault = f"{error}. The previous mapping stays in effect."
            log.error("%s", self.fault)


def _targets(name: str, written: Any, urls: dict[str, str]) -> tuple[Target, ...]:
    if (
        not name
        or not isinstance(written, list)
        or not written
        or not all(isinstance(target, str) for target in written)
    ):
        raise CannotStart(f"models.{name or '(no name)'} must be a non-empty list of targets")
    try:
        parsed = [Target.parse(target) for target in written]
    except CannotStart as error:
        raise CannotStart(f"models.{name}: {error}") from error
    return tuple(replace(target, url=urls.get(target.kind, target.url)) for target in parsed)


def _url(providers: dict[str, Any], kind: str) -> str:
    where = f"providers.{kind}"
    table = _table(providers, kind, where)
    _check_keys(table, f"{where}.", "url")
    url = table.get("url")
    if not isinstance(url, str):
        raise CannotStart(f"{where}.url must be the address of an API")
    try:
        _check_address(url)
    except CannotStart as error:
        raise CannotStart(f"{where}.url: {error}") from error
    return url


def _table(raw: dict[str, Any], key: str, where: str = "") -> dict[str, Any]:
    value = raw.get(key, {})
    if not isinstance(value, dict):
        raise CannotStart(f"{where or key} must be a table")
    return value


def _check_keys(table: dict[str, Any], prefix: str, *known: str) -> None:
    if unknown := sorted(table.keys() - set(known)):
        raise CannotStart(f"{prefix}{unknown[0]} is not known; known are {', '.join(prefix + key for key in known)}")


def _check_address(url: str) -> None:
    """Raises CannotStart unless `url` is the address of an API without secrets in it: clients are shown it."""
    if "@" in url:
        raise CannotStart("an address must not hold a user name or password: keys are kept apart")
    try:
        parts = urlsplit(url)
        valid = (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and not parts.query
            and not parts.fragment
        )
    except ValueError:
        valid = False
    if not valid or not _NAME.fullmatch(url) or " " in url:
        raise CannotStart(f"{url!r} is not an address such as http://127.0.0.1:11434/v1")
