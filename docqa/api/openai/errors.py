"""Errors as OpenAI writes them: `{"error": {"message", "type", "param", "code"}}`, 400 for an invalid request."""

from typing import Any, Final

from docqa.api.error_shapes import ErrorShape, places, sentence
from docqa.errors import Busy, DocqaError, InvalidRequest, NotFound, TooLarge, Unauthorized

_NULLABLE = {"anyOf": [{"type": "string"}, {"type": "null"}]}
_SCHEMA = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": _NULLABLE,
                "code": _NULLABLE,
            },
            "required": ["message", "type", "param", "code"],
        }
    },
    "required": ["error"],
}
_CODES: dict[type[DocqaError], str] = {
    Unauthorized: "invalid_api_key",
    NotFound: "model_not_found",
    Busy: "rate_limit_exceeded",
    TooLarge: "request_too_large",
}


def body(error: DocqaError) -> dict[str, Any]:
    """The body of an error; `param` is the field of its first fault."""
    param = places(error)[0] or None if isinstance(error, InvalidRequest) else None
    kind = "invalid_request_error" if _status(type(error)) < 500 else "server_error"
    code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), None)
    return {"error": {"message": sentence(error), "type": kind, "param": param, "code": code}}


def _status(kind: type[DocqaError]) -> int:
    return 400 if issubclass(kind, InvalidRequest) else kind.status


OPENAI: Final = ErrorShape(body=body, schemas={"OpenAIError": _SCHEMA}, name=lambda kind: "OpenAIError", status=_status)
