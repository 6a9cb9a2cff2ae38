"""Gathers what a machine without a network needs into one folder: source, wheels, models, checksums.

It makes the folder for machines like this one: the same system, processor and Python. `packages` installs from it.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from docqa.catalog.catalog import Catalog, digest
from docqa.errors import DocqaError
from docqa.setup.packages import CHECKSUMS, FROM_WHEELS, WHEELS, WITHOUT, Installer, machine, without_indexes

FOLDERS = ("docqa", "tests")
FILES = ("run.py", "pyproject.toml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", ".gitignore")
NOT_CARRIED = ("downloads", "*.part", "__pycache__")
# Any x86-64 of the last ten years runs it; llama.cpp's own default is the processor it is built on.
PORTABLE = "-DGGML_NATIVE=OFF"

Say = Callable[[str], None]


class BundleFailed(DocqaError):
    """The bundle could not be made; the message says what is in the way."""


def bundle(installer: Installer, catalog: Catalog, target: Path, say: Say) -> None:
    """Make `target` a bundle of `installer.root`, or bring one up to date; what it has already is kept.

    Raises BundleFailed.
    """
    _check(installer, target)
    try:
        target.mkdir(parents=True, exist_ok=True)
        (target / WHEELS).mkdir(exist_ok=True)
        (target / CHECKSUMS).unlink(missing_ok=True)  # its absence says that the bundle is not whole
        say("Copying the source.")
        _copy_source(installer.root, target)
        say("Copying the models.")
        _copy_models(catalog, target / "models", say)
        _gather_wheels(installer, target / WHEELS, say)
        say("Computing the checksums.")
        size = _write_checksums(target)
    except OSError as error:
        raise BundleFailed(f"The bundle could not be written: {error}. The next try goes on from here.") from error
    say(
        f"{target} is whole, {size / 1e6:,.0f} MB. Carry it to a machine with {machine()} and start `python run.py` in it."
    )


def _check(installer: Installer, target: Path) -> None:
    if target.is_relative_to(installer.root):
        raise BundleFailed(f"{target} lies in the folder that is to be bundled; choose another.")
    if target.exists() and not target.is_dir():
        raise BundleFailed(f"{target} is a file; a bundle is a folder.")
    if target.is_dir() and any(target.iterdir()) and not (target / WHEELS).is_dir():
        raise BundleFailed(f"{target} holds something else; choose a new folder.")
    if installer.offline and not installer.bundled:
        raise BundleFailed("A bundle is made of downloaded packages, which DOCQA_OFFLINE forbids.")


def _copy_source(root: Path, target: Path) -> None:
    for folder in FOLDERS:
        if (target / folder).exists():
            shutil.rmtree(target / folder)  # a file that is gone here must be gone there
        shutil.copytree(root / folder, target / folder, ignore=shutil.ignore_patterns(*NOT_CARRIED))
    (target / "models").mkdir(exist_ok=True)
    shipped = (file for pattern in ("*.toml", "reader.*", "verifier.*") for file in (root / "models").glob(pattern))
    for file in [*(root / name for name in FILES), *shipped]:
        shutil.copy2(file, target / file.relative_to(root))


def _copy_models(catalog: Catalog, target: Path, say: Say) -> None:
    """The models that are there, each byte of them checked; what is left of downloads is not carried."""
    for entry in catalog.models():
        if not catalog.present(entry):
            continue
        if wrong := catalog.verify(entry):
            raise BundleFailed(
                f"The model {entry.name} is damaged ({', '.join(wrong)}); delete these files and start `python run.py install`."
            )
        say(f"  {entry.name}, {entry.licence}")
    shutil.copytree(
        catalog.models_dir,
        target,
        ignore=shutil.ignore_patterns(*NOT_CARRIED),
        copy_function=_copy_once,
        dirs_exist_ok=True,
    )


def _copy_once(source: str, target: str) -> None:
    """Copy a file in one step, unless it is there already."""
    there, now = Path(target), Path(source).stat()
    if there.is_file() and (there.stat().st_size, there.stat().st_mtime_ns) == (now.st_size, now.st_mtime_ns):
        return
    part = there.with_name(f"{there.name}.part")
    shutil.copy2(source, part)
    os.replace(part, there)


def _gather_wheels(installer: Installer, wheels: Path, say: Say) -> None:
    """The wheels of every group. Each is resolved together with those before it, so that one version of everything suits them all."""
    os.environ.setdefault("CMAKE_ARGS", PORTABLE)
    # Without pip's cache, for it may hold a llama.cpp that was built for this very processor.
    gatherer = replace(
        installer, verb=("wheel", "--no-cache-dir", "--wheel-dir", str(wheels), "--find-links", str(wheels))
    )
    wanted: list[str] = []
    for name, lines in installer.groups(test=True).items():
        together = [*wanted, *lines]
        if _resolves(installer, wheels, together):
            say(f"The wheels of the group {name} are there.")
        elif why := gatherer.get(name, together) or (
            "" if _resolves(installer, wheels, together) else "The wheels do not suit each other."
        ):
            if name == "base":
                raise BundleFailed(f"The packages could not be gathered: {why} The next try goes on from here.")
            say(f"{why} So with this bundle {WITHOUT[name]}.")
            continue
        wanted = together


def _resolves(installer: Installer, wheels: Path, lines: list[str]) -> bool:
    """Whether these wheels alone are enough, as the other machine will ask."""
    ask = ("install", "--dry-run", "--ignore-installed", "--quiet", *FROM_WHEELS, str(wheels), *lines)
    return (
        subprocess.run([*installer.pip, *ask], env=without_indexes(), capture_output=True, check=False).returncode == 0
    )


def _write_checksums(target: Path) -> int:
    """Write what `sha256sum -c` reads, after a line that says which machines it is for; the bytes of all files together."""
    files = sorted(_files(target))
    lines = [f"# {machine()}", *(f"{digest(file)}  {file.relative_to(target).as_posix()}" for file in files)]
    part = target / f"{CHECKSUMS}.part"
    part.write_text("\n".join(lines) + "\n", "utf-8")
    os.replace(part, target / CHECKSUMS)
    return sum(file.stat().st_size for file in files)


def _files(target: Path) -> Iterator[Path]:
    for top in target.iterdir():
        if top.name not in (".venv", "data", CHECKSUMS):
            yield from (
                file
                for file in (top.rglob("*") if top.is_dir() else [top])
                if file.is_file() and "__pycache__" not in file.parts
            )
