"""Anthropic's Messages API, streamed.

Source: https://platform.claude.com/docs/en/build-with-claude/streaming, which asks clients to skip unknown events.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from docqa.models.chat.wire import LENGTH, STOP, WITHHELD, Part, load, read_complaint, split_system

VERSION = "2023-06-01"
MAX_TEMPERATURE = 1.0
_ENDS = {"max_tokens": LENGTH, "model_context_window_exceeded": LENGTH, "refusal": WITHHELD}


@dataclass(frozen=True)
class Anthropic:
    """The wire format; its methods are those of `Wire`."""

    path: ClassVar[str] = "/messages"
    optional: ClassVar[Mapping[str, str]] = {"temperature": ""}

    def headers(self, key: str) -> dict[str, str]:
        """The headers that carry the key."""
        return {"x-api-key": key, "anthropic-version": VERSION}

    def body(self, model: str, messages: list[dict[str, str]], temperature: float, max_tokens: int) -> dict[str, Any]:
        """The request for a streamed answer."""
        system, turns = split_system(messages)
        body = {
            "model": model,
            "messages": turns,
            "stream": True,
            "temperature": min(temperature, MAX_TEMPERATURE),
            "max_tokens": max_tokens,
        }
        return body | ({"system": system} if system else {})

    def part(self, data: str) -> Part:
        """The content of one event. Raises Malformed."""
        event = load(data)
        match event:
            case {"type": "error"}:
                return Part(complaint=read_complaint(event))
            case {"type": "content_block_start", "content_block": {"type": "text", "text": str(text)}}:
                return Part(text)
            case {"type": "content_block_delta", "delta": {"type": "text_delta", "text": str(text)}}:
                return Part(text)
            case {"type": "message_delta", "delta": {"stop_reason": str(reason)}}:
                return Part(end=_ENDS.get(reason, STOP))
            case {"type": "message_stop"}:
                return Part(end=STOP)
        return Part()
