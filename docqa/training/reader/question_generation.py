"""Questions nobody has asked: a language model goes on with the list of those that were asked about a passage, or ends one of them otherwise.

Some are answered by the passage and some only look so; the teacher has to tell.
"""

import random
import threading
from collections.abc import Callable, Generator, Sequence

from docqa.models.chat.llama import Engine
from docqa.models.chat.sequences import MOST
from docqa.training.question_sets import Asked

CONTEXT = 4096  # tokens
EACH = 8  # questions to a passage
SHOWN = 5  # questions of the passage
PASSAGE = 1400  # characters of it that are shown
BEGUN = 2 / 3  # share of the questions whose first words are those of one that was asked
TEMPERATURE = 0.9
LONGEST = 28  # tokens
WORDS = range(4, 33)
SAID = 100  # passages between two lines of the log


def write(
    engine: Engine, asked: Sequence[Asked], each: int, seed: int, say: Callable[[str], None]
) -> list[tuple[str, str]]:
    """(question, passage) pairs that are not in `asked`: at most so many for each of its passages."""
    about: dict[str, list[str]] = {}
    for one in asked:
        about.setdefault(one.passage, []).append(one.question.strip())
    dice, made = random.Random(seed), []
    for number, (passage, questions) in enumerate(about.items(), 1):
        shown = dice.sample(questions, min(SHOWN, len(questions)))
        prompt = (
            f"Passage: {passage[:PASSAGE]}\n\nQuestions about the passage:\n"
            + "".join(f"- {question}\n" for question in shown)
            + "-"
        )
        beginnings = [_beginning(dice.choice(questions), dice) if dice.random() < BEGUN else "" for _ in range(each)]
        found = _endings(engine, prompt, beginnings, dice)
        made += [
            (question, passage)
            for question in dict.fromkeys(found)
            if question not in questions and _is_question(question)
        ]
        if number % SAID == 0 or number == len(about):
            say(f"{len(made)} questions about {number} of {len(about)} passages")
    return made


def _beginning(question: str, dice: random.Random) -> str:
    words = question.split()
    return " ".join(["", *words[: dice.randrange(2, len(words) - 1)]]) if len(words) > 3 else ""


def _is_question(text: str) -> bool:
    return text.endswith("?") and len(text.split()) in WORDS


def _endings(engine: Engine, prompt: str, beginnings: Sequence[str], dice: random.Random) -> list[str]:
    """What the model makes of each beginning behind the prompt, several at once, to the end of the question or line."""
    found = []
    for at in range(0, len(beginnings), MOST):
        writing = [
            (beginning, _ending(engine, prompt + beginning, dice.randrange(2**32 - 1)))
            for beginning in beginnings[at : at + MOST]
        ]
        while writing:
            for one in list(writing):
                beginning, ending = one
                try:
                    next(ending)
                except StopIteration as end:
                    found.append((beginning + end.value).strip())
                    writing.remove(one)
    return found


def _ending(engine: Engine, prompt: str, seed: int) -> Generator[None, None, str]:
    tokens = engine.tokenize(prompt, special=True)
    sequence = engine.sequences.open(tokens, len(tokens) + LONGEST, TEMPERATURE, threading.Event(), seed)
    assert sequence is not None, "four short prompts have room in any context"
    try:
        yield from engine.sequences.read(sequence, tokens)
        said, count = b"", 0
        for token in engine.sequences.write(sequence):
            if token is None:
                yield
                continue
            said, count = said + engine.piece(token), count + 1
            if b"?" in said or b"\n" in said or count == LONGEST:
                break
        return said.decode("utf-8", "replace").partition("\n")[0]
    finally:
        engine.sequences.close(sequence)
