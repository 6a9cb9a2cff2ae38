"""The training of the reader's second generation and of the verifier: `python -m docqa.training reader refine FILE...`
and `... train-verifier FILE...`.

The reader starts from its first generation; the verifier is a larger encoder, of which only differences of low rank are
trained, on shorter excerpts. Both learn many sets, with a head for yes/no. The learning rate falls with the time spent,
so that training ends well within the minutes it is given; every ten minutes everything is written to a checkpoint, from
which the same command goes on.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from docqa.models.reader import Span
from docqa.models.reader.network import Network, Outputs, spans_of
from docqa.models.reader.weights import Tensors, is_head, load
from docqa.models.tokens import Batch
from docqa.training.figures import Read
from docqa.training.reader.losses import token_spans
from docqa.training.reader.low_rank import adapt, as_stored, restore
from docqa.training.reader.mixture import Making, Mixture, Position, Weighted
from docqa.training.reader.sources import Source
from docqa.training.reader.variants import Neighbours

WARM_UP, FINAL_RATE = 0.03, 0.02  # share of the time; share of the learning rate
AVERAGED_STEPS = 300  # window of the running mean of the weights
CHECKPOINT, STATE = 600.0, "checkpoint.pt"  # seconds; file name
REPORT_EVERY = 50  # steps
PART = 8  # examples that one thread computes at a time
# Of the verifier: the rank of what is trained, the first layer that is, and what it reads, as `answering.reading` gives
# it. There is no first generation to imitate.
RANK, FIRST_LAYER = 32, 3
EXCERPTS = Making(longest=450, typed=0.2, imitated=0.0, passed_over=0.6)


@dataclass(frozen=True)
class Refinement:
    """The hyperparameters: the minutes to spend, the learning rates of encoder and heads, and the weight of yes/no."""

    minutes: float = 100.0
    rate: float = 1e-4
    head_rate: float = 5e-4
    decay: float = 0.01
    batch: int = 32
    dropout: float = 0.0
    yes_no: float = 0.5
    threads: int = 2
    seed: int = 1


def refine(
    sources: Sequence[Source],
    base: Path,
    start: Path,
    folder: Path,
    recipe: Refinement,
    report: Callable[[str], None],
    evaluate: Callable[[Network], str],
) -> Tensors:
    """The running mean of the reader's weights, trained from the file `start` on; checkpoints go to `folder`.

    `report` gets lines of progress; `evaluate` describes the network at each checkpoint.
    """
    torch.manual_seed(recipe.seed)
    network, first_generation = Network(base, recipe.dropout), Network(base, 0.0)
    for each in (network, first_generation):
        trained, _ = load(start, each.state_dict())
        each.load_state_dict(trained, strict=False)
    for name, weight in network.named_parameters():
        weight.requires_grad_(not name.endswith("_embeddings.weight"))
    first_generation.eval().requires_grad_(False)
    run = _Run(network, first_generation, folder / STATE, recipe, report)
    return run.train(Mixture(sources, Neighbours(network), Making(), recipe.seed), evaluate)


def train_verifier(
    sources: Sequence[Source],
    base: Path,
    folder: Path,
    recipe: Refinement,
    report: Callable[[str], None],
    evaluate: Callable[[Network], str],
    start: Path | None = None,
) -> Tensors:
    """As `refine`, for a verifier on the encoder in the folder `base`: its factors and heads as `weights.save` takes
    them. Without `start`, a verifier trained before, it begins from the encoder alone."""
    torch.manual_seed(recipe.seed)
    network = Network(base, recipe.dropout)
    adapt(network, RANK, FIRST_LAYER)
    if start:
        restore(network, start)
    run = _Run(network, None, folder / STATE, recipe, report)
    return as_stored(run.train(Mixture(sources, Neighbours(network), EXCERPTS, recipe.seed), evaluate))


class _Run:
    """A training run, which can be stopped and go on from its checkpoint."""

    def __init__(
        self,
        network: Network,
        first_generation: Network | None,
        checkpoint: Path,
        recipe: Refinement,
        report: Callable[[str], None],
    ) -> None:
        self._network, self._first, self._recipe, self._report = network, first_generation, recipe, report
        self._checkpoint, self._position, self._step, self._spent = checkpoint, Position(), 0, 0.0
        self._tuned = {name: weight for name, weight in network.named_parameters() if weight.requires_grad}
        self._mean = {name: weight.detach().clone() for name, weight in self._tuned.items()}
        encoder = [weight for name, weight in self._tuned.items() if not is_head(name)]
        heads = [weight for name, weight in self._tuned.items() if is_head(name)]
        self._rates = recipe.rate, recipe.head_rate
        groups = [{"params": encoder}, {"params": heads}]
        self._optimizer = torch.optim.AdamW(groups, lr=recipe.rate, weight_decay=recipe.decay, fused=True)
        # Each thread computes a part on its own core: threads that share one matrix wait for each other at every layer.
        self._pool = ThreadPoolExecutor(recipe.threads, initializer=lambda: torch.set_num_threads(1))

    def train(self, mixture: Mixture, evaluate: Callable[[Network], str]) -> Tensors:
        """Train until the time is spent, and return the running mean of the weights."""
        self._resume()
        began, written, losses = time.monotonic() - self._spent, time.monotonic(), list[list[float]]()
        total, seen = self._recipe.minutes * 60, 0
        self._network.train()
        batches = mixture.batches(self._recipe.batch, self._position)
        while (spent := time.monotonic() - began) < total:
            batch, self._position = next(batches)
            self._set_rates(spent / total)
            losses.append(self._learn(batch))
            self._step, self._spent, seen = self._step + 1, spent, seen + len(batch)
            if self._step % REPORT_EVERY == 0:
                means = ", ".join(f"{sum(column) / len(losses):.3f}" for column in zip(*losses, strict=True))
                self._report(f"step {self._step}, {spent:.0f} s, {seen} examples, {self._position}, losses {means}")
                losses, seen = [], 0
            if time.monotonic() - written > CHECKPOINT:
                self._write(evaluate)
                written = time.monotonic()
        self._write(evaluate)
        return self._mean

    def _set_rates(self, progress: float) -> None:
        factor = min(1.0, progress / WARM_UP, max(FINAL_RATE, 2 * (1 - progress)))
        for group, rate in zip(self._optimizer.param_groups, self._rates, strict=True):
            group["lr"] = factor * rate

    def _learn(self, batch: Sequence[Weighted]) -> list[float]:
        """One step; the mean losses of span, yes/no and imitation."""
        parts = [batch[start : start + PART] for start in range(0, len(batch), PART)]
        # The tokenizer is not made for threads.
        encoded = [self._network.encode([(each.question, each.passage) for each in part]) for part in parts]
        losses = list(self._pool.map(self._backward, parts, encoded, [len(batch)] * len(parts)))
        nn.utils.clip_grad_norm_(self._tuned.values(), 1.0)
        self._optimizer.step()
        self._optimizer.zero_grad()
        kept = min(1 - 1 / AVERAGED_STEPS, (1 + self._step) / (10 + self._step))
        with torch.no_grad():
            for name, weight in self._mean.items():
                weight.lerp_(self._tuned[name], 1 - kept)
        return [sum(column) for column in zip(*losses, strict=True)]

    def _backward(self, part: Sequence[Weighted], encoded: Batch, size: int) -> tuple[float, ...]:
        with torch.autocast("cpu", torch.bfloat16, cache_enabled=False):
            hidden = self._network.hidden(encoded)
        outputs = self._network.outputs(encoded, hidden)
        targets = self._imitated(part, encoded)
        losses = [total / size for total in _losses(part, encoded, outputs, targets)]
        weights = 1.0, self._recipe.yes_no, 1.0
        torch.stack([weight * loss for weight, loss in zip(weights, losses, strict=True)]).sum().backward()  # type: ignore[no-untyped-call]
        return tuple(loss.item() for loss in losses)

    def _imitated(self, part: Sequence[Weighted], encoded: Batch) -> dict[int, Tensor]:
        """For the rows to imitate, the first generation's probabilities (2, tokens)."""
        rows = [row for row, example in enumerate(part) if example.imitated]
        if self._first is None or not rows:
            return {}
        few = encoded.rows(rows)
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, cache_enabled=False):
            hidden = self._first.hidden(few)
        first, last = self._first.scores(few, hidden)
        return dict(zip(rows, torch.stack((first.softmax(-1), last.softmax(-1)), 1), strict=True))

    def _resume(self) -> None:
        if not self._checkpoint.is_file():
            return
        state = torch.load(self._checkpoint, weights_only=True)
        if state["recipe"] != asdict(self._recipe) | {"minutes": state["recipe"]["minutes"]}:
            self._report("The checkpoint was made with other hyperparameters; those of now are used")
        self._put(state["tuned"])
        self._mean = state["mean"]
        self._optimizer.load_state_dict(state["optimizer"])
        self._position, self._step, self._spent = Position(*state["position"]), state["step"], state["spent"]
        self._report(f"resumed at step {self._step}, {self._spent:.0f} s")

    def _write(self, evaluate: Callable[[Network], str]) -> None:
        state = {
            "tuned": {name: weight.detach() for name, weight in self._tuned.items()},
            "mean": self._mean,
            "optimizer": self._optimizer.state_dict(),
            "position": tuple(self._position),
            "step": self._step,
            "spent": self._spent,
            "recipe": asdict(self._recipe),
        }
        self._checkpoint.parent.mkdir(parents=True, exist_ok=True)
        part = self._checkpoint.with_suffix(".part")
        torch.save(state, part)
        part.replace(self._checkpoint)
        self._report(f"checkpoint at step {self._step}: {self._evaluated(evaluate)}")

    def _evaluated(self, evaluate: Callable[[Network], str]) -> str:
        """What `evaluate` says of the running mean."""
        exact = {name: weight.detach().clone() for name, weight in self._tuned.items()}
        self._network.eval()
        self._put(self._mean)
        text = evaluate(self._network)
        self._put(exact)
        self._network.train()
        return text

    def _put(self, weights: Tensors) -> None:
        with torch.no_grad():
            for name, weight in self._tuned.items():
                weight.copy_(weights[name])


def read_with(network: Network) -> Read:
    """A first look by a network in training, without a margin."""

    def read(question: str, passages: Sequence[str]) -> list[list[Span]]:
        encoded = network.encode([(question, passage) for passage in passages])
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, cache_enabled=False):
            hidden = network.hidden(encoded)
        with torch.inference_mode():
            first, last = network.scores(encoded, hidden)
        rows = zip(first, last, encoded.offsets, strict=True)
        return [[Span(*span) for span in spans_of(*row)] for row in rows]

    return read


def _losses(
    part: Sequence[Weighted], encoded: Batch, outputs: Outputs, targets: dict[int, Tensor]
) -> tuple[Tensor, Tensor, Tensor]:
    """The summed losses of spans, yes/no and imitation.

    Of several spans and classes the marginal likelihood is taken.
    """
    first, last, says = outputs.first.log_softmax(-1), outputs.last.log_softmax(-1), outputs.yes_no.log_softmax(-1)
    nothing = outputs.first.sum() * 0
    span, yes_no, imitated = [nothing], [nothing], [nothing]
    for row, example in enumerate(part):
        if row in targets:
            imitated.append(-(targets[row] * torch.stack((first[row], last[row]))).sum() / 2)
            continue
        if tokens := token_spans(encoded, row, example.spans) if example.spans else [(0, 0)]:
            begins, ends = map(list, zip(*tokens, strict=True))
            span.append(-example.span_weight * torch.logsumexp(first[row, begins] + last[row, ends], 0))
        if example.classes:
            yes_no.append(-torch.logsumexp(says[row, list(example.classes)], 0))
    return tuple(torch.stack(each).sum() for each in (span, yes_no, imitated))  # type: ignore[return-value]
