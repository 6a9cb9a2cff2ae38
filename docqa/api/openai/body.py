"""What a request of OpenAI's shape holds, as rules: roles become senders, contents text."""

import re
from collections.abc import Mapping
from typing import Any, Final

from docqa.api.declarations import CHAT_QUERY, LONGEST_TEXT, MESSAGES
from docqa.api.filters import FILTERED
from docqa.api.permalink import PLACE
from docqa.api.rules import (
    Known,
    Rule,
    Schema,
    boolean,
    default,
    described,
    integer,
    many,
    number,
    one_of,
    optional,
    record,
    short_text,
)
from docqa.errors import Fault, InvalidRequest
from docqa.languages import BY_API_NAME
from docqa.questions.question import ChatOptions

_SENDERS = {"user": "user", "assistant": "bot", "system": "system", "developer": "system"}
# A mark that was made a link: in an earlier answer, which the client sends back, its address is noise. What the address
# holds is looked at afterwards: one that does not end would otherwise be read again for each part of it.
_LINK = re.compile(r"\s?\[\d{1,3}\]\([^()\s]*\)")


def _read_content(raw: Any, known: Known) -> str:
    """Text; of parts those of text. Nothing is what an assistant said that called a tool."""
    if raw is None:
        return ""
    if isinstance(raw, list):
        raw = "\n".join(_read_parts(raw))
    if isinstance(raw, str):
        raw = _LINK.sub(lambda link: "" if PLACE in link[0] else link[0], raw)
    return str(_TEXT.read(raw, known))


def _read_parts(parts: list[Any]) -> list[str]:
    texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"]
    strings = [text for text in texts if isinstance(text, str)]
    if len(strings) < len(parts):
        message = "Input should be text, or parts of the type 'text': pictures and sounds cannot be asked about"
        raise InvalidRequest([Fault((), message, "content_type")])
    return strings


def _describe_content(known: Known) -> Schema:
    part = {
        "type": "object",
        "properties": {"type": {"type": "string", "const": "text"}, "text": {"type": "string"}},
        "required": ["type", "text"],
    }
    parts = {"type": "array", "items": part}
    return {"anyOf": [_TEXT.schema(known), parts, {"type": "null"}]}


_TEXT = short_text(LONGEST_TEXT)
_MESSAGES = many(record({"role": one_of(*_SENDERS), "content": default(Rule(_read_content, _describe_content), "")}))


def _read_messages(raw: Any, known: Known) -> list[dict[str, Any]]:
    """The messages as ours: `sender` and `message`."""
    read = [
        {"sender": _SENDERS[message["role"]], "message": message["content"]} for message in _MESSAGES.check(raw, known)
    ]
    messages: list[dict[str, Any]] = MESSAGES.check(read, known)
    return messages


COMPLETION_BODY: Final = record(
    {
        "model": described(short_text(LONGEST_TEXT), "An `id` that `GET /v1/models` lists; `docqa` for all documents."),
        "messages": described(
            Rule(_read_messages, _MESSAGES.describe),
            "The conversation so far, in order; the last message of the role `user` is the question.",
        ),
        "stream": described(optional(boolean), "`true` sends the answer as events while it is made."),
        "temperature": described(optional(number(ge=0, le=2)), "How freely a language model chooses its words."),
        "n": described(optional(integer(ge=1, le=1)), "There is one choice."),
        # Our own, for clients that can send more than OpenAI's fields.
        "model_name": described(
            optional(CHAT_QUERY.fields["model_name"]), "What answers, as `GET /v1/api/models` says."
        ),
        "language": optional(CHAT_QUERY.fields["language"]),
        "length": optional(CHAT_QUERY.fields["length"]),
        "agent_mode": optional(CHAT_QUERY.fields["agent_mode"]),
        "filters": FILTERED,
    }
)


def options_of(body: Mapping[str, Any]) -> ChatOptions:
    """The options of a chat from its body, as COMPLETION_BODY reads it; temperatures end where ours do."""
    given = {name: CHAT_QUERY.fields[name].absent if body[name] is None else body[name] for name in _OPTIONS}
    given["temperature"] = min(max(given["temperature"], 0.1), 1.5)
    return ChatOptions(**{**given, "language": BY_API_NAME[given["language"]]}, cite_source=True)


_OPTIONS = ("model_name", "language", "length", "temperature", "agent_mode")
