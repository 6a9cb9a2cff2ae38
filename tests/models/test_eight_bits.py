"""An encoder's matrices in eight bits are near to the exact ones, and made once."""

import os
from pathlib import Path
from typing import Any

import pytest

from encoder_samples import FAMILIES, batch, rows, saved, weights, write
from later import Later, needs

np = pytest.importorskip("numpy")
encoder, module = Later("docqa.models.encoder"), Later("docqa.models.eight_bits")
parts, tensors = Later("docqa.models.reader.weights"), Later("docqa.models.tensors")
NAME = "encoder.layer.0.output.dense.weight"


def matrix(rows: int, columns: int) -> Any:
    return np.random.default_rng(1).normal(0, 0.2, (rows, columns)).astype("<f4")


@pytest.mark.parametrize(("columns", "groups"), [(256, 2), (128, 1), (96, 1)])
def test_each_number_is_within_half_a_step_of_its_group(columns: int, groups: int) -> None:
    exact = matrix(5, columns)
    numbers, steps = module.rounded(exact)
    assert (numbers.dtype, numbers.shape, steps.shape) == ("int8", (5, groups, columns // groups), (5, groups, 1))
    assert (np.abs(numbers * steps - exact.reshape(numbers.shape)) <= steps / 2 + 1e-7).all()
    assert np.abs(numbers).max() == 127


def test_a_row_of_zeros_stays_one() -> None:
    numbers, steps = module.rounded(np.zeros((2, 128), "<f4"))
    assert not numbers.any() and np.isfinite(steps).all() and (steps > 0).all()


def test_levelled_the_product_of_what_is_rounded_is_nearer_to_the_exact_one() -> None:
    """Of a matrix of even columns and of states in which one number in twenty is far larger than the others."""
    rng, exact = np.random.default_rng(3), matrix(64, 256)
    spread = np.where(np.arange(256) % 20, 1.0, 30.0).astype("<f4")
    states = rng.normal(0, 1, (50, 256)).astype("<f4") * spread

    def off(level: Any) -> float:
        numbers, steps = module.rounded(exact / level)
        rounded, own_steps = module.rounded(states * level)
        product = (rounded * own_steps).reshape(50, 256) @ (numbers * steps).reshape(64, 256).T
        return float(np.square(product - states @ exact.T).mean())

    level = module.levels(exact, spread)
    assert np.allclose((states * level) @ (exact / level).T, states @ exact.T, rtol=1e-4, atol=1e-3)
    assert off(level) < off(np.ones(256, "<f4")) / 2


@pytest.mark.parametrize("zeros", [slice(0, 3), slice(None)], ids=["some", "all"])
def test_what_is_nowhere_seen_is_levelled_to_finite_numbers(zeros: slice) -> None:
    exact, spread = matrix(4, 128), np.ones(128, "<f4")
    exact[:, zeros] = spread[zeros] = 0
    level = module.levels(exact, spread)
    assert np.isfinite(level).all() and (level > 0).all() and np.isfinite(exact / level).all()


class Counted(dict[str, Any]):
    """Matrices of which it is counted how often one is looked up."""

    looked_up = 0

    def __getitem__(self, name: str) -> Any:
        self.looked_up += 1
        return super().__getitem__(name)


def spreads() -> dict[str, Any]:
    """How large each number is of the states that are multiplied."""
    return {NAME: np.geomspace(0.3, 30, 128).astype("<f4")}


def made(folder: Path, of: Counted, part: Any = None, kept_in: Path | None = None) -> Any:
    source, matrices = folder / "model.safetensors", ((name, of[name]) for name in of)
    return module.eight_bits("model", source, part or parts.Part(), matrices, spreads, kept_in)


def expected(exact: Any) -> dict[str, Any]:
    """What is made of a matrix."""
    level = module.levels(exact, spreads()[NAME])
    numbers, steps = module.rounded(exact / level)
    return {NAME: numbers, f"{NAME}.step": steps, f"{NAME}.level": level}


def test_they_are_made_once_and_again_only_of_other_files(tmp_path: Path) -> None:
    kept_in, source = tmp_path / "eight-bits", tmp_path / "model.safetensors"
    source.write_bytes(b"first")
    of = Counted({NAME: matrix(4, 128)})
    first = made(tmp_path, of, kept_in=kept_in)
    for name, numbers in expected(of[NAME]).items():
        assert np.array_equal(first[name], numbers)
    of.looked_up = 0
    again = made(tmp_path, of, kept_in=kept_in)
    assert not of.looked_up and np.array_equal(again[NAME], first[NAME])
    source.write_bytes(b"another one")
    made(tmp_path, of, kept_in=kept_in)
    assert of.looked_up
    of.looked_up = 0
    write(tmp_path / "reader.safetensors", {"head.bias": ("F32", np.zeros(2, "<f4"))})
    made(tmp_path, of, parts.Part(tmp_path / "reader.safetensors"), kept_in)
    assert of.looked_up, "with a trained part they are others"
    assert [path.name for path in kept_in.iterdir()] == ["model.safetensors"]


def test_what_an_earlier_version_kept_without_levels_is_made_anew(tmp_path: Path) -> None:
    kept_in, source = tmp_path / "eight-bits", tmp_path / "model.safetensors"
    source.touch()
    of = Counted({NAME: matrix(4, 128)})
    made(tmp_path, of, kept_in=kept_in)
    numbers, steps = module.rounded(of[NAME])
    about = tensors.Tensors(kept_in / "model.safetensors").about["of"].removeprefix("levelled ")
    tensors.write(kept_in / "model.safetensors", {NAME: numbers, f"{NAME}.step": steps}, {"of": about})
    again = made(tmp_path, of, kept_in=kept_in)
    assert all(np.array_equal(again[name], numbers) for name, numbers in expected(of[NAME]).items())


def test_where_they_cannot_be_kept_they_are_made_each_time_and_that_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "model.safetensors").touch()
    (tmp_path / "file").touch()
    of = Counted({NAME: matrix(4, 128)})
    for kept_in in (None, tmp_path / "file", tmp_path / "no folder" / "eight-bits"):
        assert np.array_equal(made(tmp_path, of, kept_in=kept_in)[NAME], expected(of[NAME])[NAME])
    assert caplog.text.count("cannot be written") == 2


def test_what_was_kept_and_is_damaged_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").touch()
    of, kept_in = Counted({NAME: matrix(4, 128)}), tmp_path / "eight-bits"
    first = np.array(made(tmp_path, of, kept_in=kept_in)[NAME])
    whole = (kept_in / "model.safetensors").read_bytes()
    for content in (b"", whole[:100], whole[:-8], b"<!doctype html>" * 20):
        (kept_in / "damaged").write_bytes(content)
        (kept_in / "damaged").replace(kept_in / "model.safetensors")
        assert np.array_equal(made(tmp_path, of, kept_in=kept_in)[NAME], first)
    assert (kept_in / "model.safetensors").read_bytes() == whole


def test_what_could_not_be_written_to_its_end_is_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, *_: object) -> None:
        path.write_bytes(b"half of it")
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("docqa.models.eight_bits.write", full)
    (tmp_path / "model.safetensors").touch()
    made(tmp_path, Counted({NAME: matrix(4, 128)}), kept_in=tmp_path / "eight-bits")
    assert not list((tmp_path / "eight-bits").iterdir())


@needs("openvino", "tokenizers")
@pytest.mark.parametrize("family", FAMILIES)
def test_the_states_are_near_to_the_exact_ones(tmp_path: Path, family: str) -> None:
    if "int8" not in encoder.precisions():
        pytest.skip("this processor does not multiply in eight bits")
    folder, tokens = saved(tmp_path / "model", family), batch(family)
    exact, packed = (
        np.concatenate(list(rows(encoder.Encoder(folder, precision, kept_in=tmp_path / "kept")(tokens), tokens)))
        for precision in ("float32", "int8")
    )
    lengths = np.linalg.norm(exact, axis=1) * np.linalg.norm(packed, axis=1)
    assert ((exact * packed).sum(1) / lengths).min() >= 0.99
    assert not np.allclose(exact, packed, atol=1e-4), "it is rounded"
    again = encoder.Encoder(folder, "int8", kept_in=tmp_path / "kept")(tokens)
    assert np.array_equal(np.concatenate(list(rows(again, tokens))), packed), "by what was kept"


@needs("openvino", "tokenizers")
def test_what_training_added_is_in_them(tmp_path: Path) -> None:
    if "int8" not in encoder.precisions():
        pytest.skip("this processor does not multiply in eight bits")
    rng = np.random.default_rng(2)
    added = {f"encoder.{NAME}": ("F32", rng.normal(0, 0.2, weights("bert")[NAME].shape).astype("<f4"))}
    low = NAME.replace("output.dense", "intermediate.dense")
    wide, width = weights("bert")[low].shape
    factors = {"up": (wide, 4), "down": (4, width)}
    added |= {
        f"encoder.{low}.{name}": ("F32", rng.normal(0, 0.3, shape).astype("<f4")) for name, shape in factors.items()
    }
    write(tmp_path / "part.safetensors", added)
    part, folder, tokens = parts.Part(tmp_path / "part.safetensors"), saved(tmp_path / "model", "bert"), batch("bert")
    exact, packed, without = (
        np.concatenate(list(rows(model(tokens), tokens)))
        for model in (
            encoder.Encoder(folder, "float32", part=part),
            encoder.Encoder(folder, "int8", part=part, kept_in=tmp_path / "kept"),
            encoder.Encoder(folder, "int8", kept_in=tmp_path / "kept"),
        )
    )
    assert np.abs(packed - exact).mean() < np.abs(without - exact).mean() / 5
