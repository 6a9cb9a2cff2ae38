"""Documents with several tables: which of them answers, tables on pages, and documents stored before tables were."""

import asyncio
import json
from pathlib import Path

import httpx
import pytest

from conftest import upload
from docqa import store
from docqa.formats import reading
from docqa.formats.page_tables import PageText, page_tables
from docqa.ingest.queue import Intake, ReadingQueue
from docqa.ingest.tables import store_missing_tables
from docqa.settings import Settings
from docqa.store.database import Database, connect, migrations
from docqa.store.table_plan import Plan
from docqa.tables.answer import MOST_TABLES
from workbooks import sheet, xlsx

pytestmark = pytest.mark.anyio

ORDERS = [
    ["Order ID", "Region", "Product", "Amount", "Status"],
    [1.0, "North", "Tea", 20.0, "open"],
    [2.0, "South", "Coffee", 30.5, "closed"],
    [3.0, "North", "Cocoa", 4.255, "open"],
    [4.0, "East", "Tea", 5.0, "closed"],
]
STAFF = [
    ["Employees of the shop"],
    ["Name", "Department", "Salary"],
    ["Ada Berg", "Sales", 52000.0],
    ["Ben Cole", "IT", 61000.0],
    ["Cora Dale", "IT", 58500.0],
    ["Total", None, 171500.0],
]
MONEY = "#,##0.00 [$€-407]"
BOOK = xlsx({"Orders": sheet(ORDERS, styles=[0, 0, 0, 1, 0]), "Staff": sheet(STAFF, styles=[0, 0, 1])}, formats=[MONEY])
RENTS = """Flats to let in Bergen

Flat\tRooms\tRent
Harbour\t2\t900
Hill\t3\t1,200
Park\t2\t1,050
Old town\t4\t1,650

All of them are furnished.
"""


async def ask(client: httpx.AsyncClient, doc_id: str, question: str) -> str:
    message = [{"sender": "user", "message": question}]
    response = await client.post(f"/v1/chat/{doc_id}?cite_source=true", json=message)
    assert response.status_code == 200, response.text
    return str(response.json()["answer"]["message"])


@pytest.fixture
async def book(client: httpx.AsyncClient) -> str:
    response = await client.post("/v1/api/upload", files={"file": ("shop.xlsx", BOOK)})
    assert response.status_code == 201, response.text
    return str(response.json()["doc_id"])


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("What is the total amount?", "Orders – Sum of Amount: 59.76 €."),
        ("How many orders are open?", "Orders – Number of orders (Status = open): 2."),
        ("What is the average salary in IT?", "Staff – Average of Salary (Department = IT): 59,750.00 €."),
        ("What is the total salary?", "Staff – Sum of Salary: 171,500.00 €."),
        ("How many people are on the staff in IT?", "Staff – "),
        ("What is the salary of Ada Berg?", "Staff – Salary (Name = Ada Berg): 52,000.00 €."),
    ],
)
async def test_the_sheet_answers_whose_columns_and_values_the_question_names(
    client: httpx.AsyncClient, book: str, question: str, start: str
) -> None:
    assert (await ask(client, book, question)).startswith(start)


async def test_rows_of_a_sheet_are_told_with_the_names_of_their_columns(client: httpx.AsyncClient, book: str) -> None:
    answer = await ask(client, book, "Who has the highest salary?")
    assert "- Name: Ben Cole; Department: IT; Salary: 61000.00 €" in answer


async def test_a_question_that_fits_several_sheets_alike_is_asked_back_unless_it_names_one(
    client: httpx.AsyncClient,
) -> None:
    data = xlsx({"Spring": sheet(ORDERS), "Autumn": sheet([ORDERS[0], *ORDERS[2:]])})
    doc_id = (await client.post("/v1/api/upload", files={"file": ("a.xlsx", data)})).json()["doc_id"]
    answer = await ask(client, doc_id, "What is the total amount?")
    assert answer == "Several tables fit this question: Spring, Autumn. Which one do you mean?"
    assert (await ask(client, doc_id, "What is the total amount in Autumn?")).startswith(
        "Autumn – Sum of Amount: 39.755"
    )


async def test_what_was_not_understood_is_named_with_the_columns_of_the_likeliest_sheet(
    client: httpx.AsyncClient, book: str
) -> None:
    answer = await ask(client, book, "What is the total amount of chartreuse?")
    assert answer == (
        "I did not understand “chartreuse”. The columns of Orders are: Order ID, Region, Product, Amount, Status."
    )


async def test_a_summary_says_what_each_sheet_holds(client: httpx.AsyncClient, book: str) -> None:
    answer = await ask(client, book, "What is this document about?")
    assert "Orders: A table with 4 rows and 5 columns" in answer
    assert "Staff: A table with 3 rows and 3 columns" in answer


# --- tables on pages --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("What is the average rent?", "Rent: average 1,200 (Harbour: 900;"),
        ("What is the total rent of all flats?", "Sum of Rent: 4,800."),
        ("How many flats have 2 rooms?", "Number of flats (Rooms = 2): 2."),
        ("What is the rent of the flat Hill?", "Hill, Rent: 1,200."),
    ],
)
async def test_rows_of_a_table_on_a_page_are_counted_and_looked_up(
    client: httpx.AsyncClient, question: str, start: str
) -> None:
    doc_id = await upload(client, RENTS, "flats.txt")
    assert (await ask(client, doc_id, question)).startswith(start)


async def test_rows_are_not_counted_by_a_column_without_a_name(client: httpx.AsyncClient) -> None:
    text = "Shops\n\n\t\t\tShops at the end\nHill Trading\t9\t1\t10\nLake Trading\t4\t2\t6\nPort Trading\t3\t1\t4\n"
    doc_id = await upload(client, text, "dealers.txt")
    assert "SELECT" not in await ask(client, doc_id, "How many people work for Hill Trading?")


async def test_other_questions_of_such_a_document_go_the_ordinary_way(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, RENTS, "flats.txt")
    assert "furnished" in await ask(client, doc_id, "Are the flats furnished?")


async def test_documents_without_tables_stand_in_nobodys_way(client: httpx.AsyncClient) -> None:
    letters = [f"Letter {number}\n\nThe flats were let on day {number}.\n" for number in range(MOST_TABLES)]
    members = [await upload(client, text, f"{number}.txt") for number, text in enumerate(letters)]
    members.append(await upload(client, RENTS, "flats.txt"))
    sent = {"documents": members, "messages": [{"sender": "user", "message": "What is the total rent of all flats?"}]}
    answer = (await client.post("/v1/api/knowledge_base_chat", json=sent)).json()["answer"]["message"]
    assert answer.startswith("Sum of Rent: 4,800.")


def test_a_table_that_goes_on_over_the_end_of_a_page_is_one() -> None:
    first = "Rents\n\nFlat\tRooms\tRent\nHarbour\t2\t900\nHill\t3\t1,200\n"
    tables, rows = page_tables([PageText(1, first), PageText(2, "Park\t2\t1,050\nOld town\t4\t1,650\n")])
    assert [table.headings for table in tables] == [("Flat", "Rooms", "Rent")]
    assert [(page, row.table, json.loads(row.values)[2]) for page, row in rows] == [
        (1, 0, 900),
        (1, 0, 1200),
        (2, 0, 1050),
        (2, 0, 1650),
    ]


def test_rows_of_totals_are_looked_up_but_not_counted() -> None:
    text = "Flat\tRooms\tRent\nHarbour\t2\t900\nHill\t3\t1,200\nPark\t2\t1,050\nTotal\t7\t3,150\n"
    _, rows = page_tables([PageText(1, text)])
    assert [bool(row.values) for _, row in rows] == [True, True, True, False]
    assert json.loads(rows[-1][1].cells) == ["Total", "7", "3,150"]


def test_numbers_of_a_sheet_are_counted_with_all_their_digits() -> None:
    extracted = reading.read_whole(BOOK, "a.xlsx")
    [page, _] = extracted.pages
    assert json.loads(page.rows[2].values)[3] == 4.255
    assert json.loads(page.rows[2].cells)[3] == "4.26 €"
    assert page.text[page.rows[2].start : page.rows[2].end].endswith("Cocoa\t4.26 €\topen")


# --- documents from before --------------------------------------------------------------------------------------------


async def test_a_document_without_stored_tables_is_looked_up_in_and_its_tables_are_stored(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    doc_id = await upload(client, RENTS, "flats.txt")
    db = await Database.open(settings.database)
    try:
        async with db.write() as conn:
            await conn.execute_fetchall("DELETE FROM document_table")
            await conn.execute_fetchall("UPDATE any_document SET tables_stored = 0")
        assert (await ask(client, doc_id, "What is the rent of the flat Hill?")).startswith("Hill, Rent: 1,200.")
        await store_missing_tables(Intake(db, ReadingQueue(settings), asyncio.Event()))
        async with db.read() as conn:
            [(count,)] = await conn.execute_fetchall("SELECT count(*) FROM table_row")
        assert count == 4
    finally:
        await db.close()
    assert (await ask(client, doc_id, "How many flats have 2 rooms?")).startswith("Number of flats")


async def test_the_table_of_a_csv_survives_the_migration(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    conn = connect(path)
    for number, sql in migrations():
        if number < 7:
            conn.executescript(sql)
    conn.executescript(
        """PRAGMA user_version = 6;
        INSERT INTO account (id, name, created) VALUES (1, 'a', '');
        INSERT INTO document (id, doc_id, account, name, kind, sha256, language, pages, created, state)
        VALUES (5, 'x', 1, 'rents.csv', 'csv', x'00', 'en', 1, '', 'ready');
        INSERT INTO table_column VALUES (5, 0, 'Flat', 'text', '', 0, 0), (5, 1, 'Rent', 'number', '€', 0, 0);
        INSERT INTO table_row VALUES (5, 0, 1, 10, '["Hill", 1200]'), (5, 1, 1, 30, '["Park", 1050]');
        INSERT INTO table_value VALUES (5, 'hill', 0, 'Hill'), (5, 'park', 0, 'Park');"""
    )
    conn.close()
    db = await Database.open(path)
    try:
        async with db.read() as reader:
            [table] = await store.tables.tables(reader, [5])
            assert [column.name for column in table.columns] == ["Flat", "Rent"]
            assert await store.tables.result(reader, table, Plan("sum", 1)) == [(2250,)]
            assert await store.tables.named_values(reader, [table.id], ["hill"]) == {table.id: {"hill": {0: ["Hill"]}}}
            assert await store.document_tables.next_without_tables(reader, 0) is None
    finally:
        await db.close()


def test_what_a_line_of_a_table_of_contents_heads_is_not_counted() -> None:
    text = "Cleaning the tank ........ 71\tSheet\nFilter\t80\nHopper\t81\nLids\t82\n"
    [table], rows = page_tables([PageText(1, text)])
    assert table.headings[1] == "Sheet"
    assert [bool(row.values) for _, row in rows] == [False] * 3


def test_a_table_of_contents_is_no_table() -> None:
    entries = "Report of the auditors\t37\nBalance sheet\t41\nNotes to the accounts\t43"
    assert page_tables([PageText(1, f"INDEX TO THE ACCOUNTS\n\n\tPage\n{entries}")]) == ([], [])
    [table], _ = page_tables([PageText(1, f"Printed\n\n\tCopies\n{entries}")])
    assert table.headings == ("", "Copies")


def test_a_table_of_contents_is_none_whatever_stands_over_its_pages() -> None:
    entries = "Introduction\t1\nSurvey of the houses\t4\nGlossary\tN/A\nTowns\t16\nPhotographs\t23"
    goes_on = "Inventory\t58\nReferences\t67\nIndex of names\t70"
    for first in ("Summary\ti", "Defined terms\tPage i iii"):
        pages = [PageText(1, f"Table of Contents\n\n{first}\n{entries}"), PageText(2, goes_on)]
        assert page_tables(pages) == ([], [])
    assert len(page_tables([PageText(1, goes_on)])[0]) == 1
    with_items = "Item 1\tBusiness\t5\nItem 1A\tRisk factors\t14\nItem 2\tProperties\t25\nItem 3\tLawsuits\t25"
    assert page_tables([PageText(1, f"Mill plc\n\nTable of Contents\n\nPart I\n\n{with_items}")]) == ([], [])
    assert len(page_tables([PageText(1, f"Mill plc\n\nPrices\n\nPart I\n\n{with_items}")])[0]) == 1
