"""/openapi.json: the routes' declarations and the records' type hints as an OpenAPI 3.1 document."""

import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from http import HTTPStatus
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from docqa.api.endpoint import Endpoint
from docqa.api.error_shapes import ErrorShape
from docqa.api.rules import Known, Rule
from docqa.errors import DocqaError, Forbidden, InvalidRequest, TooLarge, TooManyFailures, Unauthorized, Unavailable

Schema = dict[str, Any]

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
_NUMBER: Schema = {"type": "integer", "minimum": 1}


def document(endpoints: Sequence[Endpoint], known: Known, version: str) -> dict[str, Any]:
    """The OpenAPI document of these routes; `known` holds what the rules ask the running server for."""
    components: dict[str, Schema] = {}
    for endpoint in endpoints:
        components |= endpoint.errors_as.schemas
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        path = re.sub(r":\w+}", "}", endpoint.path)
        for method in endpoint.methods:
            paths.setdefault(path, {})[method.lower()] = _describe_operation(endpoint, method, path, known, components)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "DocQA",
            "summary": "Ask questions about your documents.",
            "version": version,
            "license": {"name": "AGPL-3.0-or-later", "identifier": "AGPL-3.0-or-later"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
                "bearer": {"type": "http", "scheme": "bearer"},
            },
        },
        "tags": [{"name": tag} for tag in dict.fromkeys(endpoint.tag for endpoint in endpoints)],
    }


def _describe_operation(
    endpoint: Endpoint, method: str, path: str, known: Known, components: dict[str, Schema]
) -> Schema:
    operation: Schema = {
        "operationId": _operation(endpoint, method),
        "summary": endpoint.summary,
        "tags": [endpoint.tag],
        "parameters": [*_describe_path(endpoint.path), *_describe_query(endpoint.query, known, components)],
        "responses": _describe_responses(endpoint, components),
        "security": [{"key": []}, {"bearer": []}] if endpoint.needs_key else [],
    }
    rule = endpoint.body_rule
    if rule is not None:
        media_type = "application/json" if endpoint.file is None else "multipart/form-data"
        schema = _shared(rule.schema(known), components)
        operation["requestBody"] = {"required": rule.required, "content": {media_type: {"schema": schema}}}
    if endpoint.deprecated:
        operation["deprecated"] = True
    return operation


def _operation(endpoint: Endpoint, method: str) -> str:
    """What its handler is called; a further method says which it is: `list_models_by_post`."""
    name = endpoint.handler.__name__
    return name if method == endpoint.methods[0] else f"{name}_by_{method.lower()}"


def _shared(schema: Any, components: dict[str, Schema]) -> Any:
    """The schema with the named ones in it moved into `components`."""
    if isinstance(schema, list):
        return [_shared(item, components) for item in schema]
    if not isinstance(schema, dict):
        return schema
    within = {key: _shared(value, components) for key, value in schema.items()}
    name = within.get("title")
    if not isinstance(name, str):
        return within
    components[name] = within
    return {"$ref": f"#/components/schemas/{name}"}


def _describe_path(path: str) -> list[Schema]:
    parameters = re.findall(r"{(\w+)(?::(\w+))?}", path)
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": _NUMBER if converter == "int" or name == "page_number" else {"type": "string"},
        }
        for name, converter in parameters
    ]


def _describe_query(query: Rule | None, known: Known, components: dict[str, Schema]) -> list[Schema]:
    parameters = []
    for name, rule in query.fields.items() if query else ():
        schema = _shared(rule.schema(known), components)
        description = schema.pop("description", None)
        parameter = {"name": name, "in": "query", "required": rule.required, "schema": schema}
        parameters.append({**parameter, "description": description} if description else parameter)
    return parameters


def _describe_responses(endpoint: Endpoint, components: dict[str, Schema]) -> dict[str, Schema]:
    answers = endpoint.answers if isinstance(endpoint.answers, tuple) else (endpoint.answers,)
    content = {}
    for answer in answers:
        if isinstance(answer, str):
            content[answer] = {
                "schema": {"type": "string"} if answer.startswith("text/") else {"type": "string", "format": "binary"}
            }
        else:
            content["application/json"] = {"schema": _describe_type(answer, components)}
    responses: dict[str, Schema] = {
        str(endpoint.status): {"description": HTTPStatus(endpoint.status).phrase, "content": content}
    }
    for error in sorted(_find_errors(endpoint), key=lambda error: error.status):
        responses[str(endpoint.errors_as.status(error))] = _describe_error(error, endpoint.errors_as)
    return responses


def _find_errors(endpoint: Endpoint) -> list[type[DocqaError]]:
    errors = list(endpoint.errors)
    if endpoint.needs_key:
        errors += [Unauthorized, TooManyFailures, Unavailable]
    if endpoint.of_machine:
        errors.append(Forbidden)
    if endpoint.body_rule is not None:
        errors.append(TooLarge)
    if endpoint.body_rule is not None or endpoint.query is not None or "{" in endpoint.path:
        errors.append(InvalidRequest)
    return errors


def _describe_error(error: type[DocqaError], shape: ErrorShape) -> Schema:
    response: Schema = {
        "description": HTTPStatus(shape.status(error)).phrase,
        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{shape.name(error)}"}}},
    }
    if issubclass(error, (Unavailable, TooManyFailures)):
        response["headers"] = {
            "Retry-After": {"description": "Seconds to wait before asking again.", "schema": {"type": "integer"}}
        }
    return response


def _describe_type(hint: Any, components: dict[str, Schema]) -> Schema:
    """`hint` as JSON Schema; a dataclass goes into `components` once. Raises TypeError for a hint that JSON has no word
    for."""
    if get_origin(hint) is Annotated:
        return {**_describe_type(hint.__origin__, components), "format": hint.__metadata__[0]}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if get_origin(hint) is list:
        return {"type": "array", "items": _describe_type(get_args(hint)[0], components)}
    if get_origin(hint) is dict:
        return {"type": "object", "additionalProperties": _describe_type(get_args(hint)[1], components)}
    if get_origin(hint) in (Union, UnionType):
        return {"anyOf": [_describe_type(choice, components) for choice in get_args(hint)]}
    if not (isinstance(hint, type) and is_dataclass(hint)):
        raise TypeError(f"no JSON Schema for {hint!r}")
    if hint.__name__ not in components:
        hints = get_type_hints(hint, include_extras=True)
        schema: Schema = {"type": "object", "description": hint.__doc__}
        components[hint.__name__] = schema
        schema["properties"] = {field.name: _describe_type(hints[field.name], components) for field in fields(hint)}
        schema["required"] = [field.name for field in fields(hint)]
    return {"$ref": f"#/components/schemas/{hint.__name__}"}
