"""Bytes of a text file → characters: byte order marks, UTF-8, UTF-16 without a mark, then the legacy encoding that reads best.

Detectors from the shelf guess by byte statistics and are often wrong on a few lines of Polish, Hebrew or Korean. Decoding with
each candidate and looking at which letters come out is simpler and errs less; charset-normalizer is asked when nothing reads well.
"""

import codecs
import unicodedata
from collections import Counter
from itertools import pairwise

from charset_normalizer import from_bytes

from docqa.errors import Unreadable

SAMPLE = 40_000
READS_WELL = 0.35

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_MARKS_USED = "“”‘’„–—…«»€£©®°§·•№\xa0"
# Each string is one language's letters beyond ASCII, the frequent ones first.
_WEST = ("éèàêçùâîôûëïœæü", "üäöß", "óíáéñúü¿¡ªº", "ãçáéíóêõúâàôªº", "åäöøæé", "áíéóöúýæþð", "èàùòéì")
_CENTRAL = ("łęąóżćśńź", "íáéěřýčžšůúťňóďŕ", "áíéčžýúšťľňôóďäŕĺ", "éáöóőíüúű", "ăîşţâ", "šžčćđ", "üäöß")
_TURKISH = ("ıişüçğöİâî",)
_BALTIC = ("āēīšūņļžčģķ", "ėšųžįąūęč", "äõüöšž")
_CYRILLIC = ("оеаинтсрвлкмдпуяыьгзбчйхжшющэцфёъ", "оанивіетрслкдмупяьзгбчйхцїжєщюшфґ", "аоиенрстувјдкмплзгбчшцћњжхљђџф")
_GREEK = ("αοιετσνηυρπκμλςωίόάέγδχήθβφξύώζψϊϋ",)
_HEBREW = ("יוהלארבתמםשנקעדחטפןגזצכסךץף",)
_ARABIC = ("ايلمنوترهبعدسقفكحجأشطصىةخضذزئءثغظؤإآ،؛؟\u064e\u0650\u064f\u0651\u0652\u064b\u064d\u064c", "ایرندمهوتبسشلکزفگخقپعچجحصطآذضغظثژئ،؛؟")
_THAI = ("านรอกเงมลยวดทสต่ะปบคหนแจพชขใ้็ีิัืุูโไไธณผษซศญภถฐฉฆฝ์ๆำึ๊",)
_SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心"
    "她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教"
)
_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心"
    "她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教"
)
_KANA = "".join(chr(code) for code in (*range(0x3041, 0x3094), *range(0x30A1, 0x30F7))) + "ーの日本人年大国一中会者上"
_HANGUL = "이다는에의을가를은고하로도한지사기서어자시대리인스그정아나수부과해있으일제적전들와만보장주여라상원공구조비동성국세문선었된게되연화소경유것년오관위개도방신미용"
_CJK_MARKS = "、。，．？！：；「」『』（）“”‘’·…—　《》〈〉【】・"

# What the text must look like for an encoding to be believed.
_LANGUAGES: dict[str, tuple[str, ...]] = {
    "cp1252": _WEST,
    "cp1250": _CENTRAL,
    "iso8859-2": _CENTRAL,
    "cp1254": _TURKISH,
    "cp1257": _BALTIC,
    "mac-roman": _WEST,
    "cp850": _WEST,
    "cp1251": _CYRILLIC,
    "koi8-r": _CYRILLIC,
    "koi8-u": _CYRILLIC,
    "iso8859-5": _CYRILLIC,
    "cp866": _CYRILLIC,
    "mac-cyrillic": _CYRILLIC,
    "cp1253": _GREEK,
    "iso8859-7": _GREEK,
    "cp1255": _HEBREW,
    "cp1256": _ARABIC,
    "iso8859-6": _ARABIC,
    "cp874": _THAI,
    "gb18030": (_SIMPLIFIED + _CJK_MARKS,),
    "big5": (_TRADITIONAL + _CJK_MARKS,),
    "cp932": (_KANA + _CJK_MARKS,),
    "euc_jp": (_KANA + _CJK_MARKS,),
    "cp949": (_HANGUL + _CJK_MARKS,),
    "iso2022_jp": (_KANA + _CJK_MARKS,),
    "iso2022_kr": (_HANGUL + _CJK_MARKS,),
    "hz": (_SIMPLIFIED + _CJK_MARKS,),
}
_LATIN = ("cp1252", "cp1250", "iso8859-2", "cp1254", "cp1257", "mac-roman", "cp850")
_EAST_ASIAN = ("gb18030", "big5", "cp932", "euc_jp", "cp949", "iso2022_jp", "iso2022_kr", "hz")
_SEVEN_BIT = ("iso2022_jp", "iso2022_kr", "hz")

# Names that files and servers use for a smaller set than the one they mean.
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


def _worths(name: str, letters: str) -> dict[str, float]:
    """Points for each letter: 1 for the most frequent, falling to 0.5; East Asian signs are too many to be ranked."""
    fall = 0.0 if name in _EAST_ASIAN else 0.5 / len(letters)
    return dict.fromkeys(_MARKS_USED, 0.8) | {letter: 1 - fall * rank for rank, letter in enumerate(letters)}


_WORTHS = {name: [_worths(name, letters) for letters in languages] for name, languages in _LANGUAGES.items()}


def codec(name: str) -> str | None:
    """The codec meant by a declared charset (`latin-1` means Windows-1252 on the web), or None for an unknown name."""
    try:
        known = codecs.lookup(name.strip().strip("\"'")).name
        b"".decode(known)
    except (LookupError, ValueError):
        return None
    return _MEANT.get(known, known)


def decode(data: bytes, declared: str = "") -> str:
    """The characters of `data` without a byte order mark; `declared` is believed where it can be true.

    Raises Unreadable for bytes that are no text.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    wide = _wide(data)
    text = None if wide else _utf8(data)
    if text is not None:
        if data.isascii() and (b"\x1b$" in data or b"~{" in data):
            return _seven_bit(data, text)
        return _checked(text)
    return _checked(data.decode(wide or _declared(data, declared) or _legacy(data), "replace"))


def _utf8(data: bytes) -> str | None:
    """UTF-8, forgiving a few broken bytes among many good sequences (a cut file, one pasted Latin-1 word)."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        broken = text.count("\ufffd") - data.count(b"\xef\xbf\xbd")
        good = sum(character > "\x7f" for character in text) - text.count("\ufffd")
        return text if good > 20 * broken else None


def _seven_bit(data: bytes, plain: str) -> str:
    for name in _SEVEN_BIT:
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        if text != plain and _score(text[:SAMPLE], name) > READS_WELL:
            return text
    return _checked(plain)


def _wide(data: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark shows in NULs that stand at one side of each unit."""
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
    few = sum(count for _, count in blocks.most_common(3)) > 0.8 * blocks.total() or _share(text, _KANA + _SIMPLIFIED + _TRADITIONAL + _HANGUL) > 0.15
    return kinds["C"] < 0.02 * len(text) and few


def _share(text: str, letters: str) -> float:
    wanted = frozenset(letters)
    return sum(character in wanted for character in text) / max(1, len(text))


def _declared(data: bytes, declared: str) -> str | None:
    name = codec(declared) if declared else None
    if name is None or b"\0" in data[:SAMPLE]:
        return None
    text = data.decode(name, "replace")
    return name if text.count("\ufffd") <= len(text) / 200 else None


def _legacy(data: bytes) -> str:
    sample = _sample(data)
    best, top = "", READS_WELL
    for name in _LANGUAGES:
        if name in _SEVEN_BIT:
            continue
        try:
            text = codecs.getincrementaldecoder(name)("strict").decode(sample)
        except UnicodeDecodeError:
            continue
        score = _score(text, name)
        if score > top + (0.05 if best == "cp1252" else 0):  # the commonest by far wins near ties
            best, top = name, score
    if best:
        return best
    match = from_bytes(sample).best()
    return _MEANT.get(match.encoding, match.encoding) if match else "cp1252"


def _sample(data: bytes) -> bytes:
    """Lines with bytes beyond ASCII, up to SAMPLE bytes: a long English preamble says nothing about the encoding."""
    picked, size = [], 0
    for line in data.splitlines(keepends=True):
        if not line.isascii():
            picked.append(line[:SAMPLE])
            size += len(line)
            if size >= SAMPLE:
                break
    return b"".join(picked)


def _score(text: str, name: str) -> float:
    """1 when every character beyond ASCII is one that a language of the encoding uses often, below 0 for gibberish."""
    beyond = Counter(character for character in text if character > "\x7f")
    if not beyond:
        return 0.0
    points = max(sum(count * _worth(character, letters, name) for character, count in beyond.items()) for letters in _WORTHS[name])
    pairs = Counter((one, two) for one, two in pairwise(text) if (one > "\x7f" or two > "\x7f") and one.isalpha() and two.isalpha())
    return (points - sum(count * _clash(*pair, name) for pair, count in pairs.items())) / beyond.total()


def _worth(character: str, letters: dict[str, float], name: str) -> float:
    known = letters.get(character) or 0.8 * letters.get(character.lower(), 0.0)
    if known:
        return known
    if "\u4e00" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3":
        return 0.2 if name in _EAST_ASIAN else -1.0
    category = unicodedata.category(character)
    return -0.3 if category[0] == "L" else -0.5 if category[0] in "PN" else -1.5


def _clash(one: str, two: str, name: str) -> float:
    """How badly two neighbouring letters fit: a capital inside a word, accents in a row, two scripts in one word."""
    if one.islower() and two.isupper():
        return 2.0
    if name in _EAST_ASIAN:
        return 0.0
    both = one > "\x7f" and two > "\x7f"
    return 0.6 * both if name in _LATIN else 1.0 * (not both)


def _checked(text: str) -> str:
    """Refuse what is no text: many control characters, or many characters that no decoder could read."""
    head = text[:SAMPLE]
    odd = sum(character < " " and character not in "\t\n\r\f\x0b\x1a\x1b\x08" or character in "\x7f\ufffd" for character in head)
    if odd > 0.05 * len(head):
        raise Unreadable("The file is not text: it holds binary data. Upload it under the name of what it really is.")
    return text
