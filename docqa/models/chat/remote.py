"""A model that answers over HTTP: a provider's on the internet, or a server of your own that speaks the OpenAI API.

It counts tokens by a rule of thumb that errs on the high side, for providers tell no tokeniser; a context that a server hides is taken as `UNKNOWN_CONTEXT`.
"""

import math
import string
from collections.abc import AsyncGenerator
from contextlib import aclosing

from docqa.catalog.keys import ProviderKeys
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
# The context of each family as its provider's list of models has it; the beginning of a name decides, the longest first. What is too small only leaves out
# passages, what is too large is refused: an unknown name gets what its provider has long given at least.
# https://platform.openai.com/docs/models, https://ai.google.dev/gemini-api/docs/models, https://platform.claude.com/docs/en/about-claude/models
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
UNKNOWN_CONTEXT = (
    4096  # Ollama's and LM Studio's own default, beyond which Ollama cuts off the beginning of a prompt without a word
)
THINKING_TOKENS = 16_384  # for a model that has spent all its tokens on thinking, if its context has room for them

_SINGLE = (string.digits + string.punctuation).encode()


def open_remote(target: Target, keys: ProviderKeys, *, client: HttpClient, seconds: float = 50.0) -> "RemoteModel":
    """The model of a remote target; nothing is sent yet. `seconds`: the time for one answer, half of which tries that fail may take."""
    address, wire = PROVIDERS[target.kind]
    url = (target.url or address).rstrip("/")
    return RemoteModel(Peer(target, wire, url, keys.of(target.kind, target.url), client, seconds))


class RemoteModel:
    """A `ChatModel`, which remembers whether it needs tokens for thinking before it answers."""

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
        """Tokens that prompt and answer share; of a compatible server, known with the first `count`."""
        return self._context or UNKNOWN_CONTEXT

    async def count(self, texts: list[str]) -> list[int]:
        """About how many tokens each text has, rather too many. Raises Unavailable."""
        if not self._context:
            self._context = await self._ask_context()
        return [estimate(text) for text in texts]

    async def generate(
        self, messages: list[dict[str, str]], *, temperature: float, max_tokens: int
    ) -> AsyncGenerator[str, None]:
        """The answer to `messages` (`role`, `content`) in the pieces it comes in; leaving early closes the connection.

        Raises Unavailable and ProviderFailed, in the middle of an answer too: what has ended without either is whole.
        """
        room = self.context_tokens - max_tokens - sum(estimate(message["content"]) for message in messages)
        for reserve in sorted({self._reserve, max(self._reserve, min(THINKING_TOKENS, room))}):
            said, end, thinking = False, "", Thinking()
            async with aclosing(self._parts(messages, temperature, max_tokens + reserve)) as parts:
                async for part in parts:
                    end = end or part.end
                    if text := thinking.show(part.text):
                        said = True
                        yield text
            if text := thinking.rest():
                said = True
                yield text
            if end == WITHHELD:
                raise ProviderFailed(
                    f"{self.target} held its answer back: the provider's filter does not let it through. Ask another model."
                )
            if said:
                self._reserve = reserve
                return
            if end != LENGTH:
                break
        raise ProviderFailed(f"{self.target} gave an empty answer. Ask another model.")

    async def _parts(
        self, messages: list[dict[str, str]], temperature: float, max_tokens: int
    ) -> AsyncGenerator[Part, None]:
        """The parts of one answer, the last with the reason for its end."""
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
                raise self._strange()
            if not ended:
                raise Unavailable(f"{self.target} broke off its answer. Ask again.")
        except Unavailable:
            if not ended:  # behind its mark, an answer is whole however the connection ends
                raise
        finally:
            await response.aclose()

    def _read(self, data: str) -> Part:
        try:
            part = self._peer.wire.part(data)
        except Malformed as error:
            raise self._strange() from error
        if part.complaint:
            raise self._peer.failed_in_stream(part.complaint)
        return part

    def _strange(self) -> ProviderFailed:
        return ProviderFailed(
            f"{self.target} answered with something else than the stream of a model. Is its address in models.toml right?"
        )

    async def _ask_context(self) -> int:
        """The context that the server's list of models tells for this one: vLLM's, llama.cpp's or OpenRouter's field. Raises Unavailable."""
        try:
            listed = await self._peer.get("/models")
        except ProviderFailed:  # it has no such list, which nobody has to have
            return UNKNOWN_CONTEXT
        match listed:
            case {"data": [*models]}:
                known = [model for model in models if isinstance(model, dict)]
            case _:
                return UNKNOWN_CONTEXT
        mine = [model for model in known if model.get("id") == self.target.model] or known[:1]
        return next((size for model in mine if (size := _context(model))), UNKNOWN_CONTEXT)


def _context(model: dict[str, object]) -> int:
    meta = model.get("meta")
    told = {**(meta if isinstance(meta, dict) else {}), **model}
    return next(
        (
            size
            for field in ("max_model_len", "n_ctx", "n_ctx_train", "context_length")
            if type(size := told.get(field)) is int and size > 0
        ),
        0,
    )


def estimate(text: str) -> int:
    """A token for every digit and sign of ASCII, and for every three bytes of the rest: a character of Chinese, three of English."""
    data = text.encode("utf-8", "replace")
    rest = data.translate(None, _SINGLE)
    return len(data) - len(rest) + math.ceil(len(rest) / 3)
