"""Agent mode against one search, on the questions of files/agent.

By full text alone; tests/bench/agent.py asks the same of a server with its models.
"""

import json
from typing import Any

import httpx
import pytest

from conftest import FILES, ask, upload
from docqa.answering.gather import _judged
from docqa.questions.question import Part
from docqa.search.passages import Passage, ScoredUnit, Scores
from docqa.store.chunks import StoredChunk
from docqa.store.documents import StoredDocument
from docqa.text.block import BlockKind
from docqa.text.units import Unit
from docqa.text.words import term_set

pytestmark = pytest.mark.anyio

FOLDER = FILES / "agent"
QUESTIONS: list[dict[str, Any]] = [
    json.loads(line) for line in (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]


async def is_right(client: httpx.AsyncClient, ids: dict[str, str], question: dict[str, Any], mode: str) -> bool:
    body = {
        "documents": [ids[name] for name in question["documents"]],
        "messages": [*question["history"], {"sender": "user", "message": question["question"]}],
    }
    reply = (await client.post(f"/v1/api/knowledge_base_chat?cite_source=true&agent_mode={mode}", json=body)).json()
    text = reply["answer"]["message"]
    return all(any(answer in text for answer in alternatives) for alternatives in question["answers"])


async def test_agent_mode_answers_more_and_loses_hardly_any(client: httpx.AsyncClient) -> None:
    ids = {
        path.name: await upload(client, path.read_text(encoding="utf-8"), path.name) for path in FOLDER.glob("*.txt")
    }
    lost: dict[str, list[str]] = {"control": [], "hard": []}
    gained: list[str] = []
    for question in QUESTIONS:
        single, agent = [await is_right(client, ids, question, mode) for mode in ("false", "true")]
        kind = "control" if question["kind"] == "control" else "hard"
        if single and not agent:
            lost[kind].append(question["question"])
        if agent and not single and kind == "hard":
            gained.append(question["question"])
    hard = sum(question["kind"] != "control" for question in QUESTIONS)
    assert hard >= 60 and len(QUESTIONS) - hard >= 15
    assert len(lost["control"]) <= 1, f"agent mode loses these simple questions: {lost['control']}"
    assert len(gained) - len(lost["hard"]) >= hard / 10, f"gained {gained}, lost {lost['hard']}"


async def test_a_follow_up_is_answered_by_what_is_new_in_it(client: httpx.AsyncClient) -> None:
    text = "The rent for the warehouse in Bergen is 900 euros. The deposit is three rents. The lease ends in 2027."
    doc_id = await upload(client, text, "lease.txt")
    messages = [
        {"sender": "user", "message": "How much is the rent for the warehouse in Bergen?"},
        {"sender": "bot", "message": "900 euros."},
        {"sender": "user", "message": "And the deposit?"},
    ]
    body = (await client.post(f"/v1/chat/{doc_id}", json=messages)).json()
    assert body["answer"]["message"].startswith("The deposit is three rents.")


@pytest.mark.parametrize(("kind", "counts_less"), [("row", False), ("paragraph", True)])
async def test_a_sentence_that_answered_before_counts_less_and_a_row_does_not(
    kind: BlockKind, counts_less: bool
) -> None:
    text = "Dogs | a lead of two metres | they run about"
    passage = Passage(
        chunk=StoredChunk(1, 1, 1, "", "", text, ""),
        document=StoredDocument(1, "d1", "ferry.txt", "txt", "en", 1, ""),
        scores=Scores(),
        score=0.0,
        units=(ScoredUnit(unit=Unit(0, len(text), kind, None, None, 0, len(text)), coverage=0.0),),
    )
    part = Part("And why two metres?", context="dogs", follows=True)
    [before], [after] = (_judged(part, [passage], said)[0].units for said in ((), (term_set(text),)))
    assert (after.coverage < before.coverage) is counts_less


async def test_what_a_section_explains_is_found_under_its_title(client: httpx.AsyncClient) -> None:
    """The sentences of the section need not repeat it; another that does says nothing of how it works."""
    text = (
        "# Rules of the club\n\nMembers like the silent auction most of all things in the silent months.\n\n"
        "## Silent auction\n\nEach guest writes a price on a card. The highest wins the lot at midnight."
    )
    doc_id = await upload(client, text, "rules.md")
    body = (
        await client.post(
            f"/v1/chat/{doc_id}", json=[{"sender": "user", "message": "How do I take part in the silent auction?"}]
        )
    ).json()
    assert body["answer"]["message"].endswith(
        "Each guest writes a price on a card. The highest wins the lot at midnight."
    )


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (
            "When S.12 is shown, the burner waits.\nWhen S.13 is shown, the burner and the pump start.",
            "The burner shows s13?",
            "When S.13 is shown, the burner and the pump start.",
        ),
        (
            "# Dishwasher\n\n## Fault E24\n\nThe hose of the machine is bent.\n\n## Fault E25\n\nSomething blocks the pump.",
            "My machine has fault E25. What of the machine is broken?",
            "Something blocks the pump.",
        ),
        (
            "Problem: E3. The motor is worn. Call an engineer. Where the display shows E5, the cover is open.",
            "What does E3 mean, which the display shows?",
            "Problem: E3. The motor is worn. Call an engineer.",
        ),
        (
            "Version R2 came in May. The last one that runs on the old processors is R1.",
            "Does R2 run on the old processors?",
            "Version R2 came in May.",
        ),
    ],
    ids=["words", "heading", "sentences after the one that names it", "two in a paragraph"],
)
async def test_what_is_said_of_one_code_does_not_answer_for_another(
    client: httpx.AsyncClient, text: str, question: str, answer: str
) -> None:
    doc_id = await upload(client, text, "codes.md")
    message = await ask(client, doc_id, question)
    assert answer in message
    assert not any(said in message for said in text.replace("\n", " ").split(". ") if said not in answer)


async def test_in_a_diary_what_is_said_on_a_day_goes_before_what_is_said_on_others(client: httpx.AsyncClient) -> None:
    text = (
        "Mon 4 March 2024. It rained all day. 9 men were on site. A pump broke down.\n\n"
        "Tue 5 March 2024. It was dry. 14 men were on site. The client came.\n\n"
        "Wed 6 March 2024. It was windy. 11 men were on site. The crane stood still.\n"
    )
    doc_id = await upload(client, text, "diary.txt")
    for day, men in ((4, 9), (5, 14), (6, 11)):
        answer = await ask(client, doc_id, f"How many men were on site on {day} March?")
        assert answer.startswith(f"{men} men were on site.")
