"""The agent's steps: follow-ups that stand alone, compound questions parted, and both against one search on the questions of files/agent.

By full text alone; tests/bench/agent.py asks the same of a server with its models.
"""

import json
from collections import Counter
from typing import Any

import httpx
import pytest

from conftest import FILES, upload
from docqa.questions import parts as compound
from docqa.questions.follow_up import asks_for_number, stand_alone

pytestmark = pytest.mark.anyio

FOLDER = FILES / "agent"
QUESTIONS: list[dict[str, Any]] = [
    json.loads(line) for line in (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize(
    ("language", "earlier", "question", "expected"),
    [
        ("en", "How much was spent in 2016?", "And in 2017?", "How much was spent in 2017?"),
        ("en", "When does the north gate open?", "What about the south gate?", "When does the south gate open?"),
        ("en", "How much water does tank T4 hold?", "And tank T9?", "How much water does tank T9 hold?"),
        ("en", "What is the fee in Bergstad?", "And Lindholm?", "What is the fee in Lindholm?"),
        (
            "en",
            "How much do growers get for a kilogram of pears?",
            "And for a litre of juice?",
            "How much do growers get for a litre of juice?",
        ),
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


def test_a_follow_up_of_a_follow_up_hangs_on_the_first_question() -> None:
    history = [
        ("user", "How many tons did the north pier take in 2016?"),
        ("bot", "12."),
        ("user", "And the south pier?"),
        ("bot", "9."),
    ]
    assert stand_alone("And in 2018?", history, "en").text == "How many tons did the south pier take in 2018?"


def test_without_a_history_nothing_is_added() -> None:
    assert stand_alone("Where is it?", [], "en").whole == "Where is it?"


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
def test_a_compound_question_is_parted(language: str, question: str, parts: list[str]) -> None:
    assert compound.parts(question, language) == parts


@pytest.mark.parametrize(
    "question",
    [
        "How high were research and development costs in 2018?",
        "When and where was the treaty signed?",
        "Who founded the museum and why?",
        "What do Kvist and Sons make?",
        "Where do bread and butter come from",
        "",
        "and",
        "???",
    ],
)
def test_what_asks_one_thing_stays_whole(question: str) -> None:
    assert compound.parts(question, "en") == [question]


@pytest.mark.parametrize("words", ["and ", "\n", "compared to ", "What? "])
def test_a_text_that_is_put_in_whole_is_one_question_and_soon_looked_at(words: str) -> None:
    text = words * 10_000 + "x"
    assert compound.parts(text, "en") == [text]


def test_what_asks_for_a_number_is_told() -> None:
    assert asks_for_number("How many members are there?", "en") and asks_for_number("什么时候开门？", "zh")
    assert not asks_for_number("Who leads the board?", "en") and not asks_for_number("谁管理北站？", "zh")


async def test_agent_mode_finds_and_says_more_than_one_search(client: httpx.AsyncClient) -> None:
    ids = {
        path.name: await upload(client, path.read_text(encoding="utf-8"), path.name) for path in FOLDER.glob("*.txt")
    }
    right: Counter[tuple[str, str]] = Counter()
    for one in QUESTIONS:
        for mode in ("false", "true"):
            body = {
                "documents": [ids[name] for name in one["documents"]],
                "messages": [*one["history"], {"sender": "user", "message": one["question"]}],
            }
            reply = (
                await client.post(f"/v1/api/knowledge_base_chat?cite_source=true&agent_mode={mode}", json=body)
            ).json()
            kind = "control" if one["kind"] == "control" else "hard"
            right[kind, mode] += all(
                any(answer in reply["answer"]["message"] for answer in alternatives) for alternatives in one["answers"]
            )
    hard = sum(one["kind"] != "control" for one in QUESTIONS)
    assert hard >= 60 and len(QUESTIONS) - hard >= 15
    assert right["hard", "true"] >= right["hard", "false"] + hard / 10, right
    assert right["control", "true"] >= right["control", "false"] - 1, right
