"""`python run.py reader`: train the reader's own part from question sets, and measure the one there is."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docqa.catalog.catalog import Catalog, digest
from docqa.catalog.entries import Entry
from docqa.errors import NotFound
from docqa.models.reader import FILE, trained_part
from docqa.models.verifier import CONTEXT, Judge, usable_adapter
from docqa.models.verifier import FILE as VERIFIER
from docqa.settings import Settings
from docqa.training.figures import Read, calibrated, doubted, measure
from docqa.training.question_sets import Articles, Asked, divide, load, load_texts

OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}  # before the libraries are imported, which read it then


def declare(commands: Any) -> None:
    """Add `reader` and its actions to the subparsers `commands`; each sets `run(settings, given)`."""
    actions = commands.add_parser("reader", help="train and measure the part that finds short answers").add_subparsers(
        required=True, metavar="ACTION"
    )
    train = actions.add_parser(
        "train", help="train it; whole articles are kept apart and measured on (hours on two cores)"
    )
    train.add_argument("--out", metavar=FILE, type=Path, help="where to write it [into the models folder]")
    train.add_argument(
        "--teacher",
        metavar="DIR",
        type=Path,
        help="a larger encoder, such as all-mpnet-base-v2, to learn from; a local model asks the questions",
    )
    train.add_argument(
        "--texts",
        metavar="DIR",
        type=Path,
        help="plain texts (*.txt, an empty line between passages), of which more questions are made for the teacher",
    )
    train.set_defaults(run=_train)
    doubt = actions.add_parser(
        "train-verifier",
        help="train the adapter that lets a small language model doubt what is found (an hour and more on two cores)",
    )
    doubt.add_argument("--out", metavar=VERIFIER, type=Path, help="where to write it [into the models folder]")
    doubt.add_argument(
        "--steps",
        metavar="N",
        type=int,
        default=750,
        help="of about twenty questions each; 0 calibrates only, as for another reader [%(default)s]",
    )
    doubt.add_argument(
        "--start", metavar="ADAPTER", type=Path, help="an adapter to go on from, such as one that this command wrote"
    )
    doubt.add_argument(
        "--seed",
        metavar="N",
        type=int,
        default=1,
        help="of the order and the cuts; to go on, another one than before [%(default)s]",
    )
    doubt.set_defaults(run=_train_verifier)
    check = actions.add_parser(
        "check",
        help="measure the ones there are on the articles that were kept apart; without the verifier by DOCQA_VERIFIER=off",
    )
    check.set_defaults(run=_check)
    for one in (train, doubt, check):
        one.add_argument("files", metavar="FILE", nargs="+", type=Path, help="questions in SQuAD format")
        one.add_argument(
            "--precision",
            choices=["float32", "bfloat16"],
            default="bfloat16",
            help="float32 is faster where the processor has no bfloat16 [%(default)s]",
        )


def _train(settings: Settings, given: argparse.Namespace) -> int:
    os.environ |= OFFLINE
    from docqa.models.chat.llama import Engine
    from docqa.training.reader.question_generation import CONTEXT, EACH, write
    from docqa.training.reader.train import Recipe, Teaching, train

    catalog, recipe = Catalog.load(settings.models), Recipe(precision=given.precision)

    def ask(asked: Sequence[Asked]) -> list[tuple[str, str]]:
        return write(Engine(str(_local_model(catalog)), CONTEXT, "f16"), asked, EACH, recipe.seed, _say)

    if given.teacher and not (given.teacher / "config.json").is_file():
        raise NotFound(
            f"There is no encoder in {given.teacher}; --teacher is the folder of one, with its config.json, tokenizer and weights"
        )
    teaching = Teaching(given.teacher, ask, load_texts(given.texts) if given.texts else {}) if given.teacher else None
    print(
        train(
            load(given.files), catalog.path(_base(catalog)), given.out or settings.models / FILE, recipe, _say, teaching
        )
    )
    return 0


def _train_verifier(settings: Settings, given: argparse.Namespace) -> int:
    os.environ |= OFFLINE
    from docqa.models.chat.llama import Engine
    from docqa.models.reader.network import Reader
    from docqa.training.reader.train import Recipe
    from docqa.training.verifier.train import train_verifier

    catalog, recipe, asked = Catalog.load(settings.models), Recipe(), load(given.files)
    model, part = _local_model(catalog), trained_part(settings.models)
    if part is None:
        raise NotFound(
            f"There is no {FILE} in {settings.models}, which the verifier is to doubt; `reader train` makes one"
        )
    if given.start and not given.start.is_file():
        raise NotFound(f"There is no {given.start}; --start is the file of an adapter to go on from")
    engine, calibrating = Engine(str(model), CONTEXT, "f16"), set(divide(asked).calibrating)
    reader = Reader(catalog.path(_base(catalog, part.base)), part.path, given.precision)

    def calibrate(written: Path) -> tuple[float, float]:
        judge, known = Judge(str(model), str(written)), [one for one in asked if one.article in calibrating]
        return calibrated(reader.read, judge.sureness, known, Articles(asked), recipe.silent)

    out = given.out or settings.models / VERIFIER
    train_verifier(
        asked,
        model,
        engine.tokenize,
        engine.end,
        out,
        given.steps,
        given.seed,
        digest(model),
        calibrate,
        _say,
        given.start,
    )
    return 0


def _say(sentence: str) -> None:
    print(sentence, flush=True)


def _local_model(catalog: Catalog) -> Path:
    """The local model that asks questions, or is to doubt answers: the first of the catalogue. Raises NotFound where there is none."""
    path = next(iter(catalog.local_models().values()), None)
    if path is None:
        raise NotFound("A local model has to take part in this, and there is none; `python run.py install` gets it")
    return path


def _check(settings: Settings, given: argparse.Namespace) -> int:
    os.environ |= OFFLINE
    from docqa.models.reader.network import Reader

    catalog, part = Catalog.load(settings.models), trained_part(settings.models)
    if part is None:
        raise NotFound(f"There is no {FILE} in {settings.models}; `reader train` makes one")
    asked = load(given.files)
    apart = set(divide(asked).measuring)
    reader = Reader(catalog.path(_base(catalog, part.base)), part.path, given.precision)
    read: Read = reader.read
    if adapted := usable_adapter(settings, catalog):
        model, adapter = adapted
        read = doubted(reader.read, Judge(str(model), str(adapter.path)).sureness, adapter)
    print(measure(read, [one for one in asked if one.article in apart], Articles(asked)))
    return 0


def _base(catalog: Catalog, sha256: str = "") -> Entry:
    """The embedding model to build on: the one with these weights, else the first of the catalogue. Raises NotFound where it is not here."""
    entry = (
        catalog.with_weights("embedding", sha256)
        if sha256
        else next((one for one in catalog.entries if one.kind == "embedding"), None)
    )
    if entry is None or not catalog.present(entry):
        raise NotFound("The embedding model that the reader builds on is not here; `python run.py install` gets it")
    return entry
