"""Follow-ups made to stand alone."""

import json
from typing import Any

import pytest

from conftest import FILES
from docqa.questions.follow_up import stand_alone


@pytest.mark.parametrize(
    ("language", "earlier", "question", "expected"),
    [
        ("en", "How much was spent in 2016?", "And in 2017?", "How much was spent in 2017?"),
        ("en", "When does the north gate open?", "What about the south gate?", "When does the south gate open?"),
        ("en", "How much water does tank T4 hold?", "And tank T9?", "How much water does tank T9 hold?"),
        ("en", "What does fault F12 mean?", "and f7?", "What does fault f7 mean?"),
        ("en", "What is the fee in Bergstad?", "And Lindholm?", "What is the fee in Lindholm?"),
        (
            "en",
            "How much do growers get for a kilogram of pears?",
            "And for a litre of juice?",
            "How much do growers get for a litre of juice?",
        ),
        ("en", "How much is the fee for plan B a year?", "and plan D?", "How much is the fee for plan D a year?"),
        ("de", "Wie teuer ist Tarif A?", "Und Tarif C?", "Wie teuer ist Tarif C?"),
        ("de", "Wann wurde die Mühle gebaut?", "Und die Brücke?", "Wann wurde die Brücke gebaut?"),
        ("fr", "Combien coûte le billet en 2018 ?", "Et en 2019 ?", "Combien coûte le billet en 2019 ?"),
        ("es", "¿Cuándo se abrió la puerta de Norte?", "¿Y la de Valle?", "¿Cuándo se abrió la puerta de Valle?"),
        ("ar", "متى تأسست مدرسة الجبل؟", "وماذا عن مدرسة الوادي؟", "متى تأسست مدرسة الوادي؟"),
        ("zh", "东门几点开门？", "那西门呢？", "西门几点开门？"),
        ("ja", "2019年の客は何人ですか？", "では2020年は？", "2020年の客は何人ですか？"),
    ],
)
def test_what_a_follow_up_leaves_out_is_taken_from_the_question_before(
    language: str, earlier: str, question: str, expected: str
) -> None:
    alone = stand_alone(question, [("user", earlier), ("bot", "…")], language)
    assert (alone.text, alone.context) == (expected, "")


@pytest.mark.parametrize(
    ("language", "earlier", "said", "question", "about"),
    [
        (
            "en",
            "Who runs the mill?",
            "The mill is run by the works council.",
            "Where does it meet?",
            {"mill", "works", "council"},
        ),
        (
            "en",
            "Which ship sails north?",
            "The Havsule.",
            "How many tons of cargo does she carry?",
            {"ship", "Havsule"},
        ),
        ("en", "When was the mill built?", "In 1911.", "And by whom?", {"mill", "built"}),
        (
            "de",
            "Wer führt die Bahn?",
            "Eine Gesellschaft in Lauterach.",
            "Wie viele Personen beschäftigt sie?",
            {"Bahn", "Gesellschaft", "Lauterach"},
        ),
        ("fr", "Qui contrôle la station ?", "Le laboratoire.", "Où se trouve-t-il ?", {"station", "laboratoire"}),
        (
            "es",
            "¿Quién dirige el taller?",
            "Un grupo de relojeros.",
            "¿Dónde está su oficina?",
            {"taller", "relojeros"},
        ),
    ],
)
def test_what_a_follow_up_points_to_is_taken_from_what_was_said(
    language: str, earlier: str, said: str, question: str, about: set[str]
) -> None:
    alone = stand_alone(question, [("user", earlier), ("bot", said)], language)
    assert alone.text == question
    assert about <= set(alone.context.split())


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "How much is the monthly rent in euros?"),
        ("en", "And where is the station log kept?"),
        ("en", "What does the company that built the bridge charge?"),
        ("en", "How long does it take to renew a library card?"),
        ("de", "Was kostet die Jahreskarte für beide Bahnen?"),
        ("fr", "Combien de personnes transporte la navette ?"),
        ("zh", "大件行李每天收费多少？"),
        ("ja", "山の駅は何曜日に休みますか？"),
    ],
)
def test_what_stands_alone_is_left_as_it_is(language: str, question: str) -> None:
    history = [("user", "What does the canteen serve on Mondays?"), ("bot", "The canteen serves soup.")]
    alone = stand_alone(question, history, language)
    assert (alone.text, alone.context) == (question, "")


@pytest.mark.parametrize(
    ("language", "earlier", "question", "about"),
    [
        (
            "en",
            "How big is the subsidy for the ferry?",
            "for which boats could they not have it?",
            {"subsidy", "ferry"},
        ),
        ("en", "How much is the key deposit?", "can i have that back after a year", {"key", "deposit"}),
        ("en", "How long is the trial period?", "and which wage counts in that time?", {"trial", "period"}),
        ("en", "When was the first chapel consecrated?", "who made the third one?", {"chapel"}),
        ("en", "What is a split ticket?", "whats the catch?", {"split", "ticket"}),
        ("en", "When do the skates go out?", "and whens the last time", {"skates"}),
        ("es", "¿Cuánto cuesta la bicicleta?", "¿cuántas puedo tener?", {"bicicleta"}),
    ],
)
def test_a_question_whose_words_tell_little_is_about_what_was_asked_before(
    language: str, earlier: str, question: str, about: set[str]
) -> None:
    alone = stand_alone(question, [("user", earlier), ("bot", "…")], language)
    assert alone.text == question
    assert about <= set(alone.wording.split())


@pytest.mark.parametrize(
    ("language", "earlier", "question"),
    [
        ("en", "What is the fee for a late ferry ticket?", "and if it was lost?"),
        ("en", "How long must the glaze dry?", "and if the kiln is cold?"),
        ("en", "How tall was the spire this time?", "and last year?"),
        ("en", "When does the lease on the boathouse end?", "and the one for the slipway?"),
        ("de", "Wie lange hat man Zeit für den Kurs?", "kann man das verlängern?"),
        ("fr", "Dans quel délai rend-on la clé ?", "et si les portes sont fermées ?"),
    ],
)
def test_a_clause_stands_in_the_place_of_no_phrase(language: str, earlier: str, question: str) -> None:
    alone = stand_alone(question, [("user", earlier), ("bot", "…")], language)
    assert alone.text == question
    assert alone.context


@pytest.mark.parametrize(
    ("earlier", "question", "asking"),
    [
        ("How long must the glaze dry?", "and if the kiln is cold?", "How long must the glaze dry?"),
        ("How tall was the spire this time?", "and last year?", "How tall was the spire this time?"),
        ("How long must the glaze dry?", "can it be shortened?", ""),
        ("How long must the glaze dry?", "and who sees to it?", ""),
    ],
)
def test_a_clause_that_asks_nothing_asks_what_was_asked_before(earlier: str, question: str, asking: str) -> None:
    alone = stand_alone(question, [("user", earlier), ("bot", "Two days.")], "en")
    assert alone.asking == asking
    if asking:
        assert alone.wording == f"{earlier.strip('?')} {question}"


def test_what_was_answered_before_is_searched_for_but_not_what_the_question_is_about() -> None:
    history = [("user", "Who runs the mill?"), ("bot", "The mill is run by the works council.")]
    alone = stand_alone("Where does it meet?", history, "en")
    assert (alone.context, alone.wording) == ("runs mill run works council", "Where does it meet? runs mill")


def test_a_follow_up_of_a_follow_up_continues_the_first_question() -> None:
    history = [
        ("user", "How many tons did the north pier take in 2016?"),
        ("bot", "12."),
        ("user", "And the south pier?"),
        ("bot", "9."),
    ]
    assert stand_alone("And in 2018?", history, "en").text == "How many tons did the south pier take in 2018?"


def test_small_talk_between_two_questions_is_passed_over() -> None:
    history = [("user", "When was the mill built?"), ("bot", "In 1911."), ("user", "ok thanks"), ("bot", "Just ask.")]
    assert stand_alone("And the bridge?", history, "en").text == "When was the bridge built?"


def test_without_a_history_nothing_is_added() -> None:
    assert stand_alone("Where is it?", [], "en").whole == "Where is it?"


CHAINS = json.loads((FILES / "questions" / "follow_ups.json").read_text("utf-8"))


@pytest.mark.parametrize(
    "chain", CHAINS, ids=lambda chain: f"{chain['language']}: {chain['earlier']} {chain['question']}"
)
def test_follow_ups_written_without_a_look_at_the_rules(chain: dict[str, Any]) -> None:
    """Either the words fall into their place, or the question keeps its words and the conversation says what it is
    about."""
    alone = stand_alone(chain["question"], [("user", chain["earlier"]), ("bot", "…")], chain["language"])
    if chain.get("missed"):
        pytest.xfail(chain["missed"])
    if alone.context:
        assert set(chain["about"]) <= set(alone.whole.replace("?", "").split())
    else:
        assert alone.text == chain["expected"]


@pytest.mark.parametrize(
    ("earlier", "question", "language", "expected"),
    [
        ("How much did they spend in 2015?", "and the year before?", "en", "How much did they spend in 2014?"),
        ("What do we do on day 9?", "And the day after?", "en", "What do we do on day 10?"),
        ("What is on page 3?", "the next page?", "en", "What is on page 4?"),
        ("What came in FY06?", "and for next year?", "en", "What came in FY07?"),
        ("Was geschieht an Tag 9?", "und am Tag danach?", "de", "Was geschieht an Tag 10?"),
        ("Que dit l’article 4 ?", "et l'article suivant ?", "fr", "Que dit l’article 5 ?"),
        ("¿Qué hacemos el día 3?", "¿y al día siguiente?", "es", "¿Qué hacemos el día 4?"),
        ("2021年的收入是多少？", "那前一年呢？", "zh", "2020年的收入是多少？"),
        ("How many boats were there in 1988?", "and four years later?", "en", "How many boats were there in 1992?"),
        ("What do we do on day 9?", "two days earlier?", "en", "What do we do on day 7?"),
        ("Wie viele Boote gab es 1988?", "und drei Jahre danach?", "de", "Wie viele Boote gab es 1991?"),
    ],
)
def test_the_neighbour_of_what_was_asked_is_asked_for(
    earlier: str, question: str, language: str, expected: str
) -> None:
    assert stand_alone(question, [("user", earlier), ("bot", "So it is.")], language).text == expected


@pytest.mark.parametrize("question", ["\u0e5f", "\u01ca\U0002eca5", "\x07\0\x8a\xf7\x02", "And \u0176\u0e37?"])
def test_signs_that_are_no_words_stand_for_nothing_of_the_question_before(question: str) -> None:
    assert stand_alone(question, [("user", "When was the mill built?"), ("bot", "In 1911.")], "en").text == question


def test_the_day_after_a_date_is_not_reckoned_from_its_year() -> None:
    alone = stand_alone("and the day after?", [("user", "What happened on 31 May 2015?")], "en")
    assert "2016" not in alone.text


@pytest.mark.parametrize(
    "answer",
    [
        "No clear answer was found. The closest passage (page 2): The notice is four weeks. [1]",
        "The documents do not say anything about this. Nearest pages: lease.pdf (3).",
        "Die Dokumente sagen dazu nichts.",
    ],
)
def test_what_was_no_answer_leads_no_further(answer: str) -> None:
    history = [("user", "How long is the probation period?"), ("bot", answer)]
    assert stand_alone("And who pays for it?", history, "en").context == "long probation period"
