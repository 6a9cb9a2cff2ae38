"""Encoders in plain torch compute what transformers computes, and make the vectors that sentence-transformers makes."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from docqa import ROOT
from docqa.catalog.catalog import Catalog
from later import Later

torch, transformers = Later("torch"), Later("transformers")
encoder, sentence_encoder = Later("docqa.models.encoder"), Later("docqa.models.sentence_encoder")
tokenizer = Later("docqa.models.tokens")

CATALOG = Catalog.load(ROOT / "models")
MINILM = CATALOG.find("all-MiniLM-L6-v2")
needs_model = pytest.mark.skipif(not CATALOG.present(MINILM), reason=f"{MINILM.name} is not present")
SHAPE = {
    "vocab_size": 99,
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 300,
}
PAIRS = [
    ("Who repaired the pump of the northern well?", "Aqua Nord repaired the pump of the northern well. " * 60),
    ("Wie hoch ist die Miete - 12 €?", "Ünïcödé 文字 \U0001f600 words."),
    ("a", "b"),
]
TEXTS = ["The lease ends on 31 March 2027.", "", "a " * 2000, "文字", "Ünïcödé — “quoted”"]


def saved(folder: Path, family: str) -> Path:
    """A small untrained model of a family, as transformers writes it."""
    torch.manual_seed(1)
    config = transformers.AutoConfig.for_model(family, **SHAPE)
    model = transformers.AutoModel.from_config(config)
    for weight in model.parameters():
        weight.data += 0.2 * torch.randn_like(weight)  # those of fresh layer norms are all alike
    model.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("family", ["bert", "mpnet", "roberta", "xlm-roberta"])
def test_the_states_are_those_of_transformers(tmp_path: Path, family: str) -> None:
    folder = saved(tmp_path, family)
    theirs = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    ours = encoder.Encoder.load(folder)
    pad = ours.config.pad_token_id
    ids = torch.randint(5, SHAPE["vocab_size"], (3, 260))
    mask = torch.ones_like(ids)
    for row, length in enumerate((260, 40, 7)):
        mask[row, length:], ids[row, length:] = 0, pad
    types = torch.zeros_like(ids)
    with torch.inference_mode():
        expected = theirs(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states
        states = list(ours.states(ids, mask, types))
        last, alone = ours(ids, mask, types), ours(ids[:1], mask[:1], types[:1])
    assert len(states) == len(expected) == SHAPE["num_hidden_layers"] + 1
    for own, other in zip(states, expected, strict=True):
        assert torch.allclose(own[mask.bool()], other[mask.bool()], atol=1e-4)
    assert torch.allclose(last[mask.bool()], expected[-1][mask.bool()], atol=1e-4)
    assert not last[~mask.bool()].any(), "nothing was reckoned for padding"
    assert torch.allclose(alone[0], expected[-1][0], atol=1e-4), "where all of a batch is attended to"


def test_a_file_with_a_head_before_the_names_of_its_weights_is_read(tmp_path: Path) -> None:
    torch.manual_seed(1)
    config = transformers.BertConfig(**SHAPE)
    transformers.BertForMaskedLM(config).save_pretrained(tmp_path)
    theirs = transformers.BertModel.from_pretrained(tmp_path, add_pooling_layer=False)
    ours = encoder.Encoder.load(tmp_path)
    for name, weight in theirs.state_dict().items():
        assert torch.equal(ours.state_dict()[name], weight), name


@pytest.mark.parametrize(
    "different", [{"model_type": "gpt2"}, {"hidden_act": "relu"}, {"position_embedding_type": "relative_key"}], ids=str
)
def test_what_differs_from_its_family_is_not_guessed_at(tmp_path: Path, different: dict[str, str]) -> None:
    path = saved(tmp_path, "bert") / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **different}))
    with pytest.raises(NotImplementedError):
        encoder.Config.of(tmp_path)


@needs_model
def test_the_tokens_of_pairs_are_those_of_transformers() -> None:
    folder = CATALOG.path(MINILM)
    theirs: Any = transformers.AutoTokenizer.from_pretrained(folder)
    ours = tokenizer.Tokens(folder, 384, multiple=32).of_pairs(PAIRS)
    options = {"truncation": "only_second", "max_length": 384, "padding": True, "pad_to_multiple_of": 32}
    questions, passages = zip(*PAIRS, strict=True)
    expected = theirs(list(questions), list(passages), return_tensors="pt", return_offsets_mapping=True, **options)
    for name in ("input_ids", "attention_mask", "token_type_ids"):
        assert torch.equal(getattr(ours, name), expected[name]), name
    assert [list(map(list, row)) for row in ours.offsets] == expected["offset_mapping"].tolist()
    assert ours.of_second.tolist() == [[part == 1 for part in expected.sequence_ids(row)] for row in range(3)]


@needs_model
def test_a_question_that_fills_all_tokens_is_an_error_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="too long to be read with a passage"):
        tokenizer.Tokens(CATALOG.path(MINILM), 384).of_pairs([("文字" * 300, "A passage.")])


@needs_model
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_the_vectors_are_those_of_sentence_transformers(tmp_path: Path, pooling: str) -> None:
    folder = tmp_path / "model"
    shutil.copytree(CATALOG.path(MINILM), folder)
    settings = folder / "1_Pooling" / "config.json"
    modes = {"pooling_mode_mean_tokens": pooling == "mean", "pooling_mode_cls_token": pooling == "cls"}
    settings.write_text(json.dumps({**json.loads(settings.read_text()), **modes}))
    ours, theirs = sentence_encoder.load(folder), sentence_encoder.OtherSentences(folder)
    assert isinstance(ours, sentence_encoder.PlainSentences)
    assert (ours.dimension, ours.longest) == (theirs.dimension, theirs.longest) == (384, 256)
    with torch.inference_mode():
        vectors, expected = (model.encode(TEXTS, 2) for model in (ours, theirs))
        rounded = ours.bfloat16().encode(TEXTS, 2)
    assert torch.allclose(vectors, expected, atol=1e-5)
    assert float((vectors * rounded).sum(1).min()) > 0.999
    assert torch.equal(ours.encode(TEXTS, 2), vectors), "the half copy is another model"


@needs_model
def test_those_who_share_a_tokenizer_cut_texts_each_in_its_own_way() -> None:
    folder, text = CATALOG.path(MINILM), "The tenant pays the rent on the first day of each month. " * 40
    short, long = tokenizer.Tokens(folder, 16), tokenizer.Tokens(folder, 128)
    assert short.tokenizer is long.tokenizer
    for _ in range(2):
        assert [len(tokens.beginnings([text])[0].ids) for tokens in (short, long)] == [16, 128]
        assert len(long.of_pairs([("How much?", text)]).input_ids[0]) == 128
        assert {len(window.ids) for window in short.windows(text)[:-1]} == {16}


@needs_model
def test_a_rounded_encoder_reads_its_vocabulary_from_the_file_and_computes_the_same() -> None:
    exact = encoder.Encoder.load(CATALOG.path(MINILM))
    ours, usual = exact.copied().round(torch.bfloat16), encoder.Encoder.load(CATALOG.path(MINILM)).bfloat16()
    tokens = tokenizer.Tokens(CATALOG.path(MINILM), 384).of_pairs(PAIRS)
    with torch.inference_mode():
        assert torch.equal(ours(*tokens.tensors), usual(*tokens.tensors))
    vocabulary, *others = (weight.dtype for weight in ours.parameters())
    assert vocabulary is torch.float32 and set(others) == {torch.bfloat16}
    assert {weight.dtype for weight in exact.parameters()} == {torch.float32}, "the copy alone is rounded"
    table = ours.embeddings.word_embeddings.weight
    assert table.data_ptr() == exact.embeddings.word_embeddings.weight.data_ptr()


def pooled_otherwise(tmp_path: Path, mode: str) -> Path:
    """A copy of the model that says that it pools by this mode."""
    folder = tmp_path / "model"
    shutil.copytree(CATALOG.path(MINILM), folder)
    settings = folder / "1_Pooling" / "config.json"
    modes = {"pooling_mode_mean_tokens": False, mode: True}
    settings.write_text(json.dumps({**json.loads(settings.read_text()), **modes}))
    return folder


@needs_model
def test_a_folder_with_another_pooling_is_left_to_sentence_transformers(tmp_path: Path) -> None:
    folder = pooled_otherwise(tmp_path, "pooling_mode_max_tokens")
    model = sentence_encoder.load(folder)
    assert isinstance(model, sentence_encoder.OtherSentences)
    with torch.inference_mode():
        assert model.encode(["The lease ends."], 1).norm(dim=1).tolist() == pytest.approx([1.0])


PASSAGE = (
    "The lease ends in March. It was signed by both tenants. "
    + "The roof was mended in spring. " * 60
    + "Keys are kept by Mrs Lund."
)


def spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text stand."""
    return [(match.start(), match.end()) for match in re.finditer(r"[A-Z][^.]*\.", text)]


@needs_model
def test_parts_get_their_vectors_in_the_pass_that_makes_the_vector_of_the_text() -> None:
    model = sentence_encoder.load(CATALOG.path(MINILM))
    texts = [PASSAGE, "One part.", ""]
    parts = [[*spans(PASSAGE), (0, len(PASSAGE))], [(0, 9)], []]
    with torch.inference_mode():
        vectors, of_parts = model.encode_parts(texts, parts, 4)
        alone = model.encode(texts, 4)
        question = model.encode(["Who has the keys?"], 1)[0]
    assert torch.allclose(vectors, alone, atol=1e-4)
    assert [len(rows) for rows in of_parts] == [64, 1, 0]
    assert torch.allclose(of_parts[0].norm(dim=1), torch.ones(64), atol=1e-5)
    nearest = (of_parts[0] @ question).argmax()
    assert PASSAGE[slice(*parts[0][nearest])] == "Keys are kept by Mrs Lund.", "behind what one pass reads"


@needs_model
def test_what_is_no_token_is_like_the_whole_text() -> None:
    model = sentence_encoder.load(CATALOG.path(MINILM))
    with torch.inference_mode():
        [vector], [parts] = model.encode_parts(["\x00\x01 The lease ends."], [[(0, 2), (3, 18)]], 4)
    assert torch.allclose(parts[0], vector, atol=1e-5)
    assert not torch.allclose(parts[1], vector, atol=1e-2)


@needs_model
def test_models_that_do_not_mean_their_tokens_know_no_parts(tmp_path: Path) -> None:
    folder = pooled_otherwise(tmp_path, "pooling_mode_cls_token")
    for model in (sentence_encoder.load(folder), sentence_encoder.OtherSentences(folder)):
        assert not model.knows_parts
        with pytest.raises(encoder.OtherKind):
            model.encode_parts(["The lease ends."], [[(0, 15)]], 4)
