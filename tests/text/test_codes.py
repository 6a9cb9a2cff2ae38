"""Codes: names made of letters and a number."""

import pytest

from docqa.text.codes import codes, form


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("What does E20 mean, and e-21?", {"e20", "e21"}),
        ("When S.04 is shown", {"s04"}),
        ("显示S.04", {"s04"}),
        ("See No.4, Art.5 and the end.7 pumps", set()),
        ("屏幕上出现E3是什么意思", {"e3"}),
        ("ticket T-10435 about COVID-19", {"t10435", "covid19"}),
        ("sales in FY2022 and Q3", {"q3"}),  # a year is a date
        ("5kg, 24h, 3.5 and the 2nd of May", set()),
    ],
)
def test_letters_before_a_number_are_a_code(text: str, named: set[str]) -> None:
    assert codes(text) == named


def test_codes_of_one_kind_have_one_form() -> None:
    assert form("e20") == form("f75") != form("t10435")
