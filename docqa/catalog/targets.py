"""Which targets answer for which model name: `models/models.toml`, read, checked, and read again when it has changed.

It does not know which of them can be used on this machine; `models.chat.registry` does.
"""

import logging
import re
import time
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from docqa import ROOT
from docqa.errors import CannotStart
from docqa.loopback import is_loopback

log = logging.getLogger(__name__)

SHIPPED = ROOT / "models" / "models.toml"
LOOK_SECONDS = 1.0  # between two looks at the file
BILLING = ("openai", "anthropic", "google")
FORMS = {
    "extractive": "extractive",
    "local": "local:NAME",
    **{kind: f"{kind}:MODEL" for kind in BILLING},
    "compatible": "compatible:http://HOST:PORT/v1#MODEL",
}
_NAME = re.compile(r"[!-~](?:[ -~]*[!-~])?")  # a target is told in a response header, which holds no other letters


@dataclass(frozen=True)
class Target:
    """What can answer: `kind` is one of FORMS, `model` the name it has there ("" of extractive).

    `url` is the address of the API: always there for a compatible one, for the others only where it is not the provider's own.
    """

    kind: str
    model: str
    url: str = ""

    @classmethod
    def parse(cls, written: str) -> "Target":
        """The target written in one of FORMS. Raises CannotStart with what is wrong."""
        kind, _, rest = written.partition(":")
        if kind not in FORMS:
            raise CannotStart(f"{kind!r} is no kind of target; there are {', '.join(FORMS.values())}")
        url, model = "", rest
        if kind == "compatible":
            url, _, model = rest.partition("#")
            _check_address(url)
        if written != kind if kind == "extractive" else not _NAME.fullmatch(model):
            raise CannotStart(f"{written!r} is not written as {FORMS[kind]}, in ASCII")
        return cls(kind, model, url)

    def __str__(self) -> str:
        """As it is written in `models.toml`; it holds no secret."""
        if self.kind == "compatible":
            return f"compatible:{self.url}#{self.model}"
        return f"{self.kind}:{self.model}" if self.model else self.kind

    @property
    def is_remote(self) -> bool:
        """Whether it is asked over HTTP, be it on this machine."""
        return self.kind not in ("extractive", "local")

    @property
    def bills(self) -> bool:
        return self.kind in BILLING

    @property
    def leaves_machine(self) -> bool:
        """Whether asking it sends anything to another machine."""
        return self.is_remote and not is_loopback(urlsplit(self.url).hostname or "")


@dataclass(frozen=True)
class Table:
    """One state of the file; `fall_through` is whether the next target is asked when one fails."""

    targets: dict[str, tuple[Target, ...]]
    fall_through: bool

    @classmethod
    def read(cls, source: Path) -> "Table":
        """Raises CannotStart naming the file and the key that is wrong, or the line that is no TOML."""
        try:
            raw = tomllib.loads(source.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            raise CannotStart(f"{source}: {error}") from error
        try:
            _only(raw, "", "fall_through", "models", "providers")
            providers = _table(raw, "providers")
            _only(providers, "providers.", *BILLING)
            urls = {kind: _url(providers, kind) for kind in providers}
            fall_through = raw.get("fall_through", True)
            if not isinstance(fall_through, bool):
                raise CannotStart("fall_through must be true or false")
            return cls(
                {name: _targets(name, written, urls) for name, written in _table(raw, "models").items()}, fall_through
            )
        except CannotStart as error:
            raise CannotStart(f"{source}: {error}") from error


class Mapping:
    """`models.toml` of the models folder, or the shipped one where that folder has none, as it is now.

    A file that has become wrong changes nothing: the last right state stays, and `fault` says what is wrong.
    """

    def __init__(self, models_dir: Path) -> None:
        """Raises CannotStart where the file is wrong from the start."""
        self.fault = ""
        self._file = models_dir / "models.toml"
        self._looked = time.monotonic()
        self._seen = self._look()
        self._table = Table.read(self._seen[0])

    def table(self) -> Table:
        """The state of now; the file is looked at once a second at most."""
        now = time.monotonic()
        if now - self._looked >= LOOK_SECONDS:
            self._looked = now
            seen = self._look()
            if seen != self._seen:
                self._seen = seen
                self._reload(seen[0])
        return self._table

    def _look(self) -> tuple[Path, int, int]:
        """Which file it is, when it was changed, and its size."""
        try:
            state = self._file.stat()
        except FileNotFoundError:
            return SHIPPED, 0, 0
        return self._file, state.st_mtime_ns, state.st_size

    def _reload(self, source: Path) -> None:
        try:
            self._table, self.fault = Table.read(source), ""
            log.info("%s is read again", source)
        except CannotStart as error:
            self.fault = f"{error}. The models stay mapped as they were."
            log.error("%s", self.fault)


def _targets(name: str, written: Any, urls: dict[str, str]) -> tuple[Target, ...]:
    if not name or not isinstance(written, list) or not written or not all(isinstance(one, str) for one in written):
        raise CannotStart(f"models.{name or '(no name)'} must be a name with a list of at least one target")
    try:
        parsed = [Target.parse(one) for one in written]
    except CannotStart as error:
        raise CannotStart(f"models.{name}: {error}") from error
    return tuple(replace(one, url=urls.get(one.kind, one.url)) for one in parsed)


def _url(providers: dict[str, Any], kind: str) -> str:
    where = f"providers.{kind}"
    table = _table(providers, kind, where)
    _only(table, f"{where}.", "url")
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


def _only(table: dict[str, Any], prefix: str, *known: str) -> None:
    if unknown := sorted(table.keys() - set(known)):
        raise CannotStart(f"{prefix}{unknown[0]} is not known; there is {', '.join(prefix + one for one in known)}")


def _check_address(url: str) -> None:
    """Raises CannotStart unless `url` is the address of an API that holds no secret: it is told to those who ask."""
    if "@" in url:
        raise CannotStart("an address must not hold a user name or password: keys stand apart")
    try:
        parts = urlsplit(url)
        right = (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and not parts.query
            and not parts.fragment
        )
    except ValueError:
        right = False
    if not right or not _NAME.fullmatch(url) or " " in url:
        raise CannotStart(f"{url!r} is no address such as http://127.0.0.1:11434/v1")
