"""What answers are made with."""

from dataclasses import dataclass

from docqa.models.chat.registry import ChatModels
from docqa.search.index import Index


@dataclass(frozen=True)
class Answering:
    """The index that is searched, the models that write, and the seconds that one answer may take."""

    index: Index
    chat_models: ChatModels
    answer_seconds: float
