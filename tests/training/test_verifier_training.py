"""Training of the verifier: excerpts and what is asked about them, several questions read at once, the adapter that comes out."""

import importlib.util
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from docqa import ROOT
from docqa.catalog.catalog import Catalog
from docqa.errors import DocqaError
from docqa.training.question_sets import Articles, Asked
from docqa.training.verifier.excerpts import Excerpt, excerpts
from passages import BELL, MILL, WELL

MODELS = Catalog.load(ROOT / "models").local_models()
needs_transformers = pytest.mark.skipif(
    importlib.util.find_spec("transformers") is None, reason="transformers is not installed"
)
needs_gguf = pytest.mark.skipif(importlib.util.find_spec("gguf") is None, reason="gguf is not installed")
END = 2

QUESTIONS = [
    Asked("Wells", WELL, "Who repaired the pump of the northern well?", ("Aqua Nord",)),
    Asked("Wells", WELL, "When was the southern well closed?", ("2011", "in 2011")),
    Asked("Wells", WELL, "Who built the northern well?", ()),
    Asked("Mills", MILL, "Who sold the stones of the mill?", ("Edith Carr",)),
    Asked("Mills", MILL, "Until when did the mill grind oats?", ("1954",)),
    Asked("Mills", MILL, "Who typed an answer that does not stand there?", ("Nobody",)),
    Asked("Bells", BELL, "How heavy is the bell?", ("310 kilograms",)),
    Asked("Bells", BELL, "Who cast the bell?", ("Jan Moer",)),
]
MANY = [replace(one, article=f"Volume {number}") for number in range(10) for one in QUESTIONS]


def passes(count: int) -> list[Excerpt]:
    return [one for seed in range(count) for one in excerpts(QUESTIONS, Articles(QUESTIONS), random.Random(seed))]


# Excerpts


def test_an_excerpt_is_whole_sentences_of_a_passage() -> None:
    made = passes(30)
    for one in made:
        [passage] = [passage for passage in (WELL, MILL, BELL) if one.text in passage]
        before, _, behind = passage.partition(one.text)
        assert (
            (not before or before.endswith(". ")) and (not behind or behind.startswith(" ")) and one.text.endswith(".")
        )
    assert {one.text for one in made} > {WELL, MILL, BELL, WELL[: WELL.index(" The southern")]}


def test_an_answer_stands_in_the_excerpt_and_is_one_of_those_that_were_given() -> None:
    given = {one.question: one.answers for one in QUESTIONS}
    answered = [(question, answer, one.text) for one in passes(30) for question, answer in one.asked if answer]
    assert {question for question, _, _ in answered} == {
        one.question for one in QUESTIONS if one.answers and one.answers != ("Nobody",)
    }
    for question, answer, text in answered:
        assert answer in text and answer in given[question]


def test_a_question_whose_answer_is_not_in_the_excerpt_has_none() -> None:
    given = {one.question: one for one in QUESTIONS}
    silent = [
        (given.get(question), question, one.text)
        for one in passes(60)
        for question, answer in one.asked
        if answer is None
    ]
    for asked, question, text in silent:
        assert asked is None or not any(answer in text for answer in asked.answers), (
            f"{question!r} is answered by {text!r}"
        )
    found = [(asked, text) for asked, _, text in silent if asked]
    assert any(asked.answers and text in asked.passage for asked, text in found), (
        "some are answered by another sentence"
    )
    assert any(text not in asked.passage for asked, text in found), "some by another article"
    assert any(not asked.answers for asked, _ in found), "some by nothing"
    assert any(asked is None for asked, _, _ in silent), "some are turned false"


def test_an_excerpt_of_a_passage_with_many_questions_has_some_of_them_only() -> None:
    many = [
        Asked("Wells", WELL, f"Who repaired pump {number} of the northern well?", ("Aqua Nord",))
        for number in range(30)
    ]
    made = excerpts(many, Articles(many), random.Random(1))
    assert max(len(one.asked) for one in made) == 9
    assert made == excerpts(many, Articles(many), random.Random(1)) != excerpts(many, Articles(many), random.Random(2))


def test_a_passage_without_sentences_is_left_out() -> None:
    blank = [Asked("Wells", "  ", "Who?", ())]
    assert excerpts(blank, Articles(blank), random.Random(1)) == []


# Questions read together


def words(text: str) -> list[int]:
    """Stands in for the tokens of a text: one for each word, above the end's."""
    return [3 + sum(map(ord, word)) % 97 for word in text.split()]


def tiny() -> Any:
    """A language model of two layers that knows nothing yet."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=100,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        initializer_range=0.2,
        tie_word_embeddings=True,
        use_cache=False,
    )
    return LlamaForCausalLM(config).requires_grad_(False)


def taken(made: list[Excerpt]) -> list[Any]:
    from docqa.training.verifier.train import items

    return items(made, words, END)


@needs_transformers
def test_a_question_is_cut_into_what_was_asked_and_what_stands_around_it() -> None:
    [item] = taken([Excerpt(BELL, (("Who cast the bell?", "Jan Moer"), ("Who built it?", None)))])
    answered, silent = item.questions
    assert [answered.tokens[number] for number in answered.own] == words("Who cast the bell?")
    assert answered.tokens == words("\nQuestion: Who cast the bell?\nAnswer:") and item.tokens == words(
        f"Passage: {BELL}"
    )
    assert answered.following == [*words("Jan Moer"), END] and answered.answered
    assert silent.following == [END] and not silent.answered and silent.read == silent.tokens
    assert item.length == len(item.tokens) + len(answered.tokens) + 2 + len(silent.tokens)
    assert taken([Excerpt("well " * 400, (("Who?", None),))]) == [], "a table of many columns is too long"
    [long] = taken([Excerpt(BELL, (("Who?", "well " * 40),))])
    assert len(long.questions[0].following) == 13


@needs_transformers
def test_questions_that_are_read_together_are_read_as_if_each_were_alone() -> None:
    import torch

    from docqa.training.verifier.train import pack, states

    model = tiny()
    batch = taken(excerpts(QUESTIONS, Articles(QUESTIONS), random.Random(1)))
    assert len({one.length for one in batch}) > 1 and max(len(one.questions) for one in batch) > 1
    packed = pack(batch)
    with torch.no_grad():
        together = states(model, packed)
        for row, one in enumerate(batch):
            for question, start in zip(one.questions, packed.starts[row], strict=True):
                alone = model.model(torch.tensor([[*one.tokens, *question.read]])).last_hidden_state[
                    0, len(one.tokens) :
                ]
                assert torch.allclose(together[row, start : start + len(question.read)], alone, atol=1e-4)


@needs_transformers
def test_losses_are_those_of_questions_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judgement is of the token behind the question, an answer's tokens and the end count alike, and the words of a question count as many as one of them."""
    import torch

    from docqa.training.verifier import train as verifying

    monkeypatch.setattr(verifying, "ALSO_EXPECTED", 1.0)
    model = tiny()
    batch = taken(
        [
            Excerpt(BELL, (("Who cast the bell?", "Jan Moer"), ("Who built it?", None))),
            Excerpt(MILL, (("When did it grind?", "1954"),)),
        ]
    )
    judged, said = [], []
    with torch.no_grad():
        lost = verifying.losses(model, batch, END, random.Random(1))
        for item in batch:
            for one in item.questions:
                given = [*item.tokens, *one.read]
                likely = model(torch.tensor([given])).logits[0].log_softmax(-1)
                at = len(item.tokens) + len(one.tokens) - 1
                ends = likely[at, END].exp()
                aim = 0.95 if one.answered else 0.05
                judged.append(-aim * (1 - ends).log() - (1 - aim) * ends.log())
                if one.answered:
                    answer = sum(likely[at + number, token] for number, token in enumerate(one.following))
                    expected = [likely[len(item.tokens) + number - 1, one.tokens[number]] for number in one.own]
                    said.append(-0.15 * answer - 0.5 * sum(expected) / len(expected))
    assert lost.judged.item() == pytest.approx(sum(judged).item() / 3, rel=1e-4)
    assert lost.said.item() == pytest.approx(sum(said).item() / 3, rel=1e-4)
    assert lost.questions == 3


@needs_transformers
def test_batches_hold_every_excerpt_once_an_epoch_and_no_more_tokens_than_they_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from docqa.training.verifier import train as verifying

    monkeypatch.setattr(verifying, "BATCH", 200)
    found = taken(passes(5))
    epochs: list[list[Any]] = []

    def made() -> list[Any]:
        epochs.append(list(found))
        return epochs[-1]

    ready, read = verifying.batches(made, random.Random(1)), []
    while len(epochs) < 2:
        batch = next(ready)
        read += batch
        assert len(batch) == 1 or len(batch) * max(one.length for one in batch) <= 200
    del read[len(found) :]
    assert sorted(map(repr, read)) == sorted(map(repr, found))
    with pytest.raises(DocqaError, match="nothing to learn from"):
        next(verifying.batches(list, random.Random(1)))


@needs_transformers
def test_training_changes_the_adapter_alone_and_lowers_the_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from docqa.training.verifier import train as verifying
    from docqa.training.verifier.adapter import adapt

    monkeypatch.setattr(verifying, "WARM_UP", 4)
    monkeypatch.setattr(verifying, "RATE", 5e-3)
    model = tiny()
    batch = taken(excerpts(QUESTIONS, Articles(QUESTIONS), random.Random(1)))
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    plain = verifying.losses(model, batch, END, random.Random(1))
    lora = adapt(model, 0)
    assert verifying.losses(model, batch, END, random.Random(1)).judged.item() == pytest.approx(
        plain.judged.item(), rel=1e-5
    ), "at first it adds nothing"
    said: list[str] = []
    verifying.train(model, lora, lambda: list(batch), END, 60, random.Random(1), said.append)
    after = verifying.losses(model, batch, END, random.Random(1))
    assert after.judged.item() < 0.8 * plain.judged.item() and after.said.item() < plain.said.item()
    assert [line.split(",")[0] for line in said] == ["step 25 of 60", "step 50 of 60", "step 60 of 60"]
    left = {
        name.replace(".linear.", "."): weight
        for name, weight in model.state_dict().items()
        if not name.endswith((".a", ".b"))
    }
    assert left.keys() == before.keys() and all(torch.equal(weight, before[name]) for name, weight in left.items())


@needs_transformers
@needs_gguf
def test_training_goes_on_from_an_adapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from docqa.training.verifier import adapter
    from docqa.training.verifier import train as verifying

    base, path = written(tmp_path / "tiny.gguf", tiny()), tmp_path / "verifier.lora"
    monkeypatch.setattr(verifying, "WARM_UP", 4)
    monkeypatch.setattr(verifying, "RATE", 5e-3)
    monkeypatch.setattr(verifying, "adapt", lambda model: adapter.adapt(model, 0))

    def loss(steps: int, start: Path | None) -> float:
        """Of the judgement in the first 25 steps."""
        said: list[str] = []
        verifying.train_verifier(
            MANY, base, words, END, path, steps, 1, "abc", lambda _: (1.0, 0.0), said.append, start
        )
        return float(next(line for line in said if line.startswith("step 25 ")).split("loss ")[1].split(",")[0])

    assert loss(60, None) > 1.2 * loss(25, path)


# Files


@needs_transformers
def test_rows_are_permuted_as_llama_cpp_does_it_and_back() -> None:
    import torch

    from docqa.training.verifier.adapter import permute, unpermute

    rows = torch.arange(12.0)[:, None].expand(12, 3)
    assert permute(rows, 2)[:, 0].tolist() == [0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11], (
        "two heads of six, whose halves are rotated together"
    )
    assert unpermute(permute(rows, 2), 2).equal(rows)


def trained(lora: Any) -> None:
    import torch

    with torch.no_grad():
        for one in lora.values():
            one.b.normal_()


@needs_transformers
@needs_gguf
def test_an_adapter_is_written_as_llama_cpp_reads_it(tmp_path: Path) -> None:
    import gguf
    import numpy

    from docqa.catalog.gguf import read_header
    from docqa.training.verifier.adapter import adapt, permute, save

    lora, path = adapt(tiny(), 1), tmp_path / "verifier.lora"
    trained(lora)
    save(path, lora, {"base": "abc", "languages": "en", "weight": "3.0", "margin": "0.0"})
    known = read_header(path).metadata
    assert {
        key: known[key] for key in ("general.architecture", "general.type", "adapter.type", "adapter.lora.alpha")
    } == {
        "general.architecture": "llama",
        "general.type": "adapter",
        "adapter.type": "lora",
        "adapter.lora.alpha": 32.0,
    }
    assert {key: value for key, value in known.items() if key.startswith("docqa.")} == {
        "docqa.base": "abc",
        "docqa.languages": "en",
        "docqa.weight": "3.0",
        "docqa.margin": "0.0",
    }
    found = {one.name: numpy.array(one.data) for one in gguf.GGUFReader(path).tensors}
    modules = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
    assert set(found) == {f"blk.1.{module}.weight.lora_{end}" for module in modules for end in "ab"}
    assert found["blk.1.ffn_down.weight.lora_a"].shape == (16, 48) and found["blk.1.ffn_down.weight.lora_b"].shape == (
        32,
        16,
    )
    assert found["blk.1.attn_k.weight.lora_a"].shape == (16, 32) and found["blk.1.attn_k.weight.lora_b"].shape == (
        16,
        16,
    )
    heads = {"attn_q": 4, "attn_k": 2}
    for name, one in lora.items():
        module = name.removeprefix("blk.1.")
        b = permute(one.b, heads[module]) if module in heads else one.b
        assert numpy.array_equal(found[f"{name}.weight.lora_a"], one.a.detach().half().numpy())
        assert numpy.array_equal(found[f"{name}.weight.lora_b"], b.detach().half().numpy())
    assert [file.name for file in tmp_path.iterdir()] == ["verifier.lora"]


@needs_transformers
@needs_gguf
def test_an_adapter_that_was_written_is_read_back(tmp_path: Path) -> None:
    import torch

    from docqa.training.verifier.adapter import adapt, restore, save

    path, kept, read = tmp_path / "verifier.lora", adapt(tiny(), 1), adapt(tiny(), 1)
    trained(kept)
    save(path, kept, {})
    restore(path, read)
    for name, one in kept.items():
        assert torch.equal(read[name].a, one.a.half().float()) and torch.equal(read[name].b, one.b.half().float())
    with pytest.raises(DocqaError, match=r"has not the weights that are trained here .*blk\.0"):
        restore(path, adapt(tiny(), 0))
    with pytest.raises(DocqaError, match=r"has weights that are not trained here: blk\.1"):
        restore(path, {})


def written(path: Path, model: Any, architecture: str = "llama", more: tuple[str, ...] = ()) -> Path:
    """The model as a GGUF file, as llama.cpp's converter makes it."""
    import gguf
    import numpy

    from docqa.training.verifier.adapter import MODULES, permute

    names = MODULES | {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}
    config, weights = model.config, model.state_dict()
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(512)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_tensor("token_embd.weight", weights["model.embed_tokens.weight"].numpy())
    writer.add_tensor("output_norm.weight", weights["model.norm.weight"].numpy())
    if not config.tie_word_embeddings:
        writer.add_tensor("output.weight", weights["lm_head.weight"].numpy())
    for number in range(config.num_hidden_layers):
        for name, known_as in names.items():
            weight = weights[f"model.layers.{number}.{name}.weight"]
            heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}.get(known_as)
            writer.add_tensor(
                f"blk.{number}.{known_as}.weight", (permute(weight, heads) if heads else weight).contiguous().numpy()
            )
    for name in more:
        writer.add_tensor(name, numpy.zeros(8, numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@needs_transformers
@needs_gguf
@pytest.mark.parametrize("tied", [True, False])
def test_a_model_is_read_from_its_gguf_file(tmp_path: Path, tied: bool) -> None:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    from docqa.training.verifier.language_model import load

    same = tiny()
    config = LlamaConfig(
        **{
            **same.config.to_dict(),
            "tie_word_embeddings": tied,
            "rms_norm_eps": 1e-3,
            "rope_parameters": {"rope_type": "default", "rope_theta": 500.0},
        }
    )
    model = LlamaForCausalLM(config).eval()
    read = load(written(tmp_path / "tiny.gguf", model))
    tokens = torch.tensor([words(WELL)])
    with torch.no_grad():
        assert torch.allclose(read(tokens).logits, model(tokens).logits, atol=1e-4)
    assert not any(weight.requires_grad for weight in read.parameters())
    assert (read.lm_head.weight is read.model.embed_tokens.weight) == tied


@needs_transformers
@needs_gguf
def test_another_kind_of_model_is_refused(tmp_path: Path) -> None:
    from docqa.training.verifier.language_model import load

    with pytest.raises(DocqaError, match="of the architecture qwen2; an adapter can be trained for llama only"):
        load(written(tmp_path / "other.gguf", tiny(), "qwen2"))
    with pytest.raises(DocqaError, match="other weights than a plain model"):
        load(written(tmp_path / "scaled.gguf", tiny(), more=("rope_freqs.weight",)))
    (tmp_path / "none.gguf").write_bytes(b"GGML")
    with pytest.raises(DocqaError, match="is not a GGUF file"):
        load(tmp_path / "none.gguf")


@needs_transformers
@needs_gguf
def test_the_whole_training_keeps_articles_apart_and_comes_out_the_same_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from docqa.catalog.gguf import read_header
    from docqa.models.verifier import ABOUT
    from docqa.training.question_sets import divide
    from docqa.training.verifier import adapter
    from docqa.training.verifier import train as verifying

    base = written(tmp_path / "tiny.gguf", tiny())
    monkeypatch.setattr(verifying, "adapt", lambda model: adapter.adapt(model, 0))
    seen: list[str] = []
    monkeypatch.setattr(
        verifying,
        "excerpts",
        lambda learnt, *more: seen.extend(one.article for one in learnt) or excerpts(learnt, *more),
    )

    def calibrate(path: Path) -> tuple[float, float]:
        assert read_header(path).metadata["docqa.margin"] == "0.0", "it is calibrated on what was trained"
        return 3.0, 1.23456

    one, other, third = (tmp_path / name for name in ("one.lora", "other.lora", "third.lora"))
    for path, seed in ((one, 1), (other, 1), (third, 2)):
        verifying.train_verifier(MANY, base, words, END, path, 3, seed, "abc", calibrate, lambda _: None)
    assert set(seen) == set(divide(MANY).training)
    assert one.read_bytes() == other.read_bytes() != third.read_bytes()
    with pytest.raises(DocqaError, match=r"one\.lora is not an adapter for tiny\.gguf"):
        verifying.train_verifier(MANY, base, words, END, other, 3, 1, "abd", calibrate, lambda _: None, one)
    assert other.read_bytes() == one.read_bytes()
    known = {
        key.removeprefix(ABOUT): value for key, value in read_header(one).metadata.items() if key.startswith(ABOUT)
    }
    assert known == {"base": "abc", "languages": "en", "weight": "3.0", "margin": "1.2346"}
    assert {file.name for file in tmp_path.iterdir()} == {"tiny.gguf", "one.lora", "other.lora", "third.lora"}


@needs_transformers
@needs_gguf
def test_an_adapter_is_put_in_place_when_it_is_calibrated_and_can_be_calibrated_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from docqa.training.verifier import adapter
    from docqa.training.verifier import train as verifying

    base, out, left = (
        written(tmp_path / "tiny.gguf", tiny()),
        tmp_path / "verifier.lora",
        tmp_path / "verifier.uncalibrated.lora",
    )
    monkeypatch.setattr(verifying, "adapt", lambda model: adapter.adapt(model, 0))

    def make(
        out: Path,
        steps: int,
        calibrate: Callable[[Path], tuple[float, float]],
        start: Path | None = None,
        asked: list[Asked] = MANY,
    ) -> None:
        verifying.train_verifier(asked, base, words, END, out, steps, 1, "abc", calibrate, lambda _: None, start)

    def broken_off(_: Path) -> tuple[float, float]:
        raise KeyboardInterrupt

    make(out, 3, lambda _: (3.0, 1.0))
    before = out.read_bytes()
    with pytest.raises(KeyboardInterrupt):
        make(out, 3, broken_off)
    assert out.read_bytes() == before and left.is_file()
    make(tmp_path / "other.lora", 0, lambda _: (3.0, 1.0), left)
    assert (tmp_path / "other.lora").read_bytes() == before, "the same training, calibrated later"
    for wrong, sentence in (
        (lambda: make(out, 0, broken_off), "Without steps nothing is trained"),
        (
            lambda: make(out, 3, broken_off, asked=[one for one in MANY if one.answers]),
            "must have questions with an answer and others without",
        ),
    ):
        with pytest.raises(DocqaError, match=sentence):
            wrong()
    assert out.read_bytes() == before


@needs_transformers
@needs_gguf
@pytest.mark.skipif(not MODELS, reason="SmolLM2 is not installed")
def test_the_shipped_language_model_goes_on_with_a_text_as_it_should() -> None:
    """With rows in another order, or another rotation, it would not."""
    import torch

    from docqa.models.chat.llama import Engine
    from docqa.training.verifier.language_model import load

    path = MODELS["SMOLLM2_135M"]
    engine, model = Engine(str(path), 512, "f16"), load(path)
    with torch.no_grad():
        scores = model(
            torch.tensor([engine.tokenize("The capital of France is Paris. The capital of Germany is")])
        ).logits[0, -1]
    assert engine.piece(int(scores.argmax())) == b" Berlin"
