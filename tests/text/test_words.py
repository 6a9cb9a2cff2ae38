"""What full-text search sees of a text, and where its sentences end."""

import time

import pytest

from docqa.text.words import fold, is_dense, sentences, terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café", "CAFE"),
        ("ﬁnance", "finance"),
        ("Straße", "STRASSE"),
        ("Ａ４", "a4"),
        ("Tiếng Việt", "tieng viet"),
    ],
)
def test_folding_makes_what_people_type_equal_to_what_is_printed(one: str, other: str) -> None:
    assert fold(one) == fold(other)


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
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. No met Mr. Bean. They talked.", ["Dr. No met Mr. Bean.", "They talked."]),
        ("It costs 3.50 today. Fine.", ["It costs 3.50 today.", "Fine."]),
        ("Er lebte im 10. Jahrhundert. Am 3. 10. 1990 auch.", ["Er lebte im 10. Jahrhundert.", "Am 3. 10. 1990 auch."]),
        ("V 19. století žil. Pak ne.", ["V 19. století žil.", "Pak ne."]),
        ("It was in 1990. He scored 10. Then he left.", ["It was in 1990.", "He scored 10.", "Then he left."]),
        ("See p. 5 of vol. 2. It says so.", ["See p. 5 of vol. 2.", "It says so."]),
        ("all small. no capitals.", ["all small.", "no capitals."]),
        ("彼は来た。彼女は去った。", ["彼は来た。", "彼女は去った。"]),
        ("Title\n\nText begins.", ["Title", "Text begins."]),
        ("- one\n- two", ["- one", "- two"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == expected


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


def test_each_row_of_a_table_is_a_sentence() -> None:
    text = "As follows. In millions\nNet sales\t32,765\t31,657\nCost of sales\t16,682\n\nItem | Price\nDesk | 12. 50\n\nName: Ada; Age: 36\nName: Bob; Age: 41\nThe end."
    assert [text[start:end] for start, end in sentences(text)] == [
        "As follows.", "In millions", "Net sales\t32,765\t31,657", "Cost of sales\t16,682", "Item | Price", "Desk | 12. 50", "Name: Ada; Age: 36", "Name: Bob; Age: 41",
        "The end.",
    ]  # fmt: skip


def test_a_long_line_without_cells_takes_no_time() -> None:
    assert len(sentences("a: b c " * 200_000)) == 1
