"""PDF pages: reading order, tables, headings, headers and footers, writing directions, forms, damage and scans."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest

from conftest import FILES
from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.grids import grids
from docqa.formats.pages import ExtractedPage
from docqa.formats.pdf.bidi import logical
from docqa.formats.pictures import data as tessdata
from docqa.ingest.preparation import page_chunks

PROSE = "The tenant pays the rent on the first day of each month and keeps the rooms in good order. "


def pages(document: pymupdf.Document, **options: object) -> list[ExtractedPage]:
    return reading.read_whole(document.tobytes(**options), "a.pdf").pages


def page_of(
    *lines: tuple[float, float, str], size: float = 11, font: str = "helv", rotate: int = 0
) -> pymupdf.Document:
    """A document of one page with each text at its position."""
    document = pymupdf.open()
    page = document.new_page()
    for x, y, text in lines:
        page.insert_text((x, y), text, fontsize=size, fontname=font, rotate=rotate)
    return document


def table(rows: list[list[str]], places: list[float], top: float = 100) -> list[tuple[float, float, str]]:
    return [
        (x, top + 16 * number, cell)
        for number, row in enumerate(rows)
        for x, cell in zip(places, row, strict=False)
        if cell
    ]


def dotted(lines: list[str], *, gap: float = 8, alike: bool = True) -> list[str]:
    """The blocks of a page on which a dot is drawn before each of these lines, below each other if they are `alike`."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 80), "The tenant has to do the following things, in every month of the year:")
    for at, line in enumerate(lines):
        left = 100 + (0 if alike else 50 * at)
        page.draw_circle((left - gap - 1.5, 106 + 14 * at), 1.5, fill=(0, 0, 0), width=0)
        page.insert_text((left, 110 + 14 * at), line)
    [read] = pages(document)
    return [read.text[block.start : block.end] for block in read.blocks][1:]


# --- bullets ---


def test_a_drawn_dot_before_a_line_is_its_bullet() -> None:
    duties = ["Clean the stairs", "Water the flowers in the yard and in front of", "the house"]
    assert dotted(duties) == [f"• {duty}" for duty in duties]


def test_dots_far_from_lines_or_not_below_each_other_are_none() -> None:
    assert not any("•" in block for block in dotted(["Lisbon", "Porto"], alike=False))
    assert not any("•" in block for block in dotted(["Lisbon", "Porto"], gap=30))


# --- order ---


def test_columns_are_read_one_after_the_other() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), "A title over both columns")
    page.insert_textbox((72, 100, 290, 500), "left column speaks of rent " * 30)
    page.insert_textbox((320, 100, 540, 500), "right column speaks of heat " * 30)
    [page] = pages(document)
    assert page.text.startswith("A title over both columns")
    assert page.text.index("right column") > page.text.rindex("left column")


def test_columns_that_the_file_holds_line_by_line_are_read_one_after_the_other() -> None:
    lines = []
    for number in range(12):
        lines += [
            (72, 100 + 13 * number, f"left {number} goes on with the left story"),
            (320, 100 + 13 * number, f"right {number} goes on with the right one"),
        ]
    [page] = pages(page_of(*lines))
    assert page.text.index("right 0") > page.text.index("left 11")


def test_a_page_drawn_in_disorder_is_read_along_its_white_space() -> None:
    paragraphs = [
        (x, y, f"{side} {y}: {PROSE[:40]}") for side, x in (("left", 72), ("right", 330)) for y in range(100, 700, 40)
    ]
    shuffled = paragraphs[::2][::-1] + paragraphs[1::2][::-1]
    [page] = pages(page_of(*shuffled, size=9))
    order = [line.split(":")[0] for line in page.text.split("\n") if ":" in line]
    assert order == [f"{side} {y}" for side in ("left", "right") for y in range(100, 700, 40)]


@pytest.mark.parametrize("angle", [90, 180, 270])
def test_a_rotated_page_reads_like_a_straight_one(angle: int) -> None:
    document = page_of(
        *table([["Item", "2018", "2017"], ["Goodwill", "10,051", "10,513"], ["Cash", "2,853", "3,053"]], [72, 250, 350])
    )
    straight = pages(document)[0].text
    document[0].set_rotation(angle)
    assert pages(document)[0].text == straight


@pytest.mark.parametrize("angle", [90, 270])
def test_text_written_along_the_other_edge_is_read_line_by_line(angle: int) -> None:
    lines = ("first line of it", "second line of it", "third line of it")
    step = 14 if angle == 90 else -14
    document = page_of(
        *((300 + step * number, 500 if angle == 90 else 200, line) for number, line in enumerate(lines)), rotate=angle
    )
    assert " ".join(pages(document)[0].text.split()) == " ".join(lines)


# --- words ---


def paragraph(*lines: str) -> str:
    return pages(page_of(*((72, 100 + 13 * number, line) for number, line in enumerate(lines))))[0].text


def test_a_word_hyphenated_at_the_end_of_a_line_is_rejoined() -> None:
    assert (
        paragraph("The land-", "lord repairs the roof", "of the house.")
        == "The landlord\nrepairs the roof\nof the house."
    )


def test_soft_hyphens_and_spaces_that_do_not_break_are_read_as_they_are_seen() -> None:
    document = pymupdf.open()
    page = document.new_page()
    writer = pymupdf.TextWriter(page.rect)  # it embeds a font, which keeps the characters apart
    for y, line in enumerate(
        ["A\xa0five\xadstar\xa0 hotel\xa0of\xa0120\xa0rooms", "costs\xa01\xa0200\xa0 euros.", "See\xa0Item 8 of it."]
    ):
        writer.append((72, 100 + 13 * y), line)
    writer.write_text(page)
    [read] = pages(document)
    assert read.text.split("\n") == ["A five-star hotel of 120 rooms", "costs 1\xa0200 euros.", "See\xa0Item 8 of it."]


def test_a_hyphen_that_belongs_to_the_word_stays() -> None:
    text = paragraph(
        "A well-known rule is that a well-",
        "known rule holds, in pre-",
        "and postwar times, from Baden-",
        "Baden to the sea.",
    )
    assert "a well-known\nrule" in text
    assert "pre-\nand postwar" in text
    assert "from Baden-Baden\nto" in text


def test_what_is_drawn_within_a_line_belongs_to_it() -> None:
    steps = ["Never clean the hopper in water", "Never reach into the grinder", "Never open the lid"]
    lines = [(72, 100 + 26 * number, f"> {step}") for number, step in enumerate(steps)]
    document = page_of(*(drawn for x, y, text in lines for drawn in ((x, y, text), (x + 6, y, ">"))))
    page = pages(document)[0]
    assert page.text.split("\n\n") == [f"> > {step}" for step in steps]
    assert not page.tables


def test_ligatures_are_letters() -> None:
    document = pymupdf.open()
    document.new_page().insert_htmlbox((72, 72, 500, 200), "<p>an eﬃcient ﬁrm</p>")
    assert "an efficient firm" in pages(document)[0].text


# --- tables ---

STATEMENT = [
    ["", "Years ended", ""],
    ["(Millions)", "2018", "2017"],
    ["Net sales", "32,765", "31,657"],
    ["Operating expenses", "", ""],
    ["Cost of sales", "16,682", ""],
    ["Selling expenses", "", "7,626"],
]


def test_a_number_keeps_the_place_of_its_column_where_others_are_missing() -> None:
    lines = pages(page_of(*table(STATEMENT, [72, 300, 400])))[0].text.split("\n")
    assert "(Millions)\tYears ended 2018\t2017" in lines
    assert "Cost of sales\t16,682" in lines
    assert "Selling expenses\t\t7,626" in lines
    assert "Operating expenses" in lines


def test_tables_are_looked_for_with_the_page_and_given_up_where_its_text_is_cleaned_later() -> None:
    [page] = pages(page_of(*table(STATEMENT, [72, 300, 400])))
    assert page.grids == grids(page.text) != []
    assert replace(page, text=f"\0{page.text}").cleaned().grids is None


def test_the_table_says_where_its_column_headings_end() -> None:
    [page] = pages(page_of(*table(STATEMENT, [72, 300, 400])))
    [(start, head, end)] = page.tables
    assert page.text[start:head] == "(Millions)\tYears ended 2018\t2017"
    assert page.text[:end].endswith("7,626")


def test_a_chunk_that_begins_within_a_table_knows_its_column_headings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docqa.ingest.chunking.TARGET", 700)
    rows = [
        ["(Millions)", "2018", "2017"],
        *([f"Item of the balance sheet number {n}", f"{n},765", f"{n},657"] for n in range(10, 48)),
    ]
    [page] = pages(page_of(*table(rows, [72, 300, 400], top=80)))
    pieces = page_chunks(1, page)
    assert len(pieces) > 1
    assert [chunk.columns for chunk in pieces] == ["", *["(Millions)\t2018\t2017"] * (len(pieces) - 1)]
    assert all(
        re.fullmatch(r"(\(Millions\)|Item of the balance sheet number \d+)\t[\d,]+\t[\d,]+", line)
        for chunk in pieces
        for line in chunk.text.split("\n")
    )


def test_a_currency_sign_stays_with_its_number() -> None:
    rows = table([["Cash", "$", "2,853", "$", "3,053"], ["Debt", "", "(380)", "", "1,076"]], [72, 290, 310, 390, 410])
    assert pages(page_of(*rows))[0].text == "Cash\t$ 2,853\t$ 3,053\nDebt\t(380)\t1,076"


def test_a_table_that_the_file_holds_column_by_column_has_rows() -> None:
    columns = [
        ["Item", "Cash", "Debt", "Stock"],
        ["2018", "2,853", "380", "4,366"],
        ["2017", "3,053", "1,076", "4,034"],
    ]
    lines = [(72 + 150 * x, 100 + 16 * y, cell) for x, column in enumerate(columns) for y, cell in enumerate(column)]
    assert (
        pages(page_of(*lines))[0].text == "Item\t2018\t2017\nCash\t2,853\t3,053\nDebt\t380\t1,076\nStock\t4,366\t4,034"
    )


def test_a_label_of_two_lines_is_one() -> None:
    rows = [["Name", "2018"], ["Restructuring charges and", ""], ["implementation costs", "89"], ["Other", "12"]]
    assert "Restructuring charges and implementation costs\t89" in pages(page_of(*table(rows, [72, 300])))[0].text


# --- headings, headers and footers ---


def report(count: int) -> pymupdf.Document:
    document = pymupdf.open()
    for number in range(count):
        page = document.new_page()
        page.insert_text(
            (72, 40), "Annual Report of the Society" if number % 2 else "Confidential until printed", fontsize=9
        )
        page.insert_text((72, 100), f"Chapter about topic {chr(65 + number)}", fontsize=18)
        page.insert_textbox((72, 120, 500, 700), f"Topic {chr(65 + number)} matters. " + PROSE * 5)
        page.insert_text((280, 810), f"Page {number + 1} of {count}", fontsize=9)
    return document


def test_headers_and_footers_stay_in_the_page_and_out_of_the_chunks() -> None:
    for number, page in enumerate(pages(report(12))):
        assert f"Page {number + 1} of 12" in page.text
        text = "\n".join(chunk.text for chunk in page_chunks(1, page))
        assert "Page" not in text
        assert "Annual Report" not in text and "Confidential" not in text
        assert f"Topic {chr(65 + number)} matters" in text and "Chapter about" in text


def test_a_line_on_only_two_pages_is_not_a_header() -> None:
    assert not any(page.running for page in pages(report(2)))


def test_numbered_titles_that_do_not_count_pages_are_not_headers() -> None:
    document = pymupdf.open()
    for number in (3, 7, 8, 21, 22, 40):
        page = document.new_page()
        page.insert_text((72, 50), f"Note {number}")
        page.insert_textbox(
            (72, 100, 500, 600), f"Of note {number}. " + PROSE * (3 + number % 7) + f"Note {number} ends."
        )
    assert not any(page.running for page in pages(document))


def test_the_title_of_a_section_before_or_below_behind_the_number_of_the_page_is_a_header() -> None:
    document, footers = pymupdf.open(), []
    for number, title in enumerate(("1.1. Mills", "1.2. Ferries", "2.1. Schools", "2.2. Halls", "3. Fairs", "4. Dogs")):
        footers.append(f"{title} {number + 4}" if number % 2 else f"{number + 4} {title}")
        page = document.new_page()
        page.insert_text((72, 40), f"{number + 1} {title}")  # as the number and title of a chapter
        page.insert_textbox((72, 100, 500, 600), PROSE * 5)
        page.insert_text((72, 810), footers[-1], fontsize=9)
    assert [[page.text[slice(*span)] for span in page.running] for page in pages(document)] == [
        [footer] for footer in footers
    ]


def test_lines_at_the_edge_that_repeat_titles_of_the_outline_are_headers_and_name_what_follows() -> None:
    lines = [
        "1 The mill",
        "CHAPTER 1. THE MILL 1.2. ITS WHEEL",
        "CHAPTER 1. THE MILL 1.2. ITS WHEEL 2",
        "Its wheel and its stones",
        "Figure 2. Its wheel",
        "CHAPTER 1. THE MILL 1.3. Costs",
        "Costs",
    ]
    document = pymupdf.open()
    for line in lines:
        page = document.new_page()
        page.insert_text((72, 40), line)
        page.insert_textbox((72, 100, 500, 700), f"{PROSE * 5} So much for {line[::-1]}.")
    document.set_toc([[1, "The mill", 1], [2, "Its wheel", 1], [2, "Costs", 6], [1, "The ferry", 7], [2, "Costs", 7]])
    read = pages(document)
    assert [[page.text[slice(*span)] for span in page.running] for page in read] == [
        [line] if line.startswith("CHAPTER") else [] for line in lines
    ]
    assert [page.section for page in read[1:3]] == ["CHAPTER 1. THE MILL 1.2. ITS WHEEL"] * 2
    assert read[5].section == "Costs"  # which begins there


@pytest.mark.parametrize(
    ("parts", "is_bold"),
    [([("hebo", "Opening the lock")], True), ([("helv", "You can run "), ("hebo", "open --the lock")], False)],
)
def test_a_line_that_begins_in_plain_type_is_no_bold_heading(parts: list[tuple[str, str]], is_bold: bool) -> None:
    document = written(*[(11, "helv", FULL)] * 3, (11, "helv", REST), top=140)
    left = 72.0
    for font, text in parts:
        document[0].insert_text((left, 110), text, fontname=font)
        left += pymupdf.get_text_length(text, font)
    assert ("heading" in [kind for kind, _ in blocks_of(document)]) is is_bold


def test_pages_of_nothing_but_the_same_line_keep_it() -> None:
    document = pymupdf.open()
    for _ in range(5):
        document.new_page().insert_text((72, 50), "This page is left blank")
    assert not any(page.running for page in pages(document))


def headed(*headers: str) -> pymupdf.Document:
    document = pymupdf.open()
    for number, header in enumerate(headers, 1):
        page = document.new_page()
        page.insert_text((72, 40), header)
        page.insert_textbox((72, 100, 500, 700), f"Of page {number}. " + PROSE * 5)
        page.insert_text((280, 810), str(number))
    return document


def test_the_header_of_some_pages_is_the_section_of_their_text() -> None:
    parts = [*["The mill at Bramleigh"] * 3, *["12 | The dairy at Norwell"] * 4]
    assert [page.section for page in pages(headed(*parts))] == [
        *["The mill at Bramleigh"] * 3,
        *["The dairy at Norwell"] * 4,
    ]
    assert [page.section for page in pages(headed(*["The mill"] * 12, *["The dairy"] * 12))] == [
        *[""] * 5,  # the other title is too far away to be seen
        *["The mill"] * 7,
        *["The dairy"] * 12,
    ]


def test_a_heading_counts_more_than_the_header_of_its_part_until_the_next_part() -> None:
    document = headed(*["The mill"] * 4, *["The dairy"] * 4)
    document.set_toc([[1, "Rent of the mill", 2]])
    assert [page.section for page in pages(document)] == [
        *("The mill", "Rent of the mill", "Rent of the mill", "Rent of the mill"),
        *["The dairy"] * 4,
    ]


@pytest.mark.parametrize(
    "headers",
    [["Annual report"] * 8, ["Annual report", "Confidential"] * 5, ["Annual report"] * 6 + ["A last remark"]],
    ids=["of the whole", "of left and right pages", "of all but one page"],
)
def test_a_header_that_names_no_part_is_no_section(headers: list[str]) -> None:
    assert {page.section for page in pages(headed(*headers))} == {""}


def test_larger_letters_are_section_titles() -> None:
    chapters = pages(report(3))
    assert [page.headings[0][1] for page in chapters] == [f"Chapter about topic {letter}" for letter in "ABC"]
    [first, *_] = page_chunks(1, chapters[1])
    assert first.section == "Chapter about topic B"


def test_a_title_of_the_outline_is_found_on_its_page() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_textbox((72, 72, 500, 300), PROSE * 6)
    page.insert_text((72, 400), "Duties of the landlord")
    page.insert_textbox((72, 430, 500, 700), PROSE * 6)
    document.set_toc([[1, "Duties of the landlord", 1]])
    [page] = pages(document)
    [(place, title)] = page.headings
    assert (title, page.section) == ("Duties of the landlord", "")
    assert page.text[place:].startswith("Duties of the landlord")


# --- right to left ---


def placed(visual: str, width: float = 6.0) -> list[tuple[str, float, float]]:
    """The characters of a line and their positions, from left to right."""
    return [(character, width * place, width * (place + 1)) for place, character in enumerate(visual)]


@pytest.mark.parametrize(
    ("visual", "read"),
    [
        ("םולש", "שלום"),
        ("93,516 דבוע", "עובד 93,516"),
        (".3.5% לש היילע", "עלייה של 3.5%."),
        (".word ןאכ an English", "an English כאן word."),
        ("see םולש here", "see שלום here"),
        ("(ןאכ) םולש", "שלום (כאן)"),
        (")ןאכ( םולש", "שלום (כאן)"),
        ("2018-2017 םינש", "שנים 2018-2017"),
    ],
)
def test_a_line_that_runs_from_right_to_left_is_read_so(visual: str, read: str) -> None:
    assert [text for text, _, _ in logical(placed(visual), 6.0)] == [read]


def test_the_order_in_which_characters_were_drawn_does_not_matter() -> None:
    assert logical(placed("םולש")[::-1], 6.0)[0][0] == "שלום"


def test_marks_stay_on_their_letter() -> None:
    line = [("ב", 6.0, 12.0), ("\u05bc", 12.0, 12.0), ("\u05b8", 12.0, 12.0), ("א", 0.0, 6.0)]
    assert logical(line, 6.0)[0][0] == "ב\u05bc\u05b8א"


def test_a_wide_gap_separates_two_cells() -> None:
    line = [*placed("2018"), *((character, left + 60, right + 60) for character, left, right in placed("ףיעס"))]
    assert [text for text, _, _ in logical(line, 6.0)] == ["2018", "סעיף"]


def test_an_arabic_report_printed_by_a_browser() -> None:
    [page] = reading.read_whole((FILES / "arabic.pdf").read_bytes(), "arabic.pdf").pages
    assert "ويعمل فيها نحو 93,516 موظفا حول العالم." in page.text
    assert "(بزيادة 3.5%)" in page.text
    assert "الأرباح\t5,363\t4,869" in page.text
    assert "The Arabic word مرحبا means hello in English (لغة)." in page.text


def test_a_hebrew_report_printed_by_a_browser() -> None:
    [page] = reading.read_whole((FILES / "hebrew.pdf").read_bytes(), "hebrew.pdf").pages
    assert page.headings == ((0, "דוח שנתי של החברה"),)
    assert "בחברה עובדים כ-93,516 עובדים ברחבי העולם." in page.text
    assert "רווח\t5,363\t4,869" in page.text


# --- forms, remarks, attachments ---


def test_what_was_filled_in_or_ticked_is_read_with_its_label() -> None:
    document = pymupdf.open()
    page = document.new_page()
    for number, (kind, label, value) in enumerate(
        [
            (pymupdf.PDF_WIDGET_TYPE_TEXT, "City", "Tromsø"),
            (pymupdf.PDF_WIDGET_TYPE_CHECKBOX, "Heated", True),
            (pymupdf.PDF_WIDGET_TYPE_CHECKBOX, "Furnished", False),
        ]
    ):
        field = pymupdf.Widget()
        field.field_type, field.field_name, field.field_label, field.field_value = kind, f"f{number}", label, value
        field.rect = pymupdf.Rect(50, 50 + 40 * number, 200, 70 + 40 * number)
        page.add_widget(field)
    [page] = pages(document)
    assert "Tromsø" in page.text
    assert "Heated" in page.text
    assert "Furnished" not in page.text


def test_annotations_are_read() -> None:
    document = page_of((72, 100, "The rent is due monthly."))
    document[0].add_text_annot((200, 90), "Ask for a discount")
    assert pages(document)[0].text == "The rent is due monthly.\n\nAsk for a discount"


def test_attached_files_are_not_read_and_the_notes_say_so() -> None:
    document = page_of((72, 100, "See the attachment."))
    document.embfile_add("other.txt", b"words of another file")
    extracted = reading.read_whole(document.tobytes(), "a.pdf")
    assert "another file" not in extracted.pages[0].text
    assert extracted.notes == ["The PDF carries 1 attached file, which is not read; upload it separately."]


# --- damage ---


def test_a_damaged_page_loses_only_itself() -> None:
    document = report(4)
    document.xref_set_key(document[1].xref, "Contents", "null")
    data = document.tobytes()
    kids = re.search(rb"/Kids\s*\[([^\]]*)\]", data)
    assert kids
    second = re.findall(rb"\d+ 0 R", kids.group(1))[1]
    broken = data.replace(b"\n" + second.split()[0] + b" 0 obj", b"\n" + second.split()[0] + b" 0 obX")
    extracted = reading.read_whole(broken, "a.pdf")
    assert sum("Chapter about topic" in page.text for page in extracted.pages) == 3


def test_text_that_is_too_small_to_have_a_size_is_read() -> None:
    document = page_of((72, 100, "Well 4"), size=20)
    document[0].insert_text((72, 110), "Its pump was repaired in May. " * 4, fontsize=0.04)
    [page] = reading.read_whole(document.tobytes(), "a.pdf").pages
    assert "Well 4" in page.text and "repaired in May" in page.text


def test_the_pages_of_a_file_whose_index_is_broken_are_found() -> None:
    data = report(3).tobytes()
    assert len(reading.read_whole(re.sub(rb"startxref\s+\d+", b"startxref\n7", data), "a.pdf").pages) == 3


# --- scans ---


def scan(text: str, count: int = 1) -> pymupdf.Document:
    """A document whose pages show their text as a picture."""
    picture = page_of((72, 150, text), size=20)[0].get_pixmap(dpi=150)
    document = pymupdf.open()
    for _ in range(count):
        page = document.new_page()
        page.insert_image(page.rect, pixmap=picture)
    return document


@pytest.fixture
def no_tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    yield


def test_without_text_recognition_a_scan_is_refused_with_what_to_install(no_tesseract: None) -> None:
    with pytest.raises(
        Unreadable, match=r"no text on any of its 3 pages: the PDF is scanned\. Run `python run\.py ocr add en`"
    ):
        pages(scan("Rent is due", 3))


def test_a_blank_pdf_is_not_a_scan(no_tesseract: None) -> None:
    document = pymupdf.open()
    document.new_page()
    with pytest.raises(Unreadable, match="no text on its only page: nothing is shown there"):
        pages(document)


def test_a_partly_scanned_pdf_marks_the_pages_that_were_not_read(no_tesseract: None) -> None:
    document = scan("Rent is due")
    document.new_page().insert_text((72, 72), PROSE)
    document.new_page()
    assert [page.unread for page in pages(document)] == [True, False, False]


def test_a_scan_with_a_stamp_over_it_is_a_scan(no_tesseract: None) -> None:
    document = scan("Rent is due")
    document[0].insert_text((400, 820), "Exhibit 7")
    document.new_page().insert_text((72, 72), PROSE)
    assert [page.unread for page in pages(document)] == [True, False]


@pytest.mark.skipif(not tessdata.languages(), reason="Tesseract's language data are not installed")
def test_a_scanned_page_is_recognised() -> None:
    page = reading.recognise(scan("Rent is due on the first day").tobytes(), 1, tessdata.languages()[0])
    assert "Rent is due on the first day" in page.text


# --- blocks ---


def blocks_of(document: pymupdf.Document, number: int = 0) -> list[tuple[str, str]]:
    page = pages(document)[number]
    return [(block.kind, " ".join(page.text[block.start : block.end].split())) for block in page.blocks]


def written(*lines: tuple[float, str, str], left: float = 72, top: float = 100) -> pymupdf.Document:
    """A page of lines right below each other: (size, font, text)."""
    document = pymupdf.open()
    page = document.new_page()
    for size, font, text in lines:
        page.insert_text((left, top), text, fontsize=size, fontname=font)
        top += 1.3 * size
    return document


FULL = "The tenant pays the rent on the first day of each month and keeps the rooms in"
REST = "good order."


def test_a_bold_line_above_a_text_of_the_same_size_is_a_heading() -> None:
    assert blocks_of(
        written(
            (11, "hebo", "Duties"), (11, "helv", FULL), (11, "helv", REST), (11, "hebo", "Rights"), (11, "helv", REST)
        )
    ) == [
        ("heading", "Duties"),
        ("paragraph", f"{FULL} {REST}"),
        ("heading", "Rights"),
        ("paragraph", REST),
    ]


def test_emphasis_within_a_text_and_a_text_that_is_all_bold_are_no_headings() -> None:
    assert "heading" not in [
        kind
        for kind, _ in blocks_of(
            written((11, "helv", FULL), (11, "hebo", "unless agreed otherwise in"), (11, "helv", "writing."))
        )
    ]
    assert "heading" not in [kind for kind, _ in blocks_of(written(*[(11, "hebo", FULL)] * 3, (11, "hebo", REST)))]


def test_the_size_of_a_heading_tells_its_level() -> None:
    document = written((22, "helv", "The lease"), (14, "helv", "Its end"), *[(11, "helv", FULL)] * 6)
    [page] = pages(document)
    assert [(block.kind, block.level) for block in page.blocks[:2]] == [("heading", 1), ("heading", 3)]


def test_items_go_on_until_the_next_mark() -> None:
    lines = [f"• {FULL}", REST, "• Second", "1. First", "2. Second"]
    assert blocks_of(written(*[(11, "helv", line.replace("•", "-")) for line in lines])) == [
        ("item", f"- {FULL} {REST}"),
        ("item", "- Second"),
        ("item", "1. First"),
        ("item", "2. Second"),
    ]


def test_entries_of_a_table_of_contents_are_boilerplate_though_their_lines_are_full_and_a_page_number_follows() -> None:
    lines = [
        f"{title} {'.' * (100 - len(title))} {page}" for title, page in (("Mill", 3), ("Ferry", 7), ("School", 12))
    ]
    document = written(*[(11, "helv", line) for line in lines])
    document[0].insert_text((300, 800), "iv", fontsize=11)
    assert blocks_of(document) == [("boilerplate", text) for text in (*lines, "iv")]


def test_bullets_in_a_column_of_their_own_make_no_table() -> None:
    lines = [
        (x, 100 + 16 * n, text)
        for n, words in enumerate(("tea is green", "milk is cold", "cake is dry"))
        for x, text in ((72, "-"), (90, words))
    ]
    assert blocks_of(page_of(*lines)) == [
        ("item", "- tea is green"),
        ("item", "- milk is cold"),
        ("item", "- cake is dry"),
    ]


def test_footnotes_are_small_and_at_the_foot() -> None:
    document = written(*[(11, "helv", FULL)] * 4, (11, "helv", REST))
    document[0].insert_text((72, 760), "1 In force since May.", fontsize=8)
    assert blocks_of(document)[-1] == ("note", "1 In force since May.")


def test_terms_head_explanations_that_are_set_in() -> None:
    entries = [
        ("Lender", "Whoever lends the money, for as long as the contract says."),
        ("Borrower", "Whoever receives it at first."),
    ]
    lines = [
        (72 + 36 * place, 300 + 40 * n + 14 * place, text)
        for n, entry in enumerate(entries)
        for place, text in enumerate(entry)
    ]
    document = page_of((72, 100, FULL), (72, 114, REST), *lines)
    assert blocks_of(document)[1:] == [
        (kind, text) for entry in entries for kind, text in zip(("heading", "paragraph"), entry, strict=True)
    ]
    assert "heading" not in [kind for kind, _ in blocks_of(page_of((72, 100, FULL), (72, 114, REST), *lines[:2]))]


def test_a_title_of_the_outline_is_a_heading_of_its_level() -> None:
    document = written(
        (11, "helv", FULL), (11, "helv", REST), (11, "helv", "A. Duties"), (11, "helv", FULL), (11, "helv", REST)
    )
    document.set_toc([[1, "The lease", 1], [2, "Duties", 1]])
    [page] = pages(document)
    assert [(page.text[block.start : block.end], block.level) for block in page.blocks if block.kind == "heading"] == [
        ("A. Duties", 2)
    ]


def test_running_lines_and_page_numbers_are_boilerplate_and_table_lines_rows() -> None:
    document = report(12)
    for x, y, cell in table(
        [["Item", "2018", "2017"], ["Cash", "2,853", "3,053"], ["Debt", "380", "1,076"]], [72, 300, 400], top=740
    ):
        document[5].insert_text((x, y), cell)
    kinds = [kind for kind, _ in blocks_of(document, 5)]
    assert kinds.count("boilerplate") == 2 and kinds.count("row") == 3


def test_lines_that_end_early_end_a_paragraph() -> None:
    assert blocks_of(
        written(
            (11, "helv", FULL),
            (11, "helv", REST),
            (11, "helv", "Mill Lane 12"),
            (11, "helv", "Bramleigh"),
            (11, "helv", FULL),
        )
    ) == [
        ("paragraph", f"{FULL} {REST}"),
        ("paragraph", "Mill Lane 12"),
        ("paragraph", "Bramleigh"),
        ("paragraph", FULL),
    ]
