"""Conversations share one context of a real model: each continues as if it were alone, and none takes another's room."""

import threading

import pytest

from docqa.catalog.catalog import SHIPPED, Catalog
from docqa.models.chat.llama import Engine
from docqa.models.chat.local import available
from docqa.models.chat.sequences import MAX_SEQUENCES, Sequence, Stopped

MODELS = Catalog.load(SHIPPED.parent).local_models()
pytestmark = pytest.mark.skipif(
    not available() or "SMOLLM2_135M" not in MODELS, reason="SmolLM2 or llama-cpp-python is not installed"
)

CELLS = 512
CLERK = "The clerk wrote the number of the house into the book and closed it. "
CAPTAIN = "The captain sold his ship to the owner of the mill, who gave him flour. "
COUNT = "One, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve,"


def load() -> Engine:
    return Engine(str(MODELS["SMOLLM2_135M"]), CELLS, "f16")


@pytest.fixture
def engine() -> Engine:
    """An engine that has read nothing."""
    return load()


@pytest.fixture(scope="module")
def another() -> Engine:
    """An engine that tells what a conversation writes when it is alone."""
    return load()


def opened(
    engine: Engine, text: str, capacity: int = 100, stopped: threading.Event | None = None
) -> tuple[Sequence, list[int]]:
    tokens = engine.tokenize(text)
    sequence = engine.sequences.open(tokens, capacity, 0.0, stopped or threading.Event())
    assert sequence is not None
    return sequence, tokens


def read(engine: Engine, sequence: Sequence, tokens: list[int]) -> int:
    reading = engine.sequences.read(sequence, tokens)
    while True:
        try:
            next(reading)
        except StopIteration as end:
            return int(end.value)


def write(engine: Engine, sequences: list[Sequence], count: int) -> list[str]:
    """What each sequence writes in common steps, in up to `count` tokens; closes them."""
    written = [b""] * len(sequences)
    running = {index: engine.sequences.write(sequence) for index, sequence in enumerate(sequences)}
    numbers = [0] * len(sequences)
    while running:
        for index, tokens in list(running.items()):
            for token in tokens:
                if token is None:
                    break
                written[index] += engine.piece(token)
                numbers[index] += 1
            if token is not None or numbers[index] >= count:
                del running[index]
                engine.sequences.close(sequences[index])
    return [text.decode("utf-8", "replace") for text in written]


def alone(engine: Engine, text: str, count: int = 10) -> str:
    sequence, tokens = opened(engine, text)
    read(engine, sequence, tokens)
    return write(engine, [sequence], count)[0]


def test_each_of_several_sequences_writes_what_it_would_write_alone(engine: Engine, another: Engine) -> None:
    texts = [COUNT, "Monday, Tuesday, Wednesday,", "a b c d e f g h i", "January, February, March,"]
    expected = [alone(another, text) for text in texts]
    sequences = []
    for text in texts:
        sequence, tokens = opened(engine, text)
        read(engine, sequence, tokens)
        sequences.append(sequence)
    assert write(engine, sequences, 10) == expected
    assert "thirteen" in expected[0]


def test_a_prefix_is_shared_with_a_sequence_that_is_still_writing(engine: Engine, another: Engine) -> None:
    expected = alone(another, CLERK * 10 + "The captain")
    first, tokens = opened(engine, CLERK * 10 + "The clerk", 200)
    read(engine, first, tokens)
    second, tokens = opened(engine, CLERK * 10 + "The captain", 200)
    assert read(engine, second, tokens) < 5
    assert write(engine, [first, second], 10)[1] == expected


def test_an_evicted_conversation_goes_on_beside_another_as_if_it_had_never_been_evicted(
    engine: Engine, another: Engine
) -> None:
    expected = alone(another, CLERK * 10 + "Then the clerk")
    alone(engine, CLERK * 10 + "Then the clerk")
    beside, tokens = opened(engine, CAPTAIN * 10, 200)
    read(engine, beside, tokens)
    again, tokens = opened(engine, CLERK * 10 + "Then the clerk", 200)
    assert read(engine, again, tokens) < 15
    assert write(engine, [beside, again], 10)[1] == expected


def test_no_sequence_is_opened_that_the_context_has_no_room_for(engine: Engine) -> None:
    first, tokens = opened(engine, COUNT, CELLS - 300)
    read(engine, first, tokens)
    tokens = engine.tokenize(CLERK)
    assert engine.sequences.open(tokens, 301, 0.0, threading.Event()) is None
    second = engine.sequences.open(tokens, 300, 0.0, threading.Event())
    assert second
    engine.sequences.close(second)
    engine.sequences.close(first)
    only = engine.sequences.open(tokens, CELLS, 0.0, threading.Event())
    assert only, "alone it has all the room"
    engine.sequences.close(only)


def test_the_number_of_sequences_is_limited(engine: Engine) -> None:
    sequences = [opened(engine, COUNT, 50)[0] for _ in range(MAX_SEQUENCES)]
    assert engine.sequences.open(engine.tokenize(COUNT), 50, 0.0, threading.Event()) is None
    for sequence in sequences:
        engine.sequences.close(sequence)


def test_cancelling_aborts_the_batch_of_any_sequence_and_the_others_go_on(engine: Engine, another: Engine) -> None:
    cancelled, not_cancelled = threading.Event(), threading.Event()
    expected = alone(another, CLERK * 15 + "Then the clerk")
    leaver, tokens = opened(engine, COUNT, 100, cancelled)
    read(engine, leaver, tokens)
    reader, tokens = opened(engine, CLERK * 15 + "Then the clerk", 300, not_cancelled)
    reading = engine.sequences.read(reader, tokens)
    cancelled.set()
    next(reading)
    assert len(reader.tokens) < len(tokens), "its batch is aborted for the cancelled one"
    engine.sequences.close(leaver)
    for _ in reading:
        pass
    assert write(engine, [reader], 10)[0] == expected
    gone, tokens = opened(engine, "Then " + CLERK * 15, 300, cancelled)
    with pytest.raises(Stopped):
        read(engine, gone, tokens)
    engine.sequences.close(gone)


def test_in_a_full_context_the_longest_ends_and_the_other_goes_on(engine: Engine) -> None:
    long, tokens = opened(engine, CLERK * 24 + COUNT, 400)
    read(engine, long, tokens)
    short, tokens = opened(engine, COUNT, 100)
    read(engine, short, tokens)
    written = write(engine, [long, short], 60)
    assert len(long.tokens) + len(short.tokens) <= CELLS
    assert len(written[1]) > len(written[0]) > 0, "the longest ends: only thinking may exceed the capacity"


def test_measuring_the_fastest_number_of_sequences_leaves_nothing_behind(engine: Engine) -> None:
    assert engine.sequences.fastest_number(engine.tokenize("word")[0]) in (1, 2, 4)
    assert engine.sequences.uncached([5, 6, 7]) == 3
    assert "thirteen" in alone(engine, COUNT)
