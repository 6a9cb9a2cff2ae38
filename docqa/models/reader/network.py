"""The encoder with a head that predicts where an answer begins and ends: Devlin et al., "BERT", 2019, section 4.3.

The first token stands for "no answer" (SQuAD 2.0); another head reads from its state whether the passage says yes or no
to a yes/no question. The encoder is of BERT's family or MPNet. openvino is imported in the processes of models only.
"""

from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from docqa.models.batches import AT_ONCE
from docqa.models.encoder import Encoder, read_together
from docqa.models.reader import TABLES, Reading, Span, TableReading, YesNo, around
from docqa.models.reader.weights import Part
from docqa.models.tensors import Floats
from docqa.models.tokens import Batch, Tokens

TOKENS = 384  # of question and passage together
ROUNDING = 32  # tokens: kernels are built for each length, so there should be few lengths
LONGEST = 25  # tokens of a span
CANDIDATES = 20  # the likeliest first tokens, and as many last ones, of which spans are made
SPANS = 4  # of one passage
# The heads that a trained part can have, as its metadata names them; the first generation has the first only.
SPAN, YES_NO = "span", "yes_no"
NEITHER, YES, NO = range(3)  # the classes of the yes/no head
_NOWHERE = -1e4


class Reader:
    """A network ready to read, from the folder of the base model and the `file` of the trained part.

    `precision` is one of `encoder.precisions()`; matrices in eight bits are kept in the folder `kept_in`. Raises
    KeyError for a part of another model.
    """

    def __init__(self, model_dir: Path, file: Path, precision: str, kept_in: Path | None = None) -> None:
        part = Part(file)
        self.tokens = Tokens(model_dir, TOKENS, multiple=ROUNDING)
        self._encoder = Encoder(model_dir, precision, part, kept_in)
        self._head = part.head("head")
        self.heads = tuple(part.about.get("heads", SPAN).split())
        self._yes_no_head = part.head("yes_no_head") if YES_NO in self.heads else None
        self._table_heads = (part.head("whole_head"), part.head("spot_head")) if TABLES in self.heads else None
        self.margin = float(part.about["margin"])

    def rest(self) -> None:
        """Give back what the last passages took."""
        self._encoder.rest()

    def read(self, question: str, passages: Sequence[str]) -> list[list[Span]]:
        """The spans of `readings`."""
        return [reading.spans for reading in self.readings(question, passages)]

    def readings(self, question: str, passages: Sequence[str], *, again: bool = True) -> list[Reading]:
        """For each passage its likeliest spans, best first, none of them overlapping, and yes or no.

        The passage with the best span is read `again` without the sentences far from it: that tells better whether it
        answers. If another passage then has a better span, that one is read again too.
        """
        question, *texts = map(_clean, (question, *passages))
        readings, reread = self._few_at_a_time(question, texts), set[int]()
        while again and (nonempty := [index for index, each in enumerate(readings) if each.spans]):
            best = max(nonempty, key=lambda index: readings[index].spans[0].score)
            if best in reread:
                break
            reread.add(best)
            readings[best] = self._second_look(question, texts[best], readings[best])
        return readings

    def glance(self, question: str, excerpts: Sequence[str]) -> list[Reading]:
        """As `readings`, without reading any of the excerpts again."""
        question, *texts = map(_clean, (question, *excerpts))
        return self._few_at_a_time(question, texts)

    def table(self, question: str, text: str, starts: Sequence[int]) -> TableReading:
        """What it makes of a table laid out as text: the whole, and what begins at each of `starts`, in characters;
        what lies behind the tokens that are read has no part in the question. Raises KeyError where the part has not
        learned tables."""
        if self._table_heads is None:
            raise KeyError("this part of the reader has not learned to read tables")
        batch = self.tokens.of_pairs([(_clean(question), _clean(text))])
        [states] = self._encoder(batch)
        places = spots(batch.offsets[0], batch.of_second[0].tolist(), starts)
        whole, of_spots = (
            _scores(some, head) for some, head in zip((states[0], states[places]), self._table_heads, strict=True)
        )
        of_spots[np.array(places) == 0] = _NOWHERE
        return TableReading(whole.tolist(), of_spots.tolist())

    def _few_at_a_time(self, question: str, passages: Sequence[str]) -> list[Reading]:
        """The first look, at passages of similar length together."""
        encoded = self.tokens.pairs([(question, passage) for passage in passages])
        readings: dict[int, Reading] = {}
        for indexes, batch, states in filter(None, read_together(self._encoder, self.tokens, encoded, AT_ONCE)):
            readings |= zip(indexes, self._look(batch, states), strict=True)
        return [readings[index] for index in range(len(passages))]

    def _look(self, encoded: Batch, states: Floats) -> list[Reading]:
        scores = _scores(states, self._head)
        allowed = encoded.of_second.copy()
        allowed[:, 0] = True
        first, last = np.where(allowed[..., None], scores, _NOWHERE).transpose(2, 0, 1)
        says = map(_yes_no, _scores(states[:, 0], self._yes_no_head)) if self._yes_no_head else [None] * len(states)
        rows = zip(first, last, encoded.offsets, strict=True)
        return [
            Reading([Span(start, end, score - self.margin) for start, end, score in spans_of(*row)], yes_no)
            for row, yes_no in zip(rows, says, strict=True)
        ]

    def _second_look(self, question: str, passage: str, reading: Reading) -> Reading:
        """The result of reading only the best span's sentence and its neighbours; the other scores shift with it."""
        start, end = around(passage, reading.spans[0])
        if end - start >= len(passage.strip()):
            return reading
        [nearby] = self._few_at_a_time(question, [passage[start:end]])
        if not nearby.spans:
            return reading
        best = Span(nearby.spans[0].start + start, nearby.spans[0].end + start, nearby.spans[0].score)
        shift = best.score - reading.spans[0].score
        others = [
            span._replace(score=span.score + shift)
            for span in reading.spans[1:]
            if span.end <= best.start or best.end <= span.start
        ]
        return Reading([best, *others], nearby.yes_no)


def spots(offsets: Sequence[tuple[int, int]], of_second: Sequence[bool], starts: Sequence[int]) -> list[int]:
    """The first token of the second text that ends behind each of `starts`, which are in order; 0 where none does."""
    tokens = [(end, token) for token, (_, end) in enumerate(offsets) if of_second[token]]
    ends = [end for end, _ in tokens]
    at = (bisect_right(ends, start) for start in starts)
    return [tokens[each][1] if each < len(tokens) else 0 for each in at]


def _clean(text: str) -> str:
    """Without lone surrogates, which some PDFs contain and the tokenizer rejects; as long as before."""
    return text.encode("utf-8", "replace").decode()


def _scores(states: Floats, head: tuple[Floats, Floats]) -> Floats:
    """What a head makes of states: (..., hidden) → (..., classes)."""
    weights, biases = head
    return states @ weights.T + biases


def _yes_no(scores: Floats) -> YesNo:
    """The log odds of yes and of no, each against the two other classes."""
    return YesNo(*(float(scores[said] - np.logaddexp.reduce(np.delete(scores, said))) for said in (YES, NO)))


def spans_of(first: Floats, last: Floats, offsets: Sequence[tuple[int, int]]) -> list[tuple[int, int, float]]:
    """(start, end, score) of one passage's likeliest spans, in characters, best first.

    `first` and `last` are a row of the scores of each token; the score is relative to "no answer".
    """
    no_answer = float(first[0] + last[0])
    starts, ends = _likeliest(first), _likeliest(last)
    candidates = sorted(
        (
            (start_score + end_score, start, end)
            for start, start_score in starts
            for end, end_score in ends
            if start <= end < start + LONGEST
        ),
        reverse=True,
    )
    kept: list[tuple[float, int, int]] = []
    for score, start, end in candidates:
        if len(kept) < SPANS and all(end < other_start or other_end < start for _, other_start, other_end in kept):
            kept.append((score, start, end))
    return [(offsets[start][0], offsets[end][1], score - no_answer) for score, start, end in kept]


def _likeliest(scores: Floats) -> list[tuple[int, float]]:
    """(token, score) of the likeliest tokens of the passage, best first."""
    tokens = np.argsort(-scores, kind="stable")[:CANDIDATES]
    return [
        (token, score)
        for token, score in zip(tokens.tolist(), scores[tokens].tolist(), strict=True)
        if score > _NOWHERE and token
    ]
