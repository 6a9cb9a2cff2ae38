"""Questions about tables with the plan that each asks for, and the examples that the reader learns from them.

A set has a table in each line of JSON: `name`, `language`, `csv`, its text, and `questions`, each with `q`, `measure`,
`column`, `group`, `order`, and `filters`, (column, operator, value) each, as the guide in models/reader.md has them.
"""

import json
import lzma
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from docqa.errors import DocqaError
from docqa.formats import reading
from docqa.store.table_plan import StoredTable
from docqa.store.tables import MOST_LISTED, Contents
from docqa.tables.counting.view import View
from docqa.tables.phrases import key_words, phrases
from docqa.tables.reading.layout import Layout, laid_out, near_values
from docqa.tables.reading.plan import GROUPS
from docqa.text.keys import key
from docqa.training.reader.forms import as_typed

# Shares of the examples that are changed so.
SHUFFLED, SHORTENED, TYPED, BESIDE, EXCHANGED = 0.5, 0.4, 0.3, 0.5, 0.5
LEFT_OUT = 0.25  # of the columns that a question is not about, where some are
_TESTS = {"given": "present"}  # what sets call otherwise


@dataclass(frozen=True)
class TableQuestion:
    """A question about a table and its plan: what is measured of which column, None for the whole; by which groups,
    with their order, and what is tested: (column, test, values)."""

    view: View
    named: Mapping[str, Mapping[int, Sequence[str]]]
    question: str
    language: str
    measure: tuple[str, int | None]
    group: tuple[str, int] | None
    tests: tuple[tuple[int, str, tuple[str, ...]], ...]

    @property
    def columns(self) -> set[int]:
        """Those that the plan is about."""
        named = (self.measure[1], self.group and self.group[1], *(place for place, *_ in self.tests))
        return {place for place in named if place is not None}


@dataclass(frozen=True)
class TableExample:
    """A question beside a table laid out; `measure` and `group` are as in TableQuestion, `holds` are the tests that
    hold, (number of the spot, test)."""

    question: str
    layout: Layout
    measure: tuple[str, int | None]
    group: tuple[str, int] | None
    holds: frozenset[tuple[int, str]]


def load_tables(paths: Iterable[Path]) -> list[TableQuestion]:
    """The questions of all sets. Raises DocqaError where one cannot be read."""
    questions: list[TableQuestion] = []
    for path in paths:
        try:
            with lzma.open(path, "rt", encoding="utf-8") as lines:
                for line in lines:
                    questions += _questions(json.loads(line))
        except (OSError, ValueError, LookupError, lzma.LZMAError) as error:
            raise DocqaError(f"{path} is no set of questions about tables ({type(error).__name__}: {error})") from error
    return questions


def _questions(stored: dict[str, Any]) -> Iterator[TableQuestion]:
    view, values = _view(stored["csv"], stored["name"])
    language = stored["language"]
    places = {column.name: place for place, column in enumerate(view.table.columns)}
    for each in stored["questions"]:
        measure = "none" if each["measure"] == "other" else each["measure"]
        column, group = each["column"], each["group"]
        tests = tuple(
            (places[name], _test(view, places[name], operator, value), _values(value))
            for name, operator, value in each["filters"]
        )
        named = {form: values[form] for form in phrases(key_words(each["q"], language)) if form in values}
        yield TableQuestion(
            view,
            named,
            each["q"],
            language,
            (measure, None if column is None or measure == "none" else places[column]),
            None if group is None or measure == "none" else (each["order"] or GROUPS[-1], places[group]),
            () if measure == "none" else tests,
        )


def _test(view: View, place: int, operator: str, value: object) -> str:
    is_zero = operator == "=" and view.table.columns[place].kind == "number" and str(value) in ("0", "0.0")
    return "zero" if is_zero else _TESTS.get(operator, operator)


def _values(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else () if value is None else (str(value),)


def _view(csv: str, name: str) -> tuple[View, dict[str, dict[int, list[str]]]]:
    """The table as the service sees it once it is stored, and its values by their keys."""
    document = reading.read_whole(csv.encode(), name)
    [table] = document.tables
    rows = [json.loads(row.values) for page in document.pages for row in page.rows if row.values]
    columns = list(zip(*rows, strict=True))
    given = [[cell for cell in column if cell is not None] for column in columns]
    different = [len(set(cells)) for cells in given]
    listed: dict[int, tuple[str, ...]] = {}
    by_key: dict[str, dict[int, list[str]]] = {}
    for place, form, value in table.values:
        by_key.setdefault(form, {}).setdefault(place, []).append(value)
        if different[place] <= MOST_LISTED and table.columns[place].kind == "text":
            listed[place] = (*listed.get(place, ()), value)
    contents = Contents(
        len(rows),
        tuple(map(len, given)),
        tuple(different),
        tuple(min(cells, default=None) for cells in given),
        {place: tuple(sorted(values)) for place, values in listed.items()},
    )
    return View(StoredTable(0, name, table.columns), contents), by_key


def example(labelled: TableQuestion, rng: random.Random) -> TableExample:
    """The question as the service may meet it: columns in another order, some left out, other values and slips of the
    keyboard."""
    if rng.random() < EXCHANGED:
        labelled = _exchanged(labelled, rng)
    view, places = labelled.view, list(range(len(labelled.view.table.columns)))
    if rng.random() < SHUFFLED:
        rng.shuffle(places)
    if rng.random() < SHORTENED:
        places = [place for place in places if place in labelled.columns or rng.random() > LEFT_OUT]
    near = near_values(view, key_words(labelled.question, labelled.language), labelled.language, labelled.named)
    for place, _, values in labelled.tests:
        known = {key(value): value for value in view.contents.values.get(place, ())}
        own = [known[key(value)] for value in values if key(value) in known]
        if rng.random() < BESIDE and known:  # that a value is shown must not say that it is meant
            own.append(rng.choice(list(known.values())))
        near[place] = [*near.get(place, ()), *own]
    for shown in near.values():
        rng.shuffle(shown)
    question = as_typed(labelled.question, rng) if rng.random() < TYPED else labelled.question
    layout = laid_out(view, near, places)
    return TableExample(question, layout, labelled.measure, labelled.group, _held(labelled, layout))


def example_as_is(labelled: TableQuestion) -> TableExample:
    """The question and the table as they are, to be evaluated."""
    near = near_values(
        labelled.view, key_words(labelled.question, labelled.language), labelled.language, labelled.named
    )
    layout = laid_out(labelled.view, near)
    return TableExample(labelled.question, layout, labelled.measure, labelled.group, _held(labelled, layout))


def _exchanged(labelled: TableQuestion, rng: random.Random) -> TableQuestion:
    """The same about other values of the columns whose values the question names."""
    question, tests = labelled.question, list(labelled.tests)
    for number, (place, test, values) in enumerate(tests):
        others = [value for value in labelled.view.contents.values.get(place, ()) if value not in values]
        if len(values) != 1 or not others or test not in ("=", "!="):
            continue
        pattern = re.compile(rf"(?<!\w){re.escape(values[0])}(?!\w)", re.IGNORECASE)
        if len(pattern.findall(question)) == 1:
            other = rng.choice(others)
            is_lower = pattern.findall(question)[0].islower()
            question = pattern.sub((other.lower() if is_lower else other).replace("\\", "/"), question)
            tests[number] = place, test, (other,)
    return replace(labelled, question=question, tests=tuple(tests))


def _held(labelled: TableQuestion, layout: Layout) -> frozenset[tuple[int, str]]:
    held: set[tuple[int, str]] = set()
    for place, test, values in labelled.tests:
        wanted = set(map(key, values))
        spots = [
            (number, test)
            for number, spot in enumerate(layout.spots)
            if spot.place == place and spot.value is not None and key(spot.value) in wanted and test in ("=", "!=")
        ]
        at = next(number for number, spot in enumerate(layout.spots) if spot.place == place)
        held.update(spots or [(at, test)])
    return frozenset(held)


def table_batches(questions: Sequence[TableQuestion], size: int, seed: int, first: int) -> Iterator[list[TableExample]]:
    """Batches of examples without end from the one with the number `first` on: a pure function of seed and number."""
    number = first
    while True:
        rng = random.Random(f"tables {seed} {number}")
        yield [example(each, rng) for each in rng.choices(questions, k=size)]
        number += 1
