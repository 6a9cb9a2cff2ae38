"""Books (.epub), written here file by file: which chapters are read, with which titles, what damage loses, refusals."""

import io
import zipfile
from dataclasses import dataclass

import pytest

from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.pages import Extracted

XHTML = (
    '<?xml version="1.0" encoding="utf-8"?>'
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head>'
    "<title>{}</title></head><body>{}</body></html>"
)
CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="{}" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
LOCK = (
    '<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>'
    '<enc:EncryptionMethod Algorithm="{}"/><enc:CipherData>'
    '<enc:CipherReference URI="{}"/></enc:CipherData></enc:EncryptedData></encryption>'
)
AES, FONT = "http://www.w3.org/2001/04/xmlenc#aes128-cbc", "http://www.idpf.org/2008/embedding"


@dataclass
class Book:
    """Chapters by file name, in spine order; `listed` are further manifest items, `files` may add or replace files."""

    chapters: dict[str, str]
    listed: str = ""
    spine: str = ""
    files: dict[str, str | bytes] | None = None
    title: str = "A Book"

    def package(self) -> str:
        items = "".join(
            f'<item id="c{n}" href="{name}" media-type="application/xhtml+xml"/>'
            for n, name in enumerate(self.chapters)
        )
        spine = self.spine or "".join(f'<itemref idref="c{n}"/>' for n in range(len(self.chapters)))
        metadata = f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{self.title}</dc:title></metadata>'
        return (
            f'<package xmlns="http://www.idpf.org/2007/opf">{metadata}<manifest>{items}{self.listed}'
            f'</manifest><spine toc="ncx">{spine}</spine></package>'
        )

    def packed(self) -> bytes:
        chapters = {f"o/{name}": XHTML.format("", body) for name, body in self.chapters.items()}
        files = {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": CONTAINER.format("o/b.opf"),
            "o/b.opf": self.package(),
            **chapters,
        }
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in (files | (self.files or {})).items():
                if content:
                    archive.writestr(name, content)
        return packed.getvalue()

    def read(self) -> Extracted:
        return reading.read_whole(self.packed(), "b.epub")


def text_of(body: str) -> str:
    return Book({"a.xhtml": body}).read().pages[0].text


def refusal(book: Book) -> str:
    with pytest.raises(Unreadable) as refused:
        book.read()
    return str(refused.value)


# Chapters and their sections.


def test_chapters_follow_the_spine() -> None:
    book = Book(
        {"a.xhtml": "<h1>One</h1><p>text</p>", "b.xhtml": "<p>Two</p>"},
        spine='<itemref idref="c1" linear="no"/><itemref idref="c0"/>',
        title=" The\n Book ",
    )
    extracted = book.read()
    assert (extracted.kind, extracted.title, extracted.notes) == ("epub", "The Book", [])
    assert [page.text for page in extracted.pages] == ["Two", "One\n\ntext"]


NAV = '<item id="nav" href="{}" properties="nav" media-type="application/xhtml+xml"/>'
CONTENTS = (
    '<nav epub:type="landmarks"><ol><li><a href="a.xhtml">Start</a></li></ol></nav><nav epub:type="toc">'
    "<ol>{}</ol></nav>"
)


def nav(*entries: tuple[str, str]) -> str:
    return XHTML.format(
        "", CONTENTS.format("".join(f'<li><a href="{href}">{title}</a></li>' for href, title in entries))
    )


def test_the_table_of_contents_gives_the_sections_also_within_a_chapter() -> None:
    body = (
        '<p id="early">before</p><section id="x"><h2>Rivers</h2><p>wet</p></section><p>more</p>'
        "<h3>Beside</h3><p>own</p>"
    )
    contents = nav(
        ("a.xhtml", "Part\n  <i>One</i>"),
        ("a.xhtml#x", "1. Rivers"),
        ("a.xhtml#gone", "Nowhere"),
        ("b.xhtml#gone", "Two"),
    )
    extracted = Book(
        {"a.xhtml": body, "b.xhtml": "<p>lakes</p>"}, listed=NAV.format("nav.xhtml"), files={"o/nav.xhtml": contents}
    ).read()
    assert extracted.pages[0].headings == ((0, "Part One"), (8, "1. Rivers"), (27, "Beside"))
    assert [extracted.pages[0].text[at:].split("\n")[0] for at, _ in extracted.pages[0].headings] == [
        "before",
        "Rivers",
        "Beside",
    ]
    assert [page.section for page in extracted.pages] == ["Part One", "Two"]


def test_a_title_of_the_contents_covers_the_headings_below_it_that_it_repeats() -> None:
    body = "<h1>Chapter 1</h1><h2>The Storm</h2><h3>At sea</h3><p>wind</p><h2>The Storm</h2>"
    extracted = Book(
        {"a.xhtml": body},
        listed=NAV.format("nav.xhtml"),
        files={"o/nav.xhtml": nav(("a.xhtml", "Chapter 1: the storm"))},
    ).read()
    assert extracted.pages[0].headings == ((0, "Chapter 1: the storm"), (22, "At sea"), (36, "The Storm"))


def test_an_ncx_gives_the_sections_if_there_is_no_navigation_document() -> None:
    points = (
        '<navPoint><navLabel><text>Part</text></navLabel><content src="text/a.xhtml"/><navPoint>'
        "<navLabel><text>Caf&eacute;</text></navLabel>"
        '<content src="text/a.xhtml#x"/></navPoint></navPoint>'
    )
    ncx = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><docTitle><text>no</text></docTitle>'
        f"<navMap>{points}</navMap></ncx>"
    )
    listed = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    extracted = Book(
        {"text/a.xhtml": "<p>a</p><p id='x'>b</p>"},
        listed=listed + NAV.format("nav.xhtml"),
        files={"o/toc.ncx": ncx, "o/nav.xhtml": nav()},
    ).read()
    assert extracted.pages[0].headings == ((0, "Part"), (3, "Café"))


def test_a_chapter_that_begins_no_section_continues_the_previous_one() -> None:
    extracted = Book(
        {"a.xhtml": "<p>cover</p>", "b.xhtml": "<h1>One</h1><p>x</p><h2>Two</h2>", "c.xhtml": "<p>still two</p>"}
    ).read()
    assert [page.section for page in extracted.pages] == ["", "One", "Two"]


def test_a_chapters_own_title_counts_unless_the_book_or_the_previous_file_has_it_too() -> None:
    titles = ("A Book", "First", "Second", "Second")
    files: dict[str, str | bytes] = {
        f"o/{n}.xhtml": XHTML.format(title, "<p>text</p>") for n, title in enumerate(titles)
    }
    extracted = Book({f"{n}.xhtml": "" for n in range(4)}, files=files).read()
    assert [page.section for page in extracted.pages] == ["", "First", "Second", "Second"]


# What is read of a chapter.


def test_notes_are_read_in_place_and_page_numbers_are_not() -> None:
    body = (
        '<p>A claim<a href="#n" epub:type="noteref">1</a> on two<span epub:type="pagebreak" id="p9">9</span> pages.</p>'
        '<aside epub:type="footnote" hidden="hidden" id="n">Its source.</aside><p>On.</p>'
    )
    assert text_of(body) == "A claim1 on two pages.\n\nIts source.\n\nOn."


def test_lists_of_pages_are_left_out_of_a_contents_page() -> None:
    pages = '<nav epub:type="page-list"><ol><li><a href="a.xhtml">217</a></li></ol></nav>'
    assert text_of(CONTENTS.format("<li>One</li>") + pages) == "One"


def test_empty_xhtml_elements_do_not_swallow_text() -> None:
    assert text_of('<h1 id="x"/><section/><p>one<em class="a"/> two<br/>three</p><aside/>') == "one two\nthree"


def test_ruby_annotations_do_not_split_words() -> None:
    assert text_of("<p><ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp>京<rt>きょう</rt></ruby>へ</p>") == "東京へ"


def test_drawings_with_text_are_read_within_chapters_and_as_chapters() -> None:
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg"><title>no</title><defs><text>no</text></defs>'
        '<text x="1"><tspan>to the</tspan><tspan>lake'
        "</tspan></text><text>left</text></svg>"
    )
    assert text_of(f"<p>Map</p><div>{drawing}</div>") == "Map\n\nto the\nlake\n\nleft"
    listed = '<item id="s" href="m.svg" media-type="image/svg+xml"/><item id="p" href="p.png" media-type="image/png"/>'
    book = Book(
        {},
        listed=listed,
        spine='<itemref idref="s"/><itemref idref="p"/>',
        files={"o/m.svg": drawing, "o/p.png": "<p>no</p>"},
    )
    assert [page.text for page in book.read().pages] == ["to the\nlake\n\nleft", ""]


def test_nothing_outside_the_book_is_read() -> None:
    chapter = (
        f'<!DOCTYPE html [<!ENTITY x SYSTEM "file://{__file__}">]>'
        '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>before &x; after</p></body></html>'
    )
    package = Book({"a.xhtml": ""}).package().replace("A Book", "&x;")
    entity = f'<!DOCTYPE package [<!ENTITY x SYSTEM "file://{__file__}">]>'
    extracted = Book({"a.xhtml": ""}, files={"o/a.xhtml": chapter, "o/b.opf": entity + package}).read()
    assert "written here file by file" not in extracted.title + extracted.pages[0].text
    assert "before" in extracted.pages[0].text


# Malformed books.


def test_missing_chapters_are_empty_pages_with_a_note() -> None:
    book = Book({"a.xhtml": "<p>one</p>", "b.xhtml": "", "c.xhtml": "<p>three</p>"}, files={"o/b.xhtml": ""})
    book.spine = '<itemref idref="c0"/><itemref idref="c1"/><itemref idref="lost"/><itemref idref="c2"/>'
    extracted = book.read()
    assert [page.text for page in extracted.pages] == ["one", "", "", "three"]
    assert extracted.notes == ["Chapters that the book lists are missing or damaged in it: o/b.xhtml, lost."]


def test_a_long_list_of_missing_chapters_is_cut_short() -> None:
    book = Book(
        {"a.xhtml": "<p>one</p>"},
        spine='<itemref idref="c0"/>' + "".join(f'<itemref idref="x{n}"/>' for n in range(12)),
    )
    assert book.read().notes[0].endswith("x8, x9 and 2 more.")


def test_a_damaged_chapter_loses_only_itself() -> None:
    data = Book({"a.xhtml": "<p>kept</p>", "b.xhtml": "<p>" + "lost " * 99 + "</p>"}).packed()
    at = data.index(b"o/b.xhtml") + len("o/b.xhtml") + 30
    extracted = reading.read_whole(data[:at] + b"\0\0\0\0" + data[at + 4 :], "b.epub")
    assert [page.text for page in extracted.pages] == ["kept", ""]
    assert "o/b.xhtml" in extracted.notes[0]


@pytest.mark.parametrize(
    "name",
    ["O/Ch%C3%A4pter one.XHTML", "../o/chäpter%20one.xhtml", "/o/cha\u0308pter one.xhtml", "o\\chäpter one.xhtml"],
)
def test_chapters_are_found_despite_inexact_references(name: str) -> None:
    book = Book({"chäpter one.xhtml": "<p>here</p>"})
    assert (
        Book(
            {name: ""},
            files={
                f"o/{name}": "",
                "b.opf": Book({name: ""}).package(),
                "META-INF/container.xml": CONTAINER.format("b.opf"),
                "o/chäpter one.xhtml": XHTML.format("", "<p>here</p>"),
            },
        )
        .read()
        .pages[0]
        .text
        == "here"
    )
    assert book.read().pages[0].text == "here"


@pytest.mark.parametrize("container", ["", "no XML", CONTAINER.format("other.opf"), CONTAINER.format("o/B.OPF")])
def test_the_package_is_found_without_a_good_container(container: str) -> None:
    assert Book({"a.xhtml": "<p>here</p>"}, files={"META-INF/container.xml": container}).read().pages[0].text == "here"


def test_the_first_of_several_packages_is_read() -> None:
    both = CONTAINER.format("o/b.opf").replace(
        "</rootfiles>", '<rootfile full-path="o/c.opf" media-type="application/oebps-package+xml"/></rootfiles>'
    )
    other = Book({"other.xhtml": ""}).package()
    assert (
        Book({"a.xhtml": "<p>here</p>"}, files={"META-INF/container.xml": both, "o/c.opf": other}).read().pages[0].text
        == "here"
    )


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (' xmlns="http://www.idpf.org/2007/opf"', ""),
        ('xmlns="http://www.idpf.org/2007/opf"', 'xmlns="http://openebook.org/namespaces/oeb-package/1.0/"'),
        ("</metadata>", "<dc:rights>A & B</dc:rights>"),
        ('<item id="c0"', '<item/><item id="c9"/><item href="x.xhtml" properties="cover"/><item id="c0"'),
        (' media-type="application/xhtml+xml"', ""),
        ('<itemref idref="c0"/>', ""),
        ("<manifest>", "<!-- <manifest>"),
    ],
)
def test_a_malformed_package_is_read_as_far_as_possible(right: str, wrong: str) -> None:
    book = Book({"a.xhtml": "<p>one</p>", "b.xhtml": "<p>two</p>"})
    package = book.package()
    assert right in package
    extracted = Book(book.chapters, files={"o/b.opf": package.replace(right, wrong, 1)}).read()
    assert "two" in [page.text for page in extracted.pages]


def test_one_file_is_one_chapter_however_often_it_is_listed() -> None:
    book = Book(
        {"a.xhtml": "<p>once</p>"},
        listed='<item id="d" href="a.xhtml" media-type="application/xhtml+xml"/>',
        spine='<itemref idref="c0"/>' * 3 + '<itemref idref="d"/>',
    )
    assert [page.text for page in book.read().pages] == ["once"]


def test_what_is_in_a_foreign_object_is_read_in_its_place() -> None:
    gallery = "<object type='application/x-gallery' data='g.xml'><param name='a'/><figure><img src='a.png'/><figcaption>The quay</figcaption></figure></object>"
    assert text_of(f"<p>before</p>{gallery}<p>after</p>") == "before\n\nThe quay\n\nafter"


def test_a_fallback_stands_for_what_is_no_chapter() -> None:
    listed = (
        '<item id="g" href="g.xml" media-type="application/x-gallery" fallback="h"/>'
        '<item id="h" href="h.png" media-type="image/png" fallback="c0"/>'
        '<item id="loop" href="l.png" media-type="image/png" fallback="loop"/>'
    )
    spine = '<itemref idref="g"/><itemref idref="loop"/>'
    book = Book({"a.xhtml": "<p>The quay</p>"}, listed, spine, {"o/l.png": b"\x89PNG"})
    assert [page.text for page in book.read().pages] == ["The quay", ""]


# What is refused.


def test_locked_chapters_are_refused_and_other_locked_files_do_not_matter() -> None:
    def locked(algorithm: str, file: str) -> Book:
        return Book(
            {"a.xhtml": "<p>here</p>"},
            files={"META-INF/encryption.xml": LOCK.format(algorithm, file), "o/x.otf": b"font"},
        )

    assert "DRM" in refusal(locked(AES, "o/a.xhtml"))
    assert locked(AES, "o/x.otf").read().pages[0].text == "here"
    assert locked(FONT, "o/a.xhtml").read().pages[0].text == "here"
    nameless = LOCK.replace("CipherReference", "Other").format(AES, "")
    assert "DRM" in refusal(Book({"a.xhtml": "<p>x</p>"}, files={"META-INF/encryption.xml": nameless}))


@pytest.mark.parametrize("licence", ["META-INF/rights.xml", "META-INF/sinf.xml", "META-INF/license.lcpl"])
def test_a_licence_locks_a_book_only_if_its_chapters_are_not_markup(licence: str) -> None:
    assert Book({"a.xhtml": "<p>here</p>"}, files={licence: "<rights/>"}).read().pages[0].text == "here"
    assert "DRM" in refusal(
        Book({"a.xhtml": ""}, files={licence: "<rights/>", "o/a.xhtml": bytes(range(200, 255)) * 9 + b"<"})
    )


def test_a_book_without_chapters_is_refused() -> None:
    assert "no chapters" in refusal(Book({}))


def test_a_chapter_gives_its_blocks() -> None:
    [page] = read_blocks(
        "<h1>One</h1><p>Text.</p><ol><li>first</li></ol><aside epub:type='footnote'><p>1 A note.</p></aside>"
    )
    assert page == [("heading", "One"), ("paragraph", "Text."), ("item", "first"), ("note", "1 A note.")]


def read_blocks(body: str) -> list[list[tuple[str, str]]]:
    pages = reading.read_whole(Book({"one.xhtml": body}).packed(), "a.epub").pages
    return [[(block.kind, page.text[block.start : block.end]) for block in page.blocks] for page in pages]
