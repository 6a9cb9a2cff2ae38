"""What a document is made of: titles that its text numbers, titles that its maker gave, the columns of its table."""

from docqa.ingest.headings import after_headings, role_of
from docqa.ingest.outline import numbered_titles, outline_of


def test_the_longest_series_of_numbered_titles_is_the_outline() -> None:
    text = (
        "1. Rent\nIt is due monthly.\n\n2. Deposit\nPaid once. See:\n1) Milk\n2) Bread\n\n3. Keys\nTwo are handed over."
    )
    assert numbered_titles([text]) == ["Rent", "Deposit", "Keys"]
    days = ["Day 1: Bergen\nWe sail.", "Day 2: Oslo\nWe walk.", "Day 3: Home"]
    assert numbered_titles(days) == ["Day 1: Bergen", "Day 2: Oslo", "Day 3: Home"]


def test_too_few_titles_are_no_outline_and_too_many_are_cut() -> None:
    assert outline_of(["Rent", "Keys"], "en", 12) == ""
    assert outline_of(["Rent", "Keys", "Rent", "References", "Bills", "12 34"], "en", 2) == "Its parts: Rent; Keys; …."


def test_a_section_is_known_by_its_title() -> None:
    titles = [
        "Abstract",
        "1. Executive Summary",
        "Executivesummary",
        "5 Conclusions",
        "Zusammenfassung",
        "References",
        "Rent",
    ]
    assert [role_of(title) for title in titles] == [
        "summary",
        "summary",
        "summary",
        "closing",
        "summary",
        "skipped",
        "",
    ]


def test_a_heading_before_a_sentence_is_not_a_part_of_it() -> None:
    text = "The ferry\nThe ferry sails every hour from the old pier in the north of the town."
    assert after_headings(text, 0, len(text), "") == (10, "The ferry")
    inline = "Abstract—We count boats."
    assert after_headings(inline, 0, len(inline), "") == (9, "Abstract")


def test_a_line_within_a_sentence_is_no_heading() -> None:
    text = "It was dark. The\nFerry was late."
    assert after_headings(text, 13, len(text), "") == (13, None)
