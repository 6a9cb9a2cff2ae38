"""How pages are cut into chunks."""

import random

import pytest

from docqa.ingest.chunking import DENSE_TARGET, TARGET, WHOLE, chunks, columns_below
from docqa.text.blocks import Block, blocks_of

SENTENCE = "The quick brown fox jumps over the lazy dog near the old mill. "


def page(seed: int) -> str:
    """A page of paragraphs, long words and blank space, the same for the same seed."""
    chance = random.Random(seed)
    parts = [
        SENTENCE * chance.randint(1, 30),
        "x" * chance.randint(1, 3000),
        "\n\n",
        " \n",
        "短い文。" * chance.randint(1, 300),
        "\t",
    ]
    return "".join(chance.choice(parts) for _ in range(chance.randint(0, 12)))


@pytest.mark.parametrize("seed", range(40))
def test_chunks_are_verbatim_in_order_and_lose_no_letter(seed: int) -> None:
    text = page(seed)
    pieces = chunks(7, text)
    covered = 0
    for chunk in pieces:
        assert text[chunk.start : chunk.start + len(chunk.text)] == chunk.text
        assert chunk.text == chunk.text.strip() != ""
        assert text[covered : chunk.start].strip() == ""
        assert chunk.page_number == 7
        covered = chunk.start + len(chunk.text)
    assert text[covered:].strip() == ""


@pytest.mark.parametrize("seed", range(40))
def test_no_chunk_is_longer_than_a_paragraph_may_be(seed: int) -> None:
    assert all(len(chunk.text) <= WHOLE * TARGET for chunk in chunks(1, page(seed)))


def test_a_paragraph_somewhat_longer_than_a_chunk_stays_whole() -> None:
    paragraph = (SENTENCE * 40)[: int(TARGET * WHOLE) - 100].strip()
    assert [
        chunk.text for chunk in chunks(1, f"Before it.\n\n{paragraph}\n\nAfter it.") if SENTENCE.strip() in chunk.text
    ] == [paragraph]
    assert len(chunks(1, SENTENCE * 40)) == 2


def test_dense_scripts_get_shorter_chunks() -> None:
    assert all(len(chunk.text) <= DENSE_TARGET for chunk in chunks(1, "これは長い文章です。" * 300))


def test_paragraphs_of_fair_size_are_not_torn() -> None:
    paragraphs = [f"Paragraph {number}. " + SENTENCE * 13 for number in range(5)]
    assert [chunk.text for chunk in chunks(1, "\n\n".join(paragraphs))] == [
        paragraph.strip() for paragraph in paragraphs
    ]


def test_short_paragraphs_are_joined() -> None:
    assert len(chunks(1, "\n\n".join(["A short line."] * 20))) == 1


def test_an_empty_page_has_no_chunks() -> None:
    assert chunks(1, " \n\n ") == []


# --- whole blocks ---


def texts(text: str) -> list[str]:
    return [chunk.text for chunk in chunks(1, text)]


def filler(size: int) -> str:
    return (SENTENCE * (size // len(SENTENCE) + 1))[:size].strip()


@pytest.mark.parametrize("size", range(TARGET - 200, TARGET, 20))
def test_a_heading_begins_a_chunk_and_never_ends_one(size: int) -> None:
    text = f"{filler(size)}\n\nENDING THE LEASE\n\n{filler(600)}"
    [first, second] = texts(text)
    assert second.startswith("ENDING THE LEASE\n\nThe quick")
    assert first == filler(size)


@pytest.mark.parametrize("size", range(TARGET - 200, TARGET, 20))
def test_a_list_stays_with_the_line_that_leads_into_it(size: int) -> None:
    items = "\n".join(f"• number {n} of the things that you should bring" for n in range(8))
    assert texts(f"{filler(size)}\n\nYou bring:\n{items}")[-1] == f"You bring:\n{items}"


@pytest.mark.parametrize("size", range(TARGET - 200, TARGET, 20))
def test_a_question_stays_with_its_answer(size: int) -> None:
    answer = f"Yes, if the landlord agrees.\n\nAsk first. {filler(200)}"
    assert texts(f"{filler(size)}\n\nCan I keep a cat?\n\n{answer}")[-1] == f"Can I keep a cat?\n\n{answer}"


def test_a_list_longer_than_a_chunk_is_cut_between_items() -> None:
    items = [f"• {filler(300)} {n}" for n in range(12)]
    pieces = texts("You bring:\n" + "\n".join(items))
    assert len(pieces) > 2 and all(len(piece) <= WHOLE * TARGET for piece in pieces)
    assert [line for piece in pieces for line in piece.split("\n")] == ["You bring:", *items]


def test_boilerplate_gets_into_no_chunk() -> None:
    contents = "Scope ........ 3\nTerms ........ 5\nIndex ........ 12"
    assert texts(
        f"{contents}\n\n{filler(100)}\n\n© 2024 Mill Trust. All rights reserved.\n\n{filler(90)}\n\n- 7 -"
    ) == [
        filler(100),
        filler(90),
    ]


def test_each_chunk_of_a_table_has_its_column_headings() -> None:
    rows = [f"Bell {number:<14}  cast in {1700 + number}   by the smith of village {number}" for number in range(60)]
    heads = (
        "Name                 Year             Founder\n-------------------  ---------------  -----------------------"
    )
    pieces = chunks(1, "\n".join([heads, *rows]))
    assert len(pieces) > 1 and {piece.columns.rstrip() for piece in pieces[1:]} == {heads}


HEADINGS = "Date\tCompany\tCity"
ROWS = "1 May\tSylvan Paper\tMarlow\n2 May\tFerris Foods\tOakham"


def blocks_in(text: str, *, headed: bool) -> tuple[Block, ...]:
    """The blocks of a page that is a table, with or without a line of column headings."""
    return blocks_of(text, tables=((0, len(HEADINGS) if headed else 0, len(text)),))


def test_a_table_that_goes_on_over_pages_keeps_its_column_headings() -> None:
    first, second = f"{HEADINGS}\n{ROWS}", ROWS
    below = columns_below(first, blocks_in(first, headed=True))
    assert below == HEADINGS
    further = blocks_in(second, headed=False)
    assert [chunk.columns for chunk in chunks(2, second, blocks=further, above=below)] == [HEADINGS]
    assert columns_below(second, further, below) == HEADINGS, "for a third page"


@pytest.mark.parametrize(
    "page",
    [
        "3 May\tKestrel",  # other columns, and a list of labels with values
        f"Lay-offs by county.\n\n{ROWS}",  # another table
        "No table at all.",
    ],
)
def test_what_does_not_go_on_has_none_of_them(page: str) -> None:
    assert all(not chunk.columns for chunk in chunks(2, page, above=HEADINGS))
    assert columns_below(page, blocks_of(page), HEADINGS) == ""


def test_what_stands_below_a_table_does_not_end_it() -> None:
    text = f"{HEADINGS}\n{ROWS}"
    page = f"{text}\n\nLay-offs by county"
    assert columns_below(page, blocks_of(page, tables=((0, len(HEADINGS), len(text)),))) == HEADINGS
