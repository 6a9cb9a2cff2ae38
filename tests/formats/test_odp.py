"""OpenDocument presentations: slides in order, what each shows in reading order, and what it does not show."""

import io
import zipfile

import pytest

from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.pages import Extracted

NAMES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
    "svg": "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0",
    "fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
    "presentation": "urn:oasis:names:tc:opendocument:xmlns:presentation:1.0",
    "chart": "urn:oasis:names:tc:opendocument:xmlns:chart:1.0",
    "meta": "urn:oasis:names:tc:opendocument:xmlns:meta:1.0",
    "dc": "http://purl.org/dc/elements/1.1/",
    "xlink": "http://www.w3.org/1999/xlink",
    "math": "http://www.w3.org/1998/Math/MathML",
}
DECLARED = " ".join(f'xmlns:{prefix}="{name}"' for prefix, name in NAMES.items())
MIMETYPE = "application/vnd.oasis.opendocument.presentation"
STYLES = f"""<office:document-styles {DECLARED}>
<office:automatic-styles><style:page-layout style:name="P"><style:page-layout-properties fo:page-width="25cm" fo:page-height="20cm"/></style:page-layout></office:automatic-styles>
<office:master-styles><style:master-page style:name="M" style:page-layout-name="P"/></office:master-styles>
</office:document-styles>"""


def presentation(
    *slides: str, styles: str = "", before: str = "", mimetype: str = MIMETYPE, parts: dict[str, bytes] | None = None
) -> bytes:
    """A presentation of these slides; `styles` are automatic ones, `before` what stands before the slides."""
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {DECLARED}>'
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:presentation>{before}{''.join(slides)}</office:presentation></office:body>"
        "</office:document-content>"
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", mimetype, zipfile.ZIP_STORED)
        archive.writestr("content.xml", content)
        archive.writestr("styles.xml", STYLES)
        for name, blob in (parts or {}).items():
            archive.writestr(name, blob)
    return buffer.getvalue()


def slide(*shapes: str, style: str = "", more: str = "") -> str:
    return f'<draw:page draw:name="s" draw:style-name="{style}" draw:master-page-name="M" {more}>{"".join(shapes)}</draw:page>'


def box(*paragraphs: str, kind: str = "", x: float = 1, y: float = 1, width: float = 8, height: float = 2) -> str:
    inner = "".join(text if text.startswith("<text:list") else f"<text:p>{text}</text:p>" for text in paragraphs)
    mark = f'presentation:class="{kind}"' if kind else ""
    return f"<draw:frame {mark} {place(x, y, width, height)}><draw:text-box>{inner}</draw:text-box></draw:frame>"


def place(x: float, y: float, width: float = 8, height: float = 2) -> str:
    return f'svg:x="{x}cm" svg:y="{y}cm" svg:width="{width}cm" svg:height="{height}cm"'


def notes(*shapes: str) -> str:
    return f"<presentation:notes>{''.join(shapes)}</presentation:notes>"


def items(*texts: str) -> str:
    return f"<text:list>{''.join(f'<text:list-item><text:p>{text}</text:p></text:list-item>' for text in texts)}</text:list>"


def read(data: bytes, name: str = "a.odp") -> Extracted:
    return reading.read_whole(data, name)


def text_of(*shapes: str) -> str:
    return read(presentation(slide(*shapes))).pages[0].text


def test_slides_come_in_their_order_with_their_titles() -> None:
    document = read(
        presentation(
            slide(box("Costs went up", y=5), box("Results", kind="title", y=0)),
            slide(box("Outlook", kind="title")),
        )
    )
    assert [(page.section, page.text) for page in document.pages] == [
        ("Results", "Results\n\nCosts went up"),
        ("Outlook", "Outlook"),
    ]
    assert document.kind == "odp"


def test_shapes_come_as_a_person_reads_them_and_not_as_they_were_drawn() -> None:
    group = f"<draw:g>{box('left below', y=9)}{box('right below', x=12, y=9)}</draw:g>"
    assert text_of(group, box("left", y=4), box("right", x=12, y=4)) == "left\n\nright\n\nleft below\n\nright below"


@pytest.mark.parametrize("tag", ["custom-shape", "rect", "ellipse", "connector", "caption", "path"])
def test_the_text_of_every_shape_is_read(tag: str) -> None:
    assert text_of(f"<draw:{tag} {place(1, 1)}><text:p>inside</text:p></draw:{tag}>") == "inside"


def test_spaces_tabs_and_line_breaks_are_kept_and_source_line_ends_are_not() -> None:
    assert text_of(
        box("one<text:s text:c='2'/>two\n   three<text:tab/>four<text:line-break/><text:span>five</text:span>")
    ) == ("one  two three\tfour\nfive")


def test_lists_are_items_of_their_level() -> None:
    inner = f"<text:list><text:list-item><text:p>first</text:p>{items('deeper')}</text:list-item></text:list>"
    [page] = read(presentation(slide(box(inner)))).pages
    assert [(block.kind, block.level) for block in page.blocks] == [("item", 1), ("item", 2)]


def test_tables_are_rows_with_the_cells_that_are_merged_or_repeated() -> None:
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    table = (
        '<table:table table:use-first-row-styles="true">'
        f"<table:table-row>{cell.format('Year')}{cell.format('Rent')}</table:table-row>"
        f"<table:table-row>{cell.format('2024')}<table:table-cell table:number-columns-repeated='2'><text:p>7</text:p></table:table-cell></table:table-row>"
        f"<table:table-row><table:table-cell table:number-columns-spanned='2'><text:p>both</text:p></table:table-cell><table:covered-table-cell/>{cell.format('c')}</table:table-row>"
        "</table:table>"
    )
    [page] = read(presentation(slide(f"<draw:frame {place(1, 1)}>{table}</draw:frame>"))).pages
    assert page.text == "Year | Rent\n2024 | 7 | 7\nboth |  | c"
    assert [(block.kind, block.level) for block in page.blocks] == [("row", 1), ("row", 0), ("row", 0)]


def test_notes_come_last_and_are_marked() -> None:
    page_of_notes = notes(
        box("12", kind="page-number"),
        box("Say thanks", kind="notes"),
        '<draw:page-thumbnail presentation:class="page"/>',
    )
    [page] = read(presentation(slide(box("Results", kind="title"), page_of_notes))).pages
    assert page.text == "Results\n\nSay thanks"
    assert [block.kind for block in page.blocks] == ["heading", "note"]


def test_a_hidden_slide_is_read_and_marked() -> None:
    hides = '<style:style style:name="h" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    document = read(presentation(slide(box("shown")), slide(box("in reserve"), style="h"), styles=hides))
    assert [page.section for page in document.pages] == ["", "Hidden slide"]
    assert document.notes == ["Slide 2 is hidden in the show."]


def test_hidden_text_placeholders_and_remarks_of_the_program_are_not_text() -> None:
    hides = '<style:style style:name="x" style:family="text"><style:text-properties text:display="none"/></style:style>'
    shapes = (
        box("seen<text:span text:style-name='x'> unseen</text:span><text:hidden-text>secret</text:hidden-text> end"),
        '<draw:frame presentation:class="title" presentation:placeholder="true"><draw:text-box><text:p>Click to add</text:p></draw:text-box></draw:frame>',
        box("Page <text:page-number>&lt;number&gt;</text:page-number>", kind="page-number", y=15),
    )
    [page] = read(presentation(slide(*shapes), styles=hides)).pages
    assert page.text == "seen end"


def test_footers_are_declared_once_and_comments_are_read() -> None:
    before = '<presentation:footer-decl presentation:name="f1">Company meeting</presentation:footer-decl>'
    comment = "<office:annotation><dc:creator>Ann</dc:creator><text:p>Is that right?</text:p></office:annotation>"
    use = 'presentation:use-footer-name="f1"'
    document = read(presentation(slide(box("a"), comment, more=use), slide(box("b"), more=use), before=before))
    assert [page.text for page in document.pages] == ["a\n\nCompany meeting\n\nIs that right?", "b\n\nCompany meeting"]
    assert document.pages[1].running == ((3, 18),)


def test_a_chart_is_its_titles_and_its_table() -> None:
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    rows = "".join(
        f"<table:table-row>{cell.format(a)}{cell.format(b)}</table:table-row>"
        for a, b in (("", "Sales"), ("May", "12"))
    )
    chart = f"""<office:document-content {DECLARED}><office:body><office:chart><chart:chart>
        <chart:title><text:p>Sales by month</text:p></chart:title><table:table>{rows}</table:table></chart:chart></office:chart></office:body></office:document-content>"""
    frame = f'<draw:frame {place(1, 1)}><draw:object xlink:href="./Object 1"/><draw:image xlink:href="./ObjectReplacements/Object 1"/></draw:frame>'
    data = presentation(slide(frame), parts={"Object 1/content.xml": chart.encode()})
    assert read(data).pages[0].text == "Sales by month\n | Sales\nMay | 12"


def test_alternative_texts_of_pictures_are_read_and_names_of_files_are_not() -> None:
    frame = f'<draw:frame {place(1, 1)}><draw:image xlink:href="Pictures/a.png"/>{{}}</draw:frame>'
    assert (
        text_of(frame.format("<svg:title>a b.png</svg:title><svg:desc>A lighthouse at night</svg:desc>"))
        == "A lighthouse at night"
    )


def test_templates_and_files_without_a_name_are_known_by_their_content() -> None:
    data = presentation(slide(box("a")), mimetype=f"{MIMETYPE}-template")
    assert read(data, "a.otp").kind == read(data, "presentation").kind == "odp"


def test_properties_are_the_title_the_author_and_the_day() -> None:
    meta = f"<office:document-meta {DECLARED}><office:meta><dc:title>Year in review</dc:title><meta:initial-creator>Ann</meta:initial-creator><meta:creation-date>2024-03-01T10:00:00</meta:creation-date></office:meta></office:document-meta>"
    document = read(presentation(slide(box("a")), parts={"meta.xml": meta.encode()}))
    assert (document.properties.title, document.properties.author, document.properties.date) == (
        "Year in review",
        "Ann",
        "2024-03-01",
    )


def test_a_protected_a_broken_and_an_empty_presentation_are_refused() -> None:
    protected = {"META-INF/manifest.xml": b'<manifest:encryption-data manifest:checksum="x"/>'}
    with pytest.raises(Unreadable, match="password-protected"):
        read(presentation(slide(box("a")), parts=protected))
    with pytest.raises(Unreadable, match="has no slides"):
        read(presentation())
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", MIMETYPE)
    with pytest.raises(Unreadable, match="damaged and cannot be opened"):
        read(buffer.getvalue())


def test_large_pictures_are_counted_and_small_and_foreign_ones_are_not() -> None:
    frame = '<draw:frame {}><draw:image xlink:href="{}"/></draw:frame>'
    shapes = (
        frame.format(place(1, 5, 12, 10), "Pictures/a.png"),
        frame.format(place(1, 1, 2, 2), "Pictures/b.png"),
        frame.format(place(1, 5, 12, 10), "https://example.org/c.png"),
    )
    assert read(presentation(slide(box("a"), *shapes))).pages[0].pictures == 1
