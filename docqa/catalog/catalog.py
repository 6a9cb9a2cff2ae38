"""Which models there are, where they come from, and which of them are in the models folder.

`models/catalog.toml` is read here, and the records beside models whose files the catalogue does not list. At start only
the sizes of files are looked at; `verify` reads every byte. What a model can do is not known here.
"""

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from docqa import ROOT
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

SHIPPED = ROOT / "models" / "catalog.toml"
PART = re.compile(r"(?P<name>.+)-\d{5}-of-(?P<count>\d{5})")  # the stem of one file of a split GGUF


@dataclass(frozen=True)
class Catalog:
    """`entries` are the catalogue's; `models` has those and the GGUF files that it does not name."""

    models_dir: Path
    entries: tuple[Entry, ...]

    @classmethod
    def load(cls, models_dir: Path) -> "Catalog":
        """The catalogue of `models_dir`, or the shipped one where that folder has none.

        Raises CannotStart naming the model and field that is wrong, or the line that is no TOML, or the record that is damaged.
        """
        source = models_dir / "catalog.toml"
        source = source if source.exists() else SHIPPED
        try:
            raw = tomllib.loads(source.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            raise CannotStart(f"{source}: {error}") from error
        entries = tuple(
            read_entry(one, f"{source}: model {number}") for number, one in read_tables(raw, "model", str(source))
        )
        for key in ("name", "api_name"):
            taken = [getattr(entry, key) for entry in entries]
            double = sorted({value for value in taken if taken.count(value) > 1})
            if double:
                raise CannotStart(f"{source}: {key} {double[0]!r} stands there twice")
        catalog = cls(models_dir, entries)
        return cls(models_dir, tuple(entry if entry.files else catalog.recorded(entry) for entry in entries))

    def embedding(self, name: str) -> Entry:
        """The embedding model called `name`, or that of the sentence-transformers folder at this path. Raises CannotStart listing those there are."""
        folder = Path(name).expanduser()
        if (folder / "modules.json").is_file():
            return _entry_of(folder.resolve())
        known = {entry.name: entry for entry in self.entries if entry.kind == "embedding"}
        if name not in known:
            raise CannotStart(
                f"There is no embedding model {name!r} in the catalogue; it knows {', '.join(sorted(known)) or 'none'}"
            )
        return known[name]

    def with_weights(self, kind: str, sha256: str) -> Entry | None:
        """The model of this kind, `embedding` or `gguf`, with these weights, if it is here."""
        here = (entry for entry in self.entries if entry.kind == kind and self.present(entry))
        return next((entry for entry in here if entry.weights.sha256 == sha256), None)

    def local_models(self) -> dict[str, Path]:
        """The GGUF models that are really there, by the name a request gives; files without an entry are served too."""
        return {
            entry.api_name: self.path(entry) for entry in self.models() if entry.kind == "gguf" and self.present(entry)
        }

    def find(self, name: str) -> Entry:
        """The model that a person means with `name`: its name, the one a request gives, or its file's, in any case; rather one that is here.

        Raises NotFound.
        """
        meant = name.lower().removesuffix(".gguf")
        named = [
            entry
            for entry in self.models()
            if meant in {one.lower() for one in (entry.name, entry.api_name, *entry.stems)}
        ]
        if not named:
            raise NotFound(f"There is no model {name}; `models list` shows those there are")
        return next((entry for entry in named if self.present(entry)), named[0])

    def path(self, entry: Entry) -> Path:
        """The folder of an embedding model, the (first) file of a GGUF model whose files are known."""
        folder = self.models_dir / entry.folder
        return folder if entry.kind == "embedding" else folder / entry.files[0].path

    def present(self, entry: Entry) -> bool:
        """Whether every file is there with the right size (cheap: contents are not read)."""
        return bool(entry.files) and all(_size(self.target(entry, file)) == file.size for file in entry.files)

    def verify(self, entry: Entry) -> list[str]:
        """The files that are missing or whose SHA-256 is wrong; reads all of them."""
        return [file.path for file in entry.files if not is_right(self.target(entry, file), file)]

    def target(self, entry: Entry, file: File) -> Path:
        """Where one file of a model belongs."""
        return self.models_dir / entry.folder / file.path

    def unfinished(self, entry: Entry) -> Path:
        """Where the files of an interrupted download from a hub are gone on with."""
        return self.models_dir / "downloads" / "hub" / entry.name

    def given_up(self, entry: Entry) -> Path:
        """The mark that keeps a start from getting a model by itself: it could not be had, or it was removed."""
        return self.models_dir / "downloads" / f"{entry.name}.failed"

    def record_path(self, entry: Entry) -> Path:
        """Where it is written down which files a model has, if the catalogue does not say."""
        return self.models_dir / f"{entry.name}.json"

    def record(self, entry: Entry) -> None:
        """Write down what is known of `entry` since it is here: its files, its dimension and the revision they are of."""
        known = {
            "revision": entry.hub.revision if entry.hub else "",
            "dimension": entry.dimension,
            "file": [asdict(file) for file in entry.files],
        }
        part = self.record_path(entry).with_suffix(".json.part")
        part.write_text(json.dumps(known, indent=1), "utf-8")
        os.replace(part, self.record_path(entry))

    def recorded(self, entry: Entry) -> Entry:
        """`entry` with what its record says, if there is one. Raises CannotStart for a damaged one."""
        path = self.record_path(entry)
        try:
            raw = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            return entry
        except (ValueError, OSError) as error:
            raise CannotStart(f"{path}: {error}; delete it and get the model again") from error
        files = tuple(read_file(one, f"{path}: file {number}") for number, one in read_tables(raw, "file", str(path)))
        hub = replace(entry.hub, revision=read_text(raw, "revision", str(path))) if entry.hub else None
        return replace(
            entry, files=files, dimension=entry.dimension or read_number(raw, "dimension", str(path), least=0), hub=hub
        )

    def models(self) -> Iterator[Entry]:
        """The entries of the catalogue, then the GGUF models in the folder that it does not name."""
        yield from self.entries
        files = {self.target(entry, file) for entry in self.entries for file in entry.files}
        taken = {entry.api_name for entry in self.entries if self.present(entry)}
        for name, parts in split_models(path for path in self.models_dir.glob("*.gguf") if path not in files):
            if api_name(name) not in taken:
                found = tuple(File(path.name, path.stat().st_size, "") for path in parts)
                recorded = self.recorded(Entry(name, "gguf", api_name(name), "unknown", (), 0, "", ()))
                same = [(file.path, file.size) for file in recorded.files] == [(file.path, file.size) for file in found]
                yield recorded if same else replace(recorded, files=found)


def _entry_of(folder: Path) -> Entry:
    """A model that no catalogue knows, as its own files tell it. Its weights are read through: they tell its vectors from another's."""
    found = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    weights = max(found, key=lambda path: path.stat().st_size)
    files = tuple(
        File(path.relative_to(folder).as_posix(), path.stat().st_size, digest(path) if path == weights else "")
        for path in found
    )
    return Entry(
        folder.name, "embedding", api_name(folder.name), "unknown", (), read_dimension(folder), str(folder), files
    )


def split_models(paths: Iterable[Path]) -> list[tuple[str, list[Path]]]:
    """The GGUF models that `paths` hold, each with its name and its file, or its parts in order if it was split and all are there."""
    models: dict[tuple[str, int], list[Path]] = {}
    for path in sorted(paths):
        part = PART.fullmatch(path.stem)
        models.setdefault((part["name"], int(part["count"])) if part else (path.stem, 1), []).append(path)
    return [(name, parts) for (name, count), parts in models.items() if len(parts) == count]


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else -1


def is_right(path: Path, file: File) -> bool:
    """Whether the file at `path` has that size and SHA-256, as far as it is known; reads all of it."""
    return _size(path) == file.size and file.sha256 in ("", digest(path))


def digest(path: Path) -> str:
    """The SHA-256 of the file at `path`."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
