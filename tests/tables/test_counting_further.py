"""Questions about the rows of a table that go on from the one before, want yes or no, a whole row, or set columns and
groups against each other."""

import re

import httpx
import pytest

from conftest import upload

pytestmark = pytest.mark.anyio

STOCK = """Item no.,Name,Group,Store,Stock,Minimum stock,Unit price (EUR),Monthly fee (EUR)
K-1,Copper pipe,Pipes,North,40,50,3.50,1.00
K-2,Steel pipe,Pipes,South,90,20,5.00,2.00
K-3,Ball valve,Valves,North,4,10,12.25,1.50
K-4,Gate valve,Valves,South,16,10,20.00,3.00
K-5,Brush,Tools,South,7,2,1.75,0.50
"""
VISITS = """Visit,Day,Ward,Nurse,Reason,Fee (GBP),Paid
V1,2024-01-05,East,Ida Holm,Check,40.00,yes
V2,2024-01-19,West,Jon Berg,Injury,90.00,no
V3,2024-02-02,East,Ida Holm,Injury,120.50,no
V4,2024-02-20,West,Ida Holm,Check,35.00,yes
V5,2024-03-04,East,Ida Holm,Vaccination,20.00,yes
"""


READINGS = """Site,Month,Power (kWh),Cost (EUR)
Mill,2024-01,100,40.50
Mill,2024-02,80,30.50
Barn,2024-01,20,9.50
Barn,2024-02,70,25.00
"""


async def chat(client: httpx.AsyncClient, content: str, name: str, *questions: str) -> tuple[str, list[str]]:
    """(the answer to the last of the questions, the passages that it cites)."""
    doc_id = await upload(client, content, name)
    messages: list[dict[str, str]] = []
    for question in questions:
        messages.append({"sender": "user", "message": question})
        response = await client.post(f"/v1/chat/{doc_id}?cite_source=true", json=messages)
        assert response.status_code == 200, response.text
        known = response.json()
        messages.append({"sender": "bot", "message": known["answer"]["message"]})
    return messages[-1]["message"], [source["source_chunk"] for source in known["sources"]]


def without_marks(answer: str) -> str:
    """The answer without the marks of its sources."""
    return re.sub(r" \[\d+\]", "", answer)


@pytest.mark.parametrize(
    ("questions", "start"),
    [
        (("how many visits did Ida Holm have?", "how many of them were injuries?"), "(Nurse = Ida Holm, Reason = Injury): 1."),
        (("how many visits did Ida Holm have?", "and Jon Berg?"), "(Nurse = Jon Berg): 1."),
        (("what were the fees in the East ward?", "and in the West ward?"), "Sum of Fee (Ward = West): 125.00 GBP."),
        (("which nurse had the most visits?", "and the fewest?"), "Jon Berg: 1 (number of visits by Nurse)"),
        (("which visit had the highest fee?", "who was its nurse?"), "Ida Holm."),
        (("how many visits did Ida Holm have?", "how many visits are there in West?"), "Number of visits (Ward = West): 2."),
    ],
)  # fmt: skip
async def test_a_message_goes_on_from_the_question_before(
    client: httpx.AsyncClient, questions: tuple[str, ...], start: str
) -> None:
    answer, _ = await chat(client, VISITS, "visits.csv", *questions)
    assert start in answer


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("is there any visit over 100 pounds?", "Yes: Rows (Fee (GBP) > 100.00):"),
        ("is there a visit over 500 pounds?", "No: Number of rows (Fee (GBP) > 500.00): 0."),
        ("did Jon Berg have a vaccination?", "No: Number of rows (Nurse = Jon Berg, Reason = Vaccination): 0."),
        ("are there more injuries than checks?", "No: Number of rows by Reason (Reason = Injury / Check):"),
        ("are there more visits in East than in West?", "Yes: Number of visits by Ward (Ward = East / West):"),
        ("are there fewer visits in East than in West?", "No: Number of visits by Ward (Ward = East / West):"),
    ],
)
async def test_yes_or_no_is_told_by_the_rows(client: httpx.AsyncClient, question: str, start: str) -> None:
    answer, _ = await chat(client, VISITS, "visits.csv", question)
    assert without_marks(answer).startswith(start)


async def test_where_there_are_none_it_cites_what_stands_there_instead(client: httpx.AsyncClient) -> None:
    answer, passages = await chat(client, VISITS, "visits.csv", "did Jon Berg have a vaccination?")
    assert answer.startswith("No: ") and any("Jon Berg" in passage for passage in passages)


@pytest.mark.parametrize("question", ["are all visits in East paid?", "has every visit been paid?"])
async def test_what_is_said_of_all_rows_is_no_question_whether_there_is_one(
    client: httpx.AsyncClient, question: str
) -> None:
    answer, _ = await chat(client, VISITS, "visits.csv", question)
    assert not answer.startswith(("Yes", "No:"))


@pytest.mark.parametrize(
    "question",
    [
        "who is the nurse of V2 and how much was it?",
        "V2 how much was that and who was the nurse",
        "V2 what was that about and where was it",
    ],
)
async def test_of_a_row_that_is_named_all_is_shown_where_several_things_are_asked(
    client: httpx.AsyncClient, question: str
) -> None:
    answer, _ = await chat(client, VISITS, "visits.csv", question)
    assert "Nurse: Jon Berg; Reason: Injury; Fee (GBP): 90.00" in answer


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("how many items are below the minimum stock?", "Number of items (Stock < Minimum stock): 2."),
        ("what percent of the stock is pipes?", "Share of Stock (Group = Pipes): 82.8 % (130 of 157)."),
        ("what do the valves pay per month all together?", "Sum of Monthly fee (Group = Valves): 4.50 EUR."),
        ("how much stock is there in the south?", "Sum of Stock (Store = South): 113."),
        ("what is the most expensive item, and where is it?", "Highest value of Unit price: 20.00 EUR."),
        ("how many items do we have over the two years?", "Number of items: 5."),
        (
            "which 2 items have the most stock?",
            "Highest value of Stock:\n- Item no.: K-2; Name: Steel pipe; Stock: 90",
        ),
    ],
)
async def test_columns_and_sums(client: httpx.AsyncClient, question: str, start: str) -> None:
    answer, _ = await chat(client, STOCK, "stock.csv", question)
    assert without_marks(answer).startswith(start)


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("which was the cheapest month", "January 2024: 50.00 EUR (sum of Cost by month). Next: February 2024: 55.50 EUR."),
        ("what did all sites cost together", "Sum of Cost: 105.50 EUR."),
        ("how much power did the mill use over the two years", "Sum of Power (Site = Mill): 180 kWh."),
        ("cost of the barn in january", "Sum of Cost (Month = January, Site = Barn): 9.50 EUR."),
    ],
)  # fmt: skip
async def test_months_as_a_column(client: httpx.AsyncClient, question: str, start: str) -> None:
    answer, _ = await chat(client, READINGS, "readings.csv", question)
    assert without_marks(answer).startswith(start)


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("what was the biggest sale?", "Highest value of Total: 90.00."),
        ("is there a sale over 80 euros?", "Yes: Rows (Total > 80.00):"),
        ("how much money did Ulm bring in", "Sum of Total (Town = Ulm): 40.00."),
    ],
)
async def test_a_total_beside_prices_is_of_money(client: httpx.AsyncClient, question: str, start: str) -> None:
    content = "Sale no.,Product,Quantity,Unit price,Total,Town\n1,Pen,4,10.00,40.00,Ulm\n2,Ink,6,15.00,90.00,Bonn\n"
    answer, _ = await chat(client, content + "3,Lamp,1,60.00,60.00,Bonn\n", "sales.csv", question)
    assert without_marks(answer).startswith(start)


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("what do the claims in euros add up to", "Sum of Amount (Currency = EUR): 150.00."),
        ("is there any claim over 70 US dollars?", "No: Number of rows (Amount > 70.00, Currency = USD): 0."),
        ("Wie viele Zeilen sind in Pfund?", "Anzahl der Zeilen (Currency = GBP): 1."),
    ],
)
async def test_a_currency_is_known_by_its_name_where_a_column_has_codes(
    client: httpx.AsyncClient, question: str, start: str
) -> None:
    content = "Claim no.,Staff,Amount,Currency\nC-1,Ada,50.00,EUR\nC-2,Ben,100.00,EUR\nC-3,Ada,60.00,USD\n"
    answer, _ = await chat(client, content + "C-4,Cleo,90.00,GBP\n", "claims.csv", question)
    assert without_marks(answer).startswith(start)


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("how many kilometres did Ada drive?", "Sum of km (Driver = Ada): 150."),
        ("Wie viele Liter hat Ben verbraucht?", "Summe von Fuel (Driver = Ben): 9 l."),
        ("who drove the most kilometers", "Ada: 150 (sum of km by Driver)."),
    ],
)
async def test_a_unit_is_known_by_its_name(client: httpx.AsyncClient, question: str, start: str) -> None:
    content = "Trip no.,Driver,km,Fuel (l)\nT-1,Ada,50,4\nT-2,Ben,120,9\nT-3,Ada,100,8\n"
    answer, _ = await chat(client, content, "trips.csv", question)
    assert without_marks(answer).startswith(start)


async def test_a_word_for_what_a_row_is_groups_nothing(client: httpx.AsyncClient) -> None:
    answer, _ = await chat(client, VISITS, "visits.csv", "average fee per visit")
    assert answer.startswith("Average of Fee: 61.10 GBP.")


async def test_whether_there_is_one_is_told_with_what_tells_it_apart(client: httpx.AsyncClient) -> None:
    answer, _ = await chat(client, VISITS, "visits.csv", "is there any visit over 100 pounds?")
    assert "- Visit: V3; Fee: 120.50 GBP [1]" in answer


async def test_a_question_whose_measure_is_not_known_has_no_other_figure(client: httpx.AsyncClient) -> None:
    answer, _ = await chat(client, VISITS, "visits.csv", "what is the average age in East?")
    assert "I did not understand" in answer and "SELECT" not in answer


LOTS = """# Site meeting

| Lot | Firm | Progress (%) | Delay (weeks) |
|---|---|---|---|
| 1 Masonry | Grobau | 80 | 0 |
| 2 Roof | Zimmer | 40 | 3 |
| 3 Windows | Glas | 20 | 5 |
| 4 Wiring | Volt | 30 | 2 |
"""


@pytest.mark.parametrize(
    ("question", "lots"),
    [
        ("which lots have more than 2 weeks of delay", [2, 3]),
        ("which lots have a delay of 2 weeks or more", [2, 3, 4]),
        ("which lots are delayed by more than 3 weeks?", [3]),
        ("which lots are delayed by more than a week", [2, 3, 4]),
        ("which lots are less than 40 % done", [3, 4]),
        ("lots with a progress of 40 % or less", [2, 3, 4]),
        ("which lots have no delay?", [1]),
    ],
)
async def test_rows_on_a_page_are_chosen_by_amounts_in_the_unit_of_their_column(
    client: httpx.AsyncClient, question: str, lots: list[int]
) -> None:
    answer, _ = await chat(client, LOTS, "meeting.md", question)
    assert [int(number) for number in re.findall(r"- Lot: (\d)", answer)] == lots


async def test_a_limit_is_no_rank_in_french(client: httpx.AsyncClient) -> None:
    table = LOTS.replace("Delay (weeks)", "Retard (semaines)").replace("Progress", "Avancement")
    answer, _ = await chat(client, table, "chantier.md", "quels lots ont 2 semaines de retard ou plus ?")
    assert [int(number) for number in re.findall(r"- Lot: (\d)", answer)] == [2, 3, 4]


async def test_credit_notes_among_bills_are_not_what_is_spent(client: httpx.AsyncClient) -> None:
    bills = "".join(f"B-{number},Osprey,{number}0.00\n" for number in range(1, 21))
    ledger = f"Bill no.,Supplier,Gross (GBP)\n{bills}B-21,Osprey,-50.00\n"
    answer, _ = await chat(client, ledger, "ledger.csv", "what is the gross spend at Osprey in total?")
    assert "2,050.00 GBP" in answer
