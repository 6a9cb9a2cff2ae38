"""Documents and knowledge bases as models: ids that a person can read and that stay what they are.

`annual-report.pdf~65f0c2a91b3e`: the name is for people and may change, what stands behind `~` is the beginning of the
id, and is all that is looked at.
"""

import re
from datetime import datetime
from typing import Final

from docqa.api.openai.records import ModelCard
from docqa.store.askable import Askable

ALL: Final = "docqa"  # the model that is asked about all documents
_DIGITS = 12  # of an id: two of a million documents have the same once in 500 accounts
_LONGEST_NAME = 60
_BASE = "kb-"


def model_id(what: Askable) -> str:
    """The id of a document or a knowledge base as a model; it needs no escaping in an address but for letters beyond
    ASCII."""
    name = re.sub(r"[^\w.]+", "-", what.name)[:_LONGEST_NAME].strip("-.") or "unnamed"
    return f"{_BASE if what.kind == 'knowledge base' else ''}{name}~{what.id[:_DIGITS]}"


def id_in(model: str) -> str:
    """The id, or its beginning, that a model's id holds, which may be a whole id alone; "" where it is too short to
    tell one from another."""
    id_ = model.rpartition("~")[2]
    return id_ if len(id_) >= _DIGITS else ""


def everything() -> ModelCard:
    """All documents as a model, which was always there."""
    return ModelCard(ALL, "model", 0, "all documents")


def card(what: Askable) -> ModelCard:
    """A document or a knowledge base as a model."""
    return ModelCard(model_id(what), "model", int(datetime.fromisoformat(what.created).timestamp()), what.kind)
