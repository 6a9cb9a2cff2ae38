"""What each sentence weighs among those of its document, by its words, its place and how it is made: an abstract, a
summary, the first paragraph and conclusions come before the rest."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from docqa.ingest.selection import FIRST_SECTIONS
from docqa.ingest.sentence_worth import denies, is_boilerplate, is_cue, leans, names_itself, standing, states_amount
from docqa.ingest.subjects import defines, names, tells_story
from docqa.text.detect import is_function_word
from docqa.text.words import terms

OPENING = 6  # sentences at the beginning of a document that stand for it
WHOLE_SUMMARY, FEW_SUMMED = 40, 3  # sentences of a summary that do; with fewer, the next one does too
WORDS = 12  # telling ones; a sentence of fewer says less
BOILERPLATE = 0.3  # of the sentences of a part: from here on it is a licence or the like, and counts LICENCE
LICENCE = 0.1
FEW = 20  # sentences: of fewer, their share says nothing of what a document is about
DECAY = 0.12  # of the weight of a summary, from each of its sentences to the next
SUMMARY, LEAD, CLOSING, SKIPPED = 8.0, 2.0, 1.6, 0.02
EARLY_PARTS = 3
BEGINS, LEADS = 1.8, 1.3  # times as much, for the first sentence below a heading, and of a paragraph
STEP = 0.2  # of an instruction
AMOUNT = 1.3  # for one with an amount of money, in a document of few parts: a bill, a contract, a notice
FEW_PARTS = 15
END = 0.9  # of a document: from here on what was found or decided counts CLOSING
DEFINES = 3.0  # for the first one that says what something is of which the document speaks by name
LEAST = 0.1  # of what the words of a typical sentence weigh: so much weigh those that are not said again
JUDGED = 1.5  # in a summary, for one that says that something is not so
MANY_PARTS, MIDDLE = 40, 0.4  # of a document; what a sentence inside its sections weighs there
NAMED = 0.15  # in a story, for each of its names


class Chunk(Protocol):
    """What a chunk is judged by; `terms` are its search terms, separated by spaces."""

    @property
    def section(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def terms(self) -> str: ...


class Sentence(NamedTuple):
    """Where a sentence stands: the index of its chunk, and its characters in that."""

    chunk: int
    start: int
    end: int
    role: str = ""  # of the section it stands in: summary, closing, skipped
    begins: bool = False  # the first one below a heading
    leads: bool = False  # the first one of a paragraph
    is_step: bool = False  # an item of a numbered list


class Weights:
    """The weights of the sentences of a document, `prose`: those of each part. `focus` says how often more a sentence
    weighs, 1 for those like any other.

    A sentence weighs the mean of its words' tf-idf within the document (cf. Radev et al., "Centroid-based
    summarization", 2004), more in a summary and at the beginning of a section and of the document (Edmundson, "New
    Methods in Automatic Extracting", 1969), less where it cannot stand alone.
    """

    def __init__(
        self,
        chunks: Sequence[Chunk],
        prose: Sequence[Sequence[Sentence]],
        focus: Callable[[str], float] | None = None,
    ) -> None:
        self._prose = prose
        self._texts = {span: text_of(chunks, span) for part in prose for span in part}
        self._sought = {span: focus(text) for span, text in self._texts.items()} if focus else {}
        self._words = {span: frozenset(terms(text)) for span, text in self._texts.items()}
        self._terms = _term_weights(chunks)
        self._opening = _openings(prose)
        self._formulas = _formulas(self._texts)
        self._names = names(self._texts.values())
        self._is_story = tells_story(chunk.text for chunk in chunks)
        self._defining = _defining(prose, self._names, self._texts)
        means = [_mean(words, self._terms, set()) for words in self._words.values()]
        self._typical = _median(means) or max(means, default=0.0) or 1.0

    def words(self, span: Sentence) -> frozenset[str]:
        """The search terms of a sentence."""
        return self._words[span]

    def stands_out(self, span: Sentence) -> bool:
        """Whether it counts beside the others of its part: it opens the document, defines a name, or is looked for."""
        return span in self._opening or span in self._defining or self._sought.get(span, 1.0) > 1

    def of_part(self, number: int, title: str) -> list[float]:
        """The weights of a part's sentences; `title` is that of its section."""
        spans, titles = self._prose[number], set(terms(title))
        early = 1 + 0.5 * max(0.0, 1 - number / (FIRST_SECTIONS * len(self._prose)))
        is_licence = sum(span in self._formulas for span in spans) > BOILERPLATE * len(spans)
        licence = LICENCE if is_licence else 1.0
        return [self._weight(span, place, number, titles) * early * licence for place, span in enumerate(spans)]

    def _weight(self, span: Sentence, place: int, number: int, titles: set[str]) -> float:
        text, opens, parts = self._texts[span], self._opening.get(span, 0.0), len(self._prose)
        is_defining = span in self._defining
        return (
            standing(text, may_lean=bool(opens), is_formula=span in self._formulas)
            * self._said(span, titles)
            * _placed(span, place, opens, denies=denies(text))
            * self._sought.get(span, 1.0)
            * (MIDDLE if parts > MANY_PARTS and not (opens or span.begins or is_defining) else 1.0)
            * (AMOUNT if parts <= FEW_PARTS and states_amount(text) else 1.0)
            * (CLOSING if number >= END * parts and is_cue(text) else 1.0)
            * (DEFINES if is_defining else 1.0)
            * (1 + NAMED * sum(name in text for name in self._names) if self._is_story else 1.0)
        )

    def _said(self, span: Sentence, titles: set[str]) -> float:
        """What it weighs by its words. What a summary says counts also where it says it in words that do not come
        again; a story has no topic."""
        if self._is_story:
            return self._typical
        mean = _mean(self._words[span], self._terms, titles)
        if span in self._opening or span in self._defining or self._sought:
            mean = (mean + 2 * self._typical) / 2
        return math.sqrt((mean + LEAST * self._typical) * self._typical)


def text_of(chunks: Sequence[Chunk], span: Sentence) -> str:
    """The text of a sentence."""
    return chunks[span.chunk].text[span.start : span.end]


def _formulas(texts: dict[Sentence, str]) -> set[Sentence]:
    """The sentences that say what documents of a kind all say; none where many do: a guide to copyright speaks of it
    throughout."""
    formulas = {span for span, text in texts.items() if is_boilerplate(text)}
    return formulas if len(texts) < FEW or len(formulas) <= BOILERPLATE * len(texts) else set()


def _openings(prose: Sequence[Sequence[Sentence]]) -> dict[Sentence, float]:
    """The first sentences of the summary, and of the document, with what they weigh more, the first one most."""
    spans = [span for part in prose for span in part]
    summary = _first_summary(spans)
    lead = [span for span in next(filter(None, prose), ()) if span.role == ""][: 0 if summary else OPENING]
    opening = {span: LEAD - 0.15 * place for place, span in enumerate(lead)}
    return opening | {span: SUMMARY - DECAY * place for place, span in enumerate(summary)}


def _first_summary(spans: Sequence[Sentence]) -> list[Sentence]:
    """The sentences of the first summary, and of what follows it under the same kind of title while these are few."""
    summary: list[Sentence] = []
    for span in spans:
        if span.role == "summary":
            if span.begins and len(summary) >= FEW_SUMMED or len(summary) == WHOLE_SUMMARY:
                break
            summary.append(span)
    return summary


def _placed(span: Sentence, place: int, opens: float, *, denies: bool) -> float:
    """What a sentence weighs by its place: in a summary, at the beginning, in a conclusion, first of its part."""
    by_role = {"closing": CLOSING, "skipped": SKIPPED}.get(span.role, 1.0)
    weight = opens or by_role * (1 + 0.5 / (1 + place))
    weight *= JUDGED if span.role == "summary" and opens and denies else 1.0
    weight *= BEGINS if span.begins else LEADS if span.leads else 1.0
    return weight * STEP if span.is_step else weight


def _defining(prose: Sequence[Sequence[Sentence]], known: Sequence[str], texts: dict[Sentence, str]) -> set[Sentence]:
    """The first sentences, early in the document, that say of each name what it is."""
    first: dict[str, Sentence] = {}
    for part in prose[: max(EARLY_PARTS, round(FIRST_SECTIONS * len(prose)))]:
        for span in part:
            text = texts[span]
            if span.role != "skipped" and (name := defines(text, known)):
                first.setdefault(name, span)
            elif span.role == "" and names_itself(text) and leans(text):  # "This agreement is made between"
                first.setdefault("", span)
    return set(first.values())


def _term_weights(chunks: Sequence[Chunk]) -> dict[str, float]:
    """What a term says about this document: often said, but not everywhere."""
    often: Counter[str] = Counter()
    spread: Counter[str] = Counter()
    for chunk in chunks:
        words = chunk.terms.split()
        often.update(words)
        spread.update(set(words))
    return {
        term: math.sqrt(count) * math.log(1 + len(chunks) / spread[term])
        for term, count in often.items()
        if count > 1 and (len(term) > 3 or not term.isascii()) and term[0].isalpha() and not is_function_word(term)
    }


def _mean(words: frozenset[str], weights: dict[str, float], titles: set[str]) -> float:
    """The mean weight of the words; those of the section's title count half as much again."""
    telling = [word for word in words if word in weights]
    return sum(weights[word] * (1.5 if word in titles else 1) for word in telling) / max(len(telling), WORDS)


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2] if values else 0.0
