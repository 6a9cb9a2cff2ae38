"""Questions generated from small documents, the choice among them, and what a right answer contains."""

import pytest

from docqa.ingest.made_questions import MadeQuestion, choose, holds, make_questions
from docqa.store.chunks import StoredChunk
from docqa.text.words import terms
from eval_samples import QUAY


def stored(text: str, *, section: str = "", columns: str = "", id_: int = 1, document: int = 1) -> StoredChunk:
    return StoredChunk(id_, document, 1, section, columns, text, " ".join(terms(text)))


def generated(text: str, language: str = "en", **more: str) -> list[tuple[str, str, str]]:
    """The kind, text and value of the questions generated from a chunk."""
    questions = make_questions([stored(text, **more)], language)
    return [(question.kind, question.text, question.value) for question in questions]


def test_definitions_numbers_and_dates_become_questions_and_references_to_the_text_before_do_not() -> None:
    assert generated(QUAY) == [
        ("definition", "What is a quay?", "a wall at which ships are loaded"),
        ("number", "What is the length of the quay?", "340"),
        ("date", "When was the quay built?", "1911"),
        ("number", "How much were the harbour dues in 2021?", "5.2"),
    ]


@pytest.mark.parametrize(
    ("language", "text", "questions"),
    [
        (
            "de",
            (
                "Ein Wehr ist ein Bauwerk, das einen Fluss staut. Die Miete beträgt 12.400 Euro. "
                "Der Hof hat 340 Bäume. Die Brücke wurde im Jahr 1911 gebaut."
            ),
            [
                "Was ist ein Wehr?",
                "Wie viel beträgt die Miete?",
                "Wie viele Bäume hat der Hof?",
                "Wann wurde die Brücke gebaut?",
            ],
        ),
        (
            "fr",
            (
                "Une écluse est un ouvrage qui relève les bateaux. Le loyer est de 12 400 euros. "
                "Le coût s'élève à 3 millions d'euros. Le pont a été construit en 1911."
            ),
            [
                "Qu'est-ce que c'est, une écluse ?",
                "De combien est le loyer ?",
                "À combien s'élève le coût ?",
                "Quand est-ce que le pont a été construit ?",
            ],
        ),
        (
            "es",
            (
                "Una esclusa es una obra que eleva los barcos. El alquiler es de 12.400 euros. "
                "El coste asciende a 3 millones de euros. El puente fue construido en 1911."
            ),
            [
                "¿Qué es una esclusa?",
                "¿De cuánto es el alquiler?",
                "¿A cuánto asciende el coste?",
                "¿Cuándo fue construido el puente?",
            ],
        ),
        (
            "pt",
            (
                "Uma eclusa é uma obra que eleva os barcos. A renda mensal é de 12.400 euros. "
                "A ponte foi construída em 1911."
            ),
            ["O que é uma eclusa?", "De quanto é a renda mensal?", "Quando foi construída a ponte?"],
        ),
        (
            "it",
            (
                "Una chiusa è un'opera che solleva le barche. L'affitto è di 12.400 euro. "
                "Il costo ammonta a 3 milioni di euro. Il ponte è stato costruito nel 1911."
            ),
            [
                "Che cos'è una chiusa?",
                "Di quanto è l'affitto?",
                "A quanto ammonta il costo?",
                "Quando è stato costruito il ponte?",
            ],
        ),
        (
            "nl",
            "Een sluis is een bouwwerk dat schepen optilt. De huur bedraagt 12.400 euro. De brug werd in 1911 gebouwd.",
            ["Wat is een sluis?", "Hoeveel bedraagt de huur?", "Wanneer werd de brug gebouwd?"],
        ),
        (
            "pl",
            "Śluza to budowla, która podnosi statki. Czynsz wynosi 12 400 euro. Most został zbudowany w 1911 roku.",
            ["Co to jest Śluza?", "Ile wynosi Czynsz?", "Kiedy Most został zbudowany?"],
        ),
        (
            "ru",
            (
                "Шлюз — это сооружение, которое поднимает суда. Плата составляет 12 400 евро. "
                "Мост был построен в 1911 году."
            ),
            ["Что такое Шлюз?", "Сколько составляет Плата?", "Когда был построен Мост?"],
        ),
        (
            "tr",
            "Savak, gemileri kaldıran bir yapıdır. Aylık kira 12.400 avrodur. Köprü 1911 yılında yapıldı.",
            ["Savak nedir?", "Aylık kira kaç avrodur?", "Köprü ne zaman yapıldı?"],
        ),
        (
            "hi",
            "बाँध एक नदी को रोकने वाली रचना है। मासिक किराया 12,400 यूरो है। पुल 1911 में बना था।",
            ["बाँध क्या है?", "मासिक किराया कितने यूरो है?", "पुल कब बना था?"],
        ),
        (
            "ar",
            "السد هو بناء يحجز ماء النهر. يبلغ الإيجار الشهري 12400 يورو. تأسست الشركة عام 1911.",
            ["ما هو السد؟", "كم يبلغ الإيجار الشهري؟", "متى تأسست الشركة؟"],
        ),
        (
            "he",
            "סכר הוא מבנה שעוצר את מי הנהר. שכר הדירה עומד על 12,400 אירו. הגשר נבנה בשנת 1911.",
            ["מה זה סכר?", "על כמה עומד שכר הדירה?", "מתי נבנה הגשר?"],
        ),
        (
            "zh",
            "水闸是一种拦住河水的建筑物。每月租金为12,400欧元。石桥于1911年建成。",
            ["水闸是什么？", "每月租金为多少欧元？", "石桥于哪一年建成？"],
        ),
        (
            "ja",
            "水門とは、川の水をせき止める設備である。毎月の家賃は12,400ユーロです。石橋は1911年に建設された。",
            ["水門とは何ですか？", "毎月の家賃は何ユーロですか？", "石橋はいつ建設されたか？"],
        ),
        (
            "ko",
            "수문은 강물을 막는 시설이다. 월세는 12,400유로입니다. 돌다리는 1911년에 건설되었다.",
            ["수문은 무엇입니까?", "월세는 몇 유로입니까?", "돌다리는 언제 건설되었습니까?"],
        ),
    ],
)
def test_questions_are_in_the_language_of_the_document(language: str, text: str, questions: list[str]) -> None:
    assert [question for _, question, _ in generated(text, language)] == questions


def test_cells_of_a_table_are_asked_for_by_row_and_column() -> None:
    questions = generated("\t2020\t2021\nTolls\t$ 310\t$ 295\nOther income\nBerths\t(12)\t-\n\nA closing remark.")
    assert questions == [
        ("row", "What is the value for Tolls, 2020?", "$ 310"),
        ("row", "What is the value for Tolls, 2021?", "$ 295"),
        ("row", "What is the value for Berths, 2020?", "(12)"),
    ]


def test_a_table_continued_in_another_chunk_keeps_its_columns() -> None:
    assert generated("Berths\t12\t14", columns="\t2020\t2021") == [
        ("row", "What is the value for Berths, 2020?", "12"),
        ("row", "What is the value for Berths, 2021?", "14"),
    ]


def test_rows_that_name_their_columns_are_identified_by_their_first_cell() -> None:
    assert generated("Ship: Anemone; Berth: North 4; Length: 82") == [
        ("row", "What is the value for Anemone, Berth?", "North 4"),
        ("row", "What is the value for Anemone, Length?", "82"),
    ]


def test_prose_that_looks_like_a_row_and_statements_with_two_amounts_give_no_question() -> None:
    assert generated("Hoys (Dutch: heu; German: Heude; French: heude) carried goods and people along the coast.") == []
    assert generated("The limits are 35 tons for the north quay and 27 tons for the south quay.") == []


def test_a_question_with_two_answers_is_dropped_and_one_with_the_same_answer_kept_once() -> None:
    assert generated("The price of a crate is 14 euros. The price of a crate is 15 euros.") == []
    assert len(generated("The price of a crate is 14 euros. The price of a crate is 14 euros.")) == 1


def test_a_heading_gives_a_question_without_a_value() -> None:
    assert generated("Bring your own gloves.", section="Safety at work") == [
        ("heading", "What is said about “Safety at work”?", "")
    ]


def test_a_heading_before_a_sentence_is_not_part_of_its_subject() -> None:
    text = "Overview\nThe company is a maker of small bells and other instruments for ships,\nboth for fog and for fun."
    assert generated(text)[0][1] == "What is the company?"


def test_the_choice_alternates_documents_and_kinds_spreads_over_each_document_and_is_deterministic() -> None:
    questions = [MadeQuestion("row", f"row {n}", "en", 1, "1", chunk=n) for n in range(1, 101)]
    questions += [
        MadeQuestion("date", "when", "en", 1, "1", chunk=101),
        MadeQuestion("row", "other", "en", 2, "1", chunk=102),
        MadeQuestion("heading", "about", "en", 2, chunk=103),
    ]
    chosen = choose(questions, 12)
    assert chosen == choose(questions, 12)
    texts = {question.text for question in chosen}
    assert {"when", "other"} < texts and "about" not in texts
    rows = [question.chunk for question in chosen if question.document == 1 and question.kind == "row"]
    assert len(rows) == 10 and all(any(n < row <= n + 20 for row in rows) for n in range(0, 100, 20))
    assert choose(questions, 200)[-1].text == "about", "headings are taken when nothing else is left"


@pytest.mark.parametrize(
    ("answer", "value", "right"),
    [
        ("The dues were 5.2 million euros.", "5.2", True),
        ("The dues were 15.2 million euros.", "5.2", False),
        ("A quay is a wall where ships are loaded.", "a wall at which ships are loaded", True),
        ("A quay is a kind of jam.", "a wall at which ships are loaded", False),
        ("It was built on 3 May 1912.", "3 May 1911", False),
        ("Anything", "", False),
    ],
)
def test_a_right_answer_has_all_numbers_and_most_words_of_the_value(answer: str, value: str, right: bool) -> None:
    assert holds(answer, value) is right
