"""A training run, which can be stopped and go on from its checkpoint.

The learning rate falls with the time spent, so that training ends well within the minutes it is given; every ten
minutes everything is written to a checkpoint.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from docqa.models.reader import Span
from docqa.models.reader.network import spans_of
from docqa.models.reader.weights import is_head
from docqa.training.figures import Read
from docqa.training.reader.batch import Batch
from docqa.training.reader.mixture import Mixture, Position
from docqa.training.reader.network import NEVER, Network, Outputs
from docqa.training.reader.prepared import Prepared, batches, batches_ahead
from docqa.training.reader.table_losses import encoded_tables, table_loss
from docqa.training.reader.tables import TableExample, TableQuestion, table_batches
from docqa.training.reader.weights import Tensors

WARM_UP, FINAL_RATE = 0.03, 0.02  # share of the time; share of the learning rate
AVERAGED_STEPS = 300  # window of the running mean of the weights
CHECKPOINT = 600.0  # seconds
REPORT_EVERY = 50  # steps
TABLES = 3  # batches of tables after each of passages
PART = 8  # examples that one thread of a processor computes at a time


@dataclass(frozen=True)
class Refinement:
    """The hyperparameters: the minutes to spend, the learning rates of encoder and heads, the weight of yes/no, and of
    what is trained by differences of low rank their rank and the first layer that has them."""

    minutes: float = 100.0
    rate: float = 1e-4
    head_rate: float = 5e-4
    decay: float = 0.01
    batch: int = 32
    dropout: float = 0.0
    yes_no: float = 0.5
    rank: int = 32
    first_layer: int = 3
    threads: int = 2
    seed: int = 1


def best_device() -> torch.device:
    """A GPU where there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Run:
    """The training of a network's weights that require gradients; those of `first_generation` are imitated where an
    example says so. With `tables` it learns these too."""

    def __init__(
        self,
        network: Network,
        first_generation: Network | None,
        checkpoint: Path,
        recipe: Refinement,
        report: Callable[[str], None],
        tables: Sequence[TableQuestion] = (),
    ) -> None:
        self._tables = tables
        self._device = best_device()
        self._network, self._recipe, self._report = network.to(self._device), recipe, report
        self._first = first_generation and first_generation.to(self._device)
        self._checkpoint, self._position, self._step, self._spent = checkpoint, Position(), 0, 0.0
        self._tuned = {name: weight for name, weight in network.named_parameters() if weight.requires_grad}
        self._mean = {name: weight.detach().clone() for name, weight in self._tuned.items()}
        encoder = [weight for name, weight in self._tuned.items() if not is_head(name)]
        heads = [weight for name, weight in self._tuned.items() if is_head(name)]
        self._rates = recipe.rate, recipe.head_rate
        groups = [{"params": encoder}, {"params": heads}]
        self._optimizer = torch.optim.AdamW(groups, lr=recipe.rate, weight_decay=recipe.decay, fused=True)

    def train(self, mixture: Mixture, evaluate: Callable[[Network], str]) -> Tensors:
        """Train until the time is spent, and return the running mean of the weights."""
        self._resume()
        # Each thread computes a part on its own core: threads that share one matrix wait for each other at every layer.
        with ThreadPoolExecutor(self._recipe.threads, initializer=lambda: torch.set_num_threads(1)) as pool:
            learn = (
                self._learn_at_once if self._device.type == "cuda" else lambda batch: self._learn_in_parts(batch, pool)
            )
            self._learn_all(learn, mixture, evaluate, pool)
        self._write(evaluate)
        return {name: weight.cpu() for name, weight in self._mean.items()}

    def _learn_all(
        self,
        learn: Callable[[Prepared], Tensor],
        mixture: Mixture,
        evaluate: Callable[[Network], str],
        pool: ThreadPoolExecutor,
    ) -> None:
        began, written, losses = time.monotonic() - self._spent, time.monotonic(), list[Tensor]()
        total, seen = self._recipe.minutes * 60, 0
        self._network.train()
        coming = self._batches(mixture)
        coming_tables = table_batches(self._tables, self._recipe.batch, self._recipe.seed, self._step * TABLES)
        of_tables: list[Tensor] = []
        while (spent := time.monotonic() - began) < total:
            batch, self._position = next(coming)
            self._set_rates(spent / total)
            losses.append(learn(batch))
            self._follow()
            for _ in range(TABLES if self._tables else 0):
                of_tables.append(self._learn_tables(next(coming_tables), pool))
                self._follow()
            self._step, self._spent, seen = self._step + 1, spent, seen + len(batch)
            if self._step % REPORT_EVERY == 0:
                means = ", ".join(f"{mean:.3f}" for mean in torch.stack(losses).mean(0).tolist())
                if of_tables:
                    means += f", tables {torch.stack(of_tables).mean():.3f}"
                self._report(f"step {self._step}, {spent:.0f} s, {seen} examples, {self._position}, losses {means}")
                losses, of_tables, seen = [], [], 0
            if time.monotonic() - written > CHECKPOINT:
                self._write(evaluate)
                written = time.monotonic()

    def _batches(self, mixture: Mixture) -> Iterator[tuple[Prepared, Position]]:
        made = batches_ahead if self._device.type == "cuda" else batches
        return made(mixture, self._network.tokens, self._recipe.batch, self._position)

    def _set_rates(self, progress: float) -> None:
        factor = min(1.0, progress / WARM_UP, max(FINAL_RATE, 2 * (1 - progress)))
        for group, rate in zip(self._optimizer.param_groups, self._rates, strict=True):
            group["lr"] = factor * rate

    def _learn_at_once(self, batch: Prepared) -> Tensor:
        """The gradients of a batch; the mean losses of span, yes/no and imitation."""
        return self._backward(batch.map(lambda tensor: tensor.to(self._device, non_blocking=True)), len(batch))

    def _learn_in_parts(self, batch: Prepared, pool: ThreadPoolExecutor) -> Tensor:
        """As `_learn_at_once`, by the threads of a processor."""
        parts = [batch.rows(slice(start, start + PART)) for start in range(0, len(batch), PART)]
        return torch.stack(list(pool.map(self._backward, parts, [len(batch)] * len(parts)))).sum(0)

    def _learn_tables(self, examples: Sequence[TableExample], pool: ThreadPoolExecutor) -> Tensor:
        """The gradients of a batch of tables; the mean loss."""
        by_length = sorted(examples, key=lambda example: -len(example.layout.text))  # little padding in each part
        parts = [by_length[start : start + PART] for start in range(0, len(by_length), PART)]

        def backward(part: Sequence[TableExample], encoded: Batch) -> Tensor:
            loss = table_loss(self._network, part, encoded) / len(examples)
            loss.backward()  # type: ignore[no-untyped-call]
            return loss.detach()

        encoded = [encoded_tables(self._network, part) for part in parts]
        return torch.stack(list(pool.map(backward, parts, encoded))).sum()

    def _follow(self) -> None:
        """A step along the gradients, and of the running mean."""
        nn.utils.clip_grad_norm_(self._tuned.values(), 1.0)
        self._optimizer.step()
        self._optimizer.zero_grad()
        kept = min(1 - 1 / AVERAGED_STEPS, (1 + self._step) / (10 + self._step))
        with torch.no_grad():
            for name, weight in self._mean.items():
                weight.lerp_(self._tuned[name], 1 - kept)

    def _backward(self, part: Prepared, size: int) -> Tensor:
        with torch.autocast(self._device.type, torch.bfloat16, cache_enabled=False):
            hidden = self._network.hidden(part)
        outputs = self._network.outputs(part, hidden)
        each = torch.stack([*losses(part, outputs), self._imitation(part, outputs)]) / size
        weighted = each * torch.tensor([1.0, self._recipe.yes_no, 1.0], device=self._device)
        weighted.sum().backward()  # type: ignore[no-untyped-call]
        return each.detach()

    def _imitation(self, part: Prepared, outputs: Outputs) -> Tensor:
        """The summed cross entropy with the first generation's scores, of the examples to imitate."""
        if self._first is None or not part.imitated.any():
            return outputs.first.sum() * 0
        few = part.rows(part.imitated)
        with torch.no_grad(), torch.autocast(self._device.type, torch.bfloat16, cache_enabled=False):
            hidden = self._first.hidden(few)
        tokens = few.input_ids.shape[1]
        pairs = zip(self._first.scores(few, hidden), (outputs.first, outputs.last), strict=True)
        apart = [
            -(wanted.softmax(-1) * scores[part.imitated, :tokens].log_softmax(-1)).sum() for wanted, scores in pairs
        ]
        return torch.stack(apart).mean()

    def _resume(self) -> None:
        if not self._checkpoint.is_file():
            return
        state = torch.load(self._checkpoint, weights_only=True, map_location=self._device)
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
    device = network.head.weight.device

    def read(question: str, passages: Sequence[str]) -> list[list[Span]]:
        encoded = network.encode([(question, passage) for passage in passages]).on(device)
        with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16, cache_enabled=False):
            hidden = network.hidden(encoded)
        with torch.inference_mode():
            first, last = (scores.cpu().numpy() for scores in network.scores(encoded, hidden))
        rows = zip(first, last, encoded.offsets, strict=True)
        return [[Span(*span) for span in spans_of(*row)] for row in rows]

    return read


def losses(part: Prepared, outputs: Outputs) -> list[Tensor]:
    """The summed losses of spans and of yes/no. Of several spans and classes the marginal likelihood is taken."""
    first, last, says = outputs.first.log_softmax(-1), outputs.last.log_softmax(-1), outputs.yes_no.log_softmax(-1)
    each = first.gather(1, part.begins.clamp_min(0)) + last.gather(1, part.ends.clamp_min(0))
    return [
        _marginal(each, part.begins >= 0, part.weights),
        _marginal(says, part.classes, torch.ones_like(part.weights)),
    ]


def _marginal(log_likelihoods: Tensor, right: Tensor, weights: Tensor) -> Tensor:
    """The sum over the rows of the weighted negative log-likelihood that any of what is right is said; a row of which
    nothing is right counts nothing. All are (batch, choices) but the weights, (batch)."""
    likely = log_likelihoods.masked_fill(~right, NEVER).logsumexp(1)
    return -(weights * likely * right.any(1)).sum()
