"""Compound questions divided into their parts."""

import pytest

from docqa.questions.parts import parts as parts_of


@pytest.mark.parametrize(
    ("language", "question", "parts"),
    [
        (
            "en",
            "What does the lamp mean? Where is the log kept?",
            ["What does the lamp mean?", "Where is the log kept?"],
        ),
        ("en", "1. Who pays the fee? 2. When is the canal closed?", ["Who pays the fee?", "When is the canal closed?"]),
        (
            "en",
            "How much does the pass cost and where is it sold?",
            ["How much does the pass cost", "where is it sold?"],
        ),
        (
            "en",
            "Compare the oil needs of pump A1 and pump B2.",
            ["the oil needs of pump A1.", "the oil needs of pump B2."],
        ),
        (
            "en",
            "Which is older, the mill or the glass works?",
            ["Which is older, the mill?", "Which is older, the glass works?"],
        ),
        (
            "en",
            "What do the red lamp and the green lamp mean?",
            ["What do the red lamp mean?", "What do the green lamp mean?"],
        ),
        (
            "de",
            "Was kostet ein Boot und wie viele Betten hat das Haus?",
            ["Was kostet ein Boot", "wie viele Betten hat das Haus?"],
        ),
        ("fr", "Combien coûte un étal et qui gère le marché ?", ["Combien coûte un étal", "qui gère le marché ?"]),
        (
            "es",
            "¿Cuánto cuesta la visita y cuándo se cierra el museo?",
            ["¿Cuánto cuesta la visita", "cuándo se cierra el museo?"],
        ),
        ("ar", "كم مدة الإعارة ومتى تفتح المكتبة؟", ["كم مدة الإعارة", "متى تفتح المكتبة؟"]),
        ("zh", "票价是多少？失物保存多少天？", ["票价是多少？", "失物保存多少天？"]),
        ("ja", "運賃はいくらで、食堂は何時に開きますか？", ["運賃はいくらで", "食堂は何時に開きますか？"]),
    ],
)
def test_a_compound_question_is_divided(language: str, question: str, parts: list[str]) -> None:
    assert parts_of(question, language) == parts


@pytest.mark.parametrize(
    "question",
    [
        "How high were research and development costs in 2018?",
        "When and where was the treaty signed?",
        "Who founded the museum and why?",
        "What do Kvist and Sons make?",
        "What is the difference between gross and net rent?",
        "What is the difference between the gross and the net rent?",
        "What is the difference between gross rent and net rent?",
        "What's the difference between the lease and the licence?",
        "Compare the gross and the net rent.",
        "What do I set both clocks to when only the tower is late?",
        "Where do bread and butter come from",
        "",
        "and",
        "???",
    ],
)
def test_what_asks_one_thing_stays_whole(question: str) -> None:
    assert parts_of(question, "en") == [question]


@pytest.mark.parametrize("words", ["and ", "\n", "compared to ", "What? "])
def test_a_text_that_is_put_in_whole_is_one_question_and_soon_looked_at(words: str) -> None:
    text = words * 10_000 + "x"
    assert parts_of(text, "en") == [text]


@pytest.mark.parametrize(
    "question",
    [
        "Was ist der Unterschied zwischen Brutto- und Nettomiete?",
        "Was ist der Unterschied zwischen kalter und warmer Miete?",
        "Was ist der Unterschied zwischen Brutto und Netto?",
        "Was ist der Unterschied zwischen der Bruttomiete und der Nettomiete?",
    ],
)
def test_attributes_of_one_noun_are_not_divided_in_german(question: str) -> None:
    assert parts_of(question, "de") == [question]


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("fr", "Quelle est la différence entre le loyer brut et le loyer net ?"),
        ("es", "¿Cuál es la diferencia entre el alquiler bruto y el alquiler neto?"),
        ("it", "Qual è la differenza tra l'affitto lordo e l'affitto netto?"),
        ("pt", "Qual é a diferença entre o aluguel bruto e o aluguel líquido?"),
        ("nl", "Wat is het verschil tussen de brutohuur en de nettohuur?"),
        ("pl", "Jaka jest różnica między czynszem brutto a czynszem netto?"),
        ("ru", "В чём разница между валовой и чистой арендой?"),
        ("tr", "Brüt kira ile net kira arasındaki fark nedir?"),
        ("ar", "ما الفرق بين الإيجار الإجمالي والإيجار الصافي؟"),
        ("zh", "总租金和净租金有什么区别？"),
        ("ja", "総賃料と純賃料の違いは何ですか？"),
    ],
)
def test_a_difference_is_asked_for_as_one_thing(language: str, question: str) -> None:
    assert parts_of(question, language) == [question]
