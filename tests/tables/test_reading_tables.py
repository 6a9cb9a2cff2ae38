"""Questions in everyday words are read beside the table: it is laid out as text, and what the reader scores highest there is
made a plan."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from conftest import upload
from docqa.errors import Unavailable
from docqa.formats.columns import Column
from docqa.models.embedder import Embedder
from docqa.models.reader import TableReading, TrainedPart
from docqa.store.table_plan import Filter, Plan, StoredTable
from docqa.store.tables import Contents
from docqa.tables.counting.intent import Composer
from docqa.tables.counting.mentions import Reader
from docqa.tables.counting.roles import Form
from docqa.tables.counting.view import View
from docqa.tables.phrases import key_words
from docqa.tables.reading.layout import Layout, laid_out, near_values
from docqa.tables.reading.plan import GROUPS, MEASURES, OF_COLUMN, OF_VALUE, OUTPUTS, TESTS, WHOLE, likeliest, planned

NAMES = ("Ana", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hal", "Ida", "Jon")
MECHANICS = (*(f"{name} Ruiz" for name in NAMES), "Kit Moss")
REPAIRS = View(
    StoredTable(
        1,
        "bicycle_repairs.csv",
        (
            Column("Ticket"),
            Column("brought in", "date"),
            Column("State"),
            Column("Mechanic"),
            Column("Cost", "number", "€", 2),
            Column("Year built", "number", is_year=True),
        ),
    ),
    Contents(
        40,
        (40, 40, 40, 36, 38, 40),
        (40, 30, 2, 11, 33, 12),
        ("T-01", "2024-01-03", "done", "Ana Ruiz", 0, 1987),
        {2: ("done", "on hold"), 3: MECHANICS},
    ),
)
TICKET, BROUGHT, STATE, MECHANIC, COST, YEAR = range(6)
SURE, UNSURE = 9.0, -9.0


Spots = Mapping[tuple[int, str | None], Sequence[str]]


def scores(layout: Layout, whole: str = "", spots: Spots | None = None) -> TableReading:
    """Those of a reader that is sure of one part of the whole, and of parts by the place and value of their spots."""
    names = {None: OF_COLUMN, "": OF_VALUE}
    made = []
    for spot in layout.spots:
        own = (spots or {}).get((spot.place, spot.value), ())
        kinds = names[None if spot.value is None else ""]
        first = 0 if spot.value is None else len(OF_COLUMN)
        row = [UNSURE] * OUTPUTS
        for name in own:
            row[first + kinds.index(name)] = SURE
        made.append(row)
    of_whole = [SURE if name in (whole, "ungrouped") else UNSURE for name in WHOLE]
    if any(name in GROUPS for own in (spots or {}).values() for name in own):
        of_whole[-1] = UNSURE
    return TableReading(of_whole, made)


def plan(question: str, whole: str = "", spots: Spots | None = None) -> Plan | None:
    tokens = key_words(question, "en")
    composer = Composer(REPAIRS, Reader(REPAIRS, tokens, "en", {}).mentions(), tokens, Form("en"))
    composer.intent()
    layout = laid_out(REPAIRS, {})
    parts = likeliest(layout, scores(layout, whole, spots))
    return planned(REPAIRS, composer.all, layout, parts, composer.limit or 1)


# The table as text


def test_a_table_is_its_name_its_columns_and_the_values_of_those_that_have_few() -> None:
    assert laid_out(REPAIRS, {}).text == (
        "bicycle repairs : | Ticket : T-01 … | brought in : 2024-01-03 … | State : done ; on hold | "
        "Mechanic : Ana Ruiz … ; – | Cost : 0 … ; – | Year built : 1987 …"
    )


def test_each_column_and_each_value_has_its_spot() -> None:
    text, spots = laid_out(REPAIRS, {})
    begins = [text[spot.start :] for spot in spots]
    assert [spot.place for spot in spots] == [TICKET, BROUGHT, STATE, STATE, STATE, MECHANIC, COST, YEAR]
    assert all(
        begin.startswith(spot.value or REPAIRS.table.columns[spot.place].name)
        for begin, spot in zip(begins, spots, strict=True)
    )


@pytest.mark.parametrize(
    ("question", "shown"),
    [("what is moss working on", ["Kit Moss"]), ("anything for cleo or dan", ["Cleo Ruiz", "Dan Ruiz"]), ("hello", [])],
)
def test_of_a_column_with_many_values_those_are_shown_that_the_question_comes_near_to(
    question: str, shown: list[str]
) -> None:
    near = near_values(REPAIRS, key_words(question, "en"), "en", {})
    assert [spot.value for spot in laid_out(REPAIRS, near).spots if spot.value and spot.place == MECHANIC] == shown


def test_a_value_that_the_question_names_is_shown_however_many_there_are() -> None:
    near = near_values(REPAIRS, ["t", "07"], "en", {"t 07": {TICKET: ["T-07"]}})
    assert "| Ticket : T-07 |" in laid_out(REPAIRS, near).text


# The plan


@pytest.mark.parametrize(
    ("question", "whole", "spots", "wanted"),
    [
        ("whats on hold", "list", {(STATE, "on hold"): ["="]}, Plan("rows", filters=(Filter(STATE, "=", ("on hold",)),), is_list=True)),
        ("how many has nobody picked up", "count", {(MECHANIC, None): ["missing"]}, Plan("rows", filters=(Filter(MECHANIC, "missing"),))),
        ("anything we did for nothing", "list", {(COST, None): ["zero"]}, Plan("rows", filters=(Filter(COST, "=", (0,)),), is_list=True)),
        ("dearest job", "", {(COST, None): ["highest"]}, Plan("highest", COST, limit=1)),
        ("three priciest, the top 3", "", {(COST, None): ["highest"]}, Plan("highest", COST, limit=3)),
        ("who gets most of the work", "count", {(MECHANIC, None): ["most"]}, Plan("rows", None, MECHANIC, limit=1)),
        ("who earned us least", "", {(COST, None): ["sum"], (MECHANIC, None): ["least"]}, Plan("sum", COST, MECHANIC, limit=1, ascending=True)),
        ("what each took in", "", {(COST, None): ["sum"], (MECHANIC, None): ["each"]}, Plan("sum", COST, MECHANIC)),
        ("how many over 80", "count", {(COST, None): [">"]}, Plan("rows", filters=(Filter(COST, ">", (80,)),))),
        ("what came in in march 2024", "list", {(BROUGHT, None): [">=", "<"]}, Plan("rows", filters=(Filter(BROUGHT, ">=", ("2024-03",)), Filter(BROUGHT, "<", ("2024-04",))), is_list=True)),
        ("bikes from before 1990", "count", {(YEAR, None): ["<"]}, Plan("rows", filters=(Filter(YEAR, "<", (1990,)),))),
        ("who do we have", "", {(MECHANIC, None): ["different"]}, Plan("different", MECHANIC, is_list=True)),
        ("how many people is that", "", {(MECHANIC, None): ["count_different"]}, Plan("different", MECHANIC)),
    ],
)  # fmt: skip
def test_the_likeliest_parts_make_a_plan(question: str, whole: str, spots: Spots, wanted: Plan) -> None:
    assert plan(question, whole, spots) == wanted


@pytest.mark.parametrize(
    ("question", "whole", "spots", "why"),
    [
        ("what is the weather", "none", {}, "nothing there answers"),
        ("how many over the limit", "count", {(COST, None): [">"]}, "a figure is missing"),
        ("how many between 20 and 80", "count", {(COST, None): [">"]}, "it is not clear which figure is meant"),
        ("how many in march 2024", "count", {}, "the plan has no part for a period"),
        ("how many over 80", "count", {}, "the plan has no part for a number"),
        ("which one has brakes in its name", "list", {(TICKET, None): ["contains"]}, "no such test is made"),
        ("show me", "list", {}, "all rows are no answer"),
        ("highest by mechanic", "", {(COST, None): ["highest"], (MECHANIC, None): ["most"]}, "these do not go together"),
    ],
)  # fmt: skip
def test_no_plan_is_made_where(question: str, whole: str, spots: Spots, why: str) -> None:
    assert plan(question, whole, spots) is None, why


def test_a_plan_is_as_likely_as_all_its_parts_together() -> None:
    layout = laid_out(REPAIRS, {})
    sure = scores(layout, "count", {(STATE, "done"): ["="]})
    assert likeliest(layout, sure).chance > 0.98
    doubted = [row[:] for row in sure.spots]
    doubted[0][len(MEASURES) + len(GROUPS) + TESTS.index("missing")] = -1.0
    assert likeliest(layout, TableReading(sure.whole, doubted)).chance == pytest.approx(0.73, abs=0.01)


# The answer

TICKETS = """ticket,state,mechanic,cost
T-1,done,Ana Ruiz,20
T-2,on hold,Ben Low,35.5
T-3,on hold,,0
"""


class StandIn(Embedder):
    """A reader that takes every question for one about what is on hold, and is so sure of it; or it dies of it."""

    ready = True  # type: ignore[assignment]

    def __init__(self, sure: float, *, dies: bool = False) -> None:
        super().__init__("stand-in", Path(), "", 4, reader=TrainedPart(Path(), "", ("en",), reads_tables=True))
        self._sure, self._dies = sure, dies
        self.texts: list[str] = []

    async def read_table(self, question: str, text: str, starts: Sequence[int]) -> TableReading:
        if self._dies:
            raise Unavailable("It died.")
        self.texts.append(text)
        whole = [self._sure if name in ("list", "ungrouped") else UNSURE for name in WHOLE]
        means = [text[start:].startswith("on hold") for start in starts]
        return TableReading(whole, [[UNSURE] * len(OF_COLUMN) + [SURE if meant else UNSURE, UNSURE] for meant in means])


async def answer(app: Starlette, client: httpx.AsyncClient, reader: StandIn, question: str) -> str:
    app.state.services.encoders.reader = reader
    doc_id = await upload(client, TICKETS, "tickets.csv")
    response = await client.post(f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": question}])
    assert response.status_code == 200, response.text
    return str(response.json()["answer"]["message"])


@pytest.mark.anyio
async def test_what_the_words_do_not_tell_is_answered_as_the_reader_takes_it(
    app: Starlette, client: httpx.AsyncClient
) -> None:
    reader = StandIn(SURE)
    said = await answer(app, client, reader, "how many are parked for now, which are they")
    assert reader.texts == [
        "tickets : | ticket : T-1 ; T-2 ; T-3 | state : done ; on hold | mechanic : Ana Ruiz ; Ben Low ; – | cost : 0 …"
    ]
    assert said.startswith(
        "Rows (state = on hold):\n- ticket: T-2; state: on hold; mechanic: Ben Low; cost: 35.5\n- ticket: T-3;"
    )
    assert said.endswith('(`SELECT * FROM "tickets.csv" WHERE "state" = \'on hold\'`)')


@pytest.mark.anyio
async def test_what_it_is_sure_of_goes_before_what_the_words_tell(app: Starlette, client: httpx.AsyncClient) -> None:
    question = "how many tickets are done?"
    assert (await answer(app, client, StandIn(-8.5), question)).startswith("Number of tickets (state = done): 1.")
    assert (await answer(app, client, StandIn(SURE), question)).startswith("Rows (state = on hold):")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("what percentage of tickets is done?", "Share of tickets"),
        ("median cost", "Median of cost"),
        ("what share of tickets got parked", "The documents do not say anything about this."),
    ],
)
async def test_what_it_has_no_part_for_is_left_to_the_words(
    app: Starlette, client: httpx.AsyncClient, question: str, begins: str
) -> None:
    reader = StandIn(SURE)
    assert (await answer(app, client, reader, question)).startswith(begins)
    assert not reader.texts


@pytest.mark.anyio
@pytest.mark.parametrize("reader", [StandIn(-8.5), StandIn(SURE, dies=True)], ids=["it is not sure", "it has died"])
async def test_the_words_that_were_not_understood_are_named_where(
    app: Starlette, client: httpx.AsyncClient, reader: StandIn
) -> None:
    said = await answer(app, client, reader, "how many tickets got parked?")
    assert said.startswith("I did not understand “parked”.")
