"""A GGUF model in this process, run by llama.cpp: its context, its tokenizer, its chat template.

The conversations in the context are in `sequences`.
"""

import ctypes
import os
import sys
from collections.abc import Callable
from typing import Any

from docqa.catalog.machine import available_memory, find_machine
from docqa.errors import Unavailable
from docqa.models.chat.sequences import BATCH, MAX_SEQUENCES, Sequences

LEAST_CONTEXT = 1024
CACHE_SHARE = 0.25  # of the memory left over by the weights: the most that one context may take
EVICTED_SHARE = 0.25  # of a context's share: what evicted conversations may take
ALL_LAYERS = -1  # on the graphics card
ERROR = 4  # a log level of llama.cpp
# Bytes per value in the cache, by llama.cpp's name of the type.
CACHE_TYPES = {"f16": 2.0, "q8_0": 34 / 32, "q4_0": 18 / 32}


class Engine:
    """The GGUF model at `path` with a context of `context_tokens`, fewer if training or free memory do not allow it.

    Its conversations are `sequences`, `end` is its end-of-text token. Raises Unavailable.
    """

    def __init__(self, path: str, context_tokens: int, cache_type: str) -> None:
        # Threads that spin while waiting take the core from the thread they wait for: on two busy cores 0.3 tokens a
        # second instead of 110.
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
        import llama_cpp

        self._api: Any = llama_cpp
        self._log = llama_cpp.llama_log_callback(_write_error)
        llama_cpp.llama_log_set(self._log, None)
        llama_cpp.llama_backend_init()
        self.threads = find_machine().cores
        self._open(path, context_tokens, cache_type)
        self._vocabulary = self._api.llama_model_get_vocab(self._model)
        self._bos = self._text(self._api.llama_vocab_bos(self._vocabulary))
        self.end: int = self._api.llama_vocab_eos(self._vocabulary)

    def _open(self, path: str, context_tokens: int, cache_type: str) -> None:
        """Load the model and make its context, on the graphics card if llama.cpp was built for one and it has room."""
        params = self._api.llama_model_default_params()
        params.use_extra_bufts = False  # its AMX kernels segfault in the first prompt if built by GCC 12 or older
        for layers in (ALL_LAYERS, 0) if self._api.llama_supports_gpu_offload() else (0,):
            params.n_gpu_layers = layers
            self._model = self._api.llama_model_load_from_file(path.encode(), params)
            if not self._model:
                continue
            self.context_tokens, evicted_bytes = self._choose_context(context_tokens, cache_type)
            # A recurrent model has a single state: no part of what it has read can be dropped or shared.
            recurrent = self._api.llama_model_is_recurrent(self._model) or self._api.llama_model_is_hybrid(self._model)
            limit = 1 if recurrent else MAX_SEQUENCES
            self._context = self._api.llama_init_from_model(self._model, self._context_params(cache_type, limit))
            if self._context:
                self.sequences = Sequences(
                    self._api,
                    self._model,
                    self._context,
                    cells=self.context_tokens,
                    evicted_bytes=evicted_bytes,
                    limit=limit,
                )
                return
            self._api.llama_model_free(self._model)
        raise Unavailable(f"llama.cpp cannot load {path}.")

    def _choose_context(self, limit: int, cache_type: str) -> tuple[int, float]:
        """The tokens of the context, at most `limit`, and the bytes for evicted conversations.

        Raises Unavailable where there is too little memory.
        """
        limit = min(limit, self._api.llama_model_n_ctx_train(self._model))
        size, free = self._api.llama_model_size(self._model), available_memory() or find_machine().memory // 2
        if not free:
            return limit, 0.0
        share = CACHE_SHARE * (free - size)
        tokens = int(share / self._token_bytes(cache_type)) // BATCH * BATCH
        if tokens < min(limit, LEAST_CONTEXT):
            raise Unavailable(
                f"The model needs {size / 1e6:,.0f} MB of memory and more for its context; "
                f"only {free / 1e6:,.0f} MB are free."
            )
        return min(limit, tokens), EVICTED_SHARE * share

    def _token_bytes(self, cache_type: str) -> float:
        """The size of one token in the cache, in bytes."""
        api, model = self._api, self._model
        width = api.llama_model_n_embd(model) // api.llama_model_n_head(model)
        arch = self.metadata("general.architecture")
        key, value = (int(self.metadata(f"{arch}.attention.{name}_length") or width) for name in ("key", "value"))
        return float(
            api.llama_model_n_layer(model) * api.llama_model_n_head_kv(model) * (key + value) * CACHE_TYPES[cache_type]
        )

    def _context_params(self, cache_type: str, sequences: int) -> Any:
        params = self._api.llama_context_default_params()
        params.n_ctx = self.context_tokens
        params.n_seq_max, params.kv_unified = sequences, True
        params.n_batch = params.n_ubatch = BATCH
        params.n_threads = params.n_threads_batch = self.threads
        params.type_k = params.type_v = getattr(self._api, f"GGML_TYPE_{cache_type.upper()}")
        if cache_type != "f16":
            params.flash_attn_type = self._api.LLAMA_FLASH_ATTN_TYPE_ENABLED  # which quantised values need
        params.no_perf = True
        return params

    def metadata(self, key: str) -> str:
        """The file's metadata value under `key`, "" if there is none."""
        length = self._api.llama_model_meta_val_str(self._model, key.encode(), None, 0)
        text = ctypes.create_string_buffer(max(0, length) + 1)
        self._api.llama_model_meta_val_str(self._model, key.encode(), text, len(text))
        return text.value.decode("utf-8", "replace")

    # Tokens

    def tokenize(self, text: str, *, special: bool = False) -> list[int]:
        """The tokens of a text; with `special`, of a whole prompt, in which control tokens count as such.

        A prompt gets the model's first token in front, if it requires one.
        """
        data = text.encode("utf-8", "replace")
        begun = bool(self._bos) and text.startswith(self._bos)
        tokens = (self._api.llama_token * (len(data) + 2))()
        count = self._api.llama_tokenize(
            self._vocabulary, data, len(data), tokens, len(tokens), special and not begun, special
        )
        return list(tokens[:count])

    def piece(self, token: int) -> bytes:
        """The bytes of a token, which may be part of a character; empty for a control token."""
        text = ctypes.create_string_buffer(256)
        count = self._api.llama_token_to_piece(self._vocabulary, token, text, len(text), 0, False)
        return text.raw[: max(0, count)]

    def control_texts(self) -> list[str]:
        """The texts that the tokenizer reads as control tokens, such as those between messages."""
        control = filter(
            lambda token: self._api.llama_vocab_is_control(self._vocabulary, token),
            range(self._api.llama_vocab_n_tokens(self._vocabulary)),
        )
        return [text for text in map(self._text, control) if text]

    def _text(self, token: int) -> str:
        return self._api.llama_vocab_get_text(self._vocabulary, token).decode("utf-8", "replace") if token >= 0 else ""

    def template(self, **options: bool) -> Callable[[list[dict[str, str]]], str]:
        """The file's chat template as a function from messages (`role`, `content`) to a prompt, called with `options`.

        Raises Unavailable for a file without one; the function raises ValueError for messages that it refuses.
        """
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        source = self.metadata("tokenizer.chat_template")
        if not source:
            raise Unavailable("The file has no chat template: it is not a chat model.")
        formatter: Any = Jinja2ChatFormatter(template=source, bos_token=self._bos, eos_token=self._text(self.end))
        return lambda messages: str(formatter(messages=messages, **options).prompt)


def _write_error(level: int, text: bytes, _data: Any) -> None:
    if level == ERROR:
        sys.stderr.write(text.decode("utf-8", "replace"))
        sys.stderr.flush()
