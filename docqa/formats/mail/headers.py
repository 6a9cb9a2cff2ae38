"""The header of a message or of one of its parts (RFC 5322, 2047, 2231), as real programs write it.

The standard library's own decoding refuses much of what is common: raw letters of unnamed encodings, spaces in encoded
words, wrong names of charsets.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from email.parser import HeaderParser
from email.utils import collapse_rfc2231_value

from docqa.errors import Unreadable
from docqa.formats.plain.encoding import codec, decode

LONGEST = 1 << 20  # bytes of one header
_FIELD = re.compile(rb"[!-9;-~]+[ \t]*:")
_SPACE = b" \t"
_WORD = re.compile(r"=\?([^?\s]*)\?([BbQq])\?([^?]*(?:\?(?!=)[^?]*)*)\?=(?:\s+(?==\?[^?\s]*\?[BbQq]\?))?")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"(?=\s*<)')
_CHARSET = re.compile(rb"""charset\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE)
_HEX = re.compile(rb"=([0-9A-Fa-f]{2})")
_SHORT = 200  # bytes
_UTF_7 = ("utf-7", "unicode-1-1-utf-7", "utf7")


class Header:
    """The fields of a header; names in any case."""

    def __init__(self, source: bytes = b"", default_type: str = "text/plain") -> None:
        named = _CHARSET.search(source)
        self._fields = HeaderParser().parsestr(text_of(source, named[1].decode() if named else ""))
        self._fields.set_default_type(default_type)

    def __getitem__(self, name: str) -> str:
        """A field's text on one line, decoded; "" if there is none."""
        values = self._fields.get_all(name, [])
        return next((text for value in values if (text := decoded(str(value)))), "")

    def addresses(self, name: str) -> str:
        """The text of all fields of this name, with names of people out of their quotation marks."""
        texts = (decoded(str(value)) for value in self._fields.get_all(name, []))
        return _QUOTED.sub(lambda quoted: re.sub(r"\\(.)", r"\1", quoted[1]), ", ".join(filter(None, texts)))

    def __bool__(self) -> bool:
        return len(self._fields) > 0

    @property
    def type(self) -> str:
        """The media type, in lower case and without parameters."""
        return self._fields.get_content_type()

    @property
    def disposition(self) -> str:
        """`inline`, `attachment`, or ""."""
        return (self["Content-Disposition"].partition(";")[0]).strip().lower()

    @property
    def encoding(self) -> str:
        """How the body is encoded for transport, in lower case."""
        return self["Content-Transfer-Encoding"].partition(";")[0].strip().strip('"').lower()

    def parameter(self, name: str, of: str = "Content-Type") -> str:
        """A parameter of a field, decoded; "" if there is none."""
        try:
            value = self._fields.get_param(name, "", of)
        except (ValueError, LookupError, TypeError):  # a damaged RFC 2231 value
            return ""
        text = collapse_rfc2231_value(value, "replace") if value else ""
        return decoded(str(text))

    @property
    def filename(self) -> str:
        """The bare name of the file that the part is, "" if it has none."""
        name = self.parameter("filename", "Content-Disposition") or self.parameter("name")
        return bare_name(name)


def split(data: bytes) -> tuple[bytes, bytes]:
    """(header, body) of a message or part; a line that is no field ends the header, a blank one is left out."""
    at = 0
    while at < len(data) and at < LONGEST:
        end = data.find(b"\n", at) + 1 or len(data)
        line = data[at:end]
        if not line.strip(b"\r\n"):
            return data[:at], data[end:]
        is_envelope = at == 0 and line.startswith((b"From ", b">From "))
        if not (_FIELD.match(line) or is_envelope or at > 0 and line[:1] in _SPACE):
            return data[:at], data[at:]
        at = end
    return data[:at], data[at:]


def fields(data: bytes) -> Iterator[str]:
    """The names of the fields that data begins with, in lower case."""
    for line in split(data)[0].splitlines():
        if _FIELD.match(line):
            yield line.partition(b":")[0].strip().lower().decode("ascii")


def text_of(data: bytes, charset: str) -> str:
    """The characters of a text whose charset is named, perhaps wrongly. Raises Unreadable for binary data."""
    if charset.strip("\"' ").lower() in _UTF_7 and data.isascii():
        return data.decode("utf-7", "replace")
    known = codec(charset) if charset else None
    # Who calls a text with other bytes in it ASCII knows nothing of it.
    if known is None or "ascii" in charset.lower():
        return decode(data)
    if len(data) <= _SHORT and b"\0" not in data and not _is_utf8(data):
        try:  # a few bytes tell less than the name that they are given
            return data.decode(known)
        except UnicodeDecodeError:
            pass
    return decode(data, charset)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def decoded(value: str) -> str:
    """A field's text with its encoded words as what they mean, on one line."""
    return " ".join(_joined(value).split())


def bare_name(name: str) -> str:
    """A file's name without folders and signs that no name has."""
    return re.sub(r"[\x00-\x1f\x7f]", "", re.split(r"[/\\]", name)[-1]).strip()[:200]


def _joined(value: str) -> str:
    """Encoded words side by side in the same charset are decoded together: some programs cut characters in two."""
    result, at = [], 0
    waiting, charset = b"", ""
    for word in _WORD.finditer(value):
        named = word[1].partition("*")[0].lower()
        if waiting and (word.start() > at or named != charset):
            result.append(_readable(waiting, charset))
            waiting = b""
        result.append(value[at : word.start()])
        waiting, charset, at = waiting + _bytes(word[2], word[3]), named, word.end()
    if waiting:
        result.append(_readable(waiting, charset))
    return "".join([*result, value[at:]])


def _bytes(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    if encoding in "Qq":
        return _HEX.sub(lambda escape: bytes([int(escape[1], 16)]), data.replace(b"_", b" "))
    data = re.sub(rb"[^A-Za-z0-9+/]", b"", data)
    try:
        return base64.b64decode(data[: len(data) - (len(data) % 4 == 1)] + b"=" * (-len(data) % 4))
    except binascii.Error:
        return b""


def _readable(data: bytes, charset: str) -> str:
    try:
        return text_of(data, charset)
    except Unreadable:
        return data.decode("latin-1")
