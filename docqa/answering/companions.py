"""What is said with the unit that answers best: what explains it, what answers nearly as likely, and the other items or
rows that name the same or the other side of a comparison."""

from collections.abc import Sequence

from docqa.answering.evidence import Evidence
from docqa.answering.picks import ENOUGH_WORDS, LEAST_WORDS, LIST_KINDS, Pick, Scored, terms_of, text_of
from docqa.answering.quoting import words_in
from docqa.answering.summary_length import Length
from docqa.answering.surroundings import paragraph_of
from docqa.answering.table_rows import headings_of
from docqa.questions.question import Kind, Part
from docqa.questions.wording import points_back
from docqa.text.codes import codes
from docqa.text.words import has_word, term_set

UNITS = {"SHORT": 2, "LONG": 8}
EXPLAINED: tuple[Kind, ...] = ("reason", "procedure", "description")
WHOLE: tuple[Kind, ...] = ("procedure", "compare")  # a short paragraph leaves nothing out
ALIKE: tuple[Kind, ...] = ("fact", "list", "description")  # what several rows or items may answer
# Sentences: a way or a description takes more than the one that fits best.
EXPLANATION = {"SHORT": 4, "LONG": 8}
NAMED = 5  # words: a shorter unit with a code says little more than its name


def further(evidence: Sequence[Evidence], part: Part, picks: Sequence[Pick], length: str) -> list[Pick]:
    """What else is said: of a short answer one more unit that answers nearly as likely and says something else, which
    is the right one in 18 of 100 such cases; where several things are asked, two; of a long answer all. After yes or no
    nothing."""
    if part.kind == "whether" and length == "SHORT":
        return []
    best, count = picks[0], UNITS[length] + (part.kind in LIST_KINDS)
    sides = 2 if part.kind == "compare" and best.unit.kind == "item" else 1
    words, enough = words_in(text_of(evidence, best)), ENOUGH_WORDS[length] * sides
    chosen: list[Pick] = []
    held = terms_of(evidence, best)
    for pick in picks[1:]:
        added = terms_of(evidence, pick)
        words += words_in(text_of(evidence, pick))
        if len(chosen) + 1 >= count or words > enough:
            break
        if not added <= held:
            chosen.append(pick)
            held |= added
    return chosen


def around(evidence: Sequence[Evidence], picks: Sequence[Pick], part: Part, length: str) -> list[Pick]:
    """The best unit with what explains it in its paragraph or clause, where a reason, a way or a description is asked
    for, or the unit does little more than name a code, or than affirm: the sentence that fits such a question best
    often repeats it, and the next one answers. It begins with the one before where it points back to that, or that
    answers nearly as likely. Where a way or a difference is asked for, a short paragraph is said whole, for what is to
    be done, or the other side, may stand before it too."""
    best = picks[0]
    passage = evidence[best.passage]
    paragraph = [Pick(best.passage, unit) for unit in paragraph_of(passage, best.unit)]
    text = text_of(evidence, best)
    names_only = words_in(text) < NAMED and not part.codes.isdisjoint(codes(text))
    says_little = part.kind == "whether" and words_in(text) < LEAST_WORDS  # "Go ahead."
    if best not in paragraph:
        return [best]
    if part.kind in WHOLE and sum(words_in(text_of(evidence, pick)) for pick in paragraph) <= ENOUGH_WORDS[length]:
        return paragraph
    if not (names_only or says_little or part.kind in EXPLAINED):
        return [best]
    most, enough = UNITS[length] if part.kind == "reason" or says_little else EXPLANATION[length], ENOUGH_WORDS[length]
    place = paragraph.index(best)
    leans = points_back(text_of(evidence, best), passage.language or part.language)
    first = place - 1 if place and (leans or paragraph[place - 1] in picks) else place
    around = paragraph[first : place + 1]
    words = sum(words_in(text_of(evidence, pick)) for pick in around)
    for pick in paragraph[place + 1 : first + most]:
        words += words_in(text_of(evidence, pick))
        if words > enough:
            break
        around.append(pick)
    return around


def on_topic(evidence: Sequence[Evidence], picks: Sequence[Pick], length: Length) -> list[Pick]:
    """What sums up what is said of a topic: of the units that fit it, best first, those that say something else, as
    many as a summary has, in the order of the passages."""
    chosen: list[Pick] = []
    held: frozenset[str] = frozenset()
    words = 0
    for pick in picks:
        added, own = terms_of(evidence, pick), words_in(text_of(evidence, pick))
        if len(chosen) >= length.sentences:
            break
        if pick in chosen or added <= held or chosen and words + own > length.words:
            continue
        chosen.append(pick)
        held |= added
        words += own
        if own < LEAST_WORDS and (after := _after(evidence, pick)):  # a heading in the line: "Early retirement."
            chosen.append(after)
            words += words_in(text_of(evidence, after))
    return sorted(dict.fromkeys(chosen), key=lambda pick: (pick.passage, pick.unit.start))


def _after(evidence: Sequence[Evidence], pick: Pick) -> Pick | None:
    """The next sentence of its paragraph."""
    paragraph = paragraph_of(evidence[pick.passage], pick.unit)
    place = paragraph.index(pick.unit) + 1 if pick.unit in paragraph else len(paragraph)
    return Pick(pick.passage, paragraph[place]) if place < len(paragraph) else None


def both_sides(
    evidence: Sequence[Evidence], ranked: Sequence[Scored], picks: Sequence[Pick], words: Sequence[str]
) -> list[Pick]:
    """The units that belong to the answer to a comparison, which has these words: behind the best item or row the one
    of its list or table that has most of those that it lacks, or all that it has, however little a model thinks of it:
    "a tenant who leaves early pays a month", "an owner who leaves early pays two"."""
    best = picks[0]
    if best.unit.kind not in ("item", "row"):
        return list(picks)
    held = terms_of(evidence, best)
    lacking = [word for word in words if not has_word(held, word)]
    in_common = held & frozenset(term for word in words for term in term_set(word))
    named: list[tuple[int, bool, float, Pick]] = []
    for score, pick in ranked:
        if (pick.passage, pick.unit.group) == (best.passage, best.unit.group) and pick != best:
            own = term_set(text_of(evidence, pick))
            is_parallel = len(in_common) > 1 and in_common <= own
            named.append((sum(has_word(own, word) for word in lacking), is_parallel, score, pick))
    count, is_parallel, _, other = max(named, key=lambda side: side[:3], default=(0, False, 0.0, best))
    return [best, other, *(pick for pick in picks[1:] if pick != other)] if count or is_parallel else list(picks)


def alike(evidence: Sequence[Evidence], part: Part, best: Pick) -> list[Pick]:
    """The items of a list or the rows of a table that name what the best of them names of the question, where others
    do not: all that somebody has to do. The best alone where one thing is asked for, where it says, with what it stands
    under, less than half of what is asked, or where they are not read at a glance."""
    if best.unit.kind not in ("item", "row") or part.expects in ("person", "number", "place") or part.kind not in ALIKE:
        return [best]
    of_best = term_set(text_of(evidence, best))
    words = [word for word in part.content if has_word(of_best, word)]
    in_context = terms_of(evidence, best)
    if 2 * sum(has_word(in_context, word) for word in part.content) < len(part.content):
        return [best]
    columns = _columns(evidence, best)
    beside = [
        Pick(place, unit)
        for place, passage in enumerate(evidence)
        for unit in dict.fromkeys(candidate.unit for candidate in passage.units)
        if (place, unit.group) == (best.passage, best.unit.group)
        or columns
        and unit.kind == "row"
        and _columns(evidence, Pick(place, unit)) == columns
    ]
    held = [term_set(text_of(evidence, pick)) for pick in beside]
    chosen = [pick for pick, own in zip(beside, held, strict=True) if all(has_word(own, word) for word in words)]
    is_short = sum(words_in(text_of(evidence, pick)) for pick in chosen) <= ENOUGH_WORDS["SHORT"]
    return chosen if words and len(chosen) < len(beside) and is_short else [best]


def _columns(evidence: Sequence[Evidence], pick: Pick) -> list[str]:
    """The lines of column headings of a row; [] of any other unit."""
    passage = evidence[pick.passage]
    units = [candidate.unit for candidate in passage.units]
    return headings_of(passage.text, passage.columns, pick.unit, units) if pick.unit.kind == "row" else []
