"""Questions as people type them, written without a look at the patterns: what is understood of each.

`miss` in a file says why a question is not understood; such a question fails the test once it is.
"""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from conftest import FILES
from docqa.questions.question import ChatOptions, Question
from docqa.questions.understand import understand


@dataclass(frozen=True)
class Document:
    language: str
    id: int = 1
    name: str = "file.pdf"
    pages: int = 30


def questions(name: str) -> list[Any]:
    rows = json.loads((FILES / "questions" / f"{name}.json").read_text("utf-8"))
    return [
        pytest.param(
            row,
            id=f"{row['language']}: {row['question']}",
            marks=[pytest.mark.xfail(reason=row["miss"], strict=True)] if "miss" in row else [],
        )
        for row in rows
    ]


def understood(row: dict[str, Any]) -> Question:
    messages = [{"sender": "user", "message": row["question"]}]
    return understand(messages, ChatOptions(), [Document(row["language"])])


@pytest.mark.parametrize("row", questions("scope"))
def test_the_scope(row: dict[str, Any]) -> None:
    scope = understood(row).scope
    places = [[place.kind, list(place.first), list(place.last)] for place in scope.places]
    assert (scope.wanted, places) == (row["wanted"], row["places"])


@pytest.mark.parametrize("row", questions("parts"))
def test_the_parts(row: dict[str, Any]) -> None:
    assert [part.text for part in understood(row).parts] == row["parts"]


@pytest.mark.parametrize("row", questions("kinds"))
def test_the_kind(row: dict[str, Any]) -> None:
    question = understood(row)
    assert (question.kind, question.expects) == (row["kind"], row["expects"])
