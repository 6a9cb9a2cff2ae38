"""One file out of a multipart form, as python-multipart parses it, within limits of parts and headers."""

import asyncio
import re
import unicodedata
from collections.abc import AsyncIterable
from pathlib import Path, PurePath
from typing import Any

from python_multipart import MultipartParser

from docqa.api.endpoint import Upload
from docqa.api.rules import ABSENT
from docqa.errors import Fault, InvalidRequest
from docqa.formats.header_value import UNKNOWN_TYPE, HeaderValue
from docqa.formats.kinds import NEAR, refuse_head
from docqa.ingest.spool import Spool

MOST_PARTS = 20
MOST_HEADER_BYTES = 8_192  # of one part
_LONGEST_NAME = 255
_LONGEST_FIELD = 65_536  # bytes of a plain field of the file's name, which is refused anyway
_PIECE = 16_384  # bytes that are parsed before others have their turn: a hostile form has a callback for every few
_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,127}"
# RFC 9110, 8.3.1; parameters are kept as they are, without characters that no header may hold.
_MEDIA_TYPE = re.compile(rf"{_TOKEN}/{_TOKEN}(?:[ \t]*;[ -~]{{0,200}})?")


def media_type(raw: str) -> str:
    """The media type of `raw`, with its charset if a text can be read by that; else that of unknown bytes.

    Other parameters say nothing of a file, and clients stumble over some: Python's own over the parts of a boundary.
    """
    raw = raw.strip()
    if not _MEDIA_TYPE.fullmatch(raw):
        return UNKNOWN_TYPE
    bare, charset = raw.partition(";")[0].rstrip(), HeaderValue(raw).parameter("charset")
    try:
        b"a".decode(charset or "utf-8", "replace")
    except (LookupError, ValueError):  # what is no codec, no codec of texts, or one that replaces nothing
        return bare
    return f"{bare}; charset={charset}" if charset else bare


async def read_part(
    chunks: AsyncIterable[bytes], header: HeaderValue, name: str, folder: Path | None = None, *, any_file: bool = False
) -> Any:
    """The last part called `name`: an Upload, the text of a plain field, or ABSENT.

    `header` holds the form's Content-Type; large files are received in `folder`. Raises InvalidRequest where the body
    is not multipart, and Unreadable as soon as the beginning of a file shows that it cannot be read, unless it may be
    `any_file`.
    """
    try:
        boundary = header.parameter("boundary")
        if not boundary:
            raise ValueError("its Content-Type names no boundary")
        part = _FilePart(name, boundary, folder, any_file=any_file)
        async for chunk in chunks:
            view = memoryview(chunk)
            for start in range(0, len(view), _PIECE):
                part.feed(bytes(view[start : start + _PIECE]))
                await asyncio.sleep(0)
    except ValueError as error:  # FormParserError is one, and so is a boundary in a charset that cannot be decoded
        raise _broken(str(error)) from error
    return part.value


def _broken(why: str) -> InvalidRequest:
    return InvalidRequest([Fault(("body",), f"The multipart body cannot be read: {why}", "value_error")])


class _FilePart:
    """Reads the last part of one name from a multipart stream and skips all others.

    `value` is the Upload, the text of a plain field, or ABSENT.
    """

    def __init__(self, name: str, boundary: str, folder: Path | None, *, any_file: bool) -> None:
        self._any_file = any_file
        self.value: Upload | str | object = ABSENT
        self._name, self._folder = name, folder
        self._headers: dict[str, str] = {}
        self._parts = self._header_bytes = 0
        self._field = self._content = b""
        self._spool: Spool | None = None
        self._file_name: str | None = None
        self._head_seen = False
        self._parser = MultipartParser(
            boundary.encode("latin-1"),
            {
                "on_part_begin": self._begin,
                "on_header_field": self._add_field,
                "on_header_value": self._add_content,
                "on_header_end": self._end_header,
                "on_headers_finished": self._start,
                "on_part_data": self._add,
                "on_part_end": self._end,
            },
        )

    def feed(self, chunk: bytes) -> None:
        """The next bytes of the body. Raises ValueError where they are not multipart, Unreadable, Unavailable."""
        self._parser.write(chunk)

    def _begin(self) -> None:
        self._headers.clear()
        self._header_bytes = 0
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise ValueError(f"it has more than {MOST_PARTS} parts, the most this server takes")

    def _count(self, size: int) -> None:
        self._header_bytes += size
        if self._header_bytes > MOST_HEADER_BYTES:
            raise ValueError(f"a part has more than {MOST_HEADER_BYTES:,} bytes of headers, the most this server takes")

    def _add_field(self, data: bytes, start: int, end: int) -> None:
        self._count(end - start)
        self._field += data[start:end]

    def _add_content(self, data: bytes, start: int, end: int) -> None:
        self._count(end - start)
        self._content += data[start:end]

    def _end_header(self) -> None:
        self._headers[self._field.decode("latin-1").lower()] = _decode(self._content)
        self._field = self._content = b""

    def _start(self) -> None:
        self._drop()
        disposition = HeaderValue(self._headers.get("content-disposition", ""))
        if disposition.parameter("name") != self._name:
            return
        file_name = disposition.parameter("filename")
        self._file_name = None if file_name is None else _clean_name(file_name)
        self._spool, self._head_seen = Spool(self._folder), self._any_file

    def _drop(self) -> None:
        if self._spool is not None:
            self._spool.close()
        self._spool = None

    def _add(self, data: bytes, start: int, end: int) -> None:
        if self._spool is None:
            return
        self._spool.write(memoryview(data)[start:end])
        if self._file_name is None:
            if self._spool.size > _LONGEST_FIELD:
                raise ValueError("the file has no file name")
        elif not self._head_seen and self._spool.size >= NEAR:
            self._head_seen = True
            refuse_head(self._spool.read_piece(0, NEAR), self._file_name)

    def _end(self) -> None:
        if self._spool is None:
            return
        spool, self._spool = self._spool, None
        if isinstance(self.value, Upload):
            self.value.content.close()
        if self._file_name is None:
            self.value = _decode(spool.read()) or ABSENT
        elif self._file_name or spool.size:
            self.value = Upload(self._file_name, media_type(self._headers.get("content-type", UNKNOWN_TYPE)), spool)
            return
        else:  # a browser's form without a chosen file sends an empty name and no bytes
            self.value = ABSENT
        spool.close()


def _decode(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _clean_name(raw: str) -> str:
    bare = "".join(
        char for char in re.split(r"[/\\]", raw)[-1] if unicodedata.category(char) not in ("Cc", "Cs")
    ).strip()
    suffix = PurePath(bare).suffix[-16:]
    return bare if len(bare) <= _LONGEST_NAME else bare[: _LONGEST_NAME - len(suffix)] + suffix
