"""Gathers what a machine without a network needs into one folder: source, wheels, models, checksums.

The folder is for machines with the same system, processor and Python. `packages` installs from it.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from docqa.catalog.catalog import Catalog
from docqa.errors import DocqaError
from docqa.formats.pictures.data import RAPID, SUFFIX, has_rapid
from docqa.models.installed import is_installed
from docqa.models.sentence_folder import PACKAGE
from docqa.setup.checksums import CHECKSUMS, WHEELS, machine, write_checksums
from docqa.setup.indexes import without_indexes
from docqa.setup.packages import FROM_WHEELS, TORCH, WITHOUT, Installer

FOLDERS = ("docqa", "tests")
FILES = ("run.py", "pyproject.toml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", ".gitignore")
LEFT_OUT = ("downloads", "*.part", "__pycache__")
# For any x86-64 of the last ten years; by default llama.cpp is built for this very processor.
PORTABLE = "-DGGML_NATIVE=OFF"

Say = Callable[[str], None]


class BundleFailed(DocqaError):
    """The bundle could not be made; the message says why."""


def bundle(installer: Installer, catalog: Catalog, target: Path, say: Say) -> None:
    """Make `target` a bundle of `installer.root`, or update the one there, keeping what is valid.

    Raises BundleFailed.
    """
    _check(installer, target)
    try:
        target.mkdir(parents=True, exist_ok=True)
        (target / WHEELS).mkdir(exist_ok=True)
        (target / CHECKSUMS).unlink(missing_ok=True)  # it is missing while the bundle is incomplete
        say("Copying the source.")
        _copy_source(installer.root, target)
        say("Copying the models.")
        _copy_models(catalog, target / "models", say)
        _gather_wheels(installer, target / WHEELS, say)
        say("Computing the checksums.")
        size = write_checksums(target)
    except OSError as error:
        raise BundleFailed(f"The bundle could not be written: {error}. The next try resumes.") from error
    say(
        f"{target} is complete, {size / 1e6:,.0f} MB. "
        f"Copy it to a machine with {machine()} and start `python run.py` in it."
    )


def _check(installer: Installer, target: Path) -> None:
    if target.is_relative_to(installer.root):
        raise BundleFailed(f"{target} is inside the folder to be bundled; choose another.")
    if target.exists() and not target.is_dir():
        raise BundleFailed(f"{target} is a file; a bundle is a folder.")
    if target.is_dir() and any(target.iterdir()) and not (target / WHEELS).is_dir():
        raise BundleFailed(f"{target} holds something else; choose a new folder.")
    if installer.offline and not installer.bundled:
        raise BundleFailed("Making a bundle downloads packages, which DOCQA_OFFLINE forbids.")


def _copy_source(root: Path, target: Path) -> None:
    for folder in FOLDERS:
        if (target / folder).exists():
            shutil.rmtree(target / folder)  # files deleted here must not stay there
        shutil.copytree(root / folder, target / folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
    (target / "models").mkdir(exist_ok=True)
    shipped = (
        file for pattern in ("*.toml", "reader.*", "verifier.*", "kinds.*") for file in (root / "models").glob(pattern)
    )
    languages = (root / "models" / "tessdata").glob(f"*{SUFFIX}")
    for file in [*(root / name for name in FILES), *shipped, *languages]:
        copy = target / file.relative_to(root)
        copy.parent.mkdir(exist_ok=True)
        shutil.copy2(file, copy)


def _copy_models(catalog: Catalog, target: Path, say: Say) -> None:
    """Copy the models that are present, after verifying every byte; partial downloads are left out."""
    for entry in catalog.models():
        if not catalog.present(entry):
            continue
        if wrong := catalog.verify(entry):
            raise BundleFailed(
                f"The model {entry.name} is damaged ({', '.join(wrong)}); "
                "delete these files and run `python run.py install`."
            )
        say(f"  {entry.name}, {entry.licence}")
    shutil.copytree(
        catalog.models_dir,
        target,
        ignore=shutil.ignore_patterns(*LEFT_OUT),
        copy_function=_copy_once,
        dirs_exist_ok=True,
    )


def _copy_once(source: str, target: str) -> None:
    """Copy a file atomically, unless it is there with the same size and time."""
    copy, original = Path(target), Path(source).stat()
    if copy.is_file() and (copy.stat().st_size, copy.stat().st_mtime_ns) == (original.st_size, original.st_mtime_ns):
        return
    part = copy.with_name(f"{copy.name}.part")
    shutil.copy2(source, part)
    os.replace(part, copy)


def _gather_wheels(installer: Installer, wheels: Path, say: Say) -> None:
    """Gather the wheels of every group, each resolved with those before it, so that all fit one set of versions."""
    os.environ.setdefault("CMAKE_ARGS", PORTABLE)
    # Without pip's cache, which may hold a llama.cpp built for this very processor.
    gatherer = replace(
        installer, verb=("wheel", "--no-cache-dir", "--wheel-dir", str(wheels), "--find-links", str(wheels))
    )
    wanted: list[str] = []
    for name, lines in _groups(installer).items():
        requirements = [*wanted, *lines]
        if _resolves(installer, wheels, requirements):
            say(f"The wheels of the group {name} are there.")
        elif failure := gatherer.get(name, requirements) or (
            "" if _resolves(installer, wheels, requirements) else "The wheels conflict with each other."
        ):
            if name == "base":
                raise BundleFailed(f"The packages could not be gathered: {failure} The next try resumes.")
            say(f"{failure} With this bundle, {WITHOUT[name]}.")
            continue
        wanted = requirements


def _groups(installer: Installer) -> dict[str, list[str]]:
    """What a start and the tests install; of what is installed only on request, what this machine has."""
    groups = installer.groups(test=True)
    if not is_installed(PACKAGE):
        groups.pop(TORCH, None)
    if has_rapid():
        groups[RAPID] = installer.extra(RAPID)
    return groups


def _resolves(installer: Installer, wheels: Path, lines: list[str]) -> bool:
    """Whether these wheels alone satisfy the requirements, as they must on the other machine."""
    options = ("--dry-run", "--ignore-installed", "--quiet", *FROM_WHEELS, str(wheels))
    command = [*installer.pip, "install", *options, *lines]
    return subprocess.run(command, env=without_indexes(os.environ), capture_output=True, check=False).returncode == 0
