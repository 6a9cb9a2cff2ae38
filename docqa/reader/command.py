"""`python run.py reader`: train the reader's own part from question sets, and measure the one there is."""

import argparse
import os
from pathlib import Path
from typing import Any

from docqa.catalog import Catalog
from docqa.entries import Entry
from docqa.errors import NotFound
from docqa.reader import FILE, trained_part
from docqa.reader.questions import Articles, divide, load
from docqa.settings import Settings

OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}  # before the libraries are imported, which read it then


def declare(commands: Any) -> None:
    """Add `reader` and its actions to the subparsers `commands`; each sets `run(settings, given)`."""
    actions = commands.add_parser("reader", help="train and measure the part that finds short answers").add_subparsers(required=True, metavar="ACTION")
    train = actions.add_parser("train", help="train it; whole articles are kept apart and measured on (an hour on two cores)")
    train.add_argument("--out", metavar=FILE, type=Path, help="where to write it [into the models folder]")
    train.add_argument("--epochs", metavar="N", type=float, help="how often every question is read")
    train.set_defaults(run=_train)
    check = actions.add_parser("check", help="measure the one there is on the articles that were kept apart")
    check.set_defaults(run=_check)
    for one in (train, check):
        one.add_argument("files", metavar="FILE", nargs="+", type=Path, help="questions in SQuAD format")
        one.add_argument("--precision", choices=["float32", "bfloat16"], default="bfloat16", help="of the computing [%(default)s]")


def _train(settings: Settings, given: argparse.Namespace) -> int:
    os.environ |= OFFLINE
    from docqa.reader.training import Recipe, train

    catalog = Catalog.load(settings.models)
    recipe = Recipe(precision=given.precision) if given.epochs is None else Recipe(precision=given.precision, epochs=given.epochs)
    out = given.out or settings.models / FILE
    print(train(load(given.files), catalog.path(_base(catalog)), out, recipe, lambda sentence: print(sentence, flush=True)))
    return 0


def _check(settings: Settings, given: argparse.Namespace) -> int:
    os.environ |= OFFLINE
    from docqa.reader.figures import measure
    from docqa.reader.network import Reader

    catalog, part = Catalog.load(settings.models), trained_part(settings.models)
    if part is None:
        raise NotFound(f"There is no {FILE} in {settings.models}; `reader train` makes one")
    asked = load(given.files)
    apart = set(divide(asked).measuring)
    reader = Reader(catalog.path(_base(catalog, part.base)), part.path, given.precision)
    print(measure(reader.read, [one for one in asked if one.article in apart], Articles(asked)))
    return 0


def _base(catalog: Catalog, sha256: str = "") -> Entry:
    """The embedding model to build on: the one with these weights, else the first of the catalogue. Raises NotFound where it is not here."""
    entry = catalog.embedding_of(sha256) if sha256 else next((one for one in catalog.entries if one.kind == "embedding"), None)
    if entry is None or not catalog.present(entry):
        raise NotFound("The embedding model that the reader builds on is not here; `python run.py install` gets it")
    return entry
