"""The questions that kinds are learnt from, and what is learnt from a few vectors."""

from collections import Counter

from docqa.models.kinds import KINDS
from docqa.training.kinds.train import _fit, _opinions, examples


def test_every_kind_has_enough_questions_and_none_comes_twice() -> None:
    counts = Counter(example.kind for example in examples())
    assert set(counts) == set(KINDS)
    assert min(counts.values()) >= 25
    texts = Counter((example.kind, example.text) for example in examples())
    assert [text for text, count in texts.items() if count > 1] == []


def test_what_lies_apart_is_told_apart() -> None:
    import numpy as np

    fact, task = KINDS.index("fact"), KINDS.index("task")
    vectors = np.array([[1, 0], [0.9, 0.1], [0, 1], [0.1, 0.9]], np.float32)
    opinions = _opinions(vectors, *_fit(vectors, np.array([fact, fact, task, task])))
    assert [opinion.kind for opinion in opinions] == ["fact", "fact", "task", "task"]
    assert all(opinion.probability > 0.8 for opinion in opinions)
