"""Folding and cutting text for full-text search, script by script.

The index and the question go through the same `terms`. It neither lemmatises nor splits compound words. Measured by
BM25 on 900 questions in six languages, the right passage first of all: beginnings of words 85.1 %, Snowball's stems
84.8 %, simplemma's lemmas 84.3 %, words as they are 81.7 %; the two libraries take two to five times as long.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain

from docqa.languages import entry

# Raise it with every change to what `terms` gives: stored terms are then rebuilt, and until then matched less well.
TERMS_VERSION = 1
# Letters; a word that has them is indexed whole and cut to this, which stands in for stemming in languages with
# suffixes
PREFIX = 5

# Scripts written without spaces, and Hangul, whose particles stick to the word: Thai to Khmer, Kana, Han, Hangul.
_DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_DENSE_RUN = re.compile(f"[{_DENSE}々〆ー]+")
_PIECE = re.compile(
    rf"(?P<dense>[{_DENSE}々〆ー]+)"
    rf"|\d+(?:[.,:/'’-]\d+)+"
    rf"|(?:(?![{_DENSE}々〆ー])[^\W_])"
    rf"(?:(?![{_DENSE}々〆ー])[^\W_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff])*"
)
# The same of a text without dense scripts, which need not be looked for at each letter.
_ALPHABETIC_PIECE = re.compile(
    r"\d+(?:[.,:/'’-]\d+)+|[^\W_]+(?:[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff]+[^\W_]*)*"
)
_MARK_IN_NUMBER = re.compile(r"[.,:/'’-]")
_COMPOUND = re.compile(r"[^\W_]+(?:[-_/.@&+][^\W_]+)+")
_JOINT = re.compile(r"[-_/.@&+](?<=[^\W_].)[^\W_]")  # what each of them has, and half of all sentences lack
_LONGEST_WORD = 64
_LONGEST_COMPOUND = 80  # characters; matching a longer run costs the square of its length
# Of alphabets. Elsewhere marks are letters: Kana's dakuten, Indic vowels.
_ACCENTED = re.compile("[\u0080-\u08ff\u1e00-\u1fff]+")
_ARABIC = re.compile(r"[\u0620-\u064a]")
_ARABIC_FOLD = str.maketrans(
    {"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ة": "ه", "ؤ": "و", "ئ": "ي", "ـ": None}
)
_WITHOUT_ACCENT = {code: unicodedata.normalize("NFD", chr(code))[0] for code in range(0xC0, 0x250)}
_AFFIXES = {name: tuple(words) for name, words in entry("text.affixes", "ar").items()}
_JOINED_AND = tuple(entry("text.joined_and", "ar"))
_ARABIC_VOWELS = re.compile("[اوي]")


def fold(text: str) -> str:
    """Compatibility forms, case, and the accents of alphabets removed: what search compares."""
    if text.isascii():  # most words: a tenth of the time
        return text.lower()
    return _ACCENTED.sub(_without_marks, unicodedata.normalize("NFKC", text).casefold())


def _without_marks(match: re.Match[str]) -> str:
    return "".join(part for part in unicodedata.normalize("NFD", match[0]) if not unicodedata.combining(part))


def without_accents(text: str) -> str:
    """The text without the accents of Latin letters, character by character: as people type in a hurry."""
    return text if text.isascii() else text.translate(_WITHOUT_ACCENT)


@lru_cache(16_384)  # words come again and again, and a question is held against some ten passages
def _arabic_stem(word: str) -> str:
    word = word.translate(_ARABIC_FOLD)
    if len(word) > 3 and word.startswith(_JOINED_AND) and not word.startswith(_AFFIXES["prefixes"]):
        word = word[1:]
    for prefix in _AFFIXES["prefixes"]:
        if word.startswith(prefix) and len(word) - len(prefix) >= 2:
            word = word[len(prefix) :]
            break
    for suffix in _AFFIXES["suffixes"]:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    return word


@lru_cache(16_384)
def _arabic_root(word: str) -> str:
    """The consonants of a word without what is joined to it, "" where fewer than three are left: what its plurals and
    verb forms share.

    A first letter that may be a particle is taken for one.
    """
    word = word.translate(_ARABIC_FOLD)
    article = next(
        (prefix for prefix in _AFFIXES["prefixes"] if word.startswith(prefix) and len(word) - len(prefix) >= 3), ""
    )
    if article:
        word = word[len(article) :]
    elif len(word) > 4 and word[0] in _AFFIXES["particles"]:
        word = word[1:]
    word = word[
        : len(word)
        - len(next((end for end in _AFFIXES["endings"] if word.endswith(end) and len(word) - len(end) >= 3), ""))
    ]
    if len(word) > 3 and word[0] in _AFFIXES["beginnings"]:
        word = word[1:]
    root = word[:1] + _ARABIC_VOWELS.sub("", word[1:])
    root = root if len(root) >= 3 else word
    return root if len(root) >= 3 else ""


@lru_cache(16_384)
def terms_of_word(word: str) -> tuple[str, ...]:
    """The terms of a word, or of a number."""
    if not word.isalnum() and _MARK_IN_NUMBER.search(word):
        return word, *(part for part in re.split(r"\D", word) if len(part) > 1)
    if _ARABIC.search(word):
        root = _arabic_root(word)
        return (_arabic_stem(word), root + "~") if root else (_arabic_stem(word),)
    if len(word) >= PREFIX and not word.isdigit():
        return word[:_LONGEST_WORD], word[:PREFIX] + "~"
    return (word[:_LONGEST_WORD],)


def terms(text: str) -> list[str]:
    """The search terms of a text, in order: words and their beginnings, character pairs of dense scripts, numbers
    whole."""
    return by_word(text, terms_of_word)


@lru_cache(256)  # each step to an answer asks for those of the same few units
def term_set(text: str) -> frozenset[str]:
    """The search terms of a text, in no order."""
    return frozenset(terms(text))


def by_word(text: str, of_word: Callable[[str], Iterable[str]]) -> list[str]:
    """The search terms of a text, those of its words and numbers in the form that `of_word` gives them."""
    folded = fold(text)
    if folded.isascii() or not _DENSE_RUN.search(folded):
        return [*chain.from_iterable(map(of_word, _ALPHABETIC_PIECE.findall(folded))), *_compounds(folded)]
    out: list[str] = []
    for piece in _PIECE.finditer(folded):
        run = piece.group()
        if piece.lastgroup == "dense":
            out.extend(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        else:
            out += of_word(run)
    out.extend(_compounds(folded))
    return out


def has_word(held: frozenset[str], word: str) -> bool:
    """Whether a word, or one that begins as it does, is among these search terms; of scripts without spaces every pair
    of its characters."""
    return held.issuperset(terms(word)) if is_dense(word) else not held.isdisjoint(terms(word))


def _compounds(folded: str) -> Iterator[str]:
    """Identifiers, addresses and hyphenated words, whole."""
    if not _JOINT.search(folded):
        return
    for piece in folded.split():
        # Most pieces are words, and the others words with a mark at their end.
        if piece.isalnum() or piece[:-1].isalnum():
            continue
        if len(piece) <= _LONGEST_COMPOUND and not _DENSE_RUN.search(piece):
            yield from (match.group() for match in _COMPOUND.finditer(piece) if any(map(str.isalpha, match.group())))


def stem(word: str) -> str:
    """The beginning of a word that stands for its forms where no search terms are compared; cut as `terms` cuts, which
    see for how stemmers compare."""
    return fold(word)[:PREFIX]


def is_compound(term: str) -> bool:
    """Whether a search term is an identifier, an address or a hyphenated word, whose parts are terms too."""
    return bool(_COMPOUND.fullmatch(term)) and any(map(str.isalpha, term))


def is_dense(text: str) -> bool:
    """Whether most letters of the text belong to a script without spaces."""
    if text.isascii():
        return False
    dense = sum(len(run) for run in _DENSE_RUN.findall(text))
    return dense > 0 and 2 * dense > sum(map(str.isalpha, text))
