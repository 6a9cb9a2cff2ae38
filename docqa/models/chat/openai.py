"""OpenAI's chat completions, which Google, llama.cpp, Ollama, vLLM and LM Studio speak too.

Source: https://platform.openai.com/docs/api-reference/chat-streaming. What a model thinks (`reasoning_content`, `reasoning`) is not read. The mark of a whole
answer is its `finish_reason`: `[DONE]` comes behind half an answer too, where llama-cpp-python's server drops it for another request.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from docqa.models.chat.wire import LENGTH, STOP, WITHHELD, Malformed, Part, complaint, load, turns

_ENDS = {"length": LENGTH, "content_filter": WITHHELD}


@dataclass(frozen=True)
class OpenAI:
    """`limit` is the field for the number of tokens: newer models of OpenAI refuse `max_tokens`, older servers know nothing else."""

    limit: str = "max_tokens"
    path: ClassVar[str] = "/chat/completions"
    optional: ClassVar[Mapping[str, str]] = {
        "temperature": "",
        "max_tokens": "max_completion_tokens",
        "max_completion_tokens": "max_tokens",
    }

    def headers(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, model: str, messages: list[dict[str, str]], temperature: float, max_tokens: int) -> dict[str, Any]:
        system, spoken = turns(messages)
        opening = [{"role": "system", "content": system}] if system else []
        return {
            "model": model,
            "messages": [*opening, *spoken],
            "stream": True,
            "temperature": temperature,
            self.limit: max_tokens,
        }

    def part(self, data: str) -> Part:
        if data.strip() == "[DONE]":
            return Part()
        event = load(data)
        match event:
            case {"error": error} if error:
                return Part(complaint=complaint(event))
            case {"choices": [{**choice}, *_]}:
                reason = choice.get("finish_reason")
                return Part(_content(choice.get("delta")), _ENDS.get(str(reason), STOP) if reason else "")
            case {"choices": [] | None}:
                return Part()  # the count of tokens
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
