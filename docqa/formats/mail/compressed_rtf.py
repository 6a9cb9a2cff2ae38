"""The compressed RTF that Outlook keeps of bodies ([MS-OXRTFCP])."""

import struct

LARGEST = 64_000_000
_HEADER = struct.Struct("<IIII")
_COMPRESSED, _PLAIN = 0x75465A4C, 0x414C454D
_WINDOW = 4096
_BEGINNING = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor "
    rb"MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)


def decompressed(data: bytes) -> bytes:
    """The RTF, as far as damage leaves it; b"" if it is none."""
    if len(data) < _HEADER.size:
        return b""
    _, raw_size, kind, _ = _HEADER.unpack_from(data)
    if kind == _PLAIN:
        return data[_HEADER.size : _HEADER.size + raw_size]
    return _unpacked(data, min(raw_size, LARGEST)) if kind == _COMPRESSED else b""


def _unpacked(data: bytes, size: int) -> bytes:
    window = bytearray(_BEGINNING.ljust(_WINDOW, b"\0"))
    place = len(_BEGINNING)
    result = bytearray()
    at = _HEADER.size
    while at < len(data) and len(result) < size:
        flags = data[at]
        at += 1
        for bit in range(8):
            if not flags >> bit & 1:
                run = data[at : at + 1]
                at += 1
            else:
                reference = int.from_bytes(data[at : at + 2], "big")
                at += 2
                offset, length = reference >> 4, (reference & 15) + 2
                if offset == place % _WINDOW or at > len(data):  # the end
                    return bytes(result)
                run = _repeated(window, offset, length, place)
            for byte in run:
                window[place % _WINDOW] = byte
                place += 1
            result += run
    return bytes(result[:size])


def _repeated(window: bytearray, offset: int, length: int, place: int) -> bytes:
    """What the window holds from `offset` on; it may run into what is being written from `place` on."""
    copied = bytearray()
    distance = (place - offset) % _WINDOW
    for number in range(length):
        copied.append(copied[number - distance] if number >= distance else window[(offset + number) % _WINDOW])
    return bytes(copied)
