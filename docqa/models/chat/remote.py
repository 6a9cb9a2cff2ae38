"""A model that answers over HTTP: a provider's on the internet, or a server of your own that speaks the OpenAI API.

Tokens are estimated on the high side, because providers do not publish their tokenizers; a server that does not tell
the size of its context is assumed to have `UNKNOWN_CONTEXT`.
"""

import math
import re
import string
from collections.abc import AsyncGenerator
from contextlib import aclosing

from docqa.catalog.keys import ProviderKeys, variable
from docqa.catalog.targets import Target
from docqa.errors import ProviderFailed, Unavailable
from docqa.models.chat.anthropic import Anthropic
from docqa.models.chat.http import HttpClient, Peer
from docqa.models.chat.openai import OpenAI
from docqa.models.chat.thinking import Thinking
from docqa.models.chat.wire import LENGTH, WITHHELD, Malformed, Part, Wire

PROVIDERS: dict[str, tuple[str, Wire]] = {
    "openai": ("https://api.openai.com/v1", OpenAI("max_completion_tokens")),
    "google": ("https://generativelanguage.googleapis.com/v1beta/openai", OpenAI()),
    "anthropic": ("https://api.anthropic.com/v1", Anthropic()),
    "compatible": ("", OpenAI()),
}
# The context of each family by its provider's list of models; the longest matching prefix of a name decides. Too small
# a number only leaves out passages, too large a one is refused: unknown names get the least the provider has long
# offered. https://platform.openai.com/docs/models, https://ai.google.dev/gemini-api/docs/models,
# https://platform.claude.com/docs/en/about-claude/models
CONTEXTS = {
    "openai": {
        "": 128_000,
        "gpt-5": 400_000,
        "gpt-4.1": 1_047_576,
        "gpt-4": 8_192,
        "gpt-4o": 128_000,
        "gpt-4-turbo": 128_000,
        "gpt-3.5": 16_385,
    },
    "google": {"": 131_072, "gemini": 1_048_576},
    "anthropic": {"": 200_000},
}
# The default of Ollama and LM Studio; Ollama silently cuts off the beginning of a longer prompt.
UNKNOWN_CONTEXT = 4096
THINKING_TOKENS = 16_384  # added for a model that has spent all its tokens on thinking, if its context has room

# How many parameters a model has, by its name: 0.6b, 135M.
_SIZE = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)[ _-]?([bBmM])(?![^\W_])")
_PARAMETERS = {"b": 1e9, "m": 1e6}
SMALL = 2e9
_ONE_EACH = (string.digits + string.punctuation).encode()


def obstacle(target: Target, keys: ProviderKeys, offline: bool) -> str:
    """Why a remote target must not be asked, "" where it may."""
    if offline and target.leaves_machine:
        return "DOCQA_OFFLINE is on"
    if target.bills and not keys.of(target.kind, target.url):
        return f"no key is given ({variable(target.kind)})"
    return ""


def open_remote(target: Target, keys: ProviderKeys, *, client: HttpClient, seconds: float = 50.0) -> "RemoteModel":
    """The model of a remote target; nothing is sent yet.

    `seconds`: the time for one answer, up to half of it for retries.
    """
    address, wire = PROVIDERS[target.kind]
    url = (target.url or address).rstrip("/")
    return RemoteModel(Peer(target, wire, url, keys.of(target.kind, target.url), client, seconds))


class RemoteModel:
    """A `ChatModel` that remembers how many tokens it needs for thinking before it answers."""

    def __init__(self, peer: Peer) -> None:
        self.target = peer.target
        self._peer = peer
        self._reserve = 0
        families = CONTEXTS.get(self.target.kind, {})
        self._context = next(
            (families[name] for name in sorted(families, key=len, reverse=True) if self.target.model.startswith(name)),
            0,
        )

    @property
    def context_tokens(self) -> int:
        """Tokens that prompt and answer share; for a compatible server, known after the first `count`."""
        return self._context or UNKNOWN_CONTEXT

    @property
    def is_small(self) -> bool:
        """Whether a compatible server's model is said to be small by its name: qwen3:0.6b, smollm2-135m."""
        sizes = _SIZE.findall(self.target.model) if self.target.kind == "compatible" else []
        return any(float(number) * _PARAMETERS[unit.lower()] <= SMALL for number, unit in sizes)

    async def count(self, texts: list[str]) -> list[int]:
        """The estimated number of tokens in each text, on the high side. Raises Unavailable."""
        if not self._context:
            self._context = await self._listed_context()
        return [estimate(text) for text in texts]

    async def generate(
        self, messages: list[dict[str, str]], *, temperature: float, max_tokens: int
    ) -> AsyncGenerator[str, None]:
        """The answer to `messages` (`role`, `content`) in pieces as they arrive; closing it early disconnects.

        Raises Unavailable and ProviderFailed, also in mid-answer: an answer that ends without either is complete.
        """
        room = self.context_tokens - max_tokens - sum(estimate(message["content"]) for message in messages)
        for reserve in sorted({self._reserve, max(self._reserve, min(THINKING_TOKENS, room))}):
            answered, end, thinking = False, "", Thinking()
            async with aclosing(self._parts(messages, temperature, max_tokens + reserve)) as parts:
                async for part in parts:
                    end = end or part.end
                    if text := thinking.show(part.text):
                        answered = True
                        yield text
            if text := thinking.rest():
                answered = True
                yield text
            if end == WITHHELD:
                raise ProviderFailed(
                    f"{self.target} withheld its answer: the provider's content filter blocked it. Try another model."
                )
            if answered:
                self._reserve = reserve
                return
            if end != LENGTH:
                break
        raise ProviderFailed(f"{self.target} gave an empty answer. Try another model.")

    async def _parts(
        self, messages: list[dict[str, str]], temperature: float, max_tokens: int
    ) -> AsyncGenerator[Part, None]:
        """The parts of one answer, one of them with the reason for its end."""
        wire = self._peer.wire
        response = await self._peer.post(wire.path, wire.body(self.target.model, messages, temperature, max_tokens))
        begun, ended = False, False
        try:
            async with aclosing(self._peer.events(response)) as events:
                async for data in events:
                    part = self._read(data)
                    begun, ended = True, ended or bool(part.end)
                    yield part
            if not begun:
                raise self._no_stream()
            if not ended:
                raise Unavailable(f"{self.target} broke off its answer. Try again.")
        except Unavailable:
            if not ended:  # after its end mark, an answer is complete however the connection ends
                raise
        finally:
            await response.aclose()

    def _read(self, data: str) -> Part:
        try:
            part = self._peer.wire.part(data)
        except Malformed as error:
            raise self._no_stream() from error
        if part.complaint:
            raise self._peer.failures.in_stream(part.complaint)
        return part

    def _no_stream(self) -> ProviderFailed:
        return ProviderFailed(
            f"{self.target} did not answer with a model's event stream. Is its address in models.toml right?"
        )

    async def _listed_context(self) -> int:
        """This model's context in the server's list of models, in vLLM's, llama.cpp's or OpenRouter's field.

        Raises Unavailable.
        """
        try:
            listed = await self._peer.get("/models")
        except ProviderFailed:  # it has no such list, which is optional
            return UNKNOWN_CONTEXT
        match listed:
            case {"data": [*models]}:
                entries = [model for model in models if isinstance(model, dict)]
            case _:
                return UNKNOWN_CONTEXT
        matching = [entry for entry in entries if entry.get("id") == self.target.model] or entries[:1]
        return next((size for entry in matching if (size := _context(entry))), UNKNOWN_CONTEXT)


def _context(entry: dict[str, object]) -> int:
    """The context size in an entry of the list of models, 0 if it has none."""
    meta = entry.get("meta")
    values = {**(meta if isinstance(meta, dict) else {}), **entry}
    return next(
        (
            size
            for field in ("max_model_len", "n_ctx", "n_ctx_train", "context_length")
            if type(size := values.get(field)) is int and size > 0
        ),
        0,
    )


def estimate(text: str) -> int:
    """The estimated tokens of a text: one for each ASCII digit and punctuation mark, one for every three other bytes.

    That is one per Chinese character and one per three English letters.
    """
    data = text.encode("utf-8", "replace")
    rest = data.translate(None, _ONE_EACH)
    return len(data) - len(rest) + math.ceil(len(rest) / 3)
