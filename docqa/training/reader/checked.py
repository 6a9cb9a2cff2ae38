"""What a trained part gets right, `python -m docqa.training reader check`."""

import argparse
from collections.abc import Iterator, Sequence

from docqa.errors import NotFound
from docqa.models.reader import Span
from docqa.models.reader.network import Reader
from docqa.training.figures import measure
from docqa.training.question_sets import Articles, load, split_articles
from docqa.training.reader.kept_apart import measure_sets, measure_yes_no
from docqa.training.reader.sources import load_sources
from docqa.training.reader.table_figures import measure_tables
from docqa.training.reader.tables import load_tables


def figures(reader: Reader, arguments: argparse.Namespace) -> Iterator[str]:
    """Its figures on the files that the arguments name, line by line. Raises NotFound where they name none."""
    if not arguments.files and not arguments.tables:
        raise NotFound("Name files with questions, or --tables and files with questions about tables")
    if arguments.tables:
        yield measure_tables(reader, load_tables(arguments.tables))
    if not arguments.files:
        return
    readings = reader.glance if arguments.verifier else reader.readings

    def read(question: str, passages: Sequence[str]) -> list[list[Span]]:
        return [reading.spans for reading in readings(question, passages)]

    if arguments.by_set:
        sources = load_sources(arguments.files)
        yield from map(str, measure_sets(read, sources, arguments.by_set))
        yield measure_yes_no(readings, sources, arguments.by_set)
        return
    questions = load(arguments.files)
    titles = set(split_articles(questions).evaluation)
    evaluation = [question for question in questions if question.article in titles]
    yield str(measure(read, evaluation, Articles(questions)))
