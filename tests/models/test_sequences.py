"""Several conversations share one context of a real model: each goes on as if it were alone, and none takes the room of another."""

import threading

import pytest

from docqa.catalog.catalog import SHIPPED, Catalog
from docqa.models.chat.llama import Engine
from docqa.models.chat.local import available
from docqa.models.chat.sequences import MOST, Sequence, Stopped

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
    """One that has read nothing."""
    return load()


@pytest.fixture(scope="module")
def another() -> Engine:
    """One that tells what is written by who is alone."""
    return load()


def opened(
    engine: Engine, text: str, room: int = 100, stopped: threading.Event | None = None
) -> tuple[Sequence, list[int]]:
    tokens = engine.tokenize(text)
    sequence = engine.sequences.open(tokens, room, 0.0, stopped or threading.Event())
    assert sequence is not None
    return sequence, tokens


def read(engine: Engine, sequence: Sequence, tokens: list[int]) -> int:
    reading = engine.sequences.read(sequence, tokens)
    while True:
        try:
            next(reading)
        except StopIteration as end:
            return int(end.value)


def together(engine: Engine, open_ones: list[Sequence], count: int) -> list[str]:
    """What each of them writes in so many tokens, or until it ends, in common steps."""
    written = [b""] * len(open_ones)
    going = {index: engine.sequences.write(one) for index, one in enumerate(open_ones)}
    numbers = [0] * len(open_ones)
    while going:
        for index, tokens in list(going.items()):
            for token in tokens:
                if token is None:
                    break
                written[index] += engine.piece(token)
                numbers[index] += 1
            if token is not None or numbers[index] >= count:
                del going[index]
                engine.sequences.close(open_ones[index])
    return [text.decode("utf-8", "replace") for text in written]


def alone(engine: Engine, text: str, count: int = 10) -> str:
    sequence, tokens = opened(engine, text)
    read(engine, sequence, tokens)
    return together(engine, [sequence], count)[0]


def test_those_that_write_together_write_what_each_would_write_alone(engine: Engine, another: Engine) -> None:
    texts = [COUNT, "Monday, Tuesday, Wednesday,", "a b c d e f g h i", "January, February, March,"]
    expected = [alone(another, text) for text in texts]
    both = []
    for text in texts:
        sequence, tokens = opened(engine, text)
        read(engine, sequence, tokens)
        both.append(sequence)
    assert together(engine, both, 10) == expected
    assert "thirteen" in expected[0]


def test_what_another_has_read_is_shared_while_it_writes(engine: Engine, another: Engine) -> None:
    expected = alone(another, CLERK * 10 + "The captain")
    first, tokens = opened(engine, CLERK * 10 + "The clerk", 200)
    read(engine, first, tokens)
    second, tokens = opened(engine, CLERK * 10 + "The captain", 200)
    assert read(engine, second, tokens) < 5
    assert together(engine, [first, second], 10)[1] == expected


def test_one_that_was_put_away_goes_on_beside_another_as_if_nothing_had_been_between(
    engine: Engine, another: Engine
) -> None:
    expected = alone(another, CLERK * 10 + "Then the clerk")
    alone(engine, CLERK * 10 + "Then the clerk")
    beside, tokens = opened(engine, CAPTAIN * 10, 200)
    read(engine, beside, tokens)
    again, tokens = opened(engine, CLERK * 10 + "Then the clerk", 200)
    assert read(engine, again, tokens) < 15
    assert together(engine, [beside, again], 10)[1] == expected


def test_nobody_gets_a_place_whom_the_context_has_no_room_for(engine: Engine) -> None:
    first, tokens = opened(engine, COUNT, CELLS - 300)
    read(engine, first, tokens)
    wanted = engine.tokenize(CLERK)
    assert engine.sequences.open(wanted, 301, 0.0, threading.Event()) is None
    second = engine.sequences.open(wanted, 300, 0.0, threading.Event())
    assert second
    engine.sequences.close(second)
    engine.sequences.close(first)
    alone_again = engine.sequences.open(wanted, CELLS, 0.0, threading.Event())
    assert alone_again, "alone it has all the room"
    engine.sequences.close(alone_again)


def test_there_are_as_many_places_as_sequences(engine: Engine) -> None:
    held = [opened(engine, COUNT, 50)[0] for _ in range(MOST)]
    assert engine.sequences.open(engine.tokenize(COUNT), 50, 0.0, threading.Event()) is None
    for one in held:
        engine.sequences.close(one)


def test_who_leaves_gets_rid_of_its_own_batch_and_of_that_of_another(engine: Engine, another: Engine) -> None:
    left, stays = threading.Event(), threading.Event()
    expected = alone(another, CLERK * 15 + "Then the clerk")
    leaver, tokens = opened(engine, COUNT, 100, left)
    read(engine, leaver, tokens)
    reader, tokens = opened(engine, CLERK * 15 + "Then the clerk", 300, stays)
    reading = engine.sequences.read(reader, tokens)
    left.set()
    next(reading)
    assert len(reader.held) < len(tokens), "its batch is broken off for the one who leaves"
    engine.sequences.close(leaver)
    for _ in reading:
        pass
    assert together(engine, [reader], 10)[0] == expected
    gone, tokens = opened(engine, "Then " + CLERK * 15, 300, left)
    with pytest.raises(Stopped):
        read(engine, gone, tokens)
    engine.sequences.close(gone)


def test_in_a_full_context_the_longest_ends_and_the_other_goes_on(engine: Engine) -> None:
    long, tokens = opened(engine, CLERK * 24 + COUNT, 400)
    read(engine, long, tokens)
    short, tokens = opened(engine, COUNT, 100)
    read(engine, short, tokens)
    written = together(engine, [long, short], 60)
    assert len(long.held) + len(short.held) <= CELLS
    assert len(written[1]) > len(written[0]) > 0, "only what a model thinks takes more room than was asked for"


def test_how_many_write_sooner_together_is_measured_and_leaves_nothing_behind(engine: Engine) -> None:
    assert engine.sequences.worthwhile(engine.tokenize("word")[0]) in (1, 2, 4)
    assert engine.sequences.uncached([5, 6, 7]) == 3
    assert "thirteen" in alone(engine, COUNT)
