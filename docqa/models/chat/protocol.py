"""What chat models offer to the code that writes their prompts. Implementations: `LocalModel`, `RemoteModel`."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager
from typing import Protocol, runtime_checkable


class ChatModel(Protocol):
    """A model that answers messages: `{"role": "system" | "user" | "assistant", "content": text}`, oldest first."""

    @property
    def context_tokens(self) -> int:
        """Tokens that prompt and answer share."""
        ...

    @property
    def is_small(self) -> bool:
        """Whether it has about two billion parameters or fewer: it needs short prompts, and makes more up."""
        ...

    async def count(self, texts: list[str]) -> list[int]:
        """The number of tokens in each text, or an estimate that errs on the high side. Raises Unavailable."""
        ...

    def generate(
        self, messages: list[dict[str, str]], *, temperature: float, max_tokens: int
    ) -> AsyncGenerator[str, None]:
        """The answer to `messages` in pieces of whole characters; closing the generator early stops the model.

        Raises TooLarge, Unavailable or ProviderFailed.
        """
        ...


@runtime_checkable
class OwnModel(ChatModel, Protocol):
    """A model on this machine: it reads one prompt at a time, at a known speed, and caches the prompts it has read."""

    @property
    def prompt_speed(self) -> float:
        """Prompt tokens read per second; 0 where that is not known before the model is loaded."""
        ...

    @property
    def writing_speed(self) -> float:
        """Answer tokens written per second; 0 where that is not known before the model is loaded."""
        ...

    @property
    def load_seconds(self) -> float:
        """What loading it will take; 0 for a loaded one, and where that is not known."""
        ...

    def turn(self) -> AbstractAsyncContextManager[None]:
        """The loaded model, held for one question. Raises Busy or Unavailable."""
        ...

    async def uncached(self, messages: list[dict[str, str]]) -> tuple[int, int]:
        """The length in tokens of the prompt of `messages`, and how many of them are not cached. Raises Unavailable."""
        ...
