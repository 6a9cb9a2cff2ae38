"""Questions that a table in a document answers: a cell, a change, the first of a rank; and those it leaves alone."""

import httpx
import pytest

from conftest import upload
from docqa.questions.question import Part
from docqa.tables.lookups.cells import Tables
from docqa.tables.lookups.lookup import is_sure, look_up
from docqa.tables.lookups.parts import answered
from docqa.tables.lookups.query import Query

pytestmark = pytest.mark.anyio

REPORT = """Harlow Mill, annual report

The mill sold more flour than ever. Rain damaged a part of the grain in spring, and the new oven was late.

Sales by region ($ in thousands)

Region | 2022 | 2023 | Target 2023
North | $410 | $455 | $440
South and islands | $388 | $362 | $400
Export | $95 | $120 | $100
Total | $893 | $937 | $940

Products

Product | Bags sold | Margin | Storage
Rye flour 5 kg | 2,310 | 31 % | dry place
Spelt flour | 1,045 | 44 % | cool place
Bran | 640 | 12 % | dry place

Discount by order

Order            Private     Trade
under 10 bags    0 %         5 %
10 to 49 bags    4 %         9 %
50 or more       8 %         14 %

Error codes of the oven

Code | Meaning | Remedy
E7 | Door open | Close the door
E9 | Burner fault | Call the service
E12 | Water low | Fill the tank
"""


async def ask(client: httpx.AsyncClient, question: str, query: str = "") -> tuple[str, list[dict[str, object]]]:
    doc_id = await upload(client, REPORT, "harlow.txt")
    response = await client.post(f"/v1/chat/{doc_id}?{query}", json=[{"sender": "user", "message": question}])
    assert response.status_code == 200, response.text
    return response.json()["answer"]["message"], response.json()["sources"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What were sales in the North in 2022?", "North, 2022: $410 thousand."),
        ("export sales 2023?", "Export, 2023: $120 thousand."),
        ("How many bags of spelt flour were sold?", "Spelt flour, Bags sold: 1,045."),
        ("what is the margin on bran", "Bran, Margin: 12 %."),
        ("what discount does a trade order of 30 bags get?", "10 to 49 bags, Trade: 9 %."),
        ("what does error E9 stand for, meaning?", "E9, Meaning: Burner fault."),
        ("Which product has the best margin?", "Spelt flour, Margin: 44 %."),
        ("which product has the lowest margin", "Bran, Margin: 12 %."),
        ("Which regions missed their target?", "South and islands ($362 thousand against $400 thousand)."),
        (
            "How much did sales in the North grow?",
            "North rose by 11.0 % ($45 thousand) from $410 thousand (2022) to $455 thousand (2023).",
        ),
        (
            "what was the change in export sales from 2022 to 2023?",
            "Export rose by 26.3 % ($25 thousand) from $95 thousand (2022) to $120 thousand (2023).",
        ),
        (
            "what were average sales in the North in 2022 and 2023?",
            "North: average $432 thousand (2022: $410 thousand; 2023: $455 thousand).",
        ),
        ("In which year were export sales higher?", "2023 (Export: $120 thousand)."),
        ("What were export sales in 2022 and 2023?", "Export: 2022: $95 thousand; 2023: $120 thousand."),
    ],
)
async def test_what_a_table_answers(client: httpx.AsyncClient, question: str, answer: str) -> None:
    assert (await ask(client, question))[0] == answer


async def test_the_source_is_the_passage_that_holds_the_row(client: httpx.AsyncClient) -> None:
    answer, [source] = await ask(client, "what is the margin on bran", "cite_source=true")
    assert answer == "Bran, Margin: 12 %. [1]"
    assert "Bran | 640 | 12 % | dry place" in str(source["source_chunk"])


@pytest.mark.parametrize(
    "question",
    [
        "Why was the new oven late?",
        "What damaged a part of the grain?",
        "What were sales in the North in 2019?",
        "What is the profit of the export business?",
        "How is the margin calculated?",
        "Does the mill sell bran?",
        "Who runs the mill?",
    ],
)
async def test_what_it_leaves_to_the_passages(client: httpx.AsyncClient, question: str) -> None:
    answer, _ = await ask(client, question)
    assert not any(mark in answer for mark in (", 2022:", ", 2023:", ", Margin:", "rose by", ", Bags sold:"))


SHOPS = """Harlow Mill, the second quarter

Shops by name

 | 2024 Bags at start of second quarter | 2024 Bags at end of second quarter | 2023 Bags at end of second quarter
Lakeside | 32 | 41 | 33
Old Harbour | 20 | 24 | 16
"""
ACCOUNTS = """Accounts ($ in thousands)

Item | 2024 | 2023
Revenue | 912 | 893
Cost of sales | 700 | 640
Wages | 120 | 110
"""


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (
            SHOPS,
            "How many bags had Old Harbour at the end of the quarter?",
            "Old Harbour, 2024 Bags at end of second quarter: 24.",
        ),
        (ACCOUNTS, "How high were sales in 2024?", "Revenue, 2024: $912 thousand."),  # neither their cost
    ],
)
async def test_the_column_and_the_row_that_are_meant(
    client: httpx.AsyncClient, text: str, question: str, answer: str
) -> None:
    doc_id = await upload(client, text, "shops.txt")
    response = await client.post(f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": question}])
    assert response.json()["answer"]["message"] == answer


RESULTS = """Results of the laboratory

Parameter\tResult\tShould be
Potassium\t5.4 mmol/l\t3.5 - 5.1
Platelets\t231 /nl\t150 - 400
LDL-Cholesterol\t162 mg/dl\t< 116
"""
STATEMENT = """Account statement

Date\tDescription\tPaid out\tPaid in
4 Apr\tSalary, Northgate\t\t2,310.40
7 Apr\tTesco Stores\t64.12\t
18 Apr\tRefund, Argos\t\t39.99
"""


@pytest.mark.parametrize(
    ("text", "question", "right", "wrong"),
    [
        (RESULTS, "How high is the potassium?", "Result 5.4 mmol/l", ""),
        (RESULTS, "How high is the LDL value?", "Result 162 mg/dl", ""),
        (RESULTS, "Potassium?", "Result 5.4 mmol/l; Should be 3.5 - 5.1.", ""),
        (RESULTS, "How many platelets are there?", "Platelets, Result: 231 /nl.", ""),
        (STATEMENT, "When was the salary paid?", "4 Apr", "Salary, Northgate, Paid in: 2,310.40."),
        (STATEMENT, "How much did I spend in total?", "", "2,350.39"),
    ],
)
async def test_a_value_is_of_the_kind_that_is_asked_for(
    client: httpx.AsyncClient, text: str, question: str, right: str, wrong: str
) -> None:
    doc_id = await upload(client, text, "a.txt")
    response = await client.post(f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": question}])
    answer = response.json()["answer"]["message"]
    assert right in answer and not (wrong and wrong in answer), answer


def test_a_name_with_a_word_for_sales_in_it_is_no_turnover() -> None:
    names = ("Pacific Sales", *(f"{name} shop" for name in ("Hill", "Ford", "Bridge", "Tower", "Gate", "Park", "Mill")))
    rows = "\n".join(f"{name} | 7 | 9" for name in names)
    tables = Tables.of(1, [(1, f"Name | 2024 Bags in second quarter | 2023 Bags in second quarter\n{rows}\n")])
    question = ["what", "was", "the", "revenue", "in", "the", "second", "quarter"]
    assert not is_sure(look_up(Query(question, "en", tables, wants_number=True)))


def test_a_value_that_its_row_is_named_by_answers_nothing() -> None:
    rows = "Income:Interest | Income\nIncome:Rent | Income\nCosts:Water | 40"
    tables = Tables.of(1, [(1, f"Account | Paid in\n{rows}\n")])
    assert answered(tables, Part("What is interest?", "en"), "en") is None
    assert answered(tables, Part("What are the costs for water?", "en"), "en") is not None


async def test_one_value_does_not_answer_two_questions(client: httpx.AsyncClient) -> None:
    answer, _ = await ask(client, "How many bags of bran were sold and how many bags of bran are in store?")
    assert answer.count("Bran, Bags sold: 640.") < 2


async def test_amounts_in_a_column_without_a_name_are_not_summed(client: httpx.AsyncClient) -> None:
    text = (
        "The fund pays people who fell ill.\n\n | Actual 2004 | Actual 2005 | \n"
        "Filed | 1,200 | 1,340 | $1,500\nApproved | 900 | 950 | $1,100\nDenied | 300 | 390 | $400\n"
    )
    doc_id = await upload(client, text)
    for question in ("how many people got money", "how much money is there in total"):
        chat = await client.post(f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": question}])
        assert "3,000" not in chat.json()["answer"]["message"], question


DEFECTS = """Defects found in the meter room

No. | Device | Defect | Status | Repaired by
1 | Door | does not lock | open | Kestrel
2 | Lamp | flickers | repaired | caretaker
3 | Pipe | drips | open | caretaker

The caretaker comes on Mondays.
"""


@pytest.mark.parametrize(
    ("question", "devices"),
    [
        ("Which defects are still open?", ["does not lock", "drips"]),
        ("which devices does the caretaker have?", ["Lamp", "Pipe"]),
        ("what is open?", ["Door", "Pipe"]),
    ],
)
async def test_the_rows_that_fulfil_a_condition_are_listed(
    client: httpx.AsyncClient, question: str, devices: list[str]
) -> None:
    doc_id = await upload(client, DEFECTS, "defects.txt")
    response = await client.post(f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": question}])
    answer = response.json()["answer"]["message"]
    items = [line for line in answer.splitlines() if line.startswith("- ")]
    assert len(items) == len(devices)
    assert all(device in item for device, item in zip(devices, items, strict=True))
