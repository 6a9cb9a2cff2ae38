"""Bad requests, and some good ones, get from us what FastAPI with pydantic answers for the same API
(tests/contract.py)."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlencode

import httpx
import pytest

from conftest import client_of, key_for
from docqa.api.app import create
from docqa.settings import Settings
from tests import contract

JSON = {"content-type": "application/json"}
FORM = {"content-type": "multipart/form-data; boundary=cut"}


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
    for method, path in (
        ("GET", "/v1/api/download_pdf"),
        ("POST", "/v1/api/download_pdf"),
        ("GET", "/v1/api/search/knowledge"),
    ):
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
LISTS = (
    "null",
    "5",
    '"x"',
    "{}",
    "[]",
    "[null]",
    "[1, 2]",
    '["a", 1, "b", []]',
    '[["a"]]',
    '["\\udfff"]',
    '{"0": "a"}',
    '["a", "a"]',
)
NOT_OBJECTS = ("null", "true", "0", '"x"', "[]", "[{}]", "{}", "1.5", '{"x": 1}')
NOT_JSON = (
    "{",
    "[",
    "]",
    "x",
    '{"name": }',
    '{"name": "x",}',
    "[1 2]",
    "{'a': 1}",
    '"',
    " ",
    "nul",
    '{"a": "\n"}',
    '["\\x"]',
    "\ufeff",
    "{}{}",
    "[" * 50,
)
BODIES = (
    "/v1/chat/d",
    "/v1/api/knowledge_base_chat",
    "/v1/api/knowledge",
    "/v1/api/knowledge/k",
    "/v1/api/knowledge/k/chat",
    "/v1/api/retrieve",
)


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
    for media_type in (
        "application/ld+json",
        "APPLICATION/JSON; charset=utf-8",
        "application/json-seq",
        "json",
        "application",
        "text/json",
        "",
        "*/*",
    ):
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
    for value in (
        *TEXTS,
        "0",
        "101",
        "5.0",
        "1e30",
        "1e999",
        "-0.0",
        "9" * 30,
        '"1_0"',
        '"5.0"',
        '"1e1"',
        '" 7 "',
        "false",
        '"%s"' % ("9" * 5000),
    ):
        yield send("/v1/api/retrieve", f'{{"query": "x", "doc_ids": [], "top_k": {value}}}')
    for name in ("language", "kind", "date_from", "date_to", "tag"):
        for value in (
            *TEXTS,
            '"de"',
            '"d1"',
            '"german"',
            '"DEFAULT"',
            '"PDF"',
            '"pdf "',
            '"2027-03-31"',
            '"2027-02-30"',
            '"20270331"',
            '"2027"',
            '"a, b"',
            f'"{"x" * 61}"',
        ):
            yield send("/v1/api/retrieve", f'{{"query": "x", "doc_ids": [], "{name}": {value}}}')
        for value in ("5", '"?,"', '"de"', '"pdf"', '"2027-03-31"', '"DEFAULT"'):
            yield send("/v1/api/knowledge/k/chat", f'{{"messages": {ASK}, "filters": {{"{name}": {value}}}}}')
            yield query("GET", "/v1/api/documents", None, (name, value.strip('"')))
    for value in NOT_OBJECTS:
        yield send("/v1/api/knowledge_base_chat", f'{{"documents": [], "filters": {value}}}')
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


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def ours(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[httpx.AsyncClient]:
    """The application itself, without models, so that it names the models that the judge names."""
    folder = tmp_path_factory.mktemp("contract")
    app = create(Settings(data=folder / "data", embedder="none", models=folder / "no-models"))
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        yield client


@pytest.fixture
async def judge() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(contract.app), base_url="http://test") as client:
        yield client


async def send(client: httpx.AsyncClient, case: Case) -> httpx.Response:
    return await client.request(case.method, case.url, content=case.content, headers=case.headers)


@pytest.mark.anyio
@pytest.mark.parametrize("case", CASES, ids=str)
async def test_a_request_gets_the_faults_that_fastapi_finds(
    ours: httpx.AsyncClient, judge: httpx.AsyncClient, case: Case
) -> None:
    expected, answer = await send(judge, case), await send(ours, case)
    assert expected.status_code in (200, 201, 422), "the judge could not judge this request"
    assert answer.status_code < 500
    if expected.status_code == 422:
        assert answer.json() == expected.json()
    elif answer.status_code == 422:
        # Sound requests, but the file in them may be no document.
        assert case.url == "/v1/api/upload"
        assert [(fault["loc"], fault["type"]) for fault in answer.json()["detail"]] == [
            (["body", "file"], "unreadable")
        ]


@pytest.mark.anyio
async def test_the_requests_are_many_and_most_of_them_bad(judge: httpx.AsyncClient) -> None:
    bad = [case for case in CASES if (await send(judge, case)).status_code == 422]
    assert len(bad) >= 400
    assert len(CASES) - len(bad) >= 80
