"""winmail.dat: what Outlook sends to other Outlooks instead of MIME (Transport Neutral Encapsulation, [MS-OXTNEF])."""

import struct
from collections.abc import Iterator

from docqa.formats.mail import mapi
from docqa.formats.mail.attached import Files
from docqa.formats.mail.headers import bare_name
from docqa.formats.mail.letter import Letter
from docqa.formats.mail.mapi import Bag
from docqa.formats.markup.prose import Prose
from docqa.formats.plain.encoding import codec

_SIGNATURE = b"\x78\x9f\x3e\x22"
_BODY, _PROPERTIES, _CODE_PAGE = 0x0002800C, 0x00069003, 0x00069007
_NEXT_FILE, _FILE_NAME, _FILE_DATA, _FILE_PROPERTIES = 0x00069002, 0x00018010, 0x0006800F, 0x00069005
_ATTRIBUTE = struct.Struct("<BII")
_SIZES = {2: 4, 3: 4, 4: 4, 10: 4, 11: 4, 5: 8, 6: 8, 7: 8, 20: 8, 64: 8, 72: 16}
_VARIABLE = (mapi.STRING_8, mapi.STRING, mapi.BINARY, 0x000D)
_MULTIPLE = 0x1000
_NAMED = 0x8000
_MOST = 2_000  # files


def opened(data: bytes) -> Letter | None:
    """The text and the files in it; None if it is damaged at its beginning."""
    if not data.startswith(_SIGNATURE):
        return None
    bag = Bag({}, "cp1252")
    files: list[dict[int, bytes]] = []
    text = b""
    for number, value in _attributes(data):
        if number == _CODE_PAGE:
            bag.charset = mapi.charset(int.from_bytes(value[:4], "little")) or bag.charset
        elif number == _PROPERTIES:
            bag.values.update(_properties(value))
        elif number == _BODY:
            text = value
        elif number == _NEXT_FILE and len(files) < _MOST:
            files.append({})
        elif files and number in (_FILE_NAME, _FILE_DATA, _FILE_PROPERTIES):
            files[-1][number] = value
    letter = mapi.letter_of(bag)
    if not letter.parts and text.strip(b"\0\r\n\t "):
        letter.parts.append(Prose(text.rstrip(b"\0").decode(codec(bag.charset) or "cp1252", "replace")))
    carried = Files()
    for file in files:
        about = Bag(_properties(file.get(_FILE_PROPERTIES, b"")), bag.charset)
        short = file.get(_FILE_NAME, b"").rstrip(b"\0").decode(bag.charset, "replace")
        content = file.get(_FILE_DATA) or about.binary(mapi.DATA)
        is_message = _SIGNATURE in content[16:20]  # after the identifier of its interface
        if is_message and (inner := opened(content[16:])):
            letter.parts.append(inner)
        elif content:
            carried.add(bare_name(about.text(*mapi.FILE_NAMES) or short), about.text(mapi.MEDIA_TYPE), content)
    letter.attachments = carried.attachments
    return letter


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 6
    while at + _ATTRIBUTE.size <= len(data):
        _, number, length = _ATTRIBUTE.unpack_from(data, at)
        at += _ATTRIBUTE.size
        yield number, data[at : at + length]
        at += length + 2  # a checksum follows


def _properties(data: bytes) -> dict[int, tuple[int, bytes]]:
    """The properties in an attribute ([MS-OXTNEF] 2.1.3.4), as far as damage leaves them."""
    known: dict[int, tuple[int, bytes]] = {}
    try:
        (count,) = struct.unpack_from("<I", data)
        at = 4
        for _ in range(count):
            kind, number = struct.unpack_from("<HH", data, at)
            at += 4
            if number >= _NAMED:
                at = _after_name(data, at)
            values = 1
            is_variable = kind & ~_MULTIPLE in _VARIABLE
            if is_variable or kind & _MULTIPLE:
                (values,) = struct.unpack_from("<I", data, at)
                at += 4
            for place in range(values):
                if is_variable:
                    (size,) = struct.unpack_from("<I", data, at)
                    at += 4
                else:
                    size = _SIZES[kind & ~_MULTIPLE]
                if at + size > len(data):
                    return known
                if not kind & _MULTIPLE and place == 0:
                    known[number] = kind, data[at : at + size]
                at += -(-size // 4) * 4
    except (struct.error, KeyError):
        return known
    return known


def _after_name(data: bytes, at: int) -> int:
    """Where the name of a named property ends."""
    (is_text,) = struct.unpack_from("<I", data, at + 16)
    at += 20
    (size,) = struct.unpack_from("<I", data, at)
    return at + 4 + (-(-size // 4) * 4 if is_text else 0)
