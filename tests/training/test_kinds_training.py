"""The questions that kinds are learnt from, and what is learnt from a few vectors."""

from collections import Counter

import pytest

from docqa.models.kinds import KINDS
from docqa.training.kinds.train import _fit, _opinions, examples, languages_known


@pytest.mark.parametrize("language", languages_known())
def test_every_kind_has_enough_questions_and_none_comes_twice(language: str) -> None:
    given = examples([language])
    counts = Counter(example.kind for example in given)
    assert set(counts) == set(KINDS)
    assert min(counts.values()) >= 20
    texts = Counter((example.kind, example.text) for example in given)
    assert [text for text, count in texts.items() if count > 1] == []


def test_what_lies_apart_is_told_apart() -> None:
    import numpy as np

    fact, task = KINDS.index("fact"), KINDS.index("task")
    vectors = np.array([[1, 0], [0.9, 0.1], [0, 1], [0.1, 0.9]], np.float32)
    weights, biases = _fit(vectors, np.array([fact, fact, task, task]))
    opinions = _opinions(vectors @ weights.T + biases)
    assert [opinion.kind for opinion in opinions] == ["fact", "fact", "task", "task"]
    assert all(opinion.probability > 0.8 for opinion in opinions)
