"""Bad requests, and some good ones, get from us what FastAPI with pydantic answers for the same API (tests/contract.py)."""

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from docqa import declarations, records
from docqa.errors import DocqaError
from docqa.requests import MB, Endpoint, Given, read
from tests import contract

JSON = {"content-type": "application/json"}
FORM = {"content-type": "multipart/form-data; boundary=cut"}
KNOWN = {"models": contract.MODELS}
BODY_LIMIT = 4 * MB
FILE_LIMIT = 1 * MB


@dataclass(frozen=True)
class Case:
    method: str
    url: str
    content: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        content = (self.content or b"").decode("latin-1").replace("\r\n", " ")
        return f"{self.method} {self.url} {content}"[:110].strip().encode("unicode_escape").decode()


def query(method: str, path: str, content: bytes | None = None, /, *pairs: tuple[str, str]) -> Case:
    return Case(method, f"{path}?{urlencode(pairs)}", content, JSON if content else {})


CHATS = {
    "/v1/chat/d": "%s",
    "/v1/api/knowledge_base_chat": '{"documents": ["d"], "messages": %s}',
    "/v1/api/knowledge/k/chat": '{"messages": %s}',
}
ASK = '[{"sender": "user", "message": "Why?"}]'
FLAGS = ("", "2", " true", "maybe", "1.0", "None", "YES", "off", "0")
WORDS = ("", "x", "long", "SHORT ", "LONG", "gpt5_2", "GPT5_2", "english", "HEBREW", "DEFAULT")
NUMBERS = (
    "_", "_1", "1_", "1__0", "1_0", "0", "1", "-1", "+1", "1.0", "1.5", "1.", ".5", "0.1", "0.09", "1.6", "100", "101", "NaN", "nan", "inf",
    "-Infinity", "1e3", "1e-1", "1E400", "0x1", "١", "true", "null", "1,5",
    "", " ", " 1 ", "1\x00", "\x1f1", "\u00a01", "9" * 30, "-" + "9" * 30, "9" * 4300, "9" * 4301, "9" * 5000, "0" * 5000 + "1",
)  # fmt: skip


def chat_query_cases() -> Iterator[Case]:
    values = {
        "temperature": NUMBERS,
        **dict.fromkeys(("stream", "agent_mode", "cite_source"), FLAGS),
        **dict.fromkeys(("model_name", "language", "length"), WORDS),
    }
    first, *others = [(path, (shape % ASK).encode()) for path, shape in CHATS.items()]
    for name, choices in values.items():
        for value in choices:
            yield query("POST", *first, (name, value))
    for path, content in others:
        for name, choices in values.items():
            yield query("POST", path, content, (name, choices[0]))
        yield query("POST", path, content, *((name, "?") for name in values))
    yield query("POST", *first, ("temperature", "9"), ("temperature", "1"))
    yield query("POST", *first, ("temperature", "1"), ("temperature", "9"))
    yield query("POST", *first, ("stream", "true"), ("stream", "?"), ("length", "?"), ("unknown", "?"))
    yield query("POST", *first, *((name, "?") for name in reversed(values)))


def list_query_cases() -> Iterator[Case]:
    for path in ("/v1/api/documents", "/v1/api/knowledge"):
        for value in NUMBERS:
            yield query("GET", path, None, ("page_size", value))
        for value in ("0", "-1", "", "1.5", "9" * 30, "x", "1_0"):
            yield query("GET", path, None, ("page", value))
        yield query("GET", path, None, ("order", "sideways"), ("page", "x"), ("page_size", "0"))
        yield query("GET", path, None, ("page", "1"), ("page", "0"))
        yield query("GET", path, None, ("page", "0"), ("page", "1"))
        yield Case("GET", f"{path}?page", headers=JSON)
        yield Case("GET", f"{path}?page=%FF&page_size=%ED%A0%80")
    for order in ("asc", "ASC", "", "x"):
        yield query("GET", "/v1/api/knowledge", None, ("order", order))
    for method, path in (("GET", "/v1/api/download_pdf"), ("POST", "/v1/api/download_pdf"), ("GET", "/v1/api/search/knowledge")):
        yield Case(method, path)
        yield Case(method, f"{path}?Url=x&Query=x")
    yield Case("GET", "/v1/api/search/knowledge?query=")
    yield Case("GET", "/v1/api/search/knowledge?query=a&query=b")
    yield Case("GET", "/v1/api/models?x=1", headers=FORM)
    yield Case("POST", "/v1/api/models", b"{", JSON)


MESSAGES = (
    "null", "true", "5", "1.5", '"text"', "{}", "[]", "[null]", "[5]", '["x"]', "[[]]", "[{}]", "NaN", "[[[[[[]]]]]]",
    '[{"sender": "user"}]', '[{"message": "x"}]', '[{"sender": null, "message": null}]', '[{"sender": 1, "message": 2}]',
    '[{"sender": true, "message": true}]', '[{"sender": [], "message": []}]', '[{"sender": {}, "message": {}}]', '[{"sender": "", "message": ""}]',
    '[{"sender": "User", "message": "x"}]', '[{"sender": "ASSISTANT", "message": "x"}]', '[{"sender": "robot", "message": "x"}]',
    '[{"sender": "user ", "message": "x"}]', '[{"sender": "user", "message": " \\n"}]', '[{"sender": "user", "message": ""}]',
    '[{"sender": "system", "message": "x"}]', '[{"sender": "bot", "message": "x"}, {"sender": "System", "message": "x"}]',
    '[{"sender": "user", "message": "x"}, {"sender": "user", "message": ""}]', '[{"sender": "user", "message": ""}, {"sender": "user", "message": "x"}]',
    '[{"sender": "user", "message": "x"}, {}, 5, {"sender": "user", "message": 5}]', '[{"sender": "\\ud800", "message": "\\ud800"}]',
    '[{"sender": "user", "message": "\\ud83d\\ude00"}]', '[{"sender": "user", "message": "x", "more": [1]}]', '[{"sender": "user", "message": ["x"]}]',
    '[{"SENDER": "user", "Message": "x"}]', '[{"sender": "user", "sender": "x", "message": "x"}]', '{"0": {"sender": "user", "message": "x"}}',
    '[{"sender": "user", "message": 1e999}]', '[{"sender": NaN, "message": -Infinity}]', ASK,
)  # fmt: skip
TEXTS = ("null", "1", "1.5", "true", "[]", "{}", '""', '" "', '"\\ud800"', '"x"', "NaN")
LISTS = ("null", "5", '"x"', "{}", "[]", "[null]", "[1, 2]", '["a", 1, "b", []]', '[["a"]]', '["\\udfff"]', '{"0": "a"}', '["a", "a"]')
NOT_OBJECTS = ("null", "true", "0", '"x"', "[]", "[{}]", "{}", "1.5", '{"x": 1}')
NOT_JSON = ("{", "[", "]", "x", '{"name": }', '{"name": "x",}', "[1 2]", "{'a': 1}", '"', " ", "nul", '{"a": "\n"}', '["\\x"]', "\ufeff", "{}{}", "[" * 50)
BODIES = ("/v1/chat/d", "/v1/api/knowledge_base_chat", "/v1/api/knowledge", "/v1/api/knowledge/k", "/v1/api/knowledge/k/chat", "/v1/api/retrieve")


def body_cases() -> Iterator[Case]:
    def send(path: str, text: str, **headers: str) -> Case:
        return Case("PUT" if path == "/v1/api/knowledge/k" else "POST", path, text.encode(), headers or JSON)

    for path, shape in CHATS.items():
        yield from (send(path, shape % messages) for messages in MESSAGES)
    for path in BODIES:
        yield from (send(path, text) for text in ("", *NOT_OBJECTS, "{", "[1 2]"))
        yield Case(send(path, "").method, path)
        yield send(path, "{}", **{"content-type": "text/plain"})
        yield send(path, "[]", **{"content-type": "application/x-www-form-urlencoded"})
        yield send(path, "[]", **FORM)
    yield from (send("/v1/chat/d", text) for text in NOT_JSON)
    for media_type in ("application/ld+json", "APPLICATION/JSON; charset=utf-8", "application/json-seq", "json", "application", "text/json", "", "*/*"):
        yield send("/v1/chat/d", ASK, **{"content-type": media_type})
    for value in LISTS:
        yield send("/v1/api/knowledge_base_chat", f'{{"documents": {value}}}')
        yield send("/v1/api/knowledge", f'{{"document_ids": {value}}}')
        yield send("/v1/api/knowledge/k", f'{{"document_ids": {value}, "name": 5}}')
        yield send("/v1/api/retrieve", f'{{"query": "x", "doc_ids": {value}}}')
    for value in TEXTS:
        yield send("/v1/api/knowledge", f'{{"name": {value}, "document_ids": ["a", 1]}}')
        yield send("/v1/api/knowledge/k", f'{{"name": {value}}}')
        yield send("/v1/api/retrieve", f'{{"query": {value}, "doc_ids": ["a"]}}')
        yield send("/v1/api/retrieve", f'{{"query": "x", "knowledge_base_id": {value}}}')
    for value in (*TEXTS, "0", "101", "5.0", "1e30", "1e999", "-0.0", "9" * 30, '"1_0"', '"5.0"', '"1e1"', '" 7 "', "false", '"%s"' % ("9" * 5000)):
        yield send("/v1/api/retrieve", f'{{"query": "x", "doc_ids": [], "top_k": {value}}}')
    yield send("/v1/api/retrieve", '{"query": "", "doc_ids": 1, "knowledge_base_id": 1, "top_k": 0}')
    yield send("/v1/api/retrieve", '{"query": "x", "doc_ids": [], "knowledge_base_id": "k"}')
    yield query("POST", "/v1/chat/d", b"[{}]", ("stream", "?"), ("length", "?"))
    yield query("POST", "/v1/api/knowledge_base_chat", b'{"documents": [1], "messages": [1]}', ("temperature", "9"))
    yield query("POST", "/v1/chat/d", b"[", ("stream", "?"))
    yield Case("DELETE", "/v1/api/documents/d", b"{", JSON)


def part(disposition: str, data: str = "words") -> str:
    return f"--cut\r\nContent-Disposition: {disposition}\r\n\r\n{data}\r\n"


FILE = part('form-data; name="file"; filename="a.txt"')
FIELD = part('form-data; name="file"')


def form_cases() -> Iterator[Case]:
    bodies = (
        FILE, FIELD, FILE + FIELD, FIELD + FILE, FILE + FILE, part('form-data; name="file"', ""), part('form-data; name="other"; filename="a"'),
        part('form-data; name="File"; filename="a"'), part('form-data; name="file"; filename=""', ""), part('form-data; name="file"; filename=""'),
        FILE + part('form-data; name="file"; filename=""', ""), FILE + part('form-data; name="file"', ""), part("form-data; name=file; filename=a"),
    )  # fmt: skip
    for body in bodies:
        yield Case("POST", "/v1/api/upload", f"{body}--cut--\r\n".encode(), FORM)
    yield Case("POST", "/v1/api/upload", FILE[:-9].encode(), FORM)
    for text in ("", "file=", "file=x", "file=x&file=", "file=&file=x", "other=x", "file", "&&&=", "%ff=%"):
        yield Case("POST", "/v1/api/upload", text.encode(), {"content-type": "application/x-www-form-urlencoded"})
    yield Case("POST", "/v1/api/upload")
    yield Case("POST", "/v1/api/upload", b"{}", JSON)
    yield Case("POST", "/v1/api/upload", b"words", {"content-type": "text/plain"})
    yield Case("POST", "/v1/api/upload", b"", FORM)


CASES = [*chat_query_cases(), *list_query_cases(), *body_cases(), *form_cases()]

MESSAGE = records.Message


def endpoint(methods: str, path: str, **rest: Any) -> Endpoint:
    return Endpoint(path=path, methods=tuple(methods.split()), handler=print, summary=path, answers=MESSAGE, tag="test", **rest)


ENDPOINTS = (
    endpoint("GET POST", "/v1/api/download_pdf", query=declarations.LINK_QUERY),
    endpoint("POST", "/v1/api/upload", file="file"),
    endpoint("POST", "/v1/chat/{doc_id}", query=declarations.CHAT_QUERY, body=declarations.MESSAGES),
    endpoint("POST", "/v1/api/knowledge_base_chat", query=declarations.CHAT_QUERY, body=declarations.DOCUMENT_LIST_CHAT_BODY),
    endpoint("GET", "/v1/api/documents", query=declarations.DOCUMENTS_QUERY),
    endpoint("GET DELETE", "/v1/api/documents/{doc_id}"),
    endpoint("GET", "/v1/api/knowledge", query=declarations.KNOWLEDGE_QUERY),
    endpoint("POST", "/v1/api/knowledge", body=declarations.KNOWLEDGE_CREATE_BODY),
    endpoint("GET DELETE", "/v1/api/knowledge/{knowledge_base_id}"),
    endpoint("PUT", "/v1/api/knowledge/{knowledge_base_id}", body=declarations.KNOWLEDGE_UPDATE_BODY),
    endpoint("GET", "/v1/api/search/knowledge", query=declarations.SEARCH_QUERY),
    endpoint("POST", "/v1/api/knowledge/{knowledge_base_id}/chat", query=declarations.CHAT_QUERY, body=declarations.KNOWLEDGE_CHAT_BODY),
    endpoint("GET POST", "/v1/api/models"),
    endpoint("POST", "/v1/api/retrieve", body=declarations.RETRIEVE_BODY),
)


def bare_app(endpoints: tuple[Endpoint, ...], taken: list[Given]) -> Starlette:
    """Routes that read their request, put it on `taken` and answer nothing."""

    def route(one: Endpoint) -> Route:
        async def handle(request: Request) -> JSONResponse:
            taken.append(await read(one, request, KNOWN, body_limit=BODY_LIMIT, file_limit=FILE_LIMIT))
            return JSONResponse(None, one.status)

        return Route(one.path, handle, methods=list(one.methods))

    async def refuse(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, DocqaError)
        return JSONResponse({"detail": error.detail()}, error.status)

    return Starlette(routes=[route(one) for one in endpoints], exception_handlers={DocqaError: refuse})


@pytest.fixture
def taken() -> list[Given]:
    return []


@pytest.fixture
async def ours(taken: list[Given]) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(bare_app(ENDPOINTS, taken), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


@pytest.fixture
async def judge() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(contract.app), base_url="http://test") as client:
        yield client


async def send(client: httpx.AsyncClient, case: Case) -> httpx.Response:
    return await client.request(case.method, case.url, content=case.content, headers=case.headers)


@pytest.mark.anyio
@pytest.mark.parametrize("case", CASES, ids=str)
async def test_a_request_gets_the_faults_that_fastapi_finds(ours: httpx.AsyncClient, judge: httpx.AsyncClient, case: Case) -> None:
    expected, answer = await send(judge, case), await send(ours, case)
    assert expected.status_code in (200, 201, 422), "the judge could not judge this request"
    if expected.status_code == 422:
        assert answer.json() == expected.json()
    assert (answer.status_code == 422) == (expected.status_code == 422)


@pytest.mark.anyio
async def test_the_requests_are_many_and_most_of_them_bad(judge: httpx.AsyncClient) -> None:
    bad = [case for case in CASES if (await send(judge, case)).status_code == 422]
    assert len(bad) >= 400
    assert len(CASES) - len(bad) >= 80


@pytest.mark.anyio
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\xff\xfe\xfa", id="not UTF-8"),
        pytest.param(b'["\xe9"]', id="Latin-1"),
        pytest.param(b"[" * 100_000, id="nested too deeply"),
        pytest.param(b"[" + b"9" * 5000 + b"]", id="an integer of 5000 digits"),
    ],
)
async def test_a_body_that_python_cannot_hold_is_not_json(ours: httpx.AsyncClient, content: bytes) -> None:
    answer = await ours.post("/v1/chat/d", content=content, headers=JSON)
    assert answer.status_code == 422
    assert [(fault["loc"][0], fault["msg"], fault["type"]) for fault in answer.json()["detail"]] == [("body", "JSON decode error", "json_invalid")]


@pytest.mark.anyio
async def test_a_million_wrong_items_get_an_answer_of_bounded_size(ours: httpx.AsyncClient) -> None:
    answer = await ours.post("/v1/chat/d", content=b"[" + b"1," * 1_000_000 + b"1]", headers=JSON)
    assert answer.status_code == 422
    assert len(answer.json()["detail"]) == 1000


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("headers", "content"),
    [
        pytest.param({"content-type": "multipart/form-data"}, f"{FILE}--cut--", id="no boundary named"),
        pytest.param({"content-type": "multipart/form-data; boundary="}, f"{FILE}--cut--", id="an empty boundary"),
        pytest.param({"content-type": "multipart/form-data; boundary=" + "x" * 300}, f"{FILE}--cut--", id="a boundary too long"),
        pytest.param({"content-type": "multipart/form-data; boundary*=utf-8''%E2%82%AC"}, f"{FILE}--cut--", id="a boundary outside Latin-1"),
        pytest.param(FORM, "no boundary in here", id="another boundary"),
        pytest.param(FORM, "--cut\r\nBad Header\r\n\r\nwords\r\n--cut--", id="a header without colon"),
        pytest.param(FORM, "--cut\r\n" + "x" * 100_000, id="a header without end"),
    ],
)
async def test_broken_multipart_is_a_fault_of_the_body(ours: httpx.AsyncClient, headers: dict[str, str], content: str) -> None:
    answer = await ours.post("/v1/api/upload", content=content.encode(), headers=headers)
    assert answer.status_code == 422
    assert [fault["loc"] for fault in answer.json()["detail"]] == [["body"]]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ('filename="report.pdf"', "report.pdf"),
        ('filename="../../etc/passwd"', "passwd"),
        ('filename="C:\\folder\\plan.txt"', "plan.txt"),
        ('filename="דוח שנתי.pdf"', "דוח שנתי.pdf"),
        ("filename*=UTF-8''na%C3%AFve%20plan.txt", "naïve plan.txt"),
        ("filename=\"plan.txt\"; filename*=UTF-8''pl%C3%A4ne.txt", "pläne.txt"),
        ("filename*=no-such-charset''plan.txt", "plan.txt"),
        ('filename="a;b=\\"c\\".txt"', 'a;b="c".txt'),
        ('filename="a\x01\x7fb\t.txt"', "ab.txt"),
        ('filename="' + "n" * 400 + '.epub"', "n" * 250 + ".epub"),
        ('filename=""', ""),
    ],
)
async def test_a_file_name_is_the_last_part_of_its_path(ours: httpx.AsyncClient, taken: list[Given], disposition: str, name: str) -> None:
    content = part(f'form-data; name="file"; {disposition}') + "--cut--"
    assert (await ours.post("/v1/api/upload", content=content.encode(), headers=FORM)).status_code == 200
    assert taken[0].file is not None
    assert (taken[0].file.name, taken[0].file.data) == (name, b"words")


@pytest.mark.anyio
async def test_the_last_file_counts_and_arrives_byte_for_byte(ours: httpx.AsyncClient, taken: list[Given]) -> None:
    data = bytes(range(256)) * 2000 + b"\r\n--cu\r\n"
    files = [("file", ("a.txt", b"first", "text/plain")), ("other", ("b", b"b", "b/b")), ("file", ("c.csv", data, "text/csv"))]
    assert (await ours.post("/v1/api/upload", files=files)).status_code == 200
    file = taken[0].file
    assert file is not None and (file.name, file.media_type, file.data == data) == ("c.csv", "text/csv", True)


@pytest.mark.anyio
async def test_a_file_may_be_as_large_as_the_limit_and_no_larger(ours: httpx.AsyncClient) -> None:
    assert (await ours.post("/v1/api/upload", files={"file": b"x" * FILE_LIMIT})).status_code == 200
    answer = await ours.post("/v1/api/upload", files={"file": b"x" * (FILE_LIMIT + 1)})
    assert answer.status_code == 413
    assert answer.json() == {"detail": "The file is larger than 1 MB, the most this server takes"}


class Sender:
    """An ASGI client that says what it has sent when the server gave up."""

    def __init__(self, chunk: bytes, chunks: int, headers: dict[str, str]) -> None:
        self.chunk, self.chunks, self.asked = chunk, chunks, 0
        self.headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def receive(self) -> dict[str, Any]:
        self.asked += 1
        if self.asked > self.chunks:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": self.chunk, "more_body": True}

    async def read(self, one: Endpoint) -> Given:
        scope = {"type": "http", "method": "POST", "path": one.path, "query_string": b"", "headers": self.headers, "path_params": {}}
        return await read(one, Request(scope, self.receive), KNOWN, body_limit=BODY_LIMIT, file_limit=FILE_LIMIT)


UPLOAD, CHAT = ENDPOINTS[1], ENDPOINTS[2]


@pytest.mark.anyio
@pytest.mark.parametrize(("one", "headers", "most"), [(UPLOAD, FORM, 1.2), (CHAT, JSON, 4.2)])
async def test_an_endless_body_is_read_no_further_than_the_limit(one: Endpoint, headers: dict[str, str], most: float) -> None:
    start = part('form-data; name="file"; filename="a"')[:-7].encode() if one is UPLOAD else b""
    sender = Sender(start + b" " * 65536, 200, headers)
    with pytest.raises(DocqaError, match="larger than [14] MB"):
        await sender.read(one)
    assert sender.asked * 65536 <= most * MB


@pytest.mark.anyio
@pytest.mark.parametrize("length", ["99999999999", "9" * 5000])
@pytest.mark.parametrize(("one", "headers"), [(UPLOAD, FORM), (CHAT, JSON)])
async def test_a_declared_length_over_the_limit_is_refused_unread(one: Endpoint, headers: dict[str, str], length: str) -> None:
    sender = Sender(b" ", 200, {**headers, "content-length": length})
    with pytest.raises(DocqaError, match="larger than [14] MB"):
        await sender.read(one)
    assert sender.asked == 0


@pytest.mark.anyio
@pytest.mark.parametrize(("one", "headers", "chunk"), [(UPLOAD, FORM, b""), (CHAT, JSON, b" ")])
async def test_a_client_that_leaves_is_let_go(one: Endpoint, headers: dict[str, str], chunk: bytes) -> None:
    with pytest.raises(ClientDisconnect):
        await Sender(chunk, 3, headers).read(one)


@pytest.mark.anyio
async def test_what_was_given_has_a_value_for_every_declared_field(ours: httpx.AsyncClient, taken: list[Given]) -> None:
    messages = [{"sender": "Assistant", "message": "hm"}, {"sender": "USER", "message": " Why? ", "more": 1}]
    await ours.post("/v1/chat/the-document?temperature=1&stream=on&unknown=1", content=json.dumps(messages), headers={"accept": "Text/Event-Stream"})
    assert taken == [
        Given(
            path={"doc_id": "the-document"},
            query={
                "stream": True, "model_name": "GPT5_2", "agent_mode": True, "cite_source": False,
                "temperature": 1.0, "language": "DEFAULT", "length": "SHORT",
            },
            body=[{"sender": "bot", "message": "hm"}, {"sender": "user", "message": " Why? "}],
            file=None,
            accept="text/event-stream",
        )
    ]  # fmt: skip
