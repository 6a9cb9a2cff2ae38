"""Tables as documents have them, each with questions as people ask them: what the look-up says."""

from collections.abc import Sequence
from dataclasses import dataclass

import pymupdf
import pytest

from docqa.formats.reading import read_whole
from docqa.questions.question import ChatOptions
from docqa.questions.understand import understand
from docqa.tables.lookups.answer import together
from docqa.tables.lookups.cells import Tables
from docqa.tables.lookups.named_rows import rows_named
from docqa.tables.lookups.parts import answered

Cells = Sequence[tuple[float, str]]


@dataclass
class Known:
    """What is known of the document that is asked."""

    language: str
    pages: int
    id: int = 1
    name: str = "paper"


def pdf(*lines: tuple[float, Cells]) -> bytes:
    """A page with texts at (y, [(x, text)])."""
    document = pymupdf.open()
    page = document.new_page()
    for y, cells in lines:
        for x, text in cells:
            page.insert_text((x, y), text, fontsize=10)
    return bytes(document.tobytes())


def rows(top: float, columns: Sequence[float], *table: Sequence[str]) -> list[tuple[float, Cells]]:
    return [
        (top + 16 * number, [(x, text) for x, text in zip(columns, row, strict=False) if text])
        for number, row in enumerate(table)
    ]


STATEMENT = pdf(
    (60, [(50, "Consolidated statements of income")]),
    (80, [(50, "(in millions, except per share data)")]),
    (110, [(300, "Years ended December 31,")]),
    *rows(126, (50, 300, 380, 460), ("", "2023", "2022", "2021")),
    *rows(
        150,
        (50, 300, 380, 460),
        ("Net revenue (1)", "$ 86,392", "$ 79,474", "$ 71,005"),
        ("Cost of sales", "51,220", "47,300", "43,120"),
        ("Research and development", "6,104", "5,733", "5,211"),
        ("Operating income", "12,450", "11,020", "9,874"),
        ("Net income", "$ 9,310", "$ 8,455", "$ 7,602"),
        ("Diluted earnings per share", "$ 4.12", "$ 3.70", "$ 3.29"),
    ),
)
SPANNING = pdf(
    (60, [(50, "Members by region")]),
    (90, [(250, "Paid"), (420, "Trial")]),
    *rows(106, (50, 220, 290, 390, 460), ("", "2022", "2023", "2022", "2023")),
    *rows(
        130,
        (50, 220, 290, 390, 460),
        ("Europe", "1,200", "1,350", "80", "95"),
        ("Asia", "2,410", "2,980", "210", "260"),
        ("Americas", "3,100", "3,090", "150", "140"),
    ),
)
RATINGS = pdf(
    (60, [(50, "Ratings")]),
    *rows(
        100,
        (50, 350),
        ("Overall rating for this service", "Requires improvement"),
        ("Is the service safe?", "Inadequate"),
        ("Is the service effective?", "Good"),
        ("Is the service caring?", "Requires improvement"),
        ("Is the service responsive?", "Good"),
    ),
)
GLUED = pdf(
    (60, [(50, "Storage times")]),
    *rows(90, (50, 200), ("TYPE", "APPROXIMATE TIME")),
    *rows(
        124,
        (50, 200),
        ("Chicken", "1 to2"),
        ("Ground beef", "1 to2"),
        ("Steaks and roasts", "3 to 5"),
        ("Cured meats", "7to 10"),
        ("Bacon", "5 to 7"),
    ),
)
RECOGNISED = """Storing fish

Keep all of it in its wrapping.

DAYS

Herring 1 to2

Salmon, fresh 2 to 3

Smoked trout 7to 10

Cod 1 to 2
"""
SETTINGS = pdf(
    (60, [(50, "Setting the controls")]),
    *rows(90, (50, 300, 420), ("If the problem is", "Refrigerator", "Freezer")),
    *rows(
        110,
        (50, 300, 420),
        ("Fresh food compartment too warm", "5", "B"),
        ("Fresh food compartment too cold", "1", "B"),
        ("Ice cream too soft", "4", "C"),
    ),
)
TWO_LINES = pdf(
    (60, [(50, "Travel costs")]),
    *rows(90, (50, 300, 420), ("Kind", "Limit", "Receipt needed")),
    (110, [(50, "Hotel in London, with")]),
    *rows(122, (50, 300, 420), ("breakfast", "£160 a night", "Yes")),
    *rows(144, (50, 300, 420), ("Hotel elsewhere", "£110 a night", "Yes"), ("Mileage, own car", "45p a mile", "No")),
)
SIDEWAYS = """Technical data

Model\tCoolbox 12\tCoolbox 20
Noise level\t38 dB\t44 dB
Power consumption\t45 W\t60 W
Weight\t9.5 kg\t14 kg
Price\t€149\t€219
"""
MODELS = """Technical data

Model | Noise level | Power | Weight | Price
Coolbox 12 | 38 dB | 45 W | 9.5 kg | €149
Coolbox 16 | 41 dB | 50 W | 12 kg | €189
Coolbox 20 | 44 dB | 60 W | 14 kg | €219
"""
MILL = """Sales by region ($ in thousands)

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
"""
QUARTER = """Consolidated results ($ in millions)

\tThree Months Ended July 29, 2023\tThree Months Ended July 30, 2022\tSix Months Ended July 29, 2023\tSix Months Ended July 30, 2022
Revenue\t$9,583\t$10,329\t$19,050\t$20,976
Cost of sales\t7,363\t8,042\t14,680\t16,336
Net earnings\t$274\t$306\t$518\t$647

Domestic segment results ($ in millions)

\tThree Months Ended July 29, 2023\tThree Months Ended July 30, 2022\tSix Months Ended July 29, 2023\tSix Months Ended July 30, 2022
Revenue\t$ 8,890\t$ 9,569\t$ 17,691\t$ 19,463
Total online revenue\t$ 2,763\t$ 2,975\t$ 5,451\t$ 6,034
% of revenue\t31.1 %\t31.0 %\t30.8 %\t31.0 %
"""
PUMPS = """Pumps

Type | Valves | Drive | Oil
Lift pump | 2 | by hand | none
Ram pump | 3 | by the stream | twice a year
Screw pump | 0 | by the wind | weekly
"""
GERMAN = """Gewinn- und Verlustrechnung

in Tausend Euro

Posten            2023        2022
Umsatzerlöse      1.234.500   1.102.300
Personalkosten    310.400     295.800
Jahresüberschuss  98.700      84.100
"""
FRENCH = """Données techniques

Modèle\tAirBox 12\tAirBox 20
Niveau sonore\t38 dB\t44 dB
Débit\t1 250 m3/h\t1 900 m3/h
Prix\t149,90 €\t219,50 €
"""
RICH = (
    r"{\rtf1\ansi Opening hours of the pool\par\par "
    + "".join(
        rf"\trowd\cellx1\cellx2\cellx3\pard\intbl {day}\cell {opens}\cell {closes}\cell\row "
        for day, opens, closes in (
            ("Day", "Opens", "Closes"),
            ("Weekdays", "6.30", "22.00"),
            ("Saturday", "8.00", "20.00"),
            ("Sunday", "9.00", "18.00"),
        )
    )
    + r"\pard The pool is closed in August.\par}"
)


TARIFFS = """Tariffs from January

Item | Home | Green | Heat pump
Basic price | 9.90 €/month | 11.50 €/month | 7.20 €/month
Maximum power | 30 kW | 40 kW | 20 kW
Contract length | 1 month | 12 months | 24 months
Green power | no | yes | yes

The meter is read in May.

Spare parts

Part | Number | Price
Meter box | KW-1120 | 24.00 €
Seal | KW-1133 | 2.75 €
Key | KW-1102 | 8.50 €

Defects found in the meter room

No. | Device | Defect | Due | Repaired by
1 | Door | does not lock | 31.12.2024 | Kestrel Ltd
2 | Lamp | flickers | 30.09.2024 | caretaker
3 | Pipe | drips | 31.12.2024 | caretaker
"""


FEES = """Fees of the library

Kind | Adults | Children
Fee | 20 € | 8 €
Fee for late return | 2 € | 1 €
Card | 5 € | 5 €
"""
MENU = """Menu of the kettle

Dish\tPrice\tAllergens
Starters\t\t
Tomato soup\t£5.80\tcelery
Smoked mackerel\t£8.20\tfish
Mains\t\t
Lamb shank\t£18.50\tmilk
Lentil curry\t£12.90\tnone
"""
ROOMS = """Who sits where

Name | Function | Room | Extension
Ann Hart | Payroll | 207 | 4455
Bo Lind | IT support | 209 | 4400
Cy Jung | Keys | 118 | 4471
"""
LEAGUE = """Final table

Place | Team | Won | Board points
1 | Rooks of Elm | 7 | 44.5
2 | Castle Club | 6 | 45.0
3 | Pawnbrokers | 2 | 30.0
"""
LESSONS = """Lessons of class 8b

Time\tMonday\tTuesday\tWednesday
8:00\tMaths\tEnglish\tBiology
9:00\tMaths\tHistory\tMaths
10:00\tFrench\tArt\tEnglish
11:00\tEnglish\t–\tFrench

Art is in room 12. For French bring a dictionary.
"""
SHIFTS = """Dienstplan, Woche 24

Schicht | Mo | Di | Mi | Do
Früh | Anna | Ben | Anna | Carla
Spät | Carla | Anna | Ben | Ben
Nacht | Ben | Carla | Carla | Anna
"""


def ask(document: bytes | str, question: str, language: str = "en", name: str = "") -> str | None:
    """What the tables of the document say, all parts of the question together."""
    data = document if isinstance(document, bytes) else document.encode()
    name = name or ("paper.pdf" if isinstance(document, bytes) else "paper.txt")
    pages = [(number, page.text) for number, page in enumerate(read_whole(data, name).pages, 1)]
    understood = understand([{"sender": "user", "message": question}], ChatOptions(), [Known(language, len(pages))])
    tables = Tables.of(1, pages)
    if len(understood.parts) > 1 and (whole := together(tables, understood.parts, understood)):
        return whole[0]
    answers = [answered(tables, part, understood.answer_language) for part in understood.parts]
    return "\n".join(answer[0] for answer in answers if answer) or None


@pytest.mark.parametrize(
    ("document", "question", "answer"),
    [
        (STATEMENT, "What was net revenue in 2022?", "Net revenue, 2022: $79,474 million."),
        (STATEMENT, "how much did R&D cost in 2021", "Research and development, 2021: 5,211 million."),
        (STATEMENT, "EPS in 2023?", "Diluted earnings per share, 2023: $4.12."),
        (SPANNING, "how many trial members in Asia in 2023", "Asia, Trial 2023: 260."),
        (SPANNING, "paid members europe 2022", "Europe, Paid 2022: 1,200."),
        (RATINGS, "how was the caring part rated?", "Is the service caring? Requires improvement."),
        (RATINGS, "rating for safe?", "Is the service safe? Inadequate."),
        (RATINGS, "what did they get overall", "Overall rating for this service: Requires improvement."),
        (GLUED, "bacon - how many days does it keep", "Bacon, APPROXIMATE TIME: 5 to 7."),
        (GLUED, "how long does chicken last", "Chicken, APPROXIMATE TIME: 1 to 2."),
        (RECOGNISED, "how many days does smoked trout keep", "Smoked trout, DAYS: 7 to 10."),
        (SETTINGS, "ice cream too soft, what freezer setting", "Ice cream too soft, Freezer: C."),
        (
            TWO_LINES,
            "how much can i spend on a hotel in london",
            "Hotel in London, with breakfast, Limit: £160 a night.",
        ),
        (QUARTER, "how much revenue in the quarter", "Revenue, Three Months Ended July 29, 2023: $9,583 million."),
        (
            QUARTER,
            "online sales for the six months?",
            "Total online revenue, Six Months Ended July 29, 2023: $5,451 million.",
        ),
        (SIDEWAYS, "how heavy is the Coolbox 20?", "Weight, Coolbox 20: 14 kg."),
        (MODELS, "power of the coolbox 16", "Coolbox 16, Power: 50 W."),
        (TARIFFS, "what is the maximum power of Green?", "Maximum power, Green: 40 kW."),
        (TARIFFS, "when is 2 due?", "2, Due: 30.09.2024."),
        (TARIFFS, "what about the lamp?", "Lamp: Defect flickers; Due 30.09.2024; Repaired by caretaker."),
    ],
)
def test_look_ups(document: bytes | str, question: str, answer: str) -> None:
    assert ask(document, question) == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("which tariff has the highest basic price?", "Green, Basic price: 11.50 €/month."),
        ("which tariff has the lowest basic price?", "Heat pump, Basic price: 7.20 €/month."),
        ("which tariff has the longest contract?", "Heat pump, Contract length: 24 months."),
        (
            "difference between Home and Green?",
            (
                "Home; Green:\n- Basic price: 9.90 €/month; 11.50 €/month\n- Maximum power: 30 kW; 40 kW\n"
                "- Contract length: 1 month; 12 months\n- Green power: no; yes"
            ),
        ),
        ("which part is the cheapest?", "Seal, Price: 2.75 €."),
    ],
)
def test_things_in_columns_are_ranked_and_compared_as_things_in_rows_are(question: str, answer: str) -> None:
    assert ask(TARIFFS, question) == answer


@pytest.mark.parametrize(
    ("document", "question", "answer"),
    [
        (
            MENU,
            "what starters do you have?",
            "Starters:\n- Tomato soup: Price £5.80; Allergens celery.\n- Smoked mackerel: Price £8.20; Allergens fish.",
        ),
        (MENU, "what is the cheapest main?", "Lentil curry, Price: £12.90."),
        (MENU, "what is the cheapest dish?", "Tomato soup, Price: £5.80."),
        (MENU, "why are there no starters with nuts?", None),
    ],
)
def test_rows_under_a_label_are_told_and_ranked_together(document: str, question: str, answer: str | None) -> None:
    assert ask(document, question) == answer


COSTS = pdf(
    (60, [(50, "What the house costs us")]),
    *rows(
        80,
        (50, 200, 300),
        ["Item", "2022", "2023"],
        ["Cleaning", "£3.240", "£3.480"],
        ["Lift", "£1.960", "£2.110"],
        ["Garden", "£980", "£985"],
        ["Total", "£6.180", "£6.575"],
    ),
)
WORKS = pdf(
    *rows(
        80,
        (50, 200, 300),
        ["Work", "Net", "Gross"],
        ["Pipe", "EUR 640,00", "EUR 761,60"],
        ["Tiles", "EUR 2.300,00", "EUR 2.737,00"],
        ["Floor", "EUR 1.440,00", "EUR 1.713,60"],
    ),
)
BILL = pdf(
    *rows(
        80,
        (50, 200, 300),
        ["Article", "Each", "Together"],
        ["Shelf", "$185.00", "$1,110.00"],
        ["Counter", "$940.00", "$940.00"],
        ["Hook", "$4.00", "$12.00"],
    ),
)


@pytest.mark.parametrize(
    ("document", "question", "answer"),
    [
        (WORKS, "what is the most expensive?", "Tiles: Net EUR 2.300,00; Gross EUR 2.737,00."),
        (BILL, "which article is the most expensive?", "Counter, Each: $940.00. Shelf, Together: $1,110.00."),
        (BILL, "which article is the cheapest?", "Hook: Each $4.00; Together $12.00."),
        (COSTS, "which item costs the house the most?", "Cleaning, 2023: £3.480."),
    ],
)
def test_of_several_columns_that_may_be_meant_the_first_of_each_is_said_and_of_years_the_latest(
    document: bytes, question: str, answer: str
) -> None:
    assert ask(document, question) == answer


OFFER = pdf(
    *rows(
        80,
        (50, 90, 220, 300, 380),
        ["Pos.", "Work", "Pieces", "Unit price", "Total price"],
        ["1", "Bench", "6", "$245.00", "$1,470.00"],
        ["2", "Stairs", "1", "$4,380.00", "$4,380.00"],
        ["3", "Fitting", "1", "$960.00", "$960.00"],
        ["", "Subtotal", "", "", "$6,810.00"],
        ["", "10 % tax", "", "", "$681.00"],
        ["", "Total", "", "", "$7,491.00"],
    ),
)
PHONES = "Our phones\n\nTeam | Phones | Cost per month\nSales | 4 | £52\nStores | 3 | £27\nOffice | 1 | £15"
KEPT = "What is kept\n\nData | Kept for | Reason\nAccount | until you leave | contract\nSongs | 90 days | wish\nBills | 10 years | law"


@pytest.mark.parametrize(
    ("document", "question", "answer"),
    [
        (OFFER, "what does it cost in total?", "Total, Total price: $7,491.00."),
        (
            OFFER,
            "what does it cost altogether?",
            "Total price: total $7,491.00 (Bench: $1,470.00; Stairs: $4,380.00; Fitting: $960.00; 10 % tax: $681.00).",
        ),
        (OFFER, "what is the total?", "Total, Total price: $7,491.00."),
        (OFFER, "which work is the cheapest?", "Bench, Unit price: $245.00. Fitting, Total price: $960.00."),
        (KEPT, "which data is kept the longest?", None),
        (
            PHONES,
            "how much do we pay per month altogether?",
            "Cost per month: total £94 (Sales: £52; Stores: £27; Office: £15).",
        ),
        (KEPT, "how long are songs kept?", "Songs, Kept for: 90 days."),
    ],
)
def test_an_offer_adds_up_to_its_total_and_no_prices_of_pieces_are_added(
    document: bytes | str, question: str, answer: str | None
) -> None:
    assert ask(document, question) == answer


HOLIDAYS = "Holidays\n\nYears of service | Days of holiday\nup to 2 | 25\n3 to 5 | 27\n6 to 10 | 29\nmore than 10 | 31"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how many days of holiday do I get after 4 years?", "3 to 5, Days of holiday: 27."),
        ("how many holidays after 12 years?", "more than 10, Days of holiday: 31."),
        ("I have been here 5 years, how many days do I get?", "3 to 5, Days of holiday: 27."),
        ("what is 211?", None),
    ],
)
def test_a_row_for_a_range_needs_more_than_a_number_in_it(question: str, answer: str | None) -> None:
    assert ask(HOLIDAYS, question) == answer


def test_a_point_groups_the_digits_of_money_where_no_number_needs_it_as_a_decimal_mark() -> None:
    assert ask(COSTS, "what is the sum of all items in 2022?") == (
        "2022: total £6.180 (Cleaning: £3.240; Lift: £1.960; Garden: £980)."
    )


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who is in room 209?", "Bo Lind: Function IT support; Room 209; Extension 4400."),
        ("whose extension is 4471?", "Cy Jung: Function Keys; Room 118; Extension 4471."),
        ("who is in room 210?", None),
        ("who cleans room 209?", None),
    ],
)
def test_the_row_that_has_a_number_where_the_question_says(question: str, answer: str | None) -> None:
    assert ask(ROOMS, question) == answer


FLIGHTS = pdf(
    *rows(
        80,
        (50, 150, 300, 400),
        ["Flight", "To", "Gate", "Departs"],
        ["OA 318", "Lisbon", "B 12", "06:50"],
        ["OA 323", "Manchester", "A 4", "20:15"],
        ["OA 990", "Show hall F2", "C 1", "21:00"],
    ),
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what time does OA 318 depart?", "OA 318, Departs: 06:50."),
        ("what time is the gate to Lisbon?", None),
        ("when is the show hall?", None),
    ],
)
def test_when_is_answered_by_dates_and_what_time_by_times(question: str, answer: str | None) -> None:
    assert ask(FLIGHTS, question) == answer


def test_a_row_that_is_only_numbered_is_called_by_its_name() -> None:
    assert ask(LEAGUE, "which team has the most board points?") == "Castle Club, Board points: 45.0."


@pytest.mark.parametrize(
    ("document", "language", "question", "answer"),
    [
        (LESSONS, "en", "when is maths?", "Maths: Monday 8:00, 9:00; Wednesday 9:00."),
        (LESSONS, "en", "on which days is there French?", "French: Monday 10:00; Wednesday 11:00."),
        (LESSONS, "en", "what do we have on Tuesday?", "Tuesday: 8:00 English; 9:00 History; 10:00 Art."),
        (
            LESSONS,
            "en",
            "which lessons are on Wednesday?",
            "Wednesday: 8:00 Biology; 9:00 Maths; 10:00 English; 11:00 French.",
        ),
        (LESSONS, "en", "is there maths on Monday?", "Yes. Maths: Monday 8:00, 9:00."),
        (LESSONS, "en", "do we have biology on Monday?", "No. Biology: Wednesday 8:00."),
        (LESSONS, "en", "what do I need for French?", None),
        (LESSONS, "en", "when does school end on Monday?", None),
        (SHIFTS, "de", "wann arbeitet Anna?", "Anna: Mo Früh; Di Spät; Mi Früh; Do Nacht."),
        (SHIFTS, "de", "wann hat Carla Nacht?", "Carla: Di Nacht; Mi Nacht."),
        (SHIFTS, "de", "wer arbeitet am Dienstag?", "Di: Früh Ben; Spät Anna; Nacht Carla."),
        (SHIFTS, "de", "wer hat Nacht am Donnerstag?", "Do: Nacht Anna."),
        (SHIFTS, "de", "wann hat Ben frei?", None),
    ],
)
def test_timetables_and_rosters(document: str, language: str, question: str, answer: str | None) -> None:
    assert ask(document, question, language) == answer


@pytest.mark.parametrize("order", [("12", "20"), ("20", "12")])
def test_the_first_that_a_question_names_is_held_against_the_other(order: tuple[str, str]) -> None:
    answer = ask(SIDEWAYS, f"is the Coolbox {order[0]} louder than the Coolbox {order[1]}?")
    assert answer and answer.startswith("Yes." if order[0] == "20" else "No.")


@pytest.mark.parametrize(
    ("document", "question", "answer"),
    [
        (
            SIDEWAYS,
            "which is louder, the 12 or the 20, and by how much",
            "Coolbox 20. Noise level – Coolbox 20: 44 dB; Coolbox 12: 38 dB. Difference: 6 dB.",
        ),
        (
            MODELS,
            "which is louder, the 12 or the 20, and by how much",
            "Coolbox 20. Noise level – Coolbox 20: 44 dB; Coolbox 12: 38 dB. Difference: 6 dB.",
        ),
        (
            SIDEWAYS,
            "what is the price difference between the Coolbox 12 and the Coolbox 20?",
            "Price – Coolbox 12: €149; Coolbox 20: €219. Difference: €70.",
        ),
        (SIDEWAYS, "Coolbox 12 vs Coolbox 20: weight", "Weight – Coolbox 12: 9.5 kg; Coolbox 20: 14 kg."),
        (
            MODELS,
            "how much heavier is the coolbox 20 than the 16",
            "Weight – Coolbox 20: 14 kg; Coolbox 16: 12 kg. Difference: 2 kg.",
        ),
        (MODELS, "is the 12 cheaper than the 16?", "Yes. Price – Coolbox 12: €149; Coolbox 16: €189."),
        (
            MODELS,
            "compare Coolbox 12 and Coolbox 20",
            "\n- ".join(
                ("Coolbox 12; Coolbox 20:", *("Noise level: 38 dB; 44 dB", "Power: 45 W; 60 W"))
                + ("Weight: 9.5 kg; 14 kg", "Price: €149; €219")
            ),
        ),
        (SPANNING, "paid members in Asia vs Americas in 2023", "Paid 2023 – Asia: 2,980; Americas: 3,090."),
        (
            MILL,
            "how much more did the north sell than export in 2022",
            "2022 – North: $410 thousand; Export: $95 thousand. Difference: $315 thousand.",
        ),
        (
            MILL,
            "which sold more bags, rye or spelt?",
            "Rye flour 5 kg. Bags sold – Rye flour 5 kg: 2,310; Spelt flour: 1,045.",
        ),
        (
            PUMPS,
            "what is the difference between the lift pump and the ram pump?",
            "Lift pump; Ram pump:\n- Valves: 2; 3\n- Drive: by hand; by the stream\n- Oil: none; twice a year",
        ),
        (
            PUMPS,
            "does the ram pump have more than the lift pump?",
            "Yes. Valves – Ram pump: 3; Lift pump: 2.",
        ),
        (
            STATEMENT,
            "compare net revenue in 2021 and 2022",
            "Net revenue rose by 11.9 % ($8,469 million) from $71,005 million (2021) to $79,474 million (2022).",
        ),
        (
            QUARTER,
            "did profit go up or down against the same quarter last year, and from what to what?",
            "Net earnings fell by 10.5 % ($32 million) from $306 million (2022) to $274 million (2023).",
        ),
        (
            STATEMENT,
            "did net income fall in 2023?",
            "No. Net income rose by 10.1 % ($855 million) from $8,455 million (2022) to $9,310 million (2023).",
        ),
    ],
)
def test_values_side_by_side(document: bytes | str, question: str, answer: str) -> None:
    assert ask(document, question) == answer


@pytest.mark.parametrize(
    ("document", "question", "answer"),
    [
        (
            STATEMENT,
            "what share of revenue was cost of sales in 2023?",
            "Cost of sales, 2023: 59.3 % of Net revenue (51,220 million of $86,392 million).",
        ),
        (
            STATEMENT,
            "net income as a percentage of net revenue in 2022",
            "Net income, 2022: 10.6 % of Net revenue ($8,455 million of $79,474 million).",
        ),
        (
            STATEMENT,
            "ratio of operating income to net revenue 2023",
            "Operating income / Net revenue, 2023: 0.14 (12,450 million / $86,392 million).",
        ),
        (
            STATEMENT,
            "total net income over 2021, 2022 and 2023",
            "Net income: total $25,367 million (2023: $9,310 million; 2022: $8,455 million; 2021: $7,602 million).",
        ),
        (
            STATEMENT,
            "average net income",
            "Net income: average $8,456 million (2023: $9,310 million; 2022: $8,455 million; 2021: $7,602 million).",
        ),
        (
            MILL,
            "what share of total sales in 2023 was export?",
            "Export, 2023: 12.8 % of Total ($120 thousand of $937 thousand).",
        ),
        (
            MILL,
            "sales of north and export together in 2023",
            "2023: total $575 thousand (North: $455 thousand; Export: $120 thousand).",
        ),
        (
            MILL,
            "average margin over all products",
            "Margin: average 29 % (Rye flour 5 kg: 31 %; Spelt flour: 44 %; Bran: 12 %).",
        ),
    ],
)
def test_what_is_computed_is_shown_with_its_operands(document: bytes | str, question: str, answer: str) -> None:
    assert ask(document, question) == answer


@pytest.mark.parametrize(
    ("document", "language", "question", "answer"),
    [
        (GERMAN, "de", "Wie hoch waren die Personalkosten 2022?", "Personalkosten, 2022: 295.800 tausend."),
        (
            GERMAN,
            "de",
            "Welchen Anteil am Umsatz hatten die Personalkosten 2023?",
            "Personalkosten, 2023: 25,1 % von Umsatzerlöse (310.400 tausend von 1.234.500 tausend).",
        ),
        (
            GERMAN,
            "de",
            "Um wie viel stieg der Umsatz?",
            "Umsatzerlöse stieg um 12,0 % (132.200 tausend) von 1.102.300 tausend (2022) auf 1.234.500 tausend (2023).",
        ),
        (
            FRENCH,
            "fr",
            "lequel est plus bruyant, le 12 ou le 20, et de combien",
            "AirBox 20. Niveau sonore – AirBox 20: 44 dB; AirBox 12: 38 dB. Différence : 6 dB.",
        ),
        (
            FRENCH,
            "fr",
            "quelle est la différence de prix entre l'AirBox 12 et l'AirBox 20 ?",
            "Prix – AirBox 12: 149,90 €; AirBox 20: 219,50 €. Différence : 69,60 €.",
        ),
    ],
)
def test_other_languages(document: str, language: str, question: str, answer: str) -> None:
    assert ask(document, question, language) == answer


def test_a_table_of_rich_text() -> None:
    assert ask(RICH.encode(), "when does the pool close on saturday", name="pool.rtf") == "Saturday, Closes: 20.00."


@pytest.mark.parametrize(
    ("document", "question"),
    [
        (STATEMENT, "What was net revenue in 2015?"),
        (STATEMENT, "ratio of debt to equity in 2023"),
        (MODELS, "which is faster, the 12 or the 20?"),
        (MODELS, "compare Coolbox 12 and Coolbox 30"),
        (MILL, "what share of sales was the west?"),
        (GLUED, "how long does tofu keep"),
        (TARIFFS, "how many are 3?"),
        (FEES, "difference between the fee and the late fee?"),
    ],
)
def test_what_the_tables_do_not_have(document: bytes | str, question: str) -> None:
    assert ask(document, question) is None


def test_a_table_of_contents_is_no_list_of_values() -> None:
    contents = "Contents\n\nOpening the box 3\nFirst steps 5\nCleaning 9\nSpare parts 12\n"
    assert ask(contents, "how many spare parts") is None


@pytest.mark.parametrize("year", ["2022", "FY2022", "FY 22", "fy22"])
def test_a_fiscal_year_is_a_year(year: str) -> None:
    assert ask(STATEMENT, f"net income {year}?") == "Net income, 2022: $8,455 million."


def test_rows_are_found_by_the_names_that_a_term_stands_for() -> None:
    pages = [(1, "Nothing here."), (2, QUARTER.replace("Cost of sales", "Cost of goods sold"))]
    tables = Tables.of(1, pages)
    [(placed, score), *others] = rows_named(tables, ["cost of goods sold", "net earnings"], "en")
    assert (placed.page_number, placed.row.label, score) == (2, "Cost of goods sold", 1.0)
    assert [row.row.label for row, _ in others] == ["Net earnings"]
    assert rows_named(tables, ["goodwill"], "en") == []


def test_a_day_in_a_heading_stays_whole() -> None:
    balance = (
        "Balance sheets ($ in millions)\n\n\tJanuary 28, 2023\tJanuary 29, 2022\nCash\t1,874\t2,936\nDebt\t900\t800\n"
    )
    assert ask(balance, "how much cash on January 28, 2023?") == "Cash, January 28, 2023: $1,874 million."


YEARS = """Sales of the mill ($ in thousands)

Year | Flour | Bran
2021 | 410 | 95
2022 | 455 | 120
2023 | 470 | 118
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("flour sales in 2022", "2022, Flour: $455 thousand."),
        (
            "compare flour sales in 2021 and 2022",
            "Flour rose by 11.0 % ($45 thousand) from $410 thousand (2021) to $455 thousand (2022).",
        ),
    ],
)
def test_years_may_be_rows(question: str, answer: str) -> None:
    assert ask(YEARS, question) == answer


ACCOUNTS = """Balance sheet (in millions)

                            December 31, 2023    December 31, 2022
Cash                        $ 1,874              $ 2,936
Patents                     542                  560
Long-term debt              900                  800

Where the notes are

Long-term debt    Note 7D
Goodwill          Note 4A
Leases            Note 9

Terms of this report

R&D     research and development
SMR     Smith Motor Repairs
CPA     certified public accountant
"""
MARKETS = """Markets

Name                 Code
North
1.  Long Island      N01
2.  Monroe County    N02
3.  Manhattan        N03
South
1.  Bucks County     S01
2.  Chester County   S02
3.  Lehigh Valley    S03
"""


@pytest.mark.parametrize(
    ("document", "question", "answer"),
    [
        (ACCOUNTS, "how many patents do they have?", None),
        (ACCOUNTS, "how much are the patents?", "Patents, 2023: 542 million."),
        (ACCOUNTS, "how much is the long-term debt?", "Long-term debt, 2023: 900 million."),
        (ACCOUNTS, "what did they spend on R&D?", None),
        (ACCOUNTS, "what is SMR?", "SMR: Smith Motor Repairs."),
        (MARKETS, "which market is N03?", "N03, Name: Manhattan."),
        (MARKETS, "what is the code of Bucks County?", "Bucks County, Code: S01."),
    ],
)
def test_a_cell_holds_what_is_asked_for(document: str, question: str, answer: str | None) -> None:
    assert ask(document, question) == answer
