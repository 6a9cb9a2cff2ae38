"""An evaluation from the files to the results, and the command that runs it."""

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from docqa import evaluation
from docqa.answering.extractive import Extractive
from docqa.cli.main import main
from docqa.errors import NotFound, Unavailable, Unreadable
from docqa.evaluation import evaluate
from docqa.languages import phrase
from docqa.search.passages import Passage
from docqa.search.search import search
from docqa.settings import Settings
from eval_samples import ORCHARD, QUAY


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    quay, orchard = tmp_path / "quay.txt", tmp_path / "orchard.txt"
    quay.write_text(QUAY)
    orchard.write_text(ORCHARD)
    return [quay, orchard]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which temporary folders are created."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.anyio
async def test_questions_are_retrieved_answered_and_quoted_and_nothing_is_left_behind(
    settings: Settings, files: list[Path], temporary: Path
) -> None:
    lines: list[str] = []
    results = await evaluate(settings, files, "GPT5_2", 12, lines.append)
    again = await evaluate(settings, files, "GPT5_2", 12, lines.append)
    assert [result.question for result in results] == [result.question for result in again]
    answerable = [result for result in results if not result.question.is_control]
    controls = [result for result in results if result.question.is_control]
    assert {result.file for result in answerable} == {"quay.txt", "orchard.txt"}
    assert len({result.question.text for result in answerable}) == len(answerable) >= 6
    assert len(controls) == 3
    for result in answerable:
        assert result.rank == 1 and result.right and not result.refused, result
        assert result.quoted == result.sources > 0, result
    for result in controls:
        assert result.rank == 0 and result.refused == (phrase("phrases.not_found", "en") in result.answer), result
    assert any(result.refused for result in controls)
    assert list(temporary.iterdir()) == []
    assert not settings.data.exists()
    assert "model GPT5_2 (quotes from your documents (no language model)); embedding model none; models" in " ".join(
        lines
    ), "settings that are not at their defaults are reported"


@pytest.mark.anyio
async def test_a_search_that_retrieves_the_wrong_passages_is_a_miss(
    settings: Settings, tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def worst_first(*arguments: object) -> list[Passage]:
        return (await search(*arguments))[::-1]  # type: ignore[arg-type]

    file = tmp_path / "pages.txt"
    others = (f"The quay has a length of its own. Page {n} says no more of it." for n in range(5))
    file.write_text("\f".join([QUAY, *others]))
    before = await evaluate(settings, [file], "GPT5_2", 3, lambda _: None)
    monkeypatch.setattr(evaluation, "search", worst_first)
    after = await evaluate(settings, [file], "GPT5_2", 3, lambda _: None)
    ranks = [
        (right.rank, wrong.rank) for right, wrong in zip(before, after, strict=True) if "length" in right.question.text
    ]
    assert ranks and all(right == 1 < wrong or wrong == 0 for right, wrong in ranks)


@pytest.mark.anyio
async def test_a_question_that_fails_is_neither_right_nor_refused(
    settings: Settings, files: list[Path], temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(Extractive):
        async def answer(self, question, evidence):  # type: ignore[no-untyped-def]
            raise Unavailable("The model sleeps.")
            yield

    monkeypatch.setattr("docqa.answering.answer.Extractive", Failing)
    results = await evaluate(settings, files, "GPT5_2", 4, lambda _: None)
    failed = [result for result in results if not result.question.is_control]
    assert failed
    assert all(result.error == "The model sleeps." and not result.right and not result.refused for result in failed)


@pytest.mark.anyio
async def test_a_source_that_is_not_on_its_page_is_not_quoted(
    settings: Settings, files: list[Path], temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def another_page(*_: object) -> str:
        return "Nothing of the kind."

    monkeypatch.setattr("docqa.store.documents.page_text", another_page)
    results = await evaluate(settings, files, "GPT5_2", 4, lambda _: None)
    assert sum(result.sources for result in results) > 0 == sum(result.quoted for result in results)


@pytest.mark.anyio
async def test_a_file_that_cannot_be_read_is_reported_and_left_out(
    settings: Settings, files: list[Path], tmp_path: Path, temporary: Path
) -> None:
    missing, empty, large = tmp_path / "missing.pdf", tmp_path / "empty.txt", tmp_path / "large.txt"
    empty.touch()
    large.write_bytes(b"x" * (1 << 20 | 1))
    lines: list[str] = []
    small = replace(settings, upload_mb=1)
    results = await evaluate(small, [missing, empty, large, *files], "GPT5_2", 4, lines.append)
    assert len(results) == 4
    left_out = [line for line in lines if "is left out" in line]
    assert [Path(line.split(" is left out: ")[0]) for line in left_out] == [missing, empty, large]
    assert left_out[0].endswith("No such file or directory")
    assert left_out[2].endswith("larger than 1 MB (DOCQA_UPLOAD_MB).")
    with pytest.raises(Unreadable, match="None of the files"):
        await evaluate(settings, [empty], "GPT5_2", 4, lines.append)


@pytest.mark.anyio
async def test_an_unknown_model_is_rejected_with_the_names_there_are(
    settings: Settings, files: list[Path], temporary: Path
) -> None:
    with pytest.raises(NotFound, match="There is no model GPT99; there are QUOTES, GPT5_2, "):
        await evaluate(settings, files, "GPT99", 4, lambda _: None)
    assert list(temporary.iterdir()) == []


def test_the_command_prints_a_table_and_writes_every_result(
    files: list[Path],
    tmp_path: Path,
    temporary: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in {"EMBEDDER": "none", "MODELS": tmp_path / "no-models", "DATA": tmp_path / "data"}.items():
        monkeypatch.setenv(f"DOCQA_{name}", str(value))
    out = tmp_path / "out.jsonl"
    assert main(["eval", *map(str, files), "--questions", "8", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(records) == 8 and {"kind", "text", "value", "file", "answer", "rank", "right"} <= set(records[0])
    assert [line.split()[0] for line in printed.splitlines() if ".txt" in line] == ["quay.txt", "orchard.txt"]
    assert not (tmp_path / "data").exists()


def test_the_command_fails_before_the_work_if_it_cannot_write(
    files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", str(files[0]), "--out", str(tmp_path / "no" / "out.jsonl")]) == 1
    assert "out.jsonl cannot be written: No such file or directory" in capsys.readouterr().err
