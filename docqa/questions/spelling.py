"""The words of a question as the texts that were found write them: without slips of the keyboard, which its language
does not have and a text has but for one letter; and names that are shortened, spelled out."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from docqa.languages import words
from docqa.questions.question import Part
from docqa.questions.wording import content, opening, unspaced
from docqa.text.frequency import has_word
from docqa.text.words import fold

SHORTEST = 5  # letters: of shorter words too many are near each other
_WORD = re.compile(r"[^\W\d_]+")


def possible_slips(text: str, language: str) -> frozenset[str]:
    """The words that say what a text is about and that its language does not have."""
    return frozenset(
        word
        for word in content(text, language)
        if len(word) >= SHORTEST and word.isalpha() and not has_word(word.casefold(), language)
    )


def accented(text: str, language: str) -> str:
    """The text with the accent of the question word that it begins with, which people leave out: "¿cuanto cuesta?".

    Within a sentence many are other words without it ("el que", "ou").
    """
    known = words("questions.words.asking", language)
    begins = opening(text, language)
    first = _WORD.search(text, begins)
    if unspaced(text) or first is None or content(text[begins : first.start()], language):
        return text
    word = first[0].casefold()
    meant = next((other for other in sorted(known) if word not in known and fold(other) == fold(word)), "")
    if not meant:
        return text
    return text[: first.start()] + (meant.capitalize() if first[0][0].isupper() else meant) + text[first.end() :]


def as_written(part: Part, texts: Sequence[str]) -> Part:
    """The part in the words of these texts: without its slips, and with their names for its terms."""
    return spelled_out(respelled(part, texts), texts)


def respelled(part: Part, texts: Iterable[str]) -> Part:
    """The part with its slips mended by the words of these texts; itself where it has none. A word of the texts is no
    slip, nor is one that begins otherwise."""
    if not part.slips:
        return part
    held = Counter(word for text in texts for word in _WORD.findall(text.casefold()))
    meant = {}
    for word in part.slips:
        typed = word.casefold()
        near = [other for other in held if other[0] == typed[0] and is_one_slip_away(typed, other)]
        if near and typed not in held:
            likeliest = max(near, key=lambda other: held[other])
            meant[word] = likeliest.capitalize() if word[0].isupper() else likeliest
    if not meant:
        return part
    return replace(part, text=_WORD.sub(lambda word: meant.get(word[0], word[0]), part.text))


def spelled_out(part: Part, texts: Sequence[str]) -> Part:
    """The part with the names that these texts have for a term of it that none of them has: the CEO of a question is
    the chief executive officer of a report."""
    shortened = [expansion for expansion in part.expansions if expansion.is_name]
    held = " ".join(" ".join(texts).casefold().split()) if shortened else ""
    text = part.text
    for expansion in shortened:
        is_held = re.search(rf"(?<!\w){re.escape(expansion.term.casefold())}(?!\w)", held)
        name = next((name for name in expansion.means if name.casefold() in held), "")
        if name and not is_held:
            text = text.replace(expansion.term, name)
    return replace(part, text=text) if text != part.text else part


def is_one_slip_away(typed: str, word: str) -> bool:
    """Whether two words differ by one letter, left out, put in or exchanged, or by two that changed places (Damerau,
    1964)."""
    if abs(len(typed) - len(word)) > 1 or typed == word:
        return False
    at = next((at for at, (a, b) in enumerate(zip(typed, word, strict=False)) if a != b), min(len(typed), len(word)))
    rest, other = typed[at:], word[at:]
    if len(typed) == len(word):
        return rest[1:] == other[1:] or rest[:2] == other[1::-1] and rest[2:] == other[2:]
    return rest[1:] == other or rest == other[1:]
