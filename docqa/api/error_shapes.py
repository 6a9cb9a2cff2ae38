"""How an error is written: the API's own shape, and that of other APIs for the endpoints that speak them."""

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import JSONResponse

from docqa.errors import DocqaError, InvalidRequest

Schema = dict[str, Any]

_IN_SCOPE = "docqa.errors_as"


@dataclass(frozen=True)
class ErrorShape:
    """How the errors of an endpoint are answered: with which `status` and `body`, which of `schemas` says so (its
    `name`)."""

    body: Callable[[DocqaError], dict[str, Any]]
    schemas: dict[str, Schema]
    name: Callable[[type[DocqaError]], str]
    status: Callable[[type[DocqaError]], int] = lambda kind: kind.status


_FAULT: Schema = {
    "type": "object",
    "properties": {
        "loc": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
        "msg": {"type": "string"},
        "type": {"type": "string"},
    },
    "required": ["loc", "msg", "type"],
}
OWN = ErrorShape(
    body=lambda error: {"detail": error.detail()},
    schemas={
        "Error": {"type": "object", "properties": {"detail": {"type": "string"}}, "required": ["detail"]},
        "ValidationError": {
            "type": "object",
            "properties": {"detail": {"type": "array", "items": _FAULT}},
            "required": ["detail"],
        },
    },
    name=lambda kind: "ValidationError" if issubclass(kind, InvalidRequest) else "Error",
)


def places(error: InvalidRequest) -> list[str]:
    """Where each fault is in the body, or whatever its place begins with: `messages.0.role`, "" for the whole."""
    return [".".join(map(str, fault.loc[1:])) for fault in error.faults]


def sentence(error: DocqaError) -> str:
    """An error in one line, for shapes that have no list of faults."""
    if not isinstance(error, InvalidRequest):
        return str(error)
    said = zip(places(error), error.faults, strict=True)
    return "; ".join(f"{place}: {fault.msg}" if place else fault.msg for place, fault in said)


def remember_shape(scope: MutableMapping[str, Any], shape: ErrorShape) -> None:
    """Have the errors of this request answered so from here on."""
    scope[_IN_SCOPE] = shape


def error_response(error: DocqaError, scope: MutableMapping[str, Any]) -> JSONResponse:
    """The answer that an error is, to the request of this scope."""
    shape: ErrorShape = scope.get(_IN_SCOPE, OWN)
    return JSONResponse(shape.body(error), status_code=shape.status(type(error)), headers=error.headers())
