"""Web pages: which part of them is read, and what their elements become."""

import time

import pytest

from conftest import torture
from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.markup.html import DEEPEST, parse, prose
from docqa.formats.pages import Extracted

SENTENCES = "".join(
    f"<p>Paragraph {n} tells at some length, with commas, what an article about rivers, lakes and seas has to say.</p>"
    for n in range(9)
)
LINKS = "".join(f'<li><a href="/{n}">Another subject of this site, number {n}</a></li>' for n in range(30))


def read(page: str | bytes, media_type: str = "text/html") -> Extracted:
    return reading.read_whole(page.encode() if isinstance(page, str) else page, "page", media_type)


def text(page: str | bytes, media_type: str = "text/html") -> str:
    return "\n\n".join(logical.text for logical in read(page, media_type).pages)


def body(markup: str) -> str:
    root = parse(f"<html><body>{markup}</body></html>")
    assert root is not None
    return prose(root).text


# --- the article ---


def test_an_article_is_read_without_what_surrounds_it() -> None:
    page = f"""<html><head><title>Waters of the North - The Site</title></head><body>
        <header><h1>The Site</h1><nav><ul>{LINKS}</ul></nav></header>
        <div class=banner><h1>Waters of the North</h1><span class=byline>by the editors</span></div>
        <div id=cookies>We value your privacy. <button>Accept</button></div>
        <div class="content"><h2>Rivers</h2>{SENTENCES}<h2>Lakes</h2><ul><li>deep</li><li>cold</li></ul>
        <table><tr><th>Lake</th><th>Depth</th></tr><tr><td>Long</td><td>230</td></tr></table>{SENTENCES}
        <h3>Related posts</h3></div>
        <footer>Imprint <ul>{LINKS}</ul></footer></body></html>"""
    extracted = read(page)
    everything = text(page)
    assert extracted.title == "Waters of the North - The Site"
    assert everything.startswith("Waters of the North\n\nRivers\n\nParagraph 0 tells")
    assert "\n\nLakes\n\ndeep\ncold\n\nLake | Depth\nLong | 230\n\nParagraph 0" in everything
    assert [title for logical in extracted.pages for _, title in logical.headings] == [
        "Waters of the North",
        "Rivers",
        "Lakes",
    ]
    for outside in ("Another subject", "privacy", "Accept", "Imprint", "editors", "Related", "The Site"):
        assert outside not in everything


def test_the_offsets_of_headings_are_right() -> None:
    page = "".join(f"<h2>Part {n} of <em>many</em></h2>{SENTENCES}" for n in range(5))
    extracted = read(f"<html><body><ul>{LINKS}</ul><article>{page}</article></body></html>")
    headings = [(logical, at, title) for logical in extracted.pages for at, title in logical.headings]
    assert [title for _, _, title in headings] == [f"Part {n} of many" for n in range(5)]
    assert all(logical.text.startswith(title, at) for logical, at, title in headings)


def test_a_long_row_of_links_within_an_article_is_left_out_and_a_linked_heading_is_not() -> None:
    page = (
        f'<article>{SENTENCES}<div class="sidebar"><ul>{LINKS}</ul></div><h2><a href="#more">More of it</a>'
        f"</h2>{SENTENCES}</article>"
    )
    article = text(f"<html><body>{page}</body></html>")
    assert "Another subject" not in article
    assert "\n\nMore of it\n\n" in article


@pytest.mark.parametrize(
    "markup",
    [
        "<h1>Menu</h1><ul><li>Soup</li><li>Bread</li></ul><p>The kitchen closes at ten.</p>",
        "<table>" + "".join(f"<tr><td>Station {n}</td><td>{n * 7} m</td></tr>" for n in range(200)) + "</table>",
        "".join(
            (
                f"<div class=post><b>member{n}</b>"
                f"<p>Remark {n}, which is long enough to be taken for an article, with commas, and "
                "more.</p></div>"
            )
            for n in range(40)
        ),
        "<form><label>Name</label> <input name=a><label>Password</label></form><p>Sign in to go on.</p>",
        f"<ul>{LINKS}</ul>",
        "One line of text.",
    ],
)
def test_a_page_without_an_article_gives_all_its_text(markup: str) -> None:
    page = f"<html><body>{markup}<p>The last words</p></body></html>"
    root = parse(page)
    assert root is not None
    assert text(page).replace("\n\n", "\n") == prose(root).text.replace("\n\n", "\n")


def test_an_article_that_is_a_small_part_of_the_text_is_not_all_that_is_read() -> None:
    posts = "".join(f"<section><h3>Answer {n}</h3><div>{SENTENCES}</div></section>" for n in range(12))
    content = text(f"<html><body><h1>How do rivers end?</h1>{posts}</body></html>")
    assert all(f"Answer {n}\n" in content for n in range(12))


def test_lists_and_notices_that_are_no_article_are_read_whole() -> None:
    """Half of what is long enough to be a paragraph must be in an article."""
    intro = f"<div class=content>{SENTENCES}</div>"
    entries = "".join(
        f"<table><tr><td>Notice {n}</td></tr><tr><td>{SENTENCES[:300]}</td></tr></table>" for n in range(30)
    )
    content = text(f"<html><body>{intro}{entries}</body></html>")
    assert all(f"Notice {n}\n" in content for n in range(30))


def test_comments_of_readers_do_not_count_and_are_left_out() -> None:
    remarks = "".join(
        f"<li>Remark {n}: what a reader has to say on rivers, at length, with commas.</li>" for n in range(40)
    )
    content = text(f"<html><body><article>{SENTENCES}</article><div id=comments><ol>{remarks}</ol></div></body></html>")
    assert "Paragraph 8" in content
    assert "Remark" not in content


def test_dates_and_first_sentences_under_the_title_belong_to_the_article() -> None:
    first = "All waters of the north, the report says, are colder than they were, and deeper by a metre."
    head = f"<h1>Waters of the North</h1><div>by us</div><div>Updated 2 March 2026</div><div>{first}</div>"
    content = text(
        f"<html><head><title>Waters of the North</title></head><body><ul>{LINKS}</ul>{head}"
        f"<div class=content>{SENTENCES * 2}</div></body></html>"
    )
    assert content.startswith(f"Waters of the North\n\nUpdated 2 March 2026\n\n{first}\n\nParagraph 0")


def test_a_page_that_shows_nothing_gives_what_it_says_without_scripts() -> None:
    assert (
        text("<html><body><div id=app></div><noscript><p>Please turn scripts on.</p></noscript></body></html>")
        == "Please turn scripts on."
    )
    assert text('<html><body style="display: none"><p>Shown by a script.</p></body></html>') == "Shown by a script."
    assert "scripts" not in text("<html><body><p>Text</p><noscript>Please turn scripts on.</noscript></body></html>")


def test_titles() -> None:
    assert read('<meta property="og:title" content="Social"><title>Plain</title><p>x').title == "Social"
    assert read("<title> Plain\n title</title><svg><title>Icon</title></svg><p>x").title == "Plain title"
    assert read("<svg><title>Icon</title></svg><h1>Only a <em>heading</em></h1><p>x").title == "Only a heading"
    assert read("<p>x").title == ""


# --- elements ---


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>one<p>two<div>three <b>bold</b><i>er</i>,\n four</div>", "one\n\ntwo\n\nthree bolder, four"),
        ("line<br>break<br/><br>more", "line\nbreak\nmore"),
        ("<ul><li>a<ul><li>b</li><li>c</li></ul></li><li><p>d</p></li></ul>", "a\n\nb\nc\n\nd"),
        ("<dl><dt>term</dt><dd>meaning</dd><dt>other</dt><dd>sense</dd></dl>", "term\nmeaning\nother\nsense"),
        ("<pre>\ndef f():\n    <b>return</b> 1\n\n\nx<br>y</pre>after", "def f():\n    return 1\n\n\nx\ny\n\nafter"),
        ("<h1>A<br>b</h1><p>c", "A b\n\nc"),
        ("a&amp;b &lt;c&gt; &copy; &nbsp;d &#x41;&#66; e\u00adf", "a&b <c> © \u00a0d AB e\u00adf"),
        ("water H<sub>2</sub>O<sup>[1]</sup>", "water H2O[1]"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</rt></ruby>です", "漢字です"),
        ("<figure><img alt='a picture'><figcaption>What it shows</figcaption></figure>", "What it shows"),
        ("<details><summary>Question</summary>Answer</details>", "Question\n\nAnswer"),
        ((
                "<h3><button>Opens</button></h3><button aria-expanded=false>Also opens</button><p>x</p>"
                "<button>Share</button>"
            ), "Opens\n\nAlso opens\n\nx"),
        ((
                "a<script>1</script><style>2</style><template>3</template><svg><text>4</text></svg><select>"
                "<option>5</select>b"
            ), "ab"),
        ((
                "a<!-- 1 --><span hidden>2</span><span style='color:red; DISPLAY : none'>3</span>"
                "<dialog>4</dialog>b<dialog open>c</dialog>"
            ), "ab\n\nc"),
        ("<p hidden=until-found>found</p><p aria-hidden=true>shown</p>", "found\n\nshown"),
        ("<frameset><frame src=a><noframes>no frames</noframes></frameset>", "no frames"),
        ("<custom-part>kept</custom-part><o:p>too</o:p><html:p>new</html:p>", "kepttoo\n\nnew"),
        ("<p>a<x\"y>b</x\"y>&#1;c</p>", "abc"),
        ("<p><![CDATA[1 < 2 & <b>]]> x</p>", "1 < 2 & <b> x"),
    ],
)  # fmt: skip
def test_elements(markup: str, expected: str) -> None:
    assert body(markup) == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (
            (
                "<caption>Trade</caption><tr><th></th><th>2019</th><th>2020</th></tr><tr><th>Wool</th>"
                "<td>5</td><td></td></tr>"
            ),
            "Trade\n| 2019 | 2020\nWool | 5",
        ),
        (
            (
                "<tr><th>Name</th><th colspan=2>Size</th><th>Age</th></tr><tr><td>a</td><td>1</td>"
                "<td>2</td><td>3</td></tr>"
            ),
            "Name | Size | | Age\na | 1 | 2 | 3",
        ),
        (
            (
                "<tr><td rowspan=2>soft</td><td>1</td><td rowspan=3>yes</td></tr><tr><td>2</td></tr>"
                "<tr><td></td><td>3</td></tr><tr><td>hard</td><td>4</td><td>no</td></tr>"
            ),
            "soft | 1 | yes\nsoft | 2 | yes\n | 3 | yes\nhard | 4 | no",
        ),
        (f"<tr><td rowspan=2>{'x' * 70}</td><td>1</td></tr><tr><td>2</td></tr>", f"{'x' * 70} | 1\n | 2"),
        ("<tr><td><p>one</p><p>two</p></td><td><ul><li>x</li><li>y</li></ul></td></tr>", "one two | x y"),
        ("<tr><td>left</td><td><table><tr><td>in</td><td>ner</td></tr></table></td></tr>", "left\n\nin | ner"),
        ("<tr><td><h2>Head</h2>words</td><td>aside</td></tr>", "Head\n\nwords\naside"),
        ("<tr><td><pre>1\n2</pre></td><td><pre>a\n  b</pre></td></tr>", "1\n2\n\na\n  b"),
        (
            (
                "<tr><td>one cell</td></tr><tr><td></td><td></td></tr><tr><td colspan=x>a</td>"
                "<td colspan=99999999999>b</td></tr>"
            ),
            "one cell\na | b",
        ),
    ],
)
def test_rows_of_tables(markup: str, expected: str) -> None:
    assert body(f"<table>{markup}</table>") == expected


def test_a_layout_table_keeps_its_paragraphs() -> None:
    assert "seas has to say.\n\nParagraph 1" in body(f"<table><tr><td>menu</td><td>{SENTENCES * 5}</td></tr></table>")


@pytest.mark.parametrize(
    "markup",
    [
        'is <math alttext="x^2"><msup><mi>x</mi><mn>2</mn></msup></math>.',
        (
            "is <math><semantics><mrow><mi>x</mi></mrow>"
            "<annotation encoding='application/x-tex'>x^2</annotation></semantics></math>."
        ),
        "is <span style='display:none'><math alttext='x^2'><mi>x</mi></math></span><img alt='x'>.",
        "is <span class=a><math alttext='x^2'></math></span><span aria-hidden=true><i>x</i><i>2</i></span>.",
    ],
)
def test_a_formula_is_read_once_as_it_was_written(markup: str) -> None:
    assert body(markup) == "is x^2."


def test_a_formula_without_source_gives_its_symbols() -> None:
    assert body("<math>\n<mfrac><mn>12</mn><mi>n</mi></mfrac> </math> each") == "12 n each"


def test_offsets_of_ids() -> None:
    root = parse(
        "<html><body><p id=one>a</p><p>bb <a name=two>c</a></p><h2 id=three>dd</h2><p id=end></p></body></html>"
    )
    assert root is not None
    content = prose(root)
    assert {name: content.text[at:] for name, at in content.anchors.items()} == {
        "one": "a\n\nbb c\n\ndd",
        "two": "c\n\ndd",
        "three": "dd",
        "end": "",
    }


# --- what servers send ---


def test_charsets() -> None:
    page = (
        "<html><head>{}</head><body><p>Der Fluß fließt durch größere Städte, über Brücken und Wälder</p></body></html>"
    )
    latin = page.format('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">').encode("cp1252")
    assert "Fluß fließt" in text(latin)
    assert "Fluß fließt" in text(latin, "text/html; charset=none-such")
    assert "Fluß fließt" in text(latin, "text/html; charset=utf-8")
    assert "Fluß fließt" in text(page.format("<meta charset=utf-16>").encode("cp1252"))
    assert "Fluß fließt" in text(page.format("").encode("utf-16"))
    assert "Fluß fließt" in text(page.format("<meta charset=iso-8859-1>").encode())
    assert "река" in text(
        "<html><meta charset=iso-8859-1><p>Северная река впадает в море".encode("cp1251"),
        "text/html; charset=windows-1251",
    )


def test_xhtml_of_servers_that_mean_it() -> None:
    page = (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">'
        '<head><title/><script src="a.js"/></head>'
    )
    assert (
        text(page + "<body><p>one<a id='x'/></p><p/><p>two</p></body></html>", "application/xhtml+xml") == "one\n\ntwo"
    )


def test_what_is_no_html_is_read_as_it_is() -> None:
    assert text('{"a": 1,\n  "b": "2 < 3"}') == '{"a": 1,\n  "b": "2 < 3"}'
    assert text("first line\nsecond   line & more") == "first line\nsecond   line & more"


def test_private_characters_of_the_page_stay() -> None:
    assert text("<p>a \U00100000 b</p><p>\U0010fffd</p>") == "a \U00100000 b\n\n\U0010fffd"


def test_pages_without_text_are_refused() -> None:
    with pytest.raises(Unreadable, match="no HTML"):
        read("<!-- nothing -->")
    with pytest.raises(Unreadable, match="no text"):
        read("<html><body><img src=a></body></html>")


# --- size ---


@pytest.mark.parametrize("tag", ["div", "b", "ul><li", "table><tr><td", "span hidden=until-found", "font", "a href=x"])
def test_nesting_loses_nothing(tag: str) -> None:
    deep = 2 * DEEPEST
    page = (
        "<html><body>start "
        + f"<{tag}>" * deep
        + "middle"
        + f"</{tag.split('>')[0].split()[0]}>" * deep
        + " <script>never</script><p>end</p></body></html>"
    )
    assert text(page).split() == ["start", "middle", "end"]


@pytest.mark.parametrize(
    "page",
    [
        "<p " + " ".join(f"a{n}=1" for n in range(200_000)) + ">words</p>",
        "<b>" * 100_000 + "words",
        torture("<p>words" + "<b>x</b>y" * 200_000),
        torture("<table>" + "<tr><td>words" * 100_000),
        torture("<table><tr>" + "<td></td>" * 200_000 + "<td>words</td></tr></table>"),
        "words" + "<![CDATA[" * 300_000,
        "words" + "<?xml <html <div " * 100_000,
        "words" + "<a " * 300_000,
        "<article>words" + "<p class=subtitle>lead, of a story, that is long enough</p>" * 20_000 + "</article>",
        "<p>words" + " " * 3_000_000 + "</p>" + SENTENCES,
        torture("words<math>" + "<mi aria-hidden=true>x</mi>" * 50_000),
        "<meta charset" * 200_000 + "<p>words",
    ],
    ids=lambda page: page[:24],
)
def test_no_page_takes_long(page: str) -> None:
    start = time.process_time()
    assert "words" in text(page)
    assert time.process_time() - start < 15


def test_too_many_elements_are_refused() -> None:
    with pytest.raises(Unreadable, match="more than 1,000,000 elements"):
        read("<i>" * 1_000_001)


# --- blocks ---


def blocks_of_page(body: str) -> list[tuple[str, int, str]]:
    """(kind, level, text) of the blocks of a page that is no article."""
    [page] = read(f"<html><body>{body}</body></html>").pages
    return [(block.kind, block.level, page.text[block.start : block.end]) for block in page.blocks]


def test_terms_head_what_explains_them_however_they_are_written() -> None:
    assert blocks_of_page(
        "<p>Options:</p><dl><dt><code>-v</code></dt><dd>Say more.</dd><dt>width</dt><dd>In metres.</dd></dl>"
    ) == [
        ("paragraph", 0, "Options:"),
        ("heading", 6, "-v"),
        ("paragraph", 0, "Say more."),
        ("heading", 6, "width"),
        ("paragraph", 0, "In metres."),
    ]


def test_elements_are_blocks_of_their_kind() -> None:
    assert blocks_of_page(
        "<h2>Prices</h2><p>They hold until May:</p><ul><li>tea<ul><li>green</li></ul></li><li><p>milk,</p><p>cold</p>"
        "</li></ul><table><caption>All of them</caption><tr><th>Drink</th><th>Euro</th></tr>"
        "<tr><td>Tea</td><td>2</td></tr></table><figure><figcaption>A cup</figcaption></figure>"
        "<dl><dt>Is there cake?</dt><dd>On Sundays.</dd></dl><p><b>On the way</b></p><p>Cups cost a deposit.</p>"
    ) == [
        ("heading", 2, "Prices"),
        ("paragraph", 0, "They hold until May:"),
        ("item", 1, "tea"),
        ("item", 2, "green"),
        ("item", 1, "milk,\n\ncold"),
        ("caption", 0, "All of them"),
        ("row", 1, "Drink | Euro"),
        ("row", 0, "Tea | 2"),
        ("caption", 0, "A cup"),
        ("heading", 6, "Is there cake?"),
        ("paragraph", 0, "On Sundays."),
        ("heading", 6, "On the way"),
        ("paragraph", 0, "Cups cost a deposit."),
    ]


def test_preformatted_text_is_known_by_its_lines() -> None:
    assert [kind for kind, _, _ in blocks_of_page("<p>Steps:</p><pre>1. Open it\n2. Close it</pre>")] == [
        "paragraph",
        "item",
        "item",
    ]


def test_the_blocks_of_an_article_are_where_its_text_is() -> None:
    prose = "<p>The mill grinds wheat and rye from all farms of the valley, as it did in the past.</p>" * 12
    page = (
        f"<nav><a href='/'>Home</a></nav><article><h1>The mill</h1>{prose}"
        f"<ul><li>wheat</li><li>rye</li></ul>{prose}</article>"
    )
    pages = read(f"<html><head><title>The mill</title></head><body>{page}</body></html>").pages
    blocks = [(block.kind, page.text[block.start : block.end]) for page in pages for block in page.blocks]
    assert blocks[0] == ("heading", "The mill")
    assert blocks[13:15] == [("item", "wheat"), ("item", "rye")]
    assert {text for kind, text in blocks if kind == "paragraph"} == {prose[3:].split("</p>")[0]}


@pytest.mark.parametrize(
    "body",
    [
        "<dl><dt>?</dt><dd>x</dd></dl>",
        "<p><b>:</b></p>",
        "<ul><li></li><li><b>?</b></li></ul>",
        "<table><tr><th></th><th>:</th></tr></table>x",
    ],
)
def test_elements_with_hardly_any_text_do_no_harm(body: str) -> None:
    assert blocks_of_page(body)
