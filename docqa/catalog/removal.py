"""Deletes a model from the models folder, with what an interrupted download left of it."""

from pathlib import Path
from typing import NamedTuple

from docqa.catalog.catalog import AUTO, Catalog
from docqa.catalog.entries import Entry
from docqa.errors import Conflict, NotFound


class Removed(NamedTuple):
    """What was deleted: `size` bytes in these files, by their paths in the models folder."""

    size: int
    files: tuple[str, ...]


def remove(catalog: Catalog, entry: Entry, embedder: str) -> Removed:
    """Delete a model; no start fetches it again. `embedder` is the setting of that name.

    Raises Conflict for the model that is searched with and for files that cannot be deleted, NotFound where there is
    nothing of it.
    """
    replaceable = entry.optional and embedder == AUTO  # the next start takes another
    if entry.kind == "embedding" and catalog.searches(entry, embedder) and not replaceable:
        raise Conflict(
            f"{entry.name} is the model that the server searches with; first choose another with DOCQA_EMBEDDER."
        )
    files = [path for path in (catalog.target(entry, file) for file in entry.files) if path.is_file()]
    files += [path for path in catalog.unfinished(entry).rglob("*") if path.is_file()]
    if not files:
        raise NotFound(f"{entry.name} is not present.")
    size = sum(path.stat().st_size for path in files)
    try:
        _delete(catalog, entry, files)
    except OSError as error:
        raise Conflict(f"{entry.name} cannot be deleted: {error}") from error
    return Removed(size, tuple(str(path.relative_to(catalog.models_dir)) for path in files))


def _delete(catalog: Catalog, entry: Entry, files: list[Path]) -> None:
    for path in [*files, catalog.record_path(entry)]:
        path.unlink(missing_ok=True)
    for folder in sorted({path.parent for path in files} - {catalog.models_dir}, reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    if not entry.optional and entry in catalog.entries:
        catalog.given_up(entry).parent.mkdir(exist_ok=True)
        catalog.given_up(entry).touch()
