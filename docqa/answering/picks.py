"""Which units of the passages are said: the best for each part of a question, and where nothing is sure what comes
closest."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from docqa.answering.evidence import Evidence
from docqa.answering.polarity import is_negated
from docqa.answering.quoting import is_bare, words_in
from docqa.answering.scoring import rank_bonus
from docqa.questions.question import Part
from docqa.tables.words import listed
from docqa.text.marks import without_joint
from docqa.text.negations import negations
from docqa.text.units import Unit, in_context
from docqa.text.words import has_word, stem, term_set, terms

WORTH = {"SHORT": 0.8, "LONG": 0.6}  # of the best unit's score; what is below does not belong to the answer
WORTH_UNREAD = 0.65  # where nobody read, which unit answers is less certain
ENOUGH_WORDS = {"SHORT": 60, "LONG": 250}
WHOLE_LIST = {"SHORT": 120, "LONG": 400}  # words up to which a list that is asked for is said whole
# Where no unit surely answers, those that come next are shown too: so many in all, with so many words. Of 64 questions
# of the training data that are not surely answered 37 find their answer in these, 27 in the best alone, and no more in
# four of them.
CLOSEST, CLOSEST_WORDS = 3, 80
LEAST_WORDS = 4  # of what follows the closest: fewer are a heading or a number
LIST_KINDS = ("list", "procedure")
QUESTION = re.compile(r"(?<![^.!?。！？])[^.!?。！？]*[?？][\"”»’]*")
FEW_WORDS = 4  # beside a question: who asks it
MORE = 0.01  # of score: what a row is raised by above one of its table that is named less


class Pick(NamedTuple):
    """A unit of a passage, by the passage's index."""

    passage: int
    unit: Unit


Scored = tuple[float, Pick]


def rank_units(evidence: Sequence[Evidence], index: int, part: Part) -> list[Scored]:
    """The units that may answer one part, best first."""
    passages = [place for place, passage in enumerate(evidence) if any(c.part == index for c in passage.units)]
    ranked = [
        (candidate.score + rank_bonus(rank), Pick(place, candidate.unit))
        for rank, place in enumerate(passages)
        for candidate in evidence[place].units
        if candidate.part == index
    ]
    ranked = _row_that_is_named(evidence, part, _in_list_meant(evidence, part, ranked))
    ranked.sort(key=lambda scored: (-scored[0], scored[1].passage, scored[1].unit.start))
    # What is so or not may be said in the question's words.
    of_question = frozenset[str]() if part.kind == "whether" else frozenset(part.terms)
    saying = [scored for scored in ranked if _says_something(evidence, scored[1], of_question)] or ranked
    return _of_list_named(evidence, part, saying) if part.kind == "list" else saying


def _of_list_named(evidence: Sequence[Evidence], part: Part, ranked: list[Scored]) -> list[Scored]:
    """The units, where the best is an item that only mentions the list that is asked for, with those before it that
    stand under what names it: "three exits" on an agenda is none of the three exits."""
    best = ranked[0][1] if ranked else None
    if best is None or best.unit.kind != "item" or not has_all(text_of(evidence, best), part):
        return ranked
    under = [scored for scored in ranked if scored[1].unit.kind == "item" and has_all(_lead(evidence, scored[1]), part)]
    if any(pick == best for _, pick in under):
        return ranked
    return [*under, *(scored for scored in ranked if scored not in under)]


def _row_that_is_named(evidence: Sequence[Evidence], part: Part, scored: Sequence[Scored]) -> list[Scored]:
    """The units with each row scored as well as those of its table that have fewer of the question's words, alone and
    side by side, and none beside: for a model that reads sentences all rows are alike, and what tells them apart is
    what they name."""
    sought = _alone_and_paired(part.stems.values())
    rows: dict[tuple[int, tuple[int, int]], list[tuple[float, Pick, frozenset[tuple[str, ...]]]]] = {}
    for score, pick in scored:
        if pick.unit.kind == "row":
            held = sought & _alone_and_paired(map(stem, terms(text_of(evidence, pick))))
            rows.setdefault((pick.passage, pick.unit.group), []).append((score, pick, held))
    raised = {
        pick: max((other + MORE for other, _, fewer in of_table if fewer < held and other >= score), default=score)
        for of_table in rows.values()
        for score, pick, held in of_table
    }
    return [(raised.get(pick, score), pick) for score, pick in scored]


def _alone_and_paired(words: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """The words, and each with the next one."""
    words = list(words)
    return frozenset([*zip(words, strict=False), *pairwise(words)])


def _in_list_meant(evidence: Sequence[Evidence], part: Part, scored: Sequence[Scored]) -> Sequence[Scored]:
    """The units without the items of a list that is the opposite of what is asked for, where there is one of that too:
    what is included, what is not."""
    if part.kind == "whether":
        return scored
    denying = {
        pick: is_negated(lead, evidence[pick.passage].language or part.language)
        for _, pick in scored
        if pick.unit.kind == "item" and has_all(lead := _lead(evidence, pick), part)
    }
    if len(set(denying.values())) < 2:
        return scored
    return [(score, pick) for score, pick in scored if denying.get(pick, part.is_negated) == part.is_negated]


def has_all(text: str, part: Part) -> bool:
    """Whether a text has all words that say what the question is about, or others that begin as they do; a "not" of the
    question it need not have, nor who asks whom: "your rights" are my rights."""
    held, denials = term_set(text), negations(part.language)
    persons = listed("mine", part.language) | listed("yours", part.language)
    about = [
        word for word in part.content if stem(word) in part.denials or not (word in persons or denials.fullmatch(word))
    ]
    return bool(about) and all(has_word(held, word) for word in about)


def words_of_list(evidence: Sequence[Evidence], picks: Sequence[Pick], part: Part, length: str) -> int:
    """Up to how many words a list is said whole of which the first of these units, best first, is an item; 0 where none
    is asked for.

    A list is asked for by the kind of the question, or since it says what a list is of and nothing that the item itself
    says. Where another item answers nearly as likely, or the item is a part of a sentence or of a description, a list
    is said that is read at a glance.
    """
    if part.kind in LIST_KINDS:
        return WHOLE_LIST[length]
    best, *others = picks
    if part.kind not in ("fact", "description") or part.expects or not part.content or best.unit.kind != "item":
        return 0
    own = term_set(text_of(evidence, best))
    if has_all(_lead(evidence, best), part) and not any(has_word(own, word) for word in part.content):
        return WHOLE_LIST[length]
    text = text_of(evidence, best)
    is_next = any((pick.passage, pick.unit.group) == (best.passage, best.unit.group) for pick in others[:1])
    is_part = part.kind == "description" or without_joint(text) != text
    return ENOUGH_WORDS[length] if is_next or is_part else 0


def _lead(evidence: Sequence[Evidence], pick: Pick) -> str:
    return evidence[pick.passage].text[pick.unit.lead_start or 0 : pick.unit.lead_end or 0]


def _says_something(evidence: Sequence[Evidence], pick: Pick, of_question: frozenset[str]) -> bool:
    """Whether it does more than repeat the question or ask one, and can be understood."""
    answers = not of_question.issuperset(terms_of(evidence, pick)) and not is_bare(evidence[pick.passage], pick.unit)
    if pick.unit.kind != "paragraph":
        return answers
    said_beside, questions = QUESTION.subn(" ", text_of(evidence, pick))
    return answers and (not questions or words_in(said_beside) >= FEW_WORDS)


def worth_saying(evidence: Sequence[Evidence], ranked: Sequence[Scored], length: str) -> list[Pick]:
    """The units that belong to an answer."""
    worth = WORTH_UNREAD if evidence[ranked[0][1].passage].unread and length == "SHORT" else WORTH[length]
    least = min(ranked[0][0], worth * ranked[0][0])  # of scores below 0 the best alone
    return [pick for score, pick in ranked if score >= least]


def worth_showing(evidence: Sequence[Evidence], ranked: dict[int, list[Scored]]) -> list[Pick]:
    """The best units of the parts of a question, then the others, best first; where nobody read them, only those that
    fit nearly as well."""
    bests = [scored[0][1] for _, scored in sorted(ranked.items())]
    others = sorted((pick for scored in ranked.values() for pick in scored[1:]), key=lambda scored: -scored[0])
    least = WORTH_UNREAD * max(scored[0][0] for scored in ranked.values())
    return [*bests, *(pick for score, pick in others if score >= least or not evidence[pick.passage].unread)]


def next_closest(evidence: Sequence[Evidence], shown: Sequence[Pick], near: Sequence[Pick]) -> list[Pick]:
    """Those of the units near the best that say something else, as long as all are read at a glance."""
    words = sum(words_in(text_of(evidence, pick)) for pick in shown)
    held = {term for pick in shown for term in terms_of(evidence, pick)}
    chosen: list[Pick] = []
    for pick in near:
        if len(chosen) + 1 == CLOSEST:
            break
        own, added = words_in(text_of(evidence, pick)), terms_of(evidence, pick)
        if own >= LEAST_WORDS and words + own <= CLOSEST_WORDS and not added <= held:
            chosen.append(pick)
            words += own
            held |= added
    return chosen


def text_of(evidence: Sequence[Evidence], pick: Pick) -> str:
    """The unit as it stands in its passage."""
    return evidence[pick.passage].text[pick.unit.start : pick.unit.end]


def terms_of(evidence: Sequence[Evidence], pick: Pick) -> frozenset[str]:
    """Its search terms, with those of what it stands under if it is not understood without."""
    return term_set(in_context(evidence[pick.passage].text, pick.unit))
