"""Readers: what they return for a document, what is refused and why, and how pages are cut."""

import pymupdf
import pytest

from docqa.errors import Unreadable
from docqa.formats import read as read_path
from docqa.formats import reading
from docqa.formats.names import SUFFIXES, kind_named
from docqa.formats.pages import ExtractedPage, clean, cut, paginate
from docqa.ingest.preparation import page_chunks


def make_pdf(*texts: str, password: str = "", outline: list[list[object]] | None = None) -> bytes:
    document = pymupdf.open()
    for text in texts:
        document.new_page().insert_text((72, 72), text)
    if outline:
        document.set_toc(outline)
    locked = (
        {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": password, "owner_pw": "owner" + password}
        if password
        else {}
    )
    return bytes(document.tobytes(**locked))


def texts(data: bytes, name: str, media_type: str = "") -> list[str]:
    return [page.text for page in reading.read_whole(data, name, media_type).pages]


def refusal(data: bytes, name: str, media_type: str = "") -> str:
    with pytest.raises(Unreadable) as caught:
        reading.read_whole(data, name, media_type)
    return str(caught.value)


# --- pages ---


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "word " * 4000,
        "x" * 10_000,
        "One. Two! " * 900,
        "line\n" * 3000,
        "a\n\n" * 5000,
        "p\f" * 9,
        "句子。" * 4000,
    ],
)
def test_cutting_loses_nothing(text: str) -> None:
    assert "".join(cut(text)) == text


def test_pages_end_with_a_paragraph_if_they_can() -> None:
    paragraph = "A sentence of some length that says little. " * 9 + "\n\n"
    pages = list(paginate(paragraph * 30))
    assert len(pages) > 3
    assert all(page.text.endswith("\n\n") and 1500 <= len(page.text) <= 4000 for page in pages)


@pytest.mark.parametrize(("length", "expected"), [(3500, 3502), (1600, 1602), (5000, 3000)])
def test_a_page_grows_a_little_before_it_cuts_a_paragraph(length: int, expected: int) -> None:
    first, *_ = cut("x" * length + "\n\n" + "y" * 9000)
    assert len(first) == expected


def test_a_page_ends_neither_after_a_colon_nor_within_a_sentence_where_there_is_a_better_place() -> None:
    filler = "The keys are kept by the porter.\n\n" * 75
    first, second = cut(filler + "We do not pay for:\n\n" + "- wear and tear, mould, rot, vermin and moths\n" * 60)
    assert first == filler and second.startswith("We do not pay for:")
    wrapped = "The keys are kept by the\nporter of the house.\n" * 100
    assert all(page.endswith("house.\n") for page in cut(wrapped))


@pytest.mark.parametrize("title", ["Opening hours", "May I bring\na dog?"])
def test_a_page_does_not_end_with_the_title_of_what_follows(title: str) -> None:
    text = f"{'The mill turns. ' * 170}\n\n{title}\n\n{'It stands by the river. ' * 60}"
    assert [page.text.startswith(title) for page in paginate(text)] == [False, True]


def test_form_feeds_are_page_breaks_and_empty_pages_count() -> None:
    assert [page.text for page in paginate("one\f\fthree")] == ["one", "", "three"]


def test_a_page_knows_the_heading_it_starts_under() -> None:
    text = "Start\n\n" + "a b c. " * 500 + "\n\nEnd\n\n" + "d e f. " * 1000
    sections = [page.section for page in paginate(text, [(0, "Start"), (text.index("End"), "End")])]
    assert sections[0] == "Start"
    assert sections[-1] == "End"


def test_text_becomes_valid_utf8() -> None:
    assert clean("a\0b\ud800c\ud83d\ude00\r\nd\re") == "ab\ufffdc😀\nd\ne"


# --- text and tables ---


def test_plain_text_is_kept_exactly() -> None:
    assert texts(b"  a\t b\r\n\r\n\r\nc  ", "n.txt") == ["  a\t b\n\n\nc  "]


# --- documents ---


def test_pdf_pages_carry_their_text_and_section() -> None:
    extracted = reading.read_whole(
        make_pdf("first words", "second words", "third", outline=[[1, "Intro", 1], [1, "Main", 3]]), "a.pdf"
    )
    assert [page.text.strip() for page in extracted.pages] == ["first words", "second words", "third"]
    assert [page.section for page in extracted.pages] == ["Intro", "Intro", "Main"]


def test_locked_pdf_is_refused_unless_its_password_is_empty() -> None:
    assert "password-protected" in refusal(make_pdf("secret", password="open sesame"), "a.pdf")
    document = pymupdf.open(stream=make_pdf("readable"))
    assert "readable" in texts(document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner"), "a.pdf")[0]


def test_a_pdf_cut_in_the_middle_is_read_or_refused() -> None:
    data = make_pdf("one", "two")
    assert "damaged" in refusal(data[:60], "a.pdf")


def test_every_supported_suffix_has_a_reader() -> None:
    assert {kind_named(suffix) for suffix in SUFFIXES} == set(reading.READERS)


def test_a_file_on_disk_is_read_in_this_process(tmp_path: object) -> None:
    path = f"{tmp_path}/page.html"
    with open(path, "w") as file:
        file.write("<html><body><p>on disk</p></body></html>")
    assert read_path(path) == [ExtractedPage("on disk").cleaned()]


# --- sections ---

LEASE = """LEASE OF THE WAREHOUSE

3. Rent

The tenant pays 12,400 euros on the first day of each month, by transfer to the account of the landlord.

4. Repairs

{}The roof is the landlord's, and everything below it is the tenant's, as long as the lease lasts.
"""


def sections(data: bytes, name: str) -> list[tuple[str, list[str]]]:
    """Of each page the section in which it begins, and those that begin on it."""
    return [(page.section, [title for _, title in page.headings]) for page in reading.read_whole(data, name).pages]


def test_the_headings_of_a_plain_text_are_the_sections_of_what_follows_them() -> None:
    text = LEASE.format("The tenant repairs what breaks, and tells the landlord of it before the week is over. " * 80)
    assert sections(text.encode(), "lease.txt") == [
        ("LEASE OF THE WAREHOUSE", ["LEASE OF THE WAREHOUSE", "3. Rent", "4. Repairs"]),
        ("4. Repairs", []),
        ("4. Repairs", []),
    ]
    last = [chunk for page in reading.read_whole(text.encode(), "lease.txt").pages for chunk in page_chunks(1, page)][
        -1
    ]
    assert last.section == "4. Repairs"


def test_a_text_without_headings_has_no_sections() -> None:
    assert sections(b"The lease ends in May. It began two years before, and was not prolonged.\n", "note.txt") == [
        ("", [])
    ]


def test_sections_that_the_format_names_are_the_only_ones() -> None:
    text = "# The lease\n\nThe parties agree.\n\nGENERAL TERMS\n\nThe tenant pays on the first day of each month.\n"
    assert sections(text.encode(), "lease.md") == [("The lease", ["The lease"])]
