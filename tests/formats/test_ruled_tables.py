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


def test_a_box_around_prose_is_no_table() -> None:
    prose = "\n".join(["The tenant keeps the garden in good order and waters it."] * 12)
    [page] = read_whole(pdf([[prose, prose], [prose, prose]], [260, 260]), "t.pdf").pages
    assert page.tables == () or "\t" not in page.text[: page.tables[0][0]]
    assert page.text.count("The tenant keeps") == 48


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
