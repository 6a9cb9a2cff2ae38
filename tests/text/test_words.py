"""What full-text search sees of a text."""

import time

import pytest

from docqa.text.sentences import sentences
from docqa.text.words import fold, has_word, is_dense, terms


@pytest.mark.parametrize(
    ("typed", "other"),
    [
        ("Café", "CAFE"),
        ("ﬁnance", "finance"),
        ("Straße", "STRASSE"),
        ("Ａ４", "a4"),
        ("Tiếng Việt", "tieng viet"),
    ],
)
def test_folding_makes_what_people_type_equal_to_what_is_printed(typed: str, other: str) -> None:
    assert fold(typed) == fold(other)


def test_folding_keeps_marks_that_are_letters() -> None:
    assert fold("が") != fold("か")
    assert fold("कि") != fold("क")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("inspections", "The inspection took place."),
        ("東京の人口", "東京都の人口は約1400万人です。"),
        ("서울", "서울은 대한민국의 수도이다."),
        ("المدرسة", "في مدرسة قديمة"),
        ("مدارس", "في مدرسة قديمة"),
        ("الأطفال", "طفل صغير"),
        ("شربوا", "شراب الفواكه"),
        ("لسويسرا", "عاصمة سويسرا"),
        ("تنتمي", "ينتمي إليها"),
        ("ABC-123", "Part ABC-123 is out of stock."),
        ("3.14", "It is 3.14 or so."),
        ("2023-05-01", "Signed on 2023-05-01 in Oslo."),
        ("user@example.org", "Write to user@example.org please."),
    ],
)
def test_a_question_finds_its_text(question: str, text: str) -> None:
    assert set(terms(question)) & set(terms(text))


def test_dense_scripts_are_cut_into_character_pairs() -> None:
    assert terms("東京都") == ["東京", "京都"]
    assert terms("東") == ["東"]


def test_a_long_word_stands_whole_and_cut() -> None:
    assert terms("Inspections") == ["inspections", "inspe~"]


def test_an_arabic_word_stands_as_its_stem_and_its_root() -> None:
    assert terms("الكتاب") == ["كتاب", "كتب~"]
    assert terms("من") == ["من"], "what has no three consonants has no root"


def test_numbers_stand_whole_and_in_parts() -> None:
    assert terms("1,234.50") == ["1,234.50", "234", "50"]


def test_nothing_is_found_in_punctuation_and_symbols() -> None:
    assert terms(' "*" AND -- ( NEAR/ \x00 😀 ') == ["and", "near"]


@pytest.mark.parametrize(
    "text", ["Rooms 3rd floor, 1,250.50 or 12/24", "Écran n° 7 – мир, واجبات", "naïve A1 2'500 x², ½ l", "हिन्दी 12-3"]
)
def test_a_text_has_the_same_terms_beside_a_dense_script(text: str) -> None:
    """Texts without such scripts are cut by a quicker pattern."""
    assert terms(f"{text} 漢字") == [*terms(text), "漢字"]


def test_which_scripts_are_dense() -> None:
    assert is_dense("これは日本語です。")
    assert not is_dense("This is English.")
    assert not is_dense("")


@pytest.mark.parametrize(
    "text",
    [
        "a" * 300_000,
        "1" * 300_000,
        "." * 300_000,
        "\n" * 300_000,
        "1." * 150_000,
        "a-" * 150_000,
        "東" * 300_000,
        "\n -" * 100_000,
    ],
)
def test_long_runs_cost_time_in_proportion(text: str) -> None:
    start = time.process_time()
    terms(text)
    sentences(text)
    assert time.process_time() - start < 5, "a pattern costs the square of its input"


def test_a_word_is_there_in_any_form_and_of_a_script_without_spaces_with_all_its_pairs() -> None:
    assert has_word(frozenset(terms("rents are paid monthly")), "months")
    assert not has_word(frozenset(terms("rents are paid monthly")), "yearly")
    assert has_word(frozenset(terms("请更换滤网。")), "更换滤网")
    assert not has_word(frozenset(terms("请清洗滤网。")), "更换滤网")
