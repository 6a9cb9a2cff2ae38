"""OpenAI's chat completions, streamed, which Google, llama.cpp, Ollama, vLLM and LM Studio speak too.

Source: https://platform.openai.com/docs/api-reference/chat-streaming. Reasoning (`reasoning_content`, `reasoning`) is
skipped. Only `finish_reason` marks a whole answer: llama-cpp-python's server also sends `[DONE]` when it drops an
answer halfway for another request.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from docqa.models.chat.wire import LENGTH, STOP, WITHHELD, Malformed, Part, load, read_complaint, split_system

_ENDS = {"length": LENGTH, "content_filter": WITHHELD}


@dataclass(frozen=True)
class OpenAI:
    """The wire format; its methods are those of `Wire`.

    `limit` is the field for the token limit: newer models of OpenAI refuse `max_tokens`, older servers know nothing
    else.
    """

    limit: str = "max_tokens"
    path: ClassVar[str] = "/chat/completions"
    optional: ClassVar[Mapping[str, str]] = {
        "temperature": "",
        "max_tokens": "max_completion_tokens",
        "max_completion_tokens": "max_tokens",
    }

    def headers(self, key: str) -> dict[str, str]:
        """The header that carries the key, if there is one."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, model: str, messages: list[dict[str, str]], temperature: float, max_tokens: int) -> dict[str, Any]:
        """The request for a streamed answer."""
        system, turns = split_system(messages)
        opening = [{"role": "system", "content": system}] if system else []
        return {
            "model": model,
            "messages": [*opening, *turns],
            "stream": True,
            "temperature": temperature,
            self.limit: max_tokens,
        }

    def part(self, data: str) -> Part:
        """The content of one event. Raises Malformed."""
        if data.strip() == "[DONE]":
            return Part()
        event = load(data)
        match event:
            case {"error": error} if error:
                return Part(complaint=read_complaint(event))
            case {"choices": [{**choice}, *_]}:
                reason = choice.get("finish_reason")
                return Part(_content(choice.get("delta")), _ENDS.get(str(reason), STOP) if reason else "")
            case {"choices": [] | None}:
                return Part()  # the token usage
        raise Malformed


def _content(delta: object) -> str:
    match delta:
        case {"content": str(text)}:
            return text
        case {"content": [*blocks]}:  # Mistral: blocks of `thinking` and of `text`
            return "".join(
                block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str)
            )
        case dict() | None:
            return ""
    raise Malformed
