"""`eval`: questions made from a user's own files, asked, and how well they are answered."""

import asyncio
import json
import logging
import sys
from pathlib import Path

import click

from docqa.cli.options import absolute, with_settings
from docqa.errors import CannotStart
from docqa.evaluation import evaluate
from docqa.evaluation.figures import table
from docqa.models.chat.registry import DOCUMENTED_MODELS
from docqa.settings import Settings


@click.command("eval")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--questions",
    metavar="N",
    type=click.IntRange(min=1),
    default=40,
    show_default=True,
    help="How many at most, over all files.",
)
@click.option("--model", metavar="NAME", default=DOCUMENTED_MODELS[0], show_default=True, help="Which model answers.")
@click.option("--out", metavar="FILE.jsonl", callback=absolute, help="Where to write each question with its result.")
@with_settings
def evaluate_files(settings: Settings, files: tuple[Path, ...], questions: int, model: str, out: Path | None) -> None:
    """Make questions from files, in any format that can be uploaded, ask them, and show how many passages are found
    and questions answered."""
    logging.basicConfig(level="ERROR", format="%(levelname)s %(name)s: %(message)s")
    try:
        if out:
            out.touch()  # before the work, which takes minutes
    except OSError as error:
        raise CannotStart(f"{out} cannot be written: {error.strerror}") from error
    results = asyncio.run(evaluate(settings, files, model, questions, _say))
    print(table(results))
    if out:
        lines = (json.dumps(result.as_record(), ensure_ascii=False) + "\n" for result in results)
        out.write_text("".join(lines), encoding="utf-8")


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
