"""Packages that a stopped pip left half installed. Standard library only.

pip takes a package for installed as soon as its metadata are there, and would never complete it.
"""

import shutil
from importlib.metadata import Distribution, distributions
from pathlib import Path


def drop_unfinished(venv: Path) -> list[str]:
    """Remove the metadata of every package in `venv` that lacks a file, so that pip installs it anew; their names."""
    dropped = []
    for folder in (*venv.glob("lib/python*/site-packages"), *venv.glob("Lib/site-packages")):
        for distribution in distributions(path=[str(folder)]):
            if not _is_whole(distribution):
                metadata = Path(str(distribution.locate_file(""))) / _folder_name(distribution)
                shutil.rmtree(metadata, ignore_errors=True)
                dropped.append(metadata.name)
    return dropped


def _is_whole(distribution: Distribution) -> bool:
    """Whether all files that the package's record lists are there with the right size."""
    files = distribution.files
    if files is None:
        return False
    for file in files:
        path = Path(str(distribution.locate_file(file)))
        # What has no size was made after unpacking, such as a compiled file, and can be made again.
        if file.size is not None and (not path.is_file() or path.stat().st_size != file.size):
            return False
    return True


def _folder_name(distribution: Distribution) -> str:
    return Path(str(distribution._path)).name  # type: ignore[attr-defined]  # there is no public name for it
