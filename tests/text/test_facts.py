"""Numbers, dates and names are the same however they are written, and others when they differ."""

import pytest

from docqa.text.facts import Claims, Facts, names, quoted

HELD = "On 3 May 2021 Kari Nordmann sold 1,577 lamps for $1.6 billion, 23.4 % more; 12.400,50 remained, and three were lost by Norsk AS. See 2 300. It cost twenty-one."


def stated(sentence: str, language: str, held: Facts) -> list[bool]:
    """For each date, number and name of the sentence whether `held` has it."""
    return held.have(Claims.of(sentence, language))


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "1577 and 1.577 and 1 577 and 1'577"),
        ("en", "23.4 percent, 23,4 % and 12,400.50"),
        ("en", "1,600 million is 1.6 billion"),
        ("en", "3 were lost, see 2,300"),
        ("en", "it cost 21"),
        ("en", "on 3 May 2021, May 3rd, 2021, 2021-05-03, 03.05.2021, 3/5/2021 and 5/3/2021, or in May 2021"),
        ("de", "am 3. Mai 2021"),
        ("fr", "le 3 mai 2021"),
        ("es", "el 3 de mayo de 2021"),
        ("ru", "3 мая 2021"),
        ("pl", "3 maja 2021"),
        ("tr", "3 Mayıs 2021"),
        ("hi", "3 मई 2021"),
        ("he", "ב-3 במאי 2021"),
        ("ar", "في ٣ مايو ٢٠٢١ بيع ١٬٥٧٧"),
        ("zh", "2021年5月3日卖出1577"),
        ("ko", "2021년 5월 3일"),
        ("en", "It was Kari Nordmann, or Nordmann's company, Norsk."),
    ],
)
def test_the_same_fact_is_found_however_it_is_written(language: str, sentence: str) -> None:
    results = stated(sentence, language, Facts([HELD], "en"))
    assert results and all(results)


@pytest.mark.parametrize(
    ("language", "sentence", "expected"),
    [
        ("en", "1,578 of 1,577", [False, True]),
        ("en", "1.6 and 577", [True, False]),
        ("en", "4 were lost", [False]),
        ("en", "on 4 May 2021", [False]),
        ("en", "on 3 June 2021", [False]),
        ("en", "on 3 May 2022", [False]),
        ("ja", "2021年6月3日", [False]),
        ("en", "It was Ola Nordmann.", [False, True]),
        ("en", "1. Nothing was sold", []),
    ],
)
def test_another_fact_is_not(language: str, sentence: str, expected: list[bool]) -> None:
    assert stated(sentence, language, Facts([HELD], "en")) == expected


def test_a_date_may_be_put_together_from_a_day_and_a_year() -> None:
    held = Facts(["In 2021 it closed on 3 May."], "en")
    assert stated("It closed on 3 May 2021.", "en", held) == [True]
    assert stated("It closed on 3 May 2020.", "en", held) == [False]


@pytest.mark.parametrize(
    ("language", "sentence", "expected"),
    [
        ("en", "The lease was signed by Kari Nordmann in Bergen.", ["Kari", "Nordmann", "Bergen"]),
        ("en", "In FY2018 it was 3M", []),
        ("de", "Die Miete der Halle zahlt Kari Nordmann.", ["Nordmann"]),
        ("ru", "Договор подписала Анна Иванова.", ["Анна", "Иванова"]),
        ("zh", "合同由王芳签署。", []),
    ],
)
def test_names_are_recognised_by_their_capitals(language: str, sentence: str, expected: list[str]) -> None:
    assert names(sentence, language) == expected


@pytest.mark.parametrize(
    "text",
    [
        'the series "Two Mills"',
        "die Serie „Two Mills“",
        "la série « Two Mills »",
        "«Two Mills» la serie",
        "连续剧《Two Mills》",
        "「Two Mills」",
        "『Two Mills』",
    ],
)
def test_what_stands_in_quotation_marks(text: str) -> None:
    assert [quotation.strip() for quotation in quoted(text)] == ["Two Mills"]


def test_an_apostrophe_is_no_quotation_mark() -> None:
    assert quoted("the dog's and the cats' house") == []


@pytest.mark.parametrize("letter", ["a", "ا"])
def test_a_word_without_end_is_soon_looked_at(letter: str) -> None:
    assert names(letter * 50_000, "ar") == []
