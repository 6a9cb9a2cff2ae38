"""Rich text: which characters are its text, in which order, and that damaged files are read in reasonable time."""

import time

import pytest

from conftest import torture
from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.pages import Extracted, ExtractedPage
from docqa.formats.rtf import reading as rtf


def read(body: str | bytes) -> Extracted:
    data = body if isinstance(body, bytes) else body.encode("ascii")
    return reading.read_whole(rb"{\rtf1\ansi\ansicpg1252\deff0" + data + b"}", "a.rtf")


def text(body: str | bytes) -> str:
    return "\f".join(page.text for page in read(body).pages)


FONTS = (
    r"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset%d{\*\panose 020b}Arial{\*\falt Other};}{\f2\fcharset2 "
    r"Symbol;}{\f3\fcharset2 Wingdings;}}\f0 "
)


# --- characters ---


@pytest.mark.parametrize(
    ("charset", "codec", "words"),
    [
        (204, "cp1251", "Привет всем"), (161, "cp1253", "Καλημέρα"), (238, "cp1250", "Zażółć gęślą"),
        (162, "cp1254", "Işık"), (186, "cp1257", "ąžuolas"), (177, "cp1255", "שלום"),
        (178, "cp1256", "اللغة"), (222, "cp874", "ภาษาไทย"), (128, "cp932", "表示ソフト日本"), (134, "cp936", "中国人民"),
        (136, "cp950", "許功蓋繁體"), (129, "cp949", "한국어"),
        (77, "mac-roman", "größer"), (255, "cp850", "größer"),
    ],
)  # fmt: skip
def test_a_font_has_the_code_page_of_its_character_set(charset: int, codec: str, words: str) -> None:
    escaped = "".join(f"\\'{byte:02x}" for byte in words.encode(codec))
    assert text(FONTS % charset + rf"caf\'e9 {{\f1 {escaped}}} caf\'e9\par") == f"café {words} café"


def test_the_second_byte_of_a_character_may_be_a_plain_or_escaped_one() -> None:
    assert text(FONTS % 128 + r"\f1\'94N\'95\\\'8e\'a6\par") == "年表示"


def test_without_a_font_table_the_document_says_its_code_page() -> None:
    assert text(rb"\ansicpg1251 \'cf\'f0\'e8\'e2\'e5\'f2") == "Привет"
    assert text(rb"\mac gr\'9a\'a7er") == "größer"
    assert text(rb"\pca gr\'94\'e1er") == "größer"


def test_fonts_without_character_sets_have_the_code_page_of_the_document() -> None:
    assert text(r"\ansicpg1251{\fonttbl{\f0\fcharset0 Arial;}}\f0\'cf\'f0\'e8\'e2\'e5\'f2") == "Привет"


def test_a_font_may_name_its_code_page() -> None:
    assert text(r"{\fonttbl{\f0\fcharset0 Arial;}{\f7\fnil\cpg1253 Arial;}}{\f7\'c1\'e2} \'c1") == "Αβ Á"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (r"\u8364?5", "€5"), (r"\u8364\'805", "€5"), (r"\uc0\u8364 5", "€5"), (r"\uc2\u24180\'94\'4eabc", "年abc"),
        (r"{\uc0\u233 {\u233 x}}\u233?y", "ééxéy"), (r"\u-10179?\u-8704?", "😀"),
        (r"\u128512?", "😀"), (r"\u8217\rquote s", "’s"), (r"\u233\tab x", "é\tx"), (r"\u233\u233\par", "éé"),
        (r"\u233{?}x", "é?x"), (r"\uc99999\u233 12345678ninth", "éninth"), (r"\u-3913?", "•"),
    ],
)  # fmt: skip
def test_unicode_and_its_fallback_for_old_programs(source: str, words: str) -> None:
    assert text(source) == words


def test_bytes_beyond_ascii_are_utf8_or_of_the_code_page() -> None:
    assert text("größer".encode()) == "größer"
    assert text("größer".encode("cp1252")) == "größer"


def test_symbols() -> None:
    assert text(r"a\~b\_c co\-op \endash\emdash\bullet\ldblquote x\rdblquote\{\\\}") == "a\xa0b‑c coop –—•“x”{\\}"


def test_symbol_fonts() -> None:
    assert text(FONTS % 0 + r"{\f2 a\'b3b} {\f3\'a8}") == "α≥β •"


def test_a_symbol_that_is_a_field_is_read_once() -> None:
    assert text(r'x {\field{\*\fldinst SYMBOL 97 \\f "Symbol" \\s 10}{\fldrslt\f2 a}} y') == "x α y"


def test_line_ends_in_the_file_count_only_after_a_backslash() -> None:
    assert text(b"one\r\n two\\\r\nthree\0") == "one two\n\nthree"


# --- paragraphs, lists, tables, pages ---


def test_paragraphs_and_lines() -> None:
    assert text(r"a\line b\par c\par d") == "a\nb\n\nc\n\nd"


def test_paragraphs_separated_by_empty_ones_are_lines() -> None:
    assert text(r"a\par b\par\par c\par d\par") == "a\nb\n\nc\nd"


def test_list_items_have_their_bullet_or_number() -> None:
    assert (
        text(FONTS % 0 + r"x\par{\listtext\f2\'b7\tab}one\par{\pntext 2.\tab}{\*\pn\pnlvlbody{\pntxta.}}two\par y")
        == "x\n\n• one\n2. two\n\ny"
    )


def test_rows_of_a_table_are_lines() -> None:
    table = (
        r"\trowd\cellx1\cellx2\pard\intbl Item\cell Price\cell\row\pard\intbl Desk\par wooden\cell "
        r"120\cell\row\pard\intbl\cell last\cell\cell\row\pard"
    )
    assert text(rf"before\par{table} after") == "before\n\nItem | Price\nDesk wooden | 120\n | last\n\nafter"


def test_a_table_in_a_cell_has_lines_of_its_own() -> None:
    inner = (
        r"\itap2 n1\nestcell n2\nestcell{\*\nesttableprops\trowd\nestrow}{\nonesttables\par}n3\nestcell "
        r"n4\nestcell{\*\nesttableprops\trowd\nestrow}"
    )
    assert (
        text(rf"\pard\intbl Left\cell\pard\intbl{inner}\pard\intbl below\cell\row\pard end")
        == "Left\nn1 | n2\nn3 | n4\nbelow\n\nend"
    )


def test_cells_without_intbl() -> None:
    assert text(r"\trowd a\cell b\cell\row c\cell d\cell\row\pard e") == "a | b\nc | d\n\ne"


def test_hard_page_breaks_are_pages() -> None:
    pages = (
        r"one\par\page two\par\sect\sectd three\par\sect\sectd\sbknone still three\par\pard\pagebb{four "
        r"{\b bold}}\par\pard no break\par"
    )
    assert [page.text.strip() for page in read(pages).pages] == [
        "one",
        "two",
        "three\n\nstill three",
        "four bold\n\nno break",
    ]


def test_two_reasons_for_a_page_break_make_no_empty_page() -> None:
    assert len(read(r"one\page\sect\sectd\pard\pagebb two").pages) == 2


def test_headings_come_from_outline_levels_and_styles() -> None:
    styles = r"{\stylesheet{Normal;}{\s1\outlinelevel0 Kop 1;}{\s2\sbasedon0 heading 2;}{\*\cs3 heading 3;}}"
    extracted = read(
        styles + r"Start\par{\pard\s1 One\par}\pard text\par\pard\s2 T\'fc\par\pard\outlinelevel3 Deep\par\pard end"
    )
    assert extracted.pages[0].text == "Start\n\nOne\n\ntext\n\nTü\n\nDeep\n\nend"
    assert extracted.pages[0].headings == ((7, "One"), (18, "Tü"), (22, "Deep"))


def test_the_title_is_that_of_the_information_group() -> None:
    extracted = read(
        r"{\info{\title Old}{\upr{\title ?}{\*\ud{\title \u937?mega}}}{\author nobody}{\vern1}{\*\company none}}text"
    )
    assert (extracted.title, extracted.pages[0].text) == ("Ωmega", "text")


# --- what is text and what is not ---


@pytest.mark.parametrize(
    "source",
    [
        r"{\v hidden}", r"\v hidden\v0 ", r"\v hidden\plain ", r"{\deleted gone}", r"{\*\unknown x{y}}",
        r"{\pict\wmetafile8 0a0b0c}", r"{\*\bkmkstart mark}", r"{\xe entry}",
        r"{\object\objemb{\*\objdata 0102{x}}}", r"{\colortbl;\red1;}", r"{\*\listtable{\list\listname x;}}",
        r"{\shp{\*\shpinst{\sp{\sn fLine}{\sv 0}}{\shprslt x}}}",
        r"{\field{\*\fldinst PAGE}}", r"{\pict\bin5 a}{\par}", r"{\*\annotation}", r"{\header\par}",
    ],
)  # fmt: skip
def test_what_is_not_text(source: str) -> None:
    assert text(f"a{source}b") == "ab"


def test_results_of_fields_and_objects_are_text() -> None:
    assert (
        text(
            r'{\field{\*\fldinst{HYPERLINK "http://example.org"}}{\fldrslt{\ul a link}}} '
            r"{\object{\*\objdata 01}{\result{\b shown}}}"
        )
        == "a link shown"
    )


def test_unicode_variants_count_once() -> None:
    assert text(r"{\upr{plain}{\*\ud{\u937?}}}") == "Ω"


def test_notes_comments_and_boxes_follow_their_paragraph() -> None:
    note = r"{\super\chftn}{\footnote\pard\plain{\super\chftn} The note.\par}"
    box = r"{\shp{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt\pard A box\par}}{\shprslt{\*\do{\dptxbxtext A box}}}}"
    old = r"{\*\do\dobxpage{\dptxbxtext\pard Old box\par}}"
    art = r"{\shp{\*\shpinst{\sp{\sn gtextUNICODE}{\sv Draft}}}}"
    comment = r"{\*\atnid X}{\*\atnauthor Y}\chatn{\*\annotation{\*\atndate 1}A comment}"
    assert (
        text(rf"Before{note}{box} and{old}{art}{comment} after.\par Next")
        == "Before and after.\n\nThe note.\n\nA box\n\nOld box\n\nDraft\n\nA comment\n\nNext"
    )


def test_a_note_in_a_cell_follows_the_table_row() -> None:
    assert text(r"\pard\intbl a{\footnote\pard note\par}\cell b\cell\row\pard c") == "a | b\n\nnote\n\nc"


def test_headers_and_footers_frame_their_section_once() -> None:
    running = r"{\header\pard Head\par}{\footer\pard Foot\par}"
    assert text(rf"\sectd{running}one\par\sect\sectd{running}two\par") == "Head\n\none\n\nFoot\n\n\ftwo"


def test_formulas_keep_their_symbols() -> None:
    assert (
        text(
            r"{\mmath{\*\moMath{\mf{\mfPr{\mctrlPr x}}{\mnum{\mr a}}{\mden{\mr b}}}{\mr "
            r"+}{\msSup{\me{\mr c}}{\msup{\mr 2}}}}}"
        )
        == "a/b+c^2"
    )


# --- damage ---


def test_a_file_may_begin_with_a_mark_or_blanks() -> None:
    assert reading.read_whole(b"\xef\xbb\xbf \r\n{\\rtf1 text}", "a.rtf").pages == [ExtractedPage("text").cleaned()]


def test_a_file_that_is_cut_off_gives_its_text_up_to_there() -> None:
    extracted = reading.read_whole(rb"{\rtf1 text\par\intbl cell\cell {\footnote a note", "a.rtf")
    assert extracted.pages[0].text == "text\n\ncell\n\na note"
    assert extracted.notes == ["The RTF file is cut off: its last part is missing."]


def test_text_after_the_end_is_noted() -> None:
    extracted = reading.read_whole(rb"{\rtf1 text} behind\par", "a.rtf")
    assert (extracted.pages[0].text, extracted.notes) == (
        "text",
        ["11 bytes after the end of the document were left out."],
    )


@pytest.mark.parametrize(
    "source",
    [
        "{" * 200_000 + "end", r"{\footnote " * 50_000 + "end", torture(r"{\listtext " * 50_000 + "end"),
        r"\itap99999999 x\nestcell" * 20_000 + "end", torture(r"\intbl\cell" * 300_000 + r"\row\pard end"),
        r"\u233?" * 200_000 + "end", r"{\header x}" * 50_000 + "end", torture(r"\par" * 400_000 + " end"),
        r"\pagebb\par\page" * 19_000 + " end", r"\bin-7 \itap-3\cell\nestrow end", r"\'zz\'\bin99999999 end",
        "}{" * 200_000, r"{\field{\*\fldinst SYMBOL 9" * 30_000 + "end",
        r"\intbl\itap20\nestcell\itap1\cell" * 30_000 + "end",
        r"{\fonttbl" + r"{\f99999\fcharset204 x;}" * 90_000 + "}end",
        r"\*\\" * 100_000 + "end", r"{\s5 x;}" * 100_000 + "end", r"a{\footnote b\par\page}" * 30_000 + "end",
    ],
)  # fmt: skip
def test_hostile_files_are_read_in_linear_time(source: str) -> None:
    start = time.process_time()
    list(rtf.read((r"{\rtf1" + source + "}").encode()).pages)
    assert time.process_time() - start < 10


def test_too_many_pages_are_refused_in_linear_time() -> None:
    start = time.process_time()
    with pytest.raises(Unreadable, match="more than 20,000 pages"):
        list(rtf.read((r"{\rtf1" + r"\pagebb\par\page" * 50_000 + " end}").encode()).pages)
    assert time.process_time() - start < 10


def test_groups_nested_beyond_reason_are_refused() -> None:
    with pytest.raises(Unreadable, match="500,000 deep"):
        text("{" * 600_000)


# --- blocks ---


def blocks_of(body: str) -> list[tuple[str, int, str]]:
    [page] = read(body).pages
    return [(block.kind, block.level, page.text[block.start : block.end]) for block in page.blocks]


def test_headings_items_rows_and_notes_are_blocks_of_their_kind() -> None:
    styles = r"{\stylesheet{Normal;}{\s2 heading 2;}}"
    assert blocks_of(
        styles + r"\pard\s2 Money\par\pard Income rose{\footnote In real terms.}.\par"
        r"\pard\ls1{\listtext\bullet\tab}sales\par\pard\ls1\ilvl1{\listtext -\tab}abroad\par"
        r"\pard\intbl Site\cell MWh\cell\row\intbl Mill\cell 598\cell\row\pard End of it.\par"
    ) == [
        ("heading", 2, "Money"),
        ("paragraph", 0, "Income rose."),
        ("note", 0, "In real terms."),
        ("item", 1, "• sales"),
        ("item", 2, "- abroad"),
        ("row", 1, "Site | MWh"),
        ("row", 0, "Mill | 598"),
        ("paragraph", 0, "End of it."),
    ]


def test_a_short_paragraph_in_bold_is_a_heading() -> None:
    assert [kind for kind, _, _ in blocks_of(r"\pard{\b Money}\par Income rose.\par{\b All} of it.\par")] == [
        "heading",
        "paragraph",
        "paragraph",
    ]
