"""Which models there are, where they come from, and which of them are in the models folder.

`models/catalog.toml` is read here. At start only the sizes of files are looked at; `verify` reads every byte.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from docqa.errors import CannotStart, NotFound

SHIPPED = Path(__file__).resolve().parent.parent / "models" / "catalog.toml"
KINDS = ("embedding", "gguf")


@dataclass(frozen=True)
class File:
    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Wheel:
    """A package whose members named `prefix` + file path are the model's files."""

    name: str
    version: str
    prefix: str


@dataclass(frozen=True)
class Hub:
    repository: str
    revision: str


@dataclass(frozen=True)
class Entry:
    """One model; `dimension` is that of its vectors (0 for a GGUF), `folder` is inside the models folder."""

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

    @property
    def weights(self) -> File:
        """The largest file; its SHA-256 tells one set of vectors from another."""
        return max(self.files, key=lambda file: file.size)


@dataclass(frozen=True)
class Catalog:
    models_dir: Path
    entries: tuple[Entry, ...]

    @classmethod
    def load(cls, models_dir: Path) -> "Catalog":
        """The catalogue of `models_dir`, or the shipped one where that folder has none.

        Raises CannotStart naming the model and field that is wrong, or the line that is no TOML.
        """
        source = models_dir / "catalog.toml"
        source = source if source.exists() else SHIPPED
        try:
            raw = tomllib.loads(source.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            raise CannotStart(f"{source}: {error}") from error
        entries = tuple(_entry(one, f"{source}: model {number}") for number, one in _tables(raw, "model", str(source)))
        for key in ("name", "api_name"):
            taken = [getattr(entry, key) for entry in entries]
            double = sorted({value for value in taken if taken.count(value) > 1})
            if double:
                raise CannotStart(f"{source}: {key} {double[0]!r} stands there twice")
        return cls(models_dir, entries)

    def embedding(self, name: str) -> Entry:
        """The embedding model called `name`. Raises CannotStart listing those there are."""
        known = {entry.name: entry for entry in self.entries if entry.kind == "embedding"}
        if name not in known:
            raise CannotStart(f"There is no embedding model {name!r} in the catalogue; it knows {', '.join(sorted(known)) or 'none'}")
        return known[name]

    def local(self, api_name: str) -> Entry:
        """The GGUF model a request means with `api_name`. Raises NotFound."""
        for entry in self._gguf():
            if entry.api_name == api_name:
                return entry
        raise NotFound(f"There is no local model {api_name}")

    def local_models(self) -> dict[str, Path]:
        """The GGUF models that are really there, by the name a request gives; files without an entry are served too."""
        return {entry.api_name: self.path(entry) for entry in self._gguf() if self.present(entry)}

    def path(self, entry: Entry) -> Path:
        """The folder of an embedding model, the (first) file of a GGUF model."""
        folder = self.models_dir / entry.folder
        return folder if entry.kind == "embedding" else folder / entry.files[0].path

    def present(self, entry: Entry) -> bool:
        """Whether every file is there with the right size (cheap: contents are not read)."""
        return all(_size(self.target(entry, file)) == file.size for file in entry.files)

    def verify(self, entry: Entry) -> list[str]:
        """The files that are missing or whose SHA-256 is wrong; reads all of them."""
        return [file.path for file in entry.files if not is_right(self.target(entry, file), file)]

    def target(self, entry: Entry, file: File) -> Path:
        """Where one file of a model belongs."""
        return self.models_dir / entry.folder / file.path

    def _gguf(self) -> Iterator[Entry]:
        known = [entry for entry in self.entries if entry.kind == "gguf"]
        yield from known
        files = {self.path(entry) for entry in known}
        names = {entry.api_name for entry in known}
        for found in sorted(self.models_dir.glob("*.gguf")):
            if found not in files and _api_name(found.stem) not in names:
                file = File(found.name, found.stat().st_size, "")
                yield Entry(found.stem, "gguf", _api_name(found.stem), "unknown", (), 0, "", (file,))


def _api_name(name: str) -> str:
    """`Qwen2.5-3B` → `QWEN2_5_3B`, in the manner of the API's own model names."""
    return re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")


def _entry(raw: Any, where: str) -> Entry:
    name = _text(raw, "name", where)
    where = f"{where} ({name})"
    kind = _text(raw, "kind", where)
    if kind not in KINDS:
        raise CannotStart(f"{where}: kind is {kind!r}, it must be one of {', '.join(KINDS)}")
    languages = raw.get("languages")
    if not isinstance(languages, list) or not all(isinstance(one, str) for one in languages):
        raise CannotStart(f"{where}: languages must be a list of language codes")
    wheel, hub = _table(raw, "wheel", where), _table(raw, "hub", where)
    return Entry(
        name=name,
        kind=kind,
        api_name=_text(raw, "api_name", where, _api_name(name)),
        licence=_text(raw, "licence", where),
        languages=tuple(languages),
        dimension=_number(raw, "dimension", where) if kind == "embedding" else 0,
        folder=_inside(_text(raw, "folder", where, "" if kind == "gguf" else None), "folder", where),
        files=tuple(_file(one, f"{where}: file {number}") for number, one in _tables(raw, "file", where)),
        wheel=Wheel(*(_text(wheel, key, f"{where}: wheel") for key in ("name", "version", "prefix"))) if wheel else None,
        hub=Hub(*(_text(hub, key, f"{where}: hub") for key in ("repository", "revision"))) if hub else None,
        path=Path(_text(raw, "path", where)).expanduser() if "path" in raw else None,
    )


def _tables(raw: Any, key: str, where: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The tables of an array of tables that must not be empty, counted from 1."""
    value = raw.get(key)
    if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
        raise CannotStart(f"{where}: it needs at least one [[{key}]] table")
    yield from enumerate(value, 1)


def _table(raw: Any, key: str, where: str) -> dict[str, Any] | None:
    value = raw.get(key)
    if value is not None and not isinstance(value, dict):
        raise CannotStart(f"{where}: {key} must be a table")
    return value


def _file(raw: Any, where: str) -> File:
    sha256 = _text(raw, "sha256", where)
    if not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise CannotStart(f"{where}: sha256 must be 64 lower-case hexadecimal digits")
    return File(_inside(_text(raw, "path", where), "path", where), _number(raw, "size", where), sha256)


def _text(raw: Any, key: str, where: str, default: str | None = None) -> str:
    value = raw.get(key, default)
    if not isinstance(value, str) or (not value and default != ""):
        raise CannotStart(f"{where}: {key} must be a text")
    return value


def _number(raw: Any, key: str, where: str) -> int:
    value = raw.get(key)
    if type(value) is not int or value < 1:
        raise CannotStart(f"{where}: {key} must be a whole number, 1 or more")
    return value


def _inside(path: str, key: str, where: str) -> str:
    # The catalogue may come from somebody else: nothing it names may land outside the models folder.
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or "\\" in path or ":" in path:
        raise CannotStart(f"{where}: {key} {path!r} leaves the models folder")
    return path


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else -1


def is_right(path: Path, file: File) -> bool:
    """Whether the file at `path` has the catalogue's size and SHA-256; reads all of it."""
    if _size(path) != file.size:
        return False
    with path.open("rb") as content:
        return not file.sha256 or hashlib.file_digest(content, "sha256").hexdigest() == file.sha256
