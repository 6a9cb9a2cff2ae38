"""What the name of a column says: its words without brackets and units, its unit, what it measures, and how near a
question's words come to it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from docqa.formats.columns import IDENTIFIERS, Column
from docqa.formats.grid_cells import scale_of
from docqa.languages import every_word, words
from docqa.tables.words import listed, totals
from docqa.text.keys import key

CONCEPTS = ("age", "money", "quantity", "price", "rating", "time_taken", "people")
NEAR = 0.7  # from here on two words are taken for forms of one
INFLECTED = 0.95  # from here on they differ in one or two letters at the end
_SHORTEST, _LONGEST_SHORT = 3, 5  # letters of a word that is shortened
_SHARED = 5  # letters at the beginning that two words of one family share, at least
_LONGEST_ENDING = 3  # letters of a participle
_BRACKETS = re.compile(r"[(\[（]([^)\]）]*)[)\]）]")
_RANGE = re.compile(r"\d+ ?[-–/] ?\d+")
_SYMBOLS = "%€$£¥₹‰°"
_SIGNED = re.compile(r"[^\W\d_]{0,3}\.?[€$£¥₹][^\W\d_]{0,2}")  # k€, US$, Mio.€, $m
_THOUSANDS = "tkm"  # that stand before a code: TEUR, kUSD
_LEADING = re.compile(r"^(?:in|en|em) ", re.IGNORECASE)  # of a unit: in €
_CURRENCIES = every_word("tables.currencies")
_TIME = every_word("tables.units_of_time")
_UNITS = _CURRENCIES | _TIME | every_word("tables.units")
_OF_SUMS = tuple(word for word in every_word("tables.totals") if len(word) > 4)  # Gesamtpreis
_NO_UNITS = frozenset("DGHMST")  # these letters are units where they are small: vitamin D, troponin T


@dataclass(frozen=True)
class Heading:
    """A column's name read: `words` are folded tokens; `concepts` are of CONCEPTS; a `is_rate` is no sum of parts, so
    that its rows are averaged rather than added."""

    words: tuple[str, ...]
    unit: str
    concepts: frozenset[str]
    is_rate: bool
    is_identifier: bool


@lru_cache(4096)
def heading(column: Column) -> Heading:
    """The name of a column, read."""
    brackets = " ".join(_BRACKETS.findall(column.name))
    name = _BRACKETS.sub(" ", column.name)
    is_scale = bool(_RANGE.search(brackets))
    unit = column.unit or ("" if is_scale else _unit(column.name, brackets))
    own = key(name).split() or key(column.name).split()
    last = next((part for part in reversed(name.split()) if part.casefold() in _UNITS), "")
    if len(own) > 1 and own[-1] in _UNITS and last not in _NO_UNITS and not scale_of(name):
        unit, own = unit or last, own[:-1]
    concepts = {concept for concept in CONCEPTS for word in own if in_concept(word, concept)}
    if any(map(_is_of_money, unit.split())) and "price" not in concepts:
        concepts.add("money")
    if unit.casefold() in _TIME:
        concepts.add("time_taken")
    if is_scale:
        concepts.add("rating")
    rates = every_word("tables.rate")
    is_rate = is_scale or unit in ("%", "‰", "°C", "°F") or any(word in rates or _ends_in(word, rates) for word in own)
    is_rate = is_rate and not any(word in totals() or word.startswith(_OF_SUMS) for word in own)  # the total price
    is_identifier = len(own) > 1 and own[-1] in IDENTIFIERS or (len(own) == 1 and own[0] in IDENTIFIERS)
    is_rate = is_rate or "time_taken" in concepts and own[0] not in _TIME  # hours that were worked add up
    return Heading(tuple(own), unit, frozenset(concepts), is_rate, is_identifier)


def unit_named(column: Column) -> str:
    """What the numbers of a column are in by its name, in brackets if not as a unit that is known: "%", "weeks"."""
    return heading(column).unit or " ".join(_BRACKETS.findall(column.name))


def _unit(name: str, brackets: str) -> str:
    """What the numbers below a name are in: "€", "k€", "million EUR"; "" where it stands apart, as in "in million EUR"
    without brackets."""
    if scale_of(f"({brackets})"):
        return _LEADING.sub("", brackets)
    if scale_of(name):
        return ""
    parts = [*brackets.split(), *(part for part in name.split() if _SIGNED.fullmatch(part))]
    symbol = next((char for char in name if char in _SYMBOLS), "")
    return next((part for part in parts if part.casefold() in _UNITS or _is_of_money(part)), symbol)


def _is_of_money(unit: str) -> bool:
    """Whether a word is a currency, or one with a letter for thousands or millions."""
    folded = unit.casefold()
    return bool(_SIGNED.fullmatch(unit)) or any(
        code in _CURRENCIES for code in (folded, folded[1:] if folded[:1] in _THOUSANDS else "")
    )


def unit_of(name: str) -> str:
    """The unit that a name of numbers writes in brackets, "" where it writes none: School roof (MWh); what stands there
    with a number is no unit: delay (over 12 h)."""
    brackets = " ".join(_BRACKETS.findall(name))
    if any(map(str.isdecimal, brackets.split())):
        return ""
    return heading(Column(name, "number")).unit if brackets or "%" in name else ""


def title_of(column: Column) -> str:
    """The name of a column as a sentence has it: without the range of its numbers and its unit, which stands at the
    value."""
    if column.kind != "number":
        return column.name
    unit = heading(column).unit

    def said(bracket: re.Match[str]) -> str:
        return " " if _RANGE.search(bracket[1]) or _LEADING.sub("", bracket[1]) == unit else bracket[0]

    words = _BRACKETS.sub(said, column.name).split()
    apart = len(words) > 1 and len(words[-2]) > 2 and (words[-1] == unit or words[-1].casefold() in _UNITS)
    return " ".join(words[:-1] if unit and apart else words) or column.name


def in_concept(word: str, concept: str, language: str = "") -> bool:
    """Whether a word is of the concept's words, those of one language or of all; also the last part of a compound."""
    known = _keys(concept, language)
    return word in known or _ends_in(word, known)


@lru_cache(4096)
def are_opposed(word: str, name: tuple[str, ...], language: str) -> bool:
    """Whether a word is for those who are served and a column has those who serve them, or the other way round: no
    customer is a seller."""
    sides = "served", "serving"
    own = {
        side for side in sides if any(likeness(word, other, language) >= INFLECTED for other in _keys(side, language))
    }
    others = {side for side in sides for other in name if in_concept(other, side)}
    return bool(own and others) and own.isdisjoint(others)


@cache
def _keys(concept: str, language: str) -> frozenset[str]:
    listed = words(f"tables.{concept}", language) if language else every_word(f"tables.{concept}")
    return frozenset(key(word) for word in listed)


def _ends_in(word: str, known: frozenset[str]) -> bool:
    """Whether a compound ends in one of the words: Bestellwert in Wert."""
    return len(word) > 7 and " " not in word and any(word[-size:] in known for size in range(4, len(word) - 3))


@lru_cache(4096)
def moves_money(phrase: str, language: str) -> bool:
    """Whether folded words, in whatever form, say that money is paid out or comes in: billed, encaissées."""
    known = listed("incoming", language) | listed("outgoing", language)
    if any(phrase == other or len(other) > 3 and likeness(phrase, other, language) >= INFLECTED for other in known):
        return True
    if language == "en":  # its verbs have few forms, and its nouns the same stems: collections
        return False
    own = known - listed("incoming", "en") - listed("outgoing", "en")
    stems = (other[:-_LONGEST_ENDING] for other in own if " " not in other)
    return any(len(stem) > _SHARED and phrase.startswith(stem) for stem in stems)  # facturamos, of facturado


@lru_cache(65_536)
def likeness(word: str, other: str, language: str) -> float:
    """How near two folded words are: 1 the same, NEAR or more forms of one or of one family, 0 for any others."""
    if word == other:
        return 1.0
    short, long = sorted((word, other), key=len)
    if len(short) < 3 or short[0] != long[0] or any(map(str.isdigit, long)):
        return 0.0
    shared = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if long.endswith("ies") and short == long[:-3] + "y":
        return 0.95
    endings = _endings(language)
    if shared >= 3 and short[shared:] in endings and long[shared:] in endings:
        return 0.95 if not short[shared:] and len(long) - len(short) < 3 else 0.85 if shared > 3 else 0.0
    if shared >= 4 and short[shared - 1 :] in endings and long[shared:] in endings:  # closing, closed
        return 0.85
    if shared >= _SHARED and shared >= 0.6 * len(short):
        return 0.8 if shared == len(short) and not language.startswith("en") else 0.7 if shared >= 6 else 0.0
    return 0.0


@cache
def _endings(language: str) -> frozenset[str]:
    return words("tables.endings", language) | words("tables.suffixes", language) | {""}


def is_shortened(word: str, other: str) -> bool:
    """Whether one of two folded words is the other one shortened, by its end or by letters within it: Sem of semester,
    dept of department."""
    short, long = sorted((word, other), key=len)
    if not (_SHORTEST <= len(short) <= _LONGEST_SHORT and len(long) >= len(short) + _SHORTEST and long.isalpha()):
        return False
    letters = iter(long)
    return long.startswith(short) or (
        long.startswith(short[:_SHORTEST]) and short[-1] == long[-1] and all(letter in letters for letter in short)
    )


def nearness(run: Sequence[str], name: Sequence[str], language: str) -> float:
    """How well a run of a question's words names what has this name: every word of the run is in it, the last word of
    the name counts most."""
    if not run or not name:
        return 0.0
    if list(run) == list(name):
        return 1.0
    best = [max(likeness(word, other, language) for other in name) for word in run]
    if min(best) < NEAR:
        return 0.0
    covered = [max(likeness(word, other, language) for word in run) >= NEAR for other in name]
    if all(len(word) == 1 for word in name):  # a script whose characters are tokens
        return 0.9 * len(run) / len(name) if " ".join(run) in " ".join(name) and 2 * len(run) >= len(name) else 0.0
    share = sum(covered) / len(name)
    return sum(best) / len(best) * (0.7 + 0.3 * share + (0.1 if covered[-1] and share < 1 else 0.0))
