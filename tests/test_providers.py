"""What makes an answer of evidence: sentences picked, or a chat model within its context and its time."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace

import pytest

from docqa.errors import Unavailable
from docqa.phrases import NOT_FOUND
from docqa.prompts import Question
from docqa.providers import Candidate, Evidence, Piece
from docqa.providers.chat import Chat
from docqa.providers.extractive import Extractive

pytestmark = pytest.mark.anyio

QUESTION = Question("How much is the rent?", (), (), "en", "SHORT", 0.7)


def evidence(*scores: float) -> Evidence:
    """A passage whose sentences `S0.`, `S1.` ... have these scores."""
    text = " ".join(f"S{n}." for n in range(len(scores)))
    return Evidence(text, tuple(Candidate(4 * n, 4 * n + 3, score) for n, score in enumerate(scores)))


async def extract(question: Question, *passages: Evidence) -> list[Piece]:
    return [piece async for piece in Extractive().answer(question, list(passages))]


async def test_the_best_sentence_comes_first_and_a_second_only_if_it_is_worth_it() -> None:
    assert await extract(QUESTION, evidence(0.1, 1.0, 0.2)) == [Piece("S1.", 0)]
    assert await extract(QUESTION, evidence(0.9, 1.0), evidence(0.1)) == [Piece("S1.", 0), Piece(" S0.", 0)]


async def test_a_long_answer_is_in_the_order_of_its_passages() -> None:
    found = await extract(replace(QUESTION, length="LONG"), evidence(0.8, 0.9), evidence(1.0))
    assert found == [Piece("S0.", 0), Piece(" S1.", 0), Piece("\n\nS0.", 1)]


@dataclass
class Parrot:
    """A chat model that counts a token for each word, notes what it was asked, and says its words at its pace."""

    words: list[str]
    context_tokens: int = 1000
    pause: float = 0.0
    asked: list[dict[str, str]] = field(default_factory=list)
    left: bool = False

    async def count(self, texts: list[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    async def generate(self, messages: list[dict[str, str]], *, temperature: float, max_tokens: int) -> AsyncGenerator[str, None]:
        self.asked = messages
        try:
            for word in self.words:
                await asyncio.sleep(self.pause)
                yield word
        finally:
            self.left = True


async def chat(model: Parrot, question: Question = QUESTION, passages: int = 3, seconds: float = 5) -> str:
    found = [Evidence(f"Passage {n}. " + "word " * 50, ()) for n in range(passages)]
    return "".join([piece.text async for piece in Chat(model, seconds).answer(question, found)])


async def test_a_model_is_told_the_rules_the_history_and_the_passages() -> None:
    model = Parrot(["It ", "is ", "12."])
    question = replace(QUESTION, history=(("user", "Who signed?"), ("bot", "Kari.")), system=("Be a pirate.",), language="de")
    assert await chat(model, question) == "It is 12."
    system, *history, last = model.asked
    assert system["role"] == "system"
    for words in ("Be a pirate.", "nothing else", NOT_FOUND["de"], "Answer in German", "one to three sentences"):
        assert words in system["content"]
    assert history == [{"role": "user", "content": "Who signed?"}, {"role": "assistant", "content": "Kari."}]
    assert "Passage 2." in last["content"] and last["content"].endswith("Question: How much is the rent?")


@pytest.mark.parametrize(("context_tokens", "passages", "turns"), [(5000, 3, 6), (590, 3, 2), (420, 2, 0), (10, 1, 0)])
async def test_what_does_not_fit_is_left_out_the_oldest_turns_first_then_the_last_passages(context_tokens: int, passages: int, turns: int) -> None:
    model = Parrot(["Yes."], context_tokens=context_tokens)
    history = tuple(("user", f"turn {n} " + "word " * 40) for n in range(6))
    await chat(model, replace(QUESTION, history=history))
    assert model.asked[-1]["content"].count("Passage ") == passages
    assert [turn["content"] for turn in model.asked[1:-1]] == [text for _, text in history[6 - turns :]]


async def test_an_answer_ends_with_its_time() -> None:
    model = Parrot(["word "] * 100, pause=0.02)
    assert 0 < len((await chat(model, seconds=0.2)).split()) < 50
    assert model.left, "the model goes on for nobody"


async def test_no_answer_in_time_is_said() -> None:
    model = Parrot(["word"], pause=5)
    with pytest.raises(Unavailable, match=r"no answer within 0.1 s"):
        await chat(model, seconds=0.1)
    assert model.left
