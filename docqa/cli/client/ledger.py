"""What `watch` knows of a folder between two looks and two starts: which file became which document."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

from docqa.catalog.lock import hold_if_free
from docqa.errors import CannotStart
from docqa.store.modes import FILE, FOLDER


@dataclass(frozen=True)
class Entry:
    """A file as it was last seen, by its content. `ours`: the document was not there before, so it goes with the file.
    Without `doc_id` it was refused; `base` is the knowledge base that its folder stands for."""

    sha256: str
    size: int
    mtime_ns: int
    base: str = ""
    doc_id: str = ""
    ours: bool = False


@dataclass
class Ledger:
    """`files` by their paths below the folder; `placed` are the documents put into each knowledge base, `made` the
    knowledge bases that were made for it, and `leaving` the documents of ours that are to be deleted."""

    path: Path
    files: dict[str, Entry] = field(default_factory=dict)
    placed: dict[str, list[str]] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)
    leaving: list[str] = field(default_factory=list)

    @classmethod
    def load(cls, memory: Path, folder: Path) -> "Ledger":
        """That of the folder, empty if it was never watched. Raises CannotStart where it cannot be read."""
        path = memory / f"{sha256(os.fsencode(folder)).hexdigest()[:16]}.json"
        if not path.is_file():
            return cls(path)
        try:
            kept = json.loads(path.read_text("utf-8"))
            files = {name: Entry(**entry) for name, entry in kept["files"].items()}
            return cls(path, files, kept["placed"], kept["made"], kept["leaving"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CannotStart(
                f"{path}, which says what `watch` has added, cannot be read: {error}. Delete it to begin anew; "
                "what was added so far then stays when its file goes."
            ) from error

    def save(self) -> None:
        """Write it down, as a whole or not at all. Raises OSError."""
        kept = {
            "files": {name: asdict(entry) for name, entry in self.files.items()},
            "placed": self.placed,
            "made": self.made,
            "leaving": self.leaving,
        }
        part = self.path.with_suffix(".part")
        part.touch(mode=FILE)
        part.write_text(json.dumps(kept, ensure_ascii=False, indent=1), "utf-8")
        os.replace(part, self.path)

    def uses(self, doc_id: str) -> bool:
        """Whether a file that is there stands behind this document."""
        return any(entry.doc_id == doc_id for entry in self.files.values())

    def of_content(self, digest: str) -> Entry | None:
        """Another file with the same content, which became a document."""
        return next((entry for entry in self.files.values() if entry.sha256 == digest and entry.doc_id), None)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep others from watching the same folder. Raises CannotStart if one does."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=FOLDER)
        with hold_if_free(self.path.with_suffix(".lock")) as free:
            if not free:
                raise CannotStart("Another `watch` looks after this folder already.")
            yield
