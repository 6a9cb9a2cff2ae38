"""What can be shown as an answer, what it stands under, and the whole that it belongs to."""

from docqa.text.blocks import Block, BlockKind, blocks_of
from docqa.text.units import LONGEST_ITEM, LONGEST_TITLE, Unit, in_context, under_title, units


def read(text: str) -> list[Unit]:
    return units(text, blocks_of(text))


def part(text: str, start: int | None, end: int | None) -> str:
    return "" if start is None or end is None else " ".join(text[start:end].split())


def shown(text: str) -> list[tuple[str, str]]:
    """(unit, its lead) as texts."""
    return [(part(text, unit.start, unit.end), part(text, unit.lead_start, unit.lead_end)) for unit in read(text)]


def groups(text: str) -> list[str]:
    return [part(text, unit.group_start, unit.group_end) for unit in read(text)]


LEASE = (
    "ENDING THE LEASE\n\n"
    "Either side may end it. The tenant gives notice in writing. It must name:\n"
    "• the flat\n"
    "• the last day, which is\n  - in summer the first\n  - in winter the last\n\n"
    "Keys are handed over on that day."
)


def test_sentences_stand_under_their_heading() -> None:
    assert shown(LEASE)[:2] == [
        ("Either side may end it.", "ENDING THE LEASE"),
        ("The tenant gives notice in writing.", "ENDING THE LEASE"),
    ]
    assert groups(LEASE)[0].startswith("Either side") and groups(LEASE)[0].endswith("It must name:")


def test_items_stand_under_the_line_that_leads_into_them_or_their_parent() -> None:
    assert shown(LEASE)[2:6] == [
        ("• the flat", "It must name:"),
        ("• the last day, which is", "It must name:"),
        ("- in summer the first", "• the last day, which is"),
        ("- in winter the last", "• the last day, which is"),
    ]


def test_the_group_of_an_item_is_the_list_with_its_leading_line() -> None:
    whole = "It must name: • the flat • the last day, which is - in summer the first - in winter the last"
    assert groups(LEASE)[2:6] == [whole] * 4


CLAUSES = "2.1 We insure against:\n\n(a) fire;\n\n(b) hail.\n\n2.2 We pay within:\n\n2.3 You pay in May."


def test_an_item_that_ends_in_a_colon_is_no_unit_and_leads_its_own_list() -> None:
    assert shown(CLAUSES) == [
        ("(a) fire;", "2.1 We insure against:"),
        ("(b) hail.", "2.1 We insure against:"),
        ("2.3 You pay in May.", ""),
    ]
    assert groups(CLAUSES)[:2] == ["2.1 We insure against: (a) fire; (b) hail."] * 2
    assert groups(CLAUSES)[2] == " ".join(CLAUSES.split())


def test_a_paragraph_or_table_stands_under_the_item_right_before_it_that_ends_in_a_colon() -> None:
    text = "1. Open the lid.\n\n2. Choose one:\n\nEither side may be taken."
    assert shown(text)[1:] == [("Either side may be taken.", "2. Choose one:")]


def test_a_list_goes_on_after_a_remark_or_with_its_next_number() -> None:
    text = "Foam the milk:\n\n• fill the jug\n\n• press the button\n\nA thick foam results.\n\n• wipe the nozzle"
    assert set(groups(text)) == {" ".join(text.split())}
    steps = f"1. Fill the jug, but not above the mark.\n\n{'It holds one litre of milk. ' * 9}\n\n2. Press the button."
    assert set(groups(steps)) == {" ".join(steps.split())}
    other = steps.replace("2. Press", "1. Press")
    assert len(set(groups(other))) == 3


def test_headings_questions_and_lines_with_a_colon_are_no_units() -> None:
    text = "TERMS\n\nWhat does it cost?\n\nNothing at all.\n\nThe following applies:"
    assert [unit for unit, _ in shown(text)] == ["Nothing at all."]


def test_an_answer_is_grouped_with_its_question() -> None:
    text = (
        "Can I keep a cat?\n\nYes, if she agrees. Ask first.\n\nIt stays indoors.\n\nMay I smoke?\n\nNo, you may not."
    )
    assert shown(text)[0] == ("Yes, if she agrees.", "Can I keep a cat?")
    assert groups(text)[:3] == ["Can I keep a cat? Yes, if she agrees. Ask first. It stays indoors."] * 3
    assert groups(text)[3] == "May I smoke? No, you may not."


def test_rows_are_grouped_with_their_column_headings_which_are_no_units() -> None:
    text = "Table 1: Energy\n\nSite\tMWh\nMill\t598\nRoof\t126"
    assert shown(text)[1:] == [("Mill 598", "Table 1: Energy"), ("Roof 126", "Table 1: Energy")]
    assert groups(text)[1] == "Site MWh Mill 598 Roof 126"


def test_rows_below_the_headings_of_the_next_table_are_a_group_of_their_own() -> None:
    text = "Payments\tHours\nBasic pay\t150\n\nDeductions\tAmount\nTax\t312"
    second = text.index("Deductions")
    tables = ((0, 14, second - 2), (second, text.index("Tax") - 1, len(text)))
    rows = units(text, blocks_of(text, tables=tables))
    assert [part(text, unit.start, unit.end) for unit in rows] == ["Basic pay 150", "Tax 312"]
    assert [part(text, *unit.group) for unit in rows] == ["Payments Hours Basic pay 150", "Deductions Amount Tax 312"]


def test_a_line_that_is_no_sentence_is_the_title_of_the_list_below_it() -> None:
    lines = ["Engineer, 2012 to 2018", "• checked joints", "• mentored two", "Assistant, 2010", "• drew plans"]
    text = "\n".join(lines)
    kinds: list[BlockKind] = ["paragraph", "item", "item", "paragraph", "item"]
    blocks = [
        Block(kind, text.index(line), text.index(line) + len(line)) for kind, line in zip(kinds, lines, strict=True)
    ]
    leads = {
        text[unit.start : unit.end]: text[unit.lead_start or 0 : unit.lead_end or 0]
        for unit in units(text, blocks)
        if unit.kind == "item"
    }
    assert leads == {lines[1]: lines[0], lines[2]: lines[0], lines[4]: lines[3]}


def test_boilerplate_is_no_unit() -> None:
    assert shown("The lamp burns.\n\n© 2024 Mill Trust. All rights reserved.\n\nIt is seen from afar.") == [
        ("The lamp burns.", ""),
        ("It is seen from afar.", ""),
    ]


def test_a_long_item_is_cut_into_sentences() -> None:
    sentence = "The tenant pays the rent on the first day of each month. "
    text = f"• {sentence * (LONGEST_ITEM // len(sentence) + 1)}\n• short. And so on."
    assert [unit for unit, _ in shown(text)][-2:] == [sentence.strip(), "• short. And so on."]


def test_the_number_of_a_long_item_belongs_to_its_first_sentence() -> None:
    sentence = "The tenant pays the rent on the first day of each month. "
    clauses = [f"{number}. {sentence * (LONGEST_ITEM // len(sentence) + 1)}".strip() for number in (1, 2)]
    whole = [unit for unit, _ in shown("\n".join(clauses))]
    assert [unit for unit in whole if unit != sentence.strip()] == [f"1. {sentence.strip()}", f"2. {sentence.strip()}"]


def test_a_sentence_goes_on_over_a_blank_line_within_its_block() -> None:
    text = "The deposit is held by the agent for the\n\nwhole of the tenancy. It earns no interest."
    [first, _] = units(text, [Block("paragraph", 0, len(text))])
    assert part(text, first.start, first.end) == "The deposit is held by the agent for the whole of the tenancy."


def test_a_passage_without_blocks_has_no_units() -> None:
    assert units("", ()) == []


def test_items_of_an_outer_list_that_was_begun_on_the_page_before_do_not_stand_under_an_inner_one() -> None:
    assert shown("A permit is needed except:\n\n(i) in May;\n\n(ii) in June.\n\n(d) No hearing is held.\n\n3. Ask us.")[
        1:
    ] == [
        ("(ii) in June.", "A permit is needed except:"),
        ("(d) No hearing is held.", ""),
        ("3. Ask us.", ""),
    ]


def test_a_heading_and_the_line_below_it_that_is_no_sentence_are_one_unit() -> None:
    page = "LEAFLET\n\nIngredient: salt\n\nCHIEF SURGEON\n\nAda Moor\n\nOPENING HOURS\n\nWe open at nine.\n\nCARE\n\n- Rest\n- Drink"
    assert shown(page) == [
        ("Ingredient: salt", "LEAFLET"),
        ("CHIEF SURGEON Ada Moor", "CHIEF SURGEON"),
        ("We open at nine.", "OPENING HOURS"),
        ("- Rest", "CARE"),
        ("- Drink", "CARE"),
    ]


def test_what_is_not_understood_without_what_it_stands_under_is_matched_with_it() -> None:
    text = "To print two pages on one:\n\nset paper = save\n\nPRINTING\n\nThe printer has a number. It is on the back."
    assert [in_context(text, unit) for unit in read(text)] == [
        "To print two pages on one: set paper = save",
        "The printer has a number.",
        "It is on the back.",
    ]


def test_a_sentence_is_embedded_with_its_title_without_which_it_is_about_nothing() -> None:
    text = "THE FERRY\n\nIt takes two hours. Dogs are free:\n\n- small ones\n- guide dogs\n\nTHE CABLE CAR\n\nIt takes ten minutes."
    assert [under_title(text, unit) for unit in read(text)] == [
        "THE FERRY It takes two hours.",
        "Dogs are free: - small ones",
        "Dogs are free: - guide dogs",
        "THE CABLE CAR It takes ten minutes.",
    ]
    long = f"{'VERY ' * LONGEST_TITLE}LONG"
    under_it = Unit(len(long) + 2, len(long) + 10, "paragraph", 0, len(long), len(long) + 2, len(long) + 10)
    assert under_title(f"{long}\n\nIt rains.", under_it) == "It rains", "which is a paragraph"
