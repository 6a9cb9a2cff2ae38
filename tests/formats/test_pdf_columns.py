"""Tables of a PDF as reports have them: numbers flush right, headings in the middle of columns or of several of them."""

import pymupdf
import pytest

from docqa.formats.columns import Column, value
from docqa.formats.grids import grids
from docqa.formats.pages import ExtractedPage
from docqa.formats.reading import read_whole

SIZE = 10.0
QUARTERS = (260.0, 340.0, 420.0, 500.0)  # where the numbers of each column end
STORES = [
    ("Lakeside", "908", "12", "931", "9"),
    ("Old Harbour", "20", "3", "16", "2"),
    ("Hill Road", "18", "4", "9", "1"),
]


class Drawn:
    """A page on which each text is placed by its middle, its left or its right end."""

    def __init__(self) -> None:
        self.document = pymupdf.open()
        self.page = self.document.new_page()

    def left(self, x: float, y: float, text: str) -> None:
        self.page.insert_text((x, y), text, fontsize=SIZE)

    def right(self, x: float, y: float, text: str) -> None:
        self.left(x - pymupdf.get_text_length(text, fontsize=SIZE), y, text)

    def middle(self, x: float, y: float, text: str) -> None:
        self.left(x - pymupdf.get_text_length(text, fontsize=SIZE) / 2, y, text)

    def rows(self, top: float, rows: list[tuple[str, ...]], ends: tuple[float, ...] = QUARTERS) -> None:
        for number, (label, *cells) in enumerate(rows):
            self.left(72, top + 14 * number, label)
            for end, cell in zip(ends, cells, strict=True):
                self.right(end, top + 14 * number, cell)

    @property
    def read(self) -> ExtractedPage:
        [page] = read_whole(bytes(self.document.tobytes()), "a.pdf").pages
        return page

    @property
    def text(self) -> str:
        return self.read.text

    @property
    def headings(self) -> str:
        """The lines of column headings of the only table."""
        [(start, head, _)] = self.read.tables
        return self.text[start:head]


def headed(*heads: str, over: tuple[tuple[float, str], ...] = ()) -> Drawn:
    """Four columns of numbers with these headings in their middles, which are left of where the numbers end, and others
    over them."""
    drawn = Drawn()
    for x, head in over:
        drawn.middle(x, 100, head)
    for end, head in zip(QUARTERS, heads, strict=True):
        drawn.middle(end - 25, 114, head)
    drawn.rows(128, STORES)
    return drawn


def test_a_heading_over_the_middle_of_several_columns_is_that_of_each() -> None:
    drawn = headed("Stores", "Opened", "Stores", "Opened", over=((275, "Fiscal 2024"), (435, "Fiscal 2023")))
    assert drawn.text.split("\n")[:3] == [
        "\tFiscal 2024\t\tFiscal 2023",
        "\tStores\tOpened\tStores\tOpened",
        "Lakeside\t908\t12\t931\t9",
    ]
    [grid] = grids(drawn.text)
    assert grid.columns[1:] == (
        "Fiscal 2024 Stores",
        "Fiscal 2024 Opened",
        "Fiscal 2023 Stores",
        "Fiscal 2023 Opened",
    )


def test_what_stands_over_the_middle_of_one_column_is_its_own() -> None:
    drawn = headed("Stores", "Price", "Opened", "Price", over=((315, "Mean"), (475, "Mean")))
    assert drawn.text.startswith("\tStores\tMean Price\tOpened\tMean Price\n")


def test_a_heading_over_all_columns_stands_above_their_own() -> None:
    drawn = headed("2024", "2023", "2022", "2021", over=((355, "Years ended on the last of June"),))
    assert drawn.text.startswith("\tYears ended on the last of June\n\t2024\t2023\t2022\t2021\n")


def test_a_heading_that_the_file_holds_last_stands_beside_the_others() -> None:
    drawn = Drawn()
    for end, head in zip(QUARTERS[:3], ("Total", "New", "Closed"), strict=True):
        drawn.middle(end - 10, 100, head)
        drawn.middle(end - 10, 114, "shops")
    drawn.middle(QUARTERS[3] - 10, 86, "All shops")
    drawn.middle(QUARTERS[3] - 10, 100, "at the")
    drawn.middle(QUARTERS[3] - 10, 114, "end")
    drawn.left(72, 128, "Canada")
    drawn.rows(142, STORES)
    assert drawn.text.split("\n")[:3] == [
        "\tTotal shops\tNew shops\tClosed shops\tAll shops at the end",
        "Canada",
        "Lakeside\t908\t12\t931\t9",
    ]


@pytest.mark.parametrize("apart", ["  ", " "])
def test_the_currency_sign_of_the_next_column_is_not_of_the_number_before_it(apart: str) -> None:
    drawn = headed("2024", "2023", "2022", "2021")
    drawn.left(72, 170, "Revenue")
    drawn.left(214, 170, "$")
    for end, cell in zip(QUARTERS, ("8,890", "(9,569)", "-", "19,463"), strict=True):
        sign = f"{apart}$" if end != QUARTERS[-1] else ""
        drawn.left(end - pymupdf.get_text_length(cell, fontsize=SIZE), 170, cell + sign)
    assert "Revenue\t$ 8,890\t$ (9,569)\t$ -\t$ 19,463" in drawn.text


def test_a_currency_sign_behind_each_number_stays_there() -> None:
    drawn = Drawn()
    drawn.rows(100, [("Miete", "890 £", "569 £", "463 £", "19 £"), ("Strom", "90 £", "69 £", "63 £", "9 £")])
    assert "Miete\t890 £\t569 £\t463 £\t19 £" in drawn.text


def test_a_sentence_across_the_columns_and_new_headings_begin_another_table() -> None:
    drawn = headed("Stores", "Opened", "Sold", "Closed")
    drawn.left(72, 176, "What the shops in towns took in and what they paid was as follows this year:")
    for end, head in zip(QUARTERS[:2], ("Income", "Costs"), strict=True):
        drawn.middle(end + 15, 196, head)
    drawn.rows(210, [("Lakeside", "71", "52"), ("Hill Road", "14", "13")], (QUARTERS[0] + 40, QUARTERS[1] + 40))
    first, second = grids(drawn.text)
    assert first.columns == ("", "Stores", "Opened", "Sold", "Closed")
    assert second.columns == ("", "Income", "Costs")


def test_lines_around_some_columns_are_not_around_the_cells_of_the_table() -> None:
    drawn = headed("2024", "2023", "2022", "2021")
    for row in range(3):
        for left, right in ((262, 342), (342, 422), (422, 502)):
            drawn.page.draw_rect((left, 118 + 14 * row, right, 132 + 14 * row), width=0.5)
    assert "Old Harbour\t20\t3\t16\t2" in drawn.text


def test_the_first_of_names_with_a_colon_is_no_heading_of_the_others() -> None:
    drawn = Drawn()
    facts = [("Invoice number:", "RE-0417"), ("Date:", "14.03.2025"), ("Customer number:", "20817"), ("Sum:", "583.16")]
    drawn.rows(100, facts, (320,))
    assert drawn.text.split("\n") == ["\t".join(fact) for fact in facts]
    assert drawn.headings == ""
    [grid] = grids(drawn.text)
    assert [row.label for row in grid.rows] == ["Invoice number", "Date", "Customer number", "Sum"]


def test_a_cell_of_two_lines_is_one_though_the_rest_of_its_row_follows_in_the_file() -> None:
    drawn = Drawn()
    for x, head in ((72, "Item"), (110, "Description"), (300, "Pieces"), (380, "Price")):
        drawn.left(x, 100, head)
    for top, item, lines, pieces, price in (
        (116, "A-11", ("Paper, five reams",), "12", "18.40"),
        (132, "C-03", ("Chair with wheels", "and a high back"), "2", "215.00"),
        (160, "S-90", ("Delivery",), "1", "35.00"),
    ):
        drawn.left(72, top, item)
        for number, line in enumerate(lines):
            drawn.left(110, top + 12 * number, line)
        drawn.right(325, top, pieces)
        drawn.right(405, top, price)
    drawn.left(110, 174, "TERMS")
    assert drawn.text.split("\n")[:4] == [
        "Item\tDescription\tPieces\tPrice",
        "A-11\tPaper, five reams\t12\t18.40",
        "C-03\tChair with wheels and a high back\t2\t215.00",
        "S-90\tDelivery\t1\t35.00",
    ]
    assert drawn.text.endswith("TERMS")


@pytest.mark.parametrize(
    ("cell", "unit", "amount"),
    [("$ (16)", "$", -16), ("($ 16)", "$", -16), ("(2.4)%", "%", -2.4), ("(2.4) %", "%", -2.4), ("$ —", "$", None)],
)
def test_accounts_write_what_is_below_nothing_in_brackets(cell: str, unit: str, amount: float | None) -> None:
    assert value(cell, Column("Result", "number", unit, decimal=".")) == amount


def test_amounts_with_units_are_no_headings_of_the_numbers_below() -> None:
    drawn = Drawn()
    rows = [
        ("Property", "Argo 25", "Argo 32"),
        ("Greatest head", "4 m", "8 m"),
        ("Connection", "G 1/2", "G 2"),
        ("Fluid", "-10 to 110 deg", "-5 to 95 deg"),
        ("Price", "148.00", "264.00"),
    ]
    drawn.rows(100, rows, (300, 400))
    assert drawn.text.split("\n") == ["\t".join(row) for row in rows]
    assert drawn.headings == "Property\tArgo 25\tArgo 32"


def test_a_table_of_times_has_the_headings_that_its_first_row_is() -> None:
    drawn = Drawn()
    drawn.rows(
        100, [("Stop", "Run 1", "Run 2"), ("Market", "06:12", "06:42"), ("Station", "06:17", "06:47")], (300, 400)
    )
    assert drawn.headings == "Stop\tRun 1\tRun 2"


def test_headings_below_a_gap_begin_another_table() -> None:
    drawn = Drawn()
    drawn.rows(
        100, [("Payments", "Hours", "Amount"), ("Basic pay", "150", "2,580"), ("Overtime", "6", "154")], (300, 400)
    )
    drawn.rows(164, [("Deductions", "Amount"), ("Tax", "312"), ("Pension", "129")], (400,))
    assert "Overtime\t6\t154\n\nDeductions\tAmount\nTax\t312" in drawn.text
