"""Words are cut into the pieces into which the library's own model cuts them, with the same places in the text."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docqa import ROOT
from docqa.catalog.catalog import Catalog
from later import Later, needs

unigram = Later("docqa.models.unigram")
pytestmark = needs("tokenizers")

CATALOG = Catalog.load(ROOT / "models")
E5 = CATALOG.find("multilingual-e5-small")
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
# Scores that make one long piece better than two short ones, and the other way round; the last is there twice.
PIECES = [
    *((special, 0.0) for special in SPECIAL),
    *(("▁", -3.0), ("▁the", -4.0), ("▁rent", -9.0), ("▁re", -5.0), ("nt", -3.5), ("r", -6.0), ("e", -5.5), ("n", -6.5)),
    *(
        ("t", -6.2),
        ("s", -5.1),
        ("▁Miete", -11.0),
        ("▁M", -6.0),
        ("ie", -4.9),
        ("te", -5.0),
        ("家", -8.0),
        ("家賃", -12.0),
    ),
    *(("賃", -9.0), ("は", -5.0), ("é", -7.0), ("\U0001f600", -9.5), ("s", -2.0)),
]
TEXTS = st.lists(
    st.sampled_from(
        [*"rentsMi家賃はéß€文\U0001f600\u0301 \n\t", "the ", "▁", "Miete", "ﬁ", "①", "<mask>", "</s>", " <unk>"]
    ),
    max_size=40,
).map("".join)


def described(**model: Any) -> dict[str, Any]:
    """A file of the library as a model for many languages has it."""
    template = [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    end = {"SpecialToken": {"id": "</s>", "type_id": 0}}
    options = {"single_word": False, "rstrip": False, "normalized": False, "special": True}
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": number, "content": name, "lstrip": name == "<mask>", **options}
            for number, name in enumerate(SPECIAL)
        ],
        "normalizer": {"type": "NFKC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [*template, end],
            "pair": [*template, end, end, {"Sequence": {"id": "B", "type_id": 0}}, end],
            "special_tokens": {
                name: {"id": name, "ids": [SPECIAL.index(name)], "tokens": [name]} for name in ("<s>", "</s>")
            },
        },
        "decoder": metaspace,
        "model": {"type": "Unigram", "unk_id": 3, "vocab": PIECES, "byte_fallback": False, **model},
    }


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """Ours, and the library's."""
    from tokenizers import Tokenizer

    file = tmp_path_factory.mktemp("unigram") / "tokenizer.json"
    file.write_text(json.dumps(described()), "utf-8")
    return unigram.tokenizer(file), Tokenizer.from_file(str(file))


def seen(encoding: Any) -> list[Any]:
    """All that is told of a text's tokens, and of those behind what is read at once."""
    names = [
        "ids",
        "tokens",
        "offsets",
        "type_ids",
        "word_ids",
        "sequence_ids",
        "special_tokens_mask",
        "attention_mask",
    ]
    return [[getattr(each, name) for name in names] for each in (encoding, *encoding.overflowing)]


@given(TEXTS)
def test_the_pieces_of_any_text_are_the_librarys(both: tuple[Any, Any], text: str) -> None:
    ours, theirs = both
    assert seen(ours.encode(text)) == seen(theirs.encode(text))


def test_the_sum_of_scores_decides_and_unknown_characters_in_a_row_are_one_piece(both: tuple[Any, Any]) -> None:
    encoding = both[0].encode("rents 家賃は ßßs")
    assert encoding.tokens[1:-1] == ["▁re", "nt", "s", "▁", "家賃", "は", "▁", "ßß", "s"]
    assert encoding.ids[-4:] == [5, 3, 25, 2], "of a piece that is there twice the last one counts"
    assert encoding.offsets[-3:-1] == [(10, 12), (12, 13)]


@given(TEXTS, TEXTS)
def test_pairs_and_windows_are_cut_as_the_library_cuts_them(both: tuple[Any, Any], first: str, second: str) -> None:
    def cut(tokenizer: Any) -> list[Any]:
        tokenizer.enable_truncation(8, stride=2)
        windows = tokenizer.encode(first)
        tokenizer.enable_truncation(60, strategy="only_second")
        [pair] = tokenizer.encode_batch([(first, second)])
        tokenizer.no_truncation()
        return [seen(windows), seen(pair)]

    assert cut(both[0]) == cut(both[1])


@pytest.mark.parametrize("other", [{"byte_fallback": True}, {"unk_id": None}], ids=str)
def test_other_kinds_are_left_to_the_library(tmp_path: Path, other: dict[str, Any]) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(described(**other)), "utf-8")
    assert type(unigram.tokenizer(file).model).__name__ == "Unigram"


@pytest.mark.skipif(not CATALOG.present(E5), reason=f"{E5.name} is not present")
def test_texts_of_all_languages_have_the_tokens_of_the_library() -> None:
    from tokenizers import Tokenizer

    file = CATALOG.path(E5) / "tokenizer.json"
    ours, theirs = unigram.tokenizer(file), Tokenizer.from_file(str(file))
    texts = [path.read_text("utf-8")[:20_000] for path in (ROOT / "docqa" / "languages").glob("*.toml")]
    assert len(texts) > 15
    for text in texts:
        assert seen(ours.encode(text)) == seen(theirs.encode(text))
