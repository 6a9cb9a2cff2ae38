"""`python run.py reader`: train the reader and the verifier on question sets, and evaluate them.

The server imports this module for its parser, so `docqa.training` is imported only when a command runs.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docqa.catalog.catalog import Catalog, digest
from docqa.catalog.entries import Entry
from docqa.errors import NotFound
from docqa.models.embedder import Embedder
from docqa.models.kinds import file_name
from docqa.models.reader import FILE, TrainedPart, trained_part
from docqa.models.verifier import CONTEXT, usable_adapter
from docqa.models.verifier import FILE as VERIFIER
from docqa.models.verifier_child import Judge
from docqa.settings import Settings

if TYPE_CHECKING:
    from docqa.models.reader.network import Network
    from docqa.training.question_sets import LabelledQuestion

GLIMPSE = 20  # questions of each set that are kept apart, evaluated at every checkpoint of `refine`
TRAINED_IN = ("en",)  # the languages of the questions that kinds are learnt from
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}  # read when the libraries are imported


def declare(commands: Any) -> None:
    """Add `reader` and its actions to the subparsers `commands`; each sets `run(settings, arguments)`."""
    actions = commands.add_parser("reader", help="train and evaluate the part that finds short answers").add_subparsers(
        required=True, metavar="ACTION"
    )
    train = actions.add_parser("train", help="train it and evaluate it on held-out articles (hours on two cores)")
    _declare_train(train)
    refine = actions.add_parser(
        "refine", help="continue from the current one on many question sets; resumes from its checkpoint if stopped"
    )
    _declare_refine(refine)
    verifier = actions.add_parser(
        "train-verifier",
        help="train the adapter with which a small language model checks answers (an hour or more on two cores)",
    )
    _declare_train_verifier(verifier)
    kinds = actions.add_parser("train-kinds", help="train the layer that tells kinds of questions apart (seconds)")
    kinds.add_argument(
        "--model", metavar="NAME", help="the embedding model that it is for [the first in the catalogue]"
    )
    kinds.add_argument("--out", metavar="FILE.json", type=Path, help="where to write it [the models folder]")
    kinds.set_defaults(run=_train_kinds)
    check = actions.add_parser(
        "check",
        help="evaluate reader and verifier on the held-out articles; DOCQA_VERIFIER=off leaves out the verifier",
    )
    check.add_argument(
        "--by-set",
        metavar="N",
        type=int,
        default=0,
        help="figures for each file on at most N questions that `refine` keeps apart, with their passages; and yes/no",
    )
    check.set_defaults(run=_check)
    for parser in (train, refine, verifier, check):
        parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="questions in SQuAD format")
        parser.add_argument(
            "--precision",
            choices=["float32", "bfloat16"],
            default="bfloat16",
            help="float32 is faster on processors without bfloat16 [%(default)s]",
        )


def _declare_train(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar=FILE, type=Path, help="where to write it [the models folder]")
    parser.add_argument(
        "--teacher",
        metavar="DIR",
        type=Path,
        help="a larger encoder to learn from, such as all-mpnet-base-v2; a local model writes questions for it",
    )
    parser.add_argument(
        "--texts",
        metavar="DIR",
        type=Path,
        help="plain texts (*.txt, passages separated by blank lines) to make more questions from for the teacher",
    )
    parser.set_defaults(run=_train)


def _declare_refine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar=FILE, type=Path, help="where to write it [the models folder]")
    parser.add_argument("--start", metavar="FILE", type=Path, help="the reader to start from [the current one]")
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
    parser.set_defaults(run=_refine)


def _declare_train_verifier(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar=VERIFIER, type=Path, help="where to write it [the models folder]")
    parser.add_argument(
        "--steps",
        metavar="N",
        type=int,
        default=750,
        help="training steps of about twenty questions; 0 only calibrates, as for a new reader [%(default)s]",
    )
    parser.add_argument(
        "--start", metavar="ADAPTER", type=Path, help="the adapter to start from, such as one that this command wrote"
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        type=int,
        default=1,
        help="seed of the order and the excerpts; choose a new one to continue training [%(default)s]",
    )
    parser.set_defaults(run=_train_verifier)


def _train(settings: Settings, arguments: argparse.Namespace) -> int:
    os.environ |= OFFLINE
    from docqa.models.chat.llama import Engine
    from docqa.training.question_sets import load, load_texts
    from docqa.training.reader.question_generation import CONTEXT, PER_PASSAGE, generate
    from docqa.training.reader.train import Distillation, Recipe, train

    catalog, recipe = Catalog.load(settings.models), Recipe(precision=arguments.precision)
    teacher, distillation = arguments.teacher, None

    def generate_more(questions: "Sequence[LabelledQuestion]") -> list[tuple[str, str]]:
        engine = Engine(str(_local_model(catalog)), CONTEXT, "f16")
        return generate(engine, questions, PER_PASSAGE, recipe.seed, _report)

    if teacher:
        if not (teacher / "config.json").is_file():
            raise NotFound(
                f"There is no encoder in {teacher}; --teacher must be a folder with config.json, tokenizer and weights"
            )
        distillation = Distillation(teacher, generate_more, load_texts(arguments.texts) if arguments.texts else {})
    questions, out = load(arguments.files), arguments.out or settings.models / FILE
    print(train(questions, catalog.path(_base(catalog)), out, recipe, _report, distillation))
    return 0


def _refine(settings: Settings, arguments: argparse.Namespace) -> int:
    os.environ |= OFFLINE
    from docqa.training.reader.finish import write_calibrated
    from docqa.training.reader.kept_apart import measure_sets
    from docqa.training.reader.refine import Refinement, read_with, refine
    from docqa.training.reader.sources import FIRST, load_sources

    catalog, sources = Catalog.load(settings.models), load_sources(arguments.files)
    base, start = catalog.path(_base(catalog)), arguments.start or _trained_part(settings).path

    def evaluate(network: "Network") -> str:
        return "; ".join(map(str, measure_sets(read_with(network), sources, GLIMPSE)))

    recipe, out = Refinement(minutes=arguments.minutes), arguments.out or settings.models / FILE
    calibration = [question for source in sources for question in source.calibration]
    if not calibration:
        raise NotFound(f"The files must include {FIRST}.jsonl, whose articles calibrate the reader")
    trained = refine(sources, base, start, arguments.checkpoints, recipe, _report, evaluate)
    write_calibrated(trained, base, out, calibration, arguments.precision, _report)
    return 0


def _train_verifier(settings: Settings, arguments: argparse.Namespace) -> int:
    os.environ |= OFFLINE
    from docqa.models.chat.llama import Engine
    from docqa.models.reader.network import Reader
    from docqa.training.figures import calibrate_verifier
    from docqa.training.question_sets import Articles, load, split_articles
    from docqa.training.reader.train import Recipe
    from docqa.training.verifier.train import BaseModel, train_verifier

    catalog, questions = Catalog.load(settings.models), load(arguments.files)
    model, part = _local_model(catalog), _trained_part(settings)
    if arguments.start and not arguments.start.is_file():
        raise NotFound(f"There is no {arguments.start}; --start must be the file of an adapter")
    engine = Engine(str(model), CONTEXT, "f16")
    titles = set(split_articles(questions).calibration)
    calibration = [question for question in questions if question.article in titles]
    read = Reader(catalog.path(_base(catalog, part.base)), part.path, arguments.precision).read

    def calibrate(adapter: Path) -> tuple[float, float]:
        judge = Judge(str(model), str(adapter)).log_odds
        return calibrate_verifier(read, judge, calibration, Articles(questions), Recipe().refused)

    base = BaseModel(model, digest(model), engine.tokenize, engine.end)
    out = arguments.out or settings.models / VERIFIER
    train_verifier(questions, base, out, arguments.steps, arguments.seed, calibrate, _report, arguments.start)
    return 0


def _train_kinds(settings: Settings, arguments: argparse.Namespace) -> int:
    os.environ |= OFFLINE
    from docqa.training.kinds.train import train_kinds

    catalog = Catalog.load(settings.models)
    entry = catalog.embedding(arguments.model) if arguments.model else _base(catalog)
    if not catalog.present(entry):
        raise NotFound(f"{entry.name} is missing; `python run.py models pull {entry.name}` downloads it")
    embedder = Embedder(entry.name, catalog.path(entry), entry.weights.sha256, entry.dimension, entry.languages)
    train_kinds(embedder, TRAINED_IN, arguments.out or settings.models / file_name(entry.name), _report)
    return 0


def _check(settings: Settings, arguments: argparse.Namespace) -> int:
    os.environ |= OFFLINE
    from docqa.models.reader.network import Reader
    from docqa.training.figures import Read, measure, with_verifier
    from docqa.training.question_sets import Articles, load, split_articles
    from docqa.training.reader.kept_apart import measure_sets, measure_yes_no
    from docqa.training.reader.sources import load_sources

    catalog, part = Catalog.load(settings.models), _trained_part(settings)
    reader = Reader(catalog.path(_base(catalog, part.base)), part.path, arguments.precision)
    read: Read = reader.read
    if verifier := usable_adapter(settings, catalog):
        model, adapter = verifier
        read = with_verifier(read, Judge(str(model), str(adapter.path)).log_odds, adapter)
    if arguments.by_set:
        sources = load_sources(arguments.files)
        for figures in measure_sets(read, sources, arguments.by_set):
            _report(str(figures))
        _report(measure_yes_no(reader.readings, sources, arguments.by_set))
        return 0
    questions = load(arguments.files)
    titles = set(split_articles(questions).evaluation)
    evaluation = [question for question in questions if question.article in titles]
    print(measure(read, evaluation, Articles(questions)))
    return 0


def _report(line: str) -> None:
    print(line, flush=True)


def _trained_part(settings: Settings) -> TrainedPart:
    """The reader to evaluate, or to calibrate the verifier with. Raises NotFound if there is none."""
    part = trained_part(settings.models)
    if part is None:
        raise NotFound(f"There is no {FILE} in {settings.models}; `reader train` makes one")
    return part


def _local_model(catalog: Catalog) -> Path:
    """The local model that writes questions or becomes the verifier: the first in the catalogue. Raises NotFound."""
    path = next(iter(catalog.local_models().values()), None)
    if path is None:
        raise NotFound("This needs a local model, and there is none; `python run.py install` downloads it")
    return path


def _base(catalog: Catalog, sha256: str = "") -> Entry:
    """The embedding model to build on: the one with these weights, else the first in the catalogue. Raises NotFound."""
    entry = (
        catalog.with_weights("embedding", sha256)
        if sha256
        else next((entry for entry in catalog.entries if entry.kind == "embedding"), None)
    )
    if entry is None or not catalog.present(entry):
        raise NotFound("The embedding model that the reader builds on is missing; `python run.py install` downloads it")
    return entry
