"""/openapi.json says what the declarations say, and is valid OpenAPI 3.1."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from docqa import records
from docqa.api import declarations
from docqa.api.app import ENDPOINTS as APP_ENDPOINTS
from docqa.api.endpoint import Endpoint
from docqa.api.openai.errors import OPENAI
from docqa.api.openai.records import ModelCard
from docqa.api.openapi import document
from docqa.errors import Busy, NotFound, Unreadable
from later import Later

openapi_spec_validator = Later("openapi_spec_validator")

KNOWN = {"models": ("GPT5_2", "GPT5")}


def handler(name: str) -> Callable[[], None]:
    def handle() -> None: ...

    handle.__name__ = name
    return handle


ENDPOINTS = (
    Endpoint(
        path="/v1/api/download_pdf", methods=("GET", "POST"), handler=handler("add_link"), summary="Add a document from a link", tag="documents",
        query=declarations.LINK_QUERY, answers=records.Added, status=201, errors=(Unreadable, Busy),
    ),
    Endpoint(path="/v1/api/upload", methods=("POST",), handler=handler("upload"), summary="Upload", tag="documents", file="file", answers=records.Added, status=201),
    Endpoint(
        path="/v1/chat/{doc_id}", methods=("POST",), handler=handler("chat_with_document"), summary="Chat", tag="chat", query=declarations.CHAT_QUERY,
        body=declarations.MESSAGES, answers=(records.ChatResponse, "text/plain", "text/event-stream"), errors=(NotFound,), deprecated=True,
    ),
    Endpoint(path="/v1/api/documents", handler=handler("list_documents"), summary="List", tag="documents", query=declarations.DOCUMENTS_QUERY, answers=records.DocumentList),
    Endpoint(path="/v1/api/documents/{doc_id}", methods=("GET", "DELETE"), handler=handler("read_document"), summary="One", tag="documents", answers=records.Document),
    Endpoint(path="/v1/api/documents/{doc_id}/file", handler=handler("read_file"), summary="File", tag="documents", answers="application/pdf", errors=(NotFound,)),
    Endpoint(path="/v1/api/documents/{doc_id}/pages/{n:int}.png", handler=handler("draw_page"), summary="Picture", tag="documents", answers="image/png"),
    Endpoint(path="/v1/api/knowledge/{knowledge_base_id}", methods=("PUT",), handler=handler("update_knowledge"), summary="Update", tag="knowledge",
             body=declarations.KNOWLEDGE_UPDATE_BODY, answers=records.KnowledgeBase),
    Endpoint(path="/v1/api/models", methods=("GET", "POST"), handler=handler("list_models"), summary="Models", tag="models", answers=list[records.Model]),
    Endpoint(path="/v1/models/{model}", handler=handler("read_openai_model"), summary="Model", tag="openai", answers=ModelCard, errors=(NotFound,), errors_as=OPENAI),
    Endpoint(path="/healthz", handler=handler("show_health"), summary="Health", tag="server", answers=records.Health, needs_key=False),
)  # fmt: skip


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    """As a client gets it: through JSON."""
    loaded: dict[str, Any] = json.loads(json.dumps(document(ENDPOINTS, KNOWN, "1.2.3"), allow_nan=False))
    return loaded


def schema_of(response: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = response["content"]["application/json"]["schema"]
    return schema


def test_it_is_valid_openapi(described: dict[str, Any]) -> None:
    openapi_spec_validator.OpenAPIV31SpecValidator(described).validate()


def test_every_route_and_method_is_there_under_a_name_of_its_own(described: dict[str, Any]) -> None:
    operations = [
        (path, method, operation["operationId"])
        for path, item in described["paths"].items()
        for method, operation in item.items()
    ]
    assert len(operations) == sum(len(endpoint.methods) for endpoint in ENDPOINTS)
    assert len({name for _, _, name in operations}) == len(operations)
    assert ("/v1/api/documents/{doc_id}/pages/{n}.png", "get", "draw_page") in operations


def test_parameters_come_from_the_path_and_the_query_rule(described: dict[str, Any]) -> None:
    parameters = {
        parameter["name"]: parameter for parameter in described["paths"]["/v1/chat/{doc_id}"]["post"]["parameters"]
    }
    assert list(parameters) == ["doc_id", *declarations.CHAT_QUERY.fields]
    assert parameters["doc_id"] == {"name": "doc_id", "in": "path", "required": True, "schema": {"type": "string"}}
    assert parameters["temperature"]["schema"] == {"type": "number", "minimum": 0.1, "maximum": 1.5, "default": 0.7}
    assert parameters["model_name"]["schema"]["enum"] == ["GPT5_2", "GPT5"]
    assert parameters["model_name"]["required"] is False
    picture = described["paths"]["/v1/api/documents/{doc_id}/pages/{n}.png"]["get"]["parameters"]
    assert [parameter["schema"]["type"] for parameter in picture] == ["string", "integer"]


def test_operations_have_names_that_people_can_read() -> None:
    whole = document(APP_ENDPOINTS, KNOWN, "1")
    names = [operation["operationId"] for item in whole["paths"].values() for operation in item.values()]
    assert len(set(names)) == len(names)
    assert {"chat_with_document", "upload", "add_link", "add_link_by_post", "list_keys", "draw_page"} <= set(names)


def test_messages_share_a_schema_and_tell_their_bounds() -> None:
    whole = document(APP_ENDPOINTS, KNOWN, "1")
    paths, schemas = whole["paths"], whole["components"]["schemas"]
    message = {"$ref": "#/components/schemas/ChatMessage"}
    body = paths["/v1/chat/{doc_id}"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert (body["items"], body["minItems"]) == (message, 1)
    of_several = paths["/v1/api/knowledge_base_chat"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert of_several["properties"]["messages"]["anyOf"][0]["items"] == message
    assert "minItems" not in of_several["properties"]["messages"]["anyOf"][0], "without messages it is a summary"
    assert schemas["ChatMessage"]["required"] == ["sender", "message"]
    query = paths["/v1/api/retrieve"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert query["properties"]["query"]["minLength"] == 1


def test_times_links_page_numbers_and_files_have_their_types() -> None:
    whole = document(APP_ENDPOINTS, KNOWN, "1")
    paths, schemas = whole["paths"], whole["components"]["schemas"]
    assert whole["servers"] == [{"url": "/"}]
    assert schemas["Document"]["properties"]["date_time"] == {"type": "string", "format": "date-time"}
    page = paths["/v1/api/documents/{doc_id}/pages/{page_number}"]["get"]["parameters"][1]
    assert page["schema"] == {"type": "integer", "minimum": 1}
    link = paths["/v1/api/download_pdf"]["get"]["parameters"][0]
    assert link["schema"] == {"type": "string", "format": "uri"}
    file = paths["/v1/api/documents/{doc_id}/file"]["get"]["responses"]["200"]["content"]
    assert {"application/pdf", "text/csv", "application/octet-stream"} <= file.keys()


def test_bodies_are_json_or_a_form_with_a_file(described: dict[str, Any]) -> None:
    update = described["paths"]["/v1/api/knowledge/{knowledge_base_id}"]["put"]["requestBody"]
    assert update["required"] is True
    assert update["content"]["application/json"]["schema"]["required"] == ["document_ids"]
    upload = described["paths"]["/v1/api/upload"]["post"]["requestBody"]["content"]
    assert upload["multipart/form-data"]["schema"]["properties"]["file"] == {"type": "string", "format": "binary"}
    assert "requestBody" not in described["paths"]["/v1/api/models"]["post"]


def test_records_become_schemas(described: dict[str, Any]) -> None:
    schemas = described["components"]["schemas"]
    assert schemas["DocumentList"]["properties"]["documents"] == {
        "type": "array",
        "items": {"$ref": "#/components/schemas/Document"},
    }
    assert schemas["Document"]["properties"]["shareable"] == {"type": "boolean"}
    assert schemas["Document"]["required"] == [
        "name",
        "doc_id",
        "summary",
        "language",
        "pages",
        "shareable",
        "date_time",
        "kind",
        "date",
        "tags",
    ]
    assert schemas["Turn"]["description"] == records.Turn.__doc__
    models = described["paths"]["/v1/api/models"]["get"]["responses"]["200"]
    assert schema_of(models) == {"type": "array", "items": {"$ref": "#/components/schemas/Model"}}


def test_a_chat_answers_json_or_a_stream(described: dict[str, Any]) -> None:
    chat = described["paths"]["/v1/chat/{doc_id}"]["post"]
    assert list(chat["responses"]["200"]["content"]) == ["application/json", "text/plain", "text/event-stream"]
    assert chat["deprecated"] is True


def test_errors_are_those_of_the_endpoint_and_those_that_follow_from_it(described: dict[str, Any]) -> None:
    paths = described["paths"]
    assert list(paths["/v1/api/download_pdf"]["get"]["responses"]) == ["201", "401", "422", "429", "503"]
    assert list(paths["/v1/api/upload"]["post"]["responses"]) == ["201", "401", "413", "422", "429", "503"]
    assert list(paths["/v1/chat/{doc_id}"]["post"]["responses"]) == ["200", "401", "404", "413", "422", "429", "503"]
    assert list(paths["/healthz"]["get"]["responses"]) == ["200"]
    link = paths["/v1/api/download_pdf"]["post"]["responses"]
    assert "Retry-After" in link["503"]["headers"]
    assert schema_of(link["422"]) == {"$ref": "#/components/schemas/ValidationError"}
    assert schema_of(link["401"]) == {"$ref": "#/components/schemas/Error"}


def test_errors_have_the_shape_of_the_api_that_the_endpoint_speaks(described: dict[str, Any]) -> None:
    responses = described["paths"]["/v1/models/{model}"]["get"]["responses"]
    assert list(responses) == ["200", "401", "404", "400", "429", "503"]
    assert schema_of(responses["400"]) == schema_of(responses["404"]) == {"$ref": "#/components/schemas/OpenAIError"}
    assert described["components"]["schemas"]["OpenAIError"]["required"] == ["error"]


def test_the_key_is_asked_for_where_it_is_needed(described: dict[str, Any]) -> None:
    assert described["components"]["securitySchemes"] == {
        "key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
        "bearer": {"type": "http", "scheme": "bearer"},
    }
    assert described["paths"]["/v1/api/models"]["get"]["security"] == [{"key": []}, {"bearer": []}]
    assert described["paths"]["/healthz"]["get"]["security"] == []


def test_a_hint_without_a_schema_is_refused() -> None:
    endpoint = Endpoint(path="/x", handler=handler("x"), summary="x", tag="x", answers=complex)
    with pytest.raises(TypeError, match="no JSON Schema for"):
        document([endpoint], KNOWN, "1")
