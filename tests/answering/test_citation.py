"""Quotes are marked with their passages, and the sentences of a model with those they rest on."""

from collections.abc import AsyncIterator

import pytest

from docqa.answering.citation import Citations
from docqa.answering.evidence import Piece

pytestmark = pytest.mark.anyio

RENT = "The monthly rent is 12,400 euros, due on the third working day."


async def marked(pieces: list[Piece], *, visible: bool = True) -> tuple[str, list[int]]:
    async def given() -> AsyncIterator[Piece]:
        for piece in pieces:
            yield piece

    citations = Citations(visible=visible)
    return "".join([text async for text in citations.mark(given())]), citations.cited


async def test_marks_are_numbered_in_the_order_in_which_they_come() -> None:
    pieces = [
        Piece("The rent is 12,400 euros.", rests_on=(1,)),
        Piece(" It is nice."),
        Piece(" It ends.", rests_on=(0, 1)),
    ]
    assert await marked(pieces) == ("The rent is 12,400 euros. [1] It is nice. It ends. [2] [1]", [1, 0])
    assert await marked(pieces, visible=False) == ("The rent is 12,400 euros. It is nice. It ends.", [])


async def test_a_sentence_taken_from_a_passage_is_marked_with_it() -> None:
    assert await marked([Piece(RENT, 1), Piece(" Again.", 1)]) == (f"{RENT} [1] Again. [1]", [1])


async def test_marks_within_a_document_are_not_taken_for_ours() -> None:
    text, cited = await marked([Piece("The rent rose twice [4].", 1)])
    assert (text, cited) == ("The rent rose twice (4). [1]", [1])
    assert (await marked([Piece("The rent rose twice [4].", 1)], visible=False))[0] == "The rent rose twice [4]."
