"""The properties of Outlook's messages ([MS-OXPROPS], [MS-OXCMAIL]) → a letter; .msg and winmail.dat hold the same.

Strings of 8 bits are in the code page of the machine that wrote them, which the file often names wrongly or not.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from docqa.errors import Unreadable
from docqa.formats.mail import bodies
from docqa.formats.mail.compressed_rtf import decompressed
from docqa.formats.mail.headers import Header
from docqa.formats.mail.letter import Letter, better
from docqa.formats.markup.prose import Prose
from docqa.formats.pages import clean
from docqa.formats.plain.encoding import codec, open_text
from docqa.formats.plain.letters import EAST_ASIAN
from docqa.formats.rtf import reading as rtf

SUBJECT, HEADERS, BODY, HTML, RTF = 0x0037, 0x007D, 0x1000, 0x1013, 0x1009
SENT, DELIVERED, CREATED = 0x0039, 0x0E06, 0x3007
SENDER_NAMES, SENDER_ADDRESSES = (0x0042, 0x0C1A), (0x5D02, 0x5D01, 0x0065, 0x0C1F)
TO, CC = 0x0E04, 0x0E03
NAME, ADDRESSES, RECIPIENT_TYPE = 0x3001, (0x39FE, 0x3003), 0x0C15
STARTS, ENDS = 0x0060, 0x0061
FILE_NAMES, DATA, MEDIA_TYPE, CONTENT_ID, HIDDEN = (0x3707, 0x3704, 0x3001), 0x3701, 0x370E, 0x3712, 0x7FFE
CODE_PAGE, INTERNET_CODE_PAGE, LOCALE = 0x3FFD, 0x3FDE, 0x3FF1

STRING_8, STRING, BINARY, TIME = 0x001E, 0x001F, 0x0102, 0x0040
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_CHARSETS = {
    1200: "utf-16-le", 1201: "utf-16-be", 20127: "ascii", 20866: "koi8-r", 21866: "koi8-u",
    50220: "iso-2022-jp", 50221: "iso-2022-jp", 50222: "iso-2022-jp", 50225: "iso-2022-kr", 51932: "euc-jp",
    51936: "gb2312", 51949: "euc-kr", 52936: "hz", 54936: "gb18030", 65000: "utf-7", 65001: "utf-8",
    10000: "mac-roman", 10007: "mac-cyrillic",
}  # fmt: skip
# The code pages of Windows by the primary language of a locale ([MS-LCID]); of Chinese by the locale itself.
_BY_LANGUAGE = {
    0x01: 1256, 0x02: 1251, 0x05: 1250, 0x08: 1253, 0x0D: 1255, 0x0E: 1250, 0x11: 932, 0x12: 949, 0x15: 1250,
    0x18: 1250, 0x19: 1251, 0x1A: 1250, 0x1B: 1250, 0x1E: 874, 0x1F: 1254, 0x20: 1256, 0x22: 1251, 0x23: 1251,
    0x24: 1250, 0x25: 1257, 0x26: 1257, 0x27: 1257, 0x29: 1256, 0x2A: 1258, 0x2F: 1251,
}  # fmt: skip
_OF_WINDOWS = {"mac-cyrillic": "cp1251", "mac-roman": "cp1252"}  # which differ in few letters
_CHINESE = {0x0404: 950, 0x0C04: 950, 0x1404: 950, 0x0804: 936, 0x1004: 936}


@dataclass
class Bag:
    """The properties of a message, recipient or file: (type, bytes) by their number; `charset` is that of its strings
    of 8 bits."""

    values: dict[int, tuple[int, bytes]]
    charset: str = ""

    def text(self, *numbers: int) -> str:
        """The first text among these that says anything, "" if none does."""
        for number in numbers:
            kind, value = self.values.get(number, (0, b""))
            if kind in (STRING, STRING_8) and (text := self._decoded(kind, value).replace("\0", "").strip()):
                return text
        return ""

    def binary(self, number: int) -> bytes:
        """The bytes of a property, whatever its type; none if there is none."""
        return self.values.get(number, (0, b""))[1]

    def number(self, number: int) -> int:
        """A whole number, 0 if there is none."""
        return int.from_bytes(self.binary(number)[:4], "little")

    def time(self, *numbers: int) -> datetime | None:
        """The first time among these; None if there is none."""
        for number in numbers:
            kind, value = self.values.get(number, (0, b""))
            ticks = int.from_bytes(value[:8], "little") if kind == TIME else 0
            if 0 < ticks < 1 << 62 and (seconds := ticks // 10_000_000) < 250_000_000_000:
                return _EPOCH + timedelta(seconds=seconds)
        return None

    def _decoded(self, kind: int, value: bytes) -> str:
        if kind == STRING:
            return value.decode("utf-16-le", "replace")
        return value.decode(self.charset or "cp1252", "replace")


def charset_of(bag: Bag, texts: Sequence[bytes] = ()) -> str:
    """The charset of the 8-bit strings of a message; `texts` are further ones beside its own.

    A named one counts if the strings fit it; that of Western Europe and others of one byte fit everything, and yield
    to what the bytes look like.
    """
    sample = b"\n".join([*(value for kind, value in bag.values.values() if kind == STRING_8), *texts])
    if sample.isascii():
        return "cp1252"
    try:
        seen = open_text(sample.replace(b"\0", b"")).encoding
        seen = _OF_WINDOWS.get(seen, seen)
    except Unreadable:
        seen = "cp1252"
    locale = bag.number(LOCALE)
    by_locale = _CHINESE.get(locale) or _BY_LANGUAGE.get(locale & 0x3FF, 0)
    for page in (bag.number(CODE_PAGE), by_locale, bag.number(INTERNET_CODE_PAGE)):
        named = charset(page)
        if not named or named in ("cp1252", "utf-16-le", "utf-16-be") or named not in EAST_ASIAN and seen in EAST_ASIAN:
            continue
        try:
            sample.decode(named)
        except UnicodeDecodeError:
            continue
        return named
    return seen


def charset(code_page: int) -> str:
    """The codec of a code page, "" for an unknown one."""
    name = _CHARSETS.get(code_page) or (f"iso-8859-{code_page - 28590}" if 28591 <= code_page <= 28605 else "")
    return codec(name or f"cp{code_page}") or "" if code_page else ""


def letter_of(bag: Bag, recipients: Sequence[Bag] = ()) -> Letter:
    """The message without its files."""
    header = Header(bag.text(HEADERS).encode("utf-8", "replace"))
    sender, address = (
        bag.text(*SENDER_NAMES),
        next((text for number in SENDER_ADDRESSES if "@" in (text := bag.text(number))), ""),
    )
    sent = bag.time(SENT, DELIVERED, CREATED)
    letter = Letter(
        header.addresses("From") or _addressed(sender, address),
        header.addresses("To") or _recipients(recipients, 1) or bag.text(TO),
        header.addresses("Cc") or _recipients(recipients, 2) or bag.text(CC),
        header["Date"] or (format_datetime(sent) if sent else ""),
        bag.text(SUBJECT) or header["Subject"],
    )
    starts, ends = bag.time(STARTS), bag.time(ENDS)
    if starts:
        times = [f"{name}: {time:%Y-%m-%d %H:%M} UTC" for name, time in (("Start", starts), ("End", ends)) if time]
        letter.parts.append(Prose("\n".join(times)))
    body = _body(bag)
    if body is not None:
        letter.parts.append(body)
    return letter


def _addressed(name: str, address: str) -> str:
    return f"{name} <{address}>" if address and name and name != address else name or address


def _recipients(recipients: Sequence[Bag], kind: int) -> str:
    named = []
    for recipient in recipients:
        if recipient.number(RECIPIENT_TYPE) & 0xF == kind:
            address = next((text for number in ADDRESSES if "@" in (text := recipient.text(number))), "")
            named.append(_addressed(recipient.text(NAME), address))
    return ", ".join(filter(None, named))


def _body(bag: Bag) -> Prose | None:
    """The plain text, or the HTML or RTF where there is no plain text, or it says far more."""
    text = clean(bag.text(BODY)).strip("\n")
    plain = Prose(text) if text.strip() else None
    page = None
    if bag.values.get(HTML, (0,))[0] in (STRING, STRING_8):
        page = bodies.shown(clean(bag.text(HTML)))
    elif source := bag.binary(HTML):
        page = bodies.html(source, charset(bag.number(INTERNET_CODE_PAGE)))
    if plain is None and page is None:
        page = _rich(decompressed(bag.binary(RTF)))
    return better(plain, page)


def _rich(source: bytes) -> Prose | None:
    """What a body in RTF shows, also one that wraps HTML or plain text ([MS-OXRTFEX])."""
    if not source.startswith(b"{\\rtf"):
        return None
    shown = Prose()
    for page in rtf.read(source).pages:
        shown.blocks += [
            block._replace(start=block.start + len(shown.text), end=block.end + len(shown.text))
            for block in page.blocks
        ]
        shown.text += page.text
    return shown if shown.text.strip() else None


def entries(data: bytes, header: int) -> dict[int, tuple[int, bytes]]:
    """The fixed-length properties in a property stream ([MS-OXMSG] 2.4), after a header of so many bytes."""
    known = {}
    for at in range(header, len(data) - 15, 16):
        kind, number = struct.unpack_from("<HH", data, at)
        known[number] = kind, data[at + 8 : at + 16]
    return known
