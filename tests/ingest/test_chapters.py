"""The chapters of a document, from its table of contents or its headings, with their printed pages and those of the
file."""

import pytest

from docqa.ingest.chapters import Chapter, chapters, main_label
from docqa.store.documents import StoredPage
from docqa.text.blocks import blocks_of


def pages(*texts: str) -> list[StoredPage]:
    return [StoredPage(number, text, blocks_of(text)) for number, text in enumerate(texts, 1)]


def placed(known: list[Chapter]) -> list[tuple[str, str, int]]:
    return [(chapter.title, chapter.printed, chapter.page) for chapter in known]


BODY = "The harbour is deep and safe for ships of every size that sail along the northern coast in winter."


def test_the_table_of_contents_gives_the_chapters_and_not_their_sections() -> None:
    contents = "CONTENTS\n\n1. Harbours ........ 5\n1.1 Piers ........ 6\n1.2 Quays ........ 8\n2. Ships ........ 9\n3. Crews ........ 12"
    known = chapters(pages("Seafaring", contents, f"1. Harbours\n\n{BODY}", BODY, BODY, BODY, f"2. Ships\n\n{BODY}"))
    assert placed(known) == [("1. Harbours", "5", 3), ("2. Ships", "9", 7), ("3. Crews", "12", 0)]
    assert known[0].source == 2


def test_wide_gaps_in_a_table_of_contents_take_no_longer_than_others() -> None:
    """A gap of thirty spaces within a title once took hours, in which the server answered nobody."""
    gap, leaders = " " * 60, "." * 60
    contents = f"CONTENTS\n\n1. Harbours{gap}and piers ........ 5\n2. Ships {leaders} 9\n3. Crews ........ 12"
    known = chapters(pages(contents, f"1. Harbours and piers\n\n{BODY}", BODY))
    assert placed(known) == [("1. Harbours and piers", "5", 0), ("2. Ships", "9", 0), ("3. Crews", "12", 0)]


def test_front_matter_is_listed_where_no_chapter_has_sections() -> None:
    contents = "CONTENTS\n\nPreface ........ vii\n1. Harbours ........ 5\n2. Ships ........ 9\n3. Crews ........ 12"
    known = chapters(pages(contents, BODY))
    assert [chapter.number for chapter in known] == [(), (1,), (2,), (3,)]
    assert placed(known)[:2] == [("Preface", "vii", 0), ("1. Harbours", "5", 0)]


def test_a_heading_elsewhere_with_the_same_words_is_not_taken_for_the_chapter() -> None:
    contents = "CONTENTS\n\n1. Harbours ........ 50\n2. Ships ........ 90\n3. Crews ........ 120"
    assert placed(chapters(pages(contents, f"2. Ships\n\n{BODY}", BODY)))[1] == ("2. Ships", "90", 0)


@pytest.mark.parametrize(
    "titles",
    [
        ["Chapter 1: Harbours", "Chapter 2: Ships", "Chapter 3: Crews"],
        ["Kapitel 1: Häfen", "Kapitel 2: Schiffe", "Kapitel 3: Mannschaften"],
        ["Chapitre 1 : Les ports", "Chapitre 2 : Les navires", "Chapitre 3 : Les équipages"],
        ["Capítulo 1: Puertos", "Capítulo 2: Barcos", "Capítulo 3: Tripulaciones"],
        ["第一章 港口概况", "第二章 船舶分类", "第三章 船员职责"],
        ["I. HARBOURS", "II. SHIPS", "III. CREWS"],
    ],
)
def test_numbered_headings_are_the_chapters(titles: list[str]) -> None:
    known = chapters(pages(*(f"{title}\n\n{BODY}" for title in titles)))
    assert placed(known) == [(title, "", number) for number, title in enumerate(titles, 1)]


def headed(number: int, header: str, text: str = BODY) -> StoredPage:
    """A page with a header."""
    whole = f"{header}\n\n{text}"
    return StoredPage(number, whole, blocks_of(whole, running=[(0, len(header))]))


def test_titles_that_are_headers_of_their_chapters_are_entries_and_the_header_of_all_pages_is_none() -> None:
    contents = "CONTENTS\n\n1. Harbours ........ 5\n2. Ships ........ 9\n3. Crews ........ 12"
    of_chapters = [headed(3 + place, f"{5 + place} 1. Harbours" if place < 3 else "Seafaring 9") for place in range(12)]
    known = chapters([*pages("Seafaring"), headed(2, "Seafaring 4", contents), *of_chapters])
    assert [chapter.title for chapter in known] == ["1. Harbours", "2. Ships", "3. Crews"]


def test_numbered_appendices_are_not_all_chapters_that_there_are() -> None:
    contents = "\n".join(
        [
            "CONTENTS\n",
            *(
                f"{number}. {title} ........ {number * 9}"
                for number, title in enumerate(("Ports", "Ships", "Crews"), 1)
            ),
        ]
        + [f"Appendix {number}: {title} ........ {number + 30}" for number, title in enumerate(("Maps", "Tides"), 1)]
    )
    known = chapters(pages(contents, BODY))
    assert [chapter.title for chapter in known][:3] == ["1. Ports", "2. Ships", "3. Crews"]
    assert main_label(known) == ("", 3)


def test_a_document_with_two_headings_has_no_chapters() -> None:
    assert chapters(pages(f"1. Harbours\n\n{BODY}\n\n2. Ships\n\n{BODY}")) == []
