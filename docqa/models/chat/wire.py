"""What differs between the providers' formats: the request's body and headers, and how a stream's event is read.

Nothing here knows connections: `http` sends and receives, `remote` puts both together.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

# Why an answer ended: by itself, at the token limit, or withheld by the provider.
STOP, LENGTH, WITHHELD = "stop", "length", "withheld"


@dataclass(frozen=True)
class Complaint:
    """A provider's error in its own words: the refused `param` of the request and the error's `code`, or ""."""

    message: str = ""
    param: str = ""
    code: str = ""


@dataclass(frozen=True)
class Part:
    """The content of one event: a piece of the answer, why it `end`ed (STOP, LENGTH, WITHHELD or ""), or an error."""

    text: str = ""
    end: str = ""
    complaint: Complaint | None = None


class Malformed(Exception):
    """An event that is not in the provider's format."""


class Wire(Protocol):
    """The wire format of one provider."""

    @property
    def path(self) -> str:
        """Where requests go, below the provider's address."""
        ...

    @property
    def optional(self) -> Mapping[str, str]:
        """The fields that a model may refuse, each with the field that then takes its value, or "" to leave it out."""
        ...

    def headers(self, key: str) -> dict[str, str]:
        """The headers that carry the key."""
        ...

    def body(self, model: str, messages: list[dict[str, str]], temperature: float, max_tokens: int) -> dict[str, Any]:
        """The request for a streamed answer to `messages` (`role`, `content`)."""
        ...

    def part(self, data: str) -> Part:
        """The content of one server-sent event. Raises Malformed."""
        ...


def load(data: str) -> dict[str, Any]:
    """The JSON object in `data`. Raises Malformed."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Malformed from error
    if not isinstance(value, dict):
        raise Malformed
    return value


def read_complaint(body: object) -> Complaint:
    """The error in a decoded body, an empty one if there is none.

    Known: `{"error": {"message", "param", "code"}}`, `{"error": "..."}`, `{"message"}`, `{"detail"}`, a list of them.
    """
    match body:
        case [first, *_]:
            return read_complaint(first)
        case {"error": {**error}}:
            return Complaint(
                _line(error.get("message")), _line(error.get("param")), _line(error.get("code") or error.get("type"))
            )
        case {"error": str(message)} | {"message": str(message)} | {"detail": str(message)}:
            return Complaint(_line(message))
    return Complaint()


def _line(value: object) -> str:
    """Any value as one line of text; "" for what is neither a string nor a number."""
    return " ".join(str(value).split()) if isinstance(value, str | int) else ""


def split_system(messages: list[dict[str, str]]) -> tuple[str, list[dict[str, str]]]:
    """The system text, and the other messages as providers and chat templates require them.

    Those begin with the user's and alternate; consecutive messages of one role are joined, empty ones dropped.
    """
    system: list[str] = []
    turns: list[dict[str, str]] = []
    for message in messages:
        # Most servers reject JSON with half a surrogate pair.
        content = message["content"].encode("utf-8", "replace").decode()
        if message["role"] == "system":
            system.append(content)
        elif not content.strip() or not turns and message["role"] != "user":
            continue
        elif turns and turns[-1]["role"] == message["role"]:
            turns[-1]["content"] += f"\n\n{content}"
        else:
            turns.append({"role": message["role"], "content": content})
    return "\n\n".join(system), turns
