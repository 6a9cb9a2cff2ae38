"""The language of a question, decided once and by one rule."""

import math
from collections.abc import Iterable, Sequence

from docqa.languages import every
from docqa.questions.small_talk import small_talk
from docqa.questions.wording import WORD, unspaced
from docqa.text.detect import detect, written_in
from docqa.text.frequency import has_word, shares
from docqa.text.words import fold

ENOUGH_WORDS = 3  # from here on the detector is right alone: one or two words it takes for English or Italian
ENOUGH_CHARACTERS = 6  # in scripts without spaces
# Up to here its word is compared with how common the words are in each language that is likely: it takes "whats the
# price per person" for Italian.
FEW_WORDS = 12
_RARE, _UNKNOWN = 1e-4, 1e-6  # the shares of a word that is rare in a language, and of one that it does not have


def question_language(text: str, earlier: str, documents: Sequence[str]) -> str:
    """The ISO 639-1 code of a question's language, "en" where nothing tells it.

    `earlier` is the question before it, "" for the first one; `documents` are the languages of the documents, "" for
    those that are not known. A text of a few words is in the language of its question word if only one language has
    that; else in the one of its own, those of the conversation and the documents, and English, in which its words are
    most common; where that does not tell it, in a language of the conversation or the documents that is written in its
    script.
    """
    known = [code for code in (detect(earlier) if earlier else "", *documents) if code]
    if talk := small_talk(text, next(iter(known), "")):
        return talk[1]
    detected = detect(text)
    own = _words(text)
    asking = [code for code, asking in every("questions.words.asking").items() if not own.isdisjoint(asking)]
    if detected and (detected in known or _long_enough(text)):
        return _commonest(text, (detected, *known, "en", *asking)) or detected
    if len(asking) == 1:
        return asking[0]
    script = written_in(text)
    in_script = [code for code in known if not script or code in script]
    return _commonest(text, (*in_script, detected, "en")) or next(iter(in_script), "") or detected or "en"


def _commonest(text: str, candidates: Iterable[str]) -> str:
    """The first of the languages in which the words of a short text are most common; "" for a longer one, and where
    their words are not known."""
    words = [word.casefold() for word in WORD.findall(text) if word.isalpha()]
    if not words or len(words) > FEW_WORDS or unspaced(text):
        return ""
    common = {code: _mean(words, code) for code in dict.fromkeys(candidates) if code and shares(code)}
    best = max(common, key=common.__getitem__, default="")
    return best if best and common[best] > math.log(_RARE) else ""


def _mean(words: Sequence[str], language: str) -> float:
    return sum(math.log(_share(word, language)) for word in words) / len(words)


def _share(word: str, language: str) -> float:
    return shares(language).get(fold(word), 0.0) or (_RARE if has_word(word, language) else _UNKNOWN)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(text)}


def _long_enough(text: str) -> bool:
    if unspaced(text):
        return sum(map(str.isalpha, text)) >= ENOUGH_CHARACTERS
    return len(WORD.findall(text)) >= ENOUGH_WORDS
