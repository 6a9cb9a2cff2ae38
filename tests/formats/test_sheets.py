"""Spreadsheets: which sheets and cells are read, how values are written, where a table begins and ends."""

import pytest

from binary_workbooks import xls, xlsb
from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.pages import Extracted
from docqa.formats.sheets import pages as sheet_pages
from workbooks import MAIN, PACKAGE, RELATIONS, ods, ods_rows, sheet, xlsx, zipped

PRICES = [["Item", "Price", "Stock"], ["Apple", 1.25, 10.0], ["Pear", 2.0, 7.0]]
LINES = "Item\tPrice\tStock\nApple\t1.25\t10\nPear\t2\t7"


def extracted(data: bytes, name: str = "a.xlsx") -> Extracted:
    return reading.read_whole(data, name)


def texts(data: bytes, name: str = "a.xlsx") -> list[str]:
    return [page.text for page in extracted(data, name).pages]


def only(data: bytes, name: str = "a.xlsx") -> str:
    """The text of the only sheet, without its name."""
    [text] = texts(data, name)
    return text.partition("\n\n")[2]


def shown(code: str, value: float, properties: str = "") -> str:
    """What a cell with this number format shows."""
    book = xlsx({"S": sheet([[value, "x"]], styles=[1])}, formats=[code], properties=properties)
    return only(book).partition("\t")[0]


def kinds(data: bytes) -> list[tuple[str, int]]:
    [page] = extracted(data).pages
    return [(block.kind, block.level) for block in page.blocks]


# --- sheets ---


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (xlsx({"Fruit": sheet(PRICES), "Empty": sheet([]), "Notes": sheet([["Prices are net."]])}), "a.xlsx"),
        (
            ods(
                f"<table:table table:name='Fruit'>{ods_rows(PRICES)}</table:table>"
                "<table:table table:name='Empty'/>"
                f"<table:table table:name='Notes'>{ods_rows([['Prices are net.']])}</table:table>"
            ),
            "a.ods",
        ),
        (xls({"Fruit": PRICES, "Empty": [], "Notes": [["Prices are net."]]}), "a.xls"),
    ],
    ids=["xlsx", "ods", "xls"],
)
def test_a_page_is_a_sheet_with_its_name_and_an_empty_one_keeps_its_number(data: bytes, name: str) -> None:
    assert texts(data, name) == [f"Fruit\n\n{LINES}", "Empty", "Notes\n\nPrices are net."]
    assert [page.section for page in extracted(data, name).pages] == ["Fruit", "Empty", "Notes"]
    assert extracted(data, name).kind == name[2:]


def test_binary_workbooks_are_read_too() -> None:
    assert only(xlsb("Fruit", PRICES), "a.xlsb") == LINES


def test_tabs_part_the_columns_of_a_tsv() -> None:
    assert texts(b"Item\tPrice\nApple\t1\n", "a.tsv") == ["Item; Price\nItem: Apple; Price: 1\n"]


def test_tabs_under_the_name_of_a_workbook_are_read_as_what_they_are() -> None:
    assert texts(b"Item\tPrice\nApple\t1\n", "export.xls") == ["Item; Price\nItem: Apple; Price: 1\n"]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (xlsx({"S": sheet(PRICES), "Secret": sheet([["bonus"]])}, hidden=["Secret"]), "a.xlsx"),
        (
            ods(
                f"<table:table table:name='S'>{ods_rows(PRICES)}</table:table>"
                f"<table:table table:name='T' table:style-name='h'>{ods_rows([['bonus']])}</table:table>",
                "<style:style style:name='h' style:family='table'><style:table-properties table:display='false'/></style:style>",
            ),
            "a.ods",
        ),
        (xls({"S": PRICES, "Secret": [["bonus"]]}, hidden=["Secret"]), "a.xls"),
    ],
    ids=["xlsx", "ods", "xls"],
)
def test_hidden_sheets_stay_out_and_are_noted(data: bytes, name: str) -> None:
    assert only(data, name) == LINES
    assert extracted(data, name).notes == ["1 hidden sheet was left out."]


def test_hidden_rows_and_columns_stay_out() -> None:
    book = xlsx({"S": sheet(PRICES, hidden=[1], before='<cols><col min="3" max="3" hidden="1"/></cols>')})
    assert only(book) == "Item\tPrice\nPear\t2"
    rows = ods_rows(PRICES).replace("<table:table-row>", "<table:table-row table:visibility='collapse'>", 1)
    table = f"<table:table table:name='S'><table:table-column table:number-columns-repeated='2'/><table:table-column table:visibility='collapse'/>{rows}</table:table>"
    assert only(ods(table), "a.ods") == "Apple\t1.25\nPear\t2"


def test_rows_that_a_filter_hides_stay() -> None:
    assert only(xlsx({"S": sheet(PRICES, hidden=[1], after='<autoFilter ref="A1:C3"/>')})) == LINES


def test_a_workbook_with_nothing_on_its_sheets_is_refused() -> None:
    with pytest.raises(Unreadable, match="nothing on any sheet"):
        extracted(xlsx({"Sheet1": sheet([])}))


def test_the_properties_of_the_workbook_are_kept() -> None:
    core = "<cp xmlns:dc='d' xmlns:t='t'><dc:title>Fruit</dc:title><dc:creator>A. Smith</dc:creator><t:created>2024-05-06T00:00:00Z</t:created></cp>"
    about = extracted(xlsx({"S": sheet(PRICES)}, more={"docProps/core.xml": core})).properties
    assert (about.title, about.author, about.date) == ("Fruit", "A. Smith", "2024-05-06")


# --- values ---


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ("General", 0.1 + 0.2, "0.3"),
        ("General", 1234567.0, "1234567"),
        ("General", 1 / 3, "0.3333333333"),
        ("0.00", 2.5, "2.50"),
        ("#,##0.0", 1234.25, "1234.3"),
        ("0%", 0.25, "25%"),
        ("0.0%", -0.3337, "-33.4%"),
        ("#,##0.00 [$€-407]", 12345.678, "12345.68 €"),
        ('_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_)', -38.5, "-$38.50"),
        ("[$CHF] #,##0", 99.0, "CHF 99"),
        ('0" kg"', 5.0, "5 kg"),
        ("yyyy-mm-dd", 39614.0, "2008-06-15"),
        ("[$-407]d. mmmm yyyy", 39614.0, "2008-06-15"),
        ('yyyy"年"m"月"d"日"', 39614.0, "2008-06-15"),
        ("dd/mm/yyyy hh:mm", 39614.75, "2008-06-15 18:00"),
        ("mmm-yy", 39614.0, "Jun 2008"),
        ("h:mm AM/PM", 0.75, "18:00"),
        ("[h]:mm", 1.5, "36:00"),
        ("d-mmm-yy", 1.0, "1900-01-01"),
        ("d-mmm-yy", 61.0, "1900-03-01"),
        ("yyyy-mm-dd", -5.0, "-5"),
        ("[Red]0.0;[Blue]-0.0", 3.25, "3.3"),
    ],
)
def test_a_number_is_written_as_its_format_shows_it(code: str, value: float, text: str) -> None:
    assert shown(code, value) == text


def test_dates_count_from_1904_where_the_workbook_says_so() -> None:
    assert shown("yyyy-mm-dd", 38152.0, '<workbookPr date1904="1"/>') == "2008-06-15"


def test_stored_values_are_read_and_no_formulas() -> None:
    row = (
        '<row r="1"><c r="A1"><f>1+1</f><v>2</v></c><c r="B1" t="str"><f>A1&amp;"x"</f><v>2x</v></c>'
        '<c r="C1" t="b"><v>1</v></c><c r="D1" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="E1"><f>A1*2</f></c></row>'
    )
    book = extracted(xlsx({"S": f"<worksheet {MAIN}><sheetData>{row}</sheetData></worksheet>"}))
    assert book.pages[0].text == "S\n\n2\t2x\tTRUE\t#DIV/0!"
    assert "1 formulas have no stored value" in book.notes[0]


def test_shared_strings_with_formatting_lose_how_they_are_pronounced() -> None:
    strings = (
        f"<sst {MAIN}><si><r><t>東</t></r><r><t>京_x000D_ &amp; 大阪</t></r><rPh><t>トウキョウ</t></rPh></si></sst>"
    )
    content = f'<worksheet {MAIN}><sheetData><row><c t="s"><v>0</v></c></row></sheetData></worksheet>'
    assert only(xlsx({"S": content}, more={"xl/sharedStrings.xml": strings})) == "東京 & 大阪"


def test_values_of_an_ods_are_written_as_it_shows_them() -> None:
    cells = "".join(
        f"<table:table-cell office:value-type='{kind}' {given}><text:p>{text}</text:p></table:table-cell>"
        for kind, given, text in [
            ("percentage", "office:value='0.125'", "12,5 %"),
            ("currency", "office:value='12345.6' office:currency='EUR'", "12.345,60 €"),
            ("float", "office:value='3.14159'", "3.14"),
            ("date", "office:date-value='2008-06-15'", "15.06.08"),
            ("time", "office:time-value='PT36H05M00S'", "36:05"),
        ]
    )
    text = only(ods(f"<table:table table:name='S'><table:table-row>{cells}</table:table-row></table:table>"), "a.ods")
    assert text.split("\t") == ["12.5%", "12345.60 €", "3.14", "2008-06-15", "36:05"]


def test_repeated_cells_and_rows_of_an_ods_are_as_many() -> None:
    row = "<table:table-row table:number-rows-repeated='2'><table:table-cell table:number-columns-repeated='3' office:value-type='string'><text:p>a</text:p></table:table-cell></table:table-row>"
    assert only(ods(f"<table:table table:name='S'>{row}</table:table>"), "a.ods") == "a\ta\ta\na\ta\ta"


def test_comments_and_text_boxes_follow_the_cells() -> None:
    relations = (
        f'<Relationships {PACKAGE}><Relationship Id="a" Type="{RELATIONS}/comments" Target="../comments1.xml"/>'
        f'<Relationship Id="b" Type="{RELATIONS}/drawing" Target="../drawings/drawing1.xml"/></Relationships>'
    )
    book = xlsx(
        {"S": sheet(PRICES)},
        more={
            "xl/worksheets/_rels/sheet1.xml.rels": relations,
            "xl/comments1.xml": f'<comments {MAIN}><commentList><comment ref="B2"><text><r><t>per </t></r><r><t>kilo</t></r></text></comment></commentList></comments>',
            "xl/drawings/drawing1.xml": "<d xmlns:a='a' xmlns:x='x'><x:txBody><a:p><a:r><a:t>Ask the </a:t></a:r><a:r><a:t>grocer</a:t></a:r></a:p></x:txBody></d>",
        },
    )
    assert only(book) == f"{LINES}\n\nComment on B2: per kilo\nAsk the grocer"
    note = "<table:table-row><table:table-cell office:value-type='string'><office:annotation><text:p>why</text:p></office:annotation><text:p>a</text:p></table:table-cell></table:table-row>"
    assert only(ods(f"<table:table table:name='S'>{note}</table:table>"), "a.ods") == "a\n\nComment on A1: why"


# --- tables ---


def test_the_rows_of_a_table_are_blocks_with_their_headings_told() -> None:
    assert kinds(xlsx({"S": sheet(PRICES)})) == [("heading", 1), ("row", 1), ("row", 0), ("row", 0)]


def test_titles_above_and_notes_below_are_text() -> None:
    book = xlsx({"S": sheet([["Prices of fruit in May"], *PRICES, ["Source: the market"]])})
    assert only(book) == f"Prices of fruit in May\n{LINES}\nSource: the market"
    assert kinds(book) == [("heading", 1), ("paragraph", 0), ("row", 1), ("row", 0), ("row", 0), ("note", 0)]


def test_headings_in_two_rows_with_a_merged_one_are_both_headings() -> None:
    rows = [["Region", "2021", None, "2022", None], [None, "Q1", "Q2", "Q1", "Q2"], ["North", 1.0, 2.0, 3.0, 4.0]]
    book = xlsx({"S": sheet([*rows, ["South", 5.0, 6.0, 7.0, 8.0]], merged=["A1:A2", "B1:C1", "D1:E1"])})
    assert kinds(book)[1:] == [("row", 1), ("row", 1), ("row", 0), ("row", 0)]
    assert only(book).startswith("Region\t2021\t\t2022\nRegion\tQ1\tQ2\tQ1\tQ2\nNorth\t1\t2\t3\t4")


def test_a_label_that_is_merged_over_rows_stands_in_each_of_them() -> None:
    rows = [["Region", "City", "Sales"], ["North", "Oslo", 1.0], [None, "Bergen", 2.0]]
    assert only(xlsx({"S": sheet(rows, merged=["A2:A3"])})).endswith("North\tOslo\t1\nNorth\tBergen\t2")


def test_blank_rows_part_tables_unless_the_numbers_go_on() -> None:
    other = [["Name", "Age", "City"], ["Ada", 36.0, "London"], ["Alan", 41.0, "Wilmslow"]]
    [page] = extracted(xlsx({"S": sheet([*PRICES, [], *other])})).pages
    assert len(page.tables) == 2
    [page] = extracted(xlsx({"S": sheet([*PRICES, [], ["Plum", 3.0, 2.0], ["Fig", 4.0, 1.0]])})).pages
    assert len(page.tables) == 1


def test_headings_above_a_blank_row_belong_to_the_numbers_below_it() -> None:
    [page] = extracted(xlsx({"S": sheet([PRICES[0], [], *PRICES[1:]])})).pages
    assert page.text == f"S\n\n{LINES}"
    assert len(page.tables) == 1


def test_tables_beside_each_other_are_read_one_after_the_other() -> None:
    rows = [
        [*row, None, *more] for row, more in zip(PRICES, [["City", "Shops"], ["Rome", 2.0], ["Bonn", 1.0]], strict=True)
    ]
    assert only(xlsx({"S": sheet(rows)})) == f"{LINES}\n\nCity\tShops\nRome\t2\nBonn\t1"


def test_blank_columns_within_a_table_part_nothing() -> None:
    rows = [["Item", None, "2021", None, "2022"], ["Sales", None, 1.0, None, 2.0], ["Costs", None, 3.0, None, 4.0]]
    assert only(xlsx({"S": sheet(rows)})) == "Item\t2021\t2022\nSales\t1\t2\nCosts\t3\t4"


def test_a_long_sheet_is_several_pages_that_each_begin_with_the_column_headings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sheet_pages, "SHEET", 60)
    pages = extracted(xlsx({"S": sheet([PRICES[0], *([f"Apple {n}", 1.0, n] for n in range(9))])})).pages
    assert len(pages) > 1
    assert all("Item\tPrice\tStock" in page.text for page in pages)
    assert [page.section for page in pages] == ["S"] * len(pages)
    assert sum(page.text.count("Apple") for page in pages) == 9


# --- damage ---


def test_a_sheet_that_is_cut_off_keeps_what_stands_before() -> None:
    content = sheet(PRICES)
    book = extracted(xlsx({"S": content[: content.index("Pear")]}))
    assert book.pages[0].text.startswith("S\n\nItem\tPrice\tStock\nApple\t1.25\t10")
    assert book.notes == ["Parts of the workbook are damaged; what follows the damage is missing."]


def test_sheets_are_found_by_their_number_where_relationships_are_missing() -> None:
    content = f"<workbook {MAIN}><sheets><sheet name='S'/></sheets></workbook>"
    assert texts(zipped({"xl/workbook.xml": content, "xl/worksheets/sheet1.xml": sheet(PRICES)})) == [f"S\n\n{LINES}"]


def test_a_workbook_without_its_list_of_sheets_is_refused() -> None:
    with pytest.raises(Unreadable, match="the list of its sheets is missing"):
        extracted(zipped({"xl/worksheets/sheet1.xml": sheet(PRICES)}))


def test_a_damaged_binary_workbook_is_refused_with_what_to_do() -> None:
    with pytest.raises(Unreadable, match=r"save it as \.xlsx"):
        extracted(xls({"S": PRICES})[:1600], "a.xls")
