"""Cells that answer yes or no, two rows that "and" joins, and tables without headings."""

from docqa.questions.question import Part
from docqa.tables.lookups.cells import Tables
from docqa.tables.lookups.parts import answered

EDITIONS = """Editions

 | Home | Team | Office
Cloud store | - | yes | yes
Two-step login | – | - | yes, by card
Agents | 3 | 25 | 200
"""
PROGRAMS = """Programs

No. | Program | Duration (min) | Water (l) | For
P1 | Strong | 145 | 15.5 | pots
P2 | Eco | 230 | 9.8 | plates
P4 | Crystal | 85 | 12.5 | glasses
"""
AUTHORS = """By number of patches

Ada Hall | 1449 | 6.5%
Bo Lind | 755 | 3.4%
Cy Moss | 310 | 1.4%
"""


def answer_of(text: str, question: str, **fields: object) -> str:
    answer = answered(Tables.of(1, [(1, text)]), Part(question, "en", **fields), "en")  # type: ignore[arg-type]
    return answer[0] if answer else ""


def test_a_cell_that_says_yes_or_has_a_dash_answers_whether() -> None:
    assert answer_of(EDITIONS, "does Home have a cloud store?", kind="whether") == "No. Cloud store: Home -."
    assert answer_of(EDITIONS, "does Team have the cloud store", kind="whether") == "Yes. Cloud store: Team yes."
    said = answer_of(EDITIONS, "does Office have a two-step login?", kind="whether")
    assert said == "Yes. Two-step login: Office yes, by card."


def test_other_cells_and_denials_answer_no_yes_or_no() -> None:
    assert not answer_of(EDITIONS, "does Team have agents?", kind="whether")
    assert not answer_of(EDITIONS, "isn't there a cloud store in Home?", kind="whether")
    assert not answer_of(EDITIONS, "does Home have a printer?", kind="whether")


def test_the_same_of_two_rows_is_said_of_both() -> None:
    said = answer_of(PROGRAMS, "how much water do P1 and P4 use", kind="number", expects="number")
    assert said == "Water – P1: 15.5 l; P4: 12.5 l."
    said = answer_of(PROGRAMS, "how much water does eco use and does it wash plates", kind="number", expects="number")
    assert "Strong" not in said and "Crystal" not in said


def test_a_column_of_changes_since_a_year_has_no_figure_of_that_year() -> None:
    sales = (
        "Sales by region\n\nRegion | Sales (EUR million) |  |  | Change on 2024\n | Actual 2024 | Goal 2025 | Actual 2025\n"
        "North | 8.4 | 9.0 | 9.1 | +8.3 %\nEast | 3.1 | 3.5 | 3.6 | +16.1 %\nWest | 5.2 | 5.8 | 6.3 | +21.2 %\n"
    )
    assert "3.1" in answer_of(sales, "how much did East make in 2024", expects="number", kind="number")
    assert answer_of(sales, "what was East's growth in 2025").startswith("East rose by 16.1 %")


def test_a_table_without_headings_is_known_by_its_title() -> None:
    said = answer_of(AUTHORS, "how many patches by ada hall", kind="number", expects="number")
    assert said == "Ada Hall, By number of patches: 1449; 6.5%."


PRICES = """Prices

Guest | Low season | High season
Adult | 5.00 € | 7.00 €
Child (3 to 11 years) | 3.00 € | 5.60 €
Caravan, small | 6.00 € | 8.00 €
Caravan, large | 9.00 € | 12.00 €
"""


def test_a_number_in_the_brackets_of_a_name_is_of_that_row() -> None:
    said = answer_of(PRICES, "how much for a child of 8 years in high season?", kind="number", expects="number")
    assert said == "Child (3 to 11 years), High season: 5.60 €."


def test_rows_that_are_named_alike_are_all_said() -> None:
    said = answer_of(PRICES, "caravan in high season?")
    assert said == "High season – Caravan, small: 8.00 €; Caravan, large: 12.00 €."


def test_the_letter_behind_an_apostrophe_is_no_name() -> None:
    sizes = "Fees\n\nSize | Summer fee\nS | 4 €\nM | 6 €\n"
    assert answer_of(sizes, "what's the summer fee for size m?") == "M, Summer fee: 6 €."


def test_what_stands_beside_an_office_in_signatures_is_that_of_another() -> None:
    signed = "Elmton, 4 May 2024\n\nFor the owners,\tFor the agent,\nAda Hall\tBo van Lind\nChair of the board\tHead of Lind & Sons\n"
    assert not answer_of(signed, "who is chair of the board?", expects="person")
    roles = "The board\n\nManaging Director\tAda Hall\nHead of sales\tBo van Lind\nClerk\tCy Moss\n"
    assert answer_of(roles, "who is head of sales?", expects="person") == "Head of sales: Bo van Lind."
