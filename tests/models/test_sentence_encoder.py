"""The vectors of texts and of their parts are those of sentence-transformers, or made by it where only it can."""

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from docqa import ROOT
from docqa.catalog.catalog import Catalog
from docqa.models.sentence_folder import FIRST, MEAN
from later import Later, needs

np = pytest.importorskip("numpy")
encoder, sentence_encoder = Later("docqa.models.encoder"), Later("docqa.models.sentence_encoder")
config = Later("docqa.models.config")

CATALOG = Catalog.load(ROOT / "models")
MINILM = CATALOG.find("all-MiniLM-L6-v2")
pytestmark = [
    needs("openvino", "tokenizers"),
    pytest.mark.skipif(not CATALOG.present(MINILM), reason=f"{MINILM.name} is not present"),
]
MOST = "pooling_mode_max_tokens"
TEXTS = ["The lease ends on 31 March 2027.", "", "a " * 2000, "文字", "Ünïcödé — “quoted”"]


def loaded(folder: Path, *precisions: str) -> list[Any]:
    """The model in a folder, in these precisions."""
    return list(sentence_encoder.load(folder, precisions or ["float32"]))


@pytest.fixture(scope="module")
def model() -> Any:
    """The real model, in float32, loaded once for all tests."""
    return loaded(CATALOG.path(MINILM))[0]


def pooled(tmp_path: Path, mode: str) -> Path:
    """A copy of the model that says that it pools by this mode."""
    folder = tmp_path / "model"
    shutil.copytree(CATALOG.path(MINILM), folder)
    settings = folder / "1_Pooling" / "config.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), MEAN: False, mode: True}))
    return folder


def lengths(vectors: Any) -> list[float]:
    return [float(length) for length in np.linalg.norm(vectors, axis=1)]


@needs("sentence_transformers")
@pytest.mark.parametrize("mode", [MEAN, FIRST])
def test_the_vectors_are_those_of_sentence_transformers(tmp_path: Path, mode: str) -> None:
    folder = pooled(tmp_path, mode)
    [ours], theirs = loaded(folder), sentence_encoder.OtherSentences(folder)
    assert isinstance(ours, sentence_encoder.PlainSentences)
    assert (ours.dimension, ours.longest) == (theirs.dimension, theirs.longest) == (384, 256)
    assert ours.prompts == {name: prompt for name, prompt in theirs.prompts.items() if prompt}
    assert np.allclose(ours.encode(TEXTS), theirs.encode(TEXTS), atol=1e-5)


@pytest.mark.parametrize("mode", [MEAN, FIRST])
def test_in_bfloat16_they_are_nearly_the_same(tmp_path: Path, mode: str) -> None:
    if "bfloat16" not in encoder.precisions():
        pytest.skip("this processor does not reckon in bfloat16")
    exact, rounded = loaded(pooled(tmp_path, mode), "float32", "bfloat16")
    assert (exact.precision, rounded.precision) == ("float32", "bfloat16")
    vectors, others = (each.encode(TEXTS) for each in (exact, rounded))
    assert (vectors * others).sum(1).min() >= 0.999
    assert not np.allclose(vectors, others, atol=1e-5), "the other one is rounded"


def test_a_text_has_the_same_vector_whatever_is_encoded_with_it(model: Any) -> None:
    alone = np.concatenate([model.encode([text]) for text in TEXTS])
    for model.at_once in (1, 2, 16):
        vectors = model.encode(TEXTS)
        assert vectors.dtype == np.float32 and lengths(vectors) == pytest.approx([1.0] * len(TEXTS))
        assert np.allclose(vectors, alone, atol=1e-5), "in the order of the texts"
    assert model.encode([]).shape == (0, 384)


def test_after_a_rest_it_makes_the_same_vectors(model: Any) -> None:
    before = model.encode(TEXTS)
    model.rest()
    assert np.array_equal(model.encode(TEXTS), before)


@needs("sentence_transformers")
def test_a_folder_with_another_pooling_is_left_to_sentence_transformers(tmp_path: Path) -> None:
    [model] = loaded(pooled(tmp_path, MOST), "float32", "bfloat16")
    assert isinstance(model, sentence_encoder.OtherSentences)
    assert model.precision == "float32"
    vectors = model.encode(["The lease ends.", "The roof leaks."])
    model.rest()
    assert vectors.dtype == np.float32 and lengths(vectors) == pytest.approx([1.0, 1.0])
    assert np.allclose(model.encode(["The lease ends."]), vectors[:1], atol=1e-6)


def test_where_sentence_transformers_is_not_installed_such_a_folder_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModuleNotFoundError, match="sentence_transformers"):
        loaded(pooled(tmp_path, MOST))


def test_without_a_folder_nothing_is_looked_for_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="There is no model in"):
        loaded(tmp_path / MINILM.name)


# The vectors of parts

PASSAGE = (
    "The lease ends in March. It was signed by both tenants. "
    + "The roof was mended in spring. " * 60
    + "Keys are kept by Mrs Lund."
)


def spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text stand."""
    return [(match.start(), match.end()) for match in re.finditer(r"[A-Z][^.]*\.", text)]


def test_parts_get_their_vectors_in_the_pass_that_makes_the_vector_of_the_text(model: Any) -> None:
    texts = [PASSAGE, "One part.", ""]
    parts = [[*spans(PASSAGE), (0, len(PASSAGE))], [(0, 9)], []]
    vectors, of_parts = model.encode_parts(texts, parts)
    question = model.encode(["Who has the keys?"])[0]
    assert np.allclose(vectors, model.encode(texts), atol=1e-4)
    assert [rows.shape for rows in of_parts] == [(64, 384), (1, 384), (0, 384)]
    assert lengths(of_parts[0]) == pytest.approx([1.0] * 64, abs=1e-5)
    nearest = (of_parts[0] @ question).argmax()
    assert PASSAGE[slice(*parts[0][nearest])] == "Keys are kept by Mrs Lund.", "behind what one pass reads"


@needs("sentence_transformers")
def test_the_vector_of_a_part_is_the_mean_of_its_tokens_as_sentence_transformers_gives_them(model: Any) -> None:
    text = "The lease ends in March. It was signed by both tenants."
    theirs: Any = sentence_encoder.OtherSentences(CATALOG.path(MINILM))._model
    states = theirs.encode([text], output_value="token_embeddings")[0].numpy()
    _, [[first, second]] = model.encode_parts([text], [[(0, 24), (25, 55)]])
    inside = slice(1, 7), slice(7, 14)  # behind the token that begins a text: six tokens, then seven
    assert len(states) == 15
    for own, tokens in zip((first, second), inside, strict=True):
        mean = states[tokens].mean(0)
        assert np.allclose(own, mean / np.linalg.norm(mean), atol=1e-4)


def test_what_is_no_token_is_like_the_whole_text(model: Any) -> None:
    [vector], [parts] = model.encode_parts(["\x00\x01 The lease ends."], [[(0, 2), (3, 18)]])
    assert np.allclose(parts[0], vector, atol=1e-5)
    assert not np.allclose(parts[1], vector, atol=1e-2)


def test_models_that_do_not_mean_their_tokens_know_no_parts(tmp_path: Path) -> None:
    [model] = loaded(pooled(tmp_path, FIRST))
    assert not model.knows_parts
    with pytest.raises(config.OtherKind):
        model.encode_parts(["The lease ends."], [[(0, 15)]])


@needs("sentence_transformers")
def test_nor_do_those_that_sentence_transformers_computes(tmp_path: Path) -> None:
    [model] = loaded(pooled(tmp_path, MOST))
    assert not model.knows_parts
    with pytest.raises(config.OtherKind):
        model.encode_parts(["The lease ends."], [[(0, 15)]])
