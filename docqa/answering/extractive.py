"""Answers in the documents' own words: for each part of a question the unit that answers, said whole.

Which unit answers is decided by its score and by what the reader finds in it; how it is said, by the kind of question:
yes or no first, a list with all its items, the steps in order.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, zip_longest

from docqa.answering.companions import EXPLAINED, WHOLE, alike, around, both_sides, further, on_topic
from docqa.answering.evidence import Evidence, Piece
from docqa.answering.phrasing import other_pages
from docqa.answering.picks import (
    Pick,
    Scored,
    has_all,
    next_closest,
    rank_units,
    words_of_list,
    worth_saying,
    worth_showing,
)
from docqa.answering.polarity import is_affirmed, says_so_first
from docqa.answering.quoting import closed, has_several_values, lead_of, listed, said, words_in
from docqa.answering.summary_length import length_of
from docqa.answering.surroundings import list_of, sublist_of
from docqa.languages import phrase
from docqa.questions.question import NO_QUESTION, Part, Question
from docqa.text.marks import NUMBERED, item_mark, leads_on
from docqa.text.units import Unit
from docqa.text.words import has_word, is_dense, term_set

SURE = 12.0  # of a span's score: from here on it stands before the sentence
LONG_SENTENCE = 15  # words: in a shorter one the words that answer are seen at once
PAGES = 5  # that are shown or named then


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
        ranked = {index: rank_units(evidence, index, _part(question, index)) for index in indexes}
        if not self.sure:
            yield from _closest(evidence, question, ranked)
            return
        content = list(dict.fromkeys(word for part in question.parts for word in part.content))
        shown: set[Pick] = set()
        gap = ""
        for index in indexes:
            part, picks = _part(question, index), worth_saying(evidence, ranked[index], length)
            if question.wants_comparison or part.kind == "compare":
                picks = both_sides(evidence, ranked[index], picks, content)
            picks = [pick for pick in picks if pick not in shown]
            if not picks:
                continue
            for text, passage, covered in _said_of(evidence, index, part, picks, question):
                if shown.issuperset(covered):  # beside what answers, said for an earlier part
                    continue
                shown.update(covered)
                yield Piece(gap + text, passage)
                gap = "\n\n" if "\n" in text or length == "LONG" else "" if is_dense(text) else " "


def _part(question: Question, index: int) -> Part:
    """A part of the question by its number; the number after the last is that of what a second search for it found."""
    parts = question.parts
    part = parts[index] if index < len(parts) else replace(parts[-1], kind="fact")
    return replace(part, kind="compare") if question.wants_comparison and part.kind == "fact" else part


def _closest(evidence: Sequence[Evidence], question: Question, ranked: dict[int, list[Scored]]) -> Iterator[Piece]:
    """The unit that comes closest, or its list where one is asked for, and that it is no clear answer; then what comes
    closest to the other parts of the question or was found to complete it, and what comes next to any of them, and on
    which other pages something near stands."""
    if not ranked:
        return
    language, first = question.answer_language, min(ranked)
    part, (best, *others) = _part(question, first), worth_showing(evidence, ranked)
    passage = evidence[best.passage]
    opening = phrase("phrases.unsure", language).format(page=passage.page_number)
    shown = [best]
    if group := _list_of(passage, best.unit, part, words_of_list(evidence, [best], part, "SHORT")):
        yield Piece(f"{opening}\n\n{listed(passage, group, language)}", best.passage)
    else:
        gap = "" if is_dense(opening) else " "
        shown = around(evidence, [best], part, "SHORT")
        for pick, text in _in_turn(evidence, shown, part, language):
            yield Piece(f"{opening}{gap}{text}", pick.passage)
            opening = ""
        following = next_closest(evidence, shown, others)
        shown += following
        for pick in following:
            text = said(evidence[pick.passage], pick.unit, language, sought=part.searched_stems)
            yield Piece(f"\n\n{text}", pick.passage)
    yield from _other_pages(evidence, {pick.passage for pick in shown}, language)


def _other_pages(evidence: Sequence[Evidence], shown: set[int], language: str) -> Iterator[Piece]:
    """The pages of the other passages, nearest first, with these as sources; none where all stand on pages shown."""
    pages = {(evidence[index].document, evidence[index].page_number) for index in shown}
    others: dict[tuple[str, int], int] = {}
    for index, passage in enumerate(evidence):
        page = (passage.document, passage.page_number)
        if page not in pages and len(pages) + len(others) < PAGES:
            others.setdefault(page, index)
    if others:
        by_name = len({passage.document for passage in evidence}) > 1
        yield Piece(f"\n\n{other_pages(others, language, by_name=by_name)}", rests_on=tuple(others.values()))


def _said_of(
    evidence: Sequence[Evidence], index: int, part: Part, picks: Sequence[Pick], question: Question
) -> Iterator[tuple[str, int, list[Pick]]]:
    """(text, passage, what it shows) of each piece of the answer to one part."""
    length, language = question.options.length, question.answer_language
    if part.kind == "summary":
        said_in_turn = _in_turn(
            evidence, on_topic(evidence, picks, length_of(question, 1, of_topic=True)), part, language
        )
        for (passage, _), run in groupby(said_in_turn, key=lambda each: (each[0].passage, each[0].unit.group)):
            covered, texts = zip(*run, strict=True)
            yield ("" if is_dense(texts[0]) else " ").join(texts), passage, list(covered)
        return
    best = picks[0]
    most = words_of_list(evidence, picks, part, length)
    if group := _list_of(evidence[best.passage], best.unit, part, most):
        yield (
            listed(evidence[best.passage], group, language),
            best.passage,
            [Pick(best.passage, unit) for unit in group],
        )
        return
    chosen = alike(evidence, part, best)
    if len(chosen) == 1:
        chosen = around(evidence, picks, part, length)
    if len(chosen) == 1 or part.kind == "compare":
        chosen += [pick for pick in further(evidence, part, picks, length) if pick not in chosen]
    if length == "LONG":
        chosen.sort(key=lambda pick: (pick.passage, pick.unit.start))
    for pick, text in _in_turn(evidence, chosen, part, language):
        if pick == best and (pick == chosen[0] or part.kind not in (*EXPLAINED, *WHOLE)):
            text = _opened(evidence[pick.passage], part, index, pick.unit, text, language)
        yield text, pick.passage, [pick]


def _list_of(passage: Evidence, unit: Unit, part: Part, most: int) -> list[Unit]:
    """The list of up to so many words that the unit is an item of, to be said whole, or what stands under the same
    item, where that leads into it and the whole is longer; [] where steps are asked for, and the item has all words of
    the question, which what it stands under has not: then it is one way of several, and no step. Nor where it alone of
    a list without numbers speaks of what is asked for."""
    item, above = (passage.text[start or 0 : end or 0] for start, end in (unit[:2], (unit.lead_start, unit.lead_end)))
    if part.kind == "procedure" and len(part.content) > 1 and has_all(item, part) and not has_all(above, part):
        return []
    under = sublist_of(passage, unit, most)
    whole = (under if has_all(above, part) else []) or list_of(passage, unit, part.kind, most)
    if not whole and leads_on(above):
        whole = under
    beside = (passage.text[other.start : other.end] for other in whole if other != unit)
    return [] if _stands_out(item, [above, *beside], part) else whole


def _stands_out(item: str, beside: Sequence[str], part: Part) -> bool:
    """Whether an item alone of its list and what that stands under has two words of the question, or the one that it
    asks with first: "which pins do I connect?", with "Use the pins 3 and 4" in a list of advice. Of
    numbered steps none does, nor does a numbered item by one word."""
    mark = item_mark(item)
    is_numbered = mark is not None and mark.style[0] in NUMBERED
    if is_numbered and part.kind == "procedure":
        return False
    held, others = term_set(item), [term_set(other) for other in beside]
    own = [word for word in part.content if has_word(held, word) and not any(has_word(other, word) for other in others)]
    return len(own) > 1 or not is_numbered and bool(own) and own[0] == part.content[0]


def _in_turn(
    evidence: Sequence[Evidence], picks: Sequence[Pick], part: Part, language: str
) -> Iterator[tuple[Pick, str]]:
    """Each unit as it is said behind the one before."""
    before: Pick | None = None
    for pick, after in zip_longest(picks, picks[1:]):
        beside = before.unit if before and before.passage == pick.passage else None
        goes_on = after is not None and (after.passage, after.unit.group) == (pick.passage, pick.unit.group)
        text = said(evidence[pick.passage], pick.unit, language, beside, part.searched_stems, goes_on=goes_on)
        yield pick, text
        before = pick


def _opened(evidence: Evidence, part: Part, index: int, unit: Unit, text: str, language: str) -> str:
    """The text after yes or no, or after the words in it that answer, where these are sure. What begins as a yes/no
    question does and is taken for another is answered so only as the verifier reads it."""
    reading = next((each.yes_no for each in evidence.units if (each.unit, each.part) == (unit, index)), None)
    asks_so = part.begins_with_verb and not part.has_question_word and reading is not None
    if part.kind == "whether" or asks_so and part.kind not in NO_QUESTION:
        if has_several_values(evidence, unit):
            return text
        quoted = evidence.text[unit.start : unit.end]
        if says_so_first(quoted, evidence.language or part.language):  # to the document's own question
            return text
        lead = lead_of(evidence, unit) if unit.kind == "item" else ""
        affirmed = is_affirmed(part, quoted, evidence.language or part.language, reading, lead)
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
    return f"{fact[0].upper()}{fact[1:]}{_colon(text)}“{text}”" if words_in(fact) * 3 < words_in(text) else text


def _colon(text: str) -> str:
    return "：" if is_dense(text) else ": "
