"""Where sentences end, by rules; rows of tables are kept whole.

The language of a text need not be known: abbreviations and months of all languages count together.
"""

import re
from collections.abc import Iterable

from docqa.languages import every, every_word
from docqa.text.marks import RAISED

# Ours, not sentencex 1.0.32: of the 45 texts of tests/text/sentences.toml, when they were first tried, these rules cut
# 37 right and sentencex 29, although it knows the language; it is thirty times as fast, but 0.1 s for 110 kB is enough.

_END = re.compile(
    r"(?<![.!?…؟।])[.!?…؟।]++[\"'”’“»«)\]]*(?:(?=\s)|(?P<note>" + RAISED + r")(?=\s+[\"'“‘«(\[]?[^\W\d_]|\s*\Z))"
    r"|[。！？｡]+[」』”）]*|\n[ \t]*\n|\n(?=[ \t]*(?:[-•*▪]|\d{1,3}[.)])\s)"
)
# As the readers write rows: cells separated by tabs or bars, or each cell with its column's name.
_ROW = re.compile(r"^(?=[^\n]*(?:\t| \| )|[^\n:;]{1,80}: [^\n]*; [^\n:;]{1,80}: )[^\n]+", re.MULTILINE)


def _any_of(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


def _capitalised(words: Iterable[str]) -> set[str]:
    """The words and, of those in small letters, how they begin a sentence."""
    return {form for word in words for form in (word, word[0].upper() + word[1:])}


_MONTHS = {form for months in every("text.months").values() for forms in months for form in forms.split("|")}
_SHORT_MONTHS = {
    form for months in every("text.short_months").values() for forms in months for form in forms.split("|")
} - _MONTHS
_ABBREVIATION = re.compile(
    rf"(?:(?<!\w)(?:{_any_of(_capitalised(every_word('text.abbreviations')))})|(?<!°)\b[A-ZÀ-ÞА-Я])\.$"
)
_NUMBER = re.compile(r"\s*\(?\d{1,2}\.")  # of an item within a paragraph
_BEFORE_NUMBER = re.compile(
    rf"(?<!\w)(?:{_any_of(every_word('text.before_numbers') | _SHORT_MONTHS)})\.$", re.IGNORECASE
)
# "im 10. Jahrhundert", "am 3. 10. 1990": an ordinal, even before a capital.
_ORDINAL = re.compile(
    rf"(?:\b(?:{_any_of(every_word('text.before_ordinals'))})\s?|\d\.\s|[-–])\d{{1,2}}\.$", re.IGNORECASE
)
_DAY = re.compile(r"(?<!\d)\d{1,2}\.$")
_MONTH_FOLLOWS = re.compile(
    rf"[ \u00a0]+(?:(?:{_any_of(_MONTHS)})(?!\w)|(?:{_any_of(_SHORT_MONTHS)})\.)", re.IGNORECASE
)
_NEXT_WORD = re.compile(r"[ \u00a0]+(?P<first>[^\W_])")
_CLOSED = re.compile("[^\\W\\d_]|[%\"'”’“»«)\\]]")  # what a sentence ends in, before its mark
_QUOTES = tuple("\"'”’“»«")
_BEFORE, _AFTER = 12, 16  # characters on each side of a full stop that are looked at


def holds_row(text: str) -> bool:
    """Whether one of its lines is a row of a table."""
    return bool(_ROW.search(text))


def sentences(text: str) -> list[tuple[int, int]]:
    """(start, end) of each sentence in characters of `text`, without surrounding white space; a table row is a
    sentence."""
    spans: list[tuple[int, int]] = []
    start = 0
    capitals = any(map(str.isupper, text))
    for row in _ROW.finditer(text):
        _append_sentences(spans, text, start, row.start(), capitals=capitals)
        _append_stripped(spans, text, row.start(), row.end())
        start = row.end()
    _append_sentences(spans, text, start, len(text), capitals=capitals)
    return spans


def _append_sentences(spans: list[tuple[int, int]], text: str, start: int, stop: int, *, capitals: bool) -> None:
    for end in _END.finditer(text, start, stop):
        following = text[end.end() : end.end() + _AFTER]
        if end["note"] and not _CLOSED.match(text, max(start, end.start() - 1)):
            continue  # "3.12 metres", "$ .95" and "4…20 mA" are numbers
        if text[end.start()] == ".":
            if _NUMBER.fullmatch(text, start, end.start() + 1):
                continue
            if _goes_on(text[max(start, end.start() - _BEFORE) : end.start() + 1], following, capitals=capitals):
                continue
        elif (
            capitals and end[0].endswith(_QUOTES) and (word := _NEXT_WORD.match(following)) and word["first"].islower()
        ):
            continue  # "But who has won?" they asked.
        _append_stripped(spans, text, start, end.end())
        start = end.end()
    _append_stripped(spans, text, start, stop)


def _goes_on(before: str, following: str, *, capitals: bool) -> bool:
    """Whether the sentence goes on after the full stop that ends `before`: an abbreviation, an ordinal, or a small
    letter next.

    `capitals`: the text has any; in one without them a small letter may begin a sentence.
    """
    if _ABBREVIATION.search(before):
        return True
    following_word = _NEXT_WORD.match(following)
    if following_word is None:
        return False
    first = following_word["first"]
    if (capitals and first.islower()) or (first.isdigit() and _BEFORE_NUMBER.search(before)):
        return True
    return bool(_ORDINAL.search(before) or (_DAY.search(before) and _MONTH_FOLLOWS.match(following)))


def _append_stripped(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))
