"""The checksums of a bundle: written when it is gathered, verified before anything is installed from it."""

import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from docqa.catalog.catalog import digest
from docqa.errors import DocqaError

WHEELS, CHECKSUMS = "wheels", "checksums.txt"  # in the root of a bundle


class DamagedBundle(DocqaError):
    """A bundle is incomplete, damaged or for another kind of machine; the message says which."""


def machine() -> str:
    """What wheels depend on: the system, the processor and the Python, as `linux x86_64 CPython 3.11`."""
    python = f"{platform.python_implementation()} {sys.version_info[0]}.{sys.version_info[1]}"
    return f"{sys.platform} {platform.machine()} {python}"


def write_checksums(bundle: Path) -> int:
    """Write a file for `sha256sum -c`, headed by the kind of machine; returns the size of the bundle in bytes."""
    files = sorted(_files(bundle))
    lines = [f"# {machine()}", *(f"{digest(file)}  {file.relative_to(bundle).as_posix()}" for file in files)]
    part = bundle / f"{CHECKSUMS}.part"
    part.write_text("\n".join(lines) + "\n", "utf-8")
    os.replace(part, bundle / CHECKSUMS)
    return sum(file.stat().st_size for file in files)


def _files(bundle: Path) -> Iterator[Path]:
    for top in bundle.iterdir():
        if top.name not in (".venv", "data", CHECKSUMS):
            yield from (
                file
                for file in (top.rglob("*") if top.is_dir() else [top])
                if file.is_file() and "__pycache__" not in file.parts
            )


def check_bundle(bundle: Path) -> None:
    """Verify the wheels and models of a bundle. Raises DamagedBundle."""
    checksums = bundle / CHECKSUMS
    if not checksums.exists():
        raise DamagedBundle(
            f"This bundle has no {CHECKSUMS}: making it was interrupted. Make it again, into the same folder."
        )
    made_for, *lines = checksums.read_text("utf-8").splitlines()
    if made_for != f"# {machine()}":
        raise DamagedBundle(
            f"This bundle was made for {made_for[2:]}, this is {machine()}. Make one on a machine of this kind."
        )
    wrong = [
        name
        for expected, _, name in (line.partition("  ") for line in lines)
        if _must_match(name) and not ((bundle / name).is_file() and digest(bundle / name) == expected)
    ]
    if wrong:
        names = f"{', '.join(wrong[:5])}{' ...' if wrong[5:] else ''}"
        raise DamagedBundle(f"These files differ from those that were bundled: {names}. Copy them again.")


def _must_match(name: str) -> bool:
    """Whether a file must be as it was bundled: the source and the tables of models are the user's to change."""
    return name.startswith((f"{WHEELS}/", "models/")) and not name.endswith(".toml")
