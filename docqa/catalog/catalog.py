"""Which models there are, where they come from, and which of them are in the models folder.

`models/catalog.toml` is read here, and the records beside models whose files the catalogue does not list. At start only
the sizes of files are checked; `verify` reads every byte. Nothing here knows what a model can do.
"""

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from docqa import SHIPPED as FOLDER
from docqa.catalog.entries import (
    Entry,
    File,
    api_name,
    read_dimension,
    read_entry,
    read_file,
    read_number,
    read_tables,
    read_text,
)
from docqa.errors import CannotStart, NotFound

SHIPPED = FOLDER / "catalog.toml"
AUTO = "auto"  # as the name of an embedding model
PART = re.compile(r"(?P<name>.+)-\d{5}-of-(?P<count>\d{5})")  # the stem of one file of a split GGUF


@dataclass(frozen=True)
class Catalog:
    """The models of a folder: `entries` come from the catalogue, `models` adds the GGUF files that it does not name."""

    models_dir: Path
    entries: tuple[Entry, ...]

    @classmethod
    def load(cls, models_dir: Path) -> "Catalog":
        """The catalogue of `models_dir`, or the shipped one where that folder has none.

        Raises CannotStart naming the invalid model and field, the line that is not TOML, or the damaged record.
        """
        source = models_dir / "catalog.toml"
        source = source if source.exists() else SHIPPED
        try:
            raw = tomllib.loads(source.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            raise CannotStart(f"{source}: {error}") from error
        entries = tuple(
            read_entry(table, f"{source}: model {number}") for number, table in read_tables(raw, "model", str(source))
        )
        for key in ("name", "api_name"):
            values = [getattr(entry, key) for entry in entries]
            duplicates = sorted({value for value in values if values.count(value) > 1})
            if duplicates:
                raise CannotStart(f"{source}: {key} {duplicates[0]!r} occurs twice")
        catalog = cls(models_dir, entries)
        return cls(models_dir, tuple(entry if entry.files else catalog.recorded(entry) for entry in entries))

    def embedding(self, name: str) -> Entry:
        """The embedding model called `name`, or the one in a sentence-transformers folder at this path; of `auto` the
        optional one that was fetched last, for somebody wanted it, else the first that is not optional.

        Raises CannotStart listing the known ones.
        """
        if name == AUTO and (chosen := self._wanted_embedding()):
            return chosen
        folder = Path(name).expanduser()
        if (folder / "modules.json").is_file():
            return _folder_entry(folder.resolve())
        known = {entry.name: entry for entry in self.entries if entry.kind == "embedding"}
        if name not in known:
            raise CannotStart(
                f"There is no embedding model {name!r} in the catalogue; it has {', '.join(sorted(known)) or 'none'}"
            )
        return known[name]

    def _wanted_embedding(self) -> Entry | None:
        entries = [entry for entry in self.entries if entry.kind == "embedding" and not entry.for_other_languages]
        pulled = [entry for entry in entries if entry.optional and self.present(entry)]
        if pulled:
            return max(pulled, key=lambda entry: self.target(entry, entry.weights).stat().st_mtime)
        return next((entry for entry in entries if not entry.optional), None)

    def beside(self, name: str) -> Entry | None:
        """The embedding model that serves beside the one of `auto`, for languages which that does not know; None where
        it knows all, or another `name` is chosen."""
        if name != AUTO or not self.embedding(AUTO).languages:
            return None
        others = (entry for entry in self.entries if entry.kind == "embedding" and entry.for_other_languages)
        return next(others, None)

    def searches(self, entry: Entry, embedder: str) -> bool:
        """Whether a server that starts now with this `embedder` in its settings searches with this model."""
        known = embedder in (AUTO, *(other.name for other in self.entries))
        return known and entry in (self.embedding(embedder), self.beside(embedder))

    def with_weights(self, kind: str, sha256: str) -> Entry | None:
        """The model of this kind, `embedding`, `encoder` or `gguf`, with these weights, if it is present."""
        present = (entry for entry in self.entries if entry.kind == kind and self.present(entry))
        return next((entry for entry in present if entry.weights.sha256 == sha256), None)

    def local_models(self) -> dict[str, Path]:
        """The files of the GGUF models present, by their names in requests; files without an entry count too."""
        return {
            entry.api_name: self.path(entry) for entry in self.models() if entry.kind == "gguf" and self.present(entry)
        }

    def find(self, name: str) -> Entry:
        """The model that a person means by `name`: its name, its name in requests or its file's, in any case.

        Of several, one that is present. Raises NotFound.
        """
        wanted = name.lower().removesuffix(".gguf")
        matches = [
            entry
            for entry in self.models()
            if wanted in {alias.lower() for alias in (entry.name, entry.api_name, *entry.stems)}
        ]
        if not matches:
            raise NotFound(f"There is no model {name}; `models list` shows the models there are")
        return next((entry for entry in matches if self.present(entry)), matches[0])

    def path(self, entry: Entry) -> Path:
        """The folder of a model, of a GGUF model whose files are known its (first) file."""
        folder = self.models_dir / entry.folder
        return folder if entry.kind != "gguf" else folder / entry.files[0].path

    def present(self, entry: Entry) -> bool:
        """Whether every file is there with the right size; contents are not read."""
        return bool(entry.files) and all(_size(self.target(entry, file)) == file.size for file in entry.files)

    def verify(self, entry: Entry) -> list[str]:
        """The paths of files that are missing or whose SHA-256 is wrong; reads all of them."""
        return [file.path for file in entry.files if not is_right(self.target(entry, file), file)]

    def target(self, entry: Entry, file: File) -> Path:
        """Where one file of a model belongs."""
        return self.models_dir / entry.folder / file.path

    def unfinished(self, entry: Entry) -> Path:
        """The folder in which an interrupted download from a hub is resumed."""
        return self.models_dir / "downloads" / "hub" / entry.name

    def given_up(self, entry: Entry) -> Path:
        """The mark that keeps a start from fetching a model: an earlier try failed, or the model was removed."""
        return self.models_dir / "downloads" / f"{entry.name}.failed"

    def record_path(self, entry: Entry) -> Path:
        """The file that records which files a model has, if the catalogue does not say."""
        return self.models_dir / f"{entry.name}.json"

    def record(self, entry: Entry) -> None:
        """Write the record of a present model: its files, their revision and its dimension."""
        record = {
            "revision": entry.hub.revision if entry.hub else "",
            "dimension": entry.dimension,
            "file": [asdict(file) for file in entry.files],
        }
        part = self.record_path(entry).with_suffix(".json.part")
        part.write_text(json.dumps(record, indent=1), "utf-8")
        os.replace(part, self.record_path(entry))

    def recorded(self, entry: Entry) -> Entry:
        """`entry` completed from its record, if there is one. Raises CannotStart for a damaged one."""
        path = self.record_path(entry)
        try:
            raw = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            return entry
        except (ValueError, OSError) as error:
            raise CannotStart(f"{path}: {error}; delete it and get the model again") from error
        files = tuple(
            read_file(table, f"{path}: file {number}") for number, table in read_tables(raw, "file", str(path))
        )
        hub = replace(entry.hub, revision=read_text(raw, "revision", str(path))) if entry.hub else None
        return replace(
            entry, files=files, dimension=entry.dimension or read_number(raw, "dimension", str(path), least=0), hub=hub
        )

    def models(self) -> Iterator[Entry]:
        """The entries of the catalogue, then the GGUF models in the folder that it does not name.

        Raises CannotStart.
        """
        yield from self.entries
        files = {self.target(entry, file) for entry in self.entries for file in entry.files}
        taken = {entry.api_name for entry in self.entries if self.present(entry)}
        for name, parts in split_models(path for path in self.models_dir.glob("*.gguf") if path not in files):
            if api_name(name) not in taken:
                files_now = tuple(File(path.name, path.stat().st_size, "") for path in parts)
                recorded = self.recorded(Entry(name, "gguf", api_name(name), "unknown", (), 0, "", ()))
                unchanged = [replace(file, sha256="") for file in recorded.files] == list(files_now)
                yield recorded if unchanged else replace(recorded, files=files_now)


def _folder_entry(folder: Path) -> Entry:
    """The entry of a model outside the catalogue, from its files. Its weights are hashed: they identify its vectors."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    weights = max(paths, key=lambda path: path.stat().st_size)
    files = tuple(
        File(path.relative_to(folder).as_posix(), path.stat().st_size, digest(path) if path == weights else "")
        for path in paths
    )
    return Entry(
        folder.name, "embedding", api_name(folder.name), "unknown", (), read_dimension(folder), str(folder), files
    )


def split_models(paths: Iterable[Path]) -> list[tuple[str, list[Path]]]:
    """The GGUF models among `paths`: name and file, or the parts of a split model in order, if all are there."""
    models: dict[tuple[str, int], list[Path]] = {}
    for path in sorted(paths):
        part = PART.fullmatch(path.stem)
        models.setdefault((part["name"], int(part["count"])) if part else (path.stem, 1), []).append(path)
    return [(name, parts) for (name, count), parts in models.items() if len(parts) == count]


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else -1


def is_right(path: Path, file: File) -> bool:
    """Whether the file at `path` has that size and SHA-256, where one is known; reads all of it."""
    return _size(path) == file.size and file.sha256 in ("", digest(path))


def digest(path: Path) -> str:
    """The SHA-256 of the file at `path`, in hexadecimal."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
