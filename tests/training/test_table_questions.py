"""Questions about tables as the reader learns them: sets are read, examples are varied, and what was learned is written."""

import json
import lzma
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from training_samples import QUESTIONS, needs_encoder, thin_encoder

from docqa import ROOT
from docqa.errors import DocqaError
from docqa.models.reader import FILE, trained_part
from docqa.tables.reading.plan import GROUPS, MEASURES, OF_VALUE, TESTS, WHOLE
from docqa.training.question_sets import Articles
from docqa.training.reader.sources import Source
from docqa.training.reader.tables import TableExample, TableQuestion, example, example_as_is, load_tables, table_batches

CSV = """boat,berth,owner,length_m,paid,last_lift
Heron,A1,Ana Ruiz,7.5,yes,2024-03-01
Osprey,A2,Ben Low,9,no,
Gannet,B1,Ana Ruiz,6.2,yes,2023-11-12
Curlew,B2,,11,no,2022-05-30
"""
BOAT, BERTH, OWNER, LENGTH, PAID, LIFT = range(6)
SETS = sorted((ROOT / "docqa" / "training" / "sets").glob("tables_*.jsonl.xz"))


def question(q: str, measure: str, column: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"q": q, "measure": measure, "column": column, "group": None, "order": None, "filters": []} | fields


STORED = [
    question("whats ana got here", "list", filters=[["owner", "=", "Ana Ruiz"]]),
    question("who hasnt coughed up", "value", "owner", filters=[["paid", "=", "no"], ["owner", "given", None]]),
    question("how many never came out of the water", "count", filters=[["last_lift", "missing", None]]),
    question("longest one", "highest", "length_m"),
    question("who has most boats", "count", group="owner", order="most"),
    question("metres by owner", "sum", "length_m", group="owner"),
    question("how many longer than 7 m", "count", filters=[["length_m", ">", 7]]),
    question("is the osprey paid", "value", "paid", filters=[["boat", "=", "Osprey"]]),
    question("who painted them", "none"),
    question("how much longer is the osprey than the heron", "other"),
]


def written(folder: Path, **fields: Any) -> Path:
    path = folder / "tables_en.jsonl.xz"
    stored = {"name": "boats.csv", "language": "en", "csv": CSV, "questions": STORED} | fields
    with lzma.open(path, "wt", encoding="utf-8") as lines:
        lines.write(json.dumps(stored) + "\n")
    return path


@pytest.fixture
def boats(tmp_path: Path) -> list[TableQuestion]:
    return load_tables([written(tmp_path)])


def held(made: TableExample) -> set[tuple[int, str | None, str]]:
    """The tests that hold, by column and value."""
    spots = made.layout.spots
    return {(spots[number].place, spots[number].value, test) for number, test in made.holds}


def test_a_question_is_read_with_its_plan_by_the_places_of_columns(boats: list[TableQuestion]) -> None:
    assert [labelled.measure for labelled in boats] == [
        ("list", None),
        ("value", OWNER),
        ("count", None),
        ("highest", LENGTH),
        ("count", None),
        ("sum", LENGTH),
        ("count", None),
        ("value", PAID),
        ("none", None),
        ("none", None),
    ]
    assert [labelled.group for labelled in boats if labelled.group] == [("most", OWNER), ("each", OWNER)]
    assert [held(example_as_is(labelled)) for labelled in boats[:3]] == [
        {(OWNER, "Ana Ruiz", "=")},
        {(PAID, "no", "="), (OWNER, None, "present")},
        {(LIFT, None, "missing")},
    ]


def test_what_it_says_of_a_table_is_what_the_service_says(boats: list[TableQuestion]) -> None:
    assert example_as_is(boats[7]).layout.text == (
        "boats : | boat : Curlew ; Gannet ; Heron ; Osprey | berth : A1 ; A2 ; B1 ; B2 | owner : Ana Ruiz ; Ben Low ; – | "
        "length_m : 6.2 … | paid : no ; yes | last_lift : 2022-05-30 … ; –"
    )


@pytest.mark.parametrize("number", range(len(STORED)))
def test_however_an_example_is_varied_all_that_its_plan_names_is_laid_out(
    boats: list[TableQuestion], number: int
) -> None:
    rng = random.Random(3)
    texts = set()
    for _ in range(60):
        made = example(boats[number], rng)
        texts.add(made.layout.text)
        places = {spot.place for spot in made.layout.spots}
        assert boats[number].columns <= places
        assert len(held(made)) == len(boats[number].tests)
    assert len(texts) > 10


def test_another_value_may_stand_in_question_and_plan(boats: list[TableQuestion]) -> None:
    labelled = boats[7]
    rng = random.Random(4)
    seen = set()
    for _ in range(80):
        [(_, value, _)] = held(made := example(labelled, rng))
        assert value is not None
        seen.add(value)
        if "'" not in made.question and value.lower() in made.question.lower():
            assert "osprey" not in made.question.lower() or value == "Osprey"
    assert seen == {"Curlew", "Gannet", "Heron", "Osprey"}


def test_batches_are_the_same_each_time_from_whichever_training_goes_on(boats: list[TableQuestion]) -> None:
    first = table_batches(boats, 4, 1, 0)
    later = table_batches(boats, 4, 1, 2)
    batches = [next(first) for _ in range(3)]
    assert next(later) == batches[2] != batches[1]


@pytest.mark.parametrize("content", [b"{}", b"no xz at all", lzma.compress(b'{"name": "a.csv"}\n')])
def test_a_file_that_is_no_such_set_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "tables_en.jsonl.xz"
    path.write_bytes(content)
    with pytest.raises(DocqaError, match=f"{path.name} is no set of questions about tables"):
        load_tables([path])


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.name)
def test_the_plans_of_a_shipped_set_have_names_for_all_their_parts(path: Path) -> None:
    questions = load_tables([path])
    assert len(questions) > 600
    for labelled in questions:
        assert labelled.measure[0] in (WHOLE if labelled.measure[1] is None else MEASURES), labelled.question
        assert labelled.group is None or labelled.group[0] in GROUPS, labelled.question
        for spot, test in example_as_is(labelled).holds:
            assert spot >= 0 and test in (*TESTS, *OF_VALUE), labelled.question


@needs_encoder
def test_a_reader_that_learns_tables_beside_passages_says_so_in_its_file(
    tmp_path: Path, boats: list[TableQuestion]
) -> None:
    from docqa.training.reader.finish import open_reader, write_calibrated
    from docqa.training.reader.network import Network
    from docqa.training.reader.refine import refine
    from docqa.training.reader.run import Refinement
    from docqa.training.reader.table_figures import measure_tables
    from docqa.training.reader.weights import has_tables, save

    base, first, lines = thin_encoder(tmp_path / "base", 48), tmp_path / "first.safetensors", list[str]()
    before = Network(base).state_dict()
    heads = {name: tensor for name, tensor in before.items() if name.startswith("head.")}
    save(first, heads, before, {"base": "", "languages": "en", "margin": "0"})
    many = tuple(replace(each, article=f"{each.article} {number}") for number in range(12) for each in QUESTIONS)
    source = Source("wells", many, (), (), Articles(many), negatives=False)
    recipe = Refinement(minutes=0.02, rate=2e-3, head_rate=5e-3, batch=8, threads=2)
    trained = refine([source], base, first, tmp_path / "run", recipe, lines.append, lambda _: "", boats)
    write_calibrated(trained, base, tmp_path / FILE, QUESTIONS, "float32", lines.append)
    part = trained_part(tmp_path)
    assert part is not None and part.reads_tables
    assert measure_tables(open_reader(base, part.path, "float32"), boats).startswith("plans right: ")
    brief = replace(recipe, minutes=0.005)
    again = refine([source], base, part.path, tmp_path / "again", brief, lines.append, lambda _: "")
    assert has_tables(again), "what goes on with passages alone keeps what reads tables"


@needs_encoder
def test_what_is_learned_of_tables_grows_with_each_step(tmp_path: Path, boats: list[TableQuestion]) -> None:
    import torch

    from docqa.training.reader.network import Network
    from docqa.training.reader.table_losses import encoded_tables, table_loss

    torch.manual_seed(1)
    network = Network(thin_encoder(tmp_path, 48), 0.0, reads_tables=True)
    examples = list(map(example_as_is, boats))
    encoded = encoded_tables(network, examples)
    optimizer, losses = torch.optim.Adam(network.parameters(), 3e-3), list[float]()
    for _ in range(15):
        loss = table_loss(network, examples, encoded)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.6 * losses[0]
