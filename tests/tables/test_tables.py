"""Questions that a CSV answers by counting: what its cells are taken for, which questions are understood, and that the
figures are those of the rows."""

import csv
import io
import json
import random
import re
import sqlite3
from pathlib import Path
from statistics import fmean, median

import httpx
import pytest
from starlette.applications import Starlette

from conftest import client_of, key_for, upload
from docqa import store
from docqa.formats import reading
from docqa.formats.columns import Column, columns, value
from docqa.settings import Settings
from docqa.store.table_plan import Filter, Plan, StoredTable
from docqa.store.tables import Contents
from docqa.tables.counting.intent import Composer
from docqa.tables.counting.mentions import Reader
from docqa.tables.counting.roles import Form
from docqa.tables.counting.view import View
from docqa.tables.phrases import key_words
from docqa.text.detect import detect
from docqa.text.keys import key
from waiting import until

pytestmark = pytest.mark.anyio

ORDERS = """Order ID,Date,Region,Product,Units,Unit Price,Status
1001,2023-01-15,North,Green tea,10,"$1,250.00",open
1002,2023-03-02,South,Black tea,5,$80.50,closed
1003,2023-11-20,North,Coffee,7,$99.99,closed
1004,2024-02-01,East,Green tea,,$1250.00,open
1005,2024-05-30,South,Coffee,12,$40.00,cancelled
1006,2024-06-11,West,Cocoa,3,$5.25,open
"""


async def ask(
    client: httpx.AsyncClient, doc_id: str, question: str, query: str = ""
) -> tuple[str, list[dict[str, object]]]:
    """(answer, sources)."""
    response = await client.post(f"/v1/chat/{doc_id}?{query}", json=[{"sender": "user", "message": question}])
    assert response.status_code == 200, response.text
    return response.json()["answer"]["message"], response.json()["sources"]


def view(text: str, name: str) -> tuple[View, dict[str, dict[int, list[str]]]]:
    """A table as questions see it, and its values by their keys."""
    document = reading.read_whole(text.encode(), name)
    [known] = document.tables
    rows = [json.loads(row.values) for page in document.pages for row in page.rows]
    filled = [[str(cell) for cell in cells if cell is not None] for cells in zip(*rows, strict=True)]
    contents = Contents(
        len(rows),
        tuple(map(len, filled)),
        tuple(len(set(cells)) for cells in filled),
        tuple(min(cells, default=None) for cells in filled),
        {
            place: tuple(sorted(set(filled[place])))
            for place, column in enumerate(known.columns)
            if column.kind == "text"
        },
    )
    values: dict[str, dict[int, list[str]]] = {}
    for place, named, written in known.values:
        values.setdefault(named, {}).setdefault(place, []).append(written)
    return View(StoredTable(1, name, known.columns), contents), values


def planned(question: str, text: str = ORDERS, name: str = "orders.csv") -> Plan | None:
    """The plan of a question that is understood in full."""
    table, values = view(text, name)
    language = detect(question) or "en"
    tokens = key_words(question, language)
    mentions = Reader(table, tokens, language, values).mentions()
    intent = Composer(table, mentions, tokens, Form(language)).intent() if tokens else None
    return intent.plan if intent and not intent.unknown else None


@pytest.mark.parametrize(
    ("words", "near", "taken"),
    [("new jersey", "new jersey", []), ("new york", "york", []), ("aztec land", "aztec land", ["New Mexico"])],
)
def test_a_name_that_shares_a_word_with_another_is_not_taken_for_it(words: str, near: str, taken: list[str]) -> None:
    table, values = view("Shop,State\n1,New Mexico\n2,Utah\n3,Utah\n", "shops.csv")
    alike = {near: [(1, "New Mexico", 0.9)]}  # as an embedder finds
    mentions = Reader(table, words.split(), "en", values, alike).mentions()
    assert [value for mention in mentions for value in mention.values] == taken


@pytest.mark.parametrize(
    ("names", "word", "taken"),
    [
        ("Anna Berg\nTom Roe", "anna", ["Anna Berg"]),
        ("anna berg\ntom roe", "anna", ["anna berg"]),
        ("Green tea\nBlack tea", "green", []),
        ("New Mexico (NM)\nUtah (UT)", "new", []),
    ],
)
def test_people_are_called_by_their_first_names_and_nothing_else_is(names: str, word: str, taken: list[str]) -> None:
    table, values = view(
        "Customer Name,Orders\n" + "".join(f"{name},{at}\n" for at, name in enumerate(names.split("\n"))), "a.csv"
    )
    mentions = Reader(table, [word], "en", values, {}).mentions()
    assert [value for mention in mentions for value in mention.values] == taken


@pytest.mark.parametrize(
    ("question", "measure"),
    [
        ("how many employees?", None),
        ("how many dollars for employees?", "sum"),
        ("sum of employee costs", "sum"),
        ("how many units?", "sum"),
    ],
)
def test_how_many_adds_up_no_money_that_it_does_not_speak_of(question: str, measure: str | None) -> None:
    plan = planned(
        question,
        "Order ID,Segment,Employee Costs ($),Units\n1,North,$427,3\n2,South,$120,4\n3,West,$90,1\n",
        "costs.csv",
    )
    assert (plan and plan.measure) == measure


# --- cells ------------------------------------------------------------------------------------------------------------


def typed(*cells: str) -> tuple[Column, list[object]]:
    [column] = columns(["x"], [[cell] for cell in cells])
    return column, [value(cell, column) for cell in cells]


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1,234.50", "7"], [1234.5, 7]),
        (["1.234,50", "7"], [1234.5, 7]),
        (["1.234", "2,5"], [1234, 2.5]),
        (["1.234", "2.5"], [1.234, 2.5]),
        (["1,234", "5"], [1234, 5]),
        (["1.234.567", "2.000"], [1234567, 2000]),
        (["12,34,567", "5.5"], [1234567, 5.5]),
        (["12 345", "1'000"], [12345, 1000]),
        (["$ 5", "$1,250.00", "$-3"], [5, 1250, -3]),
        (["5 €", "7,50 €"], [5, 7.5]),
        (["USD 5", "USD 6"], [5, 6]),
        (["12 %", "3%"], [12, 3]),
        (["(380)", "20"], [-380, 20]),
        (["-5", "−6", "+7"], [-5, -6, 7]),
        (["1.5e3", "2E-1"], [1500, 0.2]),
        (["3 kg", "4 kg"], [3, 4]),
        (["5", "n/a", "", "–"], [5, None, None, None]),
        ([".5", "0.125"], [0.5, 0.125]),
    ],
)
def test_numbers_are_numbers(cells: list[str], numbers: list[float]) -> None:
    column, values = typed(*cells)
    assert column.kind == "number"
    assert values == numbers


@pytest.mark.parametrize(
    "cells",
    [
        ["007", "008"],
        ["$5", "€5"],
        ["3 kg", "4 lb"],
        ["1,5", "2.5"],
        ["5", "about 6"],
        ["12345678901234567890", "1"],
        ["1.2.3", "4.5.6"],
        ["(5", "6)"],
        ["0170 1234567", "030 123"],
        ["", "n/a"],
    ],
)
def test_what_is_no_number_throughout_stays_as_it_is_written(cells: list[str]) -> None:
    column, values = typed(*cells)
    assert column.kind == "text"
    assert values == [cell or None for cell in cells]


@pytest.mark.parametrize(
    ("cells", "dates"),
    [
        (["2024-01-31", "2024/2/1"], ["2024-01-31", "2024-02-01"]),
        (["31.01.2024", "1.2.2024"], ["2024-01-31", "2024-02-01"]),
        (["31/01/2024", "01/02/2024"], ["2024-01-31", "2024-02-01"]),
        (["01/31/2024", "02/01/2024"], ["2024-01-31", "2024-02-01"]),
        (["2024-01-31 12:30", ""], ["2024-01-31 12:30", None]),
        (["2024-01", "2024-02"], ["2024-01", "2024-02"]),
        (["3 Jan 2027", "31. Januar 2027", "May 2027"], ["2027-01-03", "2027-01-31", "2027-05"]),
        (["2024-01-31T12:30:00Z"], ["2024-01-31 12:30:00Z"]),
    ],
)
def test_dates_are_iso(cells: list[str], dates: list[str | None]) -> None:
    column, values = typed(*cells)
    assert column.kind == "date"
    assert values == dates


@pytest.mark.parametrize(
    "cells", [["01/02/2024", "03/04/2024"], ["31/01/2024", "01/31/2024"], ["31.02.2024", "01.02.2024"]]
)
def test_a_date_that_could_be_two_stays_as_it_is_written(cells: list[str]) -> None:
    assert typed(*cells)[0].kind == "text"


def test_the_marks_of_one_column_decide_for_another() -> None:
    typed_columns = columns(["a", "b"], [["1.234", "1,5"], ["2.345", "2,5"]])
    assert [value("1.234", typed_columns[0]), value("1,5", typed_columns[1])] == [1234, 1.5]


def test_a_cell_beyond_the_names_makes_it_no_table() -> None:
    assert reading.read_whole(b"a,b\n1,2\n3,4,5\n", "t.csv").tables == []
    assert reading.read_whole(b"a,b\n1,2,\n3,4,\n", "t.csv").tables != []


def test_a_last_row_of_totals_is_not_counted_twice() -> None:
    pages = reading.read_whole(b"item,price\nTea,2\nCake,3\nTotal,5\n", "t.csv").pages
    assert [row.values for page in pages for row in page.rows] == ['["Tea", 2]', '["Cake", 3]']
    assert pages[0].text.endswith("item: Total; price: 5\n")


def test_rows_know_where_their_line_begins() -> None:
    text = "id,remark\n" + "".join(f"{n},{'long ' * (n % 40)}{n}\n" for n in range(500)) + f"500,{'x' * 9000}\n"
    pages = reading.read_whole(text.encode(), "t.csv").pages
    rows = [(page, row.start) for page in pages for row in page.rows]
    assert len(rows) == 501
    assert all(page.text[start:].startswith(f"id: {number}; remark: ") for number, (page, start) in enumerate(rows))


def test_keys() -> None:
    assert key("Order_ID") == key("orderId") == "order id"
    assert key("Größe (cm)") == "große cm".replace("ß", "ss").replace("ö", "o")
    assert key("北京市") == "北 京 市"


# --- questions --------------------------------------------------------------------------------------------------------

OPEN = Filter(6, "=", ("open",))
NORTH = Filter(2, "=", ("North",))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many rows are there?", Plan("rows")),
        ("How many orders are open?", Plan("rows", filters=(OPEN,))),
        ("How many orders have the status open?", Plan("rows", filters=(OPEN,))),
        ("How many rows have units > 5?", Plan("rows", filters=(Filter(4, ">", (5,)),))),
        ("How many rows have more than 5 units?", Plan("rows", filters=(Filter(4, ">", (5,)),))),
        ("How many orders in 2023?", Plan("rows", filters=(Filter(1, ">=", ("2023",)), Filter(1, "<", ("2024",))))),
        (
            "How many orders after 3 January 2024?",
            Plan("rows", filters=(Filter(1, ">=", ("2024-01-04",)),)),
        ),
        (
            "How many orders in December 2023?",
            Plan("rows", filters=(Filter(1, ">=", ("2023-12",)), Filter(1, "<", ("2024-01",)))),
        ),
        ("Wie viele Zeilen vor dem 1. Mai 2024?", Plan("rows", filters=(Filter(1, "<", ("2024-05-01",)),))),
        ("Top twenty-one orders by units", Plan("highest", 4, limit=21)),
        (
            "Which orders are from after 2024-02-01?",
            Plan("rows", filters=(Filter(1, ">=", ("2024-02-02",)),), is_list=True),
        ),
        ("How many different products are there?", Plan("different", 3)),
        ("Number of orders per region", Plan("rows", group=2)),
        ("What is the total of units?", Plan("sum", 4)),
        ("Total units by region", Plan("sum", 4, 2)),
        ("What is the average price of green tea?", Plan("mean", 5, filters=(Filter(3, "=", ("Green tea",)),))),
        ("What is the median of the unit price in the North region?", Plan("median", 5, filters=(NORTH,))),
        ("Which order has the highest unit price?", Plan("highest", 5, limit=1)),
        ("What is the lowest unit price?", Plan("lowest", 5, limit=1)),
        ("Top 3 orders by units", Plan("highest", 4, limit=3)),
        ("Show me the three lowest unit prices", Plan("lowest", 5, limit=3)),
        ("The 2 largest orders by units", Plan("highest", 4, limit=2)),
        ("What is the latest date?", Plan("highest", 1, limit=1)),
        ("Highest price by region", Plan("highest", 5, 2)),
        ("Which region has the most orders?", Plan("rows", group=2, limit=1)),
        ("Which region has the lowest total units?", Plan("sum", 4, 2, limit=1, ascending=True)),
        ("List the orders with status open", Plan("rows", filters=(OPEN,), is_list=True)),
        (
            "Which products are in the region North or South?",
            Plan("different", 3, filters=(Filter(2, "=", ("North", "South")),), is_list=True),
        ),
        ("What regions are there?", Plan("different", 2, is_list=True)),
        ("Which rows have status open and region North?", Plan("rows", filters=(OPEN, NORTH), is_list=True)),
        ("Wie viele Zeilen gibt es?", Plan("rows")),
        ("Wie hoch ist die Summe von Units für die Region North?", Plan("sum", 4, filters=(NORTH,))),
        ("Welche Region hat die höchste Summe von Units?", Plan("sum", 4, 2, limit=1)),
        ("Combien de lignes ont le status open ?", Plan("rows", filters=(OPEN,))),
        ("Quelle est la moyenne de units par region ?", Plan("mean", 4, 2)),
        ("¿Cuántas filas tienen status open?", Plan("rows", filters=(OPEN,))),
        ("¿Cuál es la suma de units?", Plan("sum", 4)),
        ("Qual é a média de units por region?", Plan("mean", 4, 2)),
        ("units 的总和是多少？", Plan("sum", 4)),
        ("有多少行？", Plan("rows")),
        ("How many orders have no units?", Plan("rows", filters=(Filter(4, "missing"),))),
        ("How many orders are not open?", Plan("rows", filters=(Filter(6, "!=", ("open",)),))),
        ("Wie viele Zeilen haben keine Units?", Plan("rows", filters=(Filter(4, "missing"),))),
    ],
)
def test_common_shapes_are_understood(question: str, expected: Plan) -> None:
    assert planned(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "How many employees are there?",
        "How many orders were returned?",
        "Which rows have status open or region North?",
        "What is the total?",
        "What is the sum of units and the average of unit price?",
        "What is the minimum and maximum unit price?",
        "What is the sum of the status?",
        "What is the sum of order id?",
        "Why is the price of coffee so high?",
        "How many orders between 2 and 5 units?",
        "Is there a discount?",
        "Summarize the document.",
        "Who leads the North region?",
        "",
        "?",
    ],
)
def test_what_cannot_be_placed_is_no_question_for_the_table(question: str) -> None:
    assert planned(question) is None


def test_a_value_in_two_columns_is_that_of_the_column_that_is_named() -> None:
    trips = "Origin,Destination,Fare\nBergen,Oslo,5\nOslo,Bergen,6\nVoss,Oslo,7\n"
    to_bergen = planned("How many rows have destination Bergen?", trips, "trips.csv")
    assert to_bergen == Plan("rows", filters=(Filter(1, "=", ("Bergen",)),))


# --- answers ----------------------------------------------------------------------------------------------------------


async def test_the_result_comes_first_then_the_statement(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, ORDERS, "orders.csv")
    answer, sources = await ask(client, doc_id, "What is the total of units in the North region?")
    assert (
        answer
        == 'Sum of Units (Region = North): 17.\n\n(`SELECT sum("Units") FROM "orders.csv" WHERE "Region" = \'North\'`)'
    )
    assert sources == []


async def test_rows_are_quoted_word_for_word_with_their_passages(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, ORDERS, "orders.csv")
    answer, sources = await ask(client, doc_id, "Which order has the highest unit price?", "cite_source=true")
    assert answer.startswith("Highest value of Unit Price: $1,250.00.\n- Order ID: 1001; Date: 2023-01-15; ")
    assert (
        "\n- Order ID: 1004; Date: 2024-02-01; Region: East; Product: Green tea; Unit Price: $1250.00; Status: open [1]\n"
        in answer
    )
    page = (await client.get(f"/v1/api/documents/{doc_id}/pages/1")).json()
    assert [source["id"] for source in sources] == [1]
    assert str(sources[0]["source_chunk"]) in page["text"]
    assert sources[0]["page_number"] == 1


async def test_sources_are_the_passages_that_hold_the_rows(client: httpx.AsyncClient) -> None:
    lines = [f"{n},{'blue' if n in (3, 700) else 'red'}" for n in range(1000)]
    doc_id = await upload(client, "\n".join(["id,colour", *lines]), "t.csv")
    answer, sources = await ask(client, doc_id, "How many rows are blue?", "cite_source=true")
    assert answer.startswith("Number of rows (colour = blue): 2. [1] [2]")
    assert ["id: 3; colour: blue" in str(source["source_chunk"]) for source in sources] == [True, False]
    assert "id: 700; colour: blue" in str(sources[1]["source_chunk"])
    assert sources[1]["page_number"] > 1  # type: ignore[operator]


async def test_groups_are_listed_from_the_greatest_down(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, ORDERS, "orders.csv")
    answer, _ = await ask(client, doc_id, "Total units by region")
    assert answer.splitlines()[:5] == [
        "Sum of Units by Region:",
        "- North: 17",
        "- South: 17",
        "- West: 3",
        "- East: –",
    ]


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("Wie viele Zeilen haben den Status offen?", "Anzahl der Zeilen (Status = offen): 2.\n"),
        (
            "Wie hoch ist die Summe von Betrag nach Stadt?",
            "Summe von Betrag je Stadt:\n- Köln: 2.234,50 €\n- Ulm: 80,25 €\n",
        ),
        ("Was ist der höchste Betrag?", "Höchster Wert von Betrag: 1.234,50 €.\n- Stadt: Köln;"),
        ("Welche Städte gibt es?", "Stadt: 2.\n- Köln\n- Ulm\n"),
    ],
)
async def test_german(client: httpx.AsyncClient, question: str, start: str) -> None:
    doc_id = await upload(
        client,
        "Stadt;Betrag;Status\nKöln;1.234,50 €;offen\nKöln;1.000 €;bezahlt\nUlm;80,25 €;offen\n",
        "rechnungen.csv",
    )
    assert (await ask(client, doc_id, question))[0].startswith(start)


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("有多少行？", "行数: 3。"),
        ("销售额的总和是多少？", "销售额的总和: 65。"),
        ("北京的销售额总和是多少？", "销售额的总和 (城市 = 北京): 35。"),
        ("销售额最高的城市是哪个？", "北京: 35 (按城市：销售额的总和)。"),
        ("各城市的平均销售额", "按城市：销售额的平均值:\n- 上海: 30.00\n- 北京: 17.50\n"),
    ],
)
async def test_chinese(client: httpx.AsyncClient, question: str, start: str) -> None:
    doc_id = await upload(client, "城市,销售额\n北京,10\n上海,30\n北京,25\n", "销售.csv")
    assert (await ask(client, doc_id, question))[0].startswith(start)


async def test_the_answer_is_in_the_language_that_was_asked_for(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, ORDERS, "orders.csv")
    assert (await ask(client, doc_id, "How many rows are there?", "language=FRENCH"))[0].startswith(
        "Nombre de lignes: 6."
    )


async def test_it_is_streamed_as_other_answers_are(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, ORDERS, "orders.csv")
    messages = [{"sender": "user", "message": "How many rows are there?"}]
    text = (await client.post(f"/v1/chat/{doc_id}?stream=true&cite_source=true", json=messages)).text
    assert text.startswith("Number of rows: 6. [1]\n\n(`SELECT count(*)")
    assert "\n\nSources:\n[1] orders.csv, page 1: Order ID; Date;" in text


async def test_other_questions_go_the_ordinary_way(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, ORDERS, "orders.csv")
    answer, _ = await ask(client, doc_id, "Tell me about the cancelled coffee from May")
    assert "SELECT" not in answer


async def test_of_two_tables_the_one_that_fits_answers(client: httpx.AsyncClient) -> None:
    documents = [
        await upload(client, ORDERS, "orders.csv"),
        await upload(client, "Name,Salary\nA,10\nB,30\n", "staff.csv"),
    ]

    async def answer_to(question: str) -> str:
        body = {"documents": documents, "messages": [{"sender": "user", "message": question}]}
        return str((await client.post("/v1/api/knowledge_base_chat", json=body)).json()["answer"]["message"])

    assert (await answer_to("What is the average salary?")).startswith("Average of Salary: 20.00.")
    assert (
        await answer_to("How many rows are there?")
        == "Several tables fit this question: orders.csv, staff.csv. Which one do you mean?"
    )
    assert (await answer_to("How many rows are in staff.csv?")).startswith("Number of rows: 2.")


NASTY = '"; DROP TABLE document; --'


async def test_names_and_values_are_never_read_as_sql(client: httpx.AsyncClient, settings: Settings) -> None:
    out = io.StringIO()
    csv.writer(out).writerows(
        [["x'); DROP TABLE page; --", "row", 'a"b`c'], [NASTY, "1", "5"], ["' OR 1=1 --", "2", "6"], ["fine", "3", "7"]]
    )
    doc_id = await upload(client, out.getvalue(), "table_row.csv")
    other = await upload(client, out.getvalue() + "more,4,8\n", 'x"; DROP TABLE chunk; --.csv')
    for document in (doc_id, other):
        answer, _ = await ask(client, document, f"How many rows have {NASTY}?", "cite_source=true")
        assert "): 1." in answer
        answer, _ = await ask(client, document, "How many rows have ' OR 1=1 --?")
        assert "SELECT" not in answer or "): 1." in answer
        answer, _ = await ask(client, document, 'What is the sum of a"b`c?')
        assert '``SELECT sum("a""b`c") FROM ' in answer
    with sqlite3.connect(settings.database) as conn:
        assert conn.execute("SELECT count(*) FROM document").fetchone() == (2,)
        assert conn.execute("SELECT count(*) FROM page").fetchone() == (2,)


async def test_a_deleted_table_leaves_no_byte(client: httpx.AsyncClient, settings: Settings) -> None:
    doc_id = await upload(client, "Instrument,Preis\nXylophonquartett,5\nZwölftonorgel,6\n", "instrumente.csv")
    assert (await ask(client, doc_id, "Wie viele Zeilen gibt es?"))[0].startswith("Anzahl der Zeilen: 2.")
    assert any(b"Xylophonquartett" in file.read_bytes() for file in settings.data.iterdir())
    await client.delete(f"/v1/api/documents/{doc_id}")

    def left() -> bytes:
        return b"".join(file.read_bytes() for file in Path(settings.data).iterdir()).lower()

    await until(lambda: b"xylophon" not in left() and b"lftonorgel" not in left(), "it is erased", pause=0.1)
    with sqlite3.connect(settings.database) as conn:
        for table in ("table_column", "table_row", "table_value"):
            assert conn.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


async def test_another_account_s_table_is_not_asked(client: httpx.AsyncClient, stranger: httpx.AsyncClient) -> None:
    doc_id = await upload(client, ORDERS, "orders.csv")
    response = await stranger.post(
        f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": "How many rows are there?"}]
    )
    assert response.status_code == 404


async def test_a_statement_that_takes_too_long_is_given_up(app: Starlette, monkeypatch: pytest.MonkeyPatch) -> None:
    async with client_of(app, await key_for(app, "alice")) as client:
        doc_id = await upload(client, "n\n" + "\n".join(map(str, range(5000))), "t.csv")
        monkeypatch.setattr(store.tables, "SECONDS", -1.0)
        assert "SELECT" not in (await ask(client, doc_id, "What is the sum of n?"))[0]
        monkeypatch.undo()
        assert (await ask(client, doc_id, "What is the sum of n?"))[0].startswith("Sum of n: 12,497,500.")


@pytest.mark.parametrize("seed", range(3))
async def test_figures_are_those_of_the_rows(client: httpx.AsyncClient, seed: int) -> None:
    """Random tables, reckoned again from the file by other means."""
    random_ = random.Random(seed)
    rows = [
        (
            random_.choice(["red", "green", "blue"]),
            random_.choice([None, random_.randint(-50, 50)]),
            random_.randint(1, 10**6) / 100,
        )
        for _ in range(120)
    ]
    out = io.StringIO()
    csv.writer(out).writerows(
        [["colour", "size", "price"], *(("" if cell is None else cell for cell in row) for row in rows)]
    )
    doc_id = await upload(client, out.getvalue(), "t.csv")

    async def figure(question: str) -> float:
        number = re.search(r"(?<=: )-?[\d,.]+(?=\.( \[|\n))", (await ask(client, doc_id, question))[0])
        assert number, question
        return float(number[0].replace(",", ""))

    for colour in ("red", "green", "blue"):
        sizes = [size for name, size, _ in rows if name == colour and size is not None]
        prices = [price for name, _, price in rows if name == colour]
        assert await figure(f"How many rows have the colour {colour}?") == len(prices)
        assert await figure(f"What is the sum of size with colour {colour}?") == sum(sizes)
        assert await figure(f"What is the total price of {colour}?") == pytest.approx(sum(prices), abs=0.005)
        assert await figure(f"What is the average size of {colour}?") == pytest.approx(fmean(sizes), abs=0.0051)
        assert await figure(f"What is the median price of {colour}?") == pytest.approx(median(prices), abs=0.0051)
        assert await figure(f"What is the highest price of {colour}?") == max(prices)
        assert await figure(f"What is the lowest size of {colour}?") == min(sizes)
    assert await figure("How many rows have size > 10?") == sum(size is not None and size > 10 for _, size, _ in rows)
    top = sorted((price for _, _, price in rows), reverse=True)[:4]
    answer, _ = await ask(client, doc_id, "top 4 rows by price")
    assert [float(price) for price in re.findall(r"price: ([\d.]+)", answer)] == top
