"""What a model writes is shown sentence by sentence, and what no unit states never is."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

import pytest

from docqa.answering.checking import Checked, Splitter
from docqa.answering.evidence import CandidateUnit, Evidence, Piece
from docqa.answering.extractive import Extractive
from docqa.questions.question import Kind, Part, Question
from docqa.text.blocks import blocks_of
from docqa.text.units import units

pytestmark = pytest.mark.anyio

LEASE = (
    "The lease of the warehouse in Bergen ends on 31 March 2027. It may be extended once. "
    "The monthly rent is 12,400 euros, due on the third working day. Dogs are not allowed in the warehouse."
)
RENT = "The monthly rent is 12,400 euros, due on the third working day."


def lease(text: str = LEASE) -> list[Evidence]:
    of_text = units(text, blocks_of(text))
    return [
        Evidence(
            text,
            tuple(CandidateUnit(unit, 2.0 if "rent" in text[unit.start : unit.end] else 1.0) for unit in of_text),
            language="en",
        )
    ]


def asking(text: str = "How much is the monthly rent?", kind: Kind = "fact") -> Question:
    return Question(text, parts=(Part(text, kind=kind),))


async def shown(
    *words: str,
    question: Question | None = None,
    strict: bool = False,
    extract: bool = True,
    earlier: Sequence[str] = (),
) -> tuple[list[Piece], bool]:
    """The pieces shown of what a model writes, and whether the extract replaced it."""
    question = question or asking()
    closed = False

    async def written() -> AsyncGenerator[Piece, None]:
        nonlocal closed
        try:
            for number, word in enumerate(words):
                yield Piece(word, earlier=() if number else tuple(earlier))
        finally:
            closed = True

    quotes = Extractive().answer(question, lease()) if extract else None
    checked = Checked(question, lease(), quotes, strict=strict)
    pieces = [piece async for piece in checked.pieces(written())]
    assert closed, "the model goes on for nobody"
    return pieces, checked.replaced


def text_of(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


@pytest.mark.parametrize("size", [1, 2, 7, 200])
async def test_right_sentences_are_shown_with_their_passages_however_the_tokens_are_cut(size: int) -> None:
    whole = "The monthly rent is 12,400 euros [2]. The lease ends on 31 March 2027.[1] See also [the plan"
    pieces, replaced = await shown(*(whole[i : i + size] for i in range(0, len(whole), size)))
    assert [(piece.text, piece.rests_on) for piece in pieces] == [
        ("The monthly rent is 12,400 euros.", (0,)),
        (" The lease ends on 31 March 2027.", (0,)),
        (" See also [the plan", ()),
    ]
    assert not replaced


@pytest.mark.parametrize(
    "wrong",
    [
        "The monthly rent is 14,200 euros.",
        "The monthly rent of 12,400 euros was set by Napoleon.",
        "The monthly rent is not 12,400 euros.",
        "The lease of the warehouse ends on 31 May 2027.",
    ],
)
@pytest.mark.parametrize("strict", [False, True])
async def test_an_answer_that_begins_wrong_is_replaced_by_the_extract(wrong: str, strict: bool) -> None:
    pieces, replaced = await shown(wrong, " It is due monthly.", strict=strict)
    assert replaced and [(piece.text, piece.passage) for piece in pieces] == [(RENT, 0)]


async def test_a_later_wrong_sentence_is_replaced_by_the_unit_that_is_about_the_same() -> None:
    pieces, replaced = await shown(
        "The monthly rent is 12,400 euros. ",
        "The lease of the warehouse ends on 1 May 2031. ",
        "It may be extended once.",
    )
    assert not replaced
    assert text_of(pieces) == (
        "The monthly rent is 12,400 euros. The lease of the warehouse in Bergen ends on 31 March 2027. It may be extended once."
    )
    assert [piece.passage for piece in pieces] == [None, 0, None]


async def test_what_is_about_nothing_in_the_documents_is_marked() -> None:
    pieces, _ = await shown("The monthly rent is 12,400 euros. ", "The deposit is 500 dollars. ")
    assert text_of(pieces) == "The monthly rent is 12,400 euros. The deposit is 500 dollars. (not in the documents)"


async def test_a_small_model_is_stopped_at_its_first_wrong_sentence() -> None:
    pieces, _ = await shown(
        "The monthly rent is 12,400 euros. ", "The deposit is 500 dollars. ", "The rent is high.", strict=True
    )
    assert text_of(pieces) == "The monthly rent is 12,400 euros."


async def test_a_small_model_that_says_the_same_again_is_not_repeated_and_its_last_half_sentence_is_left_out() -> None:
    pieces, _ = await shown("The monthly rent is 12,400 euros. " * 3, "The monthly rent is", strict=True)
    assert text_of(pieces) == "The monthly rent is 12,400 euros."


async def test_a_small_model_that_only_counts_is_stopped() -> None:
    pieces, replaced = await shown(
        *(f"{n}. " for n in range(1, 200)), question=asking("How is it done?", "procedure"), strict=True
    )
    assert replaced and "12,400 euros" in text_of(pieces)


async def test_that_nothing_is_said_may_be_said() -> None:
    pieces, replaced = await shown("The documents do not say anything about this.", strict=True)
    assert not replaced and [(piece.text, piece.rests_on) for piece in pieces] == [
        ("The documents do not say anything about this.", ())
    ]


WHETHER = asking("Are dogs allowed in the warehouse?", "whether")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("No. Dogs are not allowed in the warehouse.", "No. Dogs are not allowed in the warehouse."),
        ("No, dogs are not allowed in the warehouse.", "No, dogs are not allowed in the warehouse."),
        ("Dogs are not allowed in the warehouse.", "No: Dogs are not allowed in the warehouse."),
    ],
)
async def test_an_answer_to_a_yes_no_question_begins_with_yes_or_no(written: str, expected: str) -> None:
    pieces, replaced = await shown(written, question=WHETHER)
    assert (text_of(pieces), replaced) == (expected, False)


@pytest.mark.parametrize(
    "wrong",
    [
        "Yes.",
        "Yes. Dogs are allowed in the warehouse.",
        "Yes, dogs are allowed in the warehouse.",
        "Yes. Dogs are not allowed in the warehouse.",
        "No. Dogs are allowed in the warehouse.",
    ],
)
async def test_a_wrong_yes_is_not_shown(wrong: str) -> None:
    _, replaced = await shown(wrong, question=WHETHER)
    assert replaced


async def test_a_line_that_leads_on_is_not_shown_before_what_follows_is_right() -> None:
    pieces, _ = await shown("Here is the answer:\n", "- The monthly rent is 12,400 euros.")
    assert text_of(pieces) == "Here is the answer:\n- The monthly rent is 12,400 euros."
    _, replaced = await shown("Here is the answer:\n", "- The monthly rent is 14,200 euros.")
    assert replaced


async def test_rows_of_a_table_and_tasks_are_marked_since_neither_can_be_interrupted() -> None:
    rows = ["| What | How much |\n", "|---|---|\n", "| Monthly rent | 12,400 euros |\n", "| Deposit | 500 dollars |\n"]
    pieces, replaced = await shown(*rows)
    assert not replaced and text_of(pieces).endswith(
        "| Monthly rent | 12,400 euros |\n| Deposit | 500 dollars | (not in the documents)"
    )
    task = asking("Write a letter to the landlord", "task")
    pieces, _ = await shown("Dear landlord, the rent of 14,200 euros is due.", question=task, extract=False)
    assert text_of(pieces) == "Dear landlord, the rent of 14,200 euros is due. (not in the documents)"


async def test_in_a_summary_by_a_small_model_what_is_wrong_is_left_out() -> None:
    pieces, _ = await shown(
        "The landlord is a king. ",
        "The monthly rent is 12,400 euros. ",
        "The rent is 9 dollars.",
        strict=True,
        extract=False,
    )
    assert text_of(pieces) == "The monthly rent is 12,400 euros."


async def test_what_stood_in_an_earlier_prompt_may_be_said_again() -> None:
    pieces, replaced = await shown("The deposit ", "is 30,000 euros.", earlier=["The deposit is 30,000 euros."])
    assert not replaced and [(piece.text, piece.rests_on) for piece in pieces] == [("The deposit is 30,000 euros.", ())]


async def test_an_abbreviation_does_not_end_a_sentence_and_a_line_does() -> None:
    split = Splitter()
    written = "The rent of approx. 12,400 euros is due.\n- The lease\n1. It ends"
    assert [*split.add(written), *split.rest()] == [
        "The rent of approx. 12,400 euros is due.",
        "\n- The lease",
        "\n1. It ends",
    ]


async def test_german_is_checked_in_german() -> None:
    text = "Die Miete beträgt 12.400 Euro im Monat."
    evidence = [Evidence(text, tuple(CandidateUnit(unit, 1.0) for unit in units(text, blocks_of(text))), language="de")]
    question = replace(asking("Wie hoch ist die Miete?"), language="de")

    async def written() -> AsyncGenerator[Piece, None]:
        yield Piece("Die Miete beträgt 14.200 Euro.")

    checked = Checked(question, evidence, Extractive().answer(question, evidence), strict=False)
    assert text_of([piece async for piece in checked.pieces(written())]) == text and checked.replaced
