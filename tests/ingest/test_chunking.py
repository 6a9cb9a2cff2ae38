"""How pages are cut into chunks."""

import random

import pytest

from docqa.ingest.chunking import DENSE_TARGET, TARGET, WHOLE, chunks

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
