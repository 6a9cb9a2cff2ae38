"""Markdown: what is shown of it, its blocks, its front matter; contracts and handbooks as people write them."""

import pytest

from docqa.formats import reading
from docqa.formats.pages import Extracted
from docqa.formats.properties import Properties


def read(source: str) -> Extracted:
    return reading.read_whole(source.encode(), "a.md")


def text(source: str) -> str:
    return "\n".join(page.text for page in read(source).pages)


def test_headings_items_rows_and_paragraphs_are_blocks() -> None:
    source = "# Moorings\n\nTwo *new* ones,\nboth **safe**.\n\n- rope\n- anchor\n\n| what | price |\n|---|---|\n| rope | 14 |\n"
    [page] = read(source).pages
    assert page.text == "Moorings\n\nTwo new ones, both safe.\n\nrope\nanchor\n\nwhat | price\nrope | 14"
    assert [(block.kind, block.level) for block in page.blocks] == [
        ("heading", 1), ("paragraph", 0), ("item", 1), ("item", 1), ("row", 1), ("row", 0),
    ]  # fmt: skip
    assert page.headings == ((0, "Moorings"),)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("3. a\n1. b\n\n   more of b\n   1. c\n", "3. a\n\n4. b\n\nmore of b\n\n1. c"),
        ("1) a\n2) b", "1) a\n2) b"),
        ("```sh\ncd  quay\n\n  # not a heading\n```", "cd  quay\n\n  # not a heading"),
        ("    indented\n      more", "indented\n  more"),
        ("use `a  b` and ``x`y``", "use a b and x`y"),
        ('<span id="c1">1.1</span> The <u>Lessee</u> pays.', "1.1 The Lessee pays."),
        ("The <company name> and <Vec<T>> of <Name>.", "The <company name> and <Vec<T>> of <Name>."),
        ("a <script>x</script>b<!-- remark --><span hidden>c</span>d", "a bd"),
        ('<div style="display:none">\n\nhidden\n\n</div>\n\nshown', "shown"),
        ("<details><summary>More</summary>\n\nwords **here**\n\n</details>", "More\n\nwords here"),
        ("[the policy](https://example.org/p) and <https://example.org>", "the policy and https://example.org"),
        ("[the policy][1]\n\n[1]: https://example.org", "the policy"),
        ("text[^1]\n\n[^1]: note", "text[^1]\n\n[^1]: note"),
        ("~~struck~~ \\*kept\\* &amp; &copy;", "struck *kept* & ©"),
        ("Title\n=====\n\nSub\n---\ntext", "Title\n\nSub\n\ntext"),
        (
            "2.1 Prices are net.\n2.2 They are due\nin May.\n(a) by card",
            "2.1 Prices are net.\n2.2 They are due in May.\n(a) by card",
        ),
        ("Name: Ada\nBorn: 1815", "Name: Ada\nBorn: 1815"),
        (
            "The bridge was closed in\n1815 and 1816, and\nBorn people wept.",
            "The bridge was closed in 1815 and 1816, and Born people wept.",
        ),
        ("> quoted\n> text\n\n***\n\nend", "quoted text\n\nend"),
        ("- [x] done\n- [ ] open", "[x] done\n[ ] open"),
    ],
)
def test_what_is_shown(source: str, expected: str) -> None:
    assert text(source) == expected


@pytest.mark.parametrize(
    ("matter", "expected"),
    [
        ('---\ntitle: "The Lease"\nauthor: Ada King\ndate: 2026-03-02\n---\n', Properties("The Lease", "Ada King", "2026-03-02")),
        ("---\ntitle: The Lease # draft\nauthors:\n  - Ada King\n  - name: Charles B.\n...\n", Properties("The Lease", "Ada King, Charles B.", "")),
        ("---\nauthors: [Ada King, 'Charles B.']\nlastmod: 2026-03\n---\n", Properties("Heading", "Ada King, Charles B.", "2026-03")),
        ('+++\ntitle = "The Lease"\ndate = 2026-03-02T10:00:00Z\n+++\n', Properties("The Lease", "", "2026-03-02")),
        ("", Properties("Heading", "", "")),
    ],
)  # fmt: skip
def test_front_matter_tells_title_author_and_date(matter: str, expected: Properties) -> None:
    extracted = read(f"{matter}\n# Heading\n\nbody")
    assert extracted.properties == expected
    assert extracted.pages[0].text.endswith("Heading\n\nbody")


def test_what_else_is_in_front_matter_can_be_read() -> None:
    assert text("---\ntitle: x\nversion: 4.2\n---\nbody") == "title: x\nversion: 4.2\n\nbody"
    assert text("---\n\nA rule, and a text.\n\n---\n\nend") == "A rule, and a text.\n\nend"


def test_long_texts_are_cut_between_paragraphs() -> None:
    pages = read("\n\n".join(f"## Clause {number}\n\n{'The lessee pays. ' * 30}" for number in range(20))).pages
    assert len(pages) > 2
    assert all(len(page.text) < 4_100 for page in pages)
    assert pages[1].section.startswith("Clause")


def test_a_text_without_anything_to_show_is_read_as_it_is() -> None:
    assert text("[1]: https://example.org") == "[1]: https://example.org"
