"""Numbers as lists show them, by the names of ECMA-376 part 1, 17.18.59 (ST_NumberFormat): 4 → iv, d, 四, ④."""

from collections.abc import Callable

_LARGEST_ROMAN = 32_767  # where Word stops as well
_MOST_REPEATED = 30  # letters: the 27th item is aa, the 53rd aaa
_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_LATIN = "abcdefghijklmnopqrstuvwxyz"
_CHINESE = "〇一二三四五六七八九"
_HEBREW = (
    (400, "ת"), (300, "ש"), (200, "ר"), (100, "ק"), (90, "צ"), (80, "פ"), (70, "ע"), (60, "ס"), (50, "נ"), (40, "מ"),
    (30, "ל"), (20, "כ"), (10, "י"), (9, "ט"), (8, "ח"), (7, "ז"), (6, "ו"), (5, "ה"), (4, "ד"), (3, "ג"), (2, "ב"),
    (1, "א"),
)  # fmt: skip
_CHICAGO = "*†‡§"
_LETTERS = {
    "lowerLetter": _LATIN,
    "upperLetter": _LATIN.upper(),
    "russianLower": "абвгдежзиклмнопрстуфхцчшщэюя",
    "russianUpper": "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ",
    "hebrew2": "אבגדהוזחטיכלמנסעפצקרשת",
    "arabicAlpha": "أبتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "arabicAbjad": "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ",
    "aiueo": "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン",
    "iroha": "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン",
    "ganada": "가나다라마바사아자차카타파하",
    "chosung": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ",
    "ideographTraditional": "甲乙丙丁戊己庚辛壬癸",
    "ideographZodiac": "子丑寅卯辰巳午未申酉戌亥",
    "thaiLetters": "กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ",
}
_DIGITS = {"hindiNumbers": "०१२३४५६७८९", "thaiNumbers": "๐๑๒๓๔๕๖๗๘๙", "decimalFullWidth": "０１２３４５６７８９"}
_LETTERS["aiueoFullWidth"], _LETTERS["irohaFullWidth"] = _LETTERS["aiueo"], _LETTERS["iroha"]


def numeral(number: int, style: str) -> str:
    """The number in this style; in digits where the style is unknown, or has no form for the number."""
    if style in _LETTERS:
        return _letters(number, _LETTERS[style])
    if style in _DIGITS:
        return "".join(_DIGITS[style][int(digit)] if digit.isdecimal() else digit for digit in str(number))
    return _FORMS.get(style, str)(number)


def _letters(number: int, alphabet: str) -> str:
    """The letter of a number; after the last one they are doubled, then trebled."""
    repeated, place = divmod(number - 1, len(alphabet))
    return alphabet[place] * (repeated + 1) if 0 <= repeated < _MOST_REPEATED else str(number)


def _roman(number: int) -> str:
    return _sum(number, _ROMAN) if 0 < number <= _LARGEST_ROMAN else str(number)


def _sum(number: int, values: tuple[tuple[int, str], ...]) -> str:
    parts = []
    for value, sign in values:
        count, number = divmod(number, value)
        parts.append(sign * count)
    return "".join(parts)


def _hebrew(number: int) -> str:
    """As letters with the values of a sum; 15 and 16 are not written like the name of God."""
    text = _sum(number, _HEBREW) if 0 < number < 1000 else str(number)
    return text.replace("יה", "טו").replace("יו", "טז")


def _chinese(number: int) -> str:
    """Counted up to 99,999 with the signs for ten, hundred, thousand and ten thousand."""
    if not 0 < number < 100_000:
        return str(number)
    text = ""
    for place, digit in enumerate(reversed(str(number))):
        sign = _CHINESE[int(digit)] if digit != "0" else ""
        gap = "〇" if not sign and text and text[0] != "〇" else ""
        text = (sign + ("", "十", "百", "千", "万")[place] if sign else gap) + text
    return text.removeprefix("一") if text.startswith("一十") else text


def _ordinal(number: int) -> str:
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{suffix}"


def _enclosed(number: int) -> str:
    return chr(0x2460 + number - 1) if 0 < number <= 20 else str(number)


def _chicago(number: int) -> str:
    return _letters(number, _CHICAGO)


_FORMS: dict[str, Callable[[int], str]] = {
    "none": lambda number: "",
    "upperRoman": _roman,
    "lowerRoman": lambda number: _roman(number).lower(),
    "decimalZero": lambda number: f"{number:02}",
    "numberInDash": lambda number: f"- {number} -",
    "hex": lambda number: f"{number:X}",
    "ordinal": _ordinal,
    "decimalEnclosedCircle": _enclosed,
    "decimalEnclosedCircleChinese": _enclosed,
    "hebrew1": _hebrew,
    "chicago": _chicago,
    **dict.fromkeys(
        (
            "chineseCounting",
            "chineseCountingThousand",
            "japaneseCounting",
            "taiwaneseCounting",
            "taiwaneseCountingThousand",
            "koreanCounting",
        ),
        _chinese,
    ),
    "ideographDigital": lambda number: "".join(_CHINESE[int(digit)] for digit in str(max(0, number))),
    "japaneseDigitalTenThousand": lambda number: "".join(_CHINESE[int(digit)] for digit in str(max(0, number))),
}
