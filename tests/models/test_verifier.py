"""The verifier: a larger encoder reads the best units among their neighbours; its opinion counts with the others."""

import asyncio
import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import pytest

from conftest import MATRICES, MEASURED
from docqa import ROOT
from docqa.answering.certainty import certainty
from docqa.answering.reading import read
from docqa.answering.scoring import NOT_SAID, READ, VERIFIED, scale_of
from docqa.answering.verifying import FIRST, LONGEST_QUESTION
from docqa.catalog.catalog import Catalog
from docqa.catalog.machine import find_machine
from docqa.errors import Unavailable
from docqa.models.embedder import Embedder
from docqa.models.embedder_child import ENVIRONMENT
from docqa.models.encoders import Encoders
from docqa.models.measured import circumstances, keep, kept
from docqa.models.reader import LONGEST_EXCERPT, VERIFIER, Reading, Span, YesNo, trained_part
from docqa.models.remote_embedder import RemoteEmbedders
from docqa.models.verifier import LEAST, MOST, Verifier
from docqa.models.verifier_child import Judge
from docqa.questions.question import Kind, Part
from docqa.search.passages import Passage, ScoredUnit, Scores
from docqa.store.chunks import StoredChunk
from docqa.store.documents import StoredDocument
from docqa.text.sentences import sentences
from docqa.text.units import Unit
from passages import BELL, MILL, WELL

NO_SERVERS = cast(RemoteEmbedders, None)  # none of these tests adds a model
CATALOG = Catalog.load(ROOT / "models")
SHIPPED = trained_part(ROOT / "models", VERIFIER)
ENTRY = CATALOG.with_weights("encoder", SHIPPED.base) if SHIPPED else None
needs_model = pytest.mark.skipif(
    not ENTRY or find_spec("openvino") is None, reason="the encoder of the verifier is not here"
)
QUESTION = "Who cast the bell?"


class Sure:
    """Finds a span at the beginning of excerpts that hold these words, and nothing elsewhere."""

    languages, ready, excerpts = ("en",), True, MOST

    def __init__(self, words: str, fails: bool = False) -> None:
        self.words, self.fails = words, fails
        self.requests: list[tuple[str, list[str]]] = []

    async def readings(self, question: str, excerpts: Sequence[str]) -> list[Reading]:
        self.requests.append((question, list(excerpts)))
        if self.fails:
            raise Unavailable("It died.")
        return [
            Reading([Span(place, place + len(self.words), 9.0)], YesNo(3.0, -3.0))
            if (place := text.find(self.words)) >= 0
            else Reading([Span(0, 4, -9.0)], YesNo(-3.0, 3.0))
            for text in excerpts
        ]


class Finding:
    """Finds one span in each passage, in the first with the highest score."""

    ready = True

    def __init__(self) -> None:
        self.read_again: list[bool] = []

    def reads(self, language: str) -> bool:
        return language == "en"

    async def readings(self, question: str, texts: Sequence[str], *, again: bool) -> list[Reading]:
        self.read_again.append(again)
        return [Reading([Span(0, 3, 6.0 - index)], YesNo(-1.0, -1.0)) for index, _ in enumerate(texts)]


def passages(texts: Sequence[str] = (WELL, MILL, BELL), language: str = "en") -> list[Passage]:
    document = StoredDocument(1, "d1", "places.txt", "txt", language, 1, "")
    return [
        Passage(
            chunk=StoredChunk(number, 1, 1, "", "", text, ""),
            document=document,
            scores=Scores(),
            score=0.0,
            units=tuple(
                ScoredUnit(unit=Unit(start, end, "paragraph", None, None, 0, len(text)), coverage=0.4, cosine=0.4)
                for start, end in sentences(text)
            ),
        )
        for number, text in enumerate(texts, 1)
    ]


def verified(
    runner: asyncio.Runner,
    verifier: Sure | None,
    question: str = QUESTION,
    of: Sequence[Passage] | None = None,
    *,
    kind: Kind = "fact",
    reader: Finding | None = None,
) -> list[Passage]:
    encoders = Encoders(
        None,
        cast(Embedder, reader or Finding()),
        cast(Verifier | None, verifier),
        former=lambda _: None,
        wake=lambda: None,
        remote=NO_SERVERS,
    )
    return runner.run(read(encoders, Part(question, kind=kind), passages() if of is None else of))


def test_the_unit_that_holds_the_answer_gets_its_score_and_its_neighbours_none(runner: asyncio.Runner) -> None:
    sure = Sure("Edith Carr")
    seen = verified(runner, sure)
    scores = {passage.text[scored.start : scored.end]: scored.verified for passage in seen for scored in passage.units}
    for text, score in scores.items():
        assert score == 9.0 if "Edith Carr" in text else score in (NOT_SAID, -9.0, None)
    assert scale_of(seen) is VERIFIED
    [(question, excerpts)] = sure.requests
    assert question == QUESTION and 0 < len(excerpts) <= MOST
    assert all(
        len(excerpt) <= LONGEST_EXCERPT and any(excerpt in text for text in (WELL, MILL, BELL)) for excerpt in excerpts
    )


def test_it_reads_for_what_users_said_and_not_for_the_words_of_the_last_answer(runner: asyncio.Runner) -> None:
    sure = Sure("Edith Carr")
    encoders = Encoders(
        None,
        cast(Embedder, Finding()),
        cast(Verifier, sure),
        former=lambda _: None,
        wake=lambda: None,
        remote=NO_SERVERS,
    )
    part = Part("Who cast it?", context="old bell hangs tower", wording="Who cast it? old bell", follows=True)
    runner.run(read(encoders, part, passages()))
    assert {question for question, _ in sure.requests} == {"Who cast it? old bell"}


def test_to_a_yes_no_question_the_best_span_answers_at_least_as_surely_as_its_excerpt_says_yes_or_no(
    runner: asyncio.Runner,
) -> None:
    question = "Was the bell cast by Ann?"

    def scores(kind: Kind) -> set[float | None]:
        return {scored.verified for seen in verified(runner, Sure("Ann"), question, kind=kind) for scored in seen.units}

    assert -9.0 in scores("fact") and 3.0 not in scores("fact")
    assert 3.0 in scores("whether") and -9.0 not in scores("whether")


def test_where_the_verifier_reads_the_reader_does_not_read_again(runner: asyncio.Runner) -> None:
    reader = Finding()
    verified(runner, Sure("Edith Carr"), reader=reader)
    verified(runner, Sure("Edith Carr"), kind="whether", reader=reader)
    verified(runner, None, reader=reader)
    assert reader.read_again == [False, False, True]


def test_whether_it_is_so_the_verifier_tells_of_what_it_reads_and_nobody_of_the_rest(
    runner: asyncio.Runner,
) -> None:
    kind: Kind = "whether"
    seen = verified(runner, Sure("Edith Carr"), "Did Edith Carr cast the bell?", kind=kind, reader=Finding())
    read_by_verifier = [any(scored.verified is not None for scored in each.units) for each in seen]
    assert any(read_by_verifier) and not all(read_by_verifier)
    for each in seen:
        verdict = YesNo(3.0, -3.0) if "Edith Carr" in each.text else YesNo(-3.0, 3.0)
        for scored in each.units:
            assert scored.yes_no == (None if scored.verified is None else verdict)
    alone = verified(runner, None, "Did Edith Carr cast the bell?", kind=kind, reader=Finding())
    assert {scored.yes_no for each in alone for scored in each.units} == {None}


def test_a_short_passage_is_read_as_one_excerpt_and_a_long_one_around_its_best_unit(runner: asyncio.Runner) -> None:
    short = "The bell is old. Edith Carr cast it. It hangs in the tower."
    sure = Sure("Edith Carr")
    verified(runner, sure, of=passages([short]))
    assert sure.requests == [(QUESTION, [short])]
    long = " ".join(f"Bell number {number} was cast by the smith of village {number}." for number in range(40))
    [whole] = passages([long])
    best = whole.units[20]
    units = tuple(replace(unit, cosine=0.9) if unit is best else unit for unit in whole.units)
    verified(runner, sure, of=[replace(whole, units=units)])
    first = sure.requests[1][1][0]
    assert "Bell number 20 " in first and "Bell number 19 " in first and "Bell number 21 " in first


def test_a_unit_is_read_under_the_heading_or_line_that_it_stands_under(runner: asyncio.Runner) -> None:
    heading, body = "Casting the bell", "Edith Carr lit the fire. The bronze was poured at night."
    [plain] = passages([f"{heading}\n\n{body}"])
    start = len(heading) + 2
    bounds = [(start + first, start + last) for first, last in sentences(body)]
    led = [
        ScoredUnit(
            unit=Unit(first, last, "paragraph", 0, len(heading), start, start + len(body)), coverage=0.4, cosine=0.4
        )
        for first, last in bounds
    ]
    sure = Sure("Edith Carr")
    [seen] = verified(runner, sure, of=[replace(plain, units=tuple(led))])
    assert sure.requests[-1][1] == [f"{heading}\n{body}"]
    assert [scored.verified for scored in seen.units] == [9.0, NOT_SAID]
    [seen] = verified(runner, Sure(heading), of=[replace(plain, units=tuple(led))])
    assert [scored.verified for scored in seen.units] == [NOT_SAID, NOT_SAID], "the heading is no unit"
    [within] = passages([body])
    in_section = replace(within, chunk=replace(within.chunk, section="The tower"))
    verified(runner, sure, of=[in_section])
    assert sure.requests[-1][1] == [f"The tower\n{body}"], "where the passage does not hold it"


def test_what_a_sentence_with_a_colon_says_is_found_in_what_follows_it(runner: asyncio.Runner) -> None:
    lead, body = "Edith Carr cast the bell in three steps:", "Bronze was melted. It was poured at night."
    [plain] = passages([f"{lead}\n\n{body}"])
    start = len(lead) + 2
    units = tuple(
        ScoredUnit(
            unit=Unit(start + first, start + last, "paragraph", 0, len(lead), start, start + len(body)),
            coverage=0.4,
            cosine=0.4,
        )
        for first, last in sentences(body)
    )
    sure = Sure("Edith Carr")
    [seen] = verified(runner, sure, of=[replace(plain, units=units)])
    assert sure.requests[-1][1] == [f"{lead}\n\n{body}"]
    assert [scored.verified for scored in seen.units] == [9.0, NOT_SAID], "the first stands right behind it"


def test_a_row_is_read_under_the_headings_of_its_columns(runner: asyncio.Runner) -> None:
    text = "Bell       Cast in   By\n---------  --------  -----------\nGreat Tom  1680      Edith Carr\nLittle Ann 1702      Jo"
    rows = [text.index("Great"), text.index("Little")]
    bounds = list(zip(rows, [rows[1] - 1, len(text)], strict=True))
    [plain] = passages([text])
    units = tuple(
        ScoredUnit(unit=Unit(first, last, "row", None, None, 0, len(text)), coverage=0.4, cosine=0.4)
        for first, last in bounds
    )
    sure = Sure("Edith Carr")
    [seen] = verified(runner, sure, of=[replace(plain, units=units)])
    assert sure.requests[-1][1] == [f"Bell\tCast in\tBy\n{text[rows[0] :]}"]
    assert [scored.verified for scored in seen.units] == [9.0, NOT_SAID]
    [within] = passages([text[rows[0] :]])
    later = tuple(replace(scored, unit=scored.unit.shifted(-rows[0])._replace(group_start=0)) for scored in units)
    chunk = replace(within.chunk, columns=text[: rows[0]])
    verified(runner, sure, of=[replace(within, chunk=chunk, units=later)])
    assert sure.requests[-1][1] == [f"Bell\tCast in\tBy\n{text[rows[0] :]}"], "those stored with the passage"


def test_it_reads_on_only_where_the_best_excerpts_do_not_answer(runner: asyncio.Runner) -> None:
    [short, *others] = passages(["Edith Carr cast the bell.", *(f"{WELL} {number}" for number in range(5))])
    fitting = replace(short, units=tuple(replace(unit, cosine=0.9) for unit in short.units))
    answered, open_ = Sure("Edith Carr"), Sure("nowhere")
    verified(runner, answered, of=[fitting, *others])
    assert [len(excerpts) for _, excerpts in answered.requests] == [FIRST]
    seen = verified(runner, open_, of=[fitting, *others])
    assert [len(excerpts) for _, excerpts in open_.requests] == [FIRST, MOST - FIRST]
    assert sum(scored.verified is not None for passage in seen for scored in passage.units) > FIRST


def test_on_a_slow_machine_it_reads_fewer(runner: asyncio.Runner) -> None:
    slow = Sure("Edith Carr")
    slow.excerpts = 2
    verified(runner, slow, of=passages([f"{WELL} {number}" for number in range(5)]))
    [(_, excerpts)] = slow.requests
    assert len(excerpts) == 2


def test_what_it_finds_makes_sure_and_what_it_does_not_find_makes_doubt(runner: asyncio.Runner) -> None:
    certain, doubtful = verified(runner, Sure("Edith Carr")), verified(runner, Sure("nowhere"))
    assert [certainty(seen, Part(QUESTION)) for seen in (certain, doubtful)] == ["sure", "unsure"]


def test_where_it_dies_is_loading_or_does_not_know_the_language_the_readers_opinion_counts(
    runner: asyncio.Runner,
) -> None:
    alone = verified(runner, None)
    assert scale_of(alone) is READ and verified(runner, Sure("", fails=True)) == alone
    loading, french = Sure("Edith Carr"), Sure("Edith Carr")
    loading.ready, french.languages = False, ("fr",)
    for verifier in (loading, french):
        assert verified(runner, verifier) == alone and not verifier.requests


def test_a_whole_text_as_a_question_is_not_verified(runner: asyncio.Runner) -> None:
    sure, question = Sure("Edith Carr"), "Who cast the bell? " * LONGEST_QUESTION
    assert verified(runner, sure, question) == verified(runner, None, question) and not sure.requests


@pytest.fixture(scope="module")
def verifier(runner: asyncio.Runner) -> Iterator[Verifier]:
    """The real encoder with the shipped part, loaded once for all tests."""
    assert SHIPPED and ENTRY
    verifier = Verifier(CATALOG.path(ENTRY), SHIPPED, MEASURED, MATRICES)
    yield verifier
    runner.run(verifier.close())


def best(readings: Sequence[Reading]) -> list[float]:
    return [max((span.score for span in reading.spans), default=NOT_SAID) for reading in readings]


@needs_model
@pytest.mark.parametrize(
    ("answered", "like_it", "text"),
    [
        ("Who repaired the pump of the northern well?", "Who repaired the pump of the southern well?", WELL),
        ("Who closed the southern well?", "Who dug the southern well?", WELL),
        ("Until when did the mill grind oats?", "Until when did the mill grind barley?", MILL),
        ("Who cast the bell?", "Who paid for the bell?", BELL),
    ],
)
def test_the_shipped_one_is_surer_of_a_question_that_the_text_answers_than_of_one_like_it(
    runner: asyncio.Runner, verifier: Verifier, answered: str, like_it: str, text: str
) -> None:
    async def both() -> list[float]:
        return [best(await verifier.readings(question, [text]))[0] for question in (answered, like_it)]

    sure, doubtful = runner.run(both())
    assert sure > doubtful + 0.5  # and that is more than rounding makes


@needs_model
def test_how_much_it_reads_is_what_it_reads_undisturbed(runner: asyncio.Runner, tmp_path: Path) -> None:
    """What else the machine does while it starts would otherwise decide what is answered until the next start."""
    assert SHIPPED and ENTRY
    file = tmp_path / "measured.json"
    key = circumstances(["verifier", str(CATALOG.path(ENTRY)), str(SHIPPED.path)], find_machine().cores)
    keep(file, key, kept(MEASURED, key) | {"seconds": 1.0})  # its precision need not be tried again

    async def excerpts() -> tuple[int, int]:
        verifier = Verifier(CATALOG.path(ENTRY), SHIPPED, file, MATRICES)
        await verifier.load()
        at_first = verifier.excerpts
        await verifier.readings("Who cast the bell?", [BELL])
        await verifier.close()
        return at_first, verifier.excerpts

    at_first, later = runner.run(excerpts())
    assert LEAST <= at_first <= later <= MOST, "it reads more where it was seen to be faster, and never less"
    keep(file, key, kept(file, key) | {"seconds": kept(file, key)["seconds"] / 100})
    assert runner.run(excerpts()) == (MOST, MOST), "an earlier start had the machine for itself"


@needs_model
@pytest.mark.parametrize(
    ("question", "text"),
    [("Who?", "?"), ("Who?", "word " * 2000), ("🎈" * LONGEST_QUESTION, WELL), ("Who\ud800?", "a\ud800b\0c")],
)
def test_odd_texts_are_read_too(runner: asyncio.Runner, verifier: Verifier, question: str, text: str) -> None:
    assert all(map(math.isfinite, best(runner.run(verifier.readings(question, [text, WELL])))))


@needs_model
def test_a_part_of_another_model_is_not_loaded(runner: asyncio.Runner, tmp_path: Path) -> None:
    assert ENTRY
    other = trained_part(ROOT / "models")
    assert other
    verifier = Verifier(CATALOG.path(ENTRY), other)
    with pytest.raises(Unavailable, match="belongs to another model"):
        runner.run(verifier.load())
    runner.run(verifier.close())


@needs_model
def test_a_later_start_takes_the_precision_that_was_measured_and_after_a_rest_it_reads_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert SHIPPED and ENTRY
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)  # which it sets, and this takes back
    folder, file, measured = str(CATALOG.path(ENTRY)), str(SHIPPED.path), tmp_path / "measured.json"
    key = circumstances(["verifier", folder, file], find_machine().cores)
    keep(measured, key, {"precision": "float32", "seconds": 1.0})
    judge = Judge(folder, file, str(measured))
    assert judge.precision == kept(measured, key)["precision"] == "float32"
    assert kept(measured, key)["seconds"] < 1.0, "it was seen to be faster"
    request = {"question": QUESTION, "excerpts": [WELL, BELL]}

    def readings() -> list[Reading]:
        [answer] = judge.handle(request, b"", threading.Event())
        assert answer
        return list(answer[0]["readings"])

    before = readings()
    judge.rest()
    assert readings() == before
