"""The hyperparameters of a training run on the command line."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docqa.training.reader.run import Refinement


def declare_recipe(parser: argparse.ArgumentParser, rate: float) -> None:
    """Declare the hyperparameters, with this learning rate unless another is given, what is learned beside, and where
    checkpoints go."""
    parser.add_argument(
        "--minutes",
        metavar="N",
        type=float,
        default=100.0,
        help="time to train; the learning rate falls with it [%(default)s]",
    )
    parser.add_argument(
        "--checkpoints", metavar="DIR", type=Path, required=True, help="where the state is written every ten minutes"
    )
    parser.add_argument("--rate", metavar="R", type=float, default=rate, help="learning rate [%(default)s]")
    parser.add_argument("--batch", metavar="N", type=int, default=32, help="questions of a step [%(default)s]")
    parser.add_argument(
        "--dropout",
        metavar="P",
        type=float,
        default=0.0,
        help="for more than one pass over the questions [%(default)s]",
    )
    parser.add_argument(
        "--tables", metavar="FILE", nargs="+", type=Path, default=[], help="questions about tables, learned beside"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="another one is another order [%(default)s]")


def recipe_of(arguments: argparse.Namespace) -> "Refinement":
    """What was given, as training takes it."""
    from docqa.training.reader.run import Refinement

    return Refinement(
        minutes=arguments.minutes,
        rate=arguments.rate,
        batch=arguments.batch,
        dropout=arguments.dropout,
        seed=arguments.seed,
    )
