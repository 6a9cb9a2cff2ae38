"""Finds Tesseract's language data: PyMuPDF brings the engine, but not the data.

They are in `models/tessdata`, where `python run.py ocr add` puts them, where Tesseract is installed on this machine,
and in the Python environment, where packages of PyPI put them. The folders are listed anew each time, so that what is
added is used without a restart.
"""

import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from docqa import COMMAND, HOME
from docqa.catalog.recognition import command, iso_of

ADDED = HOME / "models" / "tessdata"
SUFFIX = ".traineddata"
_SYSTEM = (
    "/usr/share/tesseract-ocr/*/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
    "/opt/local/share/tessdata",
    "C:/Program Files/Tesseract-OCR/tessdata",
)
RAPID = "rapid"  # RapidOCR among the languages: rapid.py
RAPID_LANGUAGES = frozenset({"zh", "ja"})
_RAPID_PACKAGES = ("rapidocr", "onnxruntime")
_NO_LANGUAGES = {"osd", "equ", "snum"}
MORE = f"`{COMMAND} ocr list` shows the others."
INSTALL = f"Run `{command('en')}`, with the codes of the languages it is in (`{COMMAND} ocr list` shows them)"


def folders() -> list[Path]:
    """Where the data may be, first those that count first. If TESSDATA_PREFIX is set, nothing else is searched.

    A folder that may not be looked into, as a home may not by a service, is left out.
    """
    if prefix := os.environ.get("TESSDATA_PREFIX"):
        searched = [Path(prefix), Path(prefix) / "tessdata"]
    else:
        system = [path for pattern in _SYSTEM for path in _matches(pattern)]
        searched = [ADDED, *system, Path(sys.prefix) / "share" / "tessdata"]
    return [folder for folder in searched if os.access(folder, os.R_OK | os.X_OK)]


def files() -> dict[str, Path]:
    """The file of each language that there is, by Tesseract's names, `eng` first."""
    known: dict[str, Path] = {}
    for folder in folders():
        for file in folder.glob(f"*{SUFFIX}"):
            if file.stem not in _NO_LANGUAGES:
                known.setdefault(file.stem, file)
    return dict(sorted(known.items(), key=lambda entry: (entry[0] != "eng", entry[0])))


def languages() -> list[str]:
    """Tesseract's names of the languages that can be read, `eng` first; with `rapid` where RapidOCR is installed."""
    return [*files(), *([RAPID] if has_rapid() else [])]


def has_rapid() -> bool:
    """Whether the packages of RapidOCR are in this Python."""
    return all(importlib.util.find_spec(name) is not None for name in _RAPID_PACKAGES)


def covered(codes: Iterable[str], iso: str) -> bool:
    """Whether a language, given by its ISO 639-1 code, can be read with these data."""
    return any(iso in RAPID_LANGUAGES if code == RAPID else iso_of(code) == iso for code in codes)


@contextmanager
def engine_folder(codes: Sequence[str]) -> Iterator[str]:
    """A folder with the data of these languages for the engine, which takes one: a temporary one where they are in
    several. Raises OSError."""
    known = files()
    wanted = [known[code] for code in codes if code in known]
    parents = {file.parent for file in wanted}
    if len(parents) == 1:
        yield str(parents.pop())
        return
    with tempfile.TemporaryDirectory(prefix="docqa-tessdata-") as name:
        for file in wanted:
            _link(file, Path(name) / file.name)
        yield name


def _link(file: Path, target: Path) -> None:
    try:
        target.symlink_to(file)
    except OSError:  # Windows lets only administrators make links
        shutil.copyfile(file, target)


def _matches(pattern: str) -> list[Path]:
    root = Path(pattern).anchor
    return (
        sorted(Path(root).glob(Path(pattern).relative_to(root).as_posix()), reverse=True)
        if root and Path(root).exists()
        else []
    )
