"""A sentence is stated only where a unit holds its numbers, dates, names and codes together and does not deny it."""

import pytest

from docqa.answering.evidence import CandidateUnit, Evidence
from docqa.answering.grounds import Grounds
from docqa.answering.stated import stated_in
from docqa.questions.question import Part
from docqa.text.blocks import blocks_of
from docqa.text.units import units

HANDBOOK = (
    "The station has three pumps. Pump A12 was made by Lodberg and put into service on 3 May 2008. Pump B30 was made by "
    "Kvist and Sons in 2015.\n\n"
    "Pump A12 needs 12 litres of oil. Pump B30 needs 26 litres of oil. Pump C7 is sealed for life and needs no oil.\n\n"
    "Lodberg gives a guarantee of ten years. Kvist and Sons gives a guarantee of five years.\n\n"
    "The southern line uses the Havsule. She takes 180 passengers. Visitors may take photographs, but they may not film."
)
TABLE = "Net revenue by year (in millions)\nItem\t2022\t2021\nNet revenue\t86,392\t79,474\nCosts\t70,100\t65,200"


def evidence(text: str, **more: str) -> Evidence:
    of_text = units(text, blocks_of(text))
    assert of_text
    return Evidence(text, tuple(CandidateUnit(unit, 1.0) for unit in of_text), **more)


def grounds(*texts: str, language: str = "en", strict: bool = False) -> Grounds:
    return Grounds(stated_in([evidence(text, language=language) for text in texts], language), language, strict=strict)


@pytest.mark.parametrize(
    "sentence",
    [
        "Pump B30 needs 26 litres of oil.",
        "**Pump B30** needs 26 litres of oil",
        "Pump A12 was made by Lodberg and put into service on May 3, 2008.",
        "Lodberg made pump A12.",
        "No, pump C7 does not need oil.",
        "The Havsule takes 180 passengers.",
        "Lodberg gives a guarantee of ten years, and Kvist and Sons gives five years.",
        "Pump A12 needs 12 litres of oil, while pump B30 needs 26.",
        "Pump A12 needs 12 litres of oil and pump B30 needs 26 litres, together 38 litres.",
        "The station has three pumps.",
        "Visitors may not film.",
        "Visitors may take photographs.",
    ],
)
def test_what_a_unit_states_is_stated(sentence: str) -> None:
    verdict = grounds(HANDBOOK).judge(sentence)
    assert (verdict.is_wrong, verdict.passages) == (False, (0,))


@pytest.mark.parametrize(
    "sentence",
    [
        "Pump C7 needs 26 litres of oil.",  # of another pump
        "Pump B30 needs 28 litres of oil.",
        "The station has two pumps.",
        "Pump A12 was put into service on 3 June 2008.",
        "Pump B30 was made by Lodberg.",
        "Kvist and Sons made pump A12.",
        "Napoleon made pump A12.",
        "The Havsule takes 300 passengers.",
        "Lodberg gives a guarantee of five years, and Kvist and Sons gives ten years.",
        "Pump C7 needs oil.",
        "Pump B30 does not need 26 litres of oil.",
        "Visitors may film.",
        "Visitors may not take photographs.",
        "Pump A12 needs 12 litres of oil and pump B30 needs 26 litres, together 40 litres.",
    ],
)
def test_what_no_unit_states_is_wrong(sentence: str) -> None:
    verdict = grounds(HANDBOOK).judge(sentence)
    assert verdict.is_wrong and verdict.passages == ()


@pytest.mark.parametrize(
    ("language", "text", "right", "wrong"),
    [
        (
            "de",
            "Die Miete beträgt 12.400 Euro. Haustiere sind nicht erlaubt.",
            ["Die Miete beträgt 12.400 Euro.", "Haustiere sind nicht erlaubt."],
            ["Die Miete beträgt 14.200 Euro.", "Haustiere sind erlaubt."],
        ),
        (
            "fr",
            "Le loyer est de 12 400 euros. Les chiens ne sont pas admis.",
            ["Le loyer est de 12 400 euros.", "Les chiens ne sont pas admis."],
            ["Le loyer est de 14 200 euros.", "Les chiens sont admis."],
        ),
        (
            "es",
            "El alquiler es de 12.400 euros. No se admiten perros.",
            ["El alquiler es de 12.400 euros.", "No se admiten perros."],
            ["El alquiler es de 14.200 euros.", "Se admiten perros."],
        ),
        (
            "zh",
            "月租金为12,400元。不允许养狗。",
            ["月租金为12,400元。", "不允许养狗。"],
            ["月租金为14,200元。", "允许养狗。"],
        ),
    ],
)
def test_other_languages_are_compared_too(language: str, text: str, right: list[str], wrong: list[str]) -> None:
    judged = grounds(text, language=language)
    assert [judged.judge(sentence).is_wrong for sentence in right] == [False] * len(right)
    assert [judged.judge(sentence).is_wrong for sentence in wrong] == [True] * len(wrong)


def test_of_a_table_the_value_stands_in_the_column_that_is_named() -> None:
    judged = grounds(TABLE)
    assert not judged.judge("Net revenue was $86,392 million in 2022.").is_wrong
    assert judged.judge("Net revenue was $79,474 million in 2022.").is_wrong
    assert judged.judge("Costs were $86,392 million in 2022.").is_wrong
    assert not judged.judge("Net revenue rose from $79,474 million in 2021 to $86,392 million in 2022.").is_wrong
    assert not judged.judge(
        "Net revenue rose by 8.7 % from $79,474 million in 2021 to $86,392 million in 2022."
    ).is_wrong
    assert judged.judge("Net revenue rose by 9.9 % from $79,474 million in 2021 to $86,392 million in 2022.").is_wrong


def test_each_clause_may_rest_on_a_passage_of_its_own() -> None:
    judged = grounds("The lease of the warehouse ends on 31 March 2027.", "The monthly rent is 12,400 euros.")
    verdict = judged.judge("The lease of the warehouse ends on 31 March 2027 and the monthly rent is 12,400 euros.")
    assert verdict == ((0, 1), False)


def test_a_sentence_without_facts_needs_a_unit_only_from_a_small_model() -> None:
    sentence = "In short, the machines are well looked after."
    assert grounds(HANDBOOK).judge(sentence) == ((), False)
    assert grounds(HANDBOOK, strict=True).judge(sentence).is_wrong


def test_a_small_model_has_to_speak_of_what_answers() -> None:
    of_text = units(HANDBOOK, blocks_of(HANDBOOK))
    scored = tuple(
        CandidateUnit(unit, 1.0 if "B30 was made" in HANDBOOK[unit.start : unit.end] else 0.1) for unit in of_text
    )
    judged = Grounds(stated_in([Evidence(HANDBOOK, scored, language="en")], "en"), "en", strict=True)
    assert not judged.judge("Pump B30 was made by Kvist and Sons in 2015.").is_wrong
    assert judged.judge("Pump B30 needs 26 litres of oil.").is_wrong


@pytest.mark.parametrize(
    ("sentence", "is_wrong"),
    [
        ("Pump B30 was made by Kvist and Sons.", False),
        ("Pump A12 was made by Lodberg.", True),  # of which nothing is asked
        ("The pump B30 was made.", True),  # says what the question says
    ],
)
def test_a_small_model_has_to_say_more_than_the_question_of_what_it_names(sentence: str, is_wrong: bool) -> None:
    stated = stated_in([evidence(HANDBOOK, language="en")], "en")
    judged = Grounds(stated, "en", part=Part("Who made pump B30?"), strict=True)
    assert judged.judge(sentence).is_wrong == is_wrong


def test_an_answer_in_another_language_is_compared_by_its_facts() -> None:
    judged = Grounds(stated_in([evidence(HANDBOOK, language="en")], "de"), "de")
    assert judged.judge("Die Pumpe B30 braucht 26 Liter Öl.") == ((0,), False)
    assert judged.judge("Die Pumpe C7 braucht 26 Liter Öl.").is_wrong


def test_what_stands_in_an_earlier_passage_is_no_invention_and_no_source() -> None:
    stated = stated_in([evidence(HANDBOOK, language="en")], "en")
    judged = Grounds(stated, "en", earlier=["The deposit is 30,000 euros."])
    assert judged.judge("The deposit is 30,000 euros.") == ((), False)
