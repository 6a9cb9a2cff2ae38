"""Readers: what comes out of a document, what is refused and with which sentence, and that a hostile file costs only its child."""

import asyncio
import io
import os
import signal
import time
import zipfile

import pptx
import pymupdf
import pytest

from docqa.errors import Unreadable
from docqa.extract import SUFFIXES, ExtractedPage, extract, kinds, reading
from docqa.extract import read as read_path
from docqa.extract.encoding import decode
from docqa.extract.pages import clean, cut, paginate

LIMITS = {"seconds": 20.0, "memory_mb": 1024}
CHAPTER = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{0}</title></head><body><h1>{0}</h1><p>{1}</p></body></html>'


def make_pdf(*texts: str, password: str = "", outline: list[list[object]] | None = None) -> bytes:
    document = pymupdf.open()
    for text in texts:
        document.new_page().insert_text((72, 72), text)
    if outline:
        document.set_toc(outline)
    locked = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": password, "owner_pw": "owner" + password} if password else {}
    return bytes(document.tobytes(**locked))


def make_zip(members: dict[str, bytes | str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def make_epub(chapters: list[tuple[str, str]], extra: dict[str, bytes | str] | None = None) -> bytes:
    numbers = range(len(chapters))
    items = "".join(f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in numbers)
    spine = "".join(f'<itemref idref="c{n}"/>' for n in numbers)
    metadata = '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A Book</dc:title></metadata>'
    return make_zip(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="o/b.opf" '
            'media-type="application/oebps-package+xml"/></rootfiles></container>',
            "o/b.opf": f'<package xmlns="http://www.idpf.org/2007/opf" version="3.0">{metadata}<manifest>{items}</manifest><spine>{spine}</spine></package>',
            **{f"o/c{n}.xhtml": CHAPTER.format(*chapters[n]) for n in numbers},
            **(extra or {}),
        }
    )


def make_pptx() -> bytes:
    deck = pptx.Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "Budget"
    first.placeholders[1].text = "Rent rises"
    group = first.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, 9, 9).text_frame.text = "inside a group"
    first.notes_slide.notes_text_frame.text = "say it slowly"
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "Costs"
    table = second.shapes.add_table(2, 2, 0, 0, 9, 9).table
    for row, column, text in ((0, 0, "Item"), (0, 1, "Price"), (1, 0, "Desk"), (1, 1, "120")):
        table.cell(row, column).text = text
    packed = io.BytesIO()
    deck.save(packed)
    return packed.getvalue()


def texts(data: bytes, name: str, media_type: str = "") -> list[str]:
    return [page.text for page in reading.read_whole(data, name, media_type).pages]


def refusal(data: bytes, name: str, media_type: str = "") -> str:
    with pytest.raises(Unreadable) as caught:
        reading.read_whole(data, name, media_type)
    return str(caught.value)


# --- pages -------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "a", "word " * 4000, "x" * 10_000, "One. Two! " * 900, "line\n" * 3000, "a\n\n" * 5000, "p\f" * 9, "句子。" * 4000])
def test_cutting_loses_nothing(text: str) -> None:
    assert "".join(cut(text)) == text


def test_pages_end_with_a_paragraph_if_they_can() -> None:
    paragraph = "A sentence of some length that says little. " * 9 + "\n\n"
    pages = list(paginate(paragraph * 30))
    assert len(pages) > 3
    assert all(page.text.endswith("\n\n") and 1500 <= len(page.text) <= 4000 for page in pages)


def test_form_feeds_are_page_breaks_and_empty_pages_count() -> None:
    assert [page.text for page in paginate("one\f\fthree")] == ["one", "", "three"]


def test_a_page_knows_the_heading_it_starts_under() -> None:
    text = "Start\n\n" + "a b c. " * 500 + "\n\nEnd\n\n" + "d e f. " * 1000
    sections = [page.section for page in paginate(text, [(0, "Start"), (text.index("End"), "End")])]
    assert sections[0] == "Start"
    assert sections[-1] == "End"


def test_text_leaves_as_valid_utf8() -> None:
    assert clean("a\0b\ud800c\ud83d\ude00\r\nd\re") == "ab\ufffdc😀\nd\ne"


# --- text and tables ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Größe: 5 €", "utf-8-sig"), ("Größe – 5 €", "cp1252"), ("Die Straße führt übers Feld", "iso8859-1"), ("naïve", "utf-16"), ("naïve text", "utf-16-le"), ("plain", "utf-16-be"),
        ("Первое мая — праздник весны и труда", "cp1251"), ("Первое мая праздник весны и труда", "koi8-r"), ("Zażółć gęślą jaźń", "cp1250"),
        ("Zażółć gęślą jaźń", "iso8859-2"), ("Příliš žluťoučký kůň úpěl", "cp1250"), ("שלום לכל הקוראים של הספר", "cp1255"), ("Καλημέρα σε όλους τους φίλους", "cp1253"),
        ("اللغة العربية من أكثر اللغات", "cp1256"), ("これは日本語の文章です。", "cp932"), ("これは日本語の文章です。", "euc_jp"), ("これは日本語です。", "iso2022_jp"),
        ("我们在这里说中国的话，他们也是。", "gb18030"), ("我們在這裡說中國的話，他們也是。", "big5"), ("이것은 한국어로 쓴 글입니다.", "cp949"), ("Işık ağaçların üstünde", "cp1254"),
    ],
)  # fmt: skip
def test_legacy_encodings_are_recognised(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_a_declared_charset_is_believed_only_where_it_can_be_true() -> None:
    assert decode("größer".encode("cp1250"), "windows-1250") == "größer"
    assert decode("größer".encode(), "windows-1250") == "größer"
    assert decode("größer".encode("cp1252"), "no-such-charset") == "größer"


def test_a_few_broken_bytes_do_not_turn_utf8_into_something_else() -> None:
    text = "Über größere Flüsse führen häufig schöne Brücken. " * 20
    assert decode(text.encode() + b"\xff") == text + "\ufffd"


def test_plain_text_is_kept_exactly() -> None:
    assert texts(b"  a\t b\r\n\r\n\r\nc  ", "n.txt") == ["  a\t b\n\n\nc  "]


def test_random_bytes_are_no_text() -> None:
    assert "not text" in refusal(bytes(range(256)) * 40, "noise.txt")


def test_each_row_of_a_table_is_understood_alone() -> None:
    assert texts(b"Name,City\nAda,London\nAlan,Wilmslow\n", "p.csv") == [
        "Name,City".replace(",", "; ") + "\nName: Ada; City: London\nName: Alan; City: Wilmslow\n"
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_found(delimiter: str) -> None:
    rows = "\n".join(delimiter.join(row) for row in (("id", "remark"), ("1", "one"), ("2", "two")))
    assert "id: 2; remark: two" in texts(rows.encode(), "t.csv")[0]


def test_semicolons_win_over_decimal_commas() -> None:
    assert "preis: 1,50; menge: 2,5" in texts(b"preis;menge\n1,50;2,5\n3,10;4,0\n", "t.csv")[0]


def test_quoted_line_breaks_stay_in_their_row() -> None:
    assert texts(b'a,b\n1,"x\n""y"" z"\n', "t.csv") == ['a; b\na: 1; b: x "y" z\n']


def test_a_title_above_the_column_names_stays_a_line() -> None:
    assert texts(b"Squares,,\n,,\nNumber,Square,Odd\n1,1,yes\n2,4,no\n", "t.csv") == [
        "Squares\nNumber; Square; Odd\nNumber: 1; Square: 1; Odd: yes\nNumber: 2; Square: 4; Odd: no\n"
    ]


def test_a_table_without_column_names_keeps_its_first_row() -> None:
    assert texts(b"1,2\n3,4\n", "t.csv") == ["1; 2\n3; 4\n"]


# --- documents ---------------------------------------------------------------------------------------------------------------------


def test_pdf_pages_carry_their_text_and_section() -> None:
    found = reading.read_whole(make_pdf("first words", "second words", "third", outline=[[1, "Intro", 1], [1, "Main", 3]]), "a.pdf")
    assert [page.text.strip() for page in found.pages] == ["first words", "second words", "third"]
    assert [page.section for page in found.pages] == ["Intro", "Intro", "Main"]


def test_the_cells_of_a_pdf_table_row_stand_on_one_line_but_columns_stay_apart() -> None:
    document = pymupdf.open()
    page = document.new_page()
    for row, cells in enumerate((("Item", "2018", "2017"), ("Goodwill", "10,051", "10,513"))):
        for column, cell in enumerate(cells):
            page.insert_text((72 + 150 * column, 100 + 16 * row), cell)
    page.insert_textbox((72, 300, 250, 500), "left column " * 20)
    page.insert_textbox((300, 300, 480, 500), "right column " * 20)
    text = texts(document.tobytes(), "t.pdf")[0]
    assert "Goodwill 10,051 10,513" in text
    assert text.index("right column") > text.rindex("left column")


def test_pdf_form_values_are_read() -> None:
    document = pymupdf.open()
    page = document.new_page()
    field = pymupdf.Widget()
    field.field_type, field.field_name, field.field_value, field.rect = pymupdf.PDF_WIDGET_TYPE_TEXT, "city", "Tromsø", pymupdf.Rect(50, 50, 200, 70)
    page.add_widget(field)
    assert "Tromsø" in texts(document.tobytes(), "form.pdf")[0]


def test_a_pdf_is_known_by_its_content_whatever_its_name() -> None:
    assert reading.read_whole(make_pdf("hello"), "hello.txt").kind == "pdf"


def test_locked_pdf_is_refused_unless_its_password_is_empty() -> None:
    assert "password-protected" in refusal(make_pdf("secret", password="open sesame"), "a.pdf")
    document = pymupdf.open(stream=make_pdf("readable"))
    assert "readable" in texts(document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner"), "a.pdf")[0]


def test_a_scanned_pdf_says_how_many_pages_hold_no_text() -> None:
    assert "any of its 12 pages: the PDF is scanned" in refusal(make_pdf(*[""] * 12), "scan.pdf")


def test_a_pdf_cut_in_the_middle_is_read_or_refused() -> None:
    data = make_pdf("one", "two")
    assert "damaged" in refusal(data[:60], "a.pdf")


def test_slides_groups_tables_and_notes_are_read_in_order() -> None:
    found = reading.read_whole(make_pptx(), "d.pptx")
    assert [page.section for page in found.pages] == ["Budget", "Costs"]
    assert found.pages[0].text == "Budget\n\nRent rises\n\ninside a group\n\nsay it slowly"
    assert found.pages[1].text == "Costs\n\nItem | Price\nDesk | 120"


def test_a_truncated_pptx_is_refused() -> None:
    data = make_pptx()
    assert "damaged" in refusal(data[: len(data) // 2], "d.pptx")


def test_chapters_of_a_book_follow_its_spine() -> None:
    found = reading.read_whole(make_epub([("One", "Call me Ishmael."), ("Two", "It was the best of times.")]), "b.epub")
    assert found.title == "A Book"
    assert found.pages == [ExtractedPage("One\n\nCall me Ishmael.", "One"), ExtractedPage("Two\n\nIt was the best of times.", "Two")]


def test_locked_books_are_refused_but_obfuscated_fonts_do_not_matter() -> None:
    entry = '<encryption><EncryptedData><EncryptionMethod Algorithm="{}"/></EncryptedData></encryption>'
    font = make_epub([("One", "text")], {"META-INF/encryption.xml": entry.format("http://www.idpf.org/2008/embedding")})
    assert "text" in texts(font, "b.epub")[0]
    locked = make_epub([("One", "text")], {"META-INF/encryption.xml": entry.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc")})
    assert "DRM" in refusal(locked, "b.epub")


def test_external_entities_are_not_followed() -> None:
    chapter = f'<!DOCTYPE html [<!ENTITY x SYSTEM "file://{__file__}">]><html xmlns="http://www.w3.org/1999/xhtml"><body><p>before &x; after</p></body></html>'
    text = "\n".join(texts(make_epub([("One", "text")], {"o/c0.xhtml": chapter}), "b.epub"))
    assert "before" in text
    assert "hostile file costs only" not in text


def test_decompression_bombs_are_refused_before_they_are_unpacked() -> None:
    assert "decompression bomb" in refusal(make_epub([("One", "x")], {"o/big.xhtml": b" " * 60_000_000}), "b.epub")


def test_rtf_code_pages_unicode_and_footnotes() -> None:
    source = rb"{\rtf1\ansi\ansicpg1250\deff0{\fonttbl{\f0\fcharset238 Arial;}}\f0 Za\'bf\'f3\'b3\'e6 \u8364? end{\footnote note text}\par}"
    text = texts(source, "a.rtf")[0]
    assert "Zażółć € end" in text
    assert "note text" in text


ARTICLE = (
    "<p>"
    + "</p><p>".join(f"Paragraph {n} tells at some length, with commas, what an article about rivers, lakes and seas has to say." for n in range(9))
    + "</p>"
)


def test_web_pages_give_their_article_and_title() -> None:
    page = f"<html><head><title>Rivers</title></head><body><nav><a href=/>Home</a></nav><article><h2>Waters</h2>{ARTICLE}</article><footer>Imprint</footer></body></html>"
    found = reading.read_whole(page.encode(), "x", "text/html")
    assert (found.kind, found.title) == ("html", "Rivers")
    assert "Paragraph 0 tells" in found.pages[0].text
    assert "\n\nParagraph 8 tells" in found.pages[0].text
    assert "Imprint" not in found.pages[0].text
    assert "Home" not in found.pages[0].text


def test_a_page_without_an_article_gives_all_its_text() -> None:
    text = texts(b"<html><body><h1>Menu</h1><ul><li>Soup</li><li>Bread</li></ul><table><tr><td>Tea</td><td>2</td></tr></table></body></html>", "m", "text/html")
    assert text == ["Menu\n\nSoup\nBread\n\nTea | 2"]


def test_the_charset_comes_from_the_server_the_page_or_the_bytes() -> None:
    page = "<html><body><p>größer als Zürich</p></body></html>"
    assert "größer" in texts(page.encode("cp1252"), "x", "text/html; charset=ISO-8859-1")[0]
    assert "größer" in texts(page.replace("<body>", "<meta charset=iso-8859-15><body>").encode("iso8859-15"), "x", "text/html")[0]
    assert "größer" in texts(page.encode(), "x", "text/html; charset=windows-1251")[0]


def test_deep_and_wide_html_is_survived() -> None:
    assert "end" in texts(b"<html><body>" + b"<div>" * 400 + b"</div>" * 400 + b"<p>end</p>", "x", "text/html")[0]
    assert "no text" in refusal(b"<html><body>" + b"<div>" * 5_000, "x", "text/html")
    attributes = b" ".join(b'a%d="1"' % n for n in range(20_000))
    assert "end" in texts(b"<html><body><div " + attributes + b"><p>end</p></div>", "x", "text/html")[0]


# --- refusals ----------------------------------------------------------------------------------------------------------------------


def test_unsupported_files_are_told_what_is_supported() -> None:
    message = refusal(b"hello", "letter.docx")
    assert ".docx are not supported" in message
    assert all(suffix in message for suffix in SUFFIXES)


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        (b"", "a.pdf", "empty"),
        (b" \n\0", "a.txt", "empty"),
        (b"<!DOCTYPE html><html></html>", "a.html", ".html are not supported"),
        (b"<!DOCTYPE html><html><body>Log in</body></html>", "a.pdf", "it is an HTML page"),
        (b"\x89PNG\r\n\x1a\n" + b"x" * 99, "a.pdf", "it is a PNG picture"),
        (b"plain", "a.epub", "not a .epub file"),
        (make_zip({"word/document.xml": "x"}), "a.docx", "Word"),
        (make_zip({"readme": "x"}), "a.epub", "ZIP archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "a.pptx", "password-protected"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "PowerPoint Document".encode("utf-16-le"), "a.ppt", "damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.doc", "no PowerPoint"),
        (b"<html></html>", "x", "not known"),
    ],
)
def test_refusals_say_why(data: bytes, name: str, words: str) -> None:
    assert words in refusal(data, name)


@pytest.mark.parametrize(
    ("data", "name", "media_type", "kind"),
    [
        (b"<!doctype html><p>hi", "page.aspx", "application/octet-stream", "html"),
        (b"a;b\n1;2\n", "export", "text/csv", "csv"),
        (b"# Title", "readme.md", "text/markdown", "txt"),
        (b"a;b\n1;2\n", "export.csv", "text/plain", "csv"),
        (b"<html>Log in", "paper.pdf", "application/pdf", "html"),
        (b"<p>source code", "notes.txt", "", "txt"),
    ],
)
def test_a_link_is_what_its_content_and_media_type_say(data: bytes, name: str, media_type: str, kind: str) -> None:
    assert kinds.detect(data, name, media_type) == kind


def test_a_link_to_something_else_names_its_media_type() -> None:
    assert "image/webp are not supported" in refusal(b"RIFF....WEBP", "picture.php", "image/webp")


def test_every_supported_suffix_has_a_reader() -> None:
    assert {suffix[1:] for suffix in SUFFIXES} | {"html"} == set(reading.READERS)
    assert kinds.SUFFIXES is SUFFIXES


# --- the child process -------------------------------------------------------------------------------------------------------------


@pytest.mark.anyio
async def test_a_file_comes_back_through_the_child() -> None:
    found = await extract(make_pdf("through the pipe", "page two"), "a.pdf", **LIMITS)
    assert (found.kind, [page.text.strip() for page in found.pages]) == ("pdf", ["through the pipe", "page two"])


@pytest.mark.anyio
async def test_the_child_gives_the_reason_and_the_field() -> None:
    with pytest.raises(Unreadable) as caught:
        await extract(b"", "a.pdf", loc=("query", "url"), **LIMITS)
    assert caught.value.detail() == [{"loc": ["query", "url"], "msg": "The file is empty.", "type": "unreadable"}]


def endless_pdf() -> bytes:
    """Form XObjects that call each other twenty times, eight levels deep: more work than anyone has time for."""
    bodies = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"]
    bodies.append(b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >> >>")
    bodies.append(b"<< /Length 5 >>\nstream\n/F Do\nendstream")
    for number in range(5, 13):
        call = b"/F Do " * 20
        bodies.append(
            b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F %d 0 R >> >> /Length %d >>\nstream\n%s\nendstream"
            % (number + 1, len(call), call)
        )
    bodies.append(b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 2 >>\nstream\nq Q\nendstream")
    return b"%PDF-1.4\n" + b"".join(b"%d 0 obj\n%s\nendobj\n" % item for item in enumerate(bodies, 1)) + b"trailer << /Root 1 0 R >>\n%%EOF"


@pytest.mark.anyio
async def test_a_file_that_takes_too_long_is_given_up() -> None:
    start = time.monotonic()
    with pytest.raises(Unreadable, match=r"longer than 1 s"):
        await extract(endless_pdf(), "a.pdf", seconds=1, memory_mb=2048)
    assert time.monotonic() - start < 5


@pytest.mark.anyio
@pytest.mark.skipif(os.name == "nt", reason="Windows has no address space limit")
async def test_a_file_that_needs_too_much_memory_is_given_up() -> None:
    with pytest.raises(Unreadable, match=r"more than 256 MB"):
        await extract("ж ".encode() * 60_000_000, "a.txt", seconds=30, memory_mb=256)


@pytest.mark.anyio
@pytest.mark.skipif(not os.path.isdir("/proc"), reason="needs /proc to see the children")
async def test_a_cancelled_task_leaves_no_child_behind() -> None:
    task = asyncio.create_task(extract(endless_pdf(), "a.pdf", seconds=60, memory_mb=2048))
    while not children():
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not children()


@pytest.mark.anyio
@pytest.mark.skipif(not os.path.isdir("/proc"), reason="needs /proc to see the children")
async def test_a_crash_of_the_child_is_a_refusal() -> None:
    task = asyncio.create_task(extract(endless_pdf(), "a.pdf", seconds=60, memory_mb=2048))
    while not children():
        await asyncio.sleep(0.02)
    os.kill(children()[0], signal.SIGSEGV)
    with pytest.raises(Unreadable, match="crashed"):
        await task


def children() -> list[int]:
    """The readers that this process has started; a server that other tests use is its child too."""
    with open(f"/proc/{os.getpid()}/task/{os.getpid()}/children") as file:
        return [int(pid) for pid in file.read().split() if "docqa.extract" in command_of(pid)]


def command_of(pid: str) -> str:
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return file.read()
    except OSError:
        return ""  # it has just ended


def test_a_file_on_disk_is_read_in_this_process(tmp_path: object) -> None:
    path = f"{tmp_path}/page.html"
    with open(path, "w") as file:
        file.write("<html><body><p>on disk</p></body></html>")
    assert read_path(path) == [ExtractedPage("on disk")]
