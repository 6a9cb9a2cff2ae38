"""Pictures: every way of storing one, whichever way up it lies, and what is no picture or has no text."""

import io
import zipfile
from pathlib import Path

import pptx
import pymupdf
import pytest
from PIL import Image, ImageDraw, ImageFont
from pptx.util import Inches

from conftest import torture
from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.kinds import detect
from docqa.formats.pages import ExtractedPage
from docqa.formats.pictures import data, recognition
from docqa.formats.pictures.decode import cleaned, decoded, frames, lines_run_upwards, open_picture, turned
from docqa.formats.pictures.plausible import weigh
from formats.test_odp import place, presentation, slide

TEXT = "The ferry leaves the northern harbour at nine in the morning"
MORE = (
    "and comes back after sunset.",
    "Tickets are sold on board; bicycles travel free",
    "of charge on every day but Sunday.",
)
needs_data = pytest.mark.skipif("eng" not in data.languages(), reason="there are no data for English")


def drawn(text: str = TEXT, size: int = 26, mode: str = "L") -> Image.Image:
    """A sheet with a text of several lines."""
    font = ImageFont.load_default(size)
    picture = Image.new("L", (900, 260), 255)
    draw = ImageDraw.Draw(picture)
    for line, words in enumerate((text, *MORE)):
        draw.text((40, 30 + 50 * line), words, font=font, fill=0)
    return picture.convert(mode)


def saved(picture: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def text_of(content: bytes, name: str = "a") -> str:
    return reading.read_whole(content, name).pages[0].text


def grey(content: bytes) -> Image.Image:
    return decoded(open_picture(content), 0)


# --- what is stored, and how ---


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP", "GIF", "BMP"])
def test_a_picture_is_known_by_its_content(kind: str) -> None:
    content = saved(drawn(), kind)
    assert [detect(content, name, "") for name in ("a.png", "a.txt", "scan")] == ["image"] * 3


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP", "GIF", "BMP"])
@needs_data
def test_each_kind_of_picture_is_read(kind: str) -> None:
    document = reading.read_whole(saved(drawn(), kind), "a")
    assert (document.kind, len(document.pages)) == ("image", 1)
    assert TEXT in document.pages[0].text


@pytest.mark.parametrize(
    ("kind", "picture"),
    [
        ("PNG", drawn(mode="1")),
        ("PNG", drawn(mode="RGB").quantize(8)),
        ("PNG", drawn(mode="LA")),
        ("PNG", drawn(mode="RGBA")),
        ("PNG", drawn(mode="I").point(lambda value: value * 257).convert("I;16")),
        ("JPEG", drawn(mode="CMYK")),
        ("TIFF", drawn(mode="CMYK")),
        ("TIFF", drawn(mode="F")),
        ("TIFF", drawn(mode="1")),
    ],
    ids=["bits", "palette", "grey and alpha", "alpha", "16 bits", "CMYK", "CMYK TIFF", "floats", "fax"],
)
def test_every_way_of_storing_colours_gives_the_same_picture(kind: str, picture: Image.Image) -> None:
    options = {"compression": "group4"} if kind == "TIFF" and picture.mode == "1" else {}
    result = grey(saved(picture, kind, **options))
    assert (result.mode, result.size) == ("L", (900, 260))
    assert result.getpixel((5, 5)) > 250
    assert min(result.tobytes()) < 30


def test_what_is_transparent_is_white_whatever_colour_it_hides() -> None:
    clear = Image.new("RGBA", (50, 50), (0, 0, 0, 0))
    assert grey(saved(clear, "PNG")).getpixel((20, 20)) == 255
    indexed = Image.new("P", (50, 50), 3)
    assert grey(saved(indexed, "GIF", transparency=3)).getpixel((20, 20)) == 255


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_turned_as_the_camera_says(orientation: int) -> None:
    sheet = Image.new("L", (64, 32), 255)
    sheet.paste(0, (0, 0, 16, 8))  # dark in the upper left corner
    stored = {
        1: sheet,
        2: sheet.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
        3: sheet.transpose(Image.Transpose.ROTATE_180),
        4: sheet.transpose(Image.Transpose.FLIP_TOP_BOTTOM),
        5: sheet.transpose(Image.Transpose.TRANSPOSE),
        6: sheet.transpose(Image.Transpose.ROTATE_90),
        7: sheet.transpose(Image.Transpose.TRANSVERSE),
        8: sheet.transpose(Image.Transpose.ROTATE_270),
    }[orientation]
    exif = Image.Exif()
    exif[274] = orientation
    for kind in ("JPEG", "TIFF", "PNG"):
        upright = grey(saved(stored, kind, exif=exif))
        assert upright.size == (64, 32), kind
        assert upright.getpixel((4, 4)) < 30, kind
        assert upright.getpixel((60, 28)) > 220, kind


def test_the_frames_of_a_tiff_are_pages_but_reduced_copies_and_masks_are_not() -> None:
    thumbnail = drawn().resize((90, 26))
    thumbnail.encoderinfo = {"tiffinfo": {254: 1}}
    content = saved(drawn(), "TIFF", save_all=True, append_images=[thumbnail, drawn("second")])
    assert list(frames(open_picture(content), 10)) == [0, 2]


def test_of_an_animation_the_first_picture_is_the_page() -> None:
    content = saved(drawn(), "GIF", save_all=True, append_images=[drawn("later")])
    assert list(frames(open_picture(content), 10)) == [0]


@needs_data
def test_further_frames_of_a_long_tiff_wait_for_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    from docqa.formats.pictures import picture

    monkeypatch.setattr(picture, "_AT_ONCE", 0.0)
    content = saved(drawn(), "TIFF", save_all=True, append_images=[drawn("A second sheet of the same letter")])
    pages = reading.read_whole(content, "a.tif").pages
    assert [page.unread for page in pages] == [False, True]
    assert "A second sheet of the same letter" in reading.recognise(content, 2).text


# --- what is on it ---


@pytest.mark.parametrize("degrees", [90, 180, torture(270)])
@needs_data
def test_a_page_on_its_side_or_upside_down_is_read(degrees: int) -> None:
    assert TEXT in text_of(saved(drawn().rotate(degrees, expand=True), "PNG"))


def test_lines_of_text_show_which_way_a_page_lies() -> None:
    assert not lines_run_upwards(drawn())
    assert lines_run_upwards(turned(drawn(), 90))


@needs_data
def test_a_photograph_in_which_the_light_falls_off_is_read() -> None:
    light = Image.linear_gradient("L").rotate(90).resize((900, 260)).point(lambda value: 60 + value * 0.7)
    shaded = Image.composite(light, light.point(lambda value: value * 0.3), drawn())
    assert TEXT in text_of(saved(shaded, "JPEG", quality=90))


def test_ruled_lines_and_coloured_cells_are_cleaned_away_and_letters_stay() -> None:
    sheet = Image.new("L", (600, 300), 255)
    draw = ImageDraw.Draw(sheet)
    draw.rectangle((20, 20, 580, 120), fill=170)
    draw.rectangle((20, 20, 580, 280), outline=0, width=2)
    draw.text((60, 50), "Heading", font=ImageFont.load_default(40), fill=0)
    clean = cleaned(sheet)
    assert clean.getpixel((300, 21)) == 255 and clean.getpixel((21, 200)) == 255
    assert clean.getpixel((500, 60)) > 240
    assert min(clean.crop((60, 50, 250, 110)).tobytes()) < 60


@needs_data
def test_small_letters_are_read_enlarged() -> None:
    small = drawn(size=26).resize((360, 104), Image.Resampling.LANCZOS)
    assert "leaves the northern harbour" in text_of(saved(small, "PNG"))


# --- no text, no data ---


@pytest.mark.parametrize(
    "picture",
    [
        Image.new("L", (300, 200), 255),
        torture(Image.effect_noise((300, 200), 90)),
        Image.radial_gradient("L"),
    ],
    ids=["white", "noise", "gradient"],
)
def test_a_picture_without_text_is_refused_with_a_sentence(picture: Image.Image) -> None:
    with pytest.raises(Unreadable, match="There is no text in the picture"):
        text_of(saved(picture, "PNG"))


def test_without_language_data_a_picture_is_refused_with_the_command_that_adds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    monkeypatch.setattr(data, "has_rapid", lambda: False)
    with pytest.raises(Unreadable, match="`python run.py ocr add en`"):
        text_of(saved(drawn(), "PNG"))


def test_a_folder_that_may_not_be_looked_into_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "ADDED", Path("/" + "long" * 100))  # to look at it raises, for whoever tests
    assert data.ADDED not in data.folders()
    assert data.languages()


def test_strokes_that_no_language_has_are_no_text() -> None:
    assert not weigh("Pera SSMS, SSSR\nEE “EA”\n, eee; 7}, PPM\nRWS RS OMS. PR. TSR, ALEK").is_well_read
    assert weigh(
        "Der Mietvertrag wurde im Oktober des vergangenen Jahres von beiden Seiten unterschrieben."
    ).is_well_read
    assert weigh("帮助肌肤完美吸收后续营养，改善肌肤松弛、干燥、暗沉等现象").is_well_read
    assert not weigh("~ . — | i ;").is_text


# --- which languages ---


def groups(codes: list[str], hint: str = "") -> list[tuple[str, ...]]:
    return list(recognition.groups(codes, hint, 3))


def test_languages_are_read_together_by_script_that_of_the_document_first() -> None:
    assert groups(["eng", "chi_sim", "deu", "rus"]) == [("eng", "deu"), ("chi_sim",), ("rus", "eng")]
    assert groups(["eng", "chi_sim", "deu"], "zh") == [("chi_sim",), ("eng", "deu")]
    assert groups(["eng", "deu", "fra", "ita", "spa"], "es")[0] == ("spa", "eng", "deu")


def test_rapidocr_takes_the_place_of_the_data_for_chinese_and_japanese() -> None:
    assert groups(["eng", "chi_sim", "jpn", "rapid"]) == [("eng",), ("rapid",)]
    assert groups(["eng", "rapid"], "ja") == [("rapid",), ("eng",)]
    assert data.covered(["eng", "rapid"], "ja") and not data.covered(["eng"], "ja")


@pytest.mark.skipif("jpn" not in data.languages(), reason="there are no data for Japanese")
def test_a_page_in_another_script_is_read_with_its_data() -> None:
    page = pymupdf.open().new_page(width=420, height=160)
    sentence = "展望台は午前九時から午後五時まで開いています。入場料は大人六百円です。"
    for line in range(3):
        page.insert_text((30, 40 + 36 * line), sentence, fontname="japan", fontsize=11)
    content = page.get_pixmap(dpi=200).tobytes("png")
    assert "午前九時から午後五時まで" in text_of(content).replace(" ", "")


# --- beside text ---


def with_picture(width: float, *, over: str = "") -> pymupdf.Document:
    """A PDF page of text with a picture of this width in points, over which something may be written."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "A page with a text of its own, long enough to be none that was scanned.")
    box = pymupdf.Rect(72, 120, 72 + width, 120 + width * 260 / 900)
    page.insert_image(box, stream=saved(drawn(), "PNG"))
    page.insert_text((box.x0 + 10, (box.y0 + box.y1) / 2), over)
    return document


def test_large_pictures_beside_text_wait_for_text_recognition_and_others_do_not() -> None:
    def waiting(document: pymupdf.Document) -> list[int]:
        return [page.pictures for page in reading.read_whole(document.tobytes(), "a.pdf").pages]

    assert waiting(with_picture(450)) == [1]
    assert waiting(with_picture(150)) == [0]
    assert waiting(with_picture(450, over="the same words, which the layer of text has")) == [0]
    template = with_picture(450)
    for _ in range(4):
        template.insert_pdf(with_picture(450))
    assert waiting(template) == [1, 1, 0, 0, 0]


@needs_data
def test_what_stands_on_a_picture_is_marked_and_has_blocks_of_its_own() -> None:
    page = reading.recognise_beside(with_picture(450).tobytes(), 1)
    assert isinstance(page, ExtractedPage)
    assert page.text.startswith(f"Picture: {TEXT}")
    assert page.blocks[0].kind == "caption"


def show(width: float) -> bytes:
    """A presentation whose slide has a title and a picture that is so many inches wide, of ten."""
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "Timetable"
    slide.shapes.add_picture(io.BytesIO(saved(drawn(), "PNG")), Inches(1), Inches(2), Inches(width))
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


@needs_data
def test_large_pictures_on_slides_are_read_and_small_ones_are_not() -> None:
    assert [reading.read_whole(show(width), "a.pptx").pages[0].pictures for width in (7, 1)] == [1, 0]
    assert reading.recognise_beside(show(7), 1).text.startswith(f"Picture: {TEXT}")


@needs_data
def test_large_pictures_on_opendocument_slides_are_read() -> None:
    frame = f'<draw:frame {place(1, 5, 20, 6)}><draw:image xlink:href="Pictures/a.png"/></draw:frame>'
    content = presentation(slide(frame), parts={"Pictures/a.png": saved(drawn(), "PNG")})
    assert reading.read_whole(content, "a.odp").pages[0].pictures == 1, "it is accepted for its picture alone"
    assert reading.recognise_beside(content, 1).text.startswith(f"Picture: {TEXT}")


def test_a_damaged_picture_on_a_slide_loses_only_itself() -> None:
    content = show(7)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, blob in members.items():
            archive.writestr(name, b"no picture" if name.startswith("ppt/media/") else blob)
    assert reading.recognise_beside(buffer.getvalue(), 1).text == ""
