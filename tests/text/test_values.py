"""Numbers and dates are read by one module, in cells, in sentences and in questions."""

from decimal import Decimal

import pytest

from docqa.text.values import (
    Date,
    dates,
    dates_and_numbers,
    decimal_marks,
    every_number,
    in_words,
    iso_date,
    kind,
    number,
    numbers,
    quantity,
)


@pytest.mark.parametrize(
    ("digits", "marks"),
    [
        ("12", ".,"),
        ("1.5", "."),
        ("1,5", ","),
        ("1.234", ".,"),
        ("0.234", "."),
        ("1.234.567", ","),
        ("1'234", ".,"),
        ("1 234,5", ","),
        ("12,34,567", "."),
        ("1.2.3", ""),
        ("007", ""),
    ],
)
def test_digits_show_which_decimal_marks_fit(digits: str, marks: str) -> None:
    assert decimal_marks(digits) == frozenset(marks)


def test_a_decimal_mark_decides_what_digits_mean() -> None:
    assert [number("1.234", mark) for mark in ".,"] == [Decimal("1.234"), 1234]


@pytest.mark.parametrize(
    ("cell", "value", "unit"),
    [
        ("(380)", -380, ""),
        ("$-3", -3, "$"),
        ("7.50 €", 7.5, "€"),
        ("USD 5", 5, "USD"),
        ("2E-1", 0.2, ""),
        ("-4 kg", -4, "kg"),
    ],
)
def test_a_cell_is_a_number_with_its_sign_and_unit(cell: str, value: float, unit: str) -> None:
    amount = quantity(cell)
    assert amount is not None
    assert (float(amount.value(".")), amount.unit) == (value, unit)


@pytest.mark.parametrize("cell", ["about 6", "(5", "1.2.3", "", "12 of 13"])
def test_other_cells_are_no_numbers(cell: str) -> None:
    assert quantity(cell) is None


def test_a_number_in_a_text_means_all_that_its_notation_allows() -> None:
    assert numbers("1.577 of 3 million, version 2.1.7") == [
        {Decimal("1.577"), Decimal(1577)}, {Decimal(3), Decimal(3_000_000)}, {Decimal(2)}, {Decimal(1)}, {Decimal(7)},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("twenty one", "en", 21),
        ("dreihundertfünf", "de", 305),
        ("deux mille dix", "fr", 2010),
        ("dieciséis", "es", 16),
        ("ventuno", "it", 21),
        ("tweeënveertig", "nl", 42),
        ("noventa e nove", "pt", 99),
        ("семь", "ru", 7),
        ("三", "zh", 3),
        ("the lease", "en", None),
        ("21", "en", None),
    ],
)
def test_numbers_in_words(text: str, language: str, value: int | None) -> None:
    assert in_words(text, language) == value


def test_the_numbers_of_a_text_are_in_digits_and_in_words() -> None:
    held = every_number(["Three of the twenty-one tenants pay 2 300."], "en")
    assert {3, 21, 2300, 300} <= held


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("on 3 May 2021.", Date(2021, 5, 3)),
        ("May 3rd", Date(None, 5, 3)),
        ("in May 2021", Date(2021, 5, None)),
        ("2021-05-03T10:00", Date(2021, 5, 3)),
        ("le 1er mai 2021", Date(2021, 5, 1)),
        ("2021年5月3日", Date(2021, 5, 3)),
        ("январь 2021", Date(2021, 1, None)),
        ("1 января 2021 г.", Date(2021, 1, 1)),
        ("styczeń 2021", Date(2021, 1, None)),
        ("29 February", Date(None, 2, 29)),
    ],
)
def test_dates_of_a_text(text: str, date: Date) -> None:
    assert dates(text) == [[date]]


def test_a_date_means_all_that_its_notation_allows() -> None:
    assert dates("3/5/2021 or 3.5.2021") == [[Date(2021, 5, 3), Date(2021, 3, 5)], [Date(2021, 5, 3)]]


@pytest.mark.parametrize("text", ["31.2.2021", "2019-20", "13/13/2021", "in May", "pages 12-34-5678"])
def test_what_looks_like_a_date_and_is_none(text: str) -> None:
    assert dates(text) == []


def test_a_number_in_a_date_is_no_number_besides() -> None:
    assert dates_and_numbers("on 3 May 2021, 40 lamps") == ([[Date(2021, 5, 3)]], [{Decimal(40)}])


@pytest.mark.parametrize(
    ("cell", "iso"),
    [
        ("3/5/2021", "2021-05-03"),
        ("2021-05", "2021-05"),
        ("2021/5/3 10:30", "2021-05-03 10:30"),
        ("3. Mai 2021", "2021-05-03"),
        ("Sept. 3, 2021", "2021-09-03"),
        ("3 May", None),
        ("May", None),
        ("3 May 2021 and later", None),
    ],
)
def test_a_cell_that_is_a_date(cell: str, iso: str | None) -> None:
    assert iso_date(cell, day_first=True) == iso


def test_the_order_of_day_and_month_is_the_callers_to_know() -> None:
    assert iso_date("3/5/2021", day_first=False) == "2021-03-05"


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("2020-01-02", "date"),
        ("03.04.20", "date"),
        ("2019", "date"),
        ("-7 %", "number"),
        ("030 123-4", "number"),
        ("May", None),
    ],
)
def test_what_a_cell_looks_like(cell: str, expected: str | None) -> None:
    assert kind(cell) == expected
