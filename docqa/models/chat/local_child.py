"""The process of a local model: python -m docqa.models.chat.local_child FILE CONTEXT_TOKENS CACHE_TYPE

It renders the prompt by the model's own chat template, and drops what the model thinks before its answer.
"""

import codecs
import re
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from docqa.errors import TooLarge, Unavailable
from docqa.models.chat.llama import Engine
from docqa.models.chat.sequences import STEPS, Sequence, Stopped
from docqa.models.chat.thinking import Thinking
from docqa.models.chat.wire import split_system
from docqa.workers.loop import Answers, Header, Loaded, serve
from docqa.workers.sandbox import BEHIND_SERVER, step_back

# Seconds between two pieces of an answer. Each wakes the server, which takes a core from the model; nobody reads
# faster.
PIECE_SECONDS = 0.04
PROBE = 64  # tokens: enough to tell the speed, few enough for a large model on two cores
_OPENED = re.compile(r"<(?:think|thinking|thought)>\s*\Z")
# Templates of hybrid reasoning models know one of these. Answering from passages needs no thinking, which takes minutes
# without a graphics card.
NO_THINKING = {"enable_thinking": False, "thinking": False}


class ChatEngine:
    """An engine with the chat template of its model; raises Unavailable for a model without one."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._render = engine.template(**NO_THINKING)
        self._takes_system = _takes_system(self._render)
        # What the tokenizer reads as control tokens, which no message may contain.
        control = sorted(engine.control_texts(), key=len, reverse=True)
        self._control = re.compile("|".join(map(re.escape, control)) or r"(?!)")

    def measure(self) -> Header:
        """The context size, the number of answers that finish sooner together, and the speeds in tokens/s."""
        probe = self._engine.tokenize("The meeting was moved to the second week of the month. " * PROBE)[:PROBE]
        slots = self._engine.sequences.fastest_number(probe[0])  # this also brings the weights into memory
        seconds = self._engine.sequences.seconds(1, probe)
        return {
            "context_tokens": self._engine.context_tokens,
            "slots": slots,
            "prompt_speed": round(PROBE / seconds, 1),
            "writing_speed": round(1 / min(self._engine.sequences.seconds(1, probe[:1]) for _ in range(STEPS)), 1),
        }

    def handle(self, body: Header, _blob: bytes, cancelled: threading.Event) -> Answers:
        """Answers to one request, which is to `do` "count", "uncached" or "generate". Raises TooLarge, Unavailable."""
        if body["do"] == "count":
            yield {"counts": [len(self._engine.tokenize(text)) for text in body["texts"]]}, b""
        elif body["do"] == "uncached":
            _, prompt = self._prompt(body["messages"])
            yield {"tokens": len(prompt), "uncached": self._engine.sequences.uncached(prompt)}, b""
        else:
            with suppress(Stopped):
                yield from self._answer(body["messages"], body["temperature"], body["max_tokens"], cancelled)

    def _prompt(self, messages: list[dict[str, str]]) -> tuple[str, list[int]]:
        """The prompt and its tokens; if the template has no system role, the system text opens the first question."""
        safe = [message | {"content": self._control.sub(" ", message["content"])} for message in messages]
        system, turns = split_system(safe)
        if system and self._takes_system:
            turns.insert(0, {"role": "system", "content": system})
        elif system:
            turns[0]["content"] = f"{system}\n\n{turns[0]['content']}"
        text = self._render(turns)
        return text, self._engine.tokenize(text, special=True)

    def _answer(
        self, messages: list[dict[str, str]], temperature: float, max_tokens: int, cancelled: threading.Event
    ) -> Answers:
        """First the number of tokens read and the seconds this took, then the text in pieces of whole characters, with
        the tokens written so far and the seconds."""
        text, prompt = self._prompt(messages)
        limit, sequences = self._engine.context_tokens, self._engine.sequences
        if len(prompt) >= limit:
            raise TooLarge(f"The question and its passages take {len(prompt)} tokens; this model takes {limit}.")
        capacity = min(len(prompt) + max_tokens, limit)
        while (sequence := sequences.open(prompt, capacity, temperature, cancelled)) is None:
            yield None
        try:
            start = time.perf_counter()
            uncached = yield from sequences.read(sequence, prompt)
            yield {"uncached": uncached, "seconds": time.perf_counter() - start, "text": ""}, b""
            yield from self._write(sequence, text, max_tokens)
        finally:
            sequences.close(sequence)

    def _write(self, sequence: Sequence, prompt: str, max_tokens: int) -> Answers:
        thinking = Thinking()
        if opened := _OPENED.search(prompt):
            thinking.show(opened[0])
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        written, sent, unsent = 0, 0.0, ""
        start = time.perf_counter()
        for token in self._engine.sequences.write(sequence):
            if token is None:
                yield None
                continue
            # A character may be spread over several tokens.
            shown = thinking.show(decoder.decode(self._engine.piece(token)))
            unsent += shown
            if unsent and time.perf_counter() >= sent + PIECE_SECONDS:
                yield {"text": unsent, "written": written, "seconds": time.perf_counter() - start}, b""
                sent, unsent = time.perf_counter(), ""
            if shown or written:
                written += 1
            if written == max_tokens:
                break
        rest = unsent + thinking.show(decoder.decode(b"", final=True)) + thinking.rest()
        if not written and not rest:
            raise Unavailable("The model gave an empty answer. Try again, or use another model.")
        yield {"text": rest, "written": written, "seconds": time.perf_counter() - start}, b""


def _takes_system(render: Callable[[list[dict[str, str]]], str]) -> bool:
    """Whether the template renders a system message: some refuse it, as Gemma's does, some drop it."""
    try:
        return "Rule 7" in render([{"role": "system", "content": "Rule 7"}, {"role": "user", "content": "Why?"}])
    except ValueError:
        return False


def _load() -> Loaded:
    chat = ChatEngine(Engine(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
    return Loaded(chat.measure(), chat.handle)


if __name__ == "__main__":
    step_back(BEHIND_SERVER)
    serve(_load)
