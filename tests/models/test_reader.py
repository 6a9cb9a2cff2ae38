"""The reader: the file of its trained part, what is read of which passages, and what the shipped one finds or refuses."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import pytest

from conftest import installed_embedder
from docqa import ROOT
from docqa.answering.reading import DENSE, LATIN, OTHER, UNSTATED, Reach, Window, reach_for, read, windows
from docqa.catalog.catalog import Catalog
from docqa.errors import CannotStart
from docqa.models.embedder import Embedder
from docqa.models.encoders import Encoders
from docqa.models.reader import FILE, SHIPPED, Reading, Span, around, trained_part
from docqa.models.remote_embedder import RemoteEmbedders
from docqa.questions.kinds import wants_span
from docqa.questions.question import Part
from docqa.search.passages import Passage, ScoredUnit, Scores
from docqa.store.chunks import StoredChunk
from docqa.store.documents import StoredDocument
from docqa.text.units import Unit
from passages import BELL, MILL, WELL

NO_SERVERS = cast(RemoteEmbedders, None)  # none of these tests adds a model
CATALOG = Catalog.load(ROOT / "models")
ENTRY = CATALOG.embedding("all-MiniLM-L6-v2")
needs_model = pytest.mark.skipif(
    not CATALOG.present(ENTRY) or find_spec("openvino") is None, reason="the embedding model is not installed"
)


# The file of a trained part


@pytest.mark.parametrize(
    "content", [b"", b"\x01", b"\x08" + bytes(7) + b"not json", b"\x02" + bytes(7) + b"{}", b"\xff" * 16]
)
def test_a_damaged_file_keeps_the_server_from_starting_and_says_so(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(CannotStart, match="is not a trained part of the reader"):
        trained_part(tmp_path)


def test_a_folder_of_models_without_a_trained_part_uses_the_shipped_one(tmp_path: Path) -> None:
    part = trained_part(tmp_path)
    assert part == trained_part(ROOT / "models")
    assert part is not None and part.path == SHIPPED / FILE
    assert part.base == ENTRY.weights.sha256 and part.languages == ("en",)
    assert SHIPPED.stat().st_size <= 12_000_000


# What is read at answer time


def test_a_passage_of_few_sentences_is_read_once() -> None:
    assert around("It is dry. It is deep.", Span(6, 9, 1.0)) == (0, 22)
    assert around("One is. Two is. Three is. Four is.", Span(16, 21, 1.0)) == (8, 34)
    assert around("", Span(0, 0, 1.0)) == (0, 0)


def passage(text: str, scores: list[float]) -> Passage:
    width = len(text) // len(scores)
    units = tuple(
        ScoredUnit(unit=Unit(at * width, (at + 1) * width, "paragraph", None, None, 0, len(text)), coverage=score)
        for at, score in enumerate(scores)
    )
    return Passage(
        chunk=StoredChunk(1, 1, 1, "", "", text, ""),
        document=StoredDocument(1, "d1", "wells.txt", "txt", "en", 1, ""),
        scores=Scores(),
        score=0.0,
        units=units,
    )


def places(chosen: Sequence[Window]) -> list[tuple[int, int, int]]:
    return [window[:3] for window in chosen]


def test_of_a_long_passage_the_neighbours_that_fit_best_are_read() -> None:
    long = "x" * 2400
    chosen = windows(
        [
            passage(WELL, [0.1, 0.2, 0.3]),
            passage(long, [0.0, 0.1, 0.9, 0.8, 0.0, 0.0]),
            passage(long, [0.0, 0.9]),
            *[passage(WELL, [0.1, 0.2, 0.3])] * 3,
        ],
        range(6),
    )
    assert places(chosen)[:3] == [(0, 0, len(WELL)), (1, 800, 1600), (2, 1200, 2400)]
    assert places(chosen)[3:] == [(place, 0, len(WELL)) for place in (3, 4, 5)]


def test_what_fits_best_is_read_even_where_others_fit_better_together() -> None:
    alone = passage("x" * 2400, [0.9, 0.0, 0.0, 0.5, 0.5, 0.4])
    assert places(windows([alone] * 6, range(6)))[0] == (0, 0, 800)


def test_of_few_passages_more_is_read_of_each_of_one_all() -> None:
    long = passage("x" * 2400, [0.0, 0.1, 0.9, 0.8, 0.0, 0.0])
    assert places(windows([long], [0])) == [(0, 0, 800), (0, 800, 1600), (0, 1600, 2400)]
    assert len(windows([long] * 3, range(3))) == LATIN.of_all


def test_of_scripts_without_spaces_shorter_windows_are_read() -> None:
    long = passage("字" * 900, [0.1, 0.0, 0.0, 0.9, 0.8, 0.2])
    assert places(windows([long], [0])) == [(0, 0, 300), (0, 300, 450), (0, 450, 750), (0, 750, 900)]
    many = windows([long] * 6, range(6))
    assert len(many) == DENSE.of_all and {window.passage for window in many} == set(range(6)), "the best of each first"


@pytest.mark.parametrize(
    ("text", "reach"),
    [
        ("Who dug the well?", LATIN),
        ("Où est née l’élève française ?", LATIN),
        ("من حفر البئر؟", OTHER),
        ("Кто выкопал колодец?", OTHER),
        ("谁挖了这口井？", DENSE),
        ("누가 우물을 팠습니까?", DENSE),
    ],
)
def test_how_much_is_read_at_once_follows_the_script(text: str, reach: Reach) -> None:
    assert reach_for(text) is reach


def test_what_is_found_in_the_windows_of_a_passage_is_in_the_places_of_the_passage(runner: asyncio.Runner) -> None:
    text = "あ" * 900
    asked_of = passage(text, [0.1, 0.0, 0.0, 0.9, 0.8, 0.2])
    asked_of = replace(asked_of, document=replace(asked_of.document, language="ja"))
    encoders = reading_by(Finding("ja", Span(4, 8, 1.0)))
    [seen] = runner.run(read(encoders, Part("誰ですか", language="ja"), [asked_of]))
    assert sorted(span.start for span in seen.spans or ()) == [4, 304, 454, 754]


class Finding:
    """A reader that finds the same spans in every text in its languages."""

    ready = True

    def __init__(self, languages: str, *spans: Span) -> None:
        self._languages, self._spans = languages.split(), list(spans)

    def reads(self, language: str) -> bool:
        return language in self._languages

    async def readings(self, question: str, texts: Sequence[str], *, again: bool) -> list[Reading]:
        return [Reading(self._spans) for _ in texts]


def reading_by(first: Finding, beside: Finding | None = None) -> Encoders:
    return Encoders(
        None,
        cast(Embedder, first),
        None,
        former=lambda _: None,
        wake=lambda: None,
        remote=NO_SERVERS,
        beside=cast(Embedder, beside),
    )


@pytest.mark.parametrize(
    ("language", "document", "expected"),
    [
        ("en", "en", 1.0),
        ("en", "", 1.0),
        ("de", "de", 2.0),
        ("de", "", 2.0),
        ("de", "en", 2.0),
        ("en", "de", 2.0),
        ("ja", "ja", 2.0),
        ("fr", "en", None),
        ("en", "fr", None),
    ],
)
def test_the_model_beside_reads_what_the_first_reader_does_not_know_and_across_its_languages(
    runner: asyncio.Runner, language: str, document: str, expected: float | None
) -> None:
    encoders = reading_by(Finding("en", Span(4, 8, 1.0)), Finding("de en ja", Span(4, 8, 2.0)))
    asked_of = passage(WELL, [0.5])
    stored = replace(asked_of.document, language=document)
    [seen] = runner.run(read(encoders, Part("Well?", language=language), [replace(asked_of, document=stored)]))
    assert (seen.spans and seen.spans[0].score) == expected


def test_of_passages_in_two_languages_each_is_read_by_the_reader_that_knows_its_own(runner: asyncio.Runner) -> None:
    encoders = reading_by(Finding("en", Span(4, 8, 1.0)), Finding("de en ja", Span(4, 8, 2.0)))
    own = passage(WELL, [0.5])
    foreign = replace(own, document=replace(own.document, language="de"), across=True)
    seen = runner.run(read(encoders, Part("Well?", language="en"), [foreign, own, foreign]))
    assert [each.spans and each.spans[0].score for each in seen] == [2.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("question", "stated"),
    [
        ("Who repaired the pump in 2019?", True),
        ("Who repaired the pump on 4 March 2019?", True),
        ("Who repaired the 3 metals?", True),
        ("Who repaired the pump of well 12?", True),
        ("Who repaired the pump according to the report of 2020?", True),
        ("Who repaired what is said of on page 7?", True),
        ("Who repaired the pump in 2018?", False),
        ("Who repaired the pump on 5 March 2019?", False),
        ("Who repaired the 22nd pump?", False),
        ("Who repaired the pump in 2019 and 2021?", False),
    ],
)
def test_a_passage_that_does_not_state_the_numbers_of_the_question_hardly_answers_it(
    runner: asyncio.Runner, question: str, stated: bool
) -> None:
    text = "The pump was repaired by Aqua Nord on 4 March 2019. The whole of it is of three metals."
    chunk = StoredChunk(1, 1, 7, "Well 12", "", text, "")
    pump = replace(
        passage(text, [0.5]), chunk=chunk, document=StoredDocument(1, "d1", "report 2020.txt", "txt", "en", 1, "")
    )

    encoders = reading_by(Finding("en", Span(25, 34, 9.0), Span(38, 50, 2.0)))
    [read_passage] = runner.run(read(encoders, Part(question), [pump]))
    less = 0.0 if stated else UNSTATED
    assert read_passage.spans == (Span(25, 34, 9.0 - less), Span(38, 50, 2.0 - less))


@pytest.mark.parametrize(
    "question",
    [
        "Who made the bell?",
        "In which town is the museum?",
        "The mill was sold by whom?",
        "What's the name of the smith",
        "Please tell me how heavy the bell is.",
        "Can you tell me when it was closed?",
        "Isabel sold what?",
        "weight of the bell",
    ],
)
def test_what_asks_for_a_fact_is_read(question: str) -> None:
    assert wants_span(question, "en")


@pytest.mark.parametrize(
    "question",
    [
        "Is flood damage covered?",
        "Isn't the well closed?",
        "May the tenant keep a dog, and what does it cost?",
        "Has the company reported any legal battles?",
        "Does the report say who made the bell?",
        "List all pages on which the logo stands.",
        "Please describe what happened to the mill.",
    ],
)
def test_what_asks_whether_or_what_to_make_of_a_text_is_not(question: str) -> None:
    assert not wants_span(question, "en"), "any words would look like an answer, and their absence like none"


# The shipped one


@pytest.fixture(scope="module")
def embedder(runner: asyncio.Runner) -> Iterator[Embedder]:
    """The real model with the shipped part, loaded once for all tests."""
    embedder = installed_embedder(ENTRY.name, reader=trained_part(ROOT / "models"))
    yield embedder
    runner.run(embedder.close())


@needs_model
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who repaired the pump of the northern well?", "Aqua Nord"),
        ("When was the southern well closed?", "2011"),
        ("How heavy is the bell?", "310 kilograms"),
        ("In which town is the museum?", "Kendal"),
        ("Who made the bell?", "Jan Moer"),
    ],
)
def test_the_shipped_reader_finds_the_fact_among_several_passages(
    runner: asyncio.Runner, embedder: Embedder, question: str, answer: str
) -> None:
    texts = [WELL, MILL, BELL]
    read_spans = runner.run(embedder.read(question, texts))
    best, text = max(
        ((span, text) for spans, text in zip(read_spans, texts, strict=True) for span in spans),
        key=lambda pair: pair[0].score,
    )
    assert answer in text[best.start : best.end] and len(text[best.start : best.end]) < 40
    assert best.score > 0


@needs_model
@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of France?",
        "How many goals did the striker score?",
        "Which medicine lowers the blood pressure?",
    ],
)
def test_the_shipped_reader_finds_nothing_for_a_question_about_something_else(
    runner: asyncio.Runner, embedder: Embedder, question: str
) -> None:
    assert all(span.score < 0 for spans in runner.run(embedder.read(question, [WELL, MILL, BELL])) for span in spans)
