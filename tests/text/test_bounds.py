"""The bounds that a text puts to a number."""

from decimal import Decimal

import pytest

from docqa.text.bounds import bounds, in_digits, measured


def admitted(text: str, language: str, values: tuple[float, ...]) -> list[list[bool]]:
    """For each bound of the text, which of the values keep to it."""
    text = in_digits(text, language)
    return [[bound.admits(Decimal(str(value))) for value in values] for bound in bounds(text, language)]


@pytest.mark.parametrize(
    ("language", "text", "values", "kept"),
    [
        ("en", "Trunks up to 20 kg", (20, 21), [True, False]),
        ("en", "no more than three guests", (3, 4), [True, False]),
        ("en", "aged 16 years or older", (16, 15), [True, False]),
        ("en", "under 5 minutes", (4, 5), [True, False]),
        ("en", "from 8 to 19", (8, 20), [True, False]),
        ("de", "bis zu vier Raten", (4, 5), [True, False]),
        ("de", "ab 14 Jahren", (14, 13), [True, False]),
        ("fr", "jusqu’à 23 h", (22.5, 23.5), [True, False]),
        ("fr", "plus de trois clés", (4, 3), [True, False]),
        ("es", "hasta ocho invitados", (8, 9), [True, False]),
        ("it", "non oltre 6 persone", (6, 7), [True, False]),
        ("pt", "a partir dos 12 anos", (12, 11), [True, False]),
        ("nl", "ten hoogste vijf dagen", (5, 6), [True, False]),
        ("pl", "co najmniej 30 dni", (30, 29), [True, False]),
        ("ru", "не более 10 человек", (10, 11), [True, False]),
        ("sv", "minst 18 år", (18, 17), [True, False]),
        ("zh", "每次不得超过4人", (4, 5), [True, False]),
        ("zh", "200元以下的费用", (150, 250), [True, False]),
        ("zh", "22时至次日7时", (23, 12), [True, False]),
        ("ja", "18歳以上の方", (18, 17), [True, False]),
        ("ko", "최대 5명", (5, 6), [True, False]),
        ("ar", "حتى 5 أيام", (5, 6), [True, False]),
    ],
)
def test_a_bound_admits_the_numbers_that_keep_to_it(
    language: str, text: str, values: tuple[float, ...], kept: list[bool]
) -> None:
    assert admitted(text, language, values) == [kept]


def test_a_number_alone_is_no_bound_and_a_date_no_number() -> None:
    assert bounds(in_digits("Six lockers stand in room 12.", "en"), "en") == []
    assert bounds(in_digits("The offer stands until 3 May 2031.", "en"), "en") == []
    assert bounds("up to 5", "xx") == []


def test_each_hour_of_several_days_has_its_own_bound() -> None:
    assert admitted("weekdays 8 to 19, Saturdays 9 to 12", "en", (15,)) == [[True], [False]]


def test_numbers_have_their_units() -> None:
    assert [(str(number.value), number.unit) for number in measured("um 22:30 Uhr 5 kg auf 1.200 Blatt", "de")] == [
        ("22.5", "uhr"),
        ("5", "kg"),
        ("1200", "blatt"),
    ]
    assert [(str(number.value), number.unit) for number in measured("体重10公斤，住4人", "zh")] == [
        ("10", "公"),
        ("4", "人"),
    ]
    assert measured("version 4.1.2.7", "en") == []
