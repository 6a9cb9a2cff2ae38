"""Packed batches: a row holds an excerpt and all questions about it, which do not attend to one another."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from docqa.errors import DocqaError
from docqa.models.verifier import EXCERPT, QUESTION
from docqa.training.verifier.excerpts import Excerpt

BATCH_TOKENS = 1100  # including the padding of shorter rows
BLOCK = 64  # excerpts that are sorted together, so that a batch holds rows of similar length
MAX_EXCERPT_TOKENS = 260  # longer excerpts, which are tables, are left out
MAX_ANSWER_TOKENS = 12


@dataclass(frozen=True)
class EncodedQuestion:
    """The tokens of a question with its template; `own` are the indices of the question's own tokens among them.

    `continuation` is what follows: the tokens of the answer, if there is one, and the end of the text.
    """

    tokens: list[int]
    own: range
    continuation: list[int]

    @property
    def answerable(self) -> bool:
        """Whether the excerpt answers it."""
        return len(self.continuation) > 1

    @property
    def inputs(self) -> list[int]:
        """The tokens that the model reads: all but the end of the text, which nothing follows."""
        return [*self.tokens, *self.continuation[:-1]]


@dataclass(frozen=True)
class EncodedExcerpt:
    """The tokens of an excerpt with its template, and the questions about it."""

    tokens: list[int]
    questions: list[EncodedQuestion]

    @property
    def length(self) -> int:
        """The length of its row in tokens."""
        return len(self.tokens) + sum(len(question.inputs) for question in self.questions)


class Packed(NamedTuple):
    """A batch of rows, each an excerpt followed by its questions.

    `tokens` and `positions` are (rows, length), `mask` is what is added to the attention scores (rows, 1, length,
    length), `starts` are for each row the indices of its questions' first tokens.
    """

    tokens: Tensor
    positions: Tensor
    mask: Tensor
    starts: list[list[int]]


def encode(excerpts: Sequence[Excerpt], tokenize: Callable[[str], list[int]], end: int) -> list[EncodedExcerpt]:
    """Tokenize the excerpts and questions in the verifier's templates; `end` is the token that ends a text.

    Excerpts of more than MAX_EXCERPT_TOKENS are left out.
    """
    before, after = (len(tokenize(part.rstrip())) for part in QUESTION.split("{}"))

    def question(text: str, answer: str | None) -> EncodedQuestion:
        tokens = tokenize(QUESTION.format(text))
        answer_tokens = tokenize(f" {answer}")[:MAX_ANSWER_TOKENS] if answer else []
        return EncodedQuestion(tokens, range(before, len(tokens) - after), [*answer_tokens, end])

    encoded = [(tokenize(EXCERPT.format(excerpt.text)), excerpt) for excerpt in excerpts]
    return [
        EncodedExcerpt(tokens, [question(*pair) for pair in excerpt.questions])
        for tokens, excerpt in encoded
        if len(tokens) <= MAX_EXCERPT_TOKENS
    ]


def batches(make_epoch: Callable[[], list[EncodedExcerpt]], rng: random.Random) -> Iterator[list[EncodedExcerpt]]:
    """Shuffled batches of at most BATCH_TOKENS, without end; `make_epoch` is called for each epoch anew.

    A row that is longer by itself is a batch of its own. Raises DocqaError if an epoch is empty.
    """
    while True:
        epoch = make_epoch()
        if not epoch:
            raise DocqaError("There is nothing to learn from: no question is about a short enough excerpt")
        rng.shuffle(epoch)
        for at in range(0, len(epoch), BLOCK):
            ready: list[list[EncodedExcerpt]] = [[]]
            for excerpt in sorted(epoch[at : at + BLOCK], key=lambda excerpt: excerpt.length):
                if ready[-1] and excerpt.length * (len(ready[-1]) + 1) > BATCH_TOKENS:
                    ready.append([])
                ready[-1].append(excerpt)
            rng.shuffle(ready)
            yield from ready


def pack(batch: Sequence[EncodedExcerpt]) -> Packed:
    """A row for each excerpt.

    Every question attends to the excerpt and to itself, at the positions that it would have as the only question.
    """
    rows, length = len(batch), max(excerpt.length for excerpt in batch)
    tokens = torch.zeros((rows, length), dtype=torch.long)
    positions = torch.zeros((rows, length), dtype=torch.long)
    segment = torch.full((rows, length), -1)  # 0 for the excerpt, then the number of the question; -1 for padding
    starts: list[list[int]] = []
    for row, excerpt in enumerate(batch):
        at, begun = 0, []
        for number, inputs in enumerate([excerpt.tokens, *(question.inputs for question in excerpt.questions)]):
            place = slice(at, at + len(inputs))
            first = len(excerpt.tokens) if number else 0
            tokens[row, place] = torch.tensor(inputs)
            positions[row, place] = torch.arange(first, first + len(inputs))
            segment[row, place] = number
            begun.append(at)
            at += len(inputs)
        starts.append(begun[1:])
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    visible = causal & ((segment[:, None, :] == 0) | (segment[:, None, :] == segment[:, :, None]))
    return Packed(tokens, positions, torch.where(visible, 0.0, torch.finfo(torch.float32).min)[:, None], starts)
