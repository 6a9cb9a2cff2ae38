"""Word documents (.docx), written here part by part: which text is read, on which page, as which block."""

import io
import zipfile

import pytest

from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.pages import Extracted

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SPACES = (
    f'xmlns:w="{W}" xmlns:r="{OFFICE}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
)
BREAK, RENDERED = '<w:r><w:br w:type="page"/></w:r>', "<w:r><w:lastRenderedPageBreak/></w:r>"
HIDDEN = "<w:vanish/>"


def run(words: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{words}</w:t></w:r>'


def p(*content: str, properties: str = "") -> str:
    """A paragraph; what is no markup is a run."""
    runs = "".join(part if part.startswith("<") else run(part) for part in content)
    return f"<w:p><w:pPr>{properties}</w:pPr>{runs}</w:p>"


def cell(content: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content if content.startswith('<w:') else p(content)}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    inner = "".join(part if part.startswith("<w:tc>") else cell(part) for part in cells)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{inner}</w:tr>"


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def style(identifier: str, content: str, kind: str = "paragraph", based: str = "", name: str = "") -> str:
    base = f'<w:basedOn w:val="{based}"/>' if based else ""
    return f'<w:style w:type="{kind}" w:styleId="{identifier}"><w:name w:val="{name or identifier}"/>{base}{content}</w:style>'


def item(words: str, number: int = 1, level: int = 0) -> str:
    return p(words, properties=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


def levels(*forms: tuple[str, str]) -> str:
    return "".join(
        f'<w:lvl w:ilvl="{place}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for place, (form, text) in enumerate(forms)
    )


def docx(body: str, main: str = "word/document.xml", core: str = "", **parts: str) -> bytes:
    """A document whose further parts are given by the kind of their relationship."""
    types = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    members = {"[Content_Types].xml": f'<Types><Override ContentType="{types}"/></Types>', "docProps/core.xml": core}
    members["_rels/.rels"] = relations({"a": ("officeDocument", main), "b": ("core-properties", "docProps/core.xml")})
    for name, content in parts.items():
        kind = name.rstrip("0123456789")
        root = {"header": "hdr", "footer": "ftr"}.get(kind, kind)
        members[f"word/{name}.xml"] = content if content[:5] == "<?xml" else f"<w:{root} {SPACES}>{content}</w:{root}>"
    links = {name: (name.rstrip("0123456789"), f"{name}.xml") for name in parts}
    members["word/_rels/document.xml.rels"] = members["word/_rels/document2.xml.rels"] = relations(links)
    members[main] = f"<w:document {SPACES}><w:body>{body}</w:body></w:document>"
    return archive_of({name: content for name, content in members.items() if content})


def archive_of(members: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def relations(links: dict[str, tuple[str, str]]) -> str:
    inner = "".join(
        f'<Relationship Id="{key}" Type="{OFFICE}/{kind}" Target="{to}"/>' for key, (kind, to) in links.items()
    )
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{inner}</Relationships>'
    )


def read(body: str, **parts: str) -> Extracted:
    return reading.read_whole(docx(body, **parts), "a.docx")


def text(body: str, **parts: str) -> str:
    return "\f".join(page.text for page in read(body, **parts).pages)


def blocks(body: str, **parts: str) -> list[tuple[str, int, str]]:
    return [
        (block.kind, block.level, page.text[block.start : block.end])
        for page in read(body, **parts).pages
        for block in page.blocks
    ]


# --- which text is shown ---


def test_changes_are_read_as_accepted() -> None:
    body = p("old ", f"<w:ins>{run('new ')}</w:ins>", "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>", "end")
    body += p(f"<w:moveFrom>{run('there')}</w:moveFrom>", f"<w:moveTo>{run('here')}</w:moveTo>")
    assert text(body) == "old new end\n\nhere"


def test_a_paragraph_whose_mark_is_deleted_goes_on_in_the_next() -> None:
    body = p("The fee is ", properties="<w:rPr><w:del/></w:rPr>") + p("100 euros.") + p("Next.")
    assert text(body) == "The fee is 100 euros.\n\nNext."
    body = p("Before.", properties="<w:rPr><w:del/></w:rPr>") + table(row("a", "b"))
    assert text(body) == "Before.\n\na | b"


def test_deleted_and_hidden_rows_and_cells_are_left_out() -> None:
    rows = row("a", "b"), row("c", "d", properties="<w:del/>"), row("e", "f", properties="<w:hidden/>")
    assert text(table(*rows, row("g", cell("h", "<w:cellDel/>"), "i"))) == "a | b\ng | i"


def test_hidden_text_is_left_out_however_it_is_hidden() -> None:
    styles = style("Secret", f"<w:rPr>{HIDDEN}</w:rPr>") + style("Mark", f"<w:rPr>{HIDDEN}</w:rPr>", "character")
    styles += style("Deeper", "", based="Secret")
    body = p("a ", run("gone", HIDDEN), run("shown", '<w:vanish w:val="0"/>'), run("gone", '<w:rStyle w:val="Mark"/>'))
    body += p("gone", properties='<w:pStyle w:val="Deeper"/>')
    # Two switches of styles cancel each other (17.7.3).
    body += p(run("twice", '<w:rStyle w:val="Mark"/>'), properties='<w:pStyle w:val="Secret"/>')
    assert text(body, styles=styles) == "a shown\n\ntwice"


def field(instruction: str, *result: str) -> str:
    mark = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'.format
    middle = (mark("separate"), *map(run, result)) if result else ()
    return "".join((mark("begin"), f"<w:r><w:instrText>{instruction}</w:instrText></w:r>", *middle, mark("end")))


def test_fields_show_their_results() -> None:
    assert text(p("see ", field(f"REF a{field('PAGE', 'gone')}", "page 4"), " there")) == "see page 4 there"
    assert text(p(field("MACROBUTTON x Click here"))) == "Click here"
    assert text(p(field(r"SYMBOL 97 \f Symbol"))) == "α"
    assert text(p('<w:fldSimple w:instr="DATE"><w:r><w:t>1 May</w:t></w:r></w:fldSimple>')) == "1 May"


def test_a_field_that_never_ends_is_none() -> None:
    assert text(p('<w:r><w:fldChar w:fldCharType="begin"/></w:r>', "words") + p("more")) == "words\n\nmore"


def test_boxes_of_forms_show_whether_they_are_ticked() -> None:
    def box(state: str) -> str:
        data = f"<w:ffData><w:checkBox>{state}</w:checkBox></w:ffData>"
        return (
            f'<w:r><w:fldChar w:fldCharType="begin">{data}</w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
        )

    assert text(p(box("<w:checked/>"), " yes ", box('<w:default w:val="0"/>'), " no")) == "☒ yes ☐ no"


def test_symbols_formulas_and_signs() -> None:
    body = p(
        '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>', " done", "<w:r><w:noBreakHyphen/><w:cr/></w:r>", "b"
    )
    body += p(
        "<m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>"
    )
    body += p(
        "<w:ruby><w:rt><w:r><w:t>かん</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby>"
    )
    assert text(body) == "☑ done\u2011\nb\n\nx^2\n\n漢"


def test_a_text_box_is_read_once() -> None:
    box = f"<w:txbxContent>{p('boxed')}</w:txbxContent>"
    both = f"<mc:AlternateContent><mc:Choice><w:drawing><wps:txbx>{box}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent>"
    assert text(p("around", f"<w:r>{both}</w:r>") + p("after")) == "around\n\nboxed\n\nafter"
    picture = '<w:drawing><wp:docPr descr="A map of the harbour"/></w:drawing>'
    assert text(p(f"<w:r>{picture}</w:r>")) == "A map of the harbour"


def test_text_in_content_controls_links_and_other_elements_is_read() -> None:
    body = f"<w:sdt><w:sdtPr><w:alias w:val='no'/></w:sdtPr><w:sdtContent>{p('a')}</w:sdtContent></w:sdt>"
    assert text(body + p(f"<w:hyperlink r:id='x'>{run('link')}</w:hyperlink>")) == "a\n\nlink"
    assert text(f"<w:customXml>{p(f'<w:smartTag>{run(chr(98))}</w:smartTag>')}</w:customXml>") == "b"


# --- notes, comments, headers ---


def note(kind: str, identifier: int, words: str, attributes: str = "") -> str:
    return f'<w:{kind} w:id="{identifier}" {attributes}>{p(words)}</w:{kind}>'


def test_notes_and_comments_follow_their_paragraph_and_endnotes_the_text() -> None:
    refer = '<w:r><w:{}Reference w:id="7"/></w:r>'.format
    body = p("one", refer("footnote"), refer("endnote"), refer("comment")) + p("two")
    parts = {
        "footnotes": note("footnote", 0, "line", 'w:type="separator"') + note("footnote", 7, "the note"),
        "endnotes": note("endnote", 7, "at the end"),
        "comments": note("comment", 7, "why?", 'w:author="Ada Byron"'),
    }
    assert [block for block in blocks(body, **parts) if block[0] == "note"] == [
        ("note", 0, "1 the note"),
        ("note", 0, "Comment (Ada Byron): why?"),
        ("note", 0, "i at the end"),
    ]
    assert text(body, **parts).startswith("one\n\n1 the note\n\nComment (Ada Byron): why?\n\ntwo")


def test_notes_of_notes_and_of_deleted_text_are_none() -> None:
    refer = '<w:r><w:footnoteReference w:id="1"/></w:r>'
    assert text(p("a", refer), footnotes=f'<w:footnote w:id="1">{p("b", refer)}</w:footnote>') == "a\n\n1 b"
    assert text(p("a", f"<w:del>{refer}</w:del>"), footnotes=note("footnote", 1, "b")) == "a"


def section(kinds: str = "", **references: str) -> str:
    links = "".join(f'<w:{key}Reference w:type="{kind}" r:id="{key}1"/>' for key, kind in references.items())
    return f"<w:sectPr>{links}{kinds}</w:sectPr>"


def test_headers_and_footers_stand_once_and_are_marked_where_they_repeat() -> None:
    parts = {"header1": p("Top"), "footer1": p("Bottom")}
    end = section(header="default", footer="default")
    assert blocks(p("only page") + end, **parts)[0] == ("paragraph", 0, "Top")
    several = blocks(p("one", BREAK) + p("two") + end, **parts)
    assert [block for block in several if block[0] == "boilerplate"] == [
        ("boilerplate", 0, "Top"),
        ("boilerplate", 0, "Bottom"),
    ]
    again = p("one", properties=end) + p("two") + end
    assert text(again, **parts) == "Top\n\none\n\nBottom\ftwo"


def test_the_footer_of_a_first_page_stands_on_it() -> None:
    body = p("one", BREAK) + p("two") + section("<w:titlePg/>", header="first", footer="first")
    pages = read(body, header1=p("Letterhead"), footer1=p("Bank account")).pages
    assert [page.text for page in pages] == ["Letterhead\n\none\n\nBank account", "two"]
    assert all(block.kind != "boilerplate" for page in pages for block in page.blocks)


# --- pages ---


@pytest.mark.parametrize(
    ("body", "pages"),
    [
        (p("a") + p(RENDERED, "b"), ["a", "b"]),
        (p("a", RENDERED, "b"), ["a", "b"]),
        (p("a", BREAK) + p("b"), ["a", "b"]),
        (p("a", BREAK) + p(RENDERED, "b"), ["a", "b"]),
        (p("a", BREAK) + p() + p(RENDERED, "b"), ["a", "b"]),
        (p("a", BREAK) + p(BREAK) + p(RENDERED, "c"), ["a", "", "c"]),
        (p("a") + p(RENDERED) + p(RENDERED, "c"), ["a", "", "c"]),
        (p("a") + p("b", properties="<w:pageBreakBefore/>"), ["a", "b"]),
        (p("a") + p(RENDERED, "b", properties="<w:pageBreakBefore/>"), ["a", "b"]),
        (p("a", properties=section()) + p("b") + section(), ["a", "b"]),
        (p("a", properties=section()) + p("b") + section('<w:type w:val="continuous"/>'), ["a\n\nb"]),
        (p("a", f"<w:del>{RENDERED}</w:del>") + p("b"), ["a", "b"]),
        (table(row("a", "b"), row(cell(p(RENDERED, "c")), "d")), ["a | b", "c | d"]),
        (table(row("a", cell(p("b", RENDERED, "c")))), ["a | b", "| c"]),
    ],
)
def test_pages_are_those_that_word_showed(body: str, pages: list[str]) -> None:
    assert [page.text.strip() for page in read(body).pages] == pages


def test_without_page_breaks_pages_end_at_paragraphs() -> None:
    pages = read("".join(p(f"{number} " + "word " * 50) for number in range(40))).pages
    assert len(pages) > 2
    assert all(2_000 < len(page.text) < 4_500 for page in pages[:-1])
    assert all(page.text[:1].isdigit() for page in pages)


def test_a_long_page_of_word_stays_one() -> None:
    assert len(read(p("x " * 9_000) + p(RENDERED, "b")).pages) == 2
    assert len(read(p("x " * 9_000, BREAK) + p("b")).pages) > 3


# --- blocks ---


@pytest.mark.parametrize(
    ("properties", "level"),
    [
        ('<w:outlineLvl w:val="1"/>', 2),
        ('<w:pStyle w:val="berschrift3"/>', 3),
        ('<w:pStyle w:val="Mine"/>', 1),
        ('<w:pStyle w:val="Titre2"/>', 2),
        ('<w:pStyle w:val="Doc"/>', 1),
        ('<w:pStyle w:val="Mine"/><w:outlineLvl w:val="9"/>', 0),
    ],
)
def test_headings_are_known_by_outline_level_or_the_name_of_their_style(properties: str, level: int) -> None:
    styles = style("H1", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>') + style("Mine", "", based="H1")
    styles += style("berschrift3", "", name="heading 3") + style("Doc", "", name="Title")
    body = p("The terms", properties=properties) + p("They are long. " * 30)
    page = read(body, styles=styles).pages[0]
    assert page.headings == (((0, "The terms"),) if level else ())
    assert not level or page.blocks[0] == ("heading", 0, 9, level)


def test_styles_based_on_each_other_are_no_loop() -> None:
    styles = style("A", "", based="B") + style("B", f"<w:rPr>{HIDDEN}</w:rPr>", based="A")
    assert text(p("a", properties='<w:pStyle w:val="A"/>') + p("b"), styles=styles) == "b"


def numbering(*definitions: str, lists: str = "") -> str:
    made = "".join(
        f'<w:abstractNum w:abstractNumId="{place}">{content}</w:abstractNum>'
        for place, content in enumerate(definitions)
    )
    return made + (lists or '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>')


def test_items_have_their_numbers() -> None:
    forms = levels(("decimal", "%1."), ("lowerLetter", "%2)"), ("upperRoman", "%1.%3"))
    body = item("a") + item("b", level=1) + item("c", level=1) + item("d", level=2) + item("e") + item("f", level=1)
    assert text(body, numbering=numbering(forms)) == "1. a\na) b\nb) c\n1.I d\n2. e\na) f"
    assert blocks(body, numbering=numbering(forms))[3] == ("item", 3, "1.I d")


def test_lists_of_one_definition_count_on_unless_they_say_otherwise() -> None:
    again = '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>'
    lists = "".join(f'<w:num w:numId="{n}"><w:abstractNumId w:val="0"/></w:num>' for n in (1, 2)) + again
    body = item("a") + item("b", 2) + item("c", 3) + item("d", 3) + item("none", 0)
    made = numbering(levels(("decimal", "(%1)")), lists=lists)
    assert text(body, numbering=made) == "(1) a\n(2) b\n(5) c\n(6) d\n\nnone"


def test_a_style_may_number_its_headings_and_bullets_are_dots() -> None:
    styles = style("H1", '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="0"/></w:pPr>')
    styles += style("H2", '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="1"/></w:pPr>')
    forms = '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:lvlText w:val="Article %1"/><w:pStyle w:val="H1"/></w:lvl>'
    forms += '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:lvlText w:val="%1.%2"/><w:pStyle w:val="H2"/></w:lvl>'
    made = numbering(forms, levels(("bullet", "\uf0b7")), lists="".join(
        f'<w:num w:numId="{n}"><w:abstractNumId w:val="{n - 1}"/></w:num>' for n in (1, 2)
    ))  # fmt: skip
    body = "".join(
        p(words, properties=f'<w:pStyle w:val="{name}"/>') for words, name in (("A", "H1"), ("B", "H2"), ("C", "H2"))
    )
    assert [*blocks(body + item("d", 2), styles=styles, numbering=made)] == [
        ("heading", 1, "Article 1 A"),
        ("heading", 2, "1.1 B"),
        ("heading", 2, "1.2 C"),
        ("item", 1, "• d"),
    ]


def test_tables_have_rows_with_merged_cells_and_headings() -> None:
    body = table(
        row(
            cell("Year", '<w:vMerge w:val="restart"/>'),
            cell("Sales", '<w:gridSpan w:val="2"/>'),
            properties="<w:tblHeader/>",
        ),
        row(cell("gone", "<w:vMerge/>"), "North", "South", properties="<w:tblHeader/>"),
        row("2024", "1", "2"),
    )
    assert blocks(body) == [
        ("row", 1, "Year | Sales"),
        ("row", 1, "| North | South"),
        ("row", 0, "2024 | 1 | 2"),
    ]


def test_the_only_bold_row_heads_a_table() -> None:
    bold = [cell(p(run(words, "<w:b/>"))) for words in ("Name", "Price")]
    assert blocks(table(row(*bold), row("Tea", "2"), row("Milk", "1")))[0] == ("row", 1, "Name | Price")


def test_tables_in_tables_are_tables_and_layout_is_text() -> None:
    inner = table(row("a", "b"), row("c", "d"))
    assert text(table(row(cell(p("left") + inner), "right"))) == "left\n\na | b\nc | d\n\nright"
    assert text(table(row("one"), row("two"))) == "one\n\ntwo"


# --- packages ---


def test_variants_are_read_wherever_their_main_part_is() -> None:
    assert reading.read_whole(docx(p("a"), main="word/document2.xml"), "x.bin").pages[0].text == "a"
    assert reading.read_whole(docx(p("a"), main="parts/main.xml"), "x.docm").pages[0].text == "a"


def test_strict_files_are_read() -> None:
    spaces = {
        W: "http://purl.oclc.org/ooxml/wordprocessingml/main",
        OFFICE: "http://purl.oclc.org/ooxml/officeDocument/relationships",
    }
    with zipfile.ZipFile(io.BytesIO(docx(p("strict")))) as source:
        members = {name: source.read(name).decode() for name in source.namelist()}
    for old, new in spaces.items():
        members = {name: content.replace(old, new) for name, content in members.items()}
    assert reading.read_whole(archive_of(members), "a.docx").pages[0].text == "strict"


def test_a_damaged_part_loses_only_itself() -> None:
    made = read(p("kept", '<w:r><w:footnoteReference w:id="1"/></w:r>'), footnotes="<?xml version='1.0'?><w:footnotes")
    assert made.pages[0].text == "kept"
    assert made.notes == ["A part of the document is damaged; some of its text may be missing."]


def test_a_document_without_a_body_is_refused() -> None:
    with pytest.raises(Unreadable, match=r"damaged.*save it again"):
        reading.read_whole(archive_of({"word/document.xml": "<w:document xmlns:w='x'/>"}), "a.docx")
    with pytest.raises(Unreadable, match="no text"):
        read(p(""))


def test_what_the_document_says_of_itself() -> None:
    spaces = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:t="http://purl.org/dc/terms/"'
    core = f"<core {spaces}><dc:title>Terms</dc:title><dc:creator>Ada</dc:creator><t:created>2024-05-06T07:08:09Z</t:created></core>"
    made = reading.read_whole(docx(p("a"), core=core), "a.docx")
    assert (made.title, made.properties.author, made.properties.date) == ("Terms", "Ada", "2024-05-06")


def test_nothing_nested_too_deep_is_followed() -> None:
    deep = "<w:smartTag>" * 150 + run("deep") + "</w:smartTag>" * 150
    made = read(p("a", deep) + p("b"))
    assert made.pages[0].text == "a\n\nb"
    assert "nested more than 100 deep" in made.notes[0]
