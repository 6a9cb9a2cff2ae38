"""The encoder with a head that tells where an answer begins and where it ends: Devlin et al., "BERT", 2019, section 4.3 (SQuAD 2.0).

The first token stands for "no answer here". The encoder is one of BERT's family, or MPNet. Of what the server needs, torch is imported here and in `weights` only.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AutoModel, AutoTokenizer
from transformers.utils import logging

from docqa.models.reader import Span, around
from docqa.models.reader.weights import load

TOKENS = 384  # of question and passage together
ROUNDING = 32  # tokens: kernels are made anew for each length, so there should be few
LONGEST = 25  # tokens of a span
BEGINNINGS = 20  # the likeliest, each of which is tried with as many ends
SPANS = 4  # of one passage, best first
OF_PASSAGE = "of_passage"  # which tokens are the passage's
_NOWHERE = -1e4
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


class Network(nn.Module):
    """Token ids of question and passage to the scores (batch, tokens) of being the first and the last token of the answer."""

    def __init__(self, model_dir: Path, dropout: float = 0.1) -> None:
        super().__init__()
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        logging.set_verbosity_error()  # type: ignore[no-untyped-call]
        self.tokenizer = AutoTokenizer.from_pretrained(model_dir, local_files_only=True)
        # torch's fused attention takes longer in bfloat16 at these sizes, and dropping parts of it out costs a third of a step's time.
        plain = {"attn_implementation": "eager", "attention_probs_dropout_prob": 0.0, "hidden_dropout_prob": dropout}
        self.encoder = AutoModel.from_pretrained(model_dir, local_files_only=True, add_pooling_layer=False, **plain)
        self.head = nn.Linear(self.encoder.config.hidden_size, 2)

    def encode(self, pairs: Sequence[tuple[str, str]]) -> Any:
        """(question, passage) pairs as tensors of equal length, with the characters of the passage that each token stands for."""
        questions, passages = zip(*pairs, strict=True)
        encoded = self.tokenizer(
            list(questions),
            list(passages),
            truncation="only_second",
            max_length=TOKENS,
            padding=True,
            pad_to_multiple_of=ROUNDING,
            return_tensors="pt",
            return_offsets_mapping=True,
        )
        encoded[OF_PASSAGE] = torch.tensor(
            [[part == 1 for part in encoded.sequence_ids(row)] for row in range(len(pairs))]
        )
        return encoded

    def forward(self, encoded: Any) -> tuple[Tensor, Tensor]:
        return self.scores(encoded, self._encoded(encoded).last_hidden_state)

    def states(self, encoded: Any) -> tuple[Tensor, ...]:
        """What each layer makes of the tokens, the embeddings first: (batch, tokens, hidden) each."""
        states: tuple[Tensor, ...] = self._encoded(encoded, output_hidden_states=True).hidden_states
        return states

    def _encoded(self, encoded: Any, **options: bool) -> Any:
        return self.encoder(**{name: encoded[name] for name in self.tokenizer.model_input_names}, **options)

    def scores(self, encoded: Any, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """What `forward` gives, of the last layer's states."""
        scores = self.head(hidden.float())
        allowed = encoded[OF_PASSAGE].clone()
        allowed[:, 0] = True
        return scores[..., 0].masked_fill(~allowed, _NOWHERE), scores[..., 1].masked_fill(~allowed, _NOWHERE)


class Reader:
    """A network ready to read: `Reader(model_dir, file, precision)` with the folder of the base model and the file of the trained part."""

    def __init__(self, model_dir: Path, file: Path, precision: str) -> None:
        network = Network(model_dir)
        trained, known = load(file, network.state_dict())
        network.load_state_dict(trained, strict=False)
        network.encoder.to(DTYPES[precision])
        if precision == "float32":  # in which fused attention is the faster one
            network.encoder.set_attn_implementation("sdpa")
        self.network = network.eval()
        self.margin = float(known["margin"])

    def read(self, question: str, passages: Sequence[str]) -> list[list[Span]]:
        """The likeliest spans of each passage, best first; none of them overlaps another.

        The passage with the best of all is looked at again, without the sentences that are far from it: what is near tells better whether it answers. Where
        another passage then has a better one, that is looked at too."""
        # A lone surrogate, as some PDFs give, is no text to the tokenizer; what stands for it is as long.
        asked, *texts = (text.encode("utf-8", "replace").decode() for text in (question, *passages))
        found, again = self._spans(asked, texts), set[int]()
        while left := [index for index, spans in enumerate(found) if spans]:
            best = max(left, key=lambda index: found[index][0].score)
            if best in again:
                break
            again.add(best)
            found[best] = self._looked_at(asked, texts[best], found[best])
        return found

    def _spans(self, question: str, passages: Sequence[str]) -> list[list[Span]]:
        with torch.inference_mode():
            encoded = self.network.encode([(question, passage) for passage in passages])
            first, last = self.network(encoded)
        return [
            [Span(start, end, score - self.margin) for start, end, score in spans_of(*row)]
            for row in zip(first, last, encoded["offset_mapping"].tolist(), strict=True)
        ]

    def _looked_at(self, question: str, passage: str, spans: list[Span]) -> list[Span]:
        """The spans as they are when only the sentence of the best and those beside it are read; the others' scores change as that of the best does."""
        start, end = around(passage, spans[0])
        if end - start >= len(passage.strip()):
            return spans
        [near] = self._spans(question, [passage[start:end]])
        if not near:
            return spans
        best = Span(near[0].start + start, near[0].end + start, near[0].score)
        change = best.score - spans[0].score
        return [
            best,
            *(
                span._replace(score=span.score + change)
                for span in spans[1:]
                if span.end <= best.start or best.end <= span.start
            ),
        ]


def spans_of(first: Tensor, last: Tensor, offsets: Sequence[tuple[int, int]]) -> list[tuple[int, int, float]]:
    """(start, end, score) of the likeliest spans of one passage, in characters; the score is that above "no answer here"."""
    nothing = float(first[0] + last[0])
    top = min(BEGINNINGS, len(first))
    ends = [
        (token, score)
        for score, token in zip(*(one.tolist() for one in last.topk(top)), strict=True)
        if score > _NOWHERE and token
    ]
    starts = [
        (token, score)
        for score, token in zip(*(one.tolist() for one in first.topk(top)), strict=True)
        if score > _NOWHERE and token
    ]
    found = sorted(
        (
            (begin_score + end_score, begin, end)
            for begin, begin_score in starts
            for end, end_score in ends
            if begin <= end < begin + LONGEST
        ),
        reverse=True,
    )
    kept: list[tuple[float, int, int]] = []
    for score, begin, end in found:
        if len(kept) < SPANS and all(end < other_begin or other_end < begin for _, other_begin, other_end in kept):
            kept.append((score, begin, end))
    return [(offsets[begin][0], offsets[end][1], score - nothing) for score, begin, end in kept]
