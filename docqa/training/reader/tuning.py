"""Tuning an encoder with the reader's head: all layers, not the embeddings of words. What is kept is a running mean of the weights (Polyak and Juditsky, 1992).

The network computes in the precision that its weights have; they are summed up in float32.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from docqa.models.reader.network import Network
from docqa.models.reader.weights import HEAD, Tensors

WARM_UP = 0.06  # of the steps
LAST_RATE = 0.02  # of the learning rate
MEAN_OVER = 1000  # steps
SAID = 100  # steps between two lines of the log


@dataclass(frozen=True)
class Pace:
    """How fast is learnt, and for how long; the learning rate falls to nothing."""

    steps: int
    rate: float
    head_rate: float = 1e-3
    decay: float = 0.01


def tune(
    network: Network,
    loss: Callable[[], Tensor],
    pace: Pace,
    say: Callable[[str], None],
    beside: nn.Module | None = None,
) -> Tensors:
    """The mean of the weights after each step, float32 by name; `loss` is that of the next batch. The network is left with the last weights.

    What stands `beside` the network learns with it, at the rate of the head, and is not kept."""
    network.train()
    tuned = {name: weight for name, weight in network.named_parameters() if not name.endswith("_embeddings.weight")}
    network.requires_grad_(False)
    for parameter in tuned.values():
        parameter.requires_grad_()
    exact: Tensors = {name: weight.detach().float().clone() for name, weight in tuned.items()}
    mean = {name: weight.clone() for name, weight in exact.items()}
    rates = {False: pace.rate, True: pace.head_rate}
    groups = [
        {"params": [weight for name, weight in exact.items() if name.startswith(HEAD) == head], "lr": rate}
        for head, rate in rates.items()
    ]
    also = list(beside.parameters()) if beside else []
    optimizer = torch.optim.AdamW(
        [*groups, {"params": also, "lr": pace.head_rate}], weight_decay=pace.decay, fused=True
    )
    plan = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / (WARM_UP * pace.steps)) * max(LAST_RATE, 1 - step / pace.steps)
    )
    began, losses = time.monotonic(), []
    for step in range(1, pace.steps + 1):
        lost = loss()
        network.zero_grad()
        optimizer.zero_grad()
        lost.backward()  # type: ignore[no-untyped-call]
        for name, parameter in tuned.items():
            exact[name].grad = None if parameter.grad is None else parameter.grad.float()
        nn.utils.clip_grad_norm_([*exact.values(), *also], 1.0)
        optimizer.step()
        plan.step()
        with torch.no_grad():
            for name, parameter in tuned.items():
                parameter.copy_(exact[name])
            for name, weight in mean.items():
                weight.lerp_(exact[name], 1 - min(1 - 1 / MEAN_OVER, (1 + step) / (10 + step)))
        losses.append(lost.item())
        if step % SAID == 0 or step == pace.steps:
            say(f"step {step} of {pace.steps}, loss {sum(losses) / len(losses):.3f}, {time.monotonic() - began:.0f} s")
            losses = []
    return mean
