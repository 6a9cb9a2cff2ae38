"""Question generation: a language model continues a passage's list of questions, or completes the beginning of one.

The passage answers some of these questions and only seems to answer others; the teacher tells them apart.
"""

import random
import threading
from collections.abc import Callable, Generator, Sequence

from docqa.models.chat.llama import Engine
from docqa.models.chat.sequences import MAX_SEQUENCES
from docqa.training.question_sets import LabelledQuestion

CONTEXT = 4096  # tokens
PER_PASSAGE = 8  # questions generated for a passage
SHOWN_QUESTIONS = 5  # known questions of the passage in the prompt
SHOWN_CHARACTERS = 1400  # of the passage in the prompt
PREFIXED = 2 / 3  # share of the questions that are given the first words of a known one
TEMPERATURE = 0.9
MAX_TOKENS = 28
WORDS = range(4, 33)  # number of words of an acceptable question
REPORT_EVERY = 100  # passages


def generate(
    engine: Engine,
    questions: Sequence[LabelledQuestion],
    per_passage: int,
    seed: int,
    report: Callable[[str], None],
) -> list[tuple[str, str]]:
    """(question, passage) pairs that are not among `questions`, at most `per_passage` for each of their passages.

    `report` gets a line of progress now and then. The same seed gives the same pairs.
    """
    by_passage: dict[str, list[str]] = {}
    for question in questions:
        by_passage.setdefault(question.passage, []).append(question.question.strip())
    rng, pairs = random.Random(seed), []
    for number, (passage, known) in enumerate(by_passage.items(), 1):
        shown = rng.sample(known, min(SHOWN_QUESTIONS, len(known)))
        listed = "".join(f"- {question}\n" for question in shown)
        prompt = f"Passage: {passage[:SHOWN_CHARACTERS]}\n\nQuestions about the passage:\n{listed}-"
        prefixes = [_prefix(rng.choice(known), rng) if rng.random() < PREFIXED else "" for _ in range(per_passage)]
        generated = dict.fromkeys(_complete(engine, prompt, prefixes, rng))
        pairs += [(question, passage) for question in generated if question not in known and _is_question(question)]
        if number % REPORT_EVERY == 0 or number == len(by_passage):
            report(f"{len(pairs)} questions about {number} of {len(by_passage)} passages")
    return pairs


def _prefix(question: str, rng: random.Random) -> str:
    words = question.split()
    return " ".join(["", *words[: rng.randrange(2, len(words) - 1)]]) if len(words) > 3 else ""


def _is_question(text: str) -> bool:
    return text.endswith("?") and len(text.split()) in WORDS


def _complete(engine: Engine, prompt: str, prefixes: Sequence[str], rng: random.Random) -> list[str]:
    """Each prefix completed to the end of the question or line; several are decoded at once."""
    completed = []
    for at in range(0, len(prefixes), MAX_SEQUENCES):
        running = [
            (prefix, _completion(engine, prompt + prefix, rng.randrange(2**32 - 1)))
            for prefix in prefixes[at : at + MAX_SEQUENCES]
        ]
        while running:
            for entry in list(running):
                prefix, completion = entry
                try:
                    next(completion)
                except StopIteration as end:
                    completed.append((prefix + end.value).strip())
                    running.remove(entry)
    return completed


def _completion(engine: Engine, prompt: str, seed: int) -> Generator[None, None, str]:
    tokens = engine.tokenize(prompt, special=True)
    sequence = engine.sequences.open(tokens, len(tokens) + MAX_TOKENS, TEMPERATURE, threading.Event(), seed)
    assert sequence is not None, "MAX_SEQUENCES short prompts fit into any context"
    try:
        yield from engine.sequences.read(sequence, tokens)
        written, count = b"", 0
        for token in engine.sequences.write(sequence):
            if token is None:
                yield
                continue
            written, count = written + engine.piece(token), count + 1
            if b"?" in written or b"\n" in written or count == MAX_TOKENS:
                break
        return written.decode("utf-8", "replace").partition("\n")[0]
    finally:
        engine.sequences.close(sequence)
