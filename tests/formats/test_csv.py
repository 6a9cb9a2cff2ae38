"""Tables as text: how they are cut into rows and cells, which row names the columns, how stray quotes are handled."""

import time
import tracemalloc
from collections.abc import Iterator

import pytest

from conftest import torture
from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.pages import Extracted
from docqa.formats.plain import csv as delimited


def read(data: str | bytes) -> Extracted:
    return reading.read_whole(data if isinstance(data, bytes) else data.encode(), "t.csv")


def lines(data: str | bytes) -> list[str]:
    return "".join(page.text for page in read(data).pages).splitlines()


# --- delimiters and quotes ---


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_found(delimiter: str) -> None:
    assert lines(f"id{delimiter}remark\n1{delimiter}one\n2{delimiter}two\n") == [
        "id; remark",
        "id: 1; remark: one",
        "id: 2; remark: two",
    ]


def test_semicolons_win_over_decimal_commas_and_commas_in_sentences() -> None:
    assert lines("name;price\nTea, green;1,50\nTea, black;2,5\n")[1:] == [
        "name: Tea, green; price: 1,50",
        "name: Tea, black; price: 2,5",
    ]


def test_a_first_line_may_name_the_delimiter() -> None:
    assert lines("sep=^\na^b\n1^2,3\n") == ["a; b", "a: 1; b: 2,3"]
    assert lines('"sep=;"\r\na;b\r\n1;2\r\n') == ["a; b", "a: 1; b: 2"]


def test_one_column_keeps_its_commas() -> None:
    assert lines("Remark\nGood, on the whole\nNo remark\nNone\nNothing to add\nWell\n")[:2] == [
        "Remark",
        "Remark: Good, on the whole",
    ]


def test_line_breaks_and_doubled_quotes_stay_in_their_cell() -> None:
    assert lines('a,b\r\n1,"x\r\n""y"" z"\r\n"2, or 3","é"\r\n') == ["a; b", 'a: 1; b: x "y" z', "a: 2, or 3; b: é"]


def test_quotes_escaped_by_a_backslash() -> None:
    assert lines('a,b\n1,"He said \\"yes, now\\" twice"\n') == ["a; b", 'a: 1; b: He said "yes, now" twice']


def test_backslashes_are_kept_elsewhere() -> None:
    assert lines('a,b\n"C:\\folder\\","x ""y"" z"\n') == ["a; b", 'a: C:\\folder\\; b: x "y" z']


@pytest.mark.parametrize("bad", ['1,"open', '1,"open,and more', '"1,"open'])
def test_an_unclosed_quote_damages_only_its_own_row(bad: str) -> None:
    rows = lines(f'a,b\n{bad}\n2,fine\n3,"also, fine"\n4,x\n')
    assert rows[2:] == ["a: 2; b: fine", "a: 3; b: also, fine", "a: 4; b: x"]
    assert "open" in rows[1]


def test_a_repaired_row_is_noted() -> None:
    notes = read('a,b\n1,"open\n2,"fine"\n').notes
    assert notes == ["A quotation mark is not closed in 1 of the rows; there it was read as a plain character."]


def test_a_quote_still_open_at_the_end_of_the_file() -> None:
    assert lines('a,b\n1,x\n2,"y') == ["a; b", "a: 1; b: x", "a: 2; b: y"]


def test_quotes_inside_a_cell_are_plain_characters() -> None:
    assert lines('size,what\n5" wide,"big" pipe\n6",pipe\n') == [
        "size; what",
        'size: 5" wide; what: big pipe',
        'size: 6"; what: pipe',
    ]


# --- column names ---


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("Region,2018,2019\nNorth,10.5,11\nSouth,9,8\n", "Region: North; 2018: 10.5; 2019: 11"),
        ("Quarter,Q1 2019,Q2 2019\nSales,10,11\nCosts,9,8\n", "Quarter: Sales; Q1 2019: 10; Q2 2019: 11"),
        ("Name,City\nAda,London\nAlan,Wilmslow\n", "Name: Ada; City: London"),
        ("Month,2020-01,2020-02\nrain,10,11\nsun,9,8\n", "Month: rain; 2020-01: 10; 2020-02: 11"),
        ("Date,Sum\n2020-01-02,€ 5\n03.04.2020,-7 %\n", "Date: 2020-01-02; Sum: € 5"),
        ("a,,a\n1,2,3\n4,5,6\n", "a: 1; 2; a: 3"),
        ("Only\nTea\nMilk\n", "Only: Tea"),
        ("a,b\n1,2,3\n4\n", "a: 1; b: 2; 3"),
    ],
)
def test_each_value_follows_its_column_name(table: str, expected: str) -> None:
    assert lines(table)[1] == expected


@pytest.mark.parametrize(
    "table",
    [
        "1,2\n3,4\n",
        "Ada,London\nAlan,London\nGrace,New York\n",
        "2020-01-01,rain\n2020-01-02,sun\n",
        "Ada,1\n",
        "x,12.5\ny,13\n",
    ],
)
def test_no_column_names_are_made_up(table: str) -> None:
    assert lines(table) == [row.replace(",", "; ") for row in table.splitlines()]


def test_titles_and_remarks_above_the_column_names_stay_lines() -> None:
    assert lines("Rainfall,,\n\nin millimetres,,\nMonth,North,South\nMay,1,2\nJune,3,4\n") == [
        "Rainfall", "in millimetres", "Month; North; South", "Month: May; North: 1; South: 2",
        "Month: June; North: 3; South: 4",
    ]  # fmt: skip


def test_blank_rows_and_cells_are_left_out() -> None:
    assert lines("a,b,c\n\n,,\n1,,3\n  ,x , \n") == ["a; b; c", "a: 1; c: 3", "b: x"]


# --- encodings ---


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "mac-roman", "cp850"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends(encoding: str, end: str) -> None:
    table = end.join(["Straße\tGröße", "Hauptstraße\tgrößer", "Nebenstraße\tübergroß"])
    assert lines(table.encode(encoding))[1] == "Straße: Hauptstraße; Größe: größer"


def test_zero_bytes_are_dropped() -> None:
    assert lines(b"a,b\n1,x\0y\n") == ["a; b", "a: 1; b: xy"]


def test_binary_data_is_refused() -> None:
    with pytest.raises(Unreadable, match="not text"):
        read(bytes(range(256)) * 50)


# --- size ---


def test_a_big_table_is_read_page_by_page() -> None:
    row = b"1,some words\n"
    pages = iter(delimited.read(b"id,remark\n" + row * 100_000).pages)
    assert isinstance(pages, Iterator)
    tracemalloc.start()
    first = next(pages)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3_000_000  # the rows alone would be ten times that
    assert first.text.startswith("id; remark\nid: 1; remark: some words\n")
    assert next(pages).text.startswith("id: 1; ")


def test_pages_begin_with_whole_rows() -> None:
    pages = read("id,remark\n" + "".join(f"{number},{'word ' * (number % 200)}\n" for number in range(1000))).pages
    assert len(pages) > 50
    assert all(page.text.startswith("id") and page.text.endswith("\n") for page in pages)


def test_tables_that_are_too_wide_are_refused() -> None:
    with pytest.raises(Unreadable, match="5,000 columns"):
        read(",".join(["x"] * 1_000_000))


def test_a_cell_of_many_lines_is_one_cell() -> None:
    text = "".join(page.text for page in read('a,b\n1,"' + "word word\n" * 500_000 + '"\n2,z\n').pages)
    assert text.count("\n") == 3
    assert text.endswith("word\na: 2; b: z\n")


@pytest.mark.parametrize(
    "table",
    [
        *('x","y\n' * 15_000, 'a "b,"c\n' * 15_000, '"x,1\n' * 15_000),
        *map(torture, ('x","y\n' * 150_000, 'a "b,"c\n' * 150_000, '"x,1\n' * 150_000)),
        '"' * 2_000_000 + "x",
        '"\n' * 500_000 + "x",
        torture(",\n" * 900_000 + "a,b"),
        "x" * 5_000_000,
    ],
)
def test_hostile_tables_are_read_in_linear_time(table: str) -> None:
    start = time.process_time()
    assert read(table).pages
    assert time.process_time() - start < 15


def test_every_row_is_a_block_and_the_column_names_are_told_apart() -> None:
    [page] = read("Energy report\nSite,MWh\nMill,598\nRoof,126\nTotal,724\n").pages
    assert [(block.kind, block.level, page.text[block.start : block.end]) for block in page.blocks] == [
        ("paragraph", 0, "Energy report"),
        ("row", 1, "Site; MWh"),
        ("row", 0, "Site: Mill; MWh: 598"),
        ("row", 0, "Site: Roof; MWh: 126"),
        ("row", 0, "Site: Total; MWh: 724"),
    ]


def test_rows_keep_their_blocks_on_later_pages() -> None:
    pages = read("Site,MWh\n" + "".join(f"Mill number {n},{n}\n" for n in range(500))).pages
    assert len(pages) > 2
    for page in pages:
        assert [page.text[block.start : block.end] for block in page.blocks] == page.text.splitlines()


@pytest.mark.parametrize("data", ['"\f"', '"\f";"\f"\n"\f";"\f"\n'])
def test_cells_of_form_feeds_are_no_text(data: str) -> None:
    with pytest.raises(Unreadable, match="no text"):
        read(data)
