"""Questions and tiny encoders that the training is tested with."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from docqa import ROOT
from docqa.catalog.catalog import Catalog
from docqa.training.question_sets import LabelledQuestion
from passages import BELL, MILL, WELL

CATALOG = Catalog.load(ROOT / "models")
ENTRY = CATALOG.embedding("all-MiniLM-L6-v2")
needs_encoder = pytest.mark.skipif(
    not CATALOG.present(ENTRY) or not all(map(find_spec, ("openvino", "torch", "safetensors", "transformers"))),
    reason="the embedding model is not installed, or what trains it",
)


def labelled(question: str, *answers: str, passage: str = WELL, article: str = "Wells") -> LabelledQuestion:
    return LabelledQuestion(article, passage, question, answers)


QUESTIONS = [
    labelled("Who repaired the pump of the northern well?", "Aqua Nord"),
    labelled("When was the southern well closed?", "2011", "in 2011"),
    labelled("Who built the northern well?"),
    labelled("Who sold the stones of the mill?", "Edith Carr", passage=MILL, article="Mills"),
    labelled("Until when did the mill grind oats?", "1954", passage=MILL, article="Mills"),
    labelled("How heavy is the bell?", "310 kilograms", passage=BELL, article="Bells"),
    labelled("Who cast the bell?", "Jan Moer", passage=BELL, article="Bells"),
]


def thin_encoder(folder: Path, hidden: int) -> Path:
    """The folder of an encoder with a real tokenizer and two thin, untrained layers."""
    from transformers import AutoTokenizer, BertConfig, BertModel

    tokenizer = AutoTokenizer.from_pretrained(CATALOG.path(ENTRY), local_files_only=True)
    tokenizer.save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=2 * hidden,
    )
    BertModel(config).save_pretrained(folder)
    return folder
