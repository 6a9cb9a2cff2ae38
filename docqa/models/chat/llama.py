"""A GGUF model in this process, by llama.cpp: its context, as much as the memory allows, texts to tokens and back, its chat template. What reads and writes is
`sequences`."""

import ctypes
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from docqa.catalog.machine import available_memory, find_machine
from docqa.errors import Unavailable
from docqa.models.chat.sequences import BATCH, MOST, Sequences

LEAST_CONTEXT = 1024
CACHE_SHARE = 0.25  # of the memory that is left beside the weights, what one context may take
KEPT_SHARE = 0.25  # of a context's share, what conversations may take that are put away
ALL = -1  # layers on the graphics card
ERROR = 4  # of llama.cpp's log levels
# Bytes of one value in the cache, by the type's name as llama.cpp has it.
CACHE_TYPES = {"f16": 2.0, "q8_0": 34 / 32, "q4_0": 18 / 32}


class Engine:
    """One model with one context, whose conversations are `sequences`."""

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
        self._open(path, context_tokens, cache_type)
        self._vocabulary = self._api.llama_model_get_vocab(self._model)
        self._bos = self._text(self._api.llama_vocab_bos(self._vocabulary))
        self.end: int = self._api.llama_vocab_eos(self._vocabulary)

    def _open(self, path: str, context_tokens: int, cache_type: str) -> None:
        """The model and its context: on the graphics card if llama.cpp was built for one and there is room, else without."""
        params = self._api.llama_model_default_params()
        params.use_extra_bufts = False  # its AMX kernels segfault in the first prompt when GCC 12 or older built them
        for layers in (ALL, 0) if self._api.llama_supports_gpu_offload() else (0,):
            params.n_gpu_layers = layers
            self._model = self._api.llama_model_load_from_file(path.encode(), params)
            if not self._model:
                continue
            self.context_tokens, room = self._choose_context(context_tokens, cache_type)
            # What a recurrent model has read lies in one state: no part of it can be forgotten or shared.
            most = (
                1
                if self._api.llama_model_is_recurrent(self._model) or self._api.llama_model_is_hybrid(self._model)
                else MOST
            )
            self._context = self._api.llama_init_from_model(self._model, self._context_params(cache_type, most))
            if self._context:
                self.sequences = Sequences(
                    self._api, self._model, self._context, cells=self.context_tokens, room=room, most=most
                )
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
            raise Unavailable(
                f"The model takes {size / 1e6:,.0f} MB of memory and some for its context; {free / 1e6:,.0f} MB are free."
            )
        return min(most, tokens), KEPT_SHARE * share

    def _token_bytes(self, cache_type: str) -> float:
        """What the cache takes for one token."""
        api, model = self._api, self._model
        width = api.llama_model_n_embd(model) // api.llama_model_n_head(model)
        arch = self.metadata("general.architecture")
        key, value = (int(self.metadata(f"{arch}.attention.{name}_length") or width) for name in ("key", "value"))
        return float(
            api.llama_model_n_layer(model) * api.llama_model_n_head_kv(model) * (key + value) * CACHE_TYPES[cache_type]
        )

    def _context_params(self, cache_type: str, most: int) -> Any:
        params = self._api.llama_context_default_params()
        params.n_ctx = self.context_tokens
        params.n_seq_max, params.kv_unified = most, True
        params.n_batch = params.n_ubatch = BATCH
        params.n_threads = params.n_threads_batch = self.threads
        params.type_k = params.type_v = getattr(self._api, f"GGML_TYPE_{cache_type.upper()}")
        if cache_type != "f16":
            params.flash_attn_type = self._api.LLAMA_FLASH_ATTN_TYPE_ENABLED  # without it, values cannot be quantised
        params.no_perf = True
        return params

    def adapt(self, path: str) -> None:
        """Add the adapter at `path` to the model: Hu et al., "LoRA", 2021. Raises Unavailable."""
        adapter = self._api.llama_adapter_lora_init(self._model, path.encode())
        if not adapter or self._api.llama_set_adapters_lora(
            self._context, (self._api.llama_adapter_lora_p_ctypes * 1)(adapter), 1, (ctypes.c_float * 1)(1.0)
        ):
            raise Unavailable(f"llama.cpp cannot add {path} to the model.")

    def following(self, tokens: list[int]) -> list[float]:
        """The logit of each token of the vocabulary as the one that follows these. Raises Unavailable."""
        sequence = self.sequences.open(tokens, len(tokens), 0.0, threading.Event())
        if sequence is None:
            raise Unavailable("The context of the model is taken by others.")
        try:
            for _ in self.sequences.read(sequence, tokens):
                pass
            return list(
                self._api.llama_get_logits_ith(self._context, -1)[: self._api.llama_vocab_n_tokens(self._vocabulary)]
            )
        finally:
            self.sequences.close(sequence)

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
        count = self._api.llama_tokenize(
            self._vocabulary, data, len(data), tokens, len(tokens), special and not begun, special
        )
        return list(tokens[:count])

    def piece(self, token: int) -> bytes:
        """What a token stands for, which may be part of a character; nothing for a mark."""
        text = ctypes.create_string_buffer(256)
        count = self._api.llama_token_to_piece(self._vocabulary, token, text, len(text), 0, False)
        return text.raw[: max(0, count)]

    def marks(self) -> list[str]:
        """The texts of the vocabulary's marks between messages."""
        control = filter(
            lambda token: self._api.llama_vocab_is_control(self._vocabulary, token),
            range(self._api.llama_vocab_n_tokens(self._vocabulary)),
        )
        return [text for text in map(self._text, control) if text]

    def _text(self, token: int) -> str:
        return self._api.llama_vocab_get_text(self._vocabulary, token).decode("utf-8", "replace") if token >= 0 else ""

    def template(self, **options: bool) -> Callable[[list[dict[str, str]]], str]:
        """What makes a prompt of messages (`role`, `content`), as the file has it; `options` are given to it. Raises Unavailable where it has none."""
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        source = self.metadata("tokenizer.chat_template")
        if not source:
            raise Unavailable("The file has no chat template: it is not a model for conversations.")
        formatter: Any = Jinja2ChatFormatter(template=source, bos_token=self._bos, eos_token=self._text(self.end))
        return lambda messages: str(formatter(messages=messages, **options).prompt)


def _write_error(level: int, text: bytes, _data: Any) -> None:
    if level == ERROR:
        sys.stderr.write(text.decode("utf-8", "replace"))
        sys.stderr.flush()
