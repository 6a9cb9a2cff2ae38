"""How the prompts of chats were laid out, so that the next one begins in the same way and a model need not read it
again.

An earlier question keeps its passages, although clients do not send them back. They are remembered by the documents and
the words of all questions so far; nobody gets passages of other documents. What a model still holds is not known here.
"""

from collections import OrderedDict
from dataclasses import dataclass

from docqa.answering.prompts import Shown
from docqa.questions.question import Question

REMEMBERED = 64  # chats

_Key = tuple[tuple[int, ...], tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True)
class Layout:
    """A prompt: the history from its message `first` on, and what stands around each of its questions, the last
    included."""

    first: int
    shown: tuple[Shown, ...]


class Layouts:
    """Those of the last prompts."""

    def __init__(self) -> None:
        self._by_chat: OrderedDict[_Key, Layout] = OrderedDict()

    def keep(self, question: Question, layout: Layout) -> None:
        """Remember the layout of the prompt that asks `question`."""
        key = _key(question, (*questions(question), question.text))
        self._by_chat[key] = layout
        self._by_chat.move_to_end(key)
        if len(self._by_chat) > REMEMBERED:
            self._by_chat.popitem(last=False)

    def before(self, question: Question) -> Layout | None:
        """The layout of the prompt that asked the question before this one."""
        layout = self._by_chat.get(_key(question, questions(question)))
        return layout if layout and len(questions(question, layout.first)) == len(layout.shown) else None


def questions(question: Question, first: int = 0) -> tuple[str, ...]:
    """The user's messages in the history from its message `first` on."""
    return tuple(text for sender, text in question.history[first:] if sender == "user")


def _key(question: Question, messages: tuple[str, ...]) -> _Key:
    return question.documents, question.system, messages
