"""Tuning an encoder with the reader's head: all layers except the token embeddings.

The network computes in the precision of its weights; updates are accumulated in float32. The result is a running mean
of the weights (Polyak and Juditsky, 1992).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from docqa.models.reader.weights import is_head
from docqa.training.reader.network import Network
from docqa.training.reader.weights import Tensors

WARM_UP = 0.06  # share of the steps
FINAL_RATE = 0.02  # share of the learning rate
AVERAGED_STEPS = 1000  # window of the running mean
REPORT_EVERY = 100  # steps


@dataclass(frozen=True)
class Schedule:
    """Steps, learning rates of the encoder and of the head (both fall linearly after a warm-up) and weight decay."""

    steps: int
    rate: float
    head_rate: float = 1e-3
    decay: float = 0.01


def tune(
    network: Network,
    next_loss: Callable[[], Tensor],
    schedule: Schedule,
    report: Callable[[str], None],
    auxiliary: nn.Module | None = None,
) -> Tensors:
    """Tune the network and return the running mean of its weights, in float32 by name.

    `next_loss` computes the loss of the next batch. The network itself keeps the weights of the last step. The
    `auxiliary` module is trained along with it, at the rate of the head, and is not returned.
    """
    network.train()
    tuned = {name: weight for name, weight in network.named_parameters() if not name.endswith("_embeddings.weight")}
    network.requires_grad_(False)
    for parameter in tuned.values():
        parameter.requires_grad_()
    exact: Tensors = {name: weight.detach().float().clone() for name, weight in tuned.items()}
    mean = {name: weight.clone() for name, weight in exact.items()}
    extra = list(auxiliary.parameters()) if auxiliary else []
    optimizer = _optimizer(exact, extra, schedule)
    rates = _learning_rates(optimizer, schedule.steps)
    began, losses = time.monotonic(), []
    for step in range(1, schedule.steps + 1):
        loss = next_loss()
        network.zero_grad()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        for name, parameter in tuned.items():
            exact[name].grad = None if parameter.grad is None else parameter.grad.float()
        nn.utils.clip_grad_norm_([*exact.values(), *extra], 1.0)
        optimizer.step()
        rates.step()
        with torch.no_grad():
            for name, parameter in tuned.items():
                parameter.copy_(exact[name])
            for name, weight in mean.items():
                weight.lerp_(exact[name], 1 - min(1 - 1 / AVERAGED_STEPS, (1 + step) / (10 + step)))
        losses.append(loss.item())
        if step % REPORT_EVERY == 0 or step == schedule.steps:
            average, seconds = sum(losses) / len(losses), time.monotonic() - began
            report(f"step {step} of {schedule.steps}, loss {average:.3f}, {seconds:.0f} s")
            losses = []
    return mean


def _optimizer(exact: Tensors, extra: list[nn.Parameter], schedule: Schedule) -> torch.optim.AdamW:
    encoder = [weight for name, weight in exact.items() if not is_head(name)]
    head = [weight for name, weight in exact.items() if is_head(name)]
    groups = [
        {"params": encoder, "lr": schedule.rate},
        {"params": head, "lr": schedule.head_rate},
        {"params": extra, "lr": schedule.head_rate},
    ]
    return torch.optim.AdamW(groups, weight_decay=schedule.decay, fused=True)


def _learning_rates(optimizer: torch.optim.Optimizer, steps: int) -> torch.optim.lr_scheduler.LambdaLR:
    return torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / (WARM_UP * steps)) * max(FINAL_RATE, 1 - step / steps)
    )
