"""A GGUF model in this process, by llama.cpp: texts to tokens, a prompt read, tokens written. What was read is kept and not read again.

Of conversations, templates and time it knows nothing. A model that cannot forget the end of what it has read, a recurrent one, reads anew.
"""

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from docqa.errors import Unavailable
from docqa.machine import available_memory, find_machine

BATCH = 512  # tokens of a prompt at once: without a graphics card the work on them can be stopped in between
LEAST_CONTEXT = 1024
CACHE_SHARE = 0.25  # of the memory that is left beside the weights, what one context may take
KEPT_SHARE = 0.25  # of a context's share, what conversations may take that are put away
KEPT = 8  # of them
WORTH = 64  # tokens: fewer are sooner read again than copied
ALL = -1  # layers on the graphics card
ERROR = 4  # of llama.cpp's log levels
ABORTED = 2  # of llama_decode's results
# Bytes of one value in the cache, by the type's name as llama.cpp has it.
CACHE_TYPES = {"f16": 2.0, "q8_0": 34 / 32, "q4_0": 18 / 32}
# What llama.cpp's own server samples with.
TOP_K, TOP_P, MIN_P = 40, 0.95, 0.05


class Stopped(Exception):
    """Nobody wants what is being read or written any more."""


@dataclass(frozen=True, eq=False)
class _Kept:
    """A conversation that was put away: its tokens, and what llama.cpp made of them."""

    tokens: list[int]
    state: Any


class Engine:
    """One model with one context. Whoever asks sets `stopped` to an event that ends the reading and writing, with Stopped."""

    def __init__(self, path: str, context_tokens: int, cache_type: str) -> None:
        """Load the model, with as many tokens of context as asked for, or as its training and the free memory allow. Raises Unavailable."""
        # Threads that spin while they wait take the core from the one they wait for: on two busy cores 0.3 tokens a second, not 110.
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
        import llama_cpp

        self._api: Any = llama_cpp
        self._log = llama_cpp.llama_log_callback(_write_error)
        llama_cpp.llama_log_set(self._log, None)
        llama_cpp.llama_backend_init()
        self.threads = find_machine().cores
        self.stopped = threading.Event()
        self._held: list[int] = []
        self._kept: list[_Kept] = []
        self._open(path, context_tokens, cache_type)
        self._memory = self._api.llama_get_memory(self._context)
        self._vocabulary = self._api.llama_model_get_vocab(self._model)
        self._bos = self._text(self._api.llama_vocab_bos(self._vocabulary))
        self._aborts = llama_cpp.ggml_abort_callback(lambda _: self.stopped.is_set())

    def _open(self, path: str, context_tokens: int, cache_type: str) -> None:
        """The model and its context: on the graphics card if llama.cpp was built for one and there is room, else without."""
        params = self._api.llama_model_default_params()
        params.use_extra_bufts = False  # its AMX kernels segfault in the first prompt when GCC 12 or older built them
        for layers in (ALL, 0) if self._api.llama_supports_gpu_offload() else (0,):
            params.n_gpu_layers = layers
            self._model = self._api.llama_model_load_from_file(path.encode(), params)
            if not self._model:
                continue
            self.context_tokens, self._room = self._choose_context(context_tokens, cache_type)
            self._context = self._api.llama_init_from_model(self._model, self._context_params(cache_type))
            if self._context:
                return
            self._api.llama_model_free(self._model)
        raise Unavailable(f"llama.cpp cannot load {path}.")

    def _choose_context(self, most: int, cache_type: str) -> tuple[int, float]:
        """The tokens of the context, and the bytes that conversations may take that are put away. Raises Unavailable when the memory is too short."""
        most = min(most, self._api.llama_model_n_ctx_train(self._model))
        size, free = self._api.llama_model_size(self._model), available_memory() or find_machine().memory // 2
        if not free:
            return most, 0.0
        share = CACHE_SHARE * (free - size)
        tokens = int(share / self._token_bytes(cache_type)) // BATCH * BATCH
        if tokens < min(most, LEAST_CONTEXT):
            raise Unavailable(f"The model takes {size / 1e6:,.0f} MB of memory and some for its context; {free / 1e6:,.0f} MB are free.")
        return min(most, tokens), KEPT_SHARE * share

    def _token_bytes(self, cache_type: str) -> float:
        """What the cache takes for one token."""
        api, model = self._api, self._model
        width = api.llama_model_n_embd(model) // api.llama_model_n_head(model)
        arch = self.metadata("general.architecture")
        key, value = (int(self.metadata(f"{arch}.attention.{name}_length") or width) for name in ("key", "value"))
        return float(api.llama_model_n_layer(model) * api.llama_model_n_head_kv(model) * (key + value) * CACHE_TYPES[cache_type])

    def _context_params(self, cache_type: str) -> Any:
        params = self._api.llama_context_default_params()
        params.n_ctx = self.context_tokens
        params.n_batch = params.n_ubatch = BATCH
        params.n_threads = params.n_threads_batch = self.threads
        params.type_k = params.type_v = getattr(self._api, f"GGML_TYPE_{cache_type.upper()}")
        if cache_type != "f16":
            params.flash_attn_type = self._api.LLAMA_FLASH_ATTN_TYPE_ENABLED  # without it, values cannot be quantised
        params.no_perf = True
        return params

    def metadata(self, key: str) -> str:
        """What the file says under `key`, "" where it does not."""
        length = self._api.llama_model_meta_val_str(self._model, key.encode(), None, 0)
        text = ctypes.create_string_buffer(max(0, length) + 1)
        self._api.llama_model_meta_val_str(self._model, key.encode(), text, len(text))
        return text.value.decode("utf-8", "replace")

    # Tokens

    def tokenize(self, text: str, *, special: bool = False) -> list[int]:
        """The tokens of a text; with `special` those of a whole prompt, in which the model's marks are such, behind its first one if the model wants one."""
        data = text.encode("utf-8", "replace")
        begun = bool(self._bos) and text.startswith(self._bos)
        tokens = (self._api.llama_token * (len(data) + 2))()
        count = self._api.llama_tokenize(self._vocabulary, data, len(data), tokens, len(tokens), special and not begun, special)
        return list(tokens[:count])

    def piece(self, token: int) -> bytes:
        """What a token stands for, which may be part of a character; nothing for a mark."""
        text = ctypes.create_string_buffer(256)
        count = self._api.llama_token_to_piece(self._vocabulary, token, text, len(text), 0, False)
        return text.raw[: max(0, count)]

    def marks(self) -> list[str]:
        """The texts of the vocabulary's marks between messages."""
        control = filter(lambda token: self._api.llama_vocab_is_control(self._vocabulary, token), range(self._api.llama_vocab_n_tokens(self._vocabulary)))
        return [text for text in map(self._text, control) if text]

    def _text(self, token: int) -> str:
        return self._api.llama_vocab_get_text(self._vocabulary, token).decode("utf-8", "replace") if token >= 0 else ""

    def template(self, **options: bool) -> Callable[[list[dict[str, str]]], str]:
        """What makes a prompt of messages (`role`, `content`), as the file has it; `options` are given to it. Raises Unavailable where it has none."""
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        source = self.metadata("tokenizer.chat_template")
        if not source:
            raise Unavailable("The file has no chat template: it is not a model for conversations.")
        eos = self._text(self._api.llama_vocab_eos(self._vocabulary))
        formatter: Any = Jinja2ChatFormatter(template=source, bos_token=self._bos, eos_token=eos)
        return lambda messages: str(formatter(messages=messages, **options).prompt)

    # Reading and writing

    def unread(self, tokens: Sequence[int]) -> int:
        """How many of these tokens `read` would have to read."""
        return len(tokens) - max(_common(held, tokens) for held in (self._held, *(kept.tokens for kept in self._kept)))

    def read(self, tokens: Sequence[int]) -> int:
        """Bring the model to the end of these tokens, one at least; how many had to be read. Raises Stopped, Unavailable."""
        start = self._resume(tokens)
        # Asked before each of some hundred steps: of a batch that is nothing, of a single token, after which can be looked as well, a twentieth of its time.
        self._api.llama_set_abort_callback(self._context, self._aborts, None)
        try:
            for at in range(start, len(tokens), BATCH):
                self._decode(tokens[at : at + BATCH])
        finally:
            self._api.llama_set_abort_callback(self._context, self._api.ggml_abort_callback(), None)
        return len(tokens) - start

    def write(self, temperature: float) -> Iterator[int]:
        """The tokens that follow what was read, until the model ends or the context is full. Raises Stopped, Unavailable."""
        sampler = self._sampler(temperature)
        try:
            while True:
                token = self._api.llama_sampler_sample(sampler, self._context, -1)
                if self._api.llama_vocab_is_eog(self._vocabulary, token):
                    return
                yield token
                if len(self._held) == self.context_tokens:
                    return
                self._decode([token])
        finally:
            self._api.llama_sampler_free(sampler)

    def forget(self) -> None:
        """Everything that was read."""
        self._api.llama_memory_clear(self._memory, True)
        self._held = []

    def _resume(self, tokens: Sequence[int]) -> int:
        """Go back to where these tokens part from what was read, in the conversation at hand or in one put away; how many stay."""
        here = _common(self._held, tokens)
        other = max(self._kept, key=lambda kept: _common(kept.tokens, tokens), default=None)
        wanted = other and _common(other.tokens, tokens) > here + WORTH
        if len(self._held) > 2 * here + WORTH:
            self._put_away()
        if other and wanted:
            self._take_up(other)
        here = min(_common(self._held, tokens), len(tokens) - 1)  # the last one is read again for what follows it
        self._cut(here)
        return len(self._held)

    def _cut(self, end: int) -> None:
        """Forget what is behind the first `end` tokens, or all where only that can be."""
        if self._api.llama_memory_seq_rm(self._memory, 0, end, -1):
            self._held = self._held[:end]
        else:
            self.forget()

    def _put_away(self) -> None:
        size = self._api.llama_state_seq_get_size(self._context, 0)
        if size > self._room:
            return
        while self._kept and (len(self._kept) == KEPT or size + sum(len(kept.state) for kept in self._kept) > self._room):
            del self._kept[0]
        state = (ctypes.c_uint8 * size)()
        self._api.llama_state_seq_get_data(self._context, state, size, 0)
        self._kept.append(_Kept(self._held, state))

    def _take_up(self, kept: _Kept) -> None:
        self.forget()
        if kept in self._kept:
            self._kept.remove(kept)
        if self._api.llama_state_seq_set_data(self._context, kept.state, len(kept.state), 0):
            self._held = kept.tokens

    def _decode(self, tokens: Sequence[int]) -> None:
        if self.stopped.is_set():  # on a graphics card nothing asks in between
            raise Stopped
        batch = (self._api.llama_token * len(tokens))(*tokens)
        result = self._api.llama_decode(self._context, self._api.llama_batch_get_one(batch, len(tokens)))
        if result:
            self._cut(len(self._held))  # of a batch that was broken off, some is there, and nothing says how much
            raise Stopped if result == ABORTED else Unavailable(f"The model failed: llama.cpp could not read on ({result}).")
        self._held += tokens

    def _sampler(self, temperature: float) -> Any:
        api = self._api
        chain = api.llama_sampler_chain_init(api.llama_sampler_chain_default_params())
        if temperature <= 0:
            api.llama_sampler_chain_add(chain, api.llama_sampler_init_greedy())
            return chain
        for sampler in (
            api.llama_sampler_init_top_k(TOP_K),
            api.llama_sampler_init_top_p(TOP_P, 1),
            api.llama_sampler_init_min_p(MIN_P, 1),
            api.llama_sampler_init_temp(temperature),
            api.llama_sampler_init_dist(api.LLAMA_DEFAULT_SEED),
        ):
            api.llama_sampler_chain_add(chain, sampler)
        return chain


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens both begin with."""
    return next((number for number, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _write_error(level: int, text: bytes, _data: Any) -> None:
    if level == ERROR:
        sys.stderr.write(text.decode("utf-8", "replace"))
        sys.stderr.flush()
