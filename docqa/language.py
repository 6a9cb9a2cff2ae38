"""Which language a text is in, as an ISO 639-1 code: by its script, and among the Latin and Cyrillic ones by function words.

It knows the languages of the tables below and answers "" for anything else, and for text too short to tell.
"""

import re
from collections import Counter

_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u3400-\u9fff]")),
    ("ar", re.compile(r"[\u0620-\u064a]")),
    ("he", re.compile(r"[\u05d0-\u05ea]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
)
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_FUNCTION_WORDS = {
    code: frozenset(words.split())
    for code, words in {
        "en": "the of and to in is was what which who how when where did does do are for that with by on from at it as were why many much be an",
        "de": "der die das und ist von den wie wer wo wann was welche welcher welches welchen welchem wurde wurden wird werden im in zu zum zur dem des ein eine einer nicht mit auf für aus sich sind war warum hat haben viele bei nach um als auch",
        "fr": "le la les des et est de du que qui quel quelle quand où dans une un pour par au aux sur il elle pas combien comment quels pourquoi à ce sont",
        "es": "el la los las de y es en que qué quién cuál cuándo dónde cómo por para con una un del se no fue cuántos cuánto está al su son",
        "pt": "o a os as de e é em que quais foram qual quem quando onde como por para com uma um do da dos das não foi no na quantos quanto ao são mais",
        "it": "il lo la gli le di e è in che chi quale quando dove come per con una un del della non sono nel nella perché quanti dei al da",
        "nl": "de het een en van is in dat wie wat welke wanneer waar hoe voor met op niet aan door werd zijn er te was naar",
        "pl": "i w z na jest się nie do co kto kiedy gdzie jak który która które był była są dla od po przez o ile",
        "tr": "ve bir bu ne kim hangi nerede nasıl için ile mi mı olan olarak de da kaç değil var çok en",
        "sv": "och i att det en som är av för på den med vad vem när var hur till inte om ett har",
    }.items()
}
_SHARED = Counter(word for known in _FUNCTION_WORDS.values() for word in known)
_WORD = re.compile(r"[^\W\d_]+")
_SAMPLE = 20_000  # characters looked at


def detect(text: str) -> str:
    """The main language of a text, "" where it cannot be told."""
    sample = text[:_SAMPLE]
    counts = {code: len(pattern.findall(sample)) for code, pattern in _SCRIPTS}
    counts["zh"] += counts["ja"] if counts["ja"] * 20 < counts["zh"] else 0
    latin = len(_LATIN.findall(sample))
    if counts["ja"] and counts["ja"] * 20 >= counts["zh"]:
        counts["ja"] += counts["zh"]
    code, most = max(counts.items(), key=lambda item: item[1])
    # A Han, Kana or Hangul character weighs about as much as two letters of an alphabet.
    if most * (2 if code in ("ja", "ko", "zh") else 1) > latin:
        return code
    return _by_words(sample) if latin else ""


def _by_words(sample: str) -> str:
    words = Counter(word.casefold() for word in _WORD.findall(sample))
    scores = {code: sum(words[word] / _SHARED[word] for word in known) for code, known in _FUNCTION_WORDS.items()}
    code, most = max(scores.items(), key=lambda item: item[1])
    return code if most else ""


def is_function_word(word: str) -> bool:
    """Whether the (folded) word is a function or question word of one of the Latin-script languages."""
    return word in _SHARED
