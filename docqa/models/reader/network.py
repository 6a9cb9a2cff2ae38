"""The encoder with a head that predicts where an answer begins and ends: Devlin et al., "BERT", 2019, section 4.3.

The first token stands for "no answer" (SQuAD 2.0); another head reads from its state whether the passage says yes or no
to a yes/no question. The encoder is of BERT's family or MPNet. torch is imported in the processes of models only.
"""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn

from docqa.models.encoder import Encoder
from docqa.models.reader import Reading, Span, YesNo, around
from docqa.models.reader.weights import is_head, metadata, trained
from docqa.models.streams import ONE_STREAM, OneStream, Streams
from docqa.models.tokens import Batch, Tokenised, Tokens

TOKENS = 384  # of question and passage together
ROUNDING = 32  # tokens: torch builds kernels for each length, so there should be few lengths
# Passages that a stream of the reader reads at once: of more the states no longer fit into a processor's cache. MiniLM
# took 25 ms for each of six, and 20 ms for each of three; the verifier with its larger layers is faster at once.
AT_ONCE = 3
LONGEST = 25  # tokens of a span
CANDIDATES = 20  # the likeliest first tokens, and as many last ones, of which spans are made
SPANS = 4  # of one passage
# The heads that a trained part can have, as its metadata names them; the first generation has the first only.
SPAN, YES_NO = "span", "yes_no"
NEITHER, YES, NO = range(3)  # the classes of the yes/no head
_NOWHERE = -1e4
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


class Outputs(NamedTuple):
    """The scores of a batch: `first` and `last` (batch, tokens), `yes_no` (batch, classes)."""

    first: Tensor
    last: Tensor
    yes_no: Tensor


class Network(nn.Module):
    """Questions with passages to scores of being the answer's first and last token, (batch, tokens) each."""

    def __init__(self, model_dir: Path, dropout: float = 0.1) -> None:
        super().__init__()
        self.tokens = Tokens(model_dir, TOKENS, multiple=ROUNDING)
        self.encoder = Encoder.load(model_dir, dropout)
        width = self.encoder.config.hidden_size
        self.head = nn.Linear(width, 2)
        self.yes_no_head = nn.Linear(width, 3)

    def encode(self, pairs: Sequence[tuple[str, str]]) -> Batch:
        """The tokens of (question, passage) pairs. Raises ValueError for a question that fills them."""
        return self.tokens.of_pairs(pairs)

    def forward(self, encoded: Tokenised) -> tuple[Tensor, Tensor]:
        """The scores of each token as the first and as the last of the answer, (batch, tokens) each."""
        return self.scores(encoded, self.hidden(encoded))

    def hidden(self, encoded: Tokenised) -> Tensor:
        """The last layer's hidden states, (batch, tokens, hidden)."""
        hidden: Tensor = self.encoder(*encoded.tensors)
        return hidden

    def outputs(self, encoded: Tokenised, hidden: Tensor) -> Outputs:
        """The scores of all heads from the last layer's hidden states."""
        first, last = self.scores(encoded, hidden)
        return Outputs(first, last, self.yes_no_head(hidden[:, 0].float()))

    def states(self, encoded: Tokenised) -> list[Tensor]:
        """The hidden states of each layer, the embeddings first: (batch, tokens, hidden) each."""
        return list(self.encoder.states(*encoded.tensors))

    def scores(self, encoded: Tokenised, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """The result of `forward` from the last layer's hidden states."""
        scores = self.head(hidden.float())
        allowed = encoded.of_second.clone()
        allowed[:, 0] = True
        return scores[..., 0].masked_fill(~allowed, _NOWHERE), scores[..., 1].masked_fill(~allowed, _NOWHERE)


class Reader:
    """A network ready to read, from the folder of the base model and the `file` of the trained part.

    `precision` is a key of DTYPES; passages are read in `streams`. Raises KeyError for a part of another model.
    """

    def __init__(self, model_dir: Path, file: Path, precision: str, streams: Streams | OneStream = ONE_STREAM) -> None:
        self._streams = streams
        network = Network(model_dir)
        _take_over(network, file, DTYPES[precision])
        self.network = network.eval()
        about = metadata(file)
        self.heads = tuple(about.get("heads", SPAN).split())
        self.margin = float(about["margin"])

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
        return self._first_look(question, texts)

    def _few_at_a_time(self, question: str, passages: Sequence[str]) -> list[Reading]:
        """The first look, at passages of similar length together."""
        encoded = self.network.tokens.pairs([(question, passage) for passage in passages])

        def look(few: Sequence[int]) -> list[tuple[int, Reading]]:
            batch = self.network.tokens.padded([encoded[index] for index in few])
            return list(zip(few, self._look(batch), strict=True))

        by_length = sorted(range(len(passages)), key=lambda index: len(encoded[index].ids))
        readings = dict(chain.from_iterable(self._streams.in_batches(look, by_length, AT_ONCE)))
        return [readings[index] for index in range(len(passages))]

    def _first_look(self, question: str, passages: Sequence[str]) -> list[Reading]:
        return self._look(self.network.encode([(question, passage) for passage in passages]))

    def _look(self, encoded: Batch) -> list[Reading]:
        with torch.inference_mode():
            outputs = self.network.outputs(encoded, self.network.hidden(encoded))
        says = map(_yes_no, outputs.yes_no) if YES_NO in self.heads else [None] * len(encoded.encodings)
        rows = zip(outputs.first, outputs.last, encoded.offsets, strict=True)
        return [
            Reading([Span(start, end, score - self.margin) for start, end, score in spans_of(*row)], yes_no)
            for row, yes_no in zip(rows, says, strict=True)
        ]

    def _second_look(self, question: str, passage: str, reading: Reading) -> Reading:
        """The result of reading only the best span's sentence and its neighbours; the other scores shift with it."""
        start, end = around(passage, reading.spans[0])
        if end - start >= len(passage.strip()):
            return reading
        [nearby] = self._first_look(question, [passage[start:end]])
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


def _take_over(network: Network, file: Path, dtype: torch.dtype) -> None:
    """Give a network its trained part. Its weights are mapped from a file until then: of those that stay float32 only
    the changed ones are held beside it, and of those in another precision none is held in both."""
    state = network.state_dict()
    changed = trained(file, state)
    if dtype is torch.float32:
        for name, tensor in changed:
            state[name].copy_(tensor)
        return
    rounded = {name: tensor if is_head(name) else tensor.to(dtype) for name, tensor in changed}
    network.load_state_dict(rounded, strict=False, assign=True)
    network.encoder.round(dtype)


def _clean(text: str) -> str:
    """Without lone surrogates, which some PDFs contain and the tokenizer rejects; as long as before."""
    return text.encode("utf-8", "replace").decode()


def _yes_no(scores: Tensor) -> YesNo:
    """The log odds of yes and of no, each against the two other classes."""
    odds = [
        float(scores[said] - scores[[other for other in range(3) if other != said]].logsumexp(0)) for said in (YES, NO)
    ]
    return YesNo(*odds)


def spans_of(first: Tensor, last: Tensor, offsets: Sequence[tuple[int, int]]) -> list[tuple[int, int, float]]:
    """(start, end, score) of one passage's likeliest spans, in characters, best first.

    `first` and `last` are a row of `Network.forward`; the score is relative to "no answer".
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


def _likeliest(scores: Tensor) -> list[tuple[int, float]]:
    """(token, score) of the likeliest tokens of the passage."""
    values, tokens = scores.topk(min(CANDIDATES, len(scores)))
    pairs = zip(tokens.tolist(), values.tolist(), strict=True)
    return [(token, score) for token, score in pairs if score > _NOWHERE and token]
