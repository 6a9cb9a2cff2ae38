"""Bytes of a text file → characters: byte order marks, UTF-8, UTF-16 without a mark, then the best legacy encoding.

Off-the-shelf detectors guess by byte statistics and are often wrong on a few lines of Polish, Hebrew or Korean.
Decoding with each candidate and scoring the resulting letters is simpler and more often right; charset-normalizer is
the last resort.
"""

import codecs
import io
import re
import unicodedata
from collections import Counter
from itertools import pairwise

from charset_normalizer import from_bytes

from docqa.errors import Unreadable
from docqa.formats.plain.letters import EAST_ASIAN, HANGUL, KANA, LANGUAGES, LATIN, MARKS_USED, SIMPLIFIED, TRADITIONAL

SAMPLE = 40_000
PIECE = 1 << 20  # bytes
READS_WELL = 0.35

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_SEVEN_BIT = ("iso2022_jp", "iso2022_kr", "hz")
# By how much a rare encoding must beat a more common one with the same characters at other places.
_HANDICAPS = dict.fromkeys(LATIN[LATIN.index("mac-roman") :], 0.15) | {"iso8859-7": 0.002}

# Names that files and servers use for a smaller set of characters than the one they mean.
_MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "cp950",
    "tis-620": "cp874",
    "iso8859-11": "cp874",
}

# Codecs of Python that are no charset of a text; some of them refuse to replace what they cannot decode.
_NO_CHARSETS = ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape")

_BEYOND = re.compile(r"[^\x00-\x7f]")
_HIGH_BYTE = re.compile(rb"[\x80-\xff]")
# Signs of a wrong encoding: a quotation mark inside a word, an accented letter before a digit, a final sigma that is
# not final, a paragraph sign before a letter; a letter alone among ASCII.
_ODD = re.compile(
    r"(?<=[^\W\d_])[“”„«»€£©®§°•№\xa0](?=[^\W\d_])|(?<=[^\W\d_])€|(?<=[^\W\d_lL])·(?=[^\W\d_])"
    r"|[^\W\d_\x00-\x7f](?=\d)|[ς¶](?=[^\W\d_])"
)
_LONE = re.compile(r"(?<![^\x00-\x7f])[^\W\d_\x00-\x7f](?![^\x00-\x7f])")
_LONE_IN_WORD = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f](?=[A-Za-z])")
_LATIN_9 = re.compile(rb"\xa4|[a-z][\xa6\xa8\xb4\xb8\xbc-\xbe][a-z]")
_WINDOWS_SIGNS = re.compile(rb"[\x80-\x9f]")


def _worths(name: str, letters: str) -> dict[str, float]:
    """Points for each letter: 1 for the most frequent, falling to 0.5; East Asian characters are too many to rank."""
    fall = 0.0 if name in EAST_ASIAN else 0.5 / len(letters)
    return dict.fromkeys(MARKS_USED, 0.8) | {letter: 1 - fall * rank for rank, letter in enumerate(letters)}


_COMMON = frozenset(KANA + SIMPLIFIED + TRADITIONAL + HANGUL)
_WORTHS = {name: [_worths(name, letters) for letters in languages] for name, languages in LANGUAGES.items()}


def codec(name: str) -> str | None:
    """The codec meant by a declared charset (`latin-1` means Windows-1252 on the web), or None for an unknown name."""
    try:
        known = codecs.lookup(name.strip().strip("\"'")).name
        b"".decode(known)
    except (LookupError, ValueError):
        return None
    return None if known in _NO_CHARSETS else _MEANT.get(known, known)


def open_text(data: bytes, declared: str = "") -> io.TextIOWrapper:
    """A stream of the characters of `data`, without a byte order mark and with `\\n` as line ends.

    `declared` is a charset's name or ""; it is used if the data fit it. Raises Unreadable for bytes that are not text.
    """
    start, name = next(((len(mark), name) for mark, name in _MARKS if data.startswith(mark)), (0, ""))
    if not name:
        name = _find(data, declared)
        _check(codecs.getincrementaldecoder(name)("replace").decode(data[:SAMPLE]))
    source = io.BytesIO(data)
    source.seek(start)
    return io.TextIOWrapper(source, name, "replace")


def decode(data: bytes, declared: str = "") -> str:
    """As `open_text`, but all characters at once."""
    return open_text(data, declared).read()


def _find(data: bytes, declared: str) -> str:
    if data.isascii() and b"\0" not in data[:SAMPLE]:
        return _seven_bit(data) if b"\x1b$" in data or b"~{" in data else "utf-8"
    return _wide(data) or ("utf-8" if _is_utf8(data) else _declared(data, declared) or _legacy(data))


def _is_utf8(data: bytes) -> bool:
    """Whether the data is UTF-8, allowing for a few broken bytes: a file cut off, a pasted Latin-1 word."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    broken = good = 0
    for start in range(0, len(data), PIECE):
        text = decoder.decode(data[start : start + PIECE])
        lost = text.count("\ufffd")
        broken += lost
        good += len(_BEYOND.findall(text)) - lost
    broken -= data.count(b"\xef\xbf\xbd")
    return good >= 3 * broken


def _seven_bit(data: bytes) -> str:
    """The encoding of an ASCII file that seems to shift to another alphabet, or UTF-8 if it does not."""
    for name in _SEVEN_BIT:
        text = codecs.getincrementaldecoder(name)("replace").decode(data[:SAMPLE])
        if "\ufffd" not in text and _score(text, name) > READS_WELL:
            return name
    return "utf-8"


def _wide(data: bytes) -> str | None:
    """UTF-16 or UTF-32 without a byte order mark, recognised by the NULs at the same side of each unit; else None."""
    head = data[:SAMPLE]
    if b"\0" not in head:
        return None
    for name, width in (("utf-32-le", 4), ("utf-32-be", 4), ("utf-16-le", 2), ("utf-16-be", 2)):
        text = head[: len(head) // width * width].decode(name, "ignore")
        if len(text) * width >= 0.9 * len(head) and _plausible(text):
            return name
    return None


def _plausible(text: str) -> bool:
    kinds = Counter(unicodedata.category(character)[0] for character in text if character not in "\t\n\r\f")
    blocks = Counter(ord(character) >> 8 for character in text if character.isalpha())
    few = sum(count for _, count in blocks.most_common(3)) > 0.8 * blocks.total() or _share(text, _COMMON) > 0.15
    return kinds["C"] < 0.02 * len(text) and few


def _share(text: str, letters: frozenset[str]) -> float:
    return sum(character in letters for character in text) / max(1, len(text))


def _declared(data: bytes, declared: str) -> str | None:
    name = codec(declared) if declared else None
    if name is None or b"\0" in data[:SAMPLE]:
        return None
    text = codecs.getincrementaldecoder(name)("replace").decode(data[:PIECE])
    return name if text.count("\ufffd") <= len(text) / 200 else None


def _legacy(data: bytes) -> str:
    sample = _sample(data)
    letters = len(_HIGH_BYTE.findall(sample))
    best = _best(sample, letters)
    if best not in ("", "cp1252"):
        return best
    for name in ("utf-16-le", "utf-16-be"):
        # Chinese or Japanese without any ASCII, whose units have no NULs.
        if _share(data[:SAMPLE].decode(name, "replace"), _COMMON) > 0.3:
            return name
    if best or letters < len(sample) / 4:
        return "iso8859-15" if _is_latin9(sample) else "cp1252"
    match = from_bytes(
        sample, cp_exclusion=["utf_7", "utf_16", "utf_16_le", "utf_16_be", "utf_32", "utf_32_le", "utf_32_be"]
    ).best()
    return _MEANT.get(match.encoding, match.encoding) if match else "cp1252"


def _best(sample: bytes, letters: int) -> str:
    """The encoding with the best score for the sample, "" if none reads well.

    Windows-1252, by far the most common, wins near ties; the fewer letters there are, the larger the margin.
    """
    best, top = "", READS_WELL
    for name in LANGUAGES:
        if name in _SEVEN_BIT:
            continue
        try:
            text = codecs.getincrementaldecoder(name)("strict").decode(sample)
        except UnicodeDecodeError:
            continue
        score = _score(text, name) - _HANDICAPS.get(name, 0)
        if score > top + (0.05 + 0.2 / letters if best == "cp1252" else 0):
            best, top = name, score
    return best


def _is_latin9(sample: bytes) -> bool:
    """Whether the sample is ISO 8859-15 rather than Windows-1252.

    They differ in eight characters: a currency sign is the euro, a fraction or accent inside a word is a letter.
    """
    return bool(_LATIN_9.search(sample)) and not _WINDOWS_SIGNS.search(sample)


def _sample(data: bytes) -> bytes:
    """Parts of lines with bytes beyond ASCII, up to SAMPLE bytes: a long English preamble tells nothing."""
    picked, size, position = [], 0, 0
    while size < SAMPLE and (high := _HIGH_BYTE.search(data, position)):
        start = max(position, data.rfind(b"\n", position, high.start()) + 1, high.start() - 200)
        end = data.find(b"\n", high.start(), high.start() + SAMPLE - size)
        position = end + 1 if end >= 0 else len(data)
        picked.append(data[start : position if end >= 0 else high.start() + SAMPLE - size])
        size += len(picked[-1])
    return b"".join(picked)


def _score(text: str, name: str) -> float:
    """1 if every character beyond ASCII is one that a language of the encoding uses often, below 0 for gibberish."""
    beyond = Counter(_BEYOND.findall(text))
    if not beyond:
        return 0.0
    points = max(
        sum(count * _worth(character, letters, name) for character, count in beyond.items())
        for letters in _WORTHS[name]
    )
    pairs = Counter(
        (first, second)
        for first, second in pairwise(text)
        if (first > "\x7f" or second > "\x7f") and first.isalpha() and second.isalpha()
    )
    clashes = sum(count * _clash(*pair, name) for pair, count in pairs.items())
    if name in EAST_ASIAN:
        clashes += len(_LONE_IN_WORD.findall(text))
    else:
        clashes += len(_ODD.findall(text)) + (0 if name in LATIN else len(_LONE.findall(text)) / 2)
    return (points - clashes) / beyond.total()


def _worth(character: str, letters: dict[str, float], name: str) -> float:
    known = letters.get(character) or 0.8 * letters.get(character.lower(), 0.0)
    if known:
        return known
    if "\u4e00" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3":
        return 0.2 if name in EAST_ASIAN else -1.0
    category = unicodedata.category(character)
    return -0.3 if category[0] == "L" else -0.5 if category[0] in "PN" else -1.5


def _clash(first: str, second: str, name: str) -> float:
    """The penalty for two adjacent letters: a capital inside a word, accents in a row, two scripts in a word."""
    if first.islower() and second.isupper():
        return 2.0
    if name in EAST_ASIAN:
        return 0.0
    both = first > "\x7f" and second > "\x7f"
    return 0.6 * both if name in LATIN else 1.0 * (not both)


def _check(head: str) -> None:
    """Raises Unreadable for what is not text: many control characters, or many that could not be decoded."""
    odd = sum(
        character < " " and character not in "\t\n\r\f\x0b\x1a\x1b\x08" or character in "\x7f\ufffd"
        for character in head
    )
    if odd > max(3, 0.05 * len(head)):
        raise Unreadable("The file is not text: it holds binary data. Upload it under the name of what it really is.")
