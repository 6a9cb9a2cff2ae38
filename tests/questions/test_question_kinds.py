"""What kind of answer a question asks for."""

import pytest

from docqa.questions.kind_opinion import KindOpinion
from docqa.questions.kinds import expected, kind_of, wants_span
from docqa.questions.question import ChatOptions
from docqa.questions.understand import understand


@pytest.mark.parametrize(
    ("language", "question", "kind"),
    [
        ("en", "Is the deposit refundable?", "whether"),
        ("en", "Please, does it float?", "whether"),
        ("en", "Why was the bridge closed?", "reason"),
        ("en", "How do I reset the alarm?", "procedure"),
        ("en", "The siren sounds, what do I do?", "procedure"),
        ("de", "Der Ausweis ist weg, was mache ich?", "procedure"),
        ("de", "Was muss ich bei einem Umzug tun?", "procedure"),
        ("fr", "La sirène sonne, on fait quoi ?", "procedure"),
        ("fr", "On change la pile comment ?", "procedure"),
        ("fr", "Que dois-je faire en cas de perte ?", "procedure"),
        ("es", "Se ha perdido la llave, ¿qué hago?", "procedure"),
        ("it", "Ho perso la chiave, cosa devo fare?", "procedure"),
        ("pt", "Perdi a chave, o que faço?", "procedure"),
        ("nl", "De sleutel is weg, wat moet ik doen?", "procedure"),
        ("pl", "Zgubiłem klucz, co mam zrobić?", "procedure"),
        ("ru", "Ключ потерян, что делать?", "procedure"),
        ("tr", "Anahtar kayboldu, ne yapmalıyım?", "procedure"),
        ("ar", "ضاع المفتاح، ماذا أفعل؟", "procedure"),
        ("he", "המפתח אבד, מה לעשות?", "procedure"),
        ("hi", "चाबी खो गई, क्या करूँ?", "procedure"),
        ("ja", "鍵をなくしたらどうすればいいですか", "procedure"),
        ("zh", "钥匙丢了怎么办", "procedure"),
        ("en", "What are the opening hours?", "list"),
        ("en", "Describe the landing gear.", "description"),
        ("en", "How many members are there?", "number"),
        ("en", "Who leads the board?", "fact"),
        ("en", "Hello!", "greeting"),
        ("en", "thanks a lot", "thanks"),
        ("de", "Hallo", "greeting"),
        ("de", "Ist die Kaution verzinst?", "whether"),
        ("de", "Warum wurde die Brücke gesperrt?", "reason"),
        ("fr", "Pourquoi le pont est-il fermé ?", "reason"),
        ("es", "¿Por qué se cerró el puente?", "reason"),
        ("zh", "为什么关闭？", "reason"),
        # What something is called is not how it is done.
        ("es", "¿Cómo se llama el arrendador?", "fact"),
        ("es", "¿cómo se denomina la parte superior de la bomba?", "fact"),
        ("pt", "Como se chama o navio?", "fact"),
        ("it", "Come si chiama la nave?", "fact"),
        ("fr", "comment on appelle la taxe sur les ordures", "fact"),
        ("de", "Wie nennt man den Deckel der Pumpe?", "fact"),
        ("nl", "Hoe noemt men de bovenkant van de pomp?", "fact"),
        ("zh", "这个阀门怎么称呼？", "fact"),
        ("ja", "この部品はどのように呼ばれますか", "fact"),
        ("ko", "이 부품은 어떻게 부르나요?", "fact"),
        ("es", "¿Cómo se cambia el filtro?", "procedure"),
        ("it", "come si pulisce la pompa", "procedure"),
        ("de", "Wie wechselt man den Filter?", "procedure"),
        # As people speak.
        ("zh", "能不能带狗", "whether"),
        ("zh", "可以带狗吗 它才五公斤", "whether"),
        ("ar", "ليش مسكر الجسر", "reason"),
        ("ar", "إزاي أغير الفلتر", "procedure"),
        ("fr", "faut il un badge pour la cave", "whether"),
    ],
)
def test_the_kind_follows_from_the_words(language: str, question: str, kind: str) -> None:
    assert kind_of(question, language) == kind


@pytest.mark.parametrize(
    ("language", "question", "what"),
    [
        ("en", "Who leads the board?", "person"),
        ("en", "Where is the key kept?", "place"),
        ("en", "When does it open?", "date"),
        ("en", "How many members are there?", "number"),
        ("en", "What is it called?", None),
        ("de", "Wann öffnet das Tor?", "date"),
        ("zh", "什么时候开门？", "date"),
        ("zh", "谁管理北站？", "person"),
        ("ar", "مين مسؤول عن المخزن", "person"),
        ("ar", "وين المفتاح", "place"),
        ("ar", "امتى يفتح المخزن", "date"),
    ],
)
def test_what_is_expected_follows_from_the_question_word(language: str, question: str, what: str | None) -> None:
    assert expected(question, language) == what


@pytest.mark.parametrize(
    "question",
    [
        "Who built it?",
        "When was it built?",
        "What did it cost?",
        "Can you tell me who built it?",
        "Please tell me who built it.",
    ],
)
def test_a_few_words_answer_who_what_and_when(question: str) -> None:
    assert wants_span(question, "en")


@pytest.mark.parametrize("question", ["Is it open?", "Please list the risks.", "Explain the fee.", "Doesn't it float?"])
def test_no_few_words_say_whether_something_is_so_or_what_to_make_of_it(question: str) -> None:
    assert not wants_span(question, "en")


@pytest.mark.parametrize(
    ("text", "opinion", "kind"),
    [
        ("bike mileage rate?", KindOpinion("number", 0.7), "number"),
        ("bike mileage rate?", KindOpinion("number", 0.2), "fact"),
        ("Is the deposit refundable?", KindOpinion("fact", 0.25), "whether"),
        ("May I throw the key away?", KindOpinion("procedure", 0.6), "whether"),
        ("May I throw the key away?", KindOpinion("procedure", 0.8), "procedure"),
        ("Is there any fee, and why?", KindOpinion("reason", 0.6), "reason"),
        ("Is the hall larger than the shed?", KindOpinion("compare", 0.5), "compare"),
        ("the rent of the flat", KindOpinion("thanks", 0.6), "fact"),
        ("the rent of the flat", KindOpinion("thanks", 0.6, KindOpinion("number", 0.8)), "number"),
        ("the rent of the flat", KindOpinion("thanks", 0.6, KindOpinion("number", 0.2)), "fact"),
        ("the rent of the flat", KindOpinion("thanks", 0.8, KindOpinion("number", 0.8)), "thanks"),
        ("thanks a lot", KindOpinion("number", 0.99), "thanks"),
    ],
)
def test_a_sure_opinion_counts_more_than_single_words(text: str, opinion: KindOpinion, kind: str) -> None:
    assert kind_of(text, "en", opinion) == kind


@pytest.mark.parametrize(("language", "question"), [("it", "Cosa paga il cliente?"), ("de", "Bis wann ist offen?")])
def test_what_begins_with_a_question_word_is_no_question_of_yes_or_no(language: str, question: str) -> None:
    assert kind_of(question, language, KindOpinion("whether", 0.9)) == "fact"


def test_an_opinion_knows_what_is_likeliest_if_it_is_a_question_about_documents() -> None:
    chances = {"summary": 0.5, "description": 0.3, "fact": 0.1, "task": 0.1}
    assert KindOpinion.of(chances) == KindOpinion("summary", 0.5, KindOpinion("description", pytest.approx(0.75)))
    assert KindOpinion.of({"fact": 0.6, "summary": 0.4}) == KindOpinion("fact", 0.6)


@pytest.mark.parametrize(
    ("question", "language", "unit"),
    [
        ("How many kilometres is the canal long?", "en", "kilometres"),
        ("How much is the rent?", "en", ""),
        ("Wie viele Kilometer ist der Kanal lang?", "de", "Kilometer"),
        ("Wie groß muss das Lager sein?", "de", ""),
        ("Il consomme combien de watts ?", "fr", "watts"),
        ("¿Cuántos metros mide la torre?", "es", "metros"),
        ("Who dug the canal?", "en", ""),
    ],
)
def test_the_unit_of_a_number_is_the_word_behind_how_many(question: str, language: str, unit: str) -> None:
    assert understand([{"sender": "user", "message": question}], ChatOptions(), []).parts[0].unit == unit


@pytest.mark.parametrize(
    ("language", "question", "kind"),
    [
        ("zh", "搬走以后多久退押金", "number"),
        ("zh", "仓库归谁管", "fact"),
        ("zh", "有没有什么限制", "whether"),
        ("ja", "誰が払いますか", "fact"),
        ("ja", "何か必要ですか", "whether"),
        ("ar", "مين مسؤول عن المخزن", "fact"),
        ("ar", "ممكن أدخل المخزن", "whether"),
    ],
)
def test_what_has_a_question_word_does_not_ask_whether_whatever_a_model_takes_it_for(
    language: str, question: str, kind: str
) -> None:
    assert kind_of(question, language, KindOpinion("whether", 0.9)) == kind
