"""Anthropic's messages, streamed.

Source: https://platform.claude.com/docs/en/build-with-claude/streaming. Events of kinds that it does not know are passed over, as that text asks for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from docqa.models.chat.wire import LENGTH, STOP, WITHHELD, Part, complaint, load, turns

VERSION = "2023-06-01"
WARMEST = 1.0  # the highest temperature it takes
_ENDS = {"max_tokens": LENGTH, "model_context_window_exceeded": LENGTH, "refusal": WITHHELD}


@dataclass(frozen=True)
class Anthropic:
    path: ClassVar[str] = "/messages"
    optional: ClassVar[Mapping[str, str]] = {"temperature": ""}

    def headers(self, key: str) -> dict[str, str]:
        return {"x-api-key": key, "anthropic-version": VERSION}

    def body(self, model: str, messages: list[dict[str, str]], temperature: float, max_tokens: int) -> dict[str, Any]:
        system, spoken = turns(messages)
        body = {
            "model": model,
            "messages": spoken,
            "stream": True,
            "temperature": min(temperature, WARMEST),
            "max_tokens": max_tokens,
        }
        return body | ({"system": system} if system else {})

    def part(self, data: str) -> Part:
        event = load(data)
        match event:
            case {"type": "error"}:
                return Part(complaint=complaint(event))
            case {"type": "content_block_start", "content_block": {"type": "text", "text": str(text)}}:
                return Part(text)
            case {"type": "content_block_delta", "delta": {"type": "text_delta", "text": str(text)}}:
                return Part(text)
            case {"type": "message_delta", "delta": {"stop_reason": str(reason)}}:
                return Part(end=_ENDS.get(reason, STOP))
            case {"type": "message_stop"}:
                return Part(end=STOP)
        return Part()
