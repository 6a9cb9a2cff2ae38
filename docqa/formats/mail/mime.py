"""MIME (RFC 2045, 2046): a message as a tree of parts, with their bytes decoded.

The standard library's parser goes one call deeper for each level of nesting and costs the square of it, does not open
encoded messages within messages, and keeps bytes as text; hence our own.
"""

import base64
import binascii
import quopri
import re
from dataclasses import dataclass, field

from docqa.formats.mail.headers import Header, split

DEEPEST = 25
MOST_PARTS = 2_000
_BASE64_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,2}[ \t]*\r?")
_SOFT_BREAK = re.compile(rb"=\r?\n")
_ESCAPE = re.compile(rb"=[0-9A-F]{2}")
_UU_BEGIN = re.compile(rb"^begin [0-7]{3,4} ([^\r\n]+)\r?\n", re.MULTILINE)
_UU_END = re.compile(rb"^end[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_OPENED = ("message/rfc822", "message/global", "message/news")


@dataclass
class Part:
    """A part with its decoded `body`; of a multipart or an enclosed message `parts` are what is in it."""

    header: Header
    body: bytes = b""
    parts: list["Part"] = field(default_factory=list)
    is_cut: bool = False  # nested too deep, or too many: what is in it was not opened

    @property
    def type(self) -> str:
        """The media type."""
        return self.header.type


class Parser:
    """Parses one message; its limits count over all of its parts."""

    def __init__(self) -> None:
        self._parts = 0

    def parse(self, data: bytes, depth: int = 0, default_type: str = "text/plain") -> Part:
        """The message or part."""
        self._parts += 1
        source, body = split(data)
        part = Part(Header(source, default_type))
        is_composed = part.type.startswith("multipart/")
        is_message = part.type in _OPENED
        if not is_composed and not is_message:
            part.body = unwrapped(body, part.header.encoding, part.type)
            return part
        if part.header.encoding in ("base64", "quoted-printable"):  # which is forbidden here, and done
            opened = unwrapped(body, part.header.encoding, part.type)
            body = opened if b":" in opened[:1000] or b"--" in opened[:10_000] else body
        if depth >= DEEPEST or self._parts >= MOST_PARTS:
            part.is_cut = True
        elif is_message:
            part.parts = [self.parse(body.lstrip(b"\r\n"), depth + 1)]
        else:
            inner = "message/rfc822" if part.type == "multipart/digest" else "text/plain"
            for section in sections(body, part.header.parameter("boundary")):
                if self._parts >= MOST_PARTS:
                    part.is_cut = True
                    break
                part.parts.append(self.parse(section, depth + 1, inner))
            if not part.parts:
                part.body = body
        return part


def sections(body: bytes, boundary: str) -> list[bytes]:
    """The parts of a multipart's body; where no boundary is named, its first line that could be one is."""
    mark = boundary.rstrip().encode("utf-8", "replace")
    if not mark or b"--" + mark not in body:
        guessed = re.search(rb"^--([^\s-][^\r\n]{5,70}?)[ \t]*\r?\nContent-", body, re.MULTILINE | re.IGNORECASE)
        if guessed is None:
            return []
        mark = guessed[1]
    lines = re.compile(rb"^--" + re.escape(mark) + rb"(--)?[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
    pieces: list[bytes] = []
    start = -1
    for line in lines.finditer(body):
        if start >= 0:
            pieces.append(body[start : line.start()].removesuffix(b"\n").removesuffix(b"\r"))
        start = -1 if line[1] else line.end()
        if line[1]:
            break
    return [*pieces, body[start:]] if start >= 0 else pieces


def unwrapped(body: bytes, encoding: str, media_type: str = "") -> bytes:
    """The bytes that were encoded for transport, as far as damage leaves them; a text that its header does not call
    encoded but that cannot be anything else, too."""
    if encoding == "base64":
        return _base64(body)
    if encoding in ("quoted-printable", "quotedprintable", "q"):
        return quopri.decodestring(body)
    if encoding in ("x-uuencode", "uuencode", "x-uue", "uue"):
        files = uuencoded(body)[1]
        return files[0][1] if files else body
    if media_type.startswith("text/"):
        lines = body.strip().split(b"\n")
        if len(lines) > 2 and len(lines[0].strip()) in (60, 64, 72, 76) and all(map(_BASE64_LINE.fullmatch, lines)):
            return _base64(body)
        if len(_SOFT_BREAK.findall(body)) > 2 and len(_ESCAPE.findall(body)) > 2:
            return quopri.decodestring(body)
    return body


def _base64(body: bytes) -> bytes:
    """What base64 encodes; lines with other characters in them, such as a list's footer, are left out."""
    lines = (line.strip() for line in body.split(b"\n"))
    kept = b"".join(line for line in lines if not line or b" " not in line)
    pieces = [re.sub(rb"[^A-Za-z0-9+/]", b"", piece) for piece in re.split(rb"=+", kept)]
    decoded = []
    for piece in pieces:  # texts that were encoded one by one and joined end in padding in between
        usable = piece[: len(piece) - (len(piece) % 4 == 1)]
        decoded.append(base64.b64decode(usable + b"=" * (-len(usable) % 4)))
    return b"".join(decoded)


def uuencoded(body: bytes) -> tuple[bytes, list[tuple[str, bytes]]]:
    """The text without the files that are uuencoded in it, and these with their names."""
    files: list[tuple[str, bytes]] = []
    texts, at = [], 0
    for begin in _UU_BEGIN.finditer(body):
        if begin.start() < at:
            continue
        end = _UU_END.search(body, begin.end())
        if end is None:
            break
        lines = body[begin.end() : end.start()].split(b"\n")
        files.append((begin[1].decode("utf-8", "replace").strip(), b"".join(map(_line, lines))))
        texts.append(body[at : begin.start()])
        at = end.end()
    return b"".join([*texts, body[at:]]), files


def _line(line: bytes) -> bytes:
    if not line.strip():  # of which binascii would make zeros
        return b""
    try:
        return binascii.a2b_uu(line.rstrip(b"\r"))
    except binascii.Error:  # some programs write a wrong length, or spaces that were lost since
        count = (((line[0] - 32) & 63) * 4 + 5) // 3
        return _lenient(line[:count])


def _lenient(line: bytes) -> bytes:
    try:
        return binascii.a2b_uu(line)
    except binascii.Error:
        return b""
