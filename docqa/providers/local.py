"""Answers from a GGUF file on this machine: the server's side (`LocalModel`) and the child process that holds the model.

The child is `python -m docqa.providers.local FILE CONTEXT_TOKENS`; llama.cpp is imported there only, for it can abort.
"""

import codecs
import ctypes
import importlib.util
import math
import os
import re
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

from docqa.child import Child
from docqa.errors import Busy, TooLarge, Unavailable
from docqa.worker import Handler, Header, serve

PROBE_TOKENS = 256


def available() -> bool:
    """Whether the package that runs GGUF models is installed; it is not imported."""
    return importlib.util.find_spec("llama_cpp") is not None


class LocalModel:
    """One GGUF file, served to one question at a time; `queue` questions may wait for it."""

    def __init__(self, name: str, path: Path, context_tokens: int, queue: int = 8) -> None:
        self.name = name
        self._context_tokens = context_tokens
        self._queue = queue
        self._asked = 0
        self._seconds = 10.0
        self._child = Child("docqa.providers.local", [str(path), str(context_tokens)], name=name, grace=1.0)

    @property
    def state(self) -> str:
        """`stopped`, `loading`, `ready` or `failed: why`."""
        return self._child.state

    @property
    def context_tokens(self) -> int:
        """Tokens that prompt and answer share: what was asked for, bounded by the model's own limit once it is loaded."""
        return int(self._child.hello.get("context_tokens", self._context_tokens))

    @property
    def prompt_speed(self) -> float:
        """Prompt tokens read per second, measured at load; 0 before."""
        return float(self._child.hello.get("prompt_speed", 0.0))

    @property
    def answer_speed(self) -> float:
        """Answer tokens written per second, measured at load; 0 before."""
        return float(self._child.hello.get("answer_speed", 0.0))

    async def start(self) -> None:
        """Load the model if it is not. Raises Unavailable."""
        await self._child.start()

    async def count(self, texts: list[str]) -> list[int]:
        """How many tokens each text has; passes waiting questions, but not the one in hand. Raises Unavailable."""
        answer, _ = await self._child.call({"do": "count", "texts": texts}, urgent=True)
        return [int(number) for number in answer["counts"]]

    async def generate(self, messages: list[dict[str, str]], *, temperature: float, max_tokens: int) -> AsyncGenerator[str, None]:
        """The answer to `messages` (`role`, `content`), in pieces of whole characters; leaving early stops the model.

        Raises Busy when too many wait, TooLarge for a prompt longer than the context, ChildDied or Unavailable.
        """
        if self._asked > self._queue:
            wait = math.ceil(self._seconds * self._asked)
            raise Busy(f"{self._queue} questions wait for {self.name} already; ask again in {wait} seconds.", retry_after=wait)
        self._asked += 1
        header = {"do": "generate", "messages": messages, "temperature": temperature, "max_tokens": max_tokens}
        started = 0.0
        try:
            async with aclosing(self._child.stream(header)) as pieces:
                async for piece in pieces:
                    started = started or time.monotonic() - piece["seconds"]
                    if piece["text"]:
                        yield piece["text"]
        finally:
            self._asked -= 1
            if started:
                self._seconds += 0.3 * (time.monotonic() - started - self._seconds)

    async def close(self) -> None:
        await self._child.close()


# The child's side


class _Aborted(Exception):
    """Nobody wants the answer any more."""


class _Model:
    """A llama.cpp model with its chat template, and a way to stop it in the middle of a prompt."""

    def __init__(self, path: str, context_tokens: int) -> None:
        # Threads that spin while they wait take the core from the one they wait for: on two busy cores 0.3 tokens a second, not 110.
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
        import llama_cpp
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        self._llama_cpp = llama_cpp
        _leave_extra_buffers_out(llama_cpp.llama_cpp)
        self._llm = self._open(path, context_tokens)
        metadata = self._llm.metadata
        trained = int(metadata.get(f"{metadata.get('general.architecture')}.context_length", context_tokens))
        if trained < context_tokens:
            self._llm.close()
            self._llm = self._open(path, trained)
        if "tokenizer.chat_template" not in metadata:
            raise Unavailable(f"{path} has no chat template: it is not a model for conversations.")
        self._vocabulary = llama_cpp.llama_model_get_vocab(self._llm.model)
        self._format = Jinja2ChatFormatter(
            template=metadata["tokenizer.chat_template"], bos_token=self._token_text(self._llm.token_bos()), eos_token=self._token_text(self._llm.token_eos())
        )
        self._control = self._control_tokens()
        self._cancelled = threading.Event()
        self._abort = llama_cpp.ggml_abort_callback(lambda _: self._cancelled.is_set())
        llama_cpp.llama_set_abort_callback(self._llm.ctx, self._abort, None)

    def _open(self, path: str, context_tokens: int) -> Any:
        cores = count_cores()
        return self._llama_cpp.Llama(path, n_ctx=context_tokens, n_threads=cores, n_threads_batch=cores, verbose=False)

    def _token_text(self, token: int) -> str:
        return self._llama_cpp.llama_vocab_get_text(self._vocabulary, token).decode() if token >= 0 else ""

    def _control_tokens(self) -> re.Pattern[str]:
        """Matches what the model takes for the marks between messages, which no message may contain."""
        texts = [self._token_text(token) for token in range(self._llm.n_vocab()) if self._llama_cpp.llama_vocab_is_control(self._vocabulary, token)]
        return re.compile("|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True) if text) or r"(?!)")

    def measure(self) -> Header:
        """The context and the speeds, by reading and writing a little."""
        probe = self._llm.tokenize(("The meeting was moved to the second week of the month. " * PROBE_TOKENS).encode())[:PROBE_TOKENS]
        start = time.perf_counter()
        tokens = self._llm.generate(probe, temp=0.0)
        next(tokens)
        read = time.perf_counter()
        for _ in range(8):
            next(tokens)
        wrote = time.perf_counter()
        return {
            "context_tokens": self._llm.n_ctx(),
            "prompt_speed": round(len(probe) / (read - start), 1),
            "answer_speed": round(8 / (wrote - read), 1),
            "threads": count_cores(),
        }

    def handle(self, body: Header, _blob: bytes, cancelled: threading.Event) -> Generator[tuple[Header, bytes], None, None]:
        if body["do"] == "count":
            yield {"counts": [len(self._tokenize(text)) for text in body["texts"]]}, b""
            return
        self._cancelled = cancelled
        start = time.monotonic()
        for text in self._answer(body["messages"], body["temperature"], body["max_tokens"]):
            yield {"text": text, "seconds": time.monotonic() - start}, b""

    def _answer(self, messages: list[dict[str, str]], temperature: float, max_tokens: int) -> Iterator[str]:
        clean: list[Any] = [message | {"content": self._control.sub(" ", message["content"])} for message in messages]
        prompt = self._tokenize(self._format(messages=clean).prompt, special=True)
        room = self._llm.n_ctx() - len(prompt)
        if room < 1:
            raise TooLarge(f"The question and its passages take {len(prompt)} tokens; this model takes {self._llm.n_ctx()}.")
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        try:
            for token in self._tokens(prompt, temperature, min(room, max_tokens)):
                # A character may be spread over several tokens.
                if text := decoder.decode(self._llm.detokenize([token], special=False)):
                    yield text
        except _Aborted:
            return
        if text := decoder.decode(b"", final=True):
            yield text

    def _tokens(self, prompt: list[int], temperature: float, limit: int) -> Iterator[int]:
        try:
            for number, token in enumerate(self._llm.generate(prompt, temp=temperature), 1):
                if self._cancelled.is_set():
                    raise _Aborted
                if self._llama_cpp.llama_vocab_is_eog(self._vocabulary, token):
                    return
                yield token
                if number == limit:
                    return
        except RuntimeError as error:
            if not self._cancelled.is_set():
                raise Unavailable(f"The model failed: {error}.") from error
            # Some of the aborted batch is in the cache, and nothing says how much.
            self._llm.reset()
            raise _Aborted from error

    def _tokenize(self, text: str, special: bool = False) -> list[int]:
        tokens: list[int] = self._llm.tokenize(text.encode("utf-8", "replace"), add_bos=False, special=special)
        return tokens


def _leave_extra_buffers_out(module: Any) -> None:
    """Keep llama.cpp from its AMX kernels, which segfault in the first prompt when GCC ≤ 12 built them."""
    defaults: Callable[[], ctypes.Structure] = module.llama_model_default_params

    def without() -> ctypes.Structure:
        params = defaults()
        params.use_extra_bufts = False
        return params

    module.llama_model_default_params = without


def count_cores() -> int:
    """Physical cores this process may use; logical ones where the system does not tell."""
    if not hasattr(os, "sched_getaffinity"):
        return os.cpu_count() or 1
    usable = os.sched_getaffinity(0)
    siblings = [Path(f"/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list") for number in usable]
    return len({file.read_text() for file in siblings}) if all(file.exists() for file in siblings) else len(usable)


def _load() -> tuple[Header, Handler]:
    model = _Model(sys.argv[1], int(sys.argv[2]))
    return model.measure(), model.handle


if __name__ == "__main__":
    serve(_load)
