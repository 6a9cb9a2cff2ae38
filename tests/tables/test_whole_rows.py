"""Questions that rows of a table answer whole, or two of them side by side; and rows named by a number in a range."""

import httpx
import pytest

from conftest import upload
from docqa.questions.question import Part
from docqa.tables.lookups.cells import Tables
from docqa.tables.lookups.parts import answered, rows_listed

pytestmark = pytest.mark.anyio

COURSES = """Evening courses

Day | Course | Room | Teacher | Places
Monday | Pottery | attic | Ada Brook | 12
 | Weaving | barn | Jon Pell | 10
Tuesday | Drawing | attic | Ada Brook | 14
Wednesday | Singing | hall | Mia Roe | 30
 | Sewing | barn | Jon Pell | 8
Thursday | No courses | | |

Tasks

No | Task | Who | Until
T1 | Paint the gate | Jon Pell | 3 May
T2 | Mend the kiln | Ada Brook | 9 May
T3 | Order clay from Brook and Sons | Ada Brook | 30 April
"""
MODULES = """Module list

Sem | Code | Module | Credits | Taught by
1 | A11 | Geometry | 8 | Orlov
 | A12 | Mechanics | 6 | Pell
2 | A21 | Surveying | 8 | Orlov
 | A22 | Hydraulics | 5 | Quist
"""


def answer_of(text: str, question: str, language: str = "en", **fields: object) -> str:
    tables = Tables.of(1, [(1, text)])
    answer = answered(tables, Part(question, language, **fields), language)  # type: ignore[arg-type]
    return answer[0] if answer else ""


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (
            COURSES,
            "what courses are on wednesdays",
            "Wednesday:\n- Singing: Room hall; Teacher Mia Roe; Places 30.\n- Sewing: Room barn; Teacher Jon Pell; Places 8.",
        ),
        (
            COURSES,
            "which courses are in the attic?",
            "attic:\n- Pottery: Day Monday; Teacher Ada Brook; Places 12.\n- ",
        ),
        (
            COURSES[COURSES.index("Tasks") :],
            "everything ada brook has to do",
            "Ada Brook:\n- Mend the kiln: No T2; Until 9 May.\n- Order clay from Brook and Sons: No T3; Until 30 April.",
        ),
        (MODULES, "what subjects are there in semester 2", "Sem 2:\n- Surveying: Code A21; "),
        (MODULES, "which modules has Orlov got?", "Orlov:\n- Geometry: Sem 1; "),
    ],
)
def test_all_rows_that_have_the_value_that_is_named_are_listed(text: str, question: str, answer: str) -> None:
    assert answer_of(text, question).startswith(answer)


def test_rows_are_not_listed_where_the_question_says_more() -> None:
    assert answer_of(COURSES, "which courses on wednesday were cancelled because of the storm?") == ""
    assert answer_of(MODULES, "which modules does Orlov find too hard?") == ""


def test_a_value_that_is_the_label_of_a_row_elsewhere_is_no_condition() -> None:
    text = "Washes\n\nName | Minutes | Load\nShort A | 15 | 2\nShort B | 45 | 4\nLong | 90 | 8\n\nExtras\n\n"
    text += "Extra | Adds | Not with\nRinse | 12 | Short A, Long\nSoak | 25 | Short A, Short B\nNight | 0 | Long\n"
    assert "Rinse" not in answer_of(text, "Short A")


BANDS = """Dose by weight

Weight (kg) | GFR 30 or more (mL/min) | GFR 15 to 29 (mL/min)
below 50 | 20 mg daily | 10 mg daily
50 to 99 | 40 mg daily | 20 mg daily
100 or more | 60 mg daily | 30 mg daily
"""


@pytest.mark.parametrize(
    ("question", "dose"),
    [
        ("dose at 70 kg and a gfr of 22?", "20 mg daily"),
        ("dose at a weight of 22 kg with GFR 60", "20 mg daily"),
        ("which dose at gfr 40, weight 120 kg", "60 mg daily"),
    ],
)
def test_a_number_belongs_to_the_range_that_has_its_unit_or_its_name(question: str, dose: str) -> None:
    assert dose in answer_of(BANDS, question)


def test_the_unit_of_a_number_in_a_range_need_not_be_that_of_the_table() -> None:
    text = "Fares in euros\n\nStay | Coast | Islands\nup to 8 d | 18 | 61\n9 - 16 d | 24 | 104\n17 - 31 d | 40 | 231\n"
    assert answer_of(text, "how much are the islands for 12 nights", expects="number") == "9 - 16 d, Islands: 104."


def test_months_and_sums_are_known_by_any_of_their_names() -> None:
    text = (
        "Plan\n\nDate | Capital | Interest | Total to pay\n1 January 2031 | 900.00 | 18.00 | 918.00\n"
        "1 April 2031 | 900.00 | 9.00 | 909.00\n1 January 2032 | 900.00 | 4.00 | 904.00\n"
    )
    question = "how much altogether has to be paid on 1 jan 2031"
    assert answer_of(text, question, expects="number") == "1 January 2031, Total to pay: 918.00."


def test_a_heading_or_a_word_of_the_question_may_be_shortened() -> None:
    text = "Budget\n\nUnit | Prop. (EUR) | Spent (EUR)\nSales Department | 402 | 388\nLegal Office | 210 | 190\n"
    assert answer_of(text, "proposed for the sales dept", expects="number") == "Sales Department, Prop.: 402 EUR."


BIDS = """Bids

Bidder | Price (EUR) | Delivery
Falk Boats | 900 | 3 weeks
Orme and Daughters | 850 | 5 weeks
Tarn Yard | 990 | 2 weeks

Tasks

No | Task | Who
1 | Write to Orme | Pell
2 | Visit the yard | Quist
"""


async def test_rows_that_are_compared_are_set_side_by_side(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, BIDS, "bids.txt")
    question = "compare the Falk and Orme bids"
    response = await client.post(f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": question}])
    assert response.json()["answer"]["message"] == (
        "Falk Boats; Orme and Daughters:\n- Price: 900 EUR; 850 EUR\n- Delivery: 3 weeks; 5 weeks"
    )


async def test_a_second_question_about_a_row_has_it_said_whole(client: httpx.AsyncClient) -> None:
    text = (
        "Risks\n\nID | Risk | Score | Countermeasure\nR1 | Late delivery | 9 | Second supplier\n"
        "R2 | Wet cellar | 16 | Pumps and drains\nR3 | Loss of data | 4 | Backups\n"
    )
    doc_id = await upload(client, text, "risks.txt")
    message = "which risk has the highest score and what are we doing about it?"
    response = await client.post(f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": message}])
    assert response.json()["answer"]["message"] == ("R2: Risk Wet cellar; Score 16; Countermeasure Pumps and drains.")
    message = "which risk has the highest score?"
    response = await client.post(f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": message}])
    assert response.json()["answer"]["message"] == "Wet cellar, Score: 16."


async def test_two_questions_about_a_row_have_it_said_whole_though_a_word_is_unknown(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, MODULES, "modules.txt")
    message = "hydraulics - how many points, and who is it taught by?"
    response = await client.post(f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": message}])
    assert response.json()["answer"]["message"] == "Hydraulics: Sem 2; Code A22; Credits 5; Taught by Quist."


RESULTS = """Results

Test | Result | Unit | Normal range | Before
Iron | 13.1 | g/l | 13.5–17.5 | 13.9
Salt | 139 | mmol/l | 135–145 | 140
Fat | 6.3 | mmol/l | up to 5.0 | 5.5
Sugar | 61 | mg/dl | above 70 | 80
"""


def test_values_beyond_the_range_beside_them_are_listed() -> None:
    low = "- Iron: Result 13.1; Unit g/l; Normal range 13.5–17.5; Before 13.9.\n- Sugar: Result 61; "
    assert answer_of(RESULTS, "which results are below the normal range?").startswith(low)
    high = "Fat: Result 6.3; Unit mmol/l; Normal range up to 5.0; Before 5.5."
    assert answer_of(RESULTS, "what is above the range?") == high
    assert "Fat" not in answer_of(RESULTS, "which salt result is above the range?")
    assert answer_of(RESULTS, "which results above the range came from the hospital laboratory?") == ""


def test_of_two_names_for_a_sum_the_value_counts_that_several_tables_have() -> None:
    statements = "".join(
        f"{name} ($ in millions)\n\nItem | 2031 | 2030\nSales | 940 | 910\n{item} | 12 | 9\n\n"
        for name, item in (("Overview", "Wages"), ("Statement", "Rent"), ("Five years", "Taxes"))
    )
    part = "Of the guarantors ($ in millions)\n\nItem | 2031 | 2030\nTotal sales | 71 | 66\nCosts | 50 | 41\n"
    assert answer_of(statements + part, "total sales 2031") == "Sales, 2031: $940 million."


def test_rows_of_figures_are_no_things_that_fulfil_a_condition() -> None:
    text = (
        "By quarter ($ in thousands)\n\nItem | Q1 | Q2\n2030 | |\nTotal income | 40 | 44\nCosts | 30 | 31\n2031 | |\n"
        "Total income | 50 | 54\nCosts | 33 | 30\n"
    )
    assert "- " not in answer_of(text, "total income")


MARKS = "Marks\n\nPoints in % | Mark | Name\nfrom 90 | 1.0 – 1.5 | excellent\n75 to under 90 | 1.6 – 2.5 | good\nunder 75 | 4.0 | poor\n"


def test_a_range_may_end_below_its_last_number() -> None:
    assert answer_of(MARKS, "which mark for 89 points?") == "75 to under 90, Mark: 1.6 – 2.5."
    assert answer_of(MARKS, "which mark for 90 points?") == "from 90, Mark: 1.0 – 1.5."


def test_a_number_with_decimals_is_of_a_range_only_beside_its_name() -> None:
    assert answer_of(MARKS, "how many points does it take for a 2.0", expects="number") == ""


def test_the_column_that_is_asked_for_names_the_rows() -> None:
    text = "Washes\n\nProgramme | Heat | Load (kg) | For\nCottons | 60 | 8 | towels\n | 40 | 8 | shirts\nWool | 30 | 2 | socks\n"
    assert answer_of(text, "which programmes have a load of 8?").startswith(
        "Load (kg) 8:\n- Cottons: Heat 60; For towels."
    )


async def test_two_questions_that_one_cell_would_answer_have_the_row_said_whole(client: httpx.AsyncClient) -> None:
    text = (
        "Budget\n\nGroup | Item | Approved (EUR) | Spent (EUR) | Forecast (EUR)\nStaff | Own staff | 412 | 298 | 430\n"
        " | Advisers | 265 | 231 | 318\nGoods | Licences | 188 | 141 | 182\n"
    )
    doc_id = await upload(client, text, "budget.txt")
    message = "advisers: how much was approved and how much will it be in the end?"
    response = await client.post(f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": message}])
    answer = response.json()["answer"]["message"]
    assert answer == "Advisers: Group Staff; Approved 265 EUR; Spent 231 EUR; Forecast 318 EUR."


def test_rows_are_listed_whatever_kind_of_question_it_is_taken_for() -> None:
    tables = Tables.of(1, [(1, COURSES[COURSES.index("Tasks") :])])
    answer = rows_listed(tables, Part("everything ada brook has to do", "en", kind="procedure"), "en")
    assert answer is not None and len(answer[1]) == 2
    assert rows_listed(tables, Part("how does ada brook mend a kiln?", "en", kind="procedure"), "en") is None


def test_rows_of_several_tables_that_have_the_same_value_are_all_listed() -> None:
    text = (
        "Risks\n\nID | Risk | Owner\nR1 | Wet cellar | Ida Falk\nR2 | Fire | Jon Pell\n\nActions\n\n"
        "No | Action | Owner\nA1 | Buy pumps | Ida Falk\nA2 | Clean drains | Ida Falk\nA3 | Test alarms | Mia Roe\n"
    )
    answer = answer_of(text, "what does ida falk own?")
    assert answer == ("Ida Falk:\n- Wet cellar, ID: R1.\n\nIda Falk:\n- Buy pumps, No: A1.\n- Clean drains, No: A2.")
    assert "Wet cellar" not in answer_of(text, "which actions does ida falk own?")


def test_how_long_is_asked_of_a_time_and_who_of_a_role_is_asked_of_its_row() -> None:
    assert answer_of(BIDS, "how long is the delivery of tarn?", expects="number") == "Tarn Yard, Delivery: 2 weeks."
    text = "Staff\n\nRole | Duty | Deputy\nHead | signs | Shift lead\nShift lead | checks | Mia Roe\nClerk | files | Jon Pell\n"
    assert answer_of(text, "who is the deputy of the shift lead", expects="person") == "Shift lead, Deputy: Mia Roe."
    assert answer_of(text, "what should she do as clerk? duty") == "Clerk, Duty: files."


PLANS = """Plans

Feature | Basic | Plus Family
Storage (GB) | 5 | 50
Support | e-mail | e-mail
Delay (over 12 h) | 80 | 150
Price | €3 | €8
"""


def test_columns_are_compared_in_what_they_differ() -> None:
    question = "what is the difference between basic and plus family?"
    assert answer_of(PLANS, question) == (
        "Basic; Plus Family:\n- Storage (GB): 5 GB; 50 GB\n- Delay (over 12 h): 80; 150\n- Price: €3; €8"
    )
    assert answer_of(PLANS, "what is the price difference between basic and plus family?").startswith("Price – ")


def test_of_two_tables_of_the_same_ranges_that_is_meant_whose_title_is_named() -> None:
    text = f"{BANDS.replace('Dose by', 'Medicine by')}\nWalks by weight\n\nWeight (kg) | Dose of walking\nbelow 60 | 30 min\n60 to 99 | 20 min\n100 or more | 10 min\n"
    assert answer_of(text, "dose at 70 kg") == ""
    assert answer_of(text, "dose of the walks at 70 kg") == "60 to 99, Dose of walking: 20 min."


def test_a_number_of_one_digit_is_a_word_of_the_question_as_any_other() -> None:
    text = "Leave\n\nService | Leave (days)\nunder 4 years | 25\n4 to 9 years | 27\n10 years or more | 30\n"
    assert answer_of(text, "leave after 5 years?") == "4 to 9 years, Leave: 27 days."
