"""What the words of `add` name: files, the files of folders and ZIP archives, links, standard input."""

import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from docqa.errors import DocqaError, NotFound, Unreadable
from docqa.formats.archive import UNPACKABLE
from docqa.formats.names import SUFFIXES

ARCHIVE = ".zip"
STDIN = "-"
LINKS = ("http://", "https://")
MEMBER_BYTES = 2 << 30  # of a file in an archive, which is unpacked beside it


@dataclass(frozen=True)
class Item:
    """Something to add. `shown` is what it is to the person; without `open`, it is a link. What `open` gives is closed
    by whoever calls it."""

    shown: str
    name: str
    open: Callable[[], IO[bytes]] | None = None


def items_of(words: Iterable[str], stdin_name: str) -> list[Item]:
    """What these words name, in their order. Of folders and archives, the files of formats that can be read, hidden
    ones left out. Raises NotFound, Unreadable."""
    return [item for word in words for item in _items(word, stdin_name)]


def files_in(folder: Path) -> Iterator[Path]:
    """The files below a folder that look like documents, in the order of their names."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.suffix.lower() in SUFFIXES and not hidden and path.is_file():
            yield path


def _items(word: str, stdin_name: str) -> Iterator[Item]:
    path = Path(word).expanduser()
    if word == STDIN:
        yield Item("standard input", stdin_name, _standard_input)
    elif word.lower().startswith(LINKS):
        yield Item(word, word)
    elif path.is_dir():
        for file in files_in(path):
            yield Item(str(file), file.name, partial(_read, file))
        for archive in sorted(path.rglob(f"*{ARCHIVE}")):
            yield from _members(archive)
    elif not path.is_file():
        raise NotFound(f"There is no file or folder {word}.")
    elif path.suffix.lower() == ARCHIVE:
        yield from _members(path)
    else:
        yield Item(word, path.name, partial(_read, path))


def _members(archive: Path) -> Iterator[Item]:
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = opened.infolist()
    except UNPACKABLE as error:
        raise Unreadable(f"{archive} cannot be read as a ZIP archive: {error}.") from error
    for entry in entries:
        inner = PurePosixPath(entry.filename)
        hidden = any(part.startswith((".", "__MACOSX")) for part in inner.parts)
        if inner.suffix.lower() in SUFFIXES and not hidden and not entry.is_dir():
            yield Item(f"{archive} / {inner}", inner.name, partial(_unpacked, archive, entry))


class CannotUnpack(DocqaError):
    """A file in an archive is locked, damaged or too large."""


def _unpacked(archive: Path, entry: zipfile.ZipInfo) -> IO[bytes]:
    """A temporary file of one member. Raises CannotUnpack."""
    if entry.file_size > MEMBER_BYTES:
        raise CannotUnpack(f"It has more than {MEMBER_BYTES >> 30} GB.")
    if entry.flag_bits & 1:
        raise CannotUnpack("It is locked with a password.")
    content = tempfile.TemporaryFile()  # noqa: SIM115 - whoever sends it closes it
    try:
        with zipfile.ZipFile(archive) as opened, opened.open(entry) as member:
            shutil.copyfileobj(member, content)
    except UNPACKABLE as error:
        content.close()
        raise CannotUnpack(f"It cannot be unpacked: {error}.") from error
    content.seek(0)
    return content


def _read(path: Path) -> IO[bytes]:
    return path.open("rb")


def _standard_input() -> IO[bytes]:
    content = tempfile.TemporaryFile()  # noqa: SIM115 - whoever sends it closes it
    shutil.copyfileobj(sys.stdin.buffer, content)
    content.seek(0)
    return content
