"""Rows that are named by ranges of numbers, and rows of one label that a range in another column tells apart."""

import math

import pytest

from docqa.questions.question import Part
from docqa.tables.lookups.cells import Tables
from docqa.tables.lookups.parts import answered
from docqa.tables.lookups.ranges import range_of


@pytest.mark.parametrize(
    ("label", "least", "most"),
    [
        ("Teens 14 to 17 years", 14, 17),
        ("50 and older", 50, math.inf),
        ("5 or fewer", -math.inf, 5),
        ("no less than 5", 5, math.inf),
        ("£10,000 – £49,999", 10_000, 49_999),
        ("1.250,00 – 3.000,00 €", 1_250, 3_000),
        ("5 kg - 10 kg", 5, 10),
        ("Kinder bis 13 Jahre", -math.inf, 13),
        ("de 6 a 12 anos", 6, 12),
        ("hasta 3 meses", -math.inf, 3),
        ("jusqu'à 10 km", -math.inf, 10),
        ("fino a 5 anni", -math.inf, 5),
        ("من 6 إلى 15 يومًا", 6, 15),
        ("خدمة 5 سنوات فأكثر", 5, math.inf),
        ("от 5 до 10 лет", 5, 10),
        ("od 5 do 10 lat", 5, 10),
        ("1 t/m 5 jaar", 1, 5),
        ("5 yıl ve üzeri", 5, math.inf),
        ("5天以内", -math.inf, 5),
        ("5 日以内", -math.inf, 5),
    ],
)
def test_a_label_is_a_range_in_any_language(label: str, least: float, most: float) -> None:
    assert range_of(label) == (least, most)


def test_a_range_may_leave_out_its_ends() -> None:
    for label in ("von 5 t bis unter 10 t", "1年以上10年未満", "满1年不满10年", "at least 1 but less than 10"):
        bounds = range_of(label)
        assert bounds and bounds[0] in (1, 5) and 9.9 < bounds[1] < 10, label
    assert range_of("oltre 5 anni") > (5, math.inf)  # type: ignore[operator]


@pytest.mark.parametrize("label", ["Class 7", "1 of 4", "10 x 20 cm", "30 minutes to 2 hours", "from 01.07.2024", "J3"])
def test_other_numbers_are_no_range(label: str) -> None:
    assert range_of(label) is None


PENSIONS = """Contributions

Band | Age | You pay (%) | Firm pays (%)
A | any | 4 | 6
C | under 50 | 7 | 10
C | 50 and over | 7 | 12
D | any | 8 | 14
"""


def answer_of(text: str, question: str, language: str = "en", **fields: object) -> str:
    answer = answered(Tables.of(1, [(1, text)]), Part(question, language, **fields), language)  # type: ignore[arg-type]
    return answer[0] if answer else ""


def test_a_range_in_another_column_tells_rows_of_one_label_apart() -> None:
    said = answer_of(PENSIONS, "I am 52 and in band C, how much does the firm pay?", expects="number", kind="number")
    assert said == "C, 50 and over, Firm pays: 12 %."
    said = answer_of(PENSIONS, "how much does the firm pay in band C at 30?", expects="number", kind="number")
    assert said == "C, under 50, Firm pays: 10 %."


def test_a_letter_behind_a_word_names_a_row_though_it_is_an_article() -> None:
    said = answer_of(PENSIONS, "how much does the firm pay in band a", expects="number", kind="number")
    assert said == "A, Firm pays: 6 %."


def test_ordinals_are_written_with_their_sign_or_without_it() -> None:
    flats = (
        "Fees\n\nFlat | Owner | Monthly fee (€)\n1.º A | Ada Hall | 40\n1.º B | Bo Lind | 52\n2.º A | Cy Moss | 61\n"
    )
    for flat in ("1ºB", "1 b", "1B", "1.º b"):
        said = answer_of(flats, f"monthly fee of {flat}?", expects="number", kind="number")
        assert said == "1.º B, Monthly fee: 52 €.", flat


HARDNESS = """Water

Hardness | Kind of water | Level
0–10 | soft | 1
11–30 | medium | 2
31–45 | hard | 3
"""


def test_the_column_is_asked_for_behind_a_word_that_asks() -> None:
    said = answer_of(HARDNESS, "our water has a hardness of 35, which level should I set?")
    assert said == "31–45, Level: 3."


def test_how_many_is_answered_by_no_sum_of_money() -> None:
    fees = "Fees\n\nGuest | Low season | High season\nDog | 2.00 € | 3.50 €\nAdult | 5.00 € | 7.00 €\n"
    assert not answer_of(fees, "how many dogs in high season?", expects="number", kind="number")
    assert answer_of(fees, "how much for a dog in high season?", expects="number", kind="number")


def test_arabic_words_are_the_same_with_what_is_written_together_with_them() -> None:
    text = "المزايا\n\nالميزة | القيمة (دينار) | الفئة\nبدل الطعام | 40 | الدرجات 1–4\nبدل الطعام | 70 | الدرجات 5–8\nبدل السفر | 90 | الجميع\n"
    said = answer_of(text, "كم بدل الطعام إذا درجتي 6", "ar", expects="number", kind="number")
    assert "70" in said and "40" not in said
