"""The process of the verifier: python -m docqa.models.verifier_child MODEL ADAPTER"""

import math
import sys
import threading

from docqa.models.chat.llama import Engine
from docqa.models.verifier import CONTEXT, EXCERPT, QUESTION
from docqa.workers.loop import Answers, Handler, Header, serve


class Judge:
    """The GGUF model at `model` with the adapter at `adapter`, in this process. Raises Unavailable."""

    def __init__(self, model: str, adapter: str) -> None:
        self._engine = Engine(model, CONTEXT, "f16")
        self._engine.adapt(adapter)

    def log_odds(self, question: str, excerpt: str) -> float:
        """The log odds that the excerpt answers the question: that the model continues after "Answer:"."""
        prompt = self._engine.tokenize(QUESTION.format(question))
        text = self._engine.tokenize(EXCERPT.format(excerpt))
        # The last cell of the context is for the token that would follow.
        logits = self._engine.next_logits([*text[: max(0, CONTEXT - 1 - len(prompt))], *prompt][1 - CONTEXT :])
        end = logits.pop(self._engine.end)
        highest = max(logits)
        return highest + math.log(math.fsum(math.exp(logit - highest) for logit in logits)) - end

    def handle(self, body: Header, _blob: bytes, _cancelled: threading.Event) -> Answers:
        """The log odds for a `question` and an `excerpt`."""
        yield {"log_odds": self.log_odds(body["question"], body["excerpt"])}, b""


def _load() -> tuple[Header, Handler]:
    judge = Judge(*sys.argv[1:])
    return {}, judge.handle


if __name__ == "__main__":
    serve(_load)
