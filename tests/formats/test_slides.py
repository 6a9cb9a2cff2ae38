"""Presentations (.pptx), written here part by part: which text is read, in which order, and what damage loses."""

import io
import zipfile
from dataclasses import dataclass, field

import pytest

from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.office.formula import formula
from docqa.formats.office.graphics import chart, diagram
from docqa.formats.office.package import parse
from docqa.formats.pages import Extracted
from docqa.formats.slides.reading_order import Box, in_order

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
NAMES = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" '
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main"'
)
CORE = (
    '<coreProperties xmlns="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:title>{}</dc:title></coreProperties>"
)


# The parts of a package.


@dataclass
class Slide:
    """`related` are parts with the last word of their relationship's type; their ids are r1, r2 and so on."""

    shapes: str = ""
    related: list[tuple[str, str]] = field(default_factory=list)
    attributes: str = ""


def sheet(name: str, shapes: str, attributes: str = "") -> str:
    return f"<p:{name} {NAMES} {attributes}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:{name}>"


def relations(*targets: tuple[str, str, str]) -> str:
    lines = (f'<Relationship Id="{key}" Type="{OFFICE}{kind}" Target="{target}"/>' for key, kind, target in targets)
    return (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f"{''.join(lines)}</Relationships>"
    )


def parts(*slides: Slide, inside: str = "", attributes: str = "", title: str = "") -> dict[str, str]:
    """The members of a presentation; `inside` and `attributes` belong to its main part."""
    numbers = range(1, len(slides) + 1)
    listed = "".join(f'<p:sldId id="{255 + n}" r:id="r{n}"/>' for n in numbers)
    members = {
        "_rels/.rels": relations(
            ("a", "officeDocument", "ppt/presentation.xml"), ("b", "metadata/core-properties", "docProps/core.xml")
        ),
        "docProps/core.xml": CORE.format(title),
        "ppt/presentation.xml": (
            f"<p:presentation {NAMES} {attributes}><p:sldIdLst>{listed}</p:sldIdLst>{inside}</p:presentation>"
        ),
        "ppt/_rels/presentation.xml.rels": relations(*((f"r{n}", "slide", f"slides/slide{n}.xml") for n in numbers)),
    }
    for number, slide in enumerate(slides, 1):
        members[f"ppt/slides/slide{number}.xml"] = sheet("sld", slide.shapes, slide.attributes)
        names = [f"part{number}-{index}.xml" for index in range(len(slide.related))]
        members[f"ppt/slides/_rels/slide{number}.xml.rels"] = relations(
            *(
                (f"r{index}", kind, f"../{name}")
                for index, ((kind, _), name) in enumerate(zip(slide.related, names, strict=True), 1)
            )
        )
        members |= {f"ppt/{name}": content for name, (_, content) in zip(names, slide.related, strict=True)}
    return members


def packed(members: dict[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def extracted(*slides: Slide, inside: str = "", attributes: str = "", title: str = "") -> Extracted:
    return reading.read_whole(packed(parts(*slides, inside=inside, attributes=attributes, title=title)), "a.pptx")


def text_of(shapes: str, *related: tuple[str, str]) -> str:
    return extracted(Slide(shapes, list(related))).pages[0].text


# Shapes.


def place(at: tuple[int, int, int, int] | None, tag: str = "a:xfrm") -> str:
    return f'<{tag}><a:off x="{at[0]}" y="{at[1]}"/><a:ext cx="{at[2]}" cy="{at[3]}"/></{tag}>' if at else ""


def paragraphs(words: str) -> str:
    return "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in words.split("\n"))


def shape(words: str, at: tuple[int, int, int, int] | None = None, kind: str = "") -> str:
    mark = f"<p:nvPr><p:ph {kind}/></p:nvPr>" if kind else "<p:nvPr/>"
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="1" name="n"/>{mark}</p:nvSpPr><p:spPr>{place(at)}</p:spPr>'
        f"<p:txBody>{paragraphs(words)}</p:txBody></p:sp>"
    )


def group(shapes: str, at: tuple[int, int, int, int]) -> str:
    return f"<p:grpSp><p:grpSpPr>{place(at)}</p:grpSpPr>{shapes}</p:grpSp>"


def frame(graphic: str, description: str = "") -> str:
    head = f'<p:nvGraphicFramePr><p:cNvPr id="1" name="n" descr="{description}"/><p:nvPr/></p:nvGraphicFramePr>'
    return f"<p:graphicFrame>{head}<a:graphic><a:graphicData>{graphic}</a:graphicData></a:graphic></p:graphicFrame>"


TITLE, BODY, FOOTER, NUMBER = 'type="title"', 'idx="1"', 'type="ftr"', 'type="sldNum"'


# What is read.


def test_slides_come_in_the_order_of_the_show_with_their_titles_as_sections() -> None:
    members = parts(
        Slide(shape("Body", kind=BODY) + shape("The\ntitle", kind=TITLE)), Slide(shape("second")), title=" The deck "
    )
    presentation = reading.read_whole(packed(members), "a.pptx")
    assert (presentation.kind, presentation.title, presentation.notes) == ("pptx", "The deck", [])
    assert [page.text for page in presentation.pages] == ["The\ntitle\n\nBody", "second"]
    assert [page.section for page in presentation.pages] == ["The title", ""]
    assert presentation.pages[0].headings == ((0, "The title"),)
    main = members["ppt/presentation.xml"]
    turned = main.replace('"r1"', '"r0"').replace('"r2"', '"r1"').replace('"r0"', '"r2"')
    assert [
        page.text for page in reading.read_whole(packed(members | {"ppt/presentation.xml": turned}), "a.pptx").pages
    ] == ["second", "The\ntitle\n\nBody"]


def test_a_deck_without_a_title_of_its_own_gets_none() -> None:
    members = parts(Slide(shape("words")))
    del members["docProps/core.xml"]
    assert reading.read_whole(packed(members), "a.pptx").title == ""


def test_untitled_slides_have_their_section_of_the_deck() -> None:
    section = (
        '<p:extLst><p:ext><p14:sectionLst><p14:section name="Costs"><p14:sldIdLst><p14:sldId id="256"/>'
        '<p14:sldId id="257"/></p14:sldIdLst>'
        "</p14:section></p14:sectionLst></p:ext></p:extLst>"
    )
    presentation = extracted(
        Slide(shape("one")), Slide(shape("Two", kind=TITLE)), Slide(shape("three")), inside=section
    )
    assert [page.section for page in presentation.pages] == ["Costs", "Two", ""]


def test_hidden_slides_are_read_and_marked() -> None:
    hidden = 'show="0"'
    presentation = extracted(
        Slide(shape("One", kind=TITLE), attributes=hidden),
        Slide(shape("two")),
        Slide(shape("three"), attributes='show="false"'),
    )
    assert [page.section for page in presentation.pages] == ["One (hidden slide)", "", "Hidden slide"]
    assert [page.text for page in presentation.pages] == ["One", "two", "three"]
    assert presentation.notes == ["Slides 1 and 3 are hidden in the show."]
    assert extracted(Slide(shape("one"), attributes=hidden)).notes == ["Slide 1 is hidden in the show."]


def test_footers_are_running_from_the_second_time_on_and_numbers_are_left_out() -> None:
    slides = [
        Slide(shape(f"words {n}") + shape("For internal use", kind=FOOTER) + shape(str(n), kind=NUMBER)) for n in (1, 2)
    ]
    first, second = extracted(*slides).pages
    assert first.text == "words 1\n\nFor internal use"
    assert first.running == ()
    assert [second.text[start:end] for start, end in second.running] == ["For internal use"]


def test_notes_and_comments_follow_without_the_notes_pages_number() -> None:
    notes = sheet("notes", shape("", kind='type="sldImg"') + shape("say this", kind=BODY) + shape("7", kind=NUMBER))
    old = f'<p:cmLst {NAMES}><p:cm authorId="0"><p:text>why so?</p:text></p:cm></p:cmLst>'
    answered = (
        f'<c18:cmLst {NAMES} xmlns:c18="http://schemas.microsoft.com/office/powerpoint/2018/8/main">'
        "<c18:cm><c18:replyLst><c18:reply>"
        f"<c18:txBody>{paragraphs('because')}</c18:txBody></c18:reply></c18:replyLst>"
        f"<c18:txBody>{paragraphs('why?')}</c18:txBody></c18:cm>"
        "</c18:cmLst>"
    )
    assert (
        text_of(shape("words"), ("notesSlide", notes), ("comments", old), ("comments", answered))
        == "words\n\nsay this\n\nwhy so?\n\nbecause\n\nwhy?"
    )


def test_paragraphs_breaks_and_fields_are_lines() -> None:
    words = (
        "<a:p><a:r><a:t>one </a:t></a:r><a:r><a:t>line_x000B_next</a:t></a:r><a:br/>"
        '<a:fld type="datetime"><a:t>1 May</a:t></a:fld></a:p><a:p/>'
    ) + paragraphs("last")
    assert text_of(f"<p:sp><p:txBody>{words}</p:txBody></p:sp>") == "one line\nnext\n1 May\n\nlast"


def test_the_first_of_alternatives_is_read() -> None:
    both = (
        f"<mc:AlternateContent><mc:Choice Requires='a14'>{shape('chosen')}</mc:Choice>"
        f"<mc:Fallback>{shape('instead')}</mc:Fallback></mc:AlternateContent>"
    )
    inside = (
        "<a:p><mc:AlternateContent><mc:Choice><a:r><a:t>new</a:t></a:r></mc:Choice><mc:Fallback><a:r>"
        "<a:t>old</a:t></a:r></mc:Fallback>"
        "</mc:AlternateContent></a:p>"
    )
    assert text_of(f"{both}<p:sp><p:txBody>{inside}</p:txBody></p:sp>") == "chosen\n\nnew"


def test_connectors_pictures_with_words_and_tables_are_read() -> None:
    line = f"<p:cxnSp><p:txBody>{paragraphs('on a line')}</p:txBody></p:cxnSp>"
    pictures = "".join(
        f'<p:pic><p:nvPicPr><p:cNvPr id="1" name="n" descr="{words}"/></p:nvPicPr></p:pic>'
        for words in ("A map of the lake", "Picture3", "my holiday.jpg", "A cat&#10;&#10;Description generated")
    )
    cells = [
        ("Lake", ""),
        ("wide", 'gridSpan="2"'),
        ("", 'hMerge="1"'),
        ("Deep", 'rowSpan="2"'),
        ("1", ""),
        ("2", ""),
        ("", 'vMerge="1"'),
        ("3", ""),
        ("", ""),
    ]
    tags = [f"<a:tc {marks}><a:txBody>{paragraphs(words)}</a:txBody></a:tc>" for words, marks in cells]
    rows = "".join(f"<a:tr>{''.join(tags[at : at + 3])}</a:tr>" for at in (0, 3, 6))
    assert (
        text_of(line + pictures + frame(f"<a:tbl>{rows}</a:tbl>", "Depths of it"))
        == "on a line\n\nA map of the lake\n\nLake | wide\nDeep | 1 | 2\n | 3\nDepths of it"
    )


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("<m:f><m:num>{a}</m:num><m:den>{a}{b}</m:den></m:f>", "a/(ab)"),
        ("<m:sSup><m:sSupPr><m:ctrlPr/></m:sSupPr><m:e>{a}</m:e><m:sup>{b}</m:sup></m:sSup>", "a^b"),
        ("<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{a}</m:sub><m:sup/><m:e>{b}</m:e></m:nary>", "∑_ab"),
        ("<m:rad><m:deg/><m:e>{a}{b}</m:e></m:rad>", "√(ab)"),
        ("<m:func><m:fName>{a}</m:fName><m:e><m:d><m:e>{b}</m:e></m:d></m:e></m:func>", "a (b)"),
        ("<m:d><m:dPr><m:begChr m:val='['/><m:endChr/></m:dPr><m:e>{a}</m:e><m:e>{b}</m:e></m:d>", "[a|b"),
        ("<m:m><m:mr><m:e>{a}</m:e><m:e>{b}</m:e></m:mr><m:mr><m:e>{b}</m:e><m:e>{a}</m:e></m:mr></m:m>", "a b; b a"),
    ],
)
def test_formulas_are_one_line(source: str, words: str) -> None:
    run = "<m:r><m:t>{}</m:t></m:r>"
    root = parse(f"<m:oMath {NAMES}>{source.format(a=run.format('a'), b=run.format('b'))}</m:oMath>".encode())
    assert formula(root) == words
    assert (
        text_of(
            f"<p:sp><p:txBody><a:p><a:r><a:t>So </a:t></a:r><m:oMath>{run.format('x')}</m:oMath></a:p>"
            "</p:txBody></p:sp>"
        )
        == "So x"
    )


# Charts and diagrams.


def cached(tag: str, *values: str, code: str = "") -> str:
    points = "".join(f'<c:pt idx="{index}"><c:v>{value}</c:v></c:pt>' for index, value in enumerate(values))
    return (
        f"<c:{tag}><c:numRef><c:numCache><c:formatCode>{code}</c:formatCode>{points}</c:numCache></c:numRef></c:{tag}>"
    )


def series(name: str, *points: str) -> str:
    return (
        f"<c:ser><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>{name}</c:v></c:pt></c:strCache></c:strRef>"
        f"</c:tx>{''.join(points)}</c:ser>"
    )


def chart_of(*inside: str) -> str:
    return f"<c:chartSpace {NAMES}>{''.join(inside)}</c:chartSpace>"


def test_a_charts_numbers_follow_their_categories() -> None:
    title = f"<c:title><c:tx><c:rich>{paragraphs('Rain')}</c:rich></c:tx></c:title>"
    axis = (
        "<c:valAx><c:title><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>in mm</c:v></c:pt></c:strCache>"
        "</c:strRef></c:tx></c:title></c:valAx>"
    )
    months = cached("cat", "May", "June")
    source = chart_of(
        title,
        series("North", months, cached("val", "4.3000000000000007", "2")),
        series("South", months, cached("val", "7")),
        axis,
    )
    assert chart(parse(source.encode())) == "Rain\nin mm\n | North | South\nMay | 4.3 | 7\nJune | 2"
    assert text_of(frame('<c:chart r:id="r1"/>'), ("chart", source)).startswith("Rain\n")
    assert [block[:2] for block in blocks_of(frame('<c:chart r:id="r1"/>'), ("chart", source))] == [
        ("paragraph", 0),
        ("paragraph", 0),
        ("row", 1),
        ("row", 0),
        ("row", 0),
    ]


def test_chart_numbers_are_shown_as_percents_and_dates_and_series_without_categories_have_those_of_the_first() -> None:
    days = cached("cat", "45292", "45293", code="[Red]d/m/yyyy")
    source = chart_of(
        series("Share", days, cached("val", "0.255", "1", code="0.0%")),
        series("", cached("val", "1E+21", "n/a", code='"d"0')),
    )
    assert chart(parse(source.encode())) == " | Share | \n2024-01-01 | 25.5% | 1E+21\n2024-01-02 | 100% | n/a"


def test_points_of_a_scatter_chart_and_categories_of_two_levels() -> None:
    scatter = series("Trees", cached("xVal", "1", "2"), cached("yVal", "10", "20"))
    levels = [
        "".join(f'<c:pt idx="{at}"><c:v>{words}</c:v></c:pt>' for at, words in level)
        for level in (((0, "007"), (1, "Q2"), (2, "Q1")), ((0, "2023"), (2, "2024")))
    ]
    nested = (
        f"<c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:lvl>{levels[0]}</c:lvl><c:lvl>{levels[1]}</c:lvl>"
        "</c:multiLvlStrCache></c:multiLvlStrRef></c:cat>"
    )
    source = chart_of(scatter, series("Sales", nested, cached("val", "5", "6", "7")))
    assert chart(parse(source.encode())) == " | Trees\n1 | 10\n2 | 20\n | Sales\n2023 007 | 5\n2023 Q2 | 6\n2024 Q1 | 7"


def test_charts_of_the_newer_kind() -> None:
    data = (
        '<cx:strDim type="cat"><cx:lvl><cx:pt idx="0">Won</cx:pt><cx:pt idx="1">Lost</cx:pt></cx:lvl>'
        '</cx:strDim><cx:numDim type="val">'
        '<cx:lvl formatCode="General"><cx:pt idx="0">9</cx:pt><cx:pt idx="1">4</cx:pt></cx:lvl></cx:numDim>'
    )
    series = '<cx:series><cx:tx><cx:txData><cx:v>Games</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series>'
    title = (
        "<cx:title><cx:tx><cx:txData><cx:v>Season</cx:v></cx:txData></cx:tx>"
        f"<cx:txPr>{paragraphs('Season')}</cx:txPr></cx:title>"
    )
    source = (
        f'<cx:chartSpace {NAMES}><cx:chartData><cx:data id="0">{data}</cx:data></cx:chartData>'
        f"<cx:chart>{title}{series}</cx:chart></cx:chartSpace>"
    )
    assert text_of(frame('<cx:chart r:id="r1"/>'), ("chartEx", source)) == "Season\n | Games\nWon | 9\nLost | 4"


def test_a_diagrams_points_are_read_once_in_the_order_of_its_tree() -> None:
    points = [
        ("d", "doc", ""),
        ("2", "node", "child"),
        ("1", "node", "parent"),
        ("3", "node", "sibling"),
        ("p", "pres", "parent"),
        ("t", "sibTrans", "arrow"),
    ]
    links = [("d", "3", 1), ("d", "1", 0), ("1", "2", 0), ("2", "1", 0)]
    source = (
        f"<dgm:dataModel {NAMES}><dgm:ptLst>"
        + "".join(
            f'<dgm:pt modelId="{key}" type="{kind}"><dgm:t>{paragraphs(words)}</dgm:t></dgm:pt>'
            for key, kind, words in points
        )
        + "</dgm:ptLst><dgm:cxnLst>"
        + "".join(f'<dgm:cxn srcId="{above}" destId="{below}" srcOrd="{order}"/>' for above, below, order in links)
        + "</dgm:cxnLst></dgm:dataModel>"
    )
    assert diagram(parse(source.encode())) == "parent\nchild\nsibling\narrow"
    assert text_of(frame('<dgm:relIds r:dm="r1"/>'), ("diagramData", source)) == "parent\nchild\nsibling\narrow"


# In which order.


def test_shapes_are_read_by_position_and_not_in_drawing_order() -> None:
    shapes = (
        shape("below", (0, 500, 900, 100))
        + shape("right", (500, 100, 400, 100))
        + shape("left", (0, 105, 400, 100))
        + shape("Top", (0, 0, 900, 90), TITLE)
    )
    assert text_of(shapes) == "Top\n\nleft\n\nright\n\nbelow"
    assert extracted(Slide(shapes), attributes='rtl="1"').pages[0].text == "Top\n\nright\n\nleft\n\nbelow"


def test_the_members_of_a_group_stay_together_and_lengths_may_have_units() -> None:
    inner = shape("two", (0, 9, 5, 5)) + shape("one", (0, 0, 5, 5))
    far = shape("last", (0, 0, 5, 5)).replace('x="0" y="0"', 'x="0cm" y="9.5cm"')
    assert (
        text_of(far + group(inner, (0, 2000, 900, 900)) + shape("three", (0, 3000, 5, 5)))
        == "one\n\ntwo\n\nthree\n\nlast"
    )


def test_placeholders_inherit_their_position_from_the_layout_or_master() -> None:
    layout = sheet("sldLayout", shape("prompt", (0, 0, 90, 90), BODY) + shape("prompt", None, 'type="body" idx="2"'))
    members = parts(
        Slide(
            shape("free", (0, 100, 90, 90)) + shape("lower", None, 'idx="2"') + shape("upper", None, BODY),
            [("slideLayout", layout)],
        )
    )
    members["ppt/_rels/part1-0.xml.rels"] = relations(("r1", "slideMaster", "master.xml"))
    members["ppt/master.xml"] = sheet("sldMaster", shape("prompt", (0, 200, 90, 90), 'type="body" idx="1"'))
    assert reading.read_whole(packed(members), "a.pptx").pages[0].text == "upper\n\nfree\n\nlower"


def order(*boxes: tuple[int, int, int, int] | None) -> list[int]:
    return in_order(range(len(boxes)), [Box(*box) if box else None for box in boxes])


def test_columns_of_unlike_length_are_read_one_after_the_other() -> None:
    assert order((0, 0, 100, 10), (60, 20, 100, 55), (60, 60, 100, 90), (0, 20, 40, 50), (0, 52, 40, 90)) == [
        0,
        3,
        4,
        1,
        2,
    ]


def test_the_drawing_order_decides_between_rows_and_columns() -> None:
    rows = [(left, top, left + 40, top + 10) for top in (0, 20, 40) for left in (0, 50)]
    columns = sorted(rows)
    assert order(*rows) == order(*columns) == [0, 1, 2, 3, 4, 5]


def test_a_shape_without_position_follows_the_one_drawn_before_it() -> None:
    assert order(None, (0, 50, 10, 60), None, (0, 0, 10, 10), None) == [0, 3, 4, 1, 2]


def test_boxes_that_overlap_are_read_by_lines() -> None:
    assert order((30, 5, 80, 45), (0, 0, 50, 40), (10, 35, 60, 80)) == [1, 0, 2]


def test_many_boxes_are_ordered_quickly() -> None:
    stairs = [(n, n, n + 2, n + 2) for n in range(60_000)]
    assert order(*stairs[::-1]) == list(range(60_000))[::-1]


# Files that python-pptx does not open.


@pytest.mark.parametrize("kind", ["presentationml.template.main", "vnd.ms-powerpoint.slideshow.macroEnabled.main", ""])
def test_relationships_decide_the_type_of_a_part_whatever_its_content_type(kind: str) -> None:
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        f'<Override PartName="/ppt/presentation.xml" ContentType="{kind}"/></Types>'
    )
    assert (
        reading.read_whole(packed(parts(Slide(shape("words"))) | {"[Content_Types].xml": types}), "a.pptx")
        .pages[0]
        .text
        == "words"
    )


def test_strict_files_are_read() -> None:
    strict = {
        name: content.replace("http://schemas.openxmlformats.org/", "http://purl.oclc.org/ooxml/")
        .replace("/2006/", "/")
        .replace("ooxml/package/", "ooxml/package/2006/")
        for name, content in parts(Slide(shape("Words", kind=TITLE))).items()
    }
    strict = {
        name: content.replace("http://purl.oclc.org/ooxml/package/", "http://schemas.openxmlformats.org/package/")
        for name, content in strict.items()
    }
    assert "purl.oclc.org/ooxml/presentationml/main" in strict["ppt/slides/slide1.xml"]
    assert reading.read_whole(packed(strict), "a.pptx").pages[0].section == "Words"


def test_dangling_relationships_and_names_in_another_case_do_no_harm() -> None:
    members = parts(Slide(shape("words"), [("image", "no picture")]))
    members["ppt/slides/_rels/slide1.xml.rels"] = relations(
        ("r1", "image", "NULL"), ("r2", "notesSlide", "../Notes/one%20page.xml")
    )
    members["ppt/notes/one page.xml"] = sheet("notes", shape("said"))
    assert reading.read_whole(packed(members), "a.pptx").pages[0].text == "words\n\nsaid"


def test_slides_that_all_link_to_the_next_are_opened() -> None:
    slides = [Slide(shape(str(n))) for n in range(1200)]
    members = parts(*slides)
    for number in range(1, 1200):
        members[f"ppt/slides/_rels/slide{number}.xml.rels"] = relations(("r9", "slide", f"slide{number + 1}.xml"))
    assert len(reading.read_whole(packed(members), "a.pptx").pages) == 1200


# What damage loses.


def test_missing_and_hopeless_slides_lose_only_themselves_with_a_note() -> None:
    members = parts(Slide(shape("one")), Slide(), Slide(), Slide(shape("four")))
    del members["ppt/slides/slide2.xml"]
    members["ppt/slides/slide3.xml"] = "nothing"
    presentation = reading.read_whole(packed(members), "a.pptx")
    assert [page.text for page in presentation.pages] == ["one", "", "", "four"]
    assert presentation.notes == ["Slide 2 is damaged; it was left out.", "Slide 3 is damaged; it was left out."]


def test_the_beginning_of_a_slide_that_is_cut_off_is_read() -> None:
    members = parts(Slide(shape("kept") + shape("lost")), Slide(frame('<c:chart r:id="r7"/>') + shape("too")))
    whole = members["ppt/slides/slide1.xml"]
    members["ppt/slides/slide1.xml"] = whole[: whole.index("lost") - 9]
    presentation = reading.read_whole(packed(members), "a.pptx")
    assert [page.text for page in presentation.pages] == ["kept", "too"]
    assert presentation.notes == [
        "Slide 1 is damaged; a part of it was left out.",
        "Slide 2 is damaged; a part of it was left out.",
    ]


def test_a_damaged_main_part_a_deck_without_slides_and_too_many_elements_are_refused() -> None:
    def refusal(members: dict[str, str]) -> str:
        with pytest.raises(Unreadable) as refused:
            reading.read_whole(packed(members), "a.pptx")
        return str(refused.value)

    assert "damaged" in refusal(parts(Slide()) | {"ppt/presentation.xml": "nothing"})
    assert "no slides" in refusal(parts())
    assert "too complex" in refusal(parts(Slide("<a:p/>" * 4_000_001)))


# Blocks.


def blocks_of(shapes: str, *related: tuple[str, str]) -> list[tuple[str, int, str]]:
    [page] = extracted(Slide(shapes, list(related))).pages
    return [(block.kind, block.level, page.text[block.start : block.end]) for block in page.blocks]


def test_the_title_is_a_heading_and_the_paragraphs_of_a_body_are_items() -> None:
    assert blocks_of(shape("Plan", kind=TITLE) + shape("buy\nsell", kind=BODY) + shape("A box")) == [
        ("heading", 1, "Plan"),
        ("item", 1, "buy"),
        ("item", 1, "sell"),
        ("paragraph", 0, "A box"),
    ]


def test_bullets_and_levels_are_those_of_the_paragraphs() -> None:
    words = "".join(
        f"<a:p><a:pPr{level}>{mark}</a:pPr><a:r><a:t>{line}</a:t></a:r></a:p>"
        for line, level, mark in (("lead", "", "<a:buNone/>"), ("one", "", ""), ("two", ' lvl="1"', ""))
    )
    body = shape("", kind=BODY).replace(paragraphs(""), words)
    assert blocks_of(body) == [("paragraph", 0, "lead"), ("item", 1, "one"), ("item", 2, "two")]
    bullet = '<a:p><a:pPr><a:buChar char="-"/></a:pPr><a:r><a:t>alone</a:t></a:r></a:p>'
    assert blocks_of(shape("").replace(paragraphs(""), bullet)) == [("item", 1, "alone")]


def test_a_body_of_one_paragraph_is_no_list() -> None:
    assert blocks_of(shape("There is no silver bullet", kind=BODY)) == [("paragraph", 0, "There is no silver bullet")]


def test_tables_are_rows_the_first_of_them_column_headings_if_it_says_so() -> None:
    cells = [["Site", "MWh"], ["Mill", "598"]]
    rows = "".join(
        f"<a:tr>{''.join(f'<a:tc><a:txBody>{paragraphs(cell)}</a:txBody></a:tc>' for cell in row)}</a:tr>"
        for row in cells
    )
    assert blocks_of(frame(f'<a:tbl><a:tblPr firstRow="1"/>{rows}</a:tbl>')) == [
        ("row", 1, "Site | MWh"),
        ("row", 0, "Mill | 598"),
    ]


def test_speaker_notes_are_notes() -> None:
    notes = sheet("notes", shape("Smile.\nWave.", kind='type="body" idx="1"'))
    assert blocks_of(shape("Plan", kind=TITLE), ("notesSlide", notes)) == [
        ("heading", 1, "Plan"),
        ("note", 0, "Smile."),
        ("note", 0, "Wave."),
    ]
