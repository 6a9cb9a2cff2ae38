"""The cells of a row in a passage and the names of their columns."""

import pytest

from docqa.answering.table_rows import headings_of, named_cells
from docqa.text.blocks import blocks_of
from docqa.text.units import units


@pytest.mark.parametrize(
    ("headings", "row", "names", "cells"),
    [
        (["Region\tSales\tTarget"], "North\t120\t100", ["Region", "Sales", "Target"], ["North", "120", "100"]),
        # What stands over several columns is said with each of them.
        (
            ["\t2024\t\t2023", "\tSales\tTarget\tSales\tTarget"],
            "North\t120\t100\t90\t95",
            ["", "2024 Sales", "2024 Target", "2023 Sales", "2023 Target"],
            ["North", "120", "100", "90", "95"],
        ),
        # An empty cell keeps its place, at the end too, where no tab marks it.
        (["Fund\tBonds\tShares\tTotal"], "Old\t\t7\t7", ["Fund", "Bonds", "Shares", "Total"], ["Old", "", "7", "7"]),
        (["Fund | Bonds | Shares"], "Old |  | 7", ["Fund", "Bonds", "Shares"], ["Old", "", "7"]),
        # As HTML is written, where a cell spans columns.
        (
            ["Fund | Fees | | Since", "Fund | Entry | Yearly | Since"],
            "Old | | 7 | 2019",
            ["Fund", "Fees Entry", "Fees Yearly", "Since"],
            ["Old", "", "7", "2019"],
        ),
        (["Fund\tBonds\tShares\tTotal"], "New\t4", ["Fund", "Bonds", "Shares", "Total"], ["New", "4", "", ""]),
        # In a text that was laid out with tabs, as many as it takes to reach the column are one gap.
        (["Name\t\t\tPieces"], "Screws, long\t10", ["Name", "Pieces"], ["Screws, long", "10"]),
        # More cells than names, or no names at all: which belongs to which is not known.
        (["Name\tPieces"], "Screws\t10\t20", [], ["Screws", "10", "20"]),
        ([], "Screws\t\t20", [], ["Screws", "20"]),
    ],
)
def test_cells_stand_under_their_headings(headings: list[str], row: str, names: list[str], cells: list[str]) -> None:
    assert named_cells(row, headings) == (names, cells)


def test_the_columns_of_the_table_that_a_passage_begins_in_are_not_those_of_a_later_one() -> None:
    text = "Reset\tHold for 8 s\tErases all\n\nThe radio is on by default.\n\nAerials\t4\t6\nWeight\t420\t610"
    reset, *_, weight = whole = units(text, blocks_of(text))
    assert weight.kind == "row"
    columns = "Key\tHandling\tEffect"
    assert headings_of(text, columns, reset, whole) == [columns]
    assert headings_of(text, columns, weight, whole) == []
