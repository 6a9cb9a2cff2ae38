"""Slides as pictures: what stands where on a slide stands there in the picture, and the passage is marked on it."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.shapes import MSO_SHAPE
from pptx.util import Emu, Inches, Pt

from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.drawn.letters import Glyph
from docqa.formats.drawn.painting import picture
from docqa.formats.slides.drawing import draw

YELLOW = (255, 240, 150)
RENT = "The monthly rent is 12,400 euros."


def deck() -> Any:
    """A deck of ten inches by seven and a half, with the layouts of PowerPoint's default template."""
    return Presentation()


def saved(presentation: Any) -> bytes:
    data = io.BytesIO()
    presentation.save(data)
    return data.getvalue()


def box(presentation: Any, text: str, left: float, top: float, *, size: float = 20, width: float = 4) -> Any:
    """A text box on a new blank slide, in inches and points."""
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    shape = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(width), Inches(1))
    shape.text_frame.word_wrap = True
    shape.text_frame.text = text
    shape.text_frame.paragraphs[0].runs[0].font.size = Pt(size)
    return slide


def glyphs(data: bytes, number: int = 1) -> list[Glyph]:
    return list(draw(data, number, 720, with_letters=True).glyphs)


def text_of(data: bytes, number: int = 1) -> str:
    return "".join(glyph.text for glyph in glyphs(data, number))


def image(data: bytes, number: int = 1) -> Image.Image:
    """The slide, of which an inch has 72 pixels."""
    return draw(data, number, 720, with_letters=False).image


def near(image: Image.Image, x: float, y: float, colour: tuple[int, int, int]) -> bool:
    """Whether the picture has about this colour at so many inches from its left and top."""
    pixel: Any = image.convert("RGB").getpixel((int(72 * x), int(72 * y)))
    return all(abs(part - wanted) < 12 for part, wanted in zip(pixel, colour, strict=True))


def test_a_text_stands_at_its_place_in_its_size() -> None:
    presentation = deck()
    box(presentation, "Warehouse", 3, 2, size=40)
    letters = glyphs(saved(presentation))
    assert "".join(glyph.text for glyph in letters) == "Warehouse"
    assert 3 * 72 <= letters[0].left <= 3.3 * 72 and abs(letters[0].top - 2 * 72) < 8
    assert 36 <= letters[0].bottom - letters[0].top <= 60


def test_title_and_items_take_place_size_and_bullets_from_layout_and_master() -> None:
    presentation = deck()
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.shapes.title.text = "Agenda"
    slide.placeholders[1].text = "Results\nReturns"
    letters = glyphs(saved(presentation))
    assert "".join(glyph.text for glyph in letters).split() == ["Agenda•", "Results•", "Returns"]
    title, item = letters[0], next(glyph for glyph in letters if glyph.text == "R")
    assert title.bottom - title.top > 1.2 * (item.bottom - item.top), "44 points and 32"
    middle = (letters[0].left + letters[5].right) / 2
    assert abs(middle - 360) < 10, "the title is centred"
    assert item.top > title.bottom


def test_forms_and_backgrounds_have_their_colours_and_places() -> None:
    presentation = deck()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    slide.background.fill.solid()
    slide.background.fill.fore_color.rgb = RGBColor(0xEE, 0xF2, 0xFF)
    for form, left in ((MSO_SHAPE.RECTANGLE, 1), (MSO_SHAPE.OVAL, 4)):
        shape = slide.shapes.add_shape(form, Inches(left), Inches(1), Inches(2), Inches(2))
        shape.fill.solid()
        shape.fill.fore_color.rgb = RGBColor(0xCC, 0x22, 0x11)
        shape.line.fill.background()
    themed = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, Inches(7), Inches(1), Inches(2), Inches(2))
    themed.fill.solid()
    themed.fill.fore_color.theme_color = MSO_THEME_COLOR.ACCENT_1
    shown = image(saved(presentation))
    ground, red = (0xEE, 0xF2, 0xFF), (0xCC, 0x22, 0x11)
    assert near(shown, 0.5, 0.5, ground) and near(shown, 2, 2, red) and near(shown, 1.1, 1.1, red)
    assert near(shown, 5, 2, red) and near(shown, 4.1, 1.1, ground), "an oval has no corners"
    assert near(shown, 8, 2, (0x4F, 0x81, 0xBD)), "the theme's first accent"


def test_pictures_are_shown_cropped_at_their_places(tmp_path: Path) -> None:
    halves = Image.new("RGB", (100, 50), (0, 0, 200))
    halves.paste((0, 160, 0), (50, 0, 100, 50))
    halves.save(tmp_path / "halves.png")
    presentation = deck()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    slide.shapes.add_picture(str(tmp_path / "halves.png"), Inches(1), Inches(1), Inches(4), Inches(2))
    cropped = slide.shapes.add_picture(str(tmp_path / "halves.png"), Inches(1), Inches(4), Inches(4), Inches(2))
    cropped.crop_left = 0.5
    shown = image(saved(presentation))
    assert near(shown, 2, 2, (0, 0, 200)) and near(shown, 4, 2, (0, 160, 0))
    assert near(shown, 1.5, 5, (0, 160, 0)), "its left half is cropped"


def test_a_table_has_its_cells_in_columns_and_rows_with_the_colours_of_its_style() -> None:
    presentation = deck()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(1), Inches(6), Inches(1)).table
    for number, text in enumerate(("Region", "Sales", "Nordics", "1,615")):
        table.cell(number // 2, number % 2).text = text
    data = saved(presentation)
    letters = {glyph.text: glyph for glyph in glyphs(data)}
    assert abs(letters["R"].top - letters["S"].top) < 1 and letters["N"].top > letters["R"].bottom - 5
    assert letters["R"].left == letters["N"].left and letters["S"].left - letters["R"].left > 2.9 * 72
    assert near(image(data), 3.5, 1.45, (0x4F, 0x81, 0xBD)), "the head has the accent"


def test_what_is_in_a_group_is_drawn_in_its_coordinates() -> None:
    presentation = deck()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    group = slide.shapes.add_group_shape()
    shape = group.shapes.add_shape(MSO_SHAPE.RECTANGLE, Emu(0), Emu(0), Emu(100), Emu(100))
    shape.fill.solid()
    shape.fill.fore_color.rgb = RGBColor(10, 120, 60)
    group.left, group.top, group.width, group.height = Inches(5), Inches(3), Inches(2), Inches(2)
    shown = image(saved(presentation))
    assert near(shown, 6, 4, (10, 120, 60)) and near(shown, 4.8, 4, (255, 255, 255))


def charted(kind: Any) -> bytes:
    """A slide with a chart in inches 1 to 7 across and 1 to 5 down."""
    presentation = deck()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    data = CategoryChartData()
    data.categories = ["East", "West"]
    data.add_series("Ships", (10, 40))
    slide.shapes.add_chart(kind, Inches(1), Inches(1), Inches(6), Inches(4), data)
    return saved(presentation)


BLUE, RED = (0x4F, 0x81, 0xBD), (0xC0, 0x50, 0x4D)  # the theme's first accents


def test_columns_are_as_high_as_their_values() -> None:
    shown = image(charted(XL_CHART_TYPE.COLUMN_CLUSTERED))
    assert near(shown, 2.6, 4.2, BLUE) and near(shown, 5.4, 4.2, BLUE)
    assert near(shown, 5.4, 2, BLUE) and near(shown, 2.6, 2, (255, 255, 255))


def test_bars_are_as_long_as_their_values_the_first_category_below() -> None:
    shown = image(charted(XL_CHART_TYPE.BAR_CLUSTERED))
    assert near(shown, 6, 2, BLUE) and near(shown, 6, 3.8, (255, 255, 255)) and near(shown, 2.8, 3.8, BLUE)


def test_a_pie_has_the_shares_of_its_values() -> None:
    shown = image(charted(XL_CHART_TYPE.PIE))
    assert near(shown, 2.9, 2, BLUE), "the first fifth, from the top to the right"
    assert near(shown, 2, 3, RED)


@pytest.mark.parametrize("kind", ["COLUMN_CLUSTERED", "BAR_CLUSTERED", "LINE", "PIE", "RADAR"])
def test_a_chart_has_its_names_and_numbers(kind: str) -> None:
    shown = text_of(charted(getattr(XL_CHART_TYPE, kind)))
    assert all(word in shown for word in ("Ships", "East", "10", "West", "40"))


def test_a_text_that_does_not_fit_its_shape_is_not_lost() -> None:
    presentation = deck()
    long = " ".join(f"word{number}" for number in range(120))
    box(presentation, long, 1, 1, size=14, width=8)
    assert "word119" in text_of(saved(presentation))


@pytest.mark.parametrize(
    "text", ["Die Miete beträgt 12.400 Euro.", "Арендная плата 12 400 евро", "每月租金为12,400欧元"]
)
def test_other_scripts_are_drawn_and_marked(text: str) -> None:
    presentation = deck()
    box(presentation, text, 1, 1, width=8)
    data = saved(presentation)
    assert len(text_of(data).replace(" ", "")) >= len(text.replace(" ", ""))
    assert picture(data, 1, 720, [text]).marked == 1


def test_a_passage_as_it_was_read_is_marked() -> None:
    presentation = deck()
    box(presentation, "Something else stands here.", 1, 1)
    slide = box(presentation, RENT, 1, 1, width=3)
    slide.shapes.add_textbox(
        Inches(1), Inches(5), Inches(4), Inches(1)
    ).text_frame.text = "Of the garden nothing is said."
    data = saved(presentation)
    page = list(reading.read(data, "deck.pptx").pages)[1]
    assert RENT in page.text
    marked = picture(data, 2, 720, [RENT])
    assert marked.marked >= 2, "it is broken into lines"
    colours = Image.open(io.BytesIO(marked.png)).convert("RGB").crop((0, 0, 720, 300)).getcolors(1 << 20)
    assert YELLOW in [colour for _, colour in colours or []]
    assert picture(data, 1, 720, [RENT]).marked == 0


def test_a_passage_on_a_dark_ground_is_lit() -> None:
    presentation = deck()
    slide = box(presentation, RENT, 1, 1, width=6)
    slide.background.fill.solid()
    slide.background.fill.fore_color.rgb = RGBColor(0x10, 0x18, 0x30)
    slide.shapes[0].text_frame.paragraphs[0].runs[0].font.color.rgb = RGBColor(0xFF, 0xFF, 0xFF)
    marked = Image.open(io.BytesIO(picture(saved(presentation), 1, 720, [RENT]).png)).convert("RGB")
    colours = {colour for _, colour in marked.crop((72, 72, 500, 110)).getcolors(1 << 20) or []}
    assert any(red > 110 and green > 110 and blue < 130 for red, green, blue in colours), "a light of yellow"
    assert (255, 255, 255) in colours, "through which the letters show"
    assert near(marked, 9, 7, (0x10, 0x18, 0x30))


def test_a_slide_that_is_not_there_or_draws_too_much_is_refused() -> None:
    presentation = deck()
    slide = box(presentation, RENT, 1, 1)
    for _ in range(2100):
        slide.shapes._spTree.append(slide.shapes._spTree.makeelement(slide.shapes[0]._element.tag, {}))
    with pytest.raises(Unreadable, match="draws too much"):
        draw(saved(presentation), 1, 720, with_letters=False)
    with pytest.raises(Unreadable, match="Slide 9"):
        draw(saved(presentation), 9, 720, with_letters=False)
    with pytest.raises(Unreadable, match="damaged"):
        draw(b"PK\x03\x04 no archive", 1, 720, with_letters=False)


def test_a_picture_that_cannot_be_decoded_leaves_the_rest_of_the_slide(tmp_path: Path) -> None:
    Image.new("RGB", (10, 10)).save(tmp_path / "a.png")
    presentation = deck()
    slide = box(presentation, RENT, 1, 1)
    slide.shapes.add_picture(str(tmp_path / "a.png"), Inches(1), Inches(4), Inches(2), Inches(2))
    source, packed = zipfile.ZipFile(io.BytesIO(saved(presentation))), io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for member in source.infolist():
            archive.writestr(member, b"no picture" if "/media/" in member.filename else source.read(member))
    assert "12,400" in text_of(packed.getvalue())
