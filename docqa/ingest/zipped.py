"""A knowledge base as one ZIP: its original files, and last a manifest that says what they are called.

It is written and sent file by file, and read back so: neither it nor a file is ever in memory as a whole.
"""

import asyncio
import io
import json
import re
import struct
import time
import zipfile
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing, closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path, PurePath
from typing import Any, Final

from docqa import store
from docqa.errors import Forbidden, NotFound, TooLarge, Unreadable
from docqa.formats.archive import UNPACKABLE
from docqa.formats.names import kind_named
from docqa.ingest.spool import PIECE, Spool, copied_original
from docqa.store.database import Database
from docqa.workers.turns import FairTurns

FORMAT: Final = "docqa-knowledge-base"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"
LARGEST_MANIFEST: Final = 8 << 20  # bytes
LARGEST_DIRECTORY: Final = 1 << 20  # bytes of the ZIP's own: some 8,000 files, each of which takes memory to be read
_END = struct.Struct("<4s8xIIH")  # signature, size and offset of the directory, length of a comment
_LOCATOR = 20  # bytes of what stands before the end where that does not count
_UNSAFE = re.compile(r"[\x00-\x1f/\\:*?\"<>|]+")
_NOT_OURS = "This is no exported knowledge base: a ZIP with a manifest.json, as `export` makes it."


@dataclass(frozen=True)
class Packed:
    """A document in the manifest; `file` is its member of the ZIP, `url` where it came from, "" for an upload."""

    file: str
    name: str
    media_type: str
    url: str
    tags: list[str]


class _Sink(io.RawIOBase):
    """What is written, until it is taken."""

    def __init__(self) -> None:
        super().__init__()
        self._written = bytearray()

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, data: Any) -> int:
        """Keep bytes."""
        self._written += data
        return len(data)

    def taken(self) -> bytes:
        """What was written since the last time."""
        data, self._written = bytes(self._written), bytearray()
        return data


async def packed(
    db: Database, copies: FairTurns, account: int, name: str, doc_ids: Sequence[str]
) -> AsyncGenerator[bytes, None]:
    """The ZIP of these documents, piece by piece. What was deleted or withdrawn before its turn came is not in it.

    `copies` are the turns in which files are copied out of the database. Raises DiskFull.
    """
    sink, documents = _Sink(), []
    with zipfile.ZipFile(sink, "w") as archive:
        async with aclosing(_originals(db, copies, account, doc_ids)) as originals:
            async for document, content in originals:
                with closing(content):
                    info = zipfile.ZipInfo(document.file, time.localtime()[:6])
                    info.file_size = content.size
                    with archive.open(info, "w") as member:
                        async for piece in content.pieces():
                            await asyncio.to_thread(member.write, piece)
                            yield sink.taken()
                documents.append(asdict(document))
        manifest = {"format": FORMAT, "version": VERSION, "name": name, "documents": documents}
        archive.writestr(MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1))
    yield sink.taken()


async def _originals(
    db: Database, copies: FairTurns, account: int, doc_ids: Sequence[str]
) -> AsyncGenerator[tuple[Packed, Spool], None]:
    for number, doc_id in enumerate(doc_ids, 1):
        with suppress(NotFound, Forbidden):
            async with copies.turn(account), db.read() as conn:
                document = await store.documents.document_with_original(conn, account, doc_id)
                tags = (await store.library.document(conn, account, doc_id)).tags
                media_type, url = await store.documents.origin(conn, document.id)
                content = await copied_original(conn, document.id, db.path.parent)
            file = f"files/{number:04}/{_file_name(document.name, document.kind)}"
            yield Packed(file, document.name, media_type, url, tags), content


def _file_name(name: str, kind: str) -> str:
    """A name that every system takes, with an ending that says what kind of file it is."""
    safe = _UNSAFE.sub("-", name).strip(". ")[-120:] or "document"
    says_it = kind_named(PurePath(safe).suffix.lower()) == kind or not kind_named(f".{kind}")
    return safe if says_it else f"{safe}.{kind}"


class Parcel:
    """Such a ZIP, as it was uploaded. Its methods read from disk: call them in a thread."""

    def __init__(self, content: Spool, limit: int) -> None:
        """`limit` is how many bytes its files may have together. Raises Unreadable for what is no such ZIP."""
        self._limit = limit
        _check_end(content)
        try:
            self._archive = zipfile.ZipFile(content.opened())
        except UNPACKABLE as error:
            raise Unreadable(f"{_NOT_OURS} ({error})") from error

    def manifest(self) -> Any:
        """What the manifest says, unchecked. Raises Unreadable."""
        try:
            with self._archive.open(self._member(MANIFEST)) as member:
                data = member.read(LARGEST_MANIFEST + 1)
            if len(data) > LARGEST_MANIFEST:
                raise Unreadable(f"Its manifest has more than {LARGEST_MANIFEST >> 20} MB.")
            return json.loads(data)
        except (*UNPACKABLE, RecursionError) as error:
            raise Unreadable(_NOT_OURS) from error

    def check(self, files: Iterable[str]) -> None:
        """Raises Unreadable unless it holds these members, and TooLarge where they are larger than the limit."""
        if sum(self._member(file).file_size for file in files) > self._limit:
            raise TooLarge(f"Its files have more than {self._limit >> 20} MB together, the most this server takes.")

    def unpacked(self, file: str, folder: Path) -> Spool:
        """A member, whose end is checked by its checksum. Raises Unreadable."""
        content = Spool(folder)
        try:
            with self._archive.open(self._member(file)) as member:
                while piece := member.read(PIECE):
                    content.write(piece)
        except BaseException as error:
            content.close()
            if isinstance(error, UNPACKABLE):
                raise Unreadable(f"It cannot be unpacked: {error}.") from error
            raise
        return content

    def _member(self, file: str) -> zipfile.ZipInfo:
        try:
            info = self._archive.getinfo(file)
        except KeyError as error:
            raise Unreadable(f"{_NOT_OURS} It holds no {file}.") from error
        # Of other methods zipfile unpacks all at once, however large.
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Unreadable("It is compressed in a way that is not read. Export it again, or pack it with `zip`.")
        return info


def _check_end(content: Spool) -> None:
    """Raises Unreadable where the directory is not the small one that the end of the file speaks of: zipfile makes an
    object of each entry, however many there are."""
    tail = content.read_piece(max(0, content.size - _LOCATOR - _END.size), _LOCATOR + _END.size)
    if len(tail) < _END.size or tail[-_END.size :][:4] != b"PK\x05\x06":
        raise Unreadable(_NOT_OURS)
    _, size, _, comment = _END.unpack(tail[-_END.size :])
    if comment or tail[:4] == b"PK\x06\x07" or size > LARGEST_DIRECTORY:
        raise Unreadable("Its directory is larger than can be read. Export it again, or in smaller knowledge bases.")
