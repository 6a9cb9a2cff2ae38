"""Marks and sources are made by comparing an answer with the passages."""

from collections.abc import AsyncIterator

import pytest

from docqa.answering.citation import Citations
from docqa.answering.evidence import Piece

pytestmark = pytest.mark.anyio

PASSAGES = [
    "The lease of the warehouse in Bergen ends on 31 March 2027 and may be extended once.",
    "The monthly rent is 12,400 euros, due on the third working day.",
]


async def marked(pieces: list[Piece], *, visible: bool = True, language: str = "en") -> tuple[str, list[int]]:
    async def given() -> AsyncIterator[Piece]:
        for piece in pieces:
            yield piece

    citations = Citations(PASSAGES, language, visible=visible)
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


@pytest.mark.parametrize(
    ("language", "sentence", "marked_as"),
    [
        ("en", "The monthly rent is 99,999 euros.", " (not in the documents)"),
        ("en", "The lease ends on 31 May 2027.", " (not in the documents)"),
        ("en", "The lease was signed by Napoleon.", " (not in the documents)"),
        ("de", "Die Miete beträgt 99.999 Euro.", " (steht nicht in den Dokumenten)"),
        ("ja", "家賃は99,999ユーロです。", "（文書に記載なし）"),
        ("ar", "الإيجار 99,999 يورو.", " (غير وارد في المستندات)"),
    ],
)
async def test_a_number_date_or_name_that_stands_in_no_passage_is_said_to(
    language: str, sentence: str, marked_as: str
) -> None:
    for visible in (True, False):
        assert await marked([Piece(sentence)], visible=visible, language=language) == (sentence + marked_as, [])


async def test_only_the_sentence_with_the_invention_is_marked() -> None:
    text, cited = await marked(
        [Piece("The monthly rent is 12,400 euros. The deposit is 500 euros.\n\nThe lease ends on 31 March 2027.\n")]
    )
    assert (
        text
        == "The monthly rent is 12,400 euros. [1] The deposit is 500 euros. (not in the documents)\n\nThe lease ends on 31 March 2027. [2]\n"
    )
    assert cited == [1, 0]


@pytest.mark.parametrize(
    "sentence",
    [
        "The monthly rent is 12 400 euros.",
        "The monthly rent is 12.400 euros.",
        "The lease ends on 2027-03-31.",
        "**The lease ends** on March 31, 2027.",
    ],
)
async def test_numbers_and_dates_are_compared_by_value(sentence: str) -> None:
    assert (await marked([Piece(sentence)]))[0] == f"{sentence} [1]"


@pytest.mark.parametrize("size", [1, 2, 5, 100])
async def test_the_marks_of_a_model_are_taken_out(size: int) -> None:
    said = "The monthly rent is 12,400 euros [2]. It is due on the third [1, 2] working day.[7] See also [the plan"
    text, _ = await marked([Piece(said[i : i + size]) for i in range(0, len(said), size)])
    assert text == "The monthly rent is 12,400 euros. [1] It is due on the third working day. [1] See also [the plan"


async def test_marks_within_a_document_are_not_taken_for_ours() -> None:
    text, cited = await marked([Piece("The rent rose twice [4].", 1)])
    assert (text, cited) == ("The rent rose twice (4). [1]", [1])
    assert (await marked([Piece("The rent rose twice [4].", 1)], visible=False))[0] == "The rent rose twice [4]."


async def test_a_sentence_may_rest_on_two_passages() -> None:
    text, cited = await marked(
        [Piece("The lease of the warehouse ends on 31 March 2027 and the monthly rent is 12,400 euros.")]
    )
    assert text.endswith("euros. [1] [2]") and sorted(cited) == [0, 1]


async def test_an_abbreviation_does_not_end_a_sentence_and_a_line_does() -> None:
    text, _ = await marked(
        [
            Piece(
                "The monthly rent of approx. 12,400 euros is due.\n- The lease of the warehouse in Bergen\n1. It may be extended once"
            )
        ]
    )
    assert (
        text
        == "The monthly rent of approx. 12,400 euros is due. [1]\n- The lease of the warehouse in Bergen [2]\n1. It may be extended once [2]"
    )


async def test_an_invention_gets_no_mark() -> None:
    assert await marked([Piece("The landlord owns a yellow submarine.")]) == (
        "The landlord owns a yellow submarine.",
        [],
    )


async def test_a_sentence_taken_from_a_passage_is_marked_with_it() -> None:
    text, cited = await marked([Piece(PASSAGES[1], 1), Piece(" " + PASSAGES[0], 0), Piece(" Again.", 1)])
    assert text == f"{PASSAGES[1]} [1] {PASSAGES[0]} [2] Again. [1]"
    assert cited == [1, 0]


async def test_without_sources_the_text_is_left_as_it_is() -> None:
    assert await marked([Piece(PASSAGES[1], 1), Piece(" The lease ends on 31 March 2027.")], visible=False) == (
        f"{PASSAGES[1]} The lease ends on 31 March 2027.",
        [],
    )


async def test_what_stands_in_a_passage_of_an_earlier_question_is_no_invention() -> None:
    earlier = ("The deposit is 30,000 euros.",)
    text, cited = await marked([Piece("The deposit ", earlier=earlier), Piece("is 30,000 euros. The fee is 99 euros.")])
    assert text == "The deposit is 30,000 euros. The fee is 99 euros. (not in the documents)"
    assert cited == []
