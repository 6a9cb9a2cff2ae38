"""Codes: names made of letters and a number, as errors, parts and tickets have: E20, F.28, T-10435, COVID-19."""

import re

CODE = re.compile(r"(?<![A-Za-z0-9-])[A-Za-z][A-Za-z-]*\d[A-Za-z0-9-]*")
_DOTTED = re.compile(r"(?<![A-Za-z0-9].)(?<=[A-Za-z])\.(?=\d)")  # F.28, and not No.28
_YEAR = re.compile(r"[a-z]+(?:19|20)\d\d")
_LETTER, _DIGIT = re.compile("[a-z]"), re.compile(r"\d")


def codes(text: str) -> frozenset[str]:
    """The codes in a text, as they can be compared: in small letters, without marks. What names a year, as FY2022 does,
    is a date."""
    named = (code.replace("-", "").casefold() for code in CODE.findall(_DOTTED.sub("", text)))
    return frozenset(code for code in named if not _YEAR.fullmatch(code))


def form(code: str) -> str:
    """What a code has in common with others of its kind: "a99" of e20."""
    return _DIGIT.sub("9", _LETTER.sub("a", code))
