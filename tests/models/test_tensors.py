"""The numbers in a safetensors file, mapped: all types that models have, and that nothing is written to the file."""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from encoder_samples import write
from later import Later

np = pytest.importorskip("numpy")
tensors = Later("docqa.models.tensors")

NUMBERS = np.array([[-2.5, 0.0, 1.0], [3.140625, 1024.0, -0.0078125]], "<f4")  # exact in each of the types
WHOLE = np.array([[-127, 0, 127]])


def test_numbers_of_each_type_are_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    written = {kind: (kind, NUMBERS) for kind in ("F32", "F16", "BF16")} | {
        kind: (kind, WHOLE) for kind in ("I8", "I64")
    }
    write(path, written)
    stored = tensors.Tensors(path)
    assert {name: stored[name].dtype.str for name in stored} == {
        "F32": "<f4",
        "F16": "<f2",
        "BF16": "<f4",
        "I8": "|i1",
        "I64": "<i8",
    }
    for name, (_, numbers) in written.items():
        assert np.array_equal(stored[name], numbers), name


def test_what_the_library_safetensors_writes_is_read(tmp_path: Path) -> None:
    torch, library = pytest.importorskip("torch"), pytest.importorskip("safetensors.torch")
    path = tmp_path / "model.safetensors"
    kinds = torch.float32, torch.float16, torch.bfloat16, torch.int8
    library.save_file(
        {str(kind): torch.tensor([[1.5, -2.0], [3.0, 0.25]]).to(kind) for kind in kinds}, path, {"base": "ab"}
    )
    stored = tensors.Tensors(path)
    assert stored.about == {"base": "ab"}
    for kind in kinds:
        expected = [[1, -2], [3, 0]] if kind is torch.int8 else [[1.5, -2.0], [3.0, 0.25]]
        assert stored[str(kind)].tolist() == expected, kind


def test_a_file_tells_its_names_and_what_it_says_of_itself(tmp_path: Path) -> None:
    path = tmp_path / "part.safetensors"
    write(path, {"head.weight": ("F32", NUMBERS), "head.bias": ("F32", NUMBERS[0])}, {"margin": "1.5"})
    stored = tensors.Tensors(path)
    assert stored.about["margin"] == "1.5"
    assert (list(stored), len(stored)) == (["head.weight", "head.bias"], 2)
    assert "head.bias" in stored and "__metadata__" not in stored
    with pytest.raises(KeyError, match=r"tail\.bias"):
        stored["tail.bias"]


def test_what_was_put_away_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    write(path, {"weight": ("F32", NUMBERS)})
    stored = tensors.Tensors(path)
    before = stored["weight"]
    stored.put_away()
    assert np.array_equal(before, NUMBERS) and np.array_equal(stored["weight"], NUMBERS)


def test_what_is_written_to_an_array_does_not_reach_the_file(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    write(path, {"weight": ("F32", NUMBERS)})
    before = path.read_bytes()
    stored = tensors.Tensors(path)
    stored["weight"][:] = 7.0
    stored.put_away()
    assert path.read_bytes() == before


def written(content: bytes) -> tuple[dict[str, Any], bytes]:
    """What a file says of its numbers, and these."""
    (length,) = struct.unpack("<Q", content[:8])
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def described(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    """A file whose description of its numbers was changed."""

    def damage(content: bytes) -> bytes:
        head, numbers = written(content)
        change(head)
        text = json.dumps(head).encode()
        return struct.pack("<Q", len(text)) + text + numbers

    return damage


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "it is empty": lambda content: b"",
    "it ends in the length": lambda content: content[:4],
    "it ends in the description": lambda content: content[:60],
    "it ends behind the description": lambda content: content[: -4 * NUMBERS.size],
    "it ends in the numbers": lambda content: content[:-4],
    "it is a web page": lambda content: b"<!doctype html><title>Not found</title>" * 20,
    "it is a pointer to a file elsewhere": lambda content: b"version https://git-lfs.github.com/spec/v1\n",
    "it describes a list": lambda content: struct.pack("<Q", 2) + b"[]",
    "it describes a number": lambda content: struct.pack("<Q", 1) + b"3",
    "its numbers end before they begin": described(lambda head: head["weight"].update(data_offsets=[8, 0])),
    "its numbers begin before the file": described(lambda head: head["weight"].update(data_offsets=[-4096, 0])),
    "it does not say where its numbers are": described(lambda head: head["weight"].pop("data_offsets")),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_an_error_that_names_it(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "model.safetensors"
    write(path, {"weight": ("F32", NUMBERS)})
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match=r"model\.safetensors"):
        tensors.Tensors(path)["weight"]


def test_a_file_that_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"model\.safetensors"):
        tensors.Tensors(tmp_path / "model.safetensors")
