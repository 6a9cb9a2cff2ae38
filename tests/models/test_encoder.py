"""Encoders in OpenVINO compute what transformers computes, whoever else asks them, and what training added to them."""

import os
from pathlib import Path
from typing import Any

import pytest

from encoder_samples import FAMILIES, SHAPE, batch, rows, saved, weights, write, write_encoder
from later import Later, needs

np = pytest.importorskip("numpy")
encoder, parts = Later("docqa.models.encoder"), Later("docqa.models.reader.weights")
pytestmark = needs("openvino", "tokenizers")

PREFIXES = {"bert": "bert.", "mpnet": "mpnet.", "roberta": "roberta.", "xlm-roberta": "roberta."}
MIDDLE = "encoder.layer.1.intermediate.dense.weight"


def same(first: Any, second: Any, of: Any) -> bool:
    """Whether the states of tokens are the same, whatever those of padding are."""
    return all(np.allclose(own, other, atol=1e-4) for own, other in zip(rows(first, of), rows(second, of), strict=True))


def by_transformers(folder: Path, of: Any) -> Any:
    """The states that transformers computes."""
    import torch
    from transformers import AutoModel

    model = AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
    kinds = {"token_type_ids": of.token_type_ids} if hasattr(model.config, "type_vocab_size") else {}
    given = {"input_ids": of.input_ids, "attention_mask": of.attention_mask, **kinds}
    with torch.inference_mode():
        states = model(**{name: torch.from_numpy(numbers) for name, numbers in given.items()}).last_hidden_state
    return states.numpy()


@needs("torch", "transformers")
@pytest.mark.parametrize("lengths", [(260, 40, 7), (33, 33), (1,)], ids=["padded", "all attended to", "a token"])
@pytest.mark.parametrize("kind", ["F32", "F16", "BF16"])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_states_are_those_of_transformers(tmp_path: Path, family: str, kind: str, lengths: tuple[int, ...]) -> None:
    folder, tokens = saved(tmp_path, family, kind), batch(family, lengths)
    states = encoder.Encoder(folder)(tokens)
    assert states.shape == (len(lengths), max(lengths), SHAPE["hidden_size"])
    assert same(states, by_transformers(folder, tokens), tokens)


@needs("torch", "transformers")
@pytest.mark.parametrize("family", FAMILIES)
def test_a_file_with_a_head_before_the_names_of_its_weights_is_read(tmp_path: Path, family: str) -> None:
    named = {PREFIXES[family] + name: numbers for name, numbers in weights(family).items()}
    head = {"lm_head.bias": np.zeros(SHAPE["vocab_size"], "<f4")}
    folder, tokens = write_encoder(tmp_path, family, head | named), batch(family)
    assert same(encoder.Encoder(folder)(tokens), by_transformers(folder, tokens), tokens)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_texts_states_do_not_depend_on_what_is_in_its_batch(tmp_path: Path, family: str) -> None:
    model, tokens = encoder.Encoder(saved(tmp_path, family)), batch(family)
    for number, together in enumerate(rows(model(tokens), tokens)):
        cut = slice(number, number + 1), slice(len(together))
        alone = type(tokens)(tokens.input_ids[cut], tokens.attention_mask[cut], tokens.token_type_ids[cut], [])
        assert np.allclose(model(alone)[0], together, atol=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
def test_in_bfloat16_the_states_are_nearly_the_same(tmp_path: Path, family: str) -> None:
    if "bfloat16" not in encoder.precisions():
        pytest.skip("this processor does not reckon in bfloat16")
    folder, tokens = saved(tmp_path, family), batch(family)
    exact, rounded = (encoder.Encoder(folder, precision) for precision in ("float32", "bfloat16"))
    assert (exact.precision, rounded.precision) == ("float32", "bfloat16")
    first, other = (np.concatenate(list(rows(model(tokens), tokens))) for model in (exact, rounded))
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(other, axis=1)
    assert ((first * other).sum(1) / lengths).min() >= 0.999
    assert not np.allclose(first, other, atol=1e-4), "it is rounded"


def test_the_first_precision_is_the_exact_one() -> None:
    assert encoder.precisions()[0] == "float32"


@pytest.mark.parametrize("family", FAMILIES)
def test_padding_may_reach_behind_the_last_place_that_a_model_has(tmp_path: Path, family: str) -> None:
    """Texts are padded to a multiple of some tokens, and the last text may fill all places."""
    model = encoder.Encoder(saved(tmp_path, family))
    most = SHAPE["max_position_embeddings"] - model.config.first_position
    exact = batch(family, (most, 7))
    numbers = np.stack([exact.input_ids, exact.attention_mask, exact.token_type_ids])
    wider = type(exact)(*np.pad(numbers, ((0, 0), (0, 0), (0, 8))), [])
    for own, other in zip(rows(model(wider), wider), rows(model(exact), exact), strict=True):
        assert np.allclose(own, other, atol=1e-4)


def test_a_model_of_few_places_is_loaded(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path, "bert", weights("bert", max_position_embeddings=40))
    assert encoder.Encoder(folder)(batch("bert", (40,))).shape == (1, 40, SHAPE["hidden_size"])


def test_a_file_in_which_a_weight_is_missing_is_refused_with_its_name(tmp_path: Path) -> None:
    named = weights("bert")
    del named[MIDDLE]
    with pytest.raises(KeyError, match=MIDDLE):
        encoder.Encoder(write_encoder(tmp_path, "bert", named))


# What training added


def stored_part(path: Path, tensors: dict[str, tuple[str, Any]]) -> Any:
    """The file of a trained part of these tensors, opened."""
    write(path, {f"encoder.{name}": numbers for name, numbers in tensors.items()})
    return parts.Part(path)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_training_added_to_weights_is_added(tmp_path: Path, family: str) -> None:
    """Matrices in whole steps of their rows, all else as it is; those of the published file may have a prefix."""
    named, rng = weights(family), np.random.default_rng(2)
    added: dict[str, tuple[str, Any]] = {}
    for name, numbers in named.items():
        if name.endswith("_embeddings.weight"):
            continue
        if numbers.ndim == 2:
            steps = rng.uniform(0.001, 0.003, (len(numbers), 1)).astype("<f4")
            whole = rng.integers(-127, 128, numbers.shape)
            added |= {name: ("I8", whole), f"{name}.step": ("F32", steps)}
            named[name] = numbers + whole.astype("<f4") * steps
        else:
            difference = rng.normal(0, 0.2, numbers.shape).astype("<f4")
            added[name] = ("F32", difference)
            named[name] = numbers + difference
    part, tokens = stored_part(tmp_path / "part", added), batch(family)
    summed = encoder.Encoder(write_encoder(tmp_path / "summed", family, named))(tokens)
    for prefix in ("", PREFIXES[family]):
        folder = saved(tmp_path / "model", family, prefix=prefix)
        assert same(encoder.Encoder(folder, part=part)(tokens), summed, tokens)
    assert not same(encoder.Encoder(folder)(tokens), summed, tokens)


@pytest.mark.parametrize("family", ["bert", "mpnet"])
def test_a_difference_of_low_rank_is_the_product_of_its_factors(tmp_path: Path, family: str) -> None:
    named, rng = weights(family), np.random.default_rng(2)
    added: dict[str, tuple[str, Any]] = {}
    for name, numbers in named.items():
        if numbers.ndim == 2 and name.startswith("encoder.layer."):
            up, down = (
                (rng.integers(-127, 128, shape), rng.uniform(0.001, 0.003, (shape[0], 1)).astype("<f4"))
                for shape in ((len(numbers), 4), (4, numbers.shape[1]))
            )
            for suffix, (whole, steps) in (("up", up), ("down", down)):
                added |= {f"{name}.{suffix}": ("I8", whole), f"{name}.{suffix}.step": ("F32", steps)}
            named[name] = numbers + ((up[0] * up[1]) @ (down[0] * down[1])).astype("<f4")
    part, tokens = stored_part(tmp_path / "part", added), batch(family)
    summed = encoder.Encoder(write_encoder(tmp_path / "summed", family, named))(tokens)
    folder = saved(tmp_path / "model", family)
    assert same(encoder.Encoder(folder, part=part)(tokens), summed, tokens)
    assert not same(encoder.Encoder(folder)(tokens), summed, tokens)


def test_a_trained_part_of_another_model_is_refused(tmp_path: Path) -> None:
    deeper = "encoder.layer.11.output.dense.bias"
    part = stored_part(tmp_path / "part", {deeper: ("F32", np.zeros(32, "<f4"))})
    with pytest.raises(KeyError, match=f"belongs to another model: {deeper}"):
        encoder.Encoder(saved(tmp_path / "model", "bert"), part=part)


# Who calls, and what is held


def test_the_states_stay_what_they_are_whatever_is_asked_next(tmp_path: Path) -> None:
    model, tokens = encoder.Encoder(saved(tmp_path, "bert")), batch("bert")
    states = model(tokens)
    before = states.copy()
    model(batch("bert", (260, 250, 240)))
    model.rest()
    assert np.array_equal(states, before)


def test_batches_come_in_their_order_each_with_its_own_states(tmp_path: Path) -> None:
    model = encoder.Encoder(saved(tmp_path, "bert"))
    batches = [batch("bert", lengths) for lengths in ((30, 4), (7,), (30, 4), (61, 60, 59))]
    expected = [model(each) for each in batches]
    read = list(filter(None, model.each(iter(batches))))
    assert [id(each) for each, _ in read] == [id(each) for each in batches]
    for (each, states), own in zip(read, expected, strict=True):
        assert same(states, own, each)


def test_of_no_batch_there_are_no_states(tmp_path: Path) -> None:
    assert list(encoder.Encoder(saved(tmp_path, "bert")).each([])) == []


def test_while_a_caller_has_states_the_next_batch_is_in_work_and_changes_nothing_of_them(tmp_path: Path) -> None:
    model, tokens = encoder.Encoder(saved(tmp_path, "bert")), batch("bert")
    reading = model.each([tokens, batch("bert", (9, 9))])
    _, states = next(filter(None, reading))
    before = states.copy()
    list(reading)
    assert np.array_equal(states, before)


def test_who_wants_no_more_or_fails_half_way_leaves_it_to_others(tmp_path: Path) -> None:
    model, tokens = encoder.Encoder(saved(tmp_path, "bert")), batch("bert")
    expected = model(tokens)

    def failing() -> Any:
        yield tokens
        yield batch("bert", (50,))
        raise ValueError("no third batch")

    reading = model.each([tokens, batch("bert", (9, 9)), batch("bert", (5,))])
    next(reading)
    reading.close()
    assert same(model(tokens), expected, tokens)
    with pytest.raises(ValueError, match="no third batch"):
        list(model.each(failing()))
    assert same(model(tokens), expected, tokens)


def test_between_two_batches_others_may_be_served_and_each_gets_its_own_states(tmp_path: Path) -> None:
    model = encoder.Encoder(saved(tmp_path, "bert"))
    batches = [batch("bert", (30, 4)), batch("bert", (9,)), batch("bert", (61, 60, 59))]
    other = batch("bert", (45,))
    *expected, of_other = map(model, [*batches, other])
    read: list[Any] = []
    for each in model.each(batches):
        if each:
            read.append(each)
        else:
            assert same(model(other), of_other, other)
    assert len(read) == len(expected)
    assert all(same(states, own, each) for (each, states), own in zip(read, expected, strict=True))


def test_after_a_rest_it_computes_as_before(tmp_path: Path) -> None:
    model, tokens = encoder.Encoder(saved(tmp_path, "bert")), batch("bert")
    model.rest()
    states = model(tokens)
    for _ in range(2):
        model.rest()
        assert np.array_equal(model(tokens), states)


@pytest.mark.parametrize("kind", ["F32", "F16"])
def test_the_file_of_a_model_is_not_changed_by_its_use(tmp_path: Path, kind: str) -> None:
    path = saved(tmp_path, "bert", kind) / "model.safetensors"
    before = path.read_bytes()
    model = encoder.Encoder(tmp_path)
    model(batch("bert"))
    model.rest()
    assert path.read_bytes() == before


@pytest.mark.skipif(os.name == "nt", reason="there an open file cannot be replaced")
def test_a_model_whose_file_is_got_again_computes_on_with_the_one_it_has(tmp_path: Path) -> None:
    path = saved(tmp_path, "bert") / "model.safetensors"
    model, tokens = encoder.Encoder(tmp_path), batch("bert")
    before = model(tokens)
    other = {name: ("F32", 2 * numbers) for name, numbers in weights("bert").items()}
    write(tmp_path / "got", other)
    (tmp_path / "got").replace(path)
    model.rest()
    assert np.array_equal(model(tokens), before)
    assert not same(encoder.Encoder(tmp_path)(tokens), before, tokens)
