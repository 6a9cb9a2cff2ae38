"""Questions about the rows of a CSV as people ask them: by meaning, not by the names of columns and values."""

import httpx
import pytest

from conftest import upload

pytestmark = pytest.mark.anyio

REPAIRS = """Repair no.,Received,Returned,Branch,Technician,Device,Cost (EUR),Rating (1-5),Warranty
R-1,2024-01-03,2024-01-05,Harbour,Ida Holm,Phone,40.00,5,yes
R-2,2024-01-09,2024-01-10,Harbour,Ida Holm,Laptop,110.50,4,no
R-3,2024-02-02,2024-02-09,Market,Jon Berg,Phone,60.00,2,no
R-4,2024-02-11,,Market,Ida Holm,Tablet,,,yes
R-5,2024-02-20,2024-02-22,Harbour,Jon Berg,Laptop,95.50,3,no
R-6,2024-05-01,,Hill Street,Ida Holm,Phone,,,no
"""
VERLEIH = """Leih-Nr;Abgeholt;Zurückgegeben;Kunde;Fahrrad;Standort;Miete (€);Tage
V1;01.03.2024;03.03.2024;Anna Roth;Tourenrad;Ulm;30,00;2
V2;05.03.2024;;Bernd Kurz;E-Bike;Ulm;80,00;4
V3;02.04.2024;08.04.2024;Anna Roth;E-Bike;Jena;120,00;6
V4;09.04.2024;10.04.2024;Clara Witt;Tourenrad;Jena;15,00;1
"""


async def ask(client: httpx.AsyncClient, content: str, name: str, question: str, query: str = "") -> str:
    doc_id = await upload(client, content, name)
    response = await client.post(f"/v1/chat/{doc_id}?{query}", json=[{"sender": "user", "message": question}])
    assert response.status_code == 200, response.text
    return str(response.json()["answer"]["message"])


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("how many repairs were there in total?", "Number of repairs: 6.\n"),
        ("how much money did we make altogether", "Sum of Cost: 306.00 EUR.\n"),
        ("average cost for laptops", "Average of Cost (Device = Laptop): 103.00 EUR.\n"),
        ("which device was repaired most often in Harbour?", "Laptop: 2 ("),
        ("which branch had the most phones?", "Harbour: 1; Hill Street: 1; Market: 1 ("),
        ("who handled the most repairs?", "Ida Holm: 4 (number of repairs by Technician). Next: Jon Berg: 2.\n"),
        ("how many phones came in", "Number of rows (Device = Phone): 3.\n"),
        ("repairs by device please", "Number of repairs by Device:\n- Phone: 3\n- Laptop: 2\n- Tablet: 1\n"),
        ("what percentage were phones?", "Share of rows (Device = Phone): 50.0 % (3 of 6).\n"),
        ("what % of repairs were under warranty?", "Share of repairs (Warranty = yes): 33.3 % (2 of 6).\n"),
        ("which month was the busiest", "February 2024: 3 (number of rows by month). Next: January 2024: 2; "),
        ("how many repairs per quarter", "Number of repairs by quarter:\n- Q1 2024: 5\n- Q2 2024: 1\n"),
        (
            "which repair had the biggest cost and how much was it",
            "Highest value of Cost: 110.50 EUR.\n- Repair no.: R-2;",
        ),
        (
            "how long does it take on average from receiving to returning?",
            "Average of time from Received to Returned: 3 days.\n",
        ),
        (
            "which technician has the best rating",
            "Ida Holm: 4.50 (average of Rating by Technician). Next: Jon Berg: 2.50.\n",
        ),
        ("top 2 branches by cost", "Sum of Cost by Branch:\n- Harbour: 246.00 EUR\n- Market: 60.00 EUR\n"),
        (
            "did we spend more on phones or on laptops?",
            "Sum of Cost by Device (Device = Phone / Laptop):\n- Laptop: 206.00 EUR\n- Phone: 100.00 EUR\n",
        ),
        ("how many are not returned yet?", "Number of rows (Returned is empty): 2.\n"),
        ("how many repairs have no cost", "Number of repairs (Cost (EUR) is empty): 2.\n"),
        ("how many laptops in january 2024", "Number of rows (Received: January 2024, Device = Laptop): 1.\n"),
        ("how many repairs over 90 euros", "Number of repairs (Cost (EUR) > 90.00): 2.\n"),
        ("who repaired R-5?", "Technician (Repair no. = R-5): Jon Berg.\n"),
        ("what was our best month", "February 2024: 155.50 EUR (sum of Cost by month). Next: January 2024: 150.50 EUR"),
        ("how many repairs without warranty", "Number of repairs (Warranty ≠ yes): 4.\n"),
        ("cost in Q1", "Sum of Cost (Received = Q1): 306.00 EUR.\n"),
        ("what is the rating of R-3", "Rating (1-5) (Repair no. = R-3): 2.\n"),
        (
            "how many repairs are there and what is the average rating?",
            'Number of repairs: 6.\n\n(`SELECT count(*) FROM "repairs.csv"`)\n\nAverage of Rating: 3.50.\n',
        ),
    ],
)
async def test_as_people_ask(client: httpx.AsyncClient, question: str, start: str) -> None:
    assert (await ask(client, REPAIRS, "repairs.csv", question)).startswith(start)


@pytest.mark.parametrize(
    ("question", "second"),
    [
        ("who handled the most repairs and what did they cost", "Sum of Cost (Technician = Ida Holm): 150.50 EUR."),
        (
            "which branch is the busiest and how many laptops did it have",
            "Number of rows (Branch = Harbour, Device = Laptop): 2.",
        ),
        (
            "which repairs were over 90 euros and how many of them were phones",
            "Number of rows (Cost (EUR) > 90.00, Device = Phone): 0.",
        ),
        (
            "who handled the fewest repairs and what was their average rating",
            "Average of Rating (Technician = Jon Berg): 2.50.",
        ),
        (
            "which repair had the highest cost and how many days did it take",
            "Average of time from Received to Returned (Cost (EUR) = 110.50): 1 days.",
        ),
        ("how many repairs are there and what is the average rating?", "Average of Rating: 3.50."),
    ],
)
async def test_a_part_that_points_back_is_asked_of_the_rows_before_it(
    client: httpx.AsyncClient, question: str, second: str
) -> None:
    answer = await ask(client, REPAIRS, "repairs.csv", question)
    assert answer.split("\n\n")[2].partition(" [")[0] == second, answer


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("Wie viel Umsatz haben wir 2024 insgesamt gemacht?", "Summe von Miete (Abgeholt: 2024): 245,00 €.\n"),
        ("Umsatz je Standort", "Summe von Miete je Standort:\n- Jena: 135,00 €\n- Ulm: 110,00 €\n"),
        ("Welcher Kunde hat am meisten Umsatz gebracht?", "Anna Roth: 150,00 € (Summe von Miete je Kunde). Danach: "),
        ("Wie viel Prozent wurden zurückgegeben?", "Anteil Zeilen (Zurückgegeben ist angegeben): 75,0 % (3 von 4).\n"),
        ("Durchschnittsmiete in Ulm?", "Durchschnitt von Miete (Standort = Ulm): 55,00 €.\n"),
        ("Bei wie vielen fehlt Zurückgegeben?", "Anzahl der Zeilen (Zurückgegeben fehlt): 1.\n"),
    ],
)
async def test_as_people_ask_in_german(client: httpx.AsyncClient, question: str, start: str) -> None:
    assert (await ask(client, VERLEIH, "verleih.csv", question)).startswith(start)


@pytest.mark.parametrize(
    ("question", "word"),
    [("how many repairs in Portugal?", "Portugal"), ("how many repairs were escalated", "escalated")],
)
async def test_what_was_not_understood_is_named_with_the_columns(
    client: httpx.AsyncClient, question: str, word: str
) -> None:
    answer = await ask(client, REPAIRS, "repairs.csv", question)
    assert answer.startswith(f"I did not understand “{word}”. The columns of repairs.csv are: Repair no., Received, ")
    assert "SELECT" not in answer


async def test_what_the_rest_of_a_question_asks_for_is_said_apart_from_what_was_not_understood(
    client: httpx.AsyncClient,
) -> None:
    answer = await ask(client, REPAIRS, "repairs.csv", "how much did the wizard spend on laptops?")
    aside, figure, *_ = answer.split("\n\n")
    assert aside == "I did not understand “wizard”. Leaving that aside:"
    assert figure == "Sum of Cost (Device = Laptop): 206.00 EUR."
    assert "Rows (" not in answer


async def test_with_what_was_not_understood_come_the_few_rows_that_the_rest_selects(client: httpx.AsyncClient) -> None:
    answer = await ask(client, MEMBERS, "members.csv", "how much did Bob Ives tip the waiter?")
    assert answer.startswith("I did not understand “waiter”. Leaving that aside:\n\n")
    assert "\n- Member ID: M2; Name: Bob Ives; Joined: 2023-03-01; " in answer and "M1" not in answer


MEMBERS = """Member ID,Name,Joined,Plan,Age,Active
M1,Ann Hart,2023-01-05,Basic,34,yes
M2,Bob Ives,2023-03-01,Plus,61,no
M3,Cy Jung,2024-02-11,Plus,19,yes
"""


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("who is the oldest member?", "Highest value of Age: 61.\n- Member ID: M2; "),
        ("which plan has the youngest members", "Basic: 34.00 (average of Age by Plan). Next: Plus: 40.00.\n"),
        ("how many are inactive", "Number of rows (Active ≠ yes): 1.\n"),
        ("what share of members are older than 60?", "Share of members (Age > 60): 33.3 % (1 of 3).\n"),
        ("when did M3 join?", "Joined (Member ID = M3): 2024-02-11.\n"),
    ],
)
async def test_ages_and_what_is_not_so(client: httpx.AsyncClient, question: str, start: str) -> None:
    assert (await ask(client, MEMBERS, "members.csv", question)).startswith(start)


STOCK = """Article no.,Article,In stock,Unit price (EUR),Supplier
A-1,Copier paper,120,4.20,Papyrus
A-2,Stapler,15,11.90,Stift & Co
A-3,Desk lamp,3,34.00,Papyrus
"""


@pytest.mark.parametrize(
    ("question", "start"),
    [
        (
            "how many staplers do we have?",
            "Rows (Article = Stapler):\n- Article no.: A-2; Article: Stapler; In stock: 15;",
        ),
        ("how many articles come from Papyrus?", "Number of different values of Article (Supplier = Papyrus): 2."),
        ("what is the total value of the stock?", "Sum of Unit price × In stock: 784.50 EUR."),
        ("which article is the most expensive?", "Highest value of Unit price: 34.00 EUR.\n- Article no.: A-3;"),
    ],
)
async def test_where_each_name_has_one_row_that_is_told_and_not_counted(
    client: httpx.AsyncClient, question: str, start: str
) -> None:
    assert (await ask(client, STOCK, "stock.csv", question)).startswith(start)


BANK = """Date,Description,Category,Amount,Balance
2025-09-01,Salary ACME,Income,2850.00,4120.55
2025-09-02,Rent,Housing,-940.00,3180.55
2025-09-03,Greengrocer,Food,-23.40,3157.15
2025-09-26,Refund shoes,Shopping,59.95,3217.10
2025-10-03,Supermarket,Food,-86.15,3130.95
"""


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("what was my biggest expense?", "Lowest value of Amount (Amount < 0.00): -940.00.\n- Date: 2025-09-02;"),
        ("how much did I spend in september?", "Sum of Amount (Date = September, Amount < 0.00): -963.40."),
        ("how much did I earn in september?", "Sum of Amount (Date = September, Amount > 0.00): 2,909.95."),
        ("what is the total amount in september?", "Sum of Amount (Date = September): 1,946.55."),
        ("how much did I spend on september 3rd?", "Sum of Amount (Date = 09-03, Amount < 0.00): -23.40."),
        (
            "how much did I spend per category?",
            "Sum of Amount by Category (Amount < 0.00):\n- Housing: -940.00\n- Food: ",
        ),
        ("list all my food expenses", "Rows (Category = Food):\n- Date: 2025-09-03;"),
        ("how much did I spend on 3 October?", "Sum of Amount (Date = 10-03, Amount < 0.00): -86.15."),
    ],
)
async def test_what_goes_out_and_what_comes_in_where_amounts_have_signs(
    client: httpx.AsyncClient, question: str, start: str
) -> None:
    assert (await ask(client, BANK, "bank.csv", question)).startswith(start)


async def test_a_difference_of_costs_is_not_what_is_spent(client: httpx.AsyncClient) -> None:
    rows = "Project,Cost variance (EUR)\nBridge,-400\nSchool,900\nRoad,-100\n"
    answer = await ask(client, rows, "projects.csv", "which project has the highest cost variance?")
    assert answer.startswith("Highest value of Cost variance: 900 EUR.\n- Project: School;")


STUNDEN = """Datum;Mitarbeiter;Projekt;Stunden;Abrechenbar
03.11.2025;Jana Vogt;Brücke;6,5;ja
04.11.2025;Jana Vogt;Angebot;3;nein
04.11.2025;Ali Demir;Kläranlage;8;ja
05.11.2025;Mara Lind;Brücke;2;ja
"""


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("Wie viele Stunden hat Jana gearbeitet?", "Summe von Stunden (Mitarbeiter = Jana Vogt): 9,5."),
        ("Wie viele Stunden sind abrechenbar?", "Summe von Stunden (Abrechenbar = ja): 16,5."),
        ("Welches Projekt hat die meisten Stunden?", "Brücke: 8,5 (Summe von Stunden je Projekt)."),
        ("Wie viele Stunden gab es am 4.11.?", "Summe von Stunden (Datum = 11-04): 11,0."),
    ],
)
async def test_hours_that_were_worked_add_up(client: httpx.AsyncClient, question: str, start: str) -> None:
    assert (await ask(client, STUNDEN, "stunden.csv", question)).startswith(start)


async def test_two_of_one_first_name_are_not_taken_for_each_other(client: httpx.AsyncClient) -> None:
    answer = await ask(client, STUNDEN + "05.11.2025;Jana Abel;Brücke;1;ja\n", "a.csv", "Wie viele Stunden hat Jana?")
    assert "Vogt): " not in answer and "Abel): " not in answer


async def test_the_number_of_something_that_has_one_counts_nothing(client: httpx.AsyncClient) -> None:
    trip = "Day,Morning,Evening\nFriday,Arrival,Dinner\nSunday,Palace,Free\nTuesday,Shopping,Return flight\n"
    assert "Number of rows" in await ask(client, trip, "trip.csv", "what is the number of rows with a return flight?")
    answer = await ask(client, trip, "trip.csv", "what is the gate number of the return flight?")
    assert "Number of" not in answer


async def test_names_are_not_ranked_by_their_rows_where_each_has_one(client: httpx.AsyncClient) -> None:
    answer = await ask(
        client, "Item,Planned,Actual\nVenue,3200,3200\nBand,1400,1250\n", "a.csv", "which item has most rows?"
    )
    assert "number of" not in answer


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("Cost (k€)", "Sum of Cost: 1,550 k€."),
        ("Cost (T€)", "Sum of Cost: 1,550 T€."),
        ("Cost (kEUR)", "Sum of Cost: 1,550 kEUR."),
        ("Cost (€ million)", "Sum of Cost: 1,550 € million."),
        ("Cost (in USD thousands)", "Sum of Cost: 1,550 USD thousands."),
        ("Cost in million EUR", "Sum of Cost in million EUR: 1,550."),
        ("Cost (US$)", "Sum of Cost: 1,550 US$."),
        ("Cost (net, €)", "Sum of Cost (net, €): 1,550 €."),
        ("Cost (net)", "Sum of Cost (net): 1,550."),
        ("Cost (€)", "Sum of Cost: 1,550 €."),
    ],
)
async def test_figures_are_in_what_the_name_of_their_column_says(
    client: httpx.AsyncClient, name: str, total: str
) -> None:
    rows = f'Part;"{name}"\nPanels;1310\nInverters;240\n'
    assert (await ask(client, rows, "roofs.csv", "what is the total cost?")).startswith(total)


async def test_a_rank_needs_a_measure_unless_rows_are_counted(client: httpx.AsyncClient) -> None:
    assert "SELECT" not in await ask(client, REPAIRS, "repairs.csv", "which branch is the wettest")
    assert "SELECT" in await ask(client, REPAIRS, "repairs.csv", "which branch is the busiest")


@pytest.mark.parametrize("question", ["What is the refund policy?", "Why was R-3 late?", "hello", "Summarize it"])
async def test_other_questions_are_not_counted(client: httpx.AsyncClient, question: str) -> None:
    answer = await ask(client, REPAIRS, "repairs.csv", question)
    assert "SELECT" not in answer
    assert "did not understand" not in answer


async def test_revenue_is_price_times_quantity_where_no_column_has_it(client: httpx.AsyncClient) -> None:
    sales = "Item,Unit price (EUR),Quantity\nTea,2.50,4\nCake,3.00,2\nTea,2.00,5\n"
    answer = await ask(client, sales, "sales.csv", "how much revenue did we make?")
    assert answer.startswith("Sum of Unit price × Quantity: 26.00 EUR.\n")
