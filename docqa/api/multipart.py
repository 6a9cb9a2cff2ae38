"""One file out of a multipart form, as python-multipart parses it."""

import re
import unicodedata
from collections.abc import AsyncIterable
from email.message import Message
from email.utils import collapse_rfc2231_value
from io import BytesIO
from pathlib import PurePath
from typing import Any

from python_multipart import MultipartParser

from docqa.api.endpoint import Upload
from docqa.api.rules import ABSENT
from docqa.errors import Fault, InvalidRequest

_LONGEST_NAME = 255


def parse_header(content_type: str, disposition: str = "") -> Message:
    """The two headers as a message, which knows their parameters and encodings."""
    message = Message()
    message["content-type"] = content_type
    message["content-disposition"] = disposition
    return message


async def read_part(chunks: AsyncIterable[bytes], header: Message, name: str) -> Any:
    """The last part called `name`: an Upload, the text of a plain field, or ABSENT.

    `header` holds the form's Content-Type. Raises InvalidRequest where the body is not multipart.
    """
    boundary = header.get_boundary()
    if not boundary:
        raise _broken("its Content-Type names no boundary")
    try:
        part = _FilePart(name, boundary)
        async for chunk in chunks:
            part.feed(chunk)
    except ValueError as error:  # FormParserError is one, and so is a name in a charset that cannot be decoded
        raise _broken(str(error)) from error
    return part.value


def _broken(why: str) -> InvalidRequest:
    return InvalidRequest([Fault(("body",), f"The multipart body cannot be read: {why}", "value_error")])


class _FilePart:
    """Reads the last part of one name from a multipart stream into memory and skips all others.

    `value` is the Upload, the text of a plain field, or ABSENT.
    """

    def __init__(self, name: str, boundary: str) -> None:
        self.value: Upload | str | object = ABSENT
        self._name = name
        self._headers: dict[str, str] = {}
        self._field = self._content = b""
        self._buffer: BytesIO | None = None
        self._parser = MultipartParser(
            boundary.encode("latin-1"),
            {
                "on_part_begin": self._headers.clear,
                "on_header_field": self._add_field,
                "on_header_value": self._add_content,
                "on_header_end": self._end_header,
                "on_headers_finished": self._start,
                "on_part_data": self._add,
                "on_part_end": self._end,
            },
        )

    def feed(self, chunk: bytes) -> None:
        """The next bytes of the body. Raises ValueError where they are not multipart."""
        self._parser.write(chunk)

    def _add_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def _add_content(self, data: bytes, start: int, end: int) -> None:
        self._content += data[start:end]

    def _end_header(self) -> None:
        self._headers[self._field.decode("latin-1").lower()] = _decode(self._content)
        self._field = self._content = b""

    def _start(self) -> None:
        self._buffer = BytesIO() if ("name", self._name) in self._parameters() else None

    def _add(self, data: bytes, start: int, end: int) -> None:
        if self._buffer is not None:
            self._buffer.write(memoryview(data)[start:end])

    def _end(self) -> None:
        if self._buffer is None:
            return
        data = self._buffer.getvalue()  # shares its memory with the buffer: a large file is held once
        names = [value for key, value in self._parameters() if key == "filename"]
        if not names:
            self.value = _decode(data) or ABSENT
            return
        # RFC 2231 (`filename*=`) keeps characters that the plain form beside it may have lost.
        encoded = [collapse_rfc2231_value(name) for name in names if isinstance(name, tuple)]
        name = _clean_name((encoded or names)[0])
        # A browser's form without a chosen file sends an empty name and no bytes.
        self.value = (
            Upload(name, self._headers.get("content-type", "application/octet-stream"), data)
            if name or data
            else ABSENT
        )

    def _parameters(self) -> list[tuple[str, Any]]:
        return parse_header("", self._headers.get("content-disposition", "")).get_params([], "content-disposition")


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
