"""Answers in the documents' own words: which unit is quoted, and how it is said."""

import re
from dataclasses import replace

import pytest

from docqa.answering.evidence import Candidate, CandidateUnit, Evidence, Piece
from docqa.answering.extractive import Extractive
from docqa.models.reader import YesNo
from docqa.questions.question import ChatOptions, Part, Question
from docqa.text.blocks import blocks_of
from docqa.text.units import units

pytestmark = pytest.mark.anyio

LONG = ChatOptions(length="LONG")
LEASE = "The lease began in May. Kari Nord signed the lease for the owner of the house. It ends in 2031."
HANDBOOK = """What you must bring on the first day:

- your passport
- your bank details
- a tax form

The kitchen is on the second floor."""


def evidence(
    text: str, *scores: float, spans: tuple[Candidate, ...] = (), part: int = 0, **further: object
) -> Evidence:
    """A passage whose units have these scores."""
    parts = units(text, blocks_of(text))
    candidates = tuple(CandidateUnit(unit, score, part) for unit, score in zip(parts, scores, strict=True))
    return replace(Evidence(text, candidates, spans, language="en"), **further)  # type: ignore[arg-type]


def question(text: str, kind: str = "fact", **further: object) -> Question:
    return Question(text, parts=(Part(text, kind=kind),), **further)  # type: ignore[arg-type]


async def extract(asking: Question, *passages: Evidence, sure: bool = True) -> list[Piece]:
    return [piece async for piece in Extractive(sure=sure).answer(asking, list(passages))]


async def test_the_best_unit_is_quoted_whole() -> None:
    pieces = await extract(question("Who signed the lease?"), evidence(LEASE, 0.5, 1.0, 0.2))
    assert pieces == [Piece("Kari Nord signed the lease for the owner of the house.", 0)]


async def test_the_mark_of_a_footnote_is_not_said() -> None:
    [piece, *_] = await extract(
        question("What rose?"), evidence("The rent rose in May.12 The deposit did not.”[3]", 1.0, 0.2)
    )
    assert piece.text == "The rent rose in May."


async def test_icons_of_the_documents_own_font_are_not_said() -> None:
    text = "Press \uf053 to go back to the menu\uf054. The lamp goes out."
    [piece, *_] = await extract(question("How do I go back?"), evidence(text, 1.0, 0.2))
    assert piece.text == "Press to go back to the menu."


async def test_a_heading_is_said_with_the_line_that_says_something_only_below_it() -> None:
    [piece] = await extract(question("Who is the surgeon?"), evidence("CHIEF SURGEON\n\nAda Moor", 1.0))
    assert piece.text == "CHIEF SURGEON: Ada Moor."


async def test_what_comes_right_behind_a_colon_is_said_with_it() -> None:
    text = (
        "Open the file in an editor and add this line to it:\n\nset printer = office\n\nThen print a page. It is blank."
    )
    [piece] = await extract(question("How is it set up?"), evidence(text, 1.0, 0.2, 0.2))
    assert piece.text == "Open the file in an editor and add this line to it: set printer = office."
    [piece] = await extract(question("What is printed?"), evidence(text, 0.2, 1.0, 0.2))
    assert piece.text == "Then print a page."


async def test_a_second_is_quoted_only_if_it_answers_nearly_as_likely_and_says_something_else() -> None:
    asking = question("Who signed the lease, and when is the rent due?")
    text = "Kari Nord signed the lease. The rent is due in May."
    assert [piece.text for piece in await extract(asking, evidence(text, 1.0, 0.9))] == [
        "Kari Nord signed the lease.",
        " The rent is due in May.",
    ]
    assert len(await extract(asking, evidence(text, 1.0, 0.5))) == 1
    assert len(await extract(asking, evidence("Kari Nord signed. Kari Nord signed.", 1.0, 0.9))) == 1


@pytest.mark.parametrize("unread", [False, True])
async def test_a_short_answer_has_sixty_words_at_most(unread: bool) -> None:
    for words, count in ((29, 2), (30, 1)):
        text = f"{'Kari ' * 30}signed. {'Ann ' * (words - 1)}left."
        pieces = await extract(question("Who signed?"), evidence(text, 1.0, 0.9, unread=unread))
        assert len(pieces) == count


async def test_a_long_answer_is_in_the_order_of_its_passages() -> None:
    asking = replace(question("What is said of the lease?"), options=LONG)
    pieces = await extract(asking, evidence("Kari signed it. It is long.", 0.8, 0.9), evidence("It ends in May.", 1.0))
    assert [piece.passage for piece in pieces] == [0, 0, 1]


async def test_a_list_is_shown_with_all_its_items_and_the_line_that_leads_into_it() -> None:
    [piece] = await extract(question("What do I have to bring?", "list"), evidence(HANDBOOK, 0.2, 1.0, 0.3, 0.1))
    assert piece.text == "What you must bring on the first day:\n- your passport\n- your bank details\n- a tax form"


PRICE = """The price includes:

- breakfast
- towels

The price does not include:

- drinks
- the tax of the town"""


async def test_a_list_is_shown_whole_where_the_question_says_what_it_is_of() -> None:
    [piece] = await extract(question("What does the price include?"), evidence(PRICE, 0.8, 0.7, 0.9, 0.6))
    assert piece.text == "The price includes:\n- breakfast\n- towels"
    [piece] = await extract(question("What does the price not include?"), evidence(PRICE, 0.9, 0.7, 0.8, 0.6))
    assert piece.text == "The price does not include:\n- drinks\n- the tax of the town"


async def test_of_a_list_within_a_list_that_one_is_shown_which_is_asked_for() -> None:
    times = f"Times are on the board{' near the boats' * 40}."
    text = f"1. {times}\n2. It is not allowed to\n   - tow boats\n   - sail at night\n3. Call the base."
    [piece] = await extract(question("What is not allowed?"), evidence(text, 0.1, 0.1, 0.9, 0.8, 0.1))
    assert piece.text == "It is not allowed to:\n- tow boats\n- sail at night"


async def test_a_list_is_shown_whole_where_its_next_item_answers_nearly_as_likely_and_it_is_read_at_a_glance() -> None:
    asking = question("What would make the nurse send a child home?")
    signs = "Ring the parents if you see:\n\n- a rash,\n- a stiff neck,\n- fits."
    [piece] = await extract(asking, evidence(signs, 0.9, 0.3, 1.0))
    assert piece.text == "Ring the parents if you see:\n- a rash,\n- a stiff neck,\n- fits."
    assert len(await extract(asking, evidence(signs, 0.1, 0.3, 1.0))) == 1, "no other answers"
    long = f"{signs[:-5]}{' '.join(['fits'] * 60)}."
    assert len(await extract(asking, evidence(long, 0.9, 1.0, 0.3))) == 2, "only these two"


async def test_a_list_whose_items_are_parts_of_a_sentence_is_said_whole_or_one_of_them_without_what_joins_it() -> None:
    grant = "The grant may be spent only:\n\n(a) on seed, up to 40 crowns; and\n(b) on tools, or\n(c) on fences."
    [piece] = await extract(question("What may the money go on?"), evidence(grant, 1.0, 0.2, 0.3))
    assert piece.text.split("\n- ")[1:] == ["on seed, up to 40 crowns; and", "on tools, or", "on fences."]
    asking = question("How much is for seed?", "number")
    [piece] = await extract(asking, evidence(grant, 1.0, 0.2, 0.3))
    assert piece.text == "The grant may be spent only: on seed, up to 40 crowns."
    pieces = await extract(asking, evidence(grant, 1.0, 0.9, 0.3))
    assert "".join(piece.text for piece in pieces).endswith(": on seed, up to 40 crowns; and on tools.")


async def test_what_a_short_list_describes_is_said_with_all_its_items() -> None:
    text = "What the society does not lend:\n\n- ropes and sails\n- anything with an engine\n- maps"
    [piece] = await extract(question("What will they not give me?", "description"), evidence(text, 0.1, 1.0, 0.1))
    assert piece.text.count("\n- ") == 3
    [piece] = await extract(question("What are maps?", "description"), evidence(text, 0.1, 0.1, 1.0))
    assert piece.text.endswith(": maps."), "it is the one that is asked for"


async def test_of_a_list_that_is_too_long_what_stands_under_the_same_item_is_shown_whole() -> None:
    text = (
        f"3.1 Samples are taken {'again and ' * 55}again. Steps:\n\n"
        "1. Rinse the jar.\n2. Fill it to the mark.\n3. Close it."
    )
    scores = dict.fromkeys(range(len(units(text, blocks_of(text)))), 0.1) | {1: 1.0}
    [piece] = await extract(question("How is a sample taken?", "procedure"), evidence(text, *scores.values()))
    assert piece.text == "- Rinse the jar.\n- Fill it to the mark.\n- Close it."


async def test_all_rows_and_items_are_said_that_name_what_is_asked_for_and_others_do_not() -> None:
    head = "Task\tWho\tDay\n"
    table = in_table(
        f"{head}Sweep the yard\tKari\tMay 3\nMend the gate\tOla\tMay 4\nOil the pump\tKari\tMay 5", len(head)
    )
    goes_on = replace(evidence("Fill the tank\tKari\tMay 9\nCall the smith\tOla\tMay 9", 0.1, 0.1), columns=head)
    pieces = await extract(question("What is left for Kari?", "description"), table, goes_on)
    assert [piece.text.split(":")[0].strip() for piece in pieces] == ["Sweep the yard", "Oil the pump", "Fill the tank"]
    who = Question("Who is Kari?", parts=(Part("Who is Kari?", expects="person"),))
    [piece] = await extract(who, table)
    assert piece.text.startswith("Sweep"), "one thing is asked for"
    [piece] = await extract(question("Which herring smoked by Kari won a medal?"), table)
    assert piece.text.startswith("Sweep"), "its rows say little of what is asked"
    plan = evidence("The move:\n\n- Friday: pack.\n- Sunday, noon: drive.\n- Sunday, six: unpack.", 0.1, 1.0, 0.3)
    pieces = await extract(question("What is planned for Sunday?"), plan)
    assert "".join(piece.text for piece in pieces) == "The move: Sunday, noon: drive. Sunday, six: unpack."


async def test_an_item_that_mentions_a_list_does_not_stand_in_its_place() -> None:
    agenda = evidence("Agenda:\n\n- Minutes\n- Our three wishes\n- Tea", 0.1, 2.0, 0.1)
    wishes = evidence("Three wishes for the harbour:\n\n- a crane\n- a lamp\n- a bell", 0.2, 0.1, 0.1)
    [piece] = await extract(question("What are the three wishes?", "list"), agenda, wishes)
    assert piece == Piece("Three wishes for the harbour:\n- a crane\n- a lamp\n- a bell", 1)
    [piece] = await extract(question("What are the three wishes?", "list"), agenda)
    assert piece.text.startswith("Agenda:"), "nothing else is there"


async def test_of_a_list_the_item_is_said_that_the_question_names() -> None:
    [piece] = await extract(question("What about towels in the price?"), evidence(PRICE, 0.1, 0.9, 0.1, 0.1))
    assert piece.text == "The price includes: towels."


async def test_an_item_that_answers_a_fact_is_said_after_its_line() -> None:
    [piece] = await extract(question("Do you need a tax form?"), evidence(HANDBOOK, 0.2, 0.1, 1.0, 0.1))
    assert piece.text == "What you must bring on the first day: a tax form."


def in_table(table: str, head: int) -> Evidence:
    """A passage that is a table whose column headings end at `head`, its first row the best."""
    rows = units(table, blocks_of(table, tables=((0, head, len(table)),)))
    return Evidence(table, tuple(CandidateUnit(unit, 1.0 - place) for place, unit in enumerate(rows)), language="en")


async def test_a_row_is_said_with_its_columns() -> None:
    table = "Region\tSales\tTarget\nNorth\t120\t100\nSouth\t80\t90"
    passage = in_table(table, 19)
    [piece] = await extract(question("What were the sales in the north?"), passage)
    assert piece.text == "North: Sales 120; Target 100."


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("\tYear ended June 2024\tYear ended June 2023", "North: 2024 120; 2023 100."),
        ("\tYear ended June 30, 2024\tYear ended June 30, % change", "North: 2024 120; % change 100."),
        ("\tBags sold\tBags lost", "North: Bags sold 120; Bags lost 100."),
    ],
)
async def test_what_all_names_of_columns_begin_with_is_said_where_it_tells_something(columns: str, said: str) -> None:
    table = f"{columns}\nNorth\t120\t100"
    passage = in_table(table, table.index("North"))
    [piece] = await extract(question("What were the sales in the north?"), passage)
    assert piece.text == said


async def test_of_a_long_row_the_columns_that_are_asked_for_are_said() -> None:
    columns = "\t".join(
        f"{year} {what}" for year in (2023, 2024) for what in ("Opened", "Closed", "Sold", "At the end")
    )
    table = f"\t{columns}\nNorth\t1\t2\t3\t4\t5\t6\t7\t8"
    passage = in_table(table, table.index("North"))
    [piece] = await extract(question("How many shops closed in the north?"), passage)
    assert piece.text == "North: 2023 Closed 2; 2024 Closed 6."
    [piece] = await extract(question("How many shops closed in the north in 2024?"), passage)
    assert piece.text == "North: 2024 Closed 6."
    [piece] = await extract(question("What about the north?"), passage)
    assert piece.text.count(";") == 7


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("\t\tMill\t7", "Mill: Sum 7."),
        ("3\tNorth\t\t7", "3 North: Sum 7."),
        ("3\t5\t2\t7", "Region 3; Bags 5; Shop 2; Sum 7."),
        ("\t5\t\t7", "Bags 5; Sum 7."),
        ("North\t5\t\t7", "North: Bags 5; Sum 7."),
    ],
)
async def test_cells_of_a_row_that_begins_with_empty_ones_are_under_their_names(row: str, said: str) -> None:
    table = f"Region\tBags\tShop\tSum\n{row}"
    passage = in_table(table, table.index("\n"))
    [piece] = await extract(question("What is the sum?"), passage)
    assert piece.text == said


async def test_a_row_whose_cells_are_wrapped_is_said_cell_by_cell() -> None:
    table = (
        "Tablets                        Before surgery          If forgotten\n"
        "-----------------------------  ----------------------  -------------\n"
        "For blood pressure, ending     none in the             skip it\n"
        '   in "-pril"                  morning\n'
        "For the thyroid                as usual                take it late"
    )
    rows = units(table, blocks_of(table))
    passage = Evidence(table, tuple(CandidateUnit(unit, 1.0 - place) for place, unit in enumerate(rows)), language="en")
    [piece] = await extract(question("What about my blood pressure tablets?"), passage)
    assert piece.text == (
        'For blood pressure, ending in "-pril": Before surgery none in the morning; If forgotten skip it.'
    )


async def test_empty_cells_of_a_row_without_names_are_not_said() -> None:
    table = "Overall rating\tGood\t–––\nIs it safe?\tPoor\t–––"
    passage = in_table(table, 0)
    [piece] = await extract(question("What is the rating?"), passage)
    assert piece.text == "Overall rating: Good."


@pytest.mark.parametrize(("text", "opening"), [("Dogs are allowed.", "Yes: "), ("Dogs are not allowed.", "No: ")])
async def test_yes_or_no_comes_first(text: str, opening: str) -> None:
    [piece] = await extract(question("Are dogs allowed?", "whether"), evidence(text, 1.0))
    assert piece.text == opening + text


@pytest.mark.parametrize(
    "text", ["No. They frighten the hens.", "Yes, but not before noon, and not in the yard.", "No dogs are allowed."]
)
async def test_yes_or_no_is_not_said_twice(text: str) -> None:
    [piece] = await extract(question("Are dogs allowed?", "whether"), evidence(text, 1.0))
    assert piece.text == (f"No: {text}" if text.startswith("No dogs") else text)


async def test_what_begins_as_a_yes_no_question_and_is_taken_for_another_is_answered_so_if_the_verifier_read_it() -> (
    None
):
    heard = evidence("Stewards may hold two posts.", 1.0)
    read = replace(heard, units=(heard.units[0]._replace(yes_no=YesNo(yes=3.0, no=-3.0)),))
    asking = question("Can the same steward hold two posts?", "compare")
    assert [piece.text for piece in await extract(asking, read)] == ["Yes: Stewards may hold two posts."]
    assert [piece.text for piece in await extract(asking, heard)] == ["Stewards may hold two posts."]
    [piece] = await extract(question("Which posts can the same steward hold?", "compare"), read)
    assert piece.text == "Stewards may hold two posts."


async def test_a_sentence_that_says_little_takes_the_next_one_along() -> None:
    text = "Go ahead. You need nobody's permission. The shop sells bread too."
    pieces = await extract(question("May I sell bread?", "whether"), evidence(text, 1.0, 0.3, 0.2))
    assert "".join(piece.text for piece in pieces) == "Yes: Go ahead. You need nobody's permission."


async def test_what_is_so_may_be_said_in_the_words_of_the_question() -> None:
    text = "A plot costs 68 pounds a year. Water is included."
    [piece] = await extract(question("Is water included?", "whether"), evidence(text, 0.2, 0.9))
    assert piece.text == "Yes: Water is included."


async def test_of_rows_the_one_that_has_more_of_the_words_that_are_asked_for_is_said() -> None:
    table = "Dish\tAllergens\nToffee pudding\tgluten, milk\nHaddock and chips\tfish, gluten\nSorbet\tnone"
    piece, *_ = await extract(question("What about gluten in the haddock?"), in_table(table, 14))
    assert piece.text == "Haddock and chips: Allergens fish, gluten."
    piece, *_ = await extract(question("What about gluten and milk?"), in_table(table, 14))
    assert piece.text == "Toffee pudding: Allergens gluten, milk."


async def test_of_a_row_with_several_values_it_is_not_said_whether_they_affirm() -> None:
    [piece] = await extract(
        question("Are legal costs covered?", "whether"),
        in_table("Cover\tLimit\tExcess\nLegal costs\t500\tnone\nFire\t900\t5", 18),
    )
    assert piece.text == "Legal costs: Limit 500; Excess none."


async def test_the_words_that_answer_come_first_only_where_the_reader_is_sure_and_the_sentence_is_long() -> None:
    text = "In the year after the flood Kari Nord signed the lease for the owner of the house by the old bridge."
    sure, unsure = ((Candidate(28, 37, score),) for score in (14.0, 5.0))
    [piece] = await extract(question("Who signed?"), evidence(text, 1.0, spans=sure))
    assert piece.text == f"Kari Nord: “{text}”"
    [piece] = await extract(question("Who signed?"), evidence(text, 1.0, spans=unsure))
    assert piece.text == text
    chinese = "在洪水过后的第二年，卡丽·诺德代表旧桥旁边那座房子的主人签署了为期十年的租约，并且支付了第一笔押金。"
    [piece] = await extract(question("谁签的？"), evidence(chinese, 1.0, spans=(Candidate(10, 15, 14.0),)))
    assert piece.text == f"卡丽·诺德：“{chinese}”"


async def test_each_part_of_a_question_has_its_own_unit() -> None:
    parts = (Part("Who signed the lease?"), Part("When does it end?"))
    lease = evidence(LEASE, 0.1, 1.0, 0.2)
    both = replace(
        lease, units=(*lease.units, *(unit._replace(part=1) for unit in evidence(LEASE, 0.1, 0.2, 1.0).units))
    )
    pieces = await extract(Question("Who signed the lease, and when does it end?", parts=parts), both)
    assert [piece.text for piece in pieces] == [
        "Kari Nord signed the lease for the owner of the house.",
        " It ends in 2031.",
    ]


async def test_what_was_said_for_one_part_is_not_said_again_beside_the_answer_to_another() -> None:
    parts = (Part("Who signed the lease?"), Part("How is it ended?", kind="procedure"))
    text = "Kari Nord signed the lease. Write to her in May."
    first, second = evidence(text, 1.0, 0.0), evidence(text, 0.0, 1.0)
    both = replace(first, units=(*first.units, *(unit._replace(part=1) for unit in second.units)))
    pieces = await extract(Question("Who signed the lease, and how is it ended?", parts=parts), both)
    assert "".join(piece.text for piece in pieces) == text


async def test_where_it_is_not_sure_the_answer_says_so_and_shows_the_closest_unit_with_its_page() -> None:
    asking, opening = question("Who sold it?"), "No clear answer was found. The closest passage (page 9):"
    first, *_ = await extract(asking, evidence(LEASE, 0.1, 0.9, 0.2, page_number=9), sure=False)
    assert first == Piece(f"{opening} Kari Nord signed the lease for the owner of the house.", 0)


async def test_where_it_is_not_sure_the_next_closest_follow_and_nothing_that_says_the_same() -> None:
    asking, bell = question("Who sold it?"), "The bell was sold by Ann. By Ann the bell was sold. It hung in Bergen."
    pieces = await extract(asking, evidence(LEASE, -2.1, 0.9, -2.2), evidence(bell, 0.7, 0.6, -0.9), sure=False)
    assert pieces[0].text.endswith("Kari Nord signed the lease for the owner of the house.")
    assert pieces[1:] == [Piece("\n\nThe bell was sold by Ann.", 1), Piece("\n\nIt hung in Bergen.", 1)]
    long = f"The {'old and heavy and rather rusty ' * 13}bell was sold."
    _, *others = await extract(asking, evidence(LEASE, 0.1, 0.9, 0.2), evidence(long, 0.7), sure=False)
    assert {piece.passage for piece in others} == {0}, "what takes long to read is left out"


async def test_where_it_is_not_sure_and_nobody_read_only_what_fits_nearly_as_well_follows() -> None:
    pieces = await extract(question("Who sold it?"), evidence(LEASE, 0.6, 0.9, 0.2, unread=True), sure=False)
    assert [piece.text for piece in pieces[1:]] == ["\n\nThe lease began in May."]


async def test_where_it_is_not_sure_what_a_second_search_found_to_complete_the_closest_follows_it() -> None:
    pieces = await extract(
        question("Where is the house whose lease Kari Nord signed?"),
        evidence(LEASE, 0.8, 0.9, 0.7),
        evidence("The house of the owner stands in Bergen.", 0.2, part=1),
        sure=False,
    )
    assert pieces[1] == Piece("\n\nThe house of the owner stands in Bergen.", 1)


async def test_where_it_is_not_sure_each_part_of_a_question_shows_its_closest_unit() -> None:
    parts = (Part("Who sold it?"), Part("When does it end?"))
    lease = evidence(LEASE, 0.8, 0.9, -2.0)
    both = replace(
        lease, units=(*lease.units, *(unit._replace(part=1) for unit in evidence(LEASE, 0.1, 0.1, 0.3).units))
    )
    pieces = await extract(Question("Who sold it, and when does it end?", parts=parts), both, sure=False)
    assert pieces[1].text == "\n\nIt ends in 2031."


async def test_where_it_is_not_sure_other_pages_are_named_each_once_and_are_sources() -> None:
    asking = question("Who sold it?")
    lease = evidence(LEASE, 0.1, 0.9, 0.2, document="lease.pdf", page_number=1)
    others = [Evidence("Bergen", document="lease.pdf", page_number=page) for page in (1, 4, 3, 4, 7, 8, 9)]
    *_, named = await extract(asking, lease, *others, sure=False)
    five = Piece("\n\nOther pages that may answer: 4, 3, 7, 8.", rests_on=(2, 3, 5, 6))
    assert named == five, "with the one that is shown"
    *_, named = await extract(asking, lease, Evidence("Bergen", document="letter.pdf", page_number=1), sure=False)
    assert named == Piece("\n\nOther pages that may answer: letter.pdf (1).", rests_on=(1,))
    assert all("Other pages" not in piece.text for piece in await extract(asking, lease, *others[:1], sure=False))
    assert all("Other pages" not in piece.text for piece in await extract(asking, lease, *others, sure=True))


async def test_a_reason_may_stand_in_the_sentence_after_the_one_that_repeats_the_question() -> None:
    text = "Ice cubes that are not used shrink. Cold air makes them evaporate. Clean the bin once a month."
    pieces = await extract(question("Why do ice cubes shrink?", "reason"), evidence(text, 1.0, 0.1, 0.0))
    assert (
        "".join(piece.text for piece in pieces) == "Ice cubes that are not used shrink. Cold air makes them evaporate."
    )


async def test_of_a_short_paragraph_that_tells_how_nothing_is_left_out() -> None:
    text = "Turn the key to the left. Wait until the lamp is green. Never force the gate open with a stuck key."
    asking = question("How do I open the gate when the key is stuck?", "procedure")
    for sure, opening in ((True, ""), (False, "No clear answer was found. The closest passage (page 1): ")):
        pieces = await extract(asking, evidence(text, 0.2, 0.1, 1.0, page_number=1), sure=sure)
        assert "".join(piece.text for piece in pieces) == opening + text
    long = f"{text} {'It was made in Bergen by the smith of the old harbour, who made many. ' * 4}".strip()
    pieces = await extract(asking, evidence(long, 0.2, 0.1, 1.0, *[0.0] * 4))
    assert pieces[0].text == "Never force the gate open with a stuck key."


async def test_of_a_short_paragraph_that_tells_things_apart_nothing_is_left_out() -> None:
    text = "A day ticket costs 4 crowns. A night ticket costs 9. Both tickets are sold on board."
    asking = question("How do the two tickets differ?", "compare")
    pieces = await extract(asking, evidence(text, 0.3, 0.2, 1.0))
    assert "".join(piece.text for piece in pieces) == text
    pieces = await extract(asking, evidence(text, 0.3, 0.2, 1.0), evidence("Night tickets are blue.", 0.95))
    assert "".join(piece.text for piece in pieces) == f"{text} Night tickets are blue."


async def test_a_comparison_shows_both_rows_or_items_that_it_names() -> None:
    table = in_table("Boat\tSeats\tPrice\nHeron\t4\t20\nOtter\t8\t30\nSwift\t2\t15", len("Boat\tSeats\tPrice\n"))
    scored = zip(table.units, (1.0, 0.5, -1.0), strict=True)
    rows = tuple(candidate._replace(score=score) for candidate, score in scored)
    parts = (Part("How many seats has the Heron?", kind="number"), Part("How many seats has the Swift?", kind="number"))
    asking = Question("How many seats has the Heron beside the Swift?", parts=parts, wants_comparison=True)
    pieces = await extract(asking, replace(table, units=rows))
    assert [piece.text.strip() for piece in pieces] == ["Heron: Seats 4; Price 20.", "Swift: Seats 2; Price 15."]
    items = evidence("Paint:\n\n- Oil dries in a day.\n- Lime dries in a week.\n- Chalk never sets.", 1.0, -1.0, 0.5)
    pieces = await extract(question("How do oil and lime differ?", "compare"), items)
    assert "".join(piece.text for piece in pieces) == "Paint: Oil dries in a day. Lime dries in a week."


async def test_the_other_side_of_a_comparison_is_told_in_the_same_words() -> None:
    lodger = "A lodger who leaves early pays a month of rent, clears the room on the last day and brings back the keys "
    owner = "An owner who lets nobody stay and leaves early pays two months of rent "
    text = (
        f"Leaving:\n\n- {lodger + 'and the card for the yard and the shed.'}\n- Keys are kept dry."
        f"\n- {owner + 'and the costs of the van, of the boxes and of all other things that the move takes.'}"
    )
    pieces = await extract(
        question("What differs when I leave early and pay, or they do?", "compare"), evidence(text, 1.0, 0.5, -1.0)
    )
    said = "".join(piece.text for piece in pieces)
    assert said.startswith("Leaving: A lodger who leaves early pays a month"), said
    assert "An owner who lets nobody stay and leaves early pays two months" in said
    assert "dry" not in said


CLAUSES = """Repairs:

7.1 The owner keeps in repair the roof, the windows, the boiler, the wiring and all of the pipes that belong to the flat. The tenant replaces the light bulbs of all the rooms.

7.2 Faults are reported to the agent by telephone or by letter, and at weekends to the caretaker, who has all of the keys to the house. He comes within a day or two."""


async def test_of_clauses_the_one_that_tells_how_is_said_and_not_all_of_them_as_if_they_were_steps() -> None:
    pieces = await extract(question("How do I report a fault?", "procedure"), evidence(CLAUSES, 0.2, 0.1, 1.0, 0.5))
    assert "".join(piece.text for piece in pieces) == (
        "Repairs: Faults are reported to the agent by telephone or by letter, and at weekends to the caretaker, who has "
        "all of the keys to the house. He comes within a day or two."
    ), "the line that leads to them once"


async def test_of_ways_the_one_that_is_asked_for_is_said_and_not_all_of_them() -> None:
    text = "Commands:\n\n- stow list shows all copies\n- stow restore brings a file back\n- stow forget deletes a copy"
    pieces = await extract(question("How do I bring back a file?", "procedure"), evidence(text, 0.2, 1.0, 0.3))
    assert "".join(piece.text for piece in pieces) == "Commands: stow restore brings a file back."
    steps = "To bring back a file:\n\n- insert the disk\n- bring the file back\n- take the disk out"
    [piece] = await extract(question("How do I bring back a file?", "procedure"), evidence(steps, 0.2, 1.0, 0.3))
    assert piece.text.count("\n- ") == 3


async def test_an_explanation_begins_before_a_sentence_that_points_back_and_takes_some_sentences() -> None:
    text = (
        "Members may put any book they like on the shelf by the door. It is called the open shelf. Nobody writes down "
        "what goes. Twice a year the rest is sold. The hall was built in 1931."
    )
    pieces = await extract(question("What is the open shelf?", "description"), evidence(text, 0.3, 1.0, 0.1, 0.1, 0.1))
    assert "".join(piece.text for piece in pieces) == text.removesuffix(" The hall was built in 1931.")
    [piece] = await extract(question("What is it called?"), evidence(text, 0.3, 1.0, 0.1, 0.1, 0.1))
    assert piece.text == "It is called the open shelf."
    text = "Every night one lamp burns on the stage. The stage hands name this lamp the ghost light. It is old."
    for first, expected in ((0.9, text), (0.3, text.removeprefix("Every night one lamp burns on the stage. "))):
        asking = question("What is the ghost light?", "description")
        pieces = await extract(asking, evidence(text, first, 1.0, 0.1))
        assert "".join(piece.text for piece in pieces) == expected, "what answers nearly as likely is said too"


async def test_who_asks_the_same_question_does_not_answer_it() -> None:
    text = "“What is a ghost light?” said the boy. A lamp that burns on the empty stage is a ghost light."
    [piece] = await extract(question("What is a ghost light?"), evidence(text, 1.0, 0.6))
    assert piece.text == "A lamp that burns on the empty stage is a ghost light."


async def test_a_row_of_figures_without_names_gives_way_to_what_can_be_read() -> None:
    text = "Sales\t120\t100\t90\nTotal\t240\t200\t180"
    rows = units(text, blocks_of(text, tables=((0, 0, len(text)),)))
    bare = Evidence(text, tuple(CandidateUnit(unit, 2.0) for unit in rows), language="en")
    pieces = await extract(question("What were the sales?"), bare, evidence("Sales rose to 120.", 1.0))
    assert [piece.text for piece in pieces] == ["Sales rose to 120."]
    assert await extract(question("What were the sales?"), bare), "but something is better than nothing"


ADVICE = "The logger\n\n- Charge it for a night\n- Use the pins 3 and 4\n- Data is kept for a week"


async def test_of_a_list_the_only_item_is_said_that_speaks_of_what_is_asked_for() -> None:
    pins = question("Which pins do I connect to the logger?", "list")
    [piece] = await extract(pins, evidence(ADVICE, 0.2, 1.0, 0.1))
    assert piece.text == "The logger: Use the pins 3 and 4."
    for others in (
        ADVICE.replace("for a night", "by the pins 1"),
        ADVICE.replace("The logger", "Pins"),
        re.sub("- ", "1. ", ADVICE),
    ):
        pieces = await extract(pins, evidence(others, 0.2, 1.0, 0.1))
        assert "Data is kept" in pieces[0].text


async def test_of_numbered_clauses_the_only_item_is_said_that_has_two_words_of_the_question() -> None:
    text = "Refuse:\n\n7.1 Glass and tins go into the green crate.\n7.2 Peel is burnt.\n7.3 Carts come on Mondays."
    asking = question("Which crate is for tins?", "list")
    assert [piece.text for piece in await extract(asking, evidence(text, 1.0, 0.1, 0.1))] == [
        "Refuse: Glass and tins go into the green crate."
    ]
    [piece] = await extract(question("What is done about tins?", "list"), evidence(text, 1.0, 0.1, 0.1))
    assert piece.text.count("\n- ") == 3


async def test_what_explains_a_way_is_said_as_far_as_it_is_read_at_a_glance() -> None:
    words = "the wheel turns slowly and the water runs over it " * 3
    text = f"To start the mill you need the key, since {words}. Turn the key. It hums as {words}. Later {words}."
    pieces = await extract(question("How do I start it?", "procedure"), evidence(text, 0.9, 1.0, 0.1, 0.1))
    assert "".join(piece.text for piece in pieces).endswith("Turn the key.")


async def test_a_list_that_is_asked_for_is_shown_whole_also_where_it_is_not_sure() -> None:
    asking = question("What do I have to bring?", "list")
    [piece] = await extract(asking, evidence(HANDBOOK, 0.2, 1.0, 0.3, 0.1, page_number=2), sure=False)
    assert piece.text.startswith("No clear answer was found. The closest passage (page 2):\n\nWhat you must bring")
    assert piece.text.endswith("- your bank details\n- a tax form")


async def test_without_vectors_what_is_nearly_as_good_belongs_to_the_answer_too() -> None:
    asking, text = question("Who signed the lease?"), "Kari Nord signed the lease. The rent is due in May."
    assert len(await extract(asking, evidence(text, 1.0, 0.7))) == 1
    assert len(await extract(asking, evidence(text, 1.0, 0.7, unread=True))) == 2


async def test_of_scores_below_zero_the_best_is_quoted_and_of_headings_alone_the_passage() -> None:
    piece, *_ = await extract(question("Who sold it?"), evidence(LEASE, -0.8, -0.2, -0.9), sure=False)
    assert piece.text.endswith("Kari Nord signed the lease for the owner of the house.")
    assert await extract(question("What is on page 3?"), Evidence("Appendix")) == [Piece("Appendix.", 0)]
