"""Batches of tensors that training learns from: the same wherever they are made, and from any place on."""

from itertools import islice

import pytest
from training_samples import CATALOG, ENTRY, QUESTIONS, labelled, needs_encoder

from docqa.training.question_sets import Articles
from docqa.training.reader.sources import Source
from passages import MILL, WELL

PUMPS = tuple(
    labelled(question.question, *question.answers, passage=question.passage, article=f"{question.article} {number}")
    for number in range(60)
    for question in QUESTIONS
)


@needs_encoder
def test_batches_made_ahead_by_other_processes_are_the_same_and_go_on_where_they_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import torch

    from docqa.models.tokens import Tokens
    from docqa.training.reader import prepared
    from docqa.training.reader.mixture import Making, Mixture, Position

    monkeypatch.setattr(prepared, "LEFT_OVER", 0)
    monkeypatch.setattr("docqa.training.reader.mixture.BLOCK", 60)
    mixture = Mixture([Source("wells", PUMPS, (), (), Articles(PUMPS), negatives=False)], Making(), 1)
    tokens = Tokens(CATALOG.path(ENTRY), 384, multiple=32)

    def same(first: prepared.Prepared, other: prepared.Prepared) -> bool:
        return all(map(torch.equal, vars(first).values(), vars(other).values()))

    here = list(islice(prepared.batches(mixture, tokens, 8, Position()), 40))
    assert here[-1][1].block >= 2, "several blocks"
    ahead = prepared.batches_ahead(mixture, tokens, 8, Position())
    for (made, place), (elsewhere, other) in zip(here, ahead, strict=False):
        assert place == other and same(made, elsewhere)
    ahead.close()
    [(following, place)] = islice(prepared.batches(mixture, tokens, 8, here[20][1]), 1)
    assert place == here[21][1] and same(following, here[21][0])


@needs_encoder
def test_a_batch_says_what_is_right_of_each_example_and_is_cut_to_what_its_rows_need() -> None:
    from docqa.models.reader.network import NO, YES
    from docqa.models.tokens import Tokens
    from docqa.training.reader.mixture import Weighted
    from docqa.training.reader.prepared import prepare

    tokens = Tokens(CATALOG.path(ENTRY), 128, multiple=8)
    start = MILL.index("Edith Carr")
    examples = [
        Weighted("Who sold the stones?", MILL, ((start, start + 10), (0, 8)), 0.3),
        Weighted("Who built the mill?", MILL * 9, ()),
        Weighted("Is it open?", WELL, ((0, 3),), classes=(YES, NO)),
        Weighted("Who sold the bell?", MILL, (), imitated=True),
        Weighted("Where does it end?", MILL * 9, ((len(MILL) * 9 - 4, len(MILL) * 9),)),
    ]
    batch = prepare(tokens, examples)
    encoded = tokens.of_pairs([(each.question, each.passage) for each in examples])
    [begin, other] = batch.begins[0].tolist()
    assert encoded.offsets[0][begin] == (start, start + 5) and encoded.offsets[0][other] == (0, 3)
    assert batch.begins[1].tolist() == [0, -1], "no answer"
    assert batch.begins[3].tolist() == batch.begins[4].tolist() == [-1, -1], "imitated; beyond what is read"
    assert batch.classes.tolist() == [[False] * 3, [False] * 3, [False, True, True], [False] * 3, [False] * 3]
    assert batch.weights.tolist() == pytest.approx([0.3, 1, 1, 1, 1]) and batch.imitated.tolist()[3]
    few = batch.rows(slice(2, 3))
    assert len(few) == 1 and few.input_ids.shape[1] < batch.input_ids.shape[1]
    assert few.input_ids.shape == few.of_second.shape and int(few.attention_mask.sum()) == int(
        batch.attention_mask[2].sum()
    )


@needs_encoder
def test_the_loss_is_of_any_right_span_and_class_and_of_nothing_where_nothing_is_right() -> None:
    import torch

    from docqa.models.reader.network import NO, YES
    from docqa.models.tokens import Tokens
    from docqa.training.reader.mixture import Weighted
    from docqa.training.reader.network import Outputs
    from docqa.training.reader.prepared import prepare
    from docqa.training.reader.run import losses

    tokens = Tokens(CATALOG.path(ENTRY), 128, multiple=8)
    start = MILL.index("Edith Carr")
    batch = prepare(
        tokens,
        [
            Weighted("Who sold the stones?", MILL, ((start, start + 10), (0, 8)), 0.3),
            Weighted("Is it open?", MILL, (), classes=(YES, NO)),
            Weighted("Who sold the bell?", MILL, (), imitated=True),
        ],
    )
    torch.manual_seed(0)
    scores = torch.randn(2, *batch.input_ids.shape, requires_grad=True)
    says = torch.randn(3, 3, requires_grad=True)
    span, yes_no = losses(batch, Outputs(scores[0], scores[1], says))
    likely = scores.softmax(-1)
    first = sum(likely[0, 0, b] * likely[1, 0, e] for b, e in zip(batch.begins[0], batch.ends[0], strict=True))
    expected = -0.3 * torch.log(torch.as_tensor(first)) - torch.log(likely[0, 1, 0] * likely[1, 1, 0])
    assert torch.isclose(span, expected)
    assert torch.isclose(yes_no, -torch.log(1 - says.softmax(-1)[1, 0]))
    (span + yes_no).backward()
    assert scores.grad is not None and says.grad is not None
    assert (
        bool(torch.isfinite(scores.grad).all()) and not bool(scores.grad[:, 2].any()) and not bool(says.grad[2].any())
    )
