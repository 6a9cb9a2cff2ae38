"""The whole training of the verifier: an adapter with which a small language model tells, when it has read an excerpt and a question, whether there is an answer.

How surely there is one is how much more probable any other token is than the one that ends a text. It learns that, and to say the answer, and to expect the question:
what it must understand for these it needs for the judgement too. Some excerpts are read at once, each with several questions that do not see one another.
"""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import LlamaForCausalLM

from docqa.catalog.gguf import read_header
from docqa.errors import DocqaError
from docqa.models.verifier import ABOUT, ASKED, EXCERPT
from docqa.training.question_sets import Articles, Asked, divide
from docqa.training.verifier.adapter import LoRA, adapt, restore, save
from docqa.training.verifier.excerpts import Excerpt, excerpts
from docqa.training.verifier.language_model import load

RATE = 1e-3
WARM_UP = 40  # steps
LAST_RATE = 0.02  # of the rate
MEAN_OVER = 100  # steps
SAID = 25  # steps between two lines of the log
BATCH = 1100  # tokens, with those that fill up the shorter rows
BLOCK = 64  # excerpts, within which those of like length are put together
LONGEST = 260  # tokens of an excerpt; longer ones, which are tables, are left out
ANSWER = 12  # tokens of an answer
SMOOTHING = 0.05  # of the judgement: nobody is surer than that
# What else is learnt, beside the judgement.
ANSWERED = 0.15  # for each token of an answer
EXPECTED = 0.5  # for all tokens of a question
ALSO_EXPECTED = 0.5  # share of the answered questions that are

LANGUAGES = "en"


@dataclass(frozen=True)
class Question:
    """The tokens of one, the numbers of those that the user chose, and what follows: the answer, if any, and the end."""

    tokens: list[int]
    own: range
    following: list[int]

    @property
    def answered(self) -> bool:
        return len(self.following) > 1

    @property
    def read(self) -> list[int]:
        """What the model reads of it; nothing follows the end."""
        return [*self.tokens, *self.following[:-1]]


@dataclass(frozen=True)
class Item:
    """The tokens of an excerpt, and the questions about it."""

    tokens: list[int]
    questions: list[Question]

    @property
    def length(self) -> int:
        """In tokens, all told."""
        return len(self.tokens) + sum(len(one.read) for one in self.questions)


class Packed(NamedTuple):
    """Rows of an excerpt and all that is read after it: tokens and positions (rows, length), what is added to the attention (rows, 1, length, length), and the
    number of the first token of each question of each row."""

    tokens: Tensor
    positions: Tensor
    mask: Tensor
    starts: list[list[int]]


class Losses(NamedTuple):
    """Of a batch, a question: the judgement's and that of everything else; the share of right judgements, and how many there are."""

    judged: Tensor
    said: Tensor
    right: float
    questions: int


def train_verifier(
    asked: Sequence[Asked],
    model_path: Path,
    tokenize: Callable[[str], list[int]],
    end: int,
    out: Path,
    steps: int,
    seed: int,
    base_sha256: str,
    calibrate: Callable[[Path], tuple[float, float]],
    say: Callable[[str], None],
    start: Path | None = None,
) -> None:
    """Train for the model at `model_path`, whose token `end` ends a text, on the articles that are not kept apart, from the adapter `start` on if there is one,
    and write `out` with the weight and the margin that `calibrate` finds for it. With 0 `steps` that one is only calibrated. Where it comes to no calibration, what
    was trained is left beside `out`, to start from.

    The same files, seed and machine give the same adapter. Raises DocqaError for another kind of model, an adapter of another, too few articles, nothing to
    calibrate on, or nothing to do."""
    if steps < 1 and not start:
        raise DocqaError(
            "Without steps nothing is trained; an adapter that is to be calibrated only has to be named as the one to start from"
        )
    articles, division = Articles(asked), divide(asked)
    if len({bool(one.answers) for one in asked if one.article in division.calibrating}) < 2:
        raise DocqaError(
            f"The articles to calibrate on ({', '.join(division.calibrating)}) must have questions with an answer and others without"
        )
    learnt = [one for one in asked if one.article in set(division.training)]
    say(f"{len(learnt)} questions of {len(division.training)} articles")
    torch.manual_seed(seed)
    dice, model = random.Random(seed), load(model_path)
    lora = adapt(model)
    if start:
        if read_header(start).metadata.get(f"{ABOUT}base") != base_sha256:
            raise DocqaError(f"{start} is not an adapter for {model_path.name}, from which training could go on")
        restore(start, lora)
    if steps > 0:
        train(model, lora, lambda: items(excerpts(learnt, articles, dice), tokenize, end), end, steps, dice, say)
    known = {"base": base_sha256, "languages": LANGUAGES}
    uncalibrated = out.with_name(f"{out.stem}.uncalibrated{out.suffix}")
    save(uncalibrated, lora, {**known, "weight": "1.0", "margin": "0.0"})
    weight, margin = calibrate(uncalibrated)
    save(out, lora, {**known, "weight": str(weight), "margin": str(round(margin, 4))})
    uncalibrated.unlink()
    say(f"It counts {weight:g} times as much as the reader; both together have to reach {margin:.2f}")


def items(made: Sequence[Excerpt], tokenize: Callable[[str], list[int]], end: int) -> list[Item]:
    """The tokens of what is asked, with the words around it as the verifier has them."""
    before, after = (len(tokenize(words.rstrip())) for words in ASKED.split("{}"))

    def question(text: str, answer: str | None) -> Question:
        tokens = tokenize(ASKED.format(text))
        return Question(
            tokens, range(before, len(tokens) - after), [*(tokenize(f" {answer}")[:ANSWER] if answer else ()), end]
        )

    found = [(tokenize(EXCERPT.format(one.text)), one) for one in made]
    return [Item(tokens, [question(*pair) for pair in one.asked]) for tokens, one in found if len(tokens) <= LONGEST]


def batches(made: Callable[[], list[Item]], dice: random.Random) -> Iterator[list[Item]]:
    """Batches of what is made anew for one epoch after the other, without end; of one item where that is too long. Raises DocqaError where nothing is made."""
    while True:
        found = made()
        if not found:
            raise DocqaError("There is nothing to learn from: no question is about an excerpt that is short enough")
        dice.shuffle(found)
        for at in range(0, len(found), BLOCK):
            ready: list[list[Item]] = [[]]
            for one in sorted(found[at : at + BLOCK], key=lambda one: one.length):
                if ready[-1] and one.length * (len(ready[-1]) + 1) > BATCH:
                    ready.append([])
                ready[-1].append(one)
            dice.shuffle(ready)
            yield from ready


def pack(batch: Sequence[Item]) -> Packed:
    """A row for each item. Every question sees the excerpt and what it is itself, at the places that it would have if it were the only one."""
    size = len(batch), max(one.length for one in batch)
    tokens, positions, part = (
        torch.zeros(size, dtype=torch.long),
        torch.zeros(size, dtype=torch.long),
        torch.full(size, -1),
    )
    starts: list[list[int]] = []
    for row, one in enumerate(batch):
        at, begun = 0, []
        for number, read in enumerate([one.tokens, *(question.read for question in one.questions)]):
            place = slice(at, at + len(read))
            first = len(one.tokens) if number else 0
            tokens[row, place], positions[row, place], part[row, place] = (
                torch.tensor(read),
                torch.arange(first, first + len(read)),
                number,
            )
            begun.append(at)
            at += len(read)
        starts.append(begun[1:])
    before = torch.ones(size[1], size[1], dtype=torch.bool).tril()
    seen = before & ((part[:, None, :] == 0) | (part[:, None, :] == part[:, :, None]))
    return Packed(tokens, positions, torch.where(seen, 0.0, torch.finfo(torch.float32).min)[:, None], starts)


def states(model: LlamaForCausalLM, packed: Packed) -> Tensor:
    """The model's last ones: (rows, length, width)."""
    last: Tensor = model.model(
        input_ids=packed.tokens, position_ids=packed.positions, attention_mask=packed.mask
    ).last_hidden_state
    return last


def sureness(scores: Tensor, end: int) -> Tensor:
    """How much more probable (a logarithm) any other token is than the end, of the scores (questions, vocabulary) of what follows: (questions)."""
    return torch.cat((scores[:, :end], scores[:, end + 1 :]), 1).logsumexp(1) - scores[:, end]


def losses(model: LlamaForCausalLM, batch: Sequence[Item], end: int, dice: random.Random) -> Losses:
    """What is wrong with the judgements, the answers, and the expectation of some of the answered questions."""
    packed = pack(batch)
    told: list[tuple[int, int, int, float]] = []  # row, place, the token that follows, what it counts
    judged, answered = list[int](), list[float]()
    for row, one in enumerate(batch):
        for question, start in zip(one.questions, packed.starts[row], strict=True):
            last = start + len(question.tokens) - 1
            judged.append(len(told))
            answered.append(float(question.answered))
            told += [
                (row, last + number, token, ANSWERED * question.answered)
                for number, token in enumerate(question.following)
            ]
            if question.answered and dice.random() < ALSO_EXPECTED:
                told += [
                    (row, start + number - 1, question.tokens[number], EXPECTED / len(question.own))
                    for number in question.own
                ]
    rows, places, following, weights = map(list, zip(*told, strict=True))
    scores: Tensor = model.lm_head(states(model, packed)[rows, places])
    sure, truth = sureness(scores[judged], end), torch.tensor(answered)
    said = F.cross_entropy(scores, torch.tensor(following), reduction="none") @ torch.tensor(weights) / len(judged)
    right = ((sure > 0) == (truth > 0)).float().mean().item()
    return Losses(
        F.binary_cross_entropy_with_logits(sure, truth * (1 - 2 * SMOOTHING) + SMOOTHING), said, right, len(judged)
    )


def train(
    model: LlamaForCausalLM,
    lora: Mapping[str, LoRA],
    made: Callable[[], list[Item]],
    end: int,
    steps: int,
    dice: random.Random,
    say: Callable[[str], None],
) -> None:
    """Train the adapter that is in the model; it is left with the mean of its weights after each step (Polyak and Juditsky, 1992)."""
    weights = [weight for one in lora.values() for weight in (one.a, one.b)]
    mean = [weight.detach().clone() for weight in weights]
    optimizer = torch.optim.AdamW(weights, lr=RATE, weight_decay=0.0, fused=True)
    plan = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / WARM_UP) * max(LAST_RATE, 1 - step / steps)
    )
    began, since, ready = time.monotonic(), list[Losses](), batches(made, dice)
    model.train()
    for step in range(1, steps + 1):
        lost = losses(model, next(ready), end, dice)
        optimizer.zero_grad()
        (lost.judged + lost.said).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        plan.step()
        with torch.no_grad():
            for kept, weight in zip(mean, weights, strict=True):
                kept.lerp_(weight, 1 - min(1 - 1 / MEAN_OVER, (1 + step) / (10 + step)))
        since.append(Losses(lost.judged.detach(), lost.said.detach(), lost.right, lost.questions))
        if step % SAID == 0 or step == steps:
            say(f"step {step} of {steps}, {_figures(since)}, {time.monotonic() - began:.0f} s")
            since = []
    with torch.no_grad():
        for kept, weight in zip(mean, weights, strict=True):
            weight.copy_(kept)


def _figures(since: Sequence[Losses]) -> str:
    judged, said, right = (sum(map(float, values)) / len(since) for values in list(zip(*since, strict=True))[:3])
    return f"{sum(one.questions for one in since)} questions, loss {judged:.3f}, of the words {said:.2f}, right {right:.3f}"
