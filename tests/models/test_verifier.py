"""The verifier: a language model with an adapter checks the reader's best span; both together decide."""

import asyncio
import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from docqa import ROOT
from docqa.answering.certainty import certainty
from docqa.answering.reading import LONGEST_VERIFIED, read
from docqa.catalog.catalog import Catalog
from docqa.errors import CannotStart, Unavailable
from docqa.models.chat.local import available
from docqa.models.embedder import Embedder
from docqa.models.encoders import Encoders
from docqa.models.reader import Reading, Span, TrainedPart
from docqa.models.verifier import FILE, HOPELESS, Adapter, Verifier, find_adapter, to_verify
from docqa.questions.question import Part
from docqa.search.passages import Passage, ScoredUnit, Scores
from docqa.store.chunks import StoredChunk
from docqa.store.documents import StoredDocument
from docqa.text.units import Unit
from passages import BELL, MILL, WELL

ADAPTER = Adapter(Path(FILE), "ab", ("en",), weight=3.0, margin=1.0)
SHIPPED = find_adapter(ROOT / "models")
ENTRY = Catalog.load(ROOT / "models").with_weights("gguf", SHIPPED.base) if SHIPPED else None
needs_model = pytest.mark.skipif(
    not (available() and ENTRY), reason="llama-cpp-python or the model of the adapter is not here"
)


def gguf(**metadata: str) -> bytes:
    """A GGUF file without tensors."""

    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    pairs = b"".join(
        text(key.replace("_", ".")) + struct.pack("<I", 8) + text(value) for key, value in metadata.items()
    )
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(metadata)) + pairs


def test_the_adapter_says_which_model_it_belongs_to_and_how_much_it_counts(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(
        gguf(docqa_base="ab", docqa_languages="en de", docqa_weight="3.0", docqa_margin="-0.5")
    )
    assert find_adapter(tmp_path) == Adapter(tmp_path / FILE, "ab", ("en", "de"), 3.0, -0.5)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no GGUF",
        gguf(docqa_base="ab"),
        gguf(docqa_base="ab", docqa_languages="en", docqa_weight="x", docqa_margin="1"),
    ],
)
def test_a_damaged_adapter_is_named_at_the_start(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(
        CannotStart, match=rf"{FILE} is not an adapter of the verifier \(\w+: .+\); delete it or get it again"
    ):
        find_adapter(tmp_path)


@pytest.mark.parametrize(
    ("score", "log_odds", "expected"),
    [
        (6.0, 2.0, 6.0),  # both are sure: what the reader thinks of it stays
        (6.0, -3.0, -4.0),  # together below 0
        (-2.0, 3.0, 0.0),  # the reader alone would have kept silent
        (-2.0, -3.0, -12.0),
        (-2.0, 0.5, -2.0),  # together no less than the reader alone, and still below 0
    ],
)
def test_a_score_is_lowered_to_both_opinions_together_and_raised_to_nothing_but_an_answer(
    score: float, log_odds: float, expected: float
) -> None:
    [[best, other]], believed = ADAPTER.combine([[Span(0, 4, score), Span(9, 12, score - 5)]], 0, log_odds)
    assert (best.score, believed) == (expected, expected >= 0)
    assert other.score == (expected - 5 if believed else min(expected, score - 5))


def test_where_the_best_is_doubted_no_passage_answers_and_where_it_is_believed_the_others_stay() -> None:
    spans = [[Span(0, 4, 1.0)], [], [Span(0, 4, 3.0), Span(5, 6, -9.0)]]
    assert ADAPTER.combine(spans, 2, -2.0) == ([[Span(0, 4, -4.0)], [], [Span(0, 4, -4.0), Span(5, 6, -9.0)]], False)
    assert ADAPTER.combine(spans, 2, 2.0) == (spans, True)


def test_the_best_span_is_verified_and_none_without_hope() -> None:
    excerpt = WELL[: WELL.index(" The southern")]
    assert to_verify([BELL, MILL, WELL], [[Span(0, 4, 1.0)], [], [Span(0, 4, 3.0), Span(5, 6, 2.0)]]) == (2, excerpt)
    assert to_verify([BELL], [[Span(0, 4, HOPELESS - 1)]]) is None
    assert to_verify([BELL, MILL], [[], []]) is None


class Doubting:
    """Thinks of excerpts that hold these words, and of all others the opposite."""

    adapter, ready = ADAPTER, True

    def __init__(self, sure_of: str, fails: bool = False) -> None:
        self.sure_of, self.fails = sure_of, fails
        self.requests: list[tuple[str, str]] = []

    async def log_odds(self, question: str, excerpt: str) -> float:
        self.requests.append((question, excerpt))
        if self.fails:
            raise Unavailable("It died.")
        return 4.0 if self.sure_of in excerpt else -4.0


class Finding:
    """Finds one span in each passage, in the first with the highest score."""

    ready, reader = True, TrainedPart(Path("reader.safetensors"), "", ("en",))

    async def readings(self, question: str, texts: Sequence[str]) -> list[Reading]:
        return [Reading([Span(0, 3, 6.0 - index)]) for index, _ in enumerate(texts)]


QUESTION = "Who cast the bell?"


def verified(runner: asyncio.Runner, doubting: Doubting | None, question: str = QUESTION) -> list[Passage]:
    reader, verifier = cast(Embedder, Finding()), cast(Verifier | None, doubting)
    encoders = Encoders(None, reader, verifier, former=lambda _: None, wake=lambda: None)
    document = StoredDocument(1, "d1", "places.txt", "txt", "en", 1, "")
    passages = [
        Passage(
            chunk=StoredChunk(number, 1, 1, "", "", text, ""),
            document=document,
            scores=Scores(),
            score=0.0,
            units=(ScoredUnit(unit=unit, coverage=0.4, cosine=0.4),),
        )
        for number, text in enumerate((WELL, MILL, BELL), 1)
        for unit in [Unit(0, len(text), "paragraph", None, None, 0, len(text))]
    ]
    return runner.run(read(encoders, Part(question), passages))


def test_what_the_verifier_is_sure_of_stays_and_nothing_else_is_asked(runner: asyncio.Runner) -> None:
    doubting = Doubting("Aqua Nord")
    assert [passage.spans for passage in verified(runner, doubting)] == [
        (Span(0, 3, 6.0),),
        (Span(0, 3, 5.0),),
        (Span(0, 3, 4.0),),
    ]
    [(question, excerpt)] = doubting.requests
    assert question == "Who cast the bell?"
    assert excerpt == WELL[: WELL.index(" The southern")], "the sentence of the span and the one beside it"


def test_what_both_believe_is_verified(runner: asyncio.Runner) -> None:
    alone, believed = verified(runner, None), verified(runner, Doubting("Aqua Nord"))
    assert [passage.verified for passage in alone] == [False, False, False]
    assert [passage.verified for passage in believed] == [True, False, False]


def test_where_it_doubts_the_best_no_answer_is_sure_that_the_reader_alone_would_be_sure_of(
    runner: asyncio.Runner,
) -> None:
    doubting = Doubting("Edith Carr")
    alone, doubted = verified(runner, None), verified(runner, doubting)
    assert [certainty(passages, Part(QUESTION)) for passages in (alone, doubted)] == ["sure", "unsure"]
    assert [passage.spans for passage in doubted] == [(Span(0, 3, -7.0),)] * 3
    assert len(doubting.requests) == 1


def test_where_it_dies_the_readers_opinion_counts(runner: asyncio.Runner) -> None:
    assert verified(runner, Doubting("", fails=True)) == verified(runner, None)


def test_a_question_does_not_wait_for_it_to_load_and_a_whole_text_is_not_verified(runner: asyncio.Runner) -> None:
    loading = Doubting("")
    loading.ready = False
    assert verified(runner, loading) == verified(runner, None) and not loading.requests
    long = Doubting("")
    assert verified(runner, long, "Who cast the bell? " * LONGEST_VERIFIED) == verified(
        runner, None, "Who cast the bell? " * LONGEST_VERIFIED
    )
    assert not long.requests


@pytest.fixture(scope="module")
def verifier(runner: asyncio.Runner) -> Iterator[Verifier]:
    """The real model with the shipped adapter, loaded once for all tests."""
    assert SHIPPED and ENTRY
    verifier = Verifier(Catalog.load(ROOT / "models").path(ENTRY), SHIPPED)
    yield verifier
    runner.run(verifier.close())


@needs_model
@pytest.mark.parametrize(
    ("answered", "like_it", "text", "least"),
    [
        ("Who repaired the pump of the northern well?", "Who repaired the pump of the southern well?", WELL, 0.5),
        ("Who closed the southern well?", "Who dug the southern well?", WELL, 0.5),
        ("Until when did the mill grind oats?", "Until when did the mill grind barley?", MILL, 2),
        ("Who cast the bell?", "Who paid for the bell?", BELL, 2),
    ],
)
def test_the_shipped_one_is_surer_of_a_question_that_the_text_answers_than_of_one_like_it(
    runner: asyncio.Runner, verifier: Verifier, answered: str, like_it: str, text: str, least: float
) -> None:
    async def both() -> list[float]:
        return [await verifier.log_odds(question, text) for question in (answered, like_it)]

    sure, doubtful = runner.run(both())
    assert sure > doubtful + least  # and that is more than rounding makes, 0.34 at most


@needs_model
@pytest.mark.parametrize(
    ("question", "text"),
    [("Who?", ""), ("Who?", "word " * 2000), ("🎈" * LONGEST_VERIFIED, WELL), ("Who\ud800?", "a\ud800b\0c")],
)
def test_odd_texts_have_a_number_too(runner: asyncio.Runner, verifier: Verifier, question: str, text: str) -> None:
    assert math.isfinite(runner.run(verifier.log_odds(question, text)))


@needs_model
def test_an_adapter_that_is_not_whole_is_not_loaded_and_the_sentence_says_so(
    runner: asyncio.Runner, tmp_path: Path
) -> None:
    assert SHIPPED and ENTRY
    broken = tmp_path / FILE
    broken.write_bytes(SHIPPED.path.read_bytes()[:100_000])
    verifier = Verifier(Catalog.load(ROOT / "models").path(ENTRY), replace(SHIPPED, path=broken))
    with pytest.raises(Unavailable, match=f"llama.cpp cannot apply the adapter .*{FILE}"):
        runner.run(verifier.load())
    runner.run(verifier.close())
