"""What makes an answer of evidence by a chat model, within its context and its time."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from docqa.answering.by_model import Chat
from docqa.answering.evidence import Evidence
from docqa.answering.prompt_layout import Layouts
from docqa.errors import TooSlow, Unavailable
from docqa.languages import phrase
from docqa.questions.question import Kind, Part, Question

pytestmark = pytest.mark.anyio

QUESTION = Question("How much is the rent?")


@dataclass
class Parrot:
    """A chat model that counts a token for each word, notes what it was asked, and says its words; `endless`: it then
    says nothing and does not end."""

    words: list[str]
    context_tokens: int = 1000
    is_small: bool = False
    endless: bool = False
    prompt: list[dict[str, str]] = field(default_factory=list)
    left: bool = False

    async def count(self, texts: list[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    async def generate(
        self, messages: list[dict[str, str]], *, temperature: float, max_tokens: int
    ) -> AsyncGenerator[str, None]:
        self.prompt = messages
        try:
            for word in self.words:
                await asyncio.sleep(0)
                yield word
            if self.endless:
                await asyncio.Event().wait()
        finally:
            self.left = True


async def chat(model: Parrot, question: Question = QUESTION, passages: int = 3, seconds: float = 5) -> str:
    evidence = [Evidence(f"Passage {n}. " + "word " * 50, ()) for n in range(passages)]
    return "".join([piece.text async for piece in Chat(model, seconds, Layouts()).answer(question, evidence)])


async def test_a_model_gets_the_rules_the_history_and_the_passages() -> None:
    model = Parrot(["It ", "is ", "12."])
    question = replace(
        QUESTION, history=(("user", "Who signed?"), ("bot", "Kari.")), system=("Be a pirate.",), language="de"
    )
    assert await chat(model, question) == "It is 12."
    system, *history, last = model.prompt
    assert system["role"] == "system"
    for words in (
        "Be a pirate.",
        "nichts anderem",
        phrase("phrases.not_found", "de"),
        "Antworte auf Deutsch",
        "ein bis drei Sätzen",
    ):
        assert words in system["content"]
    assert history == [{"role": "user", "content": "Who signed?"}, {"role": "assistant", "content": "Kari."}]
    assert last["content"].startswith("Abschnitte:\n> Passage 0.") and "Passage 2." in last["content"]
    assert last["content"].endswith("Frage: How much is the rent?\nNenne die Tatsache in einem Satz.")


@pytest.mark.parametrize(("context_tokens", "passages", "turns"), [(5000, 3, 6), (590, 3, 2), (420, 2, 0), (10, 1, 0)])
async def test_what_does_not_fit_is_left_out_the_oldest_turns_first_then_the_last_passages(
    context_tokens: int, passages: int, turns: int
) -> None:
    model = Parrot(["Yes."], context_tokens=context_tokens)
    history = tuple(("user", f"turn {n} " + "word " * 40) for n in range(6))
    await chat(model, replace(QUESTION, history=history))
    assert model.prompt[-1]["content"].count("Passage ") == passages
    assert [turn["content"] for turn in model.prompt[1:-1]] == [text for _, text in history[6 - turns :]]


async def test_an_answer_ends_with_its_time() -> None:
    model = Parrot(["The ", "rent "], endless=True)
    assert await chat(model, seconds=0.5) == "The rent "
    assert model.left, "the model goes on for nobody"


async def test_a_model_that_goes_round_in_circles_is_stopped() -> None:
    circle = ["The rent is 12,400 a month. ", "It is due on the first day. "]
    model = Parrot(circle * 50)
    assert await chat(model) == "".join(circle * 2) + circle[0], "the second sentence has ended when another one begins"
    assert model.left


@pytest.mark.parametrize(
    "pieces",
    [
        ["Yes.", " Yes.", " Yes.", " It is.", " It is."],
        [
            "| Name | Rent of the house |\n",
            "|---|---|\n",
            "| A | 12 |\n",
            "\n| Name | Rent of the house |\n",
            "|---|---|\n",
            "| B | 14 |\n",
        ],
        [
            "The rent is 12,400 a month.",
            " It is due on the first.",
            " Again: ",
            "The rent is 12,400 a month.",
            " Nothing else is known of it.",
        ],
    ],
)
async def test_what_is_said_twice_for_a_reason_is_left(pieces: list[str]) -> None:
    assert await chat(Parrot(pieces)) == "".join(pieces)


async def test_no_answer_in_time_is_said() -> None:
    model = Parrot([], endless=True)
    with pytest.raises(Unavailable, match=r"no answer within 0.1 s"):
        await chat(model, seconds=0.1)
    assert model.left


@dataclass
class Reader(Parrot):
    """A parrot on this machine: it reads so many words a second, and remembers the messages that it read last, unless
    it is `forgetful`."""

    prompt_speed: float = 1000.0
    writing_speed: float = 100.0
    load_seconds: float = 0.0
    forgetful: bool = False
    layouts: Layouts = field(default_factory=Layouts)
    turns: int = 0

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None, None]:
        self.turns += 1
        yield

    async def uncached(self, messages: list[dict[str, str]]) -> tuple[int, int]:
        counts = await self.count([message["content"] for message in messages])
        known = (
            0
            if self.forgetful
            else next(
                (n for n, (a, b) in enumerate(zip(self.prompt, messages, strict=False)) if a != b), len(self.prompt)
            )
        )
        return sum(counts), sum(counts[known:])


WHO = replace(QUESTION, text="Who signed?", documents=(7,))
THEN = replace(WHO, text="And when?", history=(("user", "Who signed?"), ("bot", "Kari did. [1]")))


async def ask(model: Reader, question: Question, *passages: str) -> list[dict[str, str]]:
    """What the model was told."""
    assert [
        piece
        async for piece in Chat(model, 5, model.layouts).answer(question, [Evidence(text, ()) for text in passages])
    ]
    return model.prompt


async def test_a_follow_up_goes_on_where_the_last_prompt_ended() -> None:
    model = Reader(["Kari."])
    first = await ask(model, WHO, "Kari signed.", "Ola came.")
    second = await ask(model, THEN, "Kari signed.", "Ola came.", "It was in May.")
    assert second[: len(first)] == first
    assert second[len(first)] == {"role": "assistant", "content": "Kari did."}, (
        "our marks of sources are no words of the model"
    )
    assert second[-1]["content"].startswith("Passages:\n> Kari signed.\n\n> It was in May.\n\nQuestion: And when?\n"), (
        "the best passage, and what is new"
    )
    third = replace(THEN, text="Why?", history=(*THEN.history, ("user", "And when?"), ("bot", "In May.")))
    assert (await ask(model, third, "It was cold."))[: len(second)] == second


async def test_a_passage_that_stands_above_and_takes_long_to_read_is_not_read_again() -> None:
    whole = "Kari signed in May. " * 50
    model = Reader(["Kari."], prompt_speed=100.0)
    await ask(model, WHO, whole)
    assert (await ask(model, THEN, whole))[-1]["content"].startswith("And when?")
    assert (await ask(model, THEN, whole, "It was cold."))[-1]["content"].startswith(
        "Passages:\n> It was cold.\n\nQuestion: And when?"
    )
    other = "Ola came in June. " * 50
    assert other.strip() in (await ask(model, THEN, other, whole))[-1]["content"], (
        "the best passage is read where it was not"
    )


async def test_a_follow_up_knows_the_passages_shown_before() -> None:
    model = Reader(["Kari.", " Yes."])
    evidence = [Evidence("Kari signed.", ())]
    assert [piece.earlier async for piece in Chat(model, 5, model.layouts).answer(WHO, evidence)] == [(), ()]
    assert [
        piece.earlier async for piece in Chat(model, 5, model.layouts).answer(THEN, [Evidence("It was in May.", ())])
    ] == [
        ("Kari signed.",),
        (),
    ]


@pytest.mark.parametrize(
    "other",
    [
        replace(THEN, documents=(8,)),
        replace(THEN, history=(("user", "Who signed it?"), ("bot", "Kari did."))),
        replace(THEN, system=("Be brief.",)),
    ],
)
async def test_questions_of_other_documents_or_chats_stay_out_of_the_prompt(other: Question) -> None:
    model = Reader(["Kari."])
    await ask(model, WHO, "Kari signed.")
    assert all("Kari signed." not in message["content"] for message in await ask(model, other, "It was in May."))


async def test_a_prompt_that_the_model_has_forgotten_is_laid_out_anew() -> None:
    model = Reader(["Kari."], forgetful=True)
    await ask(model, WHO, "Kari signed.", "Ola came.")
    second = await ask(model, THEN, "It was in May.", "Ola came.")
    assert [message["content"] for message in second[1:-1]] == ["Who signed?", "Kari did."]
    assert "It was in May." in second[-1]["content"] and "Ola came." in second[-1]["content"]


async def test_a_chat_that_has_outgrown_the_context_is_laid_out_anew() -> None:
    model = Reader(["Yes."], context_tokens=700)
    long = [f"Passage {n}. " + "word " * 100 for n in range(5)]
    await ask(model, WHO, *long[:3])
    second = await ask(model, THEN, *long[3:])
    assert "Passage 0." not in "".join(message["content"] for message in second)
    assert "Passage 3." in second[-1]["content"]


async def test_a_follow_up_brings_in_little_that_is_new_where_reading_is_slow() -> None:
    long = [f"Passage {n}. " + "word " * 100 for n in range(8)]
    for speed, new in ((200.0, 1), (2000.0, 4)):
        model = Reader(["Yes."], context_tokens=5000, prompt_speed=speed)
        await ask(model, WHO, *long[:4])
        assert (await ask(model, THEN, *long[4:]))[-1]["content"].count("Passage ") == new


@pytest.mark.parametrize(("prompt_speed", "passages"), [(1000.0, 8), (200.0, 3)])
async def test_no_more_is_read_than_leaves_half_of_the_time_for_the_answer(prompt_speed: float, passages: int) -> None:
    model = Reader(["Yes."], context_tokens=5000, prompt_speed=prompt_speed)
    prompt = await ask(model, WHO, *(f"Passage {n}. " + "word " * 100 for n in range(8)))
    assert prompt[-1]["content"].count("Passage ") == passages


async def test_waiting_for_ones_turn_takes_of_the_time() -> None:
    model = Reader(["Yes."], prompt_speed=0.0)
    prompts = []

    @asynccontextmanager
    async def late() -> AsyncGenerator[None, None]:
        prompts.append(1)
        await asyncio.sleep(5)
        yield

    model.turn = late  # type: ignore[method-assign]
    with pytest.raises(Unavailable, match=r"no answer within 0.1 s"):
        await chat(model, seconds=0.1)
    assert prompts and not model.prompt


@pytest.mark.parametrize(
    "slow",
    [
        {"prompt_speed": 10.0},
        {"writing_speed": 5.0},
        {"load_seconds": 60.0},
    ],
)
async def test_an_answer_that_does_not_fit_the_time_is_not_begun(slow: dict[str, float]) -> None:
    model = Reader(["Yes."], **slow)  # type: ignore[arg-type]
    with pytest.raises(TooSlow, match=r"would take about \d+ s to answer here"):
        await ask(model, WHO, "Kari signed.")
    assert not model.prompt and not model.turns


async def test_how_much_fits_is_known_once_the_prompt_is(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Reader(["Yes."], prompt_speed=100.0)
    with pytest.raises(TooSlow):
        await ask(model, replace(WHO, text="Who signed it? " + "Then tell me. " * 200), "Kari signed.")
    assert not model.prompt and model.turns == 1


async def test_a_small_model_gets_a_short_prompt() -> None:
    large, small = Reader(["Yes."]), Reader(["Yes."], is_small=True)
    prompts = [await ask(model, WHO, "Kari signed.") for model in (large, small)]
    words = [sum(len(message["content"].split()) for message in prompt) for prompt in prompts]
    assert words[1] < 60 and words[1] < 0.6 * words[0]


async def test_where_it_is_unsure_the_model_is_told_that_it_may_say_so() -> None:
    for is_unsure in (False, True):
        model = Parrot(["Yes."])
        chat = Chat(model, 5, Layouts(), is_unsure=is_unsure)
        assert [piece async for piece in chat.answer(QUESTION, [Evidence("Kari signed.")])]
        assert ("It is not certain" in model.prompt[-1]["content"]) == is_unsure


@pytest.mark.parametrize(
    ("kind", "language", "words"),
    [
        ("whether", "en", "Begin with Yes or No"),
        ("whether", "de", "Beginne mit Ja oder Nein"),
        ("whether", "zh", "以“是”或“否”开头"),
        ("list", "en", "Name every item"),
        ("list", "fr", "chacun sur sa ligne"),
        ("procedure", "es", "los pasos en su orden"),
        ("reason", "ja", "理由"),
        ("compare", "en", "the value of each side"),
        ("count", "en", "Give the number with its unit"),
        ("description", "sv", "Say what it is"),
    ],
)
async def test_the_prompt_says_how_to_answer_a_question_of_its_kind(kind: Kind, language: str, words: str) -> None:
    model = Parrot(["Yes."])
    question = Question("Who?", language=language, parts=(Part("Who?", kind=kind),))
    await chat(model, question)
    assert words in model.prompt[-1]["content"]
