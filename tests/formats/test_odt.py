"""OpenDocument texts (.odt), written here element by element: which text is read, on which page, as which block."""

import io
import zipfile

import pytest

from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.pages import Extracted

NAMES = "office style text table draw fo chart"
SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{"xsl-fo-compatible" if name == "fo" else "drawing" if name == "draw" else name}:1.0"'
    for name in NAMES.split()
) + (
    ' xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"'
)
TYPE = "application/vnd.oasis.opendocument.text"
SOFT = "<text:soft-page-break/>"


def p(content: str, style: str = "") -> str:
    return f'<text:p text:style-name="{style}">{content}</text:p>'


def style(name: str, content: str = "", family: str = "paragraph", attributes: str = "") -> str:
    return f'<style:style style:name="{name}" style:family="{family}" {attributes}>{content}</style:style>'


def items(*content: str, style: str = "L", attributes: str = "") -> str:
    """A list; what is no markup is an item with a paragraph."""
    inner = "".join(
        part
        if part.startswith("<text:list-")
        else f"<text:list-item>{part if part[0] == '<' else p(part)}</text:list-item>"
        for part in content
    )
    return f'<text:list text:style-name="{style}" {attributes}>{inner}</text:list>'


def level(number: int, form: str, suffix: str = ".", attributes: str = "") -> str:
    return f'<text:list-level-style-number text:level="{number}" style:num-format="{form}" style:num-suffix="{suffix}" {attributes}/>'


def table(*rows: str) -> str:
    return f"<table:table>{''.join(rows)}</table:table>"


def row(*cells: str, attributes: str = "") -> str:
    inner = "".join(
        part
        if part.startswith("<table:")
        else f"<table:table-cell>{part if part[:1] == '<' else p(part)}</table:table-cell>"
        for part in cells
    )
    return f"<table:table-row {attributes}>{inner}</table:table-row>"


def odt(body: str, automatic: str = "", styles: str = "", meta: str = "", **members: str) -> bytes:
    packed = io.BytesIO()
    content = f"<office:automatic-styles>{automatic}</office:automatic-styles><office:body><office:text>{body}</office:text></office:body>"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", TYPE)
        archive.writestr("content.xml", f"<office:document-content {SPACES}>{content}</office:document-content>")
        archive.writestr("styles.xml", f"<office:document-styles {SPACES}>{styles}</office:document-styles>")
        archive.writestr(
            "meta.xml", f"<office:document-meta {SPACES}><office:meta>{meta}</office:meta></office:document-meta>"
        )
        for name, member in members.items():
            archive.writestr(name.replace("__", "/") + ".xml", member)
    return packed.getvalue()


def read(body: str, automatic: str = "", styles: str = "", **more: str) -> Extracted:
    return reading.read_whole(odt(body, automatic, styles, **more), "a.odt")


def text(body: str, automatic: str = "", styles: str = "", **more: str) -> str:
    return "\f".join(page.text for page in read(body, automatic, styles, **more).pages)


def blocks(body: str, automatic: str = "", styles: str = "", **more: str) -> list[tuple[str, int, str]]:
    pages = read(body, automatic, styles, **more).pages
    return [(block.kind, block.level, page.text[block.start : block.end]) for page in pages for block in page.blocks]


# --- which text is shown ---


def test_white_space_counts_once_unless_it_is_an_element() -> None:
    assert text(p("a \n  b<text:s text:c='3'/>c<text:tab/>d<text:line-break/>e")) == "a b   c\td\ne"
    assert text(p("a <text:span>b </text:span> c")) == "a b c"


def test_deleted_text_is_left_out_and_inserted_text_is_kept() -> None:
    changes = f"<text:tracked-changes><text:changed-region><text:deletion>{p('gone')}</text:deletion></text:changed-region></text:tracked-changes>"
    assert text(changes + p("a<text:change/><text:change-start/> new<text:change-end/> b")) == "a new b"


def test_hidden_text_is_left_out_however_it_is_hidden() -> None:
    hidden = '<style:text-properties text:display="none"/>'
    automatic = style("T", hidden, "text") + style("P", hidden)
    body = p("a<text:span text:style-name='T'>gone</text:span>") + p("gone", "P")
    body += f"<text:section text:display='none'>{p('gone')}</text:section><text:section>{p('b')}</text:section>"
    body += f"<text:section text:display='condition' text:is-hidden='true'>{p('gone')}</text:section>"
    body += p("<text:hidden-paragraph text:is-hidden='true'/>gone") + p(
        "c<text:hidden-text text:is-hidden='true'>no</text:hidden-text>"
    )
    assert text(body, automatic) == "a\n\nb\n\nc"


def test_notes_and_comments_follow_their_paragraph_and_endnotes_the_text() -> None:
    def note(kind: str, mark: str, words: str) -> str:
        return f"<text:note text:note-class='{kind}'><text:note-citation>{mark}</text:note-citation><text:note-body>{p(words)}</text:note-body></text:note>"

    comment = f"<office:annotation><dc:creator>Ada</dc:creator><dc:date>2024</dc:date>{p('why?')}</office:annotation>"
    body = p(f"one{note('footnote', '1', 'below')}{note('endnote', 'i', 'at the end')}{comment}") + p("two")
    assert text(body) == "one\n\n1 below\n\nComment (Ada): why?\n\ntwo\n\ni at the end"
    assert [kind for kind, _, _ in blocks(body)].count("note") == 3


def test_frames_and_shapes_follow_the_paragraph_that_they_are_anchored_in() -> None:
    frame = (
        f"<draw:frame><draw:text-box>{p('boxed')}</draw:text-box><svg:desc>The harbour at dawn</svg:desc></draw:frame>"
    )
    shape = f"<draw:g><draw:custom-shape>{p('drawn')}</draw:custom-shape></draw:g>"
    assert text(p(f"around{frame}{shape}") + p("after")) == "around\n\nThe harbour at dawn\n\nboxed\n\ndrawn\n\nafter"


def test_charts_and_formulas_stand_in_parts_of_their_own() -> None:
    data = table(row("", "Sales"), row("North", "4"))
    chart = f"<office:document-content {SPACES}><chart:chart><chart:title>{p('By region')}</chart:title>{data}</chart:chart></office:document-content>"
    math = "<math xmlns='http://www.w3.org/1998/Math/MathML'><semantics><mi>x</mi><mo>=</mo><mn>1</mn><annotation>x = 1</annotation></semantics></math>"
    body = "".join(p(f"<draw:frame><draw:object xlink:href='./Object {n}'/></draw:frame>") for n in (1, 2, 1))
    members = {"Object 1__content": chart, "Object 2__content": math}
    assert text(body, **members) == "By region\n\n | Sales\nNorth | 4\n\nx=1"


def test_ruby_readings_and_numbers_that_a_program_wrote_are_no_text() -> None:
    assert (
        text(p("<text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>かん</text:ruby-text></text:ruby>"))
        == "漢"
    )
    assert text("<text:h text:outline-level='1'><text:number>1</text:number>Terms</text:h>") == "Terms"


# --- pages ---


def test_pages_are_those_that_were_shown() -> None:
    automatic = style("B", '<style:paragraph-properties fo:break-before="page"/>')
    automatic += style("A", '<style:paragraph-properties fo:break-after="page"/>')
    body = p("a", "B") + p(f"b{SOFT}c") + SOFT + p("d") + p("e", "B") + p("f", "A") + p("g")
    assert [page.text for page in read(body, automatic).pages] == ["a\n\nb", "c", "d", "e\n\nf", "g"]


def test_a_table_may_go_on_on_the_next_page() -> None:
    body = table(row("a", "b"), SOFT, row("c", "d"), row("e", p(f"f{SOFT}g")))
    assert [page.text for page in read(body).pages] == ["a | b", "c | d\ne | f", " | g"]


def test_headers_and_footers_stand_once_and_are_marked_where_they_repeat() -> None:
    masters = f"<office:master-styles><style:master-page style:name='Standard'><style:header>{p('Top')}</style:header><style:footer>{p('Bottom')}</style:footer></style:master-page></office:master-styles>"
    assert all(kind != "boilerplate" for kind, _, _ in blocks(p("The only page. " * 20), styles=masters))
    made = blocks(p("one") + SOFT + p("two"), styles=masters)
    assert made == [
        ("boilerplate", 0, "Top"),
        ("paragraph", 0, "one"),
        ("paragraph", 0, "two"),
        ("boilerplate", 0, "Bottom"),
    ]


def test_a_first_page_has_a_header_of_its_own() -> None:
    masters = (
        "<office:master-styles><style:master-page style:name='First' style:next-style-name='Standard'>"
        f"<style:header>{p('Letterhead')}</style:header></style:master-page><style:master-page style:name='Standard'>"
        f"<style:header>{p('Page')}</style:header></style:master-page></office:master-styles>"
    )
    first = style("F", attributes='style:master-page-name="First"')
    made = blocks(p("Dear all, the terms follow.", "F") + SOFT + p("They are long."), first, masters)
    assert ("boilerplate", 0, "Page") in made
    assert ("boilerplate", 0, "Letterhead") not in made
    assert made[0][2].startswith("Letterhead")


# --- blocks ---


def test_headings_have_their_level_and_number() -> None:
    outline = f"<text:outline-style>{level(1, '1')}{level(2, '1', '', 'text:display-levels=' + chr(34) + '2' + chr(34))}</text:outline-style>"
    body = "".join(
        f"<text:h text:outline-level='{n}'>{words}</text:h>" for n, words in ((1, "A"), (2, "B"), (2, "C"), (1, "D"))
    )
    assert blocks(body, styles=outline) == [
        ("heading", 1, "1. A"),
        ("heading", 2, "1.1 B"),
        ("heading", 2, "1.2 C"),
        ("heading", 1, "2. D"),
    ]


def test_items_have_their_numbers() -> None:
    styles = f"<text:list-style style:name='L'>{level(1, '1')}{level(2, 'a', ')')}<text:list-level-style-bullet text:level='3' text:bullet-char='\uf0b7'/></text:list-style>"
    inner = items("b", items("c"), style="")
    body = items(f"{p('a')}{inner}", "<text:list-header>" + p("no number") + "</text:list-header>", "d")
    body += items("e") + items("f", attributes="text:continue-numbering='true'")
    assert text(body, styles=styles) == "1. a\na) b\n• c\n\nno number\n\n2. d\n1. e\n2. f"
    assert blocks(body, styles=styles)[2] == ("item", 3, "• c")


def test_an_item_may_say_its_number() -> None:
    styles = f"<text:list-style style:name='L'>{level(1, 'I')}</text:list-style>"
    assert (
        text(items(f"<text:list-item text:start-value='4'>{p('a')}</text:list-item>", "b"), styles=styles)
        == "IV. a\nV. b"
    )


def test_tables_have_rows_with_merged_cells_and_headings() -> None:
    covered = "<table:covered-table-cell/>"
    head = f"<table:table-header-rows>{row('Year', '<table:table-cell>' + p('Sales') + '</table:table-cell>', covered)}</table:table-header-rows>"
    repeated = f"<table:table-cell table:number-columns-repeated='2'>{p('same')}</table:table-cell>"
    body = table(
        head, row("2024", "1", "2"), row("2025", repeated), row("gone", "", attributes="table:visibility='collapse'")
    )
    assert blocks(body) == [("row", 1, "Year | Sales"), ("row", 0, "2024 | 1 | 2"), ("row", 0, "2025 | same")]


def test_a_table_of_contents_is_none_of_the_text() -> None:
    body = f"<text:table-of-content><text:index-body>{p('Terms<text:tab/>3')}</text:index-body></text:table-of-content>"
    assert blocks(body + p("text")) == [("boilerplate", 0, "Terms\t3"), ("paragraph", 0, "text")]


# --- files ---


def test_styles_based_on_each_other_are_no_loop() -> None:
    styles = style("A", attributes='style:parent-style-name="B"') + style("B", attributes='style:parent-style-name="A"')
    assert text(p("a", "A"), styles) == "a"


def test_a_file_of_one_part_is_read_too() -> None:
    flat = f'<?xml version="1.0"?>\n<office:document {SPACES} office:mimetype="{TYPE}"><office:body><office:text>{p("flat")}</office:text></office:body></office:document>'
    made = reading.read_whole(flat.encode(), "a.fodt")
    assert (made.kind, made.pages[0].text) == ("odt", "flat")


def test_what_the_document_says_of_itself() -> None:
    meta = "<dc:title>Terms</dc:title><meta:initial-creator>Ada</meta:initial-creator><meta:creation-date>2024-05-06T07:08:09</meta:creation-date>"
    made = read(p("a"), meta=meta)
    assert (made.title, made.properties.author, made.properties.date) == ("Terms", "Ada", "2024-05-06")


@pytest.mark.parametrize("member", ["META-INF__manifest"])
def test_an_encrypted_text_is_refused(member: str) -> None:
    with pytest.raises(Unreadable, match="password-protected"):
        read(p("a"), **{member: "<manifest:manifest><manifest:encryption-data/></manifest:manifest>"})


def test_a_text_without_a_body_is_refused() -> None:
    data = odt(p("a")).replace(b"content.xml", b"kontent.xml")
    with pytest.raises(Unreadable, match=r"damaged.*save it again"):
        reading.read_whole(data, "a.odt")
