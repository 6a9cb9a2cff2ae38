"""The encoders that are trained compute what OpenVINO computes of the same files, and transformers after each layer."""

from pathlib import Path

import pytest

from encoder_samples import LENGTHS, SHAPE
from later import Later

numpy, torch, transformers = Later("numpy"), Later("torch"), Later("transformers")
trained, serving, tokens = (
    Later(f"docqa.{name}") for name in ("training.reader.encoder", "models.encoder", "models.tokens")
)


def saved(folder: Path, family: str) -> Path:
    """A small untrained model of a family, as transformers writes it."""
    torch.manual_seed(1)
    model = transformers.AutoModel.from_config(transformers.AutoConfig.for_model(family, **SHAPE))
    for weight in model.parameters():
        weight.data += 0.2 * torch.randn_like(weight)  # those of fresh layer norms are all alike
    model.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("family", ["bert", "mpnet", "xlm-roberta"])
def test_the_states_are_those_of_openvino_and_of_transformers(tmp_path: Path, family: str) -> None:
    folder = saved(tmp_path, family)
    ours, other = trained.Encoder.load(folder), serving.Encoder(folder)
    theirs = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    attended = numpy.arange(max(LENGTHS)) < numpy.array(LENGTHS)[:, None]
    ids = numpy.random.default_rng(1).integers(5, SHAPE["vocab_size"], attended.shape)
    ids[~attended] = ours.config.pad_token_id
    mask, types = attended.astype("<i8"), numpy.zeros_like(ids)
    if ours.config.type_vocab_size > 1:
        types[:, 5:] = attended[:, 5:]
    tensors = tuple(map(torch.from_numpy, (ids, mask, types)))
    with torch.inference_mode():
        states, last = ours.states(*tensors), ours(*tensors)
        kinds = {"token_type_ids": tensors[2]} if ours.config.type_vocab_size else {}
        layers = theirs(input_ids=tensors[0], attention_mask=tensors[1], output_hidden_states=True, **kinds)
    served = other(tokens.Batch(ids, mask, types, []))
    assert numpy.allclose(last.numpy()[attended], served[attended], atol=1e-4)
    for own, expected in zip(states, layers.hidden_states, strict=True):
        assert torch.allclose(own[attended], expected[attended], atol=1e-4)


def test_a_file_with_a_head_before_the_names_of_its_weights_is_trained_in_float32(tmp_path: Path) -> None:
    torch.manual_seed(1)
    transformers.BertForMaskedLM(transformers.BertConfig(**SHAPE)).half().save_pretrained(tmp_path)
    theirs = transformers.BertModel.from_pretrained(tmp_path, add_pooling_layer=False, dtype=torch.float32)
    ours = dict(trained.Encoder.load(tmp_path).named_parameters())
    for name, weight in theirs.named_parameters():
        assert ours[name].dtype is torch.float32 and ours[name].requires_grad
        assert torch.equal(ours[name], weight), name
