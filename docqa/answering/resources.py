"""What answers are made with."""

from collections import defaultdict
from dataclasses import dataclass, field

from docqa.answering.prompt_layout import Layouts
from docqa.models.chat.protocol import ChatModel
from docqa.models.chat.registry import ChatModels
from docqa.search.index import Index


@dataclass(frozen=True)
class Answering:
    """The index that is searched, the models that write, the time limit of an answer, the layouts of each model's
    prompts."""

    index: Index
    chat_models: ChatModels
    answer_seconds: float
    layouts: defaultdict[ChatModel, Layouts] = field(default_factory=lambda: defaultdict(Layouts))
