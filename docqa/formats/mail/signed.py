"""What a signature wraps (S/MIME, `smime.p7m`): the content of CMS SignedData (RFC 5652), in DER or BER.

The signature itself is not checked.
"""

import base64
import re
from collections.abc import Iterator
from typing import NamedTuple

DEEPEST = 12
MOST_ELEMENTS = 200_000
_SIGNED = bytes.fromhex("2a864886f70d010702")
_PEM = re.compile(rb"-----BEGIN [A-Z0-9 ]+-----(.*?)-----END", re.DOTALL)
_OCTETS, _OBJECT = 4, 6
_CONSTRUCTED = 0x20
_EXPLICIT = 0xA0


class _Element(NamedTuple):
    tag: int
    start: int
    stop: int
    end: int  # where the next one begins


class _Broken(Exception):
    """No BER, or deeper and longer than any signature."""


def signed_content(data: bytes) -> bytes | None:
    """The content that is signed; None where it is encrypted, apart from the signature, or damaged."""
    if pem := _PEM.search(data[: 1 << 20] if data.startswith(b"-----") else b""):
        data = base64.b64decode(re.sub(rb"[^A-Za-z0-9+/=]", b"", pem[1]))
    try:
        return _Reader(data).content()
    except _Broken:
        return None


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._count = 0

    def content(self) -> bytes | None:
        [kind, wrapped, *_] = self._list(self._element(0, len(self._data), 0), 0, 2)
        if self._data[kind.start : kind.stop] != _SIGNED:
            return None
        [signed] = self._list(wrapped, 1, 1)
        _, _, info, *_ = self._list(signed, 2, 3)
        parts = self._list(info, 3, 1)
        if len(parts) < 2 or parts[1].tag != _EXPLICIT:
            return None
        return b"".join(self._octets(parts[1], 4)) or None

    def _octets(self, element: _Element, depth: int) -> Iterator[bytes]:
        """The bytes of an octet string, which may be cut into many."""
        for child in self._list(element, depth, 0):
            if child.tag == _OCTETS:
                yield self._data[child.start : child.stop]
            elif child.tag & _CONSTRUCTED:
                yield from self._octets(child, depth + 1)

    def _list(self, element: _Element, depth: int, least: int) -> list[_Element]:
        """What is in an element, `least` of them."""
        children, at = [], element.start
        while at < element.stop:
            child = self._element(at, element.stop, depth + 1)
            children.append(child)
            at = child.end
        if len(children) < least:
            raise _Broken
        return children

    def _element(self, at: int, stop: int, depth: int) -> _Element:
        self._count += 1
        if at + 2 > stop or depth > DEEPEST or self._count > MOST_ELEMENTS:
            raise _Broken
        tag, length, start = self._data[at], self._data[at + 1], at + 2
        if tag & 0x1F == 0x1F:
            raise _Broken
        if length == 0x80:  # ends with two zeros
            at = start
            while self._data[at : at + 2] != b"\0\0":
                at = self._element(at, stop, depth + 1).end
            return _Element(tag, start, at, at + 2)
        if length > 0x80:
            size = length & 0x7F
            length = int.from_bytes(self._data[start : start + size], "big")
            start += size
        if start + length > stop:
            raise _Broken
        return _Element(tag, start, start + length, start + length)
