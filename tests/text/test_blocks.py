"""What the parts of a page are, as its lines and its reader show them."""

import random
import time
from unittest.mock import Mock

import pytest

from docqa.text import block as block_module
from docqa.text.blocks import Block, blocks_of, clipped, packed, unpacked, unpacked_within

LONG = (
    "The keeper of the lighthouse climbs the stairs each evening and trims the lamp,\n"
    "which has burnt for eighty years without a break and is seen from far out at sea\n"
    "by every ship that passes the cape on its way home."
)


def shown(text: str, **known: object) -> list[tuple[str, str]]:
    """(kind, text with its white space folded) of each block."""
    return [(block.kind, " ".join(text[block.start : block.end].split())) for block in blocks_of(text, **known)]  # type: ignore[arg-type]


def kinds(text: str) -> list[str]:
    return [block.kind for block in blocks_of(text)]


def levels(text: str) -> list[int]:
    return [block.level for block in blocks_of(text) if block.kind == "item"]


# --- what holds of every text ---


def assert_whole(text: str, blocks: tuple[Block, ...]) -> None:
    reached = 0
    for block in blocks:
        assert reached <= block.start < block.end
        assert not text[reached : block.start].strip(), "text between the blocks"
        assert text[block.start : block.end] == text[block.start : block.end].strip()
        reached = block.end
    assert not text[reached:].strip()


PARTS = [
    "• one",
    "1. two",
    "(a) three",
    "Name: x",
    "Is it?",
    "Title Case",
    "ALL CAPS",
    LONG,
    "a\tb",
    "x .... 7",
    "\f",
    "– y",
    "© 2020 Z",
]


@pytest.mark.parametrize("seed", range(60))
def test_blocks_are_in_order_apart_and_cover_the_text(seed: int) -> None:
    chance = random.Random(seed)
    text = "".join(chance.choice(PARTS) + chance.choice(["\n", "\n\n", " \n \n", "\n   "]) for _ in range(25))
    spans = sorted(chance.sample(range(len(text)), 8))
    pairs = list(zip(spans[::2], spans[1::2], strict=True))
    for blocks in (
        blocks_of(text),
        blocks_of(text, [(spans[0], text[spans[0] : spans[0] + 5])], [(spans[2], spans[3], spans[5])], pairs[3:]),
        blocks_of(text, known=[Block("item", start, end, 1) for start, end in pairs]),
    ):
        assert_whole(text, blocks)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "word " * 200_000,
        "• item\n" * 20_000,
        "1. item\n" * 20_000,
        "- a\n  - b\n    - c\n" * 7_000,
        "Why?\n\n" * 20_000,
        "a\tb\n" * 20_000,
        "Label: value\n" * 20_000,
        "chapter ..... 3\n" * 20_000,
        " " * 1_000_000 + "x",
        "\n" * 1_000_000 + "x",
        "1" * 1_000_000,
        "(" * 1_000_000,
        "A.B." * 100_000,
    ],
    ids=lambda text: text[:12],
)
def test_hostile_texts_take_linear_time(text: str) -> None:
    begun = time.process_time()
    blocks_of(text)
    assert time.process_time() - begun < 2


def test_blocks_are_stored_and_read_again() -> None:
    blocks = blocks_of("TITLE\n\nText of it, which is long enough to be one, and even longer.\n\n• a\n• b")
    assert unpacked(packed(blocks)) == blocks


@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_blocks_of_a_part_are_read_without_the_others(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(count)
    ends = sorted(chance.sample(range(1, 400), 2 * count))
    blocks = [Block("row", start, end) for start, end in zip(ends[::2], ends[1::2], strict=True)]
    stored = packed(blocks)
    decoded = Mock(side_effect=block_module._decoded)
    monkeypatch.setattr(block_module, "_decoded", decoded)
    for start in range(0, 400, 7):
        for end in (start + 1, start + 30, 400):
            decoded.reset_mock()
            within = [block for block in blocks if block.start < end and block.end > start]
            assert list(unpacked_within(stored, start, end)) == within
            assert decoded.call_count <= len(stored).bit_length() + len(within) + 1


def test_a_passage_has_its_blocks_in_its_own_coordinates() -> None:
    text = "First paragraph here.\n\n• one\n• two\n\nThe last paragraph."
    start = text.index("• one")
    passage = text[start : text.index(" paragraph.")]
    blocks = clipped(passage, blocks_of(text), start)
    assert [(block.kind, passage[block.start : block.end]) for block in blocks] == [
        ("item", "• one"),
        ("item", "• two"),
        ("paragraph", "The last"),
    ]


# --- paragraphs ---


def test_hard_wrapped_lines_are_one_paragraph() -> None:
    assert kinds(f"{LONG}\n\n{LONG}") == ["paragraph", "paragraph"]


def test_lines_that_were_not_wrapped_are_paragraphs() -> None:
    line = "This line runs on and on as lines do where nobody has wrapped them at the margin of a page. " * 3
    assert kinds(f"{line}\n{line}\n{line}") == ["paragraph"] * 3


def test_short_lines_beside_paragraphs_of_one_long_line_each_were_not_wrapped() -> None:
    text = (
        "1. Holidays\n"
        "Full-time staff are entitled to 28 days of annual leave in each year, which they agree with the head of their team.\n\n"
        "Whoever works part of the week has leave in proportion, and what was not taken by the end of March is lost.\n\n"
        "The office closes on Friday.\nThe workshop closes on Saturday."
    )
    assert kinds(text) == ["heading", *["paragraph"] * 4]


def test_lines_of_a_list_in_a_text_that_was_not_wrapped_are_no_headings() -> None:
    long = (
        "She was brought in by ambulance with pain that had begun two hours before, and was treated on the same day. "
        * 4
    )
    text = (
        f"{long}\n\nMedicines\nAspirin 75 mg once a day\nBisoprolol 2.5 mg in the morning\nMetformin 500 mg twice a day\n"
        "Ramipril was stopped because of a dry cough and replaced by candesartan.\nAdvice\n"
        "There should be no driving for four weeks and no heavy lifting for six."
    )
    assert [block for block in shown(text) if block[0] == "heading"] == [("heading", "Advice")]


def test_labels_with_values_are_a_block_each() -> None:
    assert shown("Rent: 1,200\nDeposit: 2,400, payable\nbefore the keys are handed over\nNotice: 3 months") == [
        ("paragraph", "Rent: 1,200"),
        ("paragraph", "Deposit: 2,400, payable before the keys are handed over"),
        ("paragraph", "Notice: 3 months"),
    ]


def test_a_paragraph_that_the_layout_tore_apart_is_one() -> None:
    torn = "The deposit is held by the letting agent for the\n\nwhole of the tenancy."
    known = [Block("paragraph", 0, 48), Block("paragraph", 50, len(torn))]
    assert len(blocks_of(torn, known=known)) == 1


# --- lists ---


@pytest.mark.parametrize(
    "marks",
    ["• • •", "- - -", "1. 2. 3.", "1) 2) 3)", "(1) (2) (3)", "a) b) c)", "(a) (b) (c)", "(i) (ii) (iii)", "i. ii. iii.",
     "① ② ③", "▪ ▪ ▪", "\uf0b7 \uf0b7 \uf0b7", "1.1 1.2 1.3", "Step 1: Step|2: Step|3:", "7- 8- 9-", "٧- ٨- ٩-"],
)  # fmt: skip
def test_marks_begin_items(marks: str) -> None:
    names = [mark.replace("|", " ") for mark in marks.replace("Step 1", "Step|1").split()]
    lines = [f"{mark} Wash hands well" for mark in names]
    assert shown("\n".join(lines)) == [("item", line) for line in lines]


def test_the_lines_of_an_item_belong_to_it() -> None:
    assert shown(
        "You bring:\n• a passport, which must be valid for at least\n  six more months\n• two photographs"
    ) == [
        ("paragraph", "You bring:"),
        ("item", "• a passport, which must be valid for at least six more months"),
        ("item", "• two photographs"),
    ]


def test_a_number_or_dash_within_a_sentence_begins_no_item() -> None:
    text = (
        "The council met for the first time in the old town hall on the evening of the\n"
        "3. Oktober and sat until midnight, although some had gone home by then, which\n"
        "– as the minutes say\n– was allowed."
    )
    assert kinds(text.replace("\n– as", " – as")) == ["paragraph"]


def test_a_number_with_a_dash_and_a_tab_begins_an_item_and_no_row() -> None:
    text = "٧-\tتفتح المكتبة أبوابها كل صباح. وتغلقها مساء.\n\n٨-\tولا يدخلها أحد بعد ذلك. ويوم الجمعة عطلة."
    assert kinds(text) == ["item", "item"]
    ages = "The pool has a lane of its own for children, and the coach says that those of\n12- to 15-years may use it."
    assert kinds(ages) == ["paragraph"]


def test_initials_are_no_letters_of_a_list() -> None:
    assert kinds("A. Smith wrote the report, and everybody else in the office read it at once.") == ["paragraph"]


def test_items_are_nested_by_mark_and_indentation() -> None:
    assert levels("1. one\n   a) two\n   b) two\n2. one\n   - two\n     - three\n3. one") == [1, 2, 2, 1, 2, 3, 1]
    assert levels("(g) one\n(h) one\n(i) one\n(j) one") == [1, 1, 1, 1]
    assert levels("(i) two\n\n(ii) two\n\n(d) one\n\n(e) one\n\n(i) two") == [2, 2, 1, 1, 2]  # begun elsewhere


def test_the_first_item_of_a_passage_which_has_lost_its_indentation_is_of_the_level_of_the_next() -> None:
    assert levels("4. The chair is elected.\n    5. So is the clerk.\n    6. Nobody else is.") == [1, 1, 1]
    decide = "4. They decide:\n        1. the budget\n        2. the fees\n    5. They elect."
    assert levels(decide) == [1, 2, 2, 1]


def test_items_with_a_remark_before_them_lie_within_the_one_that_goes_on_behind_them() -> None:
    remark = "\n\nThey may do so as often as anybody asks them to.\n\n"
    assert levels(f"4. They decide.{remark}       1. the budget\n       2. the fees\n    5. They elect.") == [
        1,
        2,
        2,
        1,
    ]


def test_text_at_the_margin_after_a_list_is_a_paragraph() -> None:
    assert shown("- bread\n- butter\n- jam\nAll of it has to be fresh.")[-1] == (
        "paragraph",
        "All of it has to be fresh.",
    )


# --- headings ---


@pytest.mark.parametrize(
    "title",
    [
        "GENERAL TERMS",
        "3.2 Notice",
        "4. Ending the lease",
        "Ending the lease",
        "Article 5 Liability",
        "三、操作说明",
        "§ 4 Kündigung",
    ],
)
def test_a_short_line_above_text_is_a_heading(title: str) -> None:
    assert shown(f"{title}\n\n{LONG}")[0] == ("heading", title)


def test_a_heading_may_stand_right_above_its_text() -> None:
    assert shown(f"Ending the lease\n{LONG}")[0] == ("heading", "Ending the lease")


@pytest.mark.parametrize(
    "line",
    [
        "It ends here.",
        "Dear Madam,",
        "Rent: 1,200",
        "kind regards",
        "mill@example.org",
        "Figure 1: The mill",
    ],
)
def test_other_short_lines_are_not(line: str) -> None:
    assert shown(f"{line}\n\n{LONG}")[0][0] != "heading"


def test_a_lettered_line_above_a_text_is_a_heading_and_one_among_others_an_item() -> None:
    assert kinds(f"(a) Scope of it\n\n{LONG}\n\n(b) Terms\n\n{LONG}") == ["heading", "paragraph"] * 2
    assert kinds(f"(a) Scope of it\n\n(b) Terms\n\n{LONG}") == ["item", "item", "paragraph"]


def test_numbered_lines_one_after_the_other_are_items() -> None:
    assert kinds("1. Open the lid\n\n2. Fill in water\n\n3. Close the lid") == ["item"] * 3


def test_the_number_of_a_heading_tells_its_level() -> None:
    text = f"1. Scope\n\n{LONG}\n\n1.1 Places\n\n{LONG}\n\n1.1.1 Rooms\n\n{LONG}"
    assert [block.level for block in blocks_of(text) if block.kind == "heading"] == [1, 2, 3]


def test_headings_of_the_reader_are_found_whatever_their_white_space() -> None:
    text = f"Duties of\nthe tenant\n\n{LONG}"
    assert shown(text, headings=[(0, "Duties of the tenant")])[0] == ("heading", "Duties of the tenant")


# --- captions, notes, questions ---


@pytest.mark.parametrize(
    "caption", ["Figure 3: The harbour", "Table 2. Wages by year", "Abb. 1 Der Hafen", "图 2：水泵", "Tableau 4 : Prix"]
)
def test_captions(caption: str) -> None:
    assert shown(f"{LONG}\n\n{caption}\n\n{LONG}")[1] == ("caption", caption)


def test_a_sentence_about_a_figure_is_no_caption() -> None:
    assert kinds("Figure 3 shows the harbour as it was before the storm of that year.") == ["paragraph"]


def test_footnotes_stand_at_the_end_of_a_page_and_are_referred_to() -> None:
    assert shown(f"The lamp burns oil.1 It is old.*\n\n{LONG}\n\n1 Later also gas.\n\n* Built before the war.")[2:] == [
        ("note", "1 Later also gas."),
        ("note", "* Built before the war."),
    ]


@pytest.mark.parametrize(
    "note", ["Note: without tax.", "Hinweis: ohne Steuer.", "Source: town archive.", "注：不含税。"]
)
def test_labelled_notes(note: str) -> None:
    assert shown(f"{LONG}\n\n{note}")[1] == ("note", note)


def test_a_question_with_its_answer() -> None:
    text = "Can I keep a cat?\n\nYes, if the landlord agrees.\n\nMay I paint the walls?\nOnly in white, and not in the hall."
    assert kinds(text) == ["question", "paragraph", "question", "paragraph"]


def test_a_question_may_quote_a_word() -> None:
    text = 'May I call it a "house"?\n\nNot before it has a roof.'
    assert kinds(text) == ["question", "paragraph"]


@pytest.mark.parametrize(
    "text", ["• Who pays?\n• Who cleans?\n• Who locks up?", "“Who are you?”\n\n“A friend.”", "Why?"]
)
def test_questions_without_an_answer_are_none(text: str) -> None:
    assert "question" not in kinds(text)


def test_a_question_that_ends_an_inner_list_is_an_item_of_it() -> None:
    text = "Take off what other programs need\nJava, mail?\nDivide by the size of one process"
    lines = [(text.index(line), text.index(line) + len(line)) for line in text.split("\n")]
    known = [Block("item", *span, level) for span, level in zip(lines, (1, 2, 1), strict=True)]
    assert [(block.kind, block.level) for block in blocks_of(text, known=known)] == [
        ("item", 1),
        ("item", 2),
        ("item", 1),
    ]


# --- boilerplate and tables ---


def test_a_table_of_contents_is_boilerplate() -> None:
    text = "Scope ........ 3\nTerms ........ 5\nAppendix A: ...7\nIndex ........ 12"
    assert kinds(text) == ["boilerplate"] * 4
    plain = "Contents\n\nScope\t3\nPART TWO\nTerms\t5\nIndex\t12"
    assert kinds(plain)[-1] == "boilerplate"
    assert (
        kinds("\tPage\nReport of the auditors\t37\nBalance sheet\t41\nNotes to the accounts\t43")[-1] == "boilerplate"
    )


def test_prices_with_dots_are_no_table_of_contents() -> None:
    assert "boilerplate" not in kinds("Espresso ..... 3\nSandwich ..... 9\nWater ..... 2\nTea ..... 3")


@pytest.mark.parametrize("line", ["- 7 -", "Page 3 of 12", "Seite 3", "12", "iv", "Lease of the mill   2/3"])
def test_page_numbers_are_boilerplate(line: str) -> None:
    assert shown(f"{LONG}\n\n{line}")[1] == ("boilerplate", " ".join(line.split()))


def test_a_notice_of_copyright_is_boilerplate() -> None:
    assert kinds(f"{LONG}\n\n© 2024 Mill Trust. All rights reserved.\n\n{LONG}") == [
        "paragraph",
        "boilerplate",
        "paragraph",
    ]


def test_running_matter_counts_before_all_else() -> None:
    text = f"1. Mill Trust\n\n{LONG}"
    assert shown(text, running=[(0, 13)])[0] == ("boilerplate", "1. Mill Trust")


def test_lines_with_cells_are_rows_with_the_column_headings_first() -> None:
    text = "Site\t2023 (MWh)\t2024\nMill\t771\t598\nRoof\t121\t126"
    assert [(block.kind, block.level) for block in blocks_of(text)] == [("row", 1), ("row", 0), ("row", 0)]
    assert kinds("Name:\tMill Lane") == ["paragraph"]


def test_what_stands_over_a_rule_heads_the_columns_and_a_row_may_be_wrapped() -> None:
    text = (
        "No   Action                        Owner         State\n"
        "---  ----------------------------  ------------  -------------\n"
        "1    Get three quotes for the      Ann Dacre     open\n"
        "     swing in the meadow\n"
        "2    Count the bins                Jo Swann      half done,\n"
        "                                                 goes on in May\n"
        "3    Order salt                    Jo Swann      done"
    )
    assert [(block.kind, block.level) for block in blocks_of(text)] == [("row", 1)] * 2 + [("row", 0)] * 3
    assert [line for _, line in shown(text)][2:] == [
        "1 Get three quotes for the Ann Dacre open swing in the meadow",
        "2 Count the bins Jo Swann half done, goes on in May",
        "3 Order salt Jo Swann done",
    ]


def test_rows_further_in_that_have_cells_in_the_first_column_are_rows() -> None:
    text = "Sales        2023     2024\n  Europe     100      120\n  Asia       50       70\nCosts        90       95"
    assert [line for _, line in shown(text)] == [" ".join(line.split()) for line in text.splitlines()]


def test_a_row_whose_first_cell_is_empty_behind_a_tab_is_one_of_its_own() -> None:
    text = "Rent\t1,200\n\t1,310\nHeating\t310"
    assert [line for _, line in shown(text)] == ["Rent 1,200", "1,310", "Heating 310"]


def test_labels_head_no_columns_even_over_a_number() -> None:
    text = "Place:      Corn Hall\nBegan:      19.00\nEnded:      21.25"
    assert [(block.kind, block.level) for block in blocks_of(text)] == [("row", 0)] * 3


def test_values_over_the_rule_before_a_total_head_no_columns() -> None:
    text = "Rent         1,200\nHeating      310\n------------------\nTotal        1,510"
    assert [(block.kind, block.level) for block in blocks_of(text)] == [("row", 0)] * 2 + [("row", 1), ("row", 0)]


def test_the_rows_of_a_table_that_the_reader_knows() -> None:
    text = "Prices:\n\nA\tB\nx\t1\ny\t2\n\nEnd of it."
    known = [(block.kind, block.level) for block in blocks_of(text, tables=[(9, 12, 20)])]
    assert known == [("paragraph", 0), ("row", 1), ("row", 0), ("row", 0), ("paragraph", 0)]


def test_a_rule_in_a_table_that_the_reader_knows_is_no_row_of_values() -> None:
    text = "A\tB\n---\nx\t1\n---\ny\t2"
    known = [(block.kind, block.level) for block in blocks_of(text, tables=[(0, 3, len(text))])]
    assert known == [("row", 1), ("row", 1), ("row", 0), ("row", 1), ("row", 0)]


def test_a_list_that_its_reader_knows_lies_within_the_clause_before_it() -> None:
    text = "2.1 We insure against:\nfire;\nhail.\n2.2 We pay for:\nwind."
    known = [Block("item", text.index(each), text.index(each) + 5, 1) for each in ("fire;", "hail.", "wind.")]
    assert [(block.kind, block.level) for block in blocks_of(text, known=known)] == [
        ("item", 2), ("item", 3), ("item", 3), ("item", 2), ("item", 3),
    ]  # fmt: skip
