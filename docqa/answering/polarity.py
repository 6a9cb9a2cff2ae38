"""Whether what a document says means yes or no to a question that asks whether something is so.

What the verifier makes of it decides, where it is sure. Where it has not read it, what is about the question denies and
affirms by its negations, and by its numbers. That knows words, not the world: that a terrace is
outdoors it does not know. (The readers of passages have learned yes and no too, and are no better at it than words.)
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache, partial

from docqa.languages import pattern, phrase
from docqa.models.reader import YesNo
from docqa.questions.question import Part
from docqa.text.bounds import Measured, bounds, in_digits
from docqa.text.detect import is_function_word
from docqa.text.marks import ends_in_mark
from docqa.text.negations import asides, breaks, denials, exceptions, lacking, negations, numbered, only
from docqa.text.sentences import sentences
from docqa.text.values import every_number
from docqa.text.words import stem, terms

# The log odds of yes and of no below which what was read says neither, and how far apart they are where it is sure: of
# 594 questions that are kept apart, 402 are told rightly then and 53 wrongly. Where it is not, words deny rightly in 18
# cases of 48.
NEITHER, APART = -1.0, 0.8
_WORD = re.compile(r"\w+")
_MONTHS, _ENDS = 12, 2  # of a year, of a season
_LINE = 8  # words of what says something without being a sentence


def is_affirmed(part: Part, said: str, language: str, reading: YesNo | None = None, lead: str = "") -> bool | None:
    """Whether the text `said`, in `language`, affirms what `part` asks. The `lead` of the list that it is an item of
    says so, where that denies, or both together have all that the question says; else the verifier's `reading` of it,
    with None where it says neither or is not sure; without one, words. "Pets allowed: no" says it outright.

    A negated question ("is it not allowed?") is taken as people mean it: yes to what is asked without the negation.
    """
    if (outright := _outright(part, said, language)) is not None:
        return outright
    if _is_named_in_line(part, said, language):
        return True
    if lead and not _explaining(language).search(lead):
        if is_negated(lead, language):  # What is not insured: races
            return bool(part.denials)
        is_plain = len(statements(said, language)) == 1 and not is_negated(said, language)
        above, own = _stems(lead), _stems(said)
        asked_of = set(part.stems.values()) - above
        if is_plain and asked_of < set(part.stems.values()) and asked_of and asked_of <= own:
            return not part.denials
    if reading is None:
        return _as_words_tell(part, said, language)
    is_sure = max(reading) >= NEITHER and abs(reading.yes - reading.no) > APART
    return reading.yes > reading.no if is_sure else None


def _as_words_tell(part: Part, said: str, language: str) -> bool | None:
    """None where the language's negations are not known, or nothing is about the question. To one for what a word
    denies ("is it forbidden?", "can I go without?") the answer is yes where that word or another one denies it."""
    if not pattern("polarity.negations", language):
        return None
    statement, rule = _statement_about(part, said, language)
    if not statement:
        return None
    if rule and not is_negated(statement, language):  # everybody but dogs; nobody but cats
        return is_negated(rule, language) != bool(part.denials)
    kept, unbounded = _bounded(part, statement, language)
    statement = asides(language).sub(" ", statement)
    if part.denials:
        without = denials(language).sub(lambda word: " " if stem(word[0]) in part.denials else word[0], statement)
        return is_negated(without, language) == (without == statement)
    if kept:
        is_denied = is_negated(asides(language).sub(" ", unbounded), language)
        return kept.pop() != is_denied if len(kept) == 1 else None  # 8 to 19, on Saturdays 9 to 12
    if is_negated(lacking(language).sub(partial(_lacking, part), statement), language):
        return False
    return not (_states_other_numbers(part, statement, language) or _is_past_limit(part, statement, language))


def _outright(part: Part, said: str, language: str) -> bool | None:
    """What stands behind a label, where that is yes or no alone; None to a question of what a word denies."""
    labelled = _labelled(language).fullmatch(said.strip())
    if labelled is None or part.denials:
        return None
    return bool(labelled["yes"]) != is_negated(labelled["label"], language)


def says_so_first(text: str, language: str) -> bool:
    """Whether the text itself begins with yes or no."""
    return bool(_first(language).match(text))


def _is_named_in_line(part: Part, said: str, language: str) -> bool:
    """Whether a line that is no sentence and denies nothing has all that the question says: "Confidential, for
    discussion only" is confidential. A verifier has learned sentences."""
    if part.denials or not part.stems or ends_in_mark(said) or len(_WORD.findall(said)) > _LINE:
        return False
    is_plain = not (is_negated(said, language) or denials(language).search(said))
    return is_plain and _stems(said).issuperset(part.stems.values())


def _stems(text: str) -> set[str]:
    return set(map(stem, _WORD.findall(text.casefold())))


@cache
def _first(language: str) -> re.Pattern[str]:
    words = "|".join(re.escape(phrase(f"polarity.{word}", language)) for word in ("yes", "no"))
    return re.compile(rf"\W*(?:{words})(?:\W*$|\s*[.,;:!–—-]|[。，！：])", re.IGNORECASE)


@cache
def _labelled(language: str) -> re.Pattern[str]:
    yes, no = (re.escape(phrase(f"polarity.{word}", language)) for word in ("yes", "no"))
    return re.compile(rf"(?P<label>[^\t|:：]+)[\t|:：][\s|:：]*(?:(?P<yes>{yes})|{no})\W*", re.IGNORECASE)


@cache
def _explaining(language: str) -> re.Pattern[str]:
    """What asks why or how, below which a list says what to do about it: Why can I not log in?"""
    known = (pattern(f"questions.patterns.{name}", language) for name in ("reason", "procedure"))
    alternatives = "|".join(filter(None, known))
    return re.compile(rf"(?<!\w)(?:{alternatives})" if alternatives else "(?!)", re.IGNORECASE)


def is_negated(text: str, language: str) -> bool:
    """Whether a word denies something in the text; False where the language's negations are not known."""
    return bool(negations(language).search(text))


def statements(text: str, language: str) -> list[str]:
    """The parts of a sentence that are affirmed or denied each by itself: before and after a word such as "but"."""
    return [piece for _, piece in _opened_statements(text, language)]


def _statement_about(part: Part, said: str, language: str) -> tuple[str, str]:
    """The sentence, or the part of it before or after a word such as "but", with most of what the question asks; of
    equals the first by which its sentence has named most of it: "coal stoves are forbidden; electric ones are not" of
    an electric stove. Of an exception also what it is made of."""
    sought = {term for word in part.content for term in terms(word)}
    weighed: list[tuple[int, int, tuple[str, str]]] = []
    for start, end in sentences(said):
        named = set[str]()
        before = ""
        sentence = " ".join(said[start:end].split())  # a line may end within "no more than"
        for opener, piece in _opened_statements(sentence, language):
            own = sought.intersection(terms(piece))
            own |= named if own and opener == "," else set()  # what it leaves out it has from before
            named |= own
            rule = before if exceptions(language).fullmatch(opener) else ""
            # "You may work for others, except for printers nearby": what is excepted is narrower than "others".
            if not rule or 2 * len(own) >= len(_telling(piece)):
                weighed.append((len(own), len(named), (piece, rule)))
            before = rule or piece
    return max(weighed, key=lambda weights: weights[:2], default=(0, 0, ("", "")))[2]


def _telling(text: str) -> set[str]:
    return {term for term in terms(text) if not (term.endswith("~") or is_function_word(term))}


def _opened_statements(text: str, language: str) -> Iterator[tuple[str, str]]:
    """As `statements`, each after what parts it from the one before."""
    opener, start = "", 0
    for parting in breaks(language).finditer(text):
        if text[start : parting.start()].strip():
            yield opener, text[start : parting.start()]
        opener, start = parting[0], parting.end()
    if text[start:].strip():
        yield opener, text[start:]


def _bounded(part: Part, statement: str, language: str) -> tuple[set[bool], str]:
    """Whether numbers of the question keep to the bounds that a statement puts to such numbers, and the statement
    without these bounds: "no more than three" denies nothing."""
    statement = in_digits(statement, language)
    unbounded = statement
    kept = set[bool]()
    for bound in bounds(statement, language):
        units = {number.unit for number in bound.numbers if number.unit}
        values = [number.value for number in part.measured if _is_measured_so(number, units, statement)]
        if values:
            kept.update(map(bound.admits, values))
            unbounded = unbounded[: bound.start] + " " * (bound.end - bound.start) + unbounded[bound.end :]
    return kept, unbounded


def _is_measured_so(number: Measured, units: set[str], statement: str) -> bool:
    """Whether a number of a question may be of these units: it is of one of them, or its own is no unit but the next
    word ("at 17 vote"), which the statement would have if it counted that: "three dogs" of "dogs up to 10 kg"."""
    return not number.unit or not units or number.unit in units or number.unit not in _stems(statement)


def _lacking(part: Part, match: re.Match[str]) -> str:
    """What something is said to be without; with its "without", which denies it, only where the question asks about
    that."""
    is_asked = not frozenset(part.stems.values()).isdisjoint(map(stem, _WORD.findall(match[1])))
    return match[0] if is_asked else match[1]


def _states_other_numbers(part: Part, said: str, language: str) -> bool:
    """Whether the question states numbers, the text states numbers, and they have none in common: "three days?" of "up
    to two days"."""
    expected = set[Decimal]().union(*part.claims.numbers)
    stated = every_number([said], language)
    return bool(expected) and bool(stated) and expected.isdisjoint(stated)


def _is_past_limit(part: Part, said: str, language: str) -> bool:
    """Whether the text says "only", and the question names more times than it does, or a month that is neither one of
    its own nor between two: "twice?" of "only once", "in July?" of "only from October to May"."""
    if not only(language).search(said):
        return False
    sought = " ".join(part.content)
    sought_times, times = (_numbers_named("polarity.times", text, language) for text in (sought, said))
    if sought_times and times and min(sought_times) > max(times):
        return True
    sought_months, months = (_numbers_named("text.months", text, language) for text in (sought, said))
    if not sought_months or not 0 < len(months) <= _ENDS:
        return False
    first, last = months[0], months[-1]
    span = (last - first) % _MONTHS
    return all((month - first) % _MONTHS > span for month in sought_months)


def _numbers_named(place: str, text: str, language: str) -> list[int]:
    """The numbers of the words of a place that a text has, in its order."""
    named = [
        (match.start(), number)
        for number, word in enumerate(numbered(place, language), 1)
        for match in word.finditer(text)
    ]
    return [number for _, number in sorted(named)]
