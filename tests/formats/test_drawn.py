"""Pages as pictures: what is marked on them is the passage, across lines, hyphens, columns and tables, and nothing else."""

import io
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from conftest import FILES
from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.drawn.letters import Glyph, PageLetters
from docqa.formats.drawn.painting import MOST_PIXELS, picture
from docqa.formats.drawn.places import found_in
from docqa.formats.pdf.drawing import draw
from docqa.formats.pictures import data as tessdata
from docqa.ingest.preparation import page_chunks

WHITE, YELLOW, ORANGE = (255, 255, 255), (255, 240, 150), (255, 196, 64)
LEASE = (
    "The lease of the warehouse in Bergen begins on 1 April 2024 and ends on 31 March 2027. "
    "The monthly rent is 12,400 euros, and it is paid on the first working day. "
    "The tenant keeps the rooms in good order and heats them in winter. "
)


def column_page() -> bytes:
    """Two columns that the file holds line by line, so that the lines of the passage alternate with others."""
    document = pymupdf.open()
    page = document.new_page()
    left = [
        "The tenant pays the monthly",
        "rent in advance, on the first",
        "working day of each month, to",
        "the account of the lessor.",
    ]
    right = [
        "Heating is paid by those who",
        "use it. Water is shared by all",
        "parties alike, as the meter in",
        "the cellar of the house says.",
    ]
    for number, (line, other) in enumerate(zip(left, right, strict=True)):
        page.insert_text((72, 100 + 14 * number), line)
        page.insert_text((320, 100 + 14 * number), other)
    return bytes(document.tobytes())


def text_page(text: str, width: float = 300) -> bytes:
    document = pymupdf.open()
    document.new_page().insert_textbox((72, 72, 72 + width, 700), text)
    return bytes(document.tobytes())


def marked(data: bytes, passage: str, number: int = 1) -> str:
    """The letters that are marked for a passage, in the order of the page."""
    glyphs = draw(data, number, 600, with_letters=True).glyphs
    return "".join(glyphs[place].text for place in sorted(found_in(PageLetters(glyphs), passage)))


def squeezed(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def colours(png: bytes) -> dict[tuple[int, ...], int]:
    """How many pixels have each colour."""
    return {colour: count for count, colour in opened(png).getcolors(1 << 24)}  # type: ignore[misc, union-attr]


def test_a_sentence_is_marked_across_its_lines() -> None:
    passage = "The monthly rent is 12,400 euros, and it is paid on the first working day."
    assert marked(text_page(LEASE), passage) == squeezed(passage)


def test_a_word_that_is_broken_by_a_hyphen_is_marked_whole() -> None:
    data = text_page("The ware-\nhouse in Bergen is heated by dis-\ntrict heating.")
    assert marked(data, "warehouse in Bergen is heated by district") == "warehouseinBergenisheatedbydistrict"


def test_a_passage_in_one_of_two_columns_marks_nothing_of_the_other() -> None:
    data = column_page()
    passage = "The tenant pays the monthly rent in advance, on the first working day of each month, to the account of the lessor."
    assert marked(data, passage) == squeezed(passage)


def test_the_cells_of_a_table_are_marked_though_the_page_holds_them_by_columns() -> None:
    document = pymupdf.open()
    page = document.new_page()
    rows = [("Flat", "Rent", "Heat"), ("Hill", "1200", "90"), ("Park", "1050", "75"), ("Dock", "990", "60")]
    for place in range(3):
        for number, row in enumerate(rows):
            page.insert_text((72 + 120 * place, 100 + 16 * number), row[place])
    assert marked(document.tobytes(), "Park\t1050\t75") == "Park105075"


def test_letters_are_the_same_in_any_spelling_of_ligatures_and_case() -> None:
    glyphs = [Glyph(letter, 10 * place, 0, 10 * place + 9, 10, 0) for place, letter in enumerate("The oﬃce")]
    assert sorted(found_in(PageLetters(glyphs), "OFFICE")) == [4, 5, 6, 7]


def test_a_script_without_spaces_is_marked_by_its_characters() -> None:
    glyphs = [
        Glyph(letter, 10 * place, 0, 10 * place + 9, 10, 0) for place, letter in enumerate("家賃は毎月十万円です。")
    ]
    assert sorted(found_in(PageLetters(glyphs), "毎月十万円")) == [3, 4, 5, 6, 7]


def test_a_number_is_not_marked_within_a_longer_one() -> None:
    data = text_page("In 12024 there were 2024 ships.")
    assert marked(data, "2024") == "2024"
    glyphs = draw(data, 1, 600, with_letters=True).glyphs
    assert min(found_in(PageLetters(glyphs), "2024")) == "In 12024 there were 2024".rindex("2024")


def test_what_is_not_on_the_page_is_not_marked() -> None:
    assert marked(text_page(LEASE), "The yearly salary of the caretaker is negotiated by both sides.") == ""
    assert marked(text_page(LEASE), "…") == ""


@pytest.mark.parametrize("name", ["report.pdf", "arabic.pdf", "hebrew.pdf"])
def test_every_passage_of_a_document_is_marked_on_its_page(name: str) -> None:
    data = (FILES / name).read_bytes()
    for number, page in enumerate(reading.read_whole(data, name).pages, 1):
        for chunk in page_chunks(number, page):
            assert len(marked(data, chunk.text, number)) >= 0.95 * len(squeezed(chunk.text))


def test_the_passage_is_light_and_the_quote_in_it_dark() -> None:
    quote = "The monthly rent is 12,400 euros, and it is paid on the first working day."
    drawn = picture(text_page(LEASE * 2), 1, 800, [LEASE], [quote])
    shades = colours(drawn.png)
    assert shades[YELLOW] > shades[ORANGE] > 1000
    assert opened(drawn.png).width == 800
    plain = picture(text_page(LEASE * 2), 1, 800, [], [])
    assert plain.marked == 0 and not colours(plain.png).keys() & {YELLOW, ORANGE}


def test_a_quote_that_stands_twice_is_marked_in_its_passage() -> None:
    data = text_page(
        "The rent is due. Paid by Anna.\n\nSome other words stand here.\n\nThe rent is due. Paid by Berta."
    )
    png = opened(picture(data, 1, 800, ["The rent is due. Paid by Berta."], ["The rent is due."]).png)
    dark = [y for y in range(png.height) if any(png.getpixel((x, y)) == ORANGE for x in range(0, png.width, 4))]
    light = [y for y in range(png.height) if any(png.getpixel((x, y)) == YELLOW for x in range(0, png.width, 4))]
    assert min(dark) >= min(light), "the first of the two sentences is not marked"


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_turned_page_is_marked_where_it_shows_the_words(turn: int) -> None:
    document = pymupdf.open("pdf", text_page("Top line of the page."))
    document[0].set_rotation(turn)
    drawn = picture(document.tobytes(), 1, 600, ["Top line"], [])
    image = opened(drawn.png)
    places = [
        (x, y) for x in range(0, image.width, 2) for y in range(0, image.height, 2) if image.getpixel((x, y)) == YELLOW
    ]
    across = sum(x for x, _ in places) / len(places) / image.width
    down = sum(y for _, y in places) / len(places) / image.height
    assert (across < 0.5, down < 0.5) == {0: (True, True), 90: (False, True), 180: (False, False), 270: (True, False)}[
        turn
    ]


def test_a_picture_file_is_drawn_in_its_colours_and_not_enlarged() -> None:
    made = io.BytesIO()
    Image.new("RGB", (300, 200), (200, 30, 40)).save(made, "PNG")
    assert colours(picture(made.getvalue(), 1, 1200, [], []).png) == {(200, 30, 40): 300 * 200}
    assert opened(picture(made.getvalue(), 1, 150, [], []).png).size == (150, 100)


def test_a_page_that_is_very_long_has_no_more_pixels_than_the_limit(tmp_path: Path) -> None:
    document = pymupdf.open()
    document.new_page(width=100, height=14_400)
    image = opened(picture(document.tobytes(), 1, 4000, [], []).png)
    assert image.width * image.height <= MOST_PIXELS * 1.01


def test_a_page_that_cannot_be_drawn_is_refused_with_the_reason() -> None:
    with pytest.raises(Unreadable, match="Page 5 is damaged"):
        picture(text_page(LEASE), 5, 600, [], [])


def scanned(turn: int = 0) -> bytes:
    """A picture of a page of text, turned anticlockwise."""
    with pymupdf.open() as document:
        page = document.new_page(width=500, height=300)
        page.insert_textbox((40, 40, 460, 280), "The harbour of Bergen was busy.\n\n" + LEASE, fontsize=14)
        image = opened(page.get_pixmap(dpi=150).tobytes("png"))
    made = io.BytesIO()
    image.rotate(turn, expand=True).save(made, "PNG")
    return made.getvalue()


def shade(image: Image.Image, colour: tuple[int, int, int]) -> tuple[float, float, float, float]:
    """The edges of what has a colour, from 0 to 1 of the image's width and height."""
    places = [(x, y) for x in range(image.width) for y in range(image.height) if image.getpixel((x, y)) == colour]
    across, down = [x / image.width for x, _ in places], [y / image.height for _, y in places]
    return min(across), min(down), max(across), max(down)


needs_recognition = pytest.mark.skipif("eng" not in tessdata.languages(), reason="there are no data for English")


@needs_recognition
def test_a_passage_is_marked_on_a_picture_of_it() -> None:
    drawn = picture(scanned(), 1, 1000, ["The harbour of Bergen was busy."], hint="en")
    assert drawn.marked == 1
    left, top, right, bottom = shade(opened(drawn.png), YELLOW)
    assert left < 0.1 and 0.3 < right < 0.7 and 0.1 < top < bottom < 0.25


@needs_recognition
def test_a_passage_is_marked_on_a_page_of_a_pdf_that_is_a_scan() -> None:
    document = pymupdf.open()
    page = document.new_page(width=500, height=300)
    page.insert_image(page.rect, stream=scanned())
    drawn = picture(document.tobytes(), 1, 1000, [LEASE], ["The tenant keeps the rooms in good order"], hint="en")
    assert drawn.marked > 2
    image = opened(drawn.png)
    assert shade(image, YELLOW)[1] > 0.2, "the line above is not marked"
    assert shade(image, ORANGE)[1] > shade(image, YELLOW)[1]


@needs_recognition
@pytest.mark.parametrize("turn", [90, 270])
def test_a_passage_is_marked_on_a_picture_that_lies_on_its_side(turn: int) -> None:
    drawn = picture(scanned(turn), 1, 1000, ["The harbour of Bergen was busy."], hint="en")
    assert drawn.marked == 1
    left, _, right, _ = shade(opened(drawn.png), YELLOW)
    assert (left + right) / 2 < 0.3 if turn == 90 else (left + right) / 2 > 0.7
