"""What a document speaks of by name: its persons, firms, things; and the sentences that say what these are."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache

from docqa.languages import every, every_pattern
from docqa.text.detect import is_function_word
from docqa.text.words import fold, is_dense

MOST = 12  # names
LEAST = 3  # times that a name stands in the document, at least
NOUNS = 0.25  # of the words within sentences: where as many have a capital, capitals make no name (German)
FIRST_WORDS = 3  # of a sentence, among which the name stands that it speaks of
SUBJECT = 90  # characters in which a sentence has come to its verb
_WORD = re.compile(r"[^\W\d_][^\W_]*(?:[-'’][^\W\d_]+)*")
_QUOTED = "\"“„«»「『'‘"
TALK = 0.08  # of the sentences begin with a quotation mark: a story is told
FEWEST_SENTENCES = 60
_SPOKEN = re.compile(r"(?:^|\n|[.!?][\"”»]?\s)[\"“«「„](?=\w)|「")
_END = re.compile(r"[.!?][\"”»]?(?=\s|$)|[。！？]")


def names(sentences: Iterable[str]) -> list[str]:
    """The names that stand most often in the sentences, most often first; none in scripts without capitals and in
    languages that write nouns with them."""
    often: Counter[str] = Counter()
    small: Counter[str] = Counter()
    within = 0
    for sentence in sentences:
        if is_dense(sentence):
            continue
        words = list(_WORD.finditer(sentence))
        within += max(0, len(words) - 1)
        for place, word in enumerate(words):
            text = _bare(word[0])
            begins = place == 0 or sentence[word.start() - 1] in _QUOTED
            if text[0].islower():
                small[text.casefold()] += 1
            elif not begins and len(text) > 2 and not is_function_word(fold(text)) and fold(text) not in _months():
                often[text] += 1
    if not within or often.total() > NOUNS * within:
        return []
    # What is also written small is no name: "Section", "Company".
    known = [(name, count) for name, count in often.items() if count >= LEAST and 4 * small[name.casefold()] <= count]
    return [name for name, _ in sorted(known, key=lambda pair: -pair[1])[:MOST]]


def defines(sentence: str, known: Collection[str]) -> str:
    """The name, among those `known`, of which the sentence says what it is: "Fernbrook is a co-operative"; the subject
    itself in scripts without capitals and where it is the document's own ("this handbook explains"); "" for none."""
    match = _defining().match(sentence)
    if match is None or len(match["subject"]) > SUBJECT:
        return ""
    subject = match["subject"]
    if is_dense(sentence):
        return subject
    words = set(map(_bare, _WORD.findall(subject)[:FIRST_WORDS]))
    return next((name for name in known if name in words), "")


def tells_story(texts: Iterable[str]) -> bool:
    """Whether many sentences begin with a quotation mark: somebody speaks."""
    spoken = ends = 0
    for text in texts:
        spoken += len(_SPOKEN.findall(text))
        ends += len(_END.findall(text))
    return ends >= FEWEST_SENTENCES and spoken >= TALK * ends


def _bare(word: str) -> str:
    """Without the "s" of a possessive."""
    return word[:-2] if word.endswith(("'s", "’s")) else word


@cache
def _months() -> frozenset[str]:
    return frozenset(form for months in every("text.months").values() for forms in months for form in forms.split("|"))


@cache
def _defining() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<subject>[^\n;:!?]{{1,120}}?)\s?(?<![^\W\d_\u3040-\u9fff])(?:{every_pattern('text.defining')})"
    )
