"""What tells the wire format of one provider from another's: the request's body, its headers, and how an event of the stream is read.

It knows nothing of connections: `http` sends and receives, `remote` puts both together.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

STOP, LENGTH, WITHHELD = (
    "stop",
    "length",
    "withheld",
)  # why an answer ended: by itself, at its last token, held back by the provider


@dataclass(frozen=True)
class Complaint:
    """A provider's error in its own words: the `param` of the request that it does not like, and its `code` for the kind of error, or ""."""

    message: str = ""
    param: str = ""
    code: str = ""


@dataclass(frozen=True)
class Part:
    """What one event of a stream says: a piece of the answer, why it `end`ed (STOP, LENGTH, WITHHELD, or "" while it goes on), or an error."""

    text: str = ""
    end: str = ""
    complaint: Complaint | None = None


class Malformed(Exception):
    """An event that is not of the provider's format."""


class Wire(Protocol):
    @property
    def path(self) -> str:
        """Where requests go, below the provider's address."""
        ...

    @property
    def optional(self) -> Mapping[str, str]:
        """The fields of the body that a model may refuse, each with the field that then takes its value, or "" to leave it out."""
        ...

    def headers(self, key: str) -> dict[str, str]: ...

    def body(
        self, model: str, messages: list[dict[str, str]], temperature: float, max_tokens: int
    ) -> dict[str, Any]: ...

    def part(self, data: str) -> Part:
        """Reads the data of one server-sent event. Raises Malformed."""
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


def complaint(body: object) -> Complaint:
    """The error in a decoded body: `{"error": {"message", "param", "code"}}`, `{"error": "..."}`, `{"message"}`, `{"detail"}`, or a list of one of them."""
    match body:
        case [first, *_]:
            return complaint(first)
        case {"error": {**error}}:
            return Complaint(
                _line(error.get("message")), _line(error.get("param")), _line(error.get("code") or error.get("type"))
            )
        case {"error": str(message)} | {"message": str(message)} | {"detail": str(message)}:
            return Complaint(_line(message))
    return Complaint()


def _line(value: object) -> str:
    """One line of text, whatever was sent."""
    return " ".join(str(value).split()) if isinstance(value, str | int) else ""


def turns(messages: list[dict[str, str]]) -> tuple[str, list[dict[str, str]]]:
    """The system text, and the other messages as providers and chat templates take them: begun by the user, alternating, none empty."""
    system: list[str] = []
    spoken: list[dict[str, str]] = []
    for message in messages:
        content = (
            message["content"].encode("utf-8", "replace").decode()
        )  # half a surrogate pair is no JSON to most servers
        if message["role"] == "system":
            system.append(content)
        elif not content.strip() or not spoken and message["role"] != "user":
            continue
        elif spoken and spoken[-1]["role"] == message["role"]:
            spoken[-1]["content"] += f"\n\n{content}"
        else:
            spoken.append({"role": message["role"], "content": content})
    return "\n\n".join(system), spoken
