"""Texts and pairs of texts become the tokens that transformers makes of them."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from docqa import ROOT
from docqa.catalog.catalog import Catalog
from later import Later, needs

tokenizer = Later("docqa.models.tokens")

CATALOG = Catalog.load(ROOT / "models")
MINILM = CATALOG.find("all-MiniLM-L6-v2")
pytestmark = [
    needs("numpy", "tokenizers"),
    pytest.mark.skipif(not CATALOG.present(MINILM), reason=f"{MINILM.name} is not present"),
]
PAIRS = [
    ("Who repaired the pump of the northern well?", "Aqua Nord repaired the pump of the northern well. " * 60),
    ("Wie hoch ist die Miete - 12 €?", "Ünïcödé 文字 \U0001f600 words."),
    ("a", "b"),
]


@pytest.fixture(scope="module")
def folder() -> Path:
    return CATALOG.path(MINILM)


@needs("transformers")
def test_the_tokens_of_pairs_are_those_of_transformers(folder: Path) -> None:
    from transformers import AutoTokenizer

    theirs: Any = AutoTokenizer.from_pretrained(folder)
    ours = tokenizer.Tokens(folder, 384, multiple=32).of_pairs(PAIRS)
    options = {"truncation": "only_second", "max_length": 384, "padding": True, "pad_to_multiple_of": 32}
    questions, passages = zip(*PAIRS, strict=True)
    expected = theirs(list(questions), list(passages), return_offsets_mapping=True, **options)
    for name in ("input_ids", "attention_mask", "token_type_ids"):
        assert getattr(ours, name).tolist() == expected[name], name
    assert ours.offsets == expected["offset_mapping"]
    assert ours.of_second.tolist() == [[part == 1 for part in expected.sequence_ids(row)] for row in range(3)]


def test_a_question_that_fills_all_tokens_is_an_error_with_a_sentence(folder: Path) -> None:
    with pytest.raises(ValueError, match="too long to be read with a passage"):
        tokenizer.Tokens(folder, 384).of_pairs([("文字" * 300, "A passage.")])


def test_those_who_share_a_tokenizer_cut_texts_each_in_its_own_way(folder: Path) -> None:
    text = "The tenant pays the rent on the first day of each month. " * 40
    short, long = tokenizer.Tokens(folder, 16), tokenizer.Tokens(folder, 128)
    assert short.tokenizer is long.tokenizer
    for _ in range(2):
        assert [len(tokens.beginnings([text])[0].ids) for tokens in (short, long)] == [16, 128]
        assert len(long.of_pairs([("How much?", text)]).input_ids[0]) == 128
        assert {len(window.ids) for window in short.windows(text)[:-1]} == {16}


def test_windows_of_a_long_text_leave_none_of_it_out_and_overlap(folder: Path) -> None:
    text = " ".join(f"Room {number} is let." for number in range(200))
    windows = tokenizer.Tokens(folder, 64).windows(text)
    bounds = [(window.offsets[1][0], window.offsets[-2][1]) for window in windows]
    assert (bounds[0][0], bounds[-1][1]) == (0, len(text))
    assert all(start < end for (_, end), (start, _) in pairwise(bounds))


def test_a_batch_is_padded_to_a_multiple_of_its_rounding_and_padding_is_not_attended_to(folder: Path) -> None:
    tokens = tokenizer.Tokens(folder, 64, multiple=8)
    batch = tokens.padded(tokens.beginnings(["The rent is due in May of each year.", "Rent."]))
    assert batch.input_ids.shape == (2, 16)
    assert batch.attention_mask.sum(1).tolist() == [12, 4]
    assert not batch.input_ids[batch.attention_mask == 0].any(), "the padding token of BERT is the first"
