"""Numbers as headings and questions write them: 3.2, IV, 十二."""

from docqa.languages import entry

HAN_DIGITS = "".join(entry("text.numbers", "zh"))  # one to ten
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


def heading_number(text: str) -> tuple[int, ...]:
    """The number of a chapter, a section or a page: 3.2 is (3, 2), IV is (4,), 十二 is (12,)."""
    if text[0].isdecimal():
        return tuple(map(int, text.split(".")))
    if text[0] in HAN_DIGITS:
        tens, ten, units = text.rpartition("十")
        unit = HAN_DIGITS.index(units) + 1 if units else 0
        return (unit + (10 * (HAN_DIGITS.index(tens) + 1 if tens else 1) if ten else 0),)
    values = [_ROMAN[letter] for letter in text]
    return (sum(-value if value < max([*values[at:], 0]) else value for at, value in enumerate(values)),)
