"""Tables that a PDF draws with lines: the lines part the cells, not the gaps between words."""

from collections.abc import Sequence

import pymupdf

from docqa.formats.pdf.paths import drawn_paths, straight_pieces
from docqa.formats.pdf.recorded import FLAGS, Recorded
from docqa.formats.reading import read_whole


def pdf(
    rows: Sequence[Sequence[str]],
    widths: Sequence[float],
    *,
    before: str = "Prices from May",
    after: str = "All prices are final.",
) -> bytes:
    """A page with a table within lines, a sentence before it and one after it."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 80), before)
    lefts = [72 + sum(widths[:at]) for at in range(len(widths) + 1)]
    top = 100.0
    for row in rows:
        height = 8 + 14 * max(cell.count("\n") + 1 for cell in row)
        for left, right, cell in zip(lefts, lefts[1:], row, strict=False):
            page.draw_rect((left, top, right, top + height))
            page.insert_text((left + 3, top + 14), cell.split("\n"), fontsize=10)
        top += height
    page.insert_text((72, top + 40), after)
    return bytes(document.tobytes())


def test_cells_are_what_stands_within_the_lines() -> None:
    rows = [
        ["Room", "Article and\ncondition", "Price"],
        ["Hall", "Lamp, large and\nsomewhat scratched", "12"],
        ["Kitchen", "Kettle", "9"],
    ]
    [page] = read_whole(pdf(rows, [60, 110, 60]), "t.pdf").pages
    assert page.text == (
        "Prices from May\n\nRoom\tArticle and condition\tPrice\n"
        "Hall\tLamp, large and somewhat scratched\t12\nKitchen\tKettle\t9\n\nAll prices are final."
    )
    [(start, head, end)] = page.tables
    assert page.text[start:head] == "Room\tArticle and condition\tPrice"
    assert page.text[head:end].endswith("Kettle\t9")


def test_words_that_nearly_touch_are_parted_by_a_line() -> None:
    rows = [["Model", "A", "B"], ["Litres a day at 30 degrees", "12 l", "16 l"], ["Watts", "210", "265"]]
    [page] = read_whole(pdf(rows, [120, 40, 40]), "t.pdf").pages
    assert "Litres a day at 30 degrees\t12 l\t16 l" in page.text


def test_a_word_too_long_for_the_last_column_is_whole() -> None:
    rows = [["Model", "Use"], ["K3", "simulation"], ["K4", "Maschinensteuerung\nand simulation"]]
    [page] = read_whole(pdf(rows, [60, 75]), "t.pdf").pages
    assert "Model\tUse\nK3\tsimulation\nK4\tMaschinensteuerung and simulation" in page.text


def test_a_box_around_prose_is_no_table() -> None:
    prose = "\n".join(["The tenant keeps the garden in good order and waters it."] * 12)
    [page] = read_whole(pdf([[prose, prose], [prose, prose]], [260, 260]), "t.pdf").pages
    assert page.tables == () or "\t" not in page.text[: page.tables[0][0]]
    assert page.text.count("The tenant keeps") == 48


def test_a_table_in_one_column_of_a_page_takes_nothing_out_of_the_other() -> None:
    rows = [["Part", "Cleaned"], ["Drum", "in May"], ["Door", "each day"], ["Sieve", "in June"]]
    document = pymupdf.open("pdf", pdf(rows, [70, 110], before="How often", after="Do so when it is cold."))
    page = document[0]
    page.insert_text((320, 72), "Cleaning the sieve")
    page.draw_rect((320, 80, 560, 128))
    page.insert_text(
        (326, 94), ["Caution: let the water cool down first.", "It must not be warm any more."], fontsize=10
    )
    for step, y in enumerate(range(140, 260, 20), 1):
        page.insert_text((320, y), f"{step}. Do what is said in step {step}.", fontsize=10)
    [read] = read_whole(bytes(document.tobytes()), "t.pdf").pages
    assert "Part\tCleaned\nDrum\tin May\nDoor\teach day\nSieve\tin June" in read.text
    assert [line[:2] for line in read.text.split("\n") if "in step" in line] == ["1.", "2.", "3.", "4.", "5.", "6."]
    assert "\ufdd0" not in read.text


def test_a_title_at_the_height_of_a_table_does_not_take_its_place() -> None:
    rows = [["Part", "Cleaned"], ["Drum", "in May"], ["Door", "each day"]]
    document = pymupdf.open("pdf", pdf(rows, [70, 110], before="", after=""))
    document[0].insert_text((300, 104), "Care", fontsize=10)
    [read] = read_whole(bytes(document.tobytes()), "t.pdf").pages
    assert "Part\tCleaned\nDrum\tin May\nDoor\teach day" in read.text
    assert "Care" in read.text


def test_only_paths_are_told_of_a_page_and_all_of_them() -> None:
    """By a device of our own, for that of the library calls Python for every text too."""
    page = pymupdf.open().new_page()
    page.insert_text((72, 72), "Text is no path")
    page.draw_rect((72, 100, 200, 200), color=(0, 0, 0), width=4)
    page.draw_rect((72, 300, 200, 301), fill=(1, 0, 0), color=None)
    page.draw_line((72, 400), (300, 400))
    of_library = [("stroke" in kind, tuple(box)) for kind, box in page.get_bboxlog() if "path" in kind]
    assert drawn_paths(Recorded(page)) == of_library
    assert len(of_library) == 3


def test_straight_pieces_are_those_that_the_library_finds() -> None:
    """A shading is one piece, a box that is drawn around something has four; curves and slopes have none."""
    page = pymupdf.open().new_page()
    page.draw_rect((72, 100, 200, 200), color=(0, 0, 0))
    page.draw_rect((72, 300, 200, 330), fill=(1, 0, 0), color=None)
    page.draw_line((72, 400), (300, 400))
    page.draw_polyline([(72, 500), (100, 500), (100, 540)])
    page.draw_circle((300, 300), 40)
    of_library = [
        (min(x, u), min(y, v), max(x, u), max(y, v))
        for drawing in page.get_cdrawings()
        for name, *places in drawing["items"]
        if name == "l"
        for (x, y), (u, v) in [places]
    ]
    pieces = straight_pieces(Recorded(page))
    assert [piece for piece in pieces if piece in of_library] == of_library
    box = [(72.0, 100.0, 200.0, 100.0), (72.0, 200.0, 200.0, 200.0), (72.0, 100.0, 72.0, 200.0)]
    assert [piece for piece in pieces if piece not in of_library] == [
        *box,
        (200.0, 100.0, 200.0, 200.0),
        (72.0, 300.0, 200.0, 330.0),
    ]


def test_a_page_is_interpreted_once_and_its_text_stays_the_same() -> None:
    """Also a text of nothing but a space within a clip, which a record leaves out that is not within a tile."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_font("helv")
    clipped = document.get_new_xref()
    document.update_object(clipped, "<<>>")
    document.update_stream(clipped, b"q 0 0 595 842 re W n BT /helv 12 Tf 300 300 Td ( ) Tj ET Q")
    page.set_contents(clipped)
    for rotation in (0, 90):
        page.set_rotation(rotation)
        recorded = Recorded(page)
        assert recorded.blocks == page.get_text("dict", flags=FLAGS)["blocks"]
        assert recorded.words == page.get_text("words", flags=FLAGS)
        assert recorded.blocks_by_letters == page.get_text("rawdict", flags=FLAGS)["blocks"]
        assert page.rotation == rotation
    assert [line["spans"][0]["text"] for block in recorded.blocks for line in block["lines"]] == [" "]


def test_rows_between_lines_that_are_drawn_at_every_third_only_are_rows() -> None:
    rows = [
        ["State", "Checks", ""],
        ["", "Long", "Short"],
        ["Avon\nNew Dee\nEsk", "18,870\n209\n2,303", "22\n3,062\n12"],
        ["Forth\nTay", "7\n8", "9\n10"],
    ]
    [page] = read_whole(pdf(rows, [60, 60, 60]), "t.pdf").pages
    [(start, head, end)] = page.tables
    assert page.text[start:head] == "State\tChecks\n\tLong\tShort"
    assert page.text[head:end].split("\n")[1:] == [
        "Avon\t18,870\t22",
        "New Dee\t209\t3,062",
        "Esk\t2,303\t12",
        "Forth\t7\t9",
        "Tay\t8\t10",
    ]


def test_words_that_are_wrapped_in_all_cells_are_no_rows_of_their_own() -> None:
    rows = [["Room", "Article and\ncondition", "State"], ["Large\nhall", "Lamp with\nscratches", "not so\ngood"]]
    [page] = read_whole(pdf(rows, [60, 110, 60]), "t.pdf").pages
    assert "Large hall\tLamp with scratches\tnot so good" in page.text


OVEN = [
    ["Problem", "Possible cause", "Remedy"],
    ["It does not heat", "The clock is not set", "Set the clock"],
    ["It does not heat", "Fuse", "Check the fuse; call an\nelectrician if it trips"],
    ["The cake is burnt\nat the bottom", "Tray too low", "Use level 3"],
]


def ruled_by_rows(rows: Sequence[Sequence[str]], *, lines: Sequence[int], first: int = 0, title: str = "") -> str:
    """The text of a page whose table draws, as a browser does, a piece of a line below each cell of these rows, from
    the `first` column on; a title stands above the table."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text(
        (72, 60), title or "What to do if something in the oven that you bought does not work as it should."
    )
    top = 84.0
    widths = [120.0, 120.0, 140.0]
    for at, row in enumerate(rows):
        left = 72.0
        height = 8 + 14 * max(cell.count("\n") + 1 for cell in row)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
            page.insert_text((left + 4, top + 14), cell.split("\n"), fontsize=10)
            if at in lines and column >= first:
                page.draw_rect((left, top + height, left + width, top + height + 0.8), fill=(0, 0, 0), width=0)
            left += width
        top += height
    page.insert_text((72, top + 50), "Our customer service answers the telephone from Monday to Friday, 8:00 to 18:00.")
    [read] = read_whole(bytes(document.tobytes()), "oven.pdf").pages
    return read.text


def test_the_pieces_of_lines_below_cells_part_them_where_nothing_else_does() -> None:
    text = ruled_by_rows(OVEN, lines=[0, 1, 2, 3])
    assert text.split("\n\n")[1] == (
        "Problem\tPossible cause\tRemedy\nIt does not heat\tThe clock is not set\tSet the clock\n"
        "It does not heat\tFuse\tCheck the fuse; call an electrician if it trips\n"
        "The cake is burnt at the bottom\tTray too low\tUse level 3"
    )


def test_the_last_row_needs_no_line() -> None:
    assert "at the bottom\tTray too low\tUse level 3" in ruled_by_rows(OVEN, lines=[0, 1, 2])


def test_lines_below_some_rows_or_columns_only_part_no_cells() -> None:
    numbers = [["Umsatz", "11", "12"], ["Kosten", "21", "22"], ["Summe", "31", "32"], ["Rest", "41", "42"]]
    expected = "Umsatz\t11\t12\nKosten\t21\t22\nSumme\t31\t32\nRest\t41\t42"
    assert expected in ruled_by_rows(numbers, lines=[1, 2])
    assert expected in ruled_by_rows(numbers, lines=[0, 1, 2, 3], first=1)


def test_a_title_above_a_ruled_table_is_not_its_headings() -> None:
    text = ruled_by_rows([["", "", ""], *OVEN], lines=[0, 1, 2, 3, 4], title="Troubleshooting")
    assert "Troubleshooting\n\nProblem\tPossible cause\tRemedy\n" in text


def test_a_table_of_names_and_values_has_no_headings() -> None:
    rows = [["Voltage", "230 V, 50 Hz"], ["Load", "3.4 kW"], ["Fuse", "16 A"], ["Class", "A"]]
    [page] = read_whole(pdf(rows, [120, 100]), "t.pdf").pages
    [grid] = page.grids
    assert [row.cells for row in grid.rows] == [tuple(row) for row in rows]
    days = [["Age", "12 months to June"], ["Open", "1,200"], ["Paid", "3,400"], ["Late", "15"]]
    [page] = read_whole(pdf(days, [120, 100]), "t.pdf").pages
    assert page.grids[0].columns == ("Age", "12 months to June")
