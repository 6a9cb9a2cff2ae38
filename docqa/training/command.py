"""`python -m docqa.training reader`: train the reader and the verifier on question sets, and evaluate them.

What imports torch is imported when a command runs: OFFLINE must be set before, and `--help` should not wait for it.
"""

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from docqa.catalog.catalog import Catalog
from docqa.catalog.entries import Entry
from docqa.errors import NotFound
from docqa.models.embedder import Embedder
from docqa.models.kinds import file_name
from docqa.models.reader import FILE, VERIFIER, TrainedPart, trained_part
from docqa.settings import Settings
from docqa.training.recipe_arguments import declare_recipe, recipe_of

if TYPE_CHECKING:
    from docqa.training.question_sets import LabelledQuestion
    from docqa.training.reader.network import Network
    from docqa.training.reader.sources import Source

# Learning rates: of the weights themselves, and of factors, which start at zero.
REFINING_RATE, ADAPTER_RATE = 1e-4, 4e-4
# The weight of yes/no: few examples have it, and the encoder's lower layers may stay as they are.
ADAPTER_YES_NO = 2.0
GLIMPSE = 20  # questions of each set that are kept apart, evaluated at every checkpoint of `refine`
BUILT_ON = {"embedding": "The embedding model that the reader", "encoder": "The model that the verifier"}
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}  # read when the libraries are imported


def parser() -> argparse.ArgumentParser:
    """The parser of `reader` and its actions; each sets `run(settings, arguments)`."""
    program = argparse.ArgumentParser(prog="python -m docqa.training", description="Train and evaluate DocQA's parts.")
    commands = program.add_subparsers(required=True, metavar="COMMAND")
    actions = commands.add_parser("reader", help="train and evaluate the part that finds short answers").add_subparsers(
        required=True, metavar="ACTION"
    )
    train = actions.add_parser("train", help="train it and evaluate it on held-out articles (hours on two cores)")
    _declare_train(train)
    refine = actions.add_parser(
        "refine", help="continue from the current one on many question sets; resumes from its checkpoint if stopped"
    )
    _declare_refine(refine)
    adapt = actions.add_parser(
        "adapt",
        help="train differences of low rank: the verifier's, or of another embedding model its reader's; resumes from "
        "its checkpoint if stopped",
    )
    _declare_adapt(adapt)
    translate = actions.add_parser("translate", help="put question sets into another language by a translator")
    translate.add_argument("--by", metavar="COMMAND", required=True, help='such as "apertium -u eng-spa"')
    translate.add_argument("--out", metavar="FILE.jsonl.xz", type=Path, required=True, help="where to write them")
    translate.add_argument("files", metavar="FILE", nargs="+", type=Path, help="questions in SQuAD format")
    translate.set_defaults(run=_translate)
    kinds = actions.add_parser("train-kinds", help="train the layer that tells kinds of questions apart (a minute)")
    kinds.add_argument(
        "--model", metavar="NAME", help="the embedding model that it is for [the first in the catalogue]"
    )
    kinds.add_argument("--out", metavar="FILE.json", type=Path, help="where to write it [the models folder]")
    kinds.set_defaults(run=_train_kinds)
    check = actions.add_parser(
        "check",
        help="evaluate the reader on the held-out articles, or the verifier",
    )
    check.add_argument(
        "--by-set",
        metavar="N",
        type=int,
        default=0,
        help="figures for each file on at most N questions that `refine` keeps apart, with their passages; and yes/no",
    )
    check.add_argument(
        "--verifier", action="store_true", help="evaluate the verifier, as it reads, instead of the reader"
    )
    check.add_argument("--tables", metavar="FILE", nargs="+", type=Path, default=[], help="questions about tables")
    check.set_defaults(run=_check)
    for action in (train, refine, adapt, check):
        action.add_argument(
            "files", metavar="FILE", nargs="*" if action is check else "+", type=Path, help="questions in SQuAD format"
        )
        action.add_argument(
            "--precision",
            choices=["float32", "bfloat16", *(["int8"] if action is check else [])],
            default="bfloat16",
            help="in which it is evaluated; not every processor has all of them [%(default)s]",
        )
    return program


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
    declare_recipe(parser, REFINING_RATE)
    parser.set_defaults(run=_refine)


def _declare_adapt(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="FILE", type=Path, required=True, help="where to write it")
    parser.add_argument("--base", metavar="NAME", help="the embedding model that it is for [the verifier's encoder]")
    parser.add_argument("--languages", metavar="CODES", default="en", help="that it reads [%(default)s]")
    parser.add_argument("--start", metavar="FILE", type=Path, help="what to start from [the encoder alone]")
    parser.add_argument("--rank", metavar="N", type=int, default=32, help="of the differences [%(default)s]")
    parser.add_argument(
        "--first-layer", metavar="N", type=int, default=3, help="those below stay as they are [%(default)s]"
    )
    declare_recipe(parser, ADAPTER_RATE)
    parser.set_defaults(run=_adapt)


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
    from docqa.training.reader.refine import refine
    from docqa.training.reader.sources import FIRST, load_sources
    from docqa.training.reader.tables import load_tables

    catalog, sources = Catalog.load(settings.models), load_sources(arguments.files)
    base, start = catalog.path(_base(catalog)), arguments.start or _trained_part(settings).path

    recipe, out = recipe_of(arguments), arguments.out or settings.models / FILE
    calibration = [question for source in sources for question in source.calibration]
    if not calibration:
        raise NotFound(f"The files must include {FIRST}.jsonl, whose articles calibrate the reader")
    glimpse, tables = _glimpse(sources), load_tables(arguments.tables)
    trained = refine(sources, base, start, arguments.checkpoints, recipe, _report, glimpse, tables)
    write_calibrated(trained, base, out, calibration, arguments.precision, _report)
    return 0


def _adapt(settings: Settings, arguments: argparse.Namespace) -> int:
    os.environ |= OFFLINE
    from docqa.training.reader.finish import write
    from docqa.training.reader.refine import EXCERPTS, PASSAGES, train_adapter
    from docqa.training.reader.sources import load_sources
    from docqa.training.reader.tables import load_tables

    catalog, sources = Catalog.load(settings.models), load_sources(arguments.files)
    entry = catalog.embedding(arguments.base) if arguments.base else _base(catalog, kind="encoder")
    base, making = catalog.path(entry), PASSAGES if arguments.base else EXCERPTS
    recipe = replace(
        recipe_of(arguments),
        rank=arguments.rank,
        first_layer=arguments.first_layer,
        yes_no=ADAPTER_YES_NO,
    )
    trained = train_adapter(
        sources,
        base,
        making,
        arguments.checkpoints,
        recipe,
        _report,
        _glimpse(sources),
        arguments.start,
        load_tables(arguments.tables),
    )
    write(trained, base, arguments.out, languages=arguments.languages)
    return 0


def _translate(settings: Settings, arguments: argparse.Namespace) -> int:
    from docqa.training.question_sets import load, save
    from docqa.training.reader.translated import translated, translator

    questions = load(arguments.files)
    made = translated(questions, translator(arguments.by))
    save(made, arguments.out)
    _report(
        f"{len(made)} of {len(questions)} questions are in {arguments.out}; of the others no answer was found again"
    )
    return 0


def _train_kinds(settings: Settings, arguments: argparse.Namespace) -> int:
    os.environ |= OFFLINE
    from docqa.training.kinds.train import train_kinds

    catalog = Catalog.load(settings.models)
    entry = catalog.embedding(arguments.model) if arguments.model else _base(catalog)
    if not catalog.present(entry):
        raise NotFound(f"{entry.name} is missing; `python run.py models pull {entry.name}` downloads it")
    embedder = Embedder(entry.name, catalog.path(entry), entry.weights.sha256, entry.dimension, entry.languages)
    train_kinds(embedder, arguments.out or settings.models / file_name(entry.name), _report)
    return 0


def _check(settings: Settings, arguments: argparse.Namespace) -> int:
    os.environ |= OFFLINE
    from docqa.training.reader.checked import figures
    from docqa.training.reader.finish import open_reader

    catalog = Catalog.load(settings.models)
    part = _trained_part(settings, VERIFIER if arguments.verifier else FILE)
    base = _base(catalog, part.base, "encoder" if arguments.verifier else "embedding")
    reader = open_reader(catalog.path(base), part.path, arguments.precision)
    for line in figures(reader, arguments):
        _report(line)
    return 0


def _report(line: str) -> None:
    print(line, flush=True)


def _trained_part(settings: Settings, file: str = FILE) -> TrainedPart:
    """The reader to evaluate or to start from, or the verifier. Raises NotFound if there is none."""
    part = trained_part(settings.models, file)
    if part is None:
        raise NotFound(f"There is no {file} in {settings.models}; `reader` makes one")
    return part


def _local_model(catalog: Catalog) -> Path:
    """The local model that writes questions: the first in the catalogue. Raises NotFound."""
    path = next(iter(catalog.local_models().values()), None)
    if path is None:
        raise NotFound("This needs a local model, and there is none; `python run.py install` downloads it")
    return path


def _base(catalog: Catalog, sha256: str = "", kind: str = "embedding") -> Entry:
    """The model of this kind to build on: the one with these weights, else the first in the catalogue. Raises
    NotFound."""
    entry = (
        catalog.with_weights(kind, sha256)
        if sha256
        else next((entry for entry in catalog.entries if entry.kind == kind), None)
    )
    if entry is None or not catalog.present(entry):
        raise NotFound(f"{BUILT_ON[kind]} builds on is missing; `python run.py install` downloads it")
    return entry


def _glimpse(sources: "Sequence[Source]") -> "Callable[[Network], str]":
    """What describes a network in training: its figures on a few questions of each set that are kept apart."""
    from docqa.training.reader.kept_apart import measure_sets
    from docqa.training.reader.run import read_with

    return lambda network: "; ".join(map(str, measure_sets(read_with(network), sources, GLIMPSE)))
