"""Search terms in the form in which they are stored: nothing is lost, and each is counted without unpacking the rest."""

from collections import Counter

import pytest

from docqa.text.packed_terms import Counted, held, is_packed, length, packed, packed_terms, unpacked
from docqa.text.words import terms

TEXTS = {
    "words of all lengths": "The monthly rent of a month is 12,400 euros; rents rise monthly.",
    "a word that follows itself": "that that that monthly monthly month month month",
    "compounds and addresses": "The re-run of a/b-tests at docs.example.org/monthly, month-end",
    "Arabic, whose words have roots": "كتاب المواعيد في الكتاب والمواعيد المكتوبة",
    "Chinese in pairs": "会议的会议记录 month",
    "digits of five places": "12345 12345 month 54321",
    "signs": "a=b hello=month ~month month~ =",
    "nothing": "",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_terms_come_back_as_they_were(text: str) -> None:
    made = terms(text)
    stored = packed(" ".join(made))
    assert unpacked(stored).split() == made
    assert length(stored) == len(made)
    assert packed(stored) == stored
    assert is_packed(stored)
    assert packed_terms(text) == stored


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_each_term_is_counted_as_often_as_it_stands_there(text: str) -> None:
    made = Counter(terms(text))
    stored = packed(" ".join(terms(text)))
    sought = [*made, "mont", "month", "month~", "monthly", "monthl", "absent", "absen~", "12345", "المواعيد"]
    assert {term: Counted(term).within(stored) for term in sought} == {term: made[term] for term in sought}


def test_a_word_and_its_beginning_take_the_room_of_one() -> None:
    assert packed("the monthly month~ rents rents~ 12") == " the month~ly rents~= 12 "


def test_terms_of_an_earlier_version_are_read_as_they_are() -> None:
    assert not is_packed("the monthly month~")
    assert unpacked("the monthly month~") == "the monthly month~"


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_is_held_is_what_stands_there_also_where_words_stand_without_their_beginnings(text: str) -> None:
    for made in (terms(text), text.lower().split()):
        sought = {*made, *terms(text), "mont", "month", "month~", "monthly", "monthl", "absent", "absen~", "12345"}
        assert held(packed(" ".join(made)), sought) == sought & set(made)
    assert held("the monthly month~", ["monthly", "month~", "month"]) == {"monthly", "month~"}
