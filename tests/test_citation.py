"""Marks and sources are made by comparing an answer with the passages."""

from collections.abc import AsyncIterator

import pytest

from docqa.citation import Citations
from docqa.providers import Piece

pytestmark = pytest.mark.anyio

PASSAGES = [
    "The lease of the warehouse in Bergen ends on 31 March 2027 and may be extended once.",
    "The monthly rent is 12,400 euros, due on the third working day.",
]


async def marked(pieces: list[Piece], *, visible: bool = True) -> tuple[str, list[int]]:
    async def given() -> AsyncIterator[Piece]:
        for piece in pieces:
            yield piece

    citations = Citations(PASSAGES, visible=visible)
    return "".join([text async for text in citations.mark(given())]), citations.cited


async def test_a_sentence_of_a_model_is_marked_with_the_passage_that_holds_its_words() -> None:
    text, cited = await marked([Piece("The monthly rent is 12,400 euros."), Piece(" The lease ends on 31 March 2027.")])
    assert text == "The monthly rent is 12,400 euros. [1] The lease ends on 31 March 2027. [2]"
    assert cited == [1, 0]


async def test_marks_come_at_the_same_places_however_the_tokens_are_cut() -> None:
    whole = "The monthly rent is 12,400 euros. It is nice. The lease ends on 31 March 2027."
    expected = await marked([Piece(whole)])
    assert expected[0] == "The monthly rent is 12,400 euros. [1] It is nice. The lease ends on 31 March 2027. [2]"
    for size in (1, 2, 3, 7):
        assert await marked([Piece(whole[i : i + size]) for i in range(0, len(whole), size)]) == expected


async def test_a_number_that_stands_in_no_passage_gets_no_mark() -> None:
    assert await marked([Piece("The monthly rent is 99,999 euros.")]) == ("The monthly rent is 99,999 euros.", [])


async def test_an_invention_gets_no_mark() -> None:
    assert await marked([Piece("The landlord owns a yellow submarine.")]) == ("The landlord owns a yellow submarine.", [])


async def test_a_sentence_taken_from_a_passage_is_marked_with_it() -> None:
    text, cited = await marked([Piece(PASSAGES[1], 1), Piece(" " + PASSAGES[0], 0), Piece(" Again.", 1)])
    assert text == f"{PASSAGES[1]} [1] {PASSAGES[0]} [2] Again. [1]"
    assert cited == [1, 0]


async def test_without_sources_the_text_is_left_as_it_is() -> None:
    assert await marked([Piece(PASSAGES[1], 1), Piece(" The lease ends on 31 March 2027.")], visible=False) == (
        f"{PASSAGES[1]} The lease ends on 31 March 2027.",
        [],
    )
