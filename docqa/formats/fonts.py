"""Bytes of an RTF font → characters: code pages, font character sets and the characters of the Symbol font.

The characters of Wingdings and similar fonts are not mapped: each becomes a bullet.
"""

import codecs
from dataclasses import dataclass
from functools import cache

# The RTF specification 1.9.1, "Font Table": \fcharset → code page.
_CHARSETS = {
    0: 1252, 77: 10000, 78: 10001, 79: 10003, 80: 10008, 81: 10002, 83: 10005, 84: 10004, 85: 10006, 86: 10081,
    87: 10021, 88: 10029, 89: 10007, 128: 932, 129: 949, 130: 1361, 134: 936, 136: 950, 161: 1253, 162: 1254,
    163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
}  # fmt: skip
# Code pages that Python has under another name than cp and the number, or of which it has only a near relative.
_CODECS = {
    708: "iso8859-6", 10000: "mac-roman", 10001: "shift_jis", 10002: "big5", 10003: "euc_kr", 10004: "mac-arabic",
    10005: "cp1255", 10006: "mac-greek", 10007: "mac-cyrillic", 10008: "gb2312", 10010: "mac-romanian",
    10017: "mac-cyrillic", 10021: "cp874", 10029: "mac-latin2", 10079: "mac-iceland", 10081: "mac-turkish",
    10082: "mac-croatian", 20866: "koi8-r", 21866: "koi8-u", 54936: "gb18030",
    **{28590 + part: f"iso8859-{part}" for part in (1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 15)},
}  # fmt: skip
_PICTURES = 2

# Adobe's Symbol encoding from 0x41 on.
_GREEK = {
    0x41 + place: sign
    for place, sign in enumerate("ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_\u203eαβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼")
}
_MATHEMATICS = {0xA2 + place: sign for place, sign in enumerate("′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…")} | {
    0xC6 + place: sign for place, sign in enumerate("∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓")
}
_SYMBOLS = _GREEK | _MATHEMATICS | {0x22: "∀", 0x24: "∃", 0x27: "∋", 0x2D: "−", 0xD7: "⋅", 0xE5: "∑", 0xF2: "∫"}


@dataclass
class Font:
    """An entry of the font table. `charset` is None, and `code_page` 0, if the table gives none."""

    charset: int | None = None
    code_page: int = 0
    name: str = ""

    @property
    def pictures(self) -> bool:
        """Whether its bytes are symbols, not letters."""
        return self.charset == _PICTURES

    def drawn(self, codes: bytes) -> str:
        """The characters that bytes of a symbol font show; in Symbol, punctuation and digits are as in ASCII."""
        if not self.name.lower().startswith("symbol"):
            return "".join(" " if code <= 0x20 else "•" for code in codes)
        return "".join(_SYMBOLS.get(code) or (chr(code) if code < 0x41 else "•") for code in codes)


class Fonts:
    """The font table, also while it is read; a number that it lacks is a font with the document's code page."""

    def __init__(self) -> None:
        self._fonts: dict[int, Font] = {}
        self._charsets_known = False

    def __getitem__(self, number: int) -> Font:
        return self._fonts.setdefault(number, Font())

    def set_charset(self, number: int, charset: int) -> None:
        """The character set of a font (\\fcharset)."""
        self[number].charset = charset
        self._charsets_known = self._charsets_known or charset not in (0, 1, _PICTURES)

    def set_code_page(self, number: int, code_page: int) -> None:
        """The code page of a font (\\cpg)."""
        self[number].code_page = code_page

    def code_page(self, number: int, default: int) -> int:
        """The code page of a font's text.

        If all fonts have the character set 0, the program that wrote the file did not set any, and `default` applies.
        """
        font = self[number]
        if font.code_page:
            return font.code_page
        if font.charset is None or (font.charset == 0 and not self._charsets_known):
            return default
        return _CHARSETS.get(font.charset, default)


def decode(data: bytes, code_page: int) -> str:
    """The characters of `data`; undecodable bytes become U+FFFD, an unknown code page is read as Windows-1252."""
    return data.decode(_codec(code_page), "replace")


def decode_utf8(data: bytes) -> str | None:
    """The characters of `data`, None if it is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


@cache
def _codec(code_page: int) -> str:
    name = _CODECS.get(code_page) or ("utf-8" if code_page == 65001 else f"cp{code_page}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"
