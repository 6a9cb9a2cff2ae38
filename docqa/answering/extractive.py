"""Answers in the documents' own words: for each part of a question the unit that answers, said whole.

Which unit answers is decided by its score and by what the reader finds in it; how it is said, by the kind of question:
yes or no first, a list with all its items, the steps in order.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from docqa.answering.evidence import Evidence, Piece
from docqa.answering.polarity import is_affirmed
from docqa.answering.quoting import closed, is_bare, listed, said, words_in
from docqa.answering.scoring import rank_bonus
from docqa.answering.surroundings import list_of, paragraph_of
from docqa.languages import phrase
from docqa.questions.question import Part, Question
from docqa.questions.wording import points_back
from docqa.text.units import Unit, in_context
from docqa.text.words import is_dense, terms

UNITS = {"SHORT": 2, "LONG": 8}
WORTH = {"SHORT": 0.8, "LONG": 0.6}  # of the best unit's score; what is below does not belong to the answer
SURE = 12.0  # of a span's score: from here on it stands before the sentence
LONG_SENTENCE = 15  # words: in a shorter one the words that answer are seen at once
ENOUGH_WORDS = {"SHORT": 45, "LONG": 250}
# Where nobody read, which unit answers is less certain: what is nearly as good belongs to the answer too.
WORTH_UNREAD, ENOUGH_UNREAD = 0.65, 60
# Where no unit surely answers, those that come next are shown too: so many in all, with so many words. Of 64 questions
# of the training data that are not surely answered 37 find their answer in these, 27 in the best alone, and no more in
# four of them.
CLOSEST, CLOSEST_WORDS = 3, 80
LEAST_WORDS = 4  # of what follows the closest: fewer are a heading or a number
WHOLE_LIST = {"SHORT": 120, "LONG": 400}  # words up to which a list is shown whole
LIST_KINDS = ("list", "procedure")
EXPLAINED = ("reason", "procedure", "description")
# Sentences and words: a way or a description takes more than the sentence that fits best.
EXPLANATION = {"SHORT": (4, 60), "LONG": (8, 250)}
QUESTION = re.compile(r"(?<![^.!?。！？])[^.!?。！？]*[?？][\"”»’]*")
FEW_WORDS = 4  # beside a question: who asks it


class Pick(NamedTuple):
    """A unit of a passage, by the passage's index."""

    passage: int
    unit: Unit


Scored = tuple[float, Pick]


class Extractive:
    """The provider that quotes. Where it is not `sure` that the best unit answers, it says so, and shows that and what
    comes next."""

    def __init__(self, *, sure: bool = True) -> None:
        self.sure = sure

    async def answer(self, question: Question, evidence: list[Evidence]) -> AsyncGenerator[Piece, None]:
        """SHORT: for each part the best unit, and a second that answers nearly as likely; LONG: all good ones, in the
        order of the passages. Off the event loop: the words of all units are cut for it."""
        for piece in await asyncio.to_thread(lambda: list(self._pieces(question, evidence))):
            yield piece

    def _pieces(self, question: Question, evidence: Sequence[Evidence]) -> Iterator[Piece]:
        length = question.options.length
        indexes = sorted({candidate.part for passage in evidence for candidate in passage.units})
        if not indexes and evidence:  # nothing but headings stands there
            yield Piece(closed(" ".join(evidence[0].text.split()), question.answer_language), 0)
        ranked = {index: _ranked(evidence, index, _part(question, index)) for index in indexes}
        if not self.sure:
            yield from _closest(evidence, question, ranked)
            return
        shown: set[Pick] = set()
        gap = ""
        for index in indexes:
            picks = [pick for pick in _worth_saying(evidence, ranked[index], length) if pick not in shown]
            if not picks:
                continue
            for text, passage, covered in _said_of(evidence, index, _part(question, index), picks, question):
                if shown.issuperset(covered):  # beside what answers, said for an earlier part
                    continue
                shown.update(covered)
                yield Piece(gap + text, passage)
                gap = "\n\n" if "\n" in text or length == "LONG" else "" if is_dense(text) else " "


def _part(question: Question, index: int) -> Part:
    """A part of the question by its number; the number after the last is that of what a second search for it found."""
    parts = question.parts
    return parts[index] if index < len(parts) else replace(parts[-1], kind="fact")


def _closest(evidence: Sequence[Evidence], question: Question, ranked: dict[int, list[Scored]]) -> Iterator[Piece]:
    """The unit that comes closest, or its list where one is asked for, and that it is no clear answer; then what comes
    closest to the other parts of the question or was found to complete it, and what comes next to any of them."""
    if not ranked:
        return
    language, first = question.answer_language, min(ranked)
    part, (best, *others) = _part(question, first), _worth_showing(evidence, ranked)
    passage = evidence[best.passage]
    opening = phrase("phrases.unsure", language).format(page=passage.page_number)
    if part.kind in LIST_KINDS and (group := list_of(passage, best.unit, part.kind, WHOLE_LIST["SHORT"])):
        yield Piece(f"{opening}\n\n{listed(passage, group, language)}", best.passage)
    else:
        gap = "" if is_dense(opening) else " "
        around = _around(evidence, [best], part, "SHORT")
        for pick, text in _in_turn(evidence, around, language):
            yield Piece(f"{opening}{gap}{text}", pick.passage)
            opening = ""
        for pick in _next_closest(evidence, around, others):
            yield Piece(f"\n\n{said(evidence[pick.passage], pick.unit, language)}", pick.passage)


def _worth_showing(evidence: Sequence[Evidence], ranked: dict[int, list[Scored]]) -> list[Pick]:
    """The best units of the parts of a question, then the others, best first; where nobody read them, only those that
    fit nearly as well."""
    bests = [scored[0][1] for _, scored in sorted(ranked.items())]
    others = sorted((pick for scored in ranked.values() for pick in scored[1:]), key=lambda scored: -scored[0])
    least = WORTH_UNREAD * max(scored[0][0] for scored in ranked.values())
    return [*bests, *(pick for score, pick in others if score >= least or not evidence[pick.passage].unread)]


def _next_closest(evidence: Sequence[Evidence], shown: Sequence[Pick], near: Sequence[Pick]) -> list[Pick]:
    """Those of the units near the best that say something else, as long as all are read at a glance."""
    words = sum(words_in(_text(evidence, pick)) for pick in shown)
    held = {term for pick in shown for term in _terms(evidence, pick)}
    chosen: list[Pick] = []
    for pick in near:
        if len(chosen) + 1 == CLOSEST:
            break
        own, added = words_in(_text(evidence, pick)), _terms(evidence, pick)
        if own >= LEAST_WORDS and words + own <= CLOSEST_WORDS and not added <= held:
            chosen.append(pick)
            words += own
            held |= added
    return chosen


def _said_of(
    evidence: Sequence[Evidence], index: int, part: Part, picks: Sequence[Pick], question: Question
) -> Iterator[tuple[str, int, list[Pick]]]:
    """(text, passage, what it shows) of each piece of the answer to one part."""
    length, language = question.options.length, question.answer_language
    best = picks[0]
    if part.kind in LIST_KINDS and (group := list_of(evidence[best.passage], best.unit, part.kind, WHOLE_LIST[length])):
        yield (
            listed(evidence[best.passage], group, language),
            best.passage,
            [Pick(best.passage, unit) for unit in group],
        )
        return
    chosen = _around(evidence, picks, part, length)
    if len(chosen) == 1:
        chosen += _further(evidence, part, picks, length)
    if length == "LONG":
        chosen.sort(key=lambda pick: (pick.passage, pick.unit.start))
    for pick, text in _in_turn(evidence, chosen, language):
        if pick == best and (part.kind not in EXPLAINED or pick == chosen[0]):
            text = _opened(evidence[pick.passage], part, index, pick.unit, text, language)
        yield text, pick.passage, [pick]


def _in_turn(evidence: Sequence[Evidence], picks: Sequence[Pick], language: str) -> Iterator[tuple[Pick, str]]:
    """Each unit as it is said behind the one before."""
    before: Pick | None = None
    for pick in picks:
        beside = before.unit if before and before.passage == pick.passage else None
        yield pick, said(evidence[pick.passage], pick.unit, language, beside)
        before = pick


def _opened(evidence: Evidence, part: Part, index: int, unit: Unit, text: str, language: str) -> str:
    """The text after yes or no, or after the words in it that answer, where these are sure."""
    if part.kind == "whether":
        quoted = evidence.text[unit.start : unit.end]
        affirmed = is_affirmed(part, quoted, evidence.language or part.language, evidence.yes_no)
        if affirmed is None:
            return text
        word = phrase("polarity.yes" if affirmed else "polarity.no", language)
        return f"{word}{_colon(word)}{text}"
    span = max(
        (s for s in evidence.spans if s.part == index and unit.start <= s.start and s.end <= unit.end),
        key=lambda s: s.score,
        default=None,
    )
    if span is None or span.score < SURE or words_in(text) < LONG_SENTENCE or unit.kind != "paragraph":
        return text
    fact = " ".join(evidence.text[span.start : span.end].split())
    return f"{fact[0].upper()}{fact[1:]}: “{text}”" if words_in(fact) * 3 < words_in(text) else text


def _colon(word: str) -> str:
    return "：" if is_dense(word) else ": "


def _further(evidence: Sequence[Evidence], part: Part, picks: Sequence[Pick], length: str) -> list[Pick]:
    """What else is said: of a short answer one more unit that answers nearly as likely and says something else, which
    is the right one in 15 of 100 such cases; where several things are asked, two; of a long answer all. After yes or no
    nothing."""
    if part.kind == "whether" and length == "SHORT":
        return []
    best, count = picks[0], UNITS[length] + (part.kind in LIST_KINDS)
    enough = ENOUGH_UNREAD if evidence[best.passage].unread and length == "SHORT" else ENOUGH_WORDS[length]
    words = words_in(_text(evidence, best))
    chosen: list[Pick] = []
    held = _terms(evidence, best)
    for pick in picks[1:]:
        added = _terms(evidence, pick)
        words += words_in(_text(evidence, pick))
        if len(chosen) + 1 >= count or words > enough:
            break
        if not added <= held:
            chosen.append(pick)
            held |= added
    return chosen


def _around(evidence: Sequence[Evidence], picks: Sequence[Pick], part: Part, length: str) -> list[Pick]:
    """The best unit with what explains it in its paragraph or clause, where a reason, a way or a description is asked
    for: the sentence that fits such a question best often repeats it, and the next one answers. It begins with the one
    before where it points back to that, or that answers nearly as likely. Where a way is asked for, a short paragraph
    is said whole, for what is to be done may stand before it too."""
    best = picks[0]
    passage = evidence[best.passage]
    paragraph = [Pick(best.passage, unit) for unit in paragraph_of(passage, best.unit)]
    if part.kind not in EXPLAINED or best not in paragraph:
        return [best]
    most, enough = (UNITS[length], ENOUGH_WORDS[length]) if part.kind == "reason" else EXPLANATION[length]
    if part.kind == "procedure" and sum(words_in(_text(evidence, pick)) for pick in paragraph) <= enough:
        return paragraph
    place = paragraph.index(best)
    leans = points_back(_text(evidence, best), passage.language or part.language)
    first = place - 1 if place and (leans or paragraph[place - 1] in picks) else place
    around = paragraph[first : place + 1]
    words = words_in(_text(evidence, best))
    for pick in paragraph[place + 1 : first + most]:
        words += words_in(_text(evidence, pick))
        if words > enough:
            break
        around.append(pick)
    return around


def _ranked(evidence: Sequence[Evidence], index: int, part: Part) -> list[Scored]:
    """The units that may answer one part, best first."""
    passages = [place for place, passage in enumerate(evidence) if any(c.part == index for c in passage.units)]
    ranked = [
        (candidate.score + rank_bonus(rank), Pick(place, candidate.unit))
        for rank, place in enumerate(passages)
        for candidate in evidence[place].units
        if candidate.part == index
    ]
    ranked.sort(key=lambda scored: (-scored[0], scored[1].passage, scored[1].unit.start))
    of_question = frozenset(part.terms)
    return [(score, pick) for score, pick in ranked if _says_something(evidence, pick, of_question)] or ranked


def _worth_saying(evidence: Sequence[Evidence], ranked: Sequence[Scored], length: str) -> list[Pick]:
    """The units that belong to an answer."""
    worth = WORTH_UNREAD if evidence[ranked[0][1].passage].unread and length == "SHORT" else WORTH[length]
    least = min(ranked[0][0], worth * ranked[0][0])  # of scores below 0 the best alone
    return [pick for score, pick in ranked if score >= least]


def _says_something(evidence: Sequence[Evidence], pick: Pick, of_question: frozenset[str]) -> bool:
    """Whether it does more than repeat the question or ask one, and can be understood."""
    answers = not of_question.issuperset(_terms(evidence, pick)) and not is_bare(evidence[pick.passage], pick.unit)
    if pick.unit.kind != "paragraph":
        return answers
    said_beside, questions = QUESTION.subn(" ", _text(evidence, pick))
    return answers and (not questions or words_in(said_beside) >= FEW_WORDS)


def _text(evidence: Sequence[Evidence], pick: Pick) -> str:
    return evidence[pick.passage].text[pick.unit.start : pick.unit.end]


def _terms(evidence: Sequence[Evidence], pick: Pick) -> set[str]:
    return set(terms(in_context(evidence[pick.passage].text, pick.unit)))
