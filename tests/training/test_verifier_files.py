"""The GGUF files of the verifier's training: the language model that is read, the adapter that is written and read."""

from pathlib import Path
from typing import Any

import pytest
from verifier_samples import needs_gguf, needs_transformers, tiny_model, word_tokens, write_gguf

from docqa import ROOT
from docqa.catalog.catalog import Catalog
from docqa.errors import DocqaError
from passages import WELL

MODELS = Catalog.load(ROOT / "models").local_models()


def randomise(adapter: Any) -> None:
    import torch

    with torch.no_grad():
        for lora in adapter.values():
            lora.b.normal_()


@needs_transformers
def test_rows_are_permuted_as_in_llama_cpp_and_back() -> None:
    import torch

    from docqa.training.verifier.adapter import permute, unpermute

    rows = torch.arange(12.0)[:, None].expand(12, 3)
    assert permute(rows, 2)[:, 0].tolist() == [0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11], (
        "two heads of six rows, whose halves are rotated together"
    )
    assert unpermute(permute(rows, 2), 2).equal(rows)


@needs_transformers
@needs_gguf
def test_an_adapter_is_written_as_llama_cpp_reads_it(tmp_path: Path) -> None:
    import gguf
    import numpy

    from docqa.catalog.gguf import read_header
    from docqa.training.verifier.adapter import adapt, permute, save

    adapter, path = adapt(tiny_model(), 1), tmp_path / "verifier.lora"
    randomise(adapter)
    save(path, adapter, {"base": "abc", "languages": "en", "weight": "3.0", "margin": "0.0"})
    expected = {
        "general.architecture": "llama",
        "general.type": "adapter",
        "adapter.type": "lora",
        "adapter.lora.alpha": 32.0,
        "docqa.base": "abc",
        "docqa.languages": "en",
        "docqa.weight": "3.0",
        "docqa.margin": "0.0",
    }
    metadata = read_header(path).metadata
    assert {key: metadata[key] for key in expected} == expected
    assert {key for key in metadata if key.startswith("docqa.")} == {
        key for key in expected if key.startswith("docqa.")
    }
    tensors = {tensor.name: numpy.array(tensor.data) for tensor in gguf.GGUFReader(path).tensors}
    modules = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
    assert set(tensors) == {f"blk.1.{module}.weight.lora_{matrix}" for module in modules for matrix in "ab"}
    shapes = {"ffn_down": ((16, 48), (32, 16)), "attn_k": ((16, 32), (16, 16))}
    for module, (a, b) in shapes.items():
        assert tensors[f"blk.1.{module}.weight.lora_a"].shape == a
        assert tensors[f"blk.1.{module}.weight.lora_b"].shape == b
    heads = {"attn_q": 4, "attn_k": 2}
    for name, lora in adapter.items():
        module = name.removeprefix("blk.1.")
        rows = permute(lora.b, heads[module]) if module in heads else lora.b
        assert numpy.array_equal(tensors[f"{name}.weight.lora_a"], lora.a.detach().half().numpy())
        assert numpy.array_equal(tensors[f"{name}.weight.lora_b"], rows.detach().half().numpy())
    assert [file.name for file in tmp_path.iterdir()] == ["verifier.lora"]


@needs_transformers
@needs_gguf
def test_a_written_adapter_is_read_back(tmp_path: Path) -> None:
    import torch

    from docqa.training.verifier.adapter import adapt, restore, save

    path, kept, restored = tmp_path / "verifier.lora", adapt(tiny_model(), 1), adapt(tiny_model(), 1)
    randomise(kept)
    save(path, kept, {})
    restore(path, restored)
    for name, lora in kept.items():
        assert torch.equal(restored[name].a, lora.a.half().float())
        assert torch.equal(restored[name].b, lora.b.half().float())
    with pytest.raises(DocqaError, match=r"lacks weights of this adapter.*blk\.0"):
        restore(path, adapt(tiny_model(), 0))
    with pytest.raises(DocqaError, match=r"has weights that are not part of this adapter: blk\.1"):
        restore(path, {})


@needs_transformers
@needs_gguf
@pytest.mark.parametrize("tied", [True, False])
def test_a_model_is_read_from_its_gguf_file(tmp_path: Path, tied: bool) -> None:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    from docqa.training.verifier.language_model import load

    changes = {
        "tie_word_embeddings": tied,
        "rms_norm_eps": 1e-3,
        "rope_parameters": {"rope_type": "default", "rope_theta": 500.0},
    }
    model = LlamaForCausalLM(LlamaConfig(**{**tiny_model().config.to_dict(), **changes})).eval()
    loaded = load(write_gguf(tmp_path / "tiny.gguf", model))
    tokens = torch.tensor([word_tokens(WELL)])
    with torch.no_grad():
        assert torch.allclose(loaded(tokens).logits, model(tokens).logits, atol=1e-4)
    assert not any(weight.requires_grad for weight in loaded.parameters())
    assert (loaded.lm_head.weight is loaded.model.embed_tokens.weight) == tied


@needs_transformers
@needs_gguf
def test_another_kind_of_model_is_rejected(tmp_path: Path) -> None:
    from docqa.training.verifier.language_model import load

    with pytest.raises(DocqaError, match="of the qwen2 architecture; adapters can only be trained for llama"):
        load(write_gguf(tmp_path / "other.gguf", tiny_model(), "qwen2"))
    with pytest.raises(DocqaError, match="does not have the weights of a plain llama model"):
        load(write_gguf(tmp_path / "scaled.gguf", tiny_model(), extra_tensors=("rope_freqs.weight",)))
    (tmp_path / "none.gguf").write_bytes(b"GGML")
    with pytest.raises(DocqaError, match="is not a GGUF file"):
        load(tmp_path / "none.gguf")


@needs_transformers
@needs_gguf
@pytest.mark.skipif(not MODELS, reason="SmolLM2 is not installed")
def test_the_shipped_language_model_continues_a_text_sensibly() -> None:
    """It would not with its rows in another order, or with another rotation."""
    import torch

    from docqa.models.chat.llama import Engine
    from docqa.training.verifier.language_model import load

    path = MODELS["SMOLLM2_135M"]
    engine, model = Engine(str(path), 512, "f16"), load(path)
    tokens = engine.tokenize("The capital of France is Paris. The capital of Germany is")
    with torch.no_grad():
        logits = model(torch.tensor([tokens])).logits[0, -1]
    assert engine.piece(int(logits.argmax())) == b" Berlin"
