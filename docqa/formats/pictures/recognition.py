"""Reads the text on a picture, whichever way up it lies and in whichever of the languages there are data for.

The engine tells neither script nor direction, and not how certain it is. So what it makes of the picture is weighed
(plausible.py); what is not well read is tried again at a low resolution, turned and in the other scripts, within a
limit on time, and the best of that is read in full.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, product
from math import sqrt
from time import monotonic, process_time

from docqa.catalog.recognition import iso_of, script_of
from docqa.catalog.recognition import languages as catalogued
from docqa.formats.pages import ExtractedPage
from docqa.formats.pictures import rapid
from docqa.formats.pictures.data import RAPID, RAPID_LANGUAGES, covered, languages
from docqa.formats.pictures.decode import Image, cleaned, lines_run_upwards, scaled, turned
from docqa.formats.pictures.engine import extracted, read
from docqa.formats.pictures.plausible import Weight, weigh
from docqa.text.detect import detect

SECONDS = 12.0  # of a processor, after which nothing more is tried
_PATIENCE = 25.0  # seconds by the clock, which pass sooner on a busy machine
_FULL, _SMALL = 5_000_000, 1_000_000  # pixels: a page at 240 dots per inch, and one on which letters can still be told
_MOST_ENLARGED = 4
_LEAST_SIDE = 12  # pixels: no line of text is lower
AT_ONCE = 3  # languages read together: each takes time, and is one more that a word can be mistaken for
_CLEARLY = 1.5  # times as much text: what turns a page or changes its language

# Their data know Latin letters, and are confused by those of each other.
_WITH_LATIN = {"Han", "Japanese", "Hangul", RAPID}
_BY_USE = (
    "Latin",
    RAPID,
    "Han",
    "Cyrillic",
    "Arabic",
    "Japanese",
    "Hangul",
)  # further ones as the catalogue lists them

Plan = tuple[int, tuple[str, ...]]  # degrees, languages


def recognise(image: Image, setting: str = "", hint: str = "", seconds: float = SECONDS) -> ExtractedPage:
    """The text of a picture in grey, "" where there is none.

    `setting` are Tesseract's names of languages joined by "+", "" for all that there are; `hint` is the ISO 639-1 code
    of the language it is probably in, "" if it is not known. After `seconds` of a processor nothing more is tried.

    Raises Unreadable if the engine fails.
    """
    end, latest = process_time() + seconds, monotonic() + _PATIENCE

    def has_time() -> bool:
        return process_time() < end and monotonic() < latest

    codes = setting.split("+") if setting else languages()
    together = list(groups(codes, hint, len(codes) if setting else AT_ONCE))
    if not codes or min(image.size) < _LEAST_SIDE:
        return ExtractedPage("")
    whole = scaled(cleaned(image), enlarging(image))
    page = _read(whole, together[0])
    best = weigh(page.text)
    plan: Plan = (0, together[0])
    if not best.is_well_read:
        plan = _best_plan(whole, together, has_time)
        if plan != (0, together[0]):
            again = _read(turned(whole, plan[0]), plan[1])
            if (weight := weigh(again.text)).known > best.known:
                page, best = again, weight
            else:
                plan = (0, together[0])
    better = _for_language(detect(page.text), codes, plan[1]) if best.is_text and not setting else ()
    if better and has_time():
        again = _read(turned(whole, plan[0]), better)
        page = again if weigh(again.text).known >= best.known else page
    return page if best.is_text else ExtractedPage("")


def _read(image: Image, codes: Sequence[str]) -> ExtractedPage:
    if RAPID in codes:
        return rapid.read(image)
    return extracted(read(image, codes))


def enlarging(image: Image) -> float:
    """How much larger a picture is read: the letters of a screenshot are small."""
    return min(_MOST_ENLARGED, max(1.0, sqrt(_FULL / (image.width * image.height))))


def groups(codes: Sequence[str], hint: str, at_once: int) -> Iterator[tuple[str, ...]]:
    """The languages that are read together: those of one script, that of the hint before Latin before the others."""
    known = [code for code in codes if not (RAPID in codes and iso_of(code) in RAPID_LANGUAGES)]
    expected = next((code for code in known if hint and covered([code], hint)), "")
    first = _script(expected) if expected else "Latin"
    scripts = list(dict.fromkeys([first, *_BY_USE, *map(_script, catalogued())]))
    order = sorted(known, key=lambda code: (scripts.index(_script(code)), code))
    for script, members in groupby(order, _script):
        by_use = sorted(members, key=lambda code: (code != expected, code != "eng", code))
        if script == "Latin":
            yield tuple(by_use[:at_once])
        elif script in _WITH_LATIN:
            yield from ((code,) for code in by_use)
        else:
            yield (*by_use[: at_once - 1 or 1], *(["eng"] if "eng" in codes else []))


def _script(code: str) -> str:
    return RAPID if code == RAPID else script_of(code)


def _best_plan(image: Image, groups: Sequence[tuple[str, ...]], has_time: Callable[[], bool]) -> Plan:
    """Which way up, and in which languages, most text is read, tried at a low resolution."""
    small = scaled(image, min(1.0, sqrt(_SMALL / (image.width * image.height))))
    upright = (0, groups[0])
    best, best_weight = upright, _weight(small, upright)
    for plan in _plans(small, groups):
        if not has_time():
            break
        weight = _weight(small, plan)
        if weight.is_text and weight.known > _CLEARLY * best_weight.known:
            best, best_weight = plan, weight
            if weight.is_well_read:
                break
    return best


def _plans(image: Image, groups: Sequence[tuple[str, ...]]) -> Iterator[Plan]:
    """What to try beside the upright picture in the first languages: first what its lines and scripts make probable."""
    sideways = lines_run_upwards(image)
    if sideways:
        yield from product((90, 270), groups[:1])
    yield from product((0,), groups[1:])
    if sideways:
        yield from ((degrees, group) for group, degrees in product(groups[1:], (90, 270)))
        yield from product((180,), groups)
    else:
        yield from product((180, 90, 270), groups)


def _weight(image: Image, plan: Plan) -> Weight:
    # A language at a time: the others of its script take as long again, and change little about how much is read.
    return weigh(_read(turned(image, plan[0]), plan[1][:1]).text)


def _for_language(iso: str, codes: Sequence[str], used: Sequence[str]) -> tuple[str, ...]:
    """The data for a language that was recognised without them; () where they were used, or are missing."""
    known = [code for code in codes if iso and iso_of(code) == iso]
    if not known or any(iso_of(code) == iso for code in used):
        return ()
    return (known[0], *(code for code in ("eng",) if code in codes and script_of(known[0]) == "Latin"))
