"""Every setting, read once from the environment (`DOCQA_*`) and the command line into one frozen dataclass."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from docqa import HOME
from docqa.errors import CannotStart

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _networks(raw: str) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(part.strip(), strict=False) for part in raw.split(",") if part.strip())


def _ports(raw: str) -> tuple[int, ...]:
    ports: set[int] = set()
    for part in raw.split(","):
        first, _, last = part.strip().partition("-")
        ports.update(range(_port(first), _port(last or first) + 1))
    return tuple(sorted(ports))


def _names(raw: str) -> tuple[str, ...]:
    return tuple(name.strip().lower().rstrip(".") for name in raw.split(",") if name.strip())


def _path(raw: str) -> Path:
    return Path(raw).expanduser().resolve()


def _positive(raw: str) -> int:
    if not raw.isdecimal() or int(raw) < 1:
        raise ValueError("must be a whole number, 1 or more")
    return int(raw)


def _number(raw: str) -> int:
    if not raw.isdecimal():
        raise ValueError("must be a whole number, 0 or more")
    return int(raw)


def _parallel(raw: str) -> int:
    if raw not in ("0", "1", "2", "3", "4"):
        raise ValueError("must be a whole number between 0 and 4")
    return int(raw)


def _port(raw: str) -> int:
    if not raw.isdecimal() or int(raw) > 65535:
        raise ValueError("must be a port between 0 and 65535")
    return int(raw)


def _cache_type(raw: str) -> str:
    if raw.lower() not in ("f16", "q8_0", "q4_0"):
        raise ValueError("must be f16, q8_0 or q4_0")
    return raw.lower()


def _level(raw: str) -> str:
    if raw.lower() not in ("debug", "info", "warning", "error"):
        raise ValueError("must be debug, info, warning or error")
    return raw.lower()


def _flag(raw: str) -> bool:
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    if raw.lower() not in words:
        raise ValueError("must be on or off")
    return words[raw.lower()]


def _setting(default: Any, read: Any, text: str) -> Any:
    return field(default=default, metadata={"read": read, "help": text})


@dataclass(frozen=True)
class Settings:
    """The settings of one running server; the field `data` is `DOCQA_DATA` in the environment, and so on."""

    host: str = _setting("127.0.0.1", str, "address to listen on")
    port: int = _setting(8000, _port, "port to listen on; 0 takes a free one")
    host_names: tuple[str, ...] = _setting(
        (),
        _names,
        "names under which a proxy or a browser reaches a server that listens on loopback, beside `localhost`, such as "
        "`docs.example.org`; `*` for any",
    )
    data: Path = _setting(HOME / "data", _path, "folder of the SQLite file and the first API key")
    models: Path = _setting(HOME / "models", _path, "folder of the models and their catalogue")
    embedder: str = _setting(
        "auto",
        str,
        "embedding model: its name in the catalogue, or its folder; `auto` for the one that was pulled last, "
        "all-MiniLM-L6-v2 if none was, with multilingual-e5-small beside it for languages that it does not know; "
        "`none` for full-text search only; a server that has `/embeddings`, such as "
        "`compatible:http://127.0.0.1:8080/v1#MODEL` or `openai:text-embedding-3-small`, gets all texts",
    )
    upload_mb: int = _setting(200, _positive, "largest file or linked page, in MB")
    body_mb: int = _setting(2, _positive, "largest JSON body, in MB")
    account_documents: int = _setting(0, _number, "documents that one account may keep; 0 for any number")
    account_mb: int = _setting(0, _number, "size of the files that one account may keep, in MB; 0 for any size")
    account_knowledge_bases: int = _setting(0, _number, "knowledge bases that one account may keep; 0 for any number")
    extract_seconds: int = _setting(
        45, _positive, "time of a processor one file may take to be read, in seconds; by the clock three times as long"
    )
    extract_memory_mb: int = _setting(2048, _positive, "memory each process that reads a file may take, in MB")
    extract_parallel: int = _setting(
        2, _positive, "files read at the same time; a long PDF is read by as many processes if no other file is"
    )
    extract_queue: int = _setting(
        32, _positive, "files of one account that may wait to be read before an upload gets 503"
    )
    chat_parallel: int = _setting(
        8, _positive, "questions that are worked on at once, in turns of the accounts; one has three quarters at most"
    )
    chat_queue: int = _setting(8, _positive, "questions of one account that may wait for their turn, beyond these")
    account_requests: int = _setting(
        64, _positive, "requests of one account, of all kinds, that may be in hand before the next one gets 503"
    )
    ocr_languages: str = _setting(
        "", str, "Tesseract's languages for scanned pages, such as `eng+deu`; empty takes all that are installed"
    )
    fetch_seconds: int = _setting(30, _positive, "time a link may take to be fetched")
    private_networks: tuple[Network, ...] = _setting(
        (), _networks, "private networks that links may point to, such as `10.0.0.0/8,127.0.0.1/32`"
    )
    link_ports: tuple[int, ...] = _setting(
        (80, 443), _ports, "ports that links may lead to, such as `80,443,8000-8099`"
    )
    rerank: bool = _setting(True, _flag, "the second stage of search, which orders passages by their single sentences")
    reader: bool = _setting(
        True, _flag, "the part of the embedding model that finds short answers; without it answers are whole sentences"
    )
    verifier: bool = _setting(
        True, _flag, "the larger model that reads the best passages once more, to choose among them and to doubt them"
    )
    answer_seconds: int = _setting(50, _positive, "time all models that are asked may take for one answer")
    answer_queue: int = _setting(8, _positive, "questions that may wait for one local model before a chat gets 503")
    answer_parallel: int = _setting(
        0,
        _parallel,
        "answers that a local model writes at once, 1 to 4; "
        "0 for as many as are sooner written together, which is measured at load",
    )
    context_tokens: int = _setting(
        8192, _positive, "context of a local model, in tokens, at most; its own limit and the free memory bound it"
    )
    cache_type: str = _setting(
        "f16",
        _cache_type,
        "how a local model keeps what it has read: f16, or q8_0 or q4_0 in a half or a quarter of the memory",
    )
    idle_seconds: int = _setting(
        600, _positive, "time after which models that nobody asks are unloaded, until the next question"
    )
    offline: bool = _setting(
        False, _flag, "nothing leaves this machine: links, remote models and downloads are refused"
    )
    log_level: str = _setting("info", _level, "debug, info, warning or error")

    @property
    def database(self) -> Path:
        """The one file that holds everything the server stores."""
        return self.data / "docqa.sqlite"

    @property
    def key_file(self) -> Path:
        """Where the first API key is kept, for the commands of who may read it."""
        return self.data / "api-key"

    @property
    def log_file(self) -> Path:
        """What the server has logged."""
        return self.data / "server.log"

    def environment(self) -> dict[str, str]:
        """What has a child process read the same paths, models and address: the settings that a start or a command may
        name beside the environment."""
        names = ("host", "port", "data", "models", "embedder", "offline")
        return {environment_name(name): str(getattr(self, name)) for name in names}

    @classmethod
    def read(cls, environ: Mapping[str, str], **given: str | None) -> "Settings":
        """Settings from `environ`, overridden by what was given on the command line (None: not given).

        Raises CannotStart naming the setting that does not parse.
        """
        values: dict[str, Any] = {}
        for field_ in fields(cls):
            name = environment_name(field_.name)
            raw = given.get(field_.name)
            raw = environ.get(name) if raw is None else raw
            if raw is None:
                continue
            try:
                values[field_.name] = field_.metadata["read"](raw)
            except ValueError as error:
                raise CannotStart(f"{name}={raw!r}: {error}") from error
        return cls(**values)


def environment_name(field_name: str) -> str:
    """`upload_mb` → `DOCQA_UPLOAD_MB`."""
    return f"DOCQA_{field_name.upper()}"
