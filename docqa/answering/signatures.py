"""Who signed a document, or a letter in it: names below a closing formula, behind "signed by", or above an office at
the end of a page."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from docqa.answering.title_page import Stated
from docqa.languages import every_pattern
from docqa.store.chunks import StoredChunk
from docqa.text.words import is_dense

BELOW = 5  # lines below a closing formula in which the name stands
AT_END = 7  # lines of a page, below its last sentence
LONGEST_NAME, LONGEST_OFFICE = 90, 100  # characters
_PERSON = (
    r"(?:(?:Dr|Prof|Mr|Mrs|Ms|Hon|Rev|Sir|Dame|Herr|Frau|Mme|M|Sr|Sra|Dott|Ing)\.?[ \t]+)*"
    r"[^\W\d_a-z](?:\.|[\w'’-]+)"
    r"(?:[ \t]+(?:(?:van|von|de|der|del|la|le|du|di|da|bin|al)[ \t]+)*[^\W\d_a-z](?:\.|[\w'’-]+)){1,3}"
)
_NAME = re.compile(rf"{_PERSON}(?:,[ \t]+{_PERSON}){{0,5}}(?:,?[ \t]+(?:and|und|et|y|e|&)[ \t]+{_PERSON})?")
_LINE = re.compile(r"[^\n]*[^\s][^\n]*")
_LABELLED = r"(?<!\w)(?i:{labels})[ \t]*+[:：.]?[ \t]*+_*+[ \t]*+(?P<name>{name}|[^\x00-\x7f]{{2,6}}(?![^\s。，,]))"
_SENTENCE_END = re.compile(r"[.!?:。！？]$")


def signed(chunks: Sequence[StoredChunk]) -> Stated | None:
    """Who signed, by the first signature in these chunks; None where none is recognised."""
    for find in (_below_formula, _labelled, _at_page_end):
        for chunk in chunks:
            if stated := next(find(chunk), None):
                return stated
    return None


def _below_formula(chunk: StoredChunk) -> Iterator[Stated]:
    lines = list(_LINE.finditer(chunk.text))
    for place, line in enumerate(lines):
        formula = _formula().match(line[0].strip())
        if formula is None:
            continue
        rest = line[0].strip()[formula.end() :].strip(" ,.;")
        for match in [line, *lines[place + 1 : place + 1 + BELOW]]:
            text = rest if match is line else match[0].strip(" \t,_.")
            if _is_name(text):
                yield Stated(text, chunk, match.start(), match.end())


def _labelled(chunk: StoredChunk) -> Iterator[Stated]:
    for match in _labels().finditer(chunk.text):
        if _is_name(match["name"].strip()):
            yield Stated(match["name"].strip(), chunk, match.start(), match.end())


def _at_page_end(chunk: StoredChunk) -> Iterator[Stated]:
    """ "Jane Roe" above "Director of the Office" at the end of a page, below a sentence."""
    lines = list(_LINE.finditer(chunk.text))[-AT_END:]
    for place in range(1, len(lines) - 1):
        name, office = lines[place][0].strip(), lines[place + 1][0].strip()
        below = [line[0].strip() for line in lines[place + 1 :]]
        ends = _SENTENCE_END.search(lines[place - 1][0].rstrip())
        if ends and _is_name(name) and all(_is_office(line) for line in below) and not _is_name(office):
            yield Stated(name, chunk, lines[place].start(), lines[-1].end())
            return


def _is_name(text: str) -> bool:
    if is_dense(text):
        return 2 <= len(text) <= 5
    return len(text) <= LONGEST_NAME and bool(_NAME.fullmatch(text))


def _is_office(text: str) -> bool:
    return len(text) <= LONGEST_OFFICE and text[0].isupper() and not _SENTENCE_END.search(text)


@cache
def _formula() -> re.Pattern[str]:
    return re.compile(rf"(?:{every_pattern('text.valedictions')})(?!\w)[\s,，!.]*", re.IGNORECASE)


@cache
def _labels() -> re.Pattern[str]:
    return re.compile(_LABELLED.format(labels=every_pattern("text.signature_labels"), name=_NAME.pattern))
