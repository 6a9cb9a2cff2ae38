"""The language of a question, decided once and by one rule."""

from collections.abc import Sequence

from docqa.languages import every
from docqa.questions.wording import WORD, unspaced
from docqa.text.detect import detect, written_in

ENOUGH_WORDS = 3  # from here on the detector is right alone: one or two words it takes for English or Italian
ENOUGH_CHARACTERS = 6  # in scripts without spaces


def question_language(text: str, earlier: str, documents: Sequence[str]) -> str:
    """The ISO 639-1 code of a question's language, "en" where nothing tells it.

    `earlier` is the question before it, "" for the first one; `documents` are the languages of the documents, "" for
    those that are not known. A text of a few words is in the language of its question word if only one language has
    that;
    else in a language of the conversation or the documents that is written in its script.
    """
    detected = detect(text)
    known = [code for code in (detect(earlier) if earlier else "", *documents) if code]
    if detected and (detected in known or _long_enough(text)):
        return detected
    asking = {code for code, asking in every("questions.words.asking").items() if _words(text) & set(asking)}
    if len(asking) == 1:
        return asking.pop()
    script = written_in(text)
    return next((code for code in known if not script or code in script), "") or detected or "en"


def _words(text: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(text)}


def _long_enough(text: str) -> bool:
    if unspaced(text):
        return sum(map(str.isalpha, text)) >= ENOUGH_CHARACTERS
    return len(WORD.findall(text)) >= ENOUGH_WORDS
