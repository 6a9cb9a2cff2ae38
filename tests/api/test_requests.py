"""How a request is read: bodies that Python cannot hold, broken multipart, file names, limits, clients that leave."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from docqa import records
from docqa.api import declarations
from docqa.api.endpoint import Endpoint, Given
from docqa.api.multipart import media_type
from docqa.api.request import MB, read
from docqa.errors import DocqaError
from tests import contract

JSON = {"content-type": "application/json"}
FORM = {"content-type": "multipart/form-data; boundary=cut"}
KNOWN = {"models": contract.MODELS}
BODY_LIMIT = 4 * MB
FILE_LIMIT = 1 * MB


def part(disposition: str, data: str = "words") -> str:
    return f"--cut\r\nContent-Disposition: {disposition}\r\n\r\n{data}\r\n"


FILE = part('form-data; name="file"; filename="a.txt"')
MESSAGE = records.Message


def endpoint(methods: str, path: str, **rest: Any) -> Endpoint:
    return Endpoint(
        path=path, methods=tuple(methods.split()), handler=print, summary=path, answers=MESSAGE, tag="test", **rest
    )


UPLOAD = endpoint("POST", "/v1/api/upload", file="file")
CHAT = endpoint("POST", "/v1/chat/{doc_id}", query=declarations.CHAT_QUERY, body=declarations.MESSAGES)


def bare_app(endpoints: tuple[Endpoint, ...], taken: list[Given]) -> Starlette:
    """Routes that read their request, put it on `taken` and answer nothing."""

    def route(endpoint: Endpoint) -> Route:
        async def handle(request: Request) -> JSONResponse:
            taken.append(await read(endpoint, request, KNOWN, body_limit=BODY_LIMIT, file_limit=FILE_LIMIT))
            return JSONResponse(None, endpoint.status)

        return Route(endpoint.path, handle, methods=list(endpoint.methods))

    async def refuse(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, DocqaError)
        return JSONResponse({"detail": error.detail()}, error.status)

    return Starlette(routes=[route(endpoint) for endpoint in endpoints], exception_handlers={DocqaError: refuse})


@pytest.fixture
def taken() -> list[Given]:
    return []


@pytest.fixture
async def ours(taken: list[Given]) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(bare_app((UPLOAD, CHAT), taken), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


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
    assert [(fault["loc"][0], fault["msg"], fault["type"]) for fault in answer.json()["detail"]] == [
        ("body", "JSON decode error", "json_invalid")
    ]


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
        pytest.param(
            {"content-type": "multipart/form-data; boundary=" + "x" * 300}, f"{FILE}--cut--", id="a boundary too long"
        ),
        pytest.param(
            {"content-type": "multipart/form-data; boundary*=utf-8''%E2%82%AC"},
            f"{FILE}--cut--",
            id="a boundary outside Latin-1",
        ),
        pytest.param({"content-type": "multipart/form-data; boundary*=idna''x"}, f"{FILE}--cut--", id="IDNA"),
        pytest.param(
            {"content-type": "multipart/form-data; boundary*=x; boundary*0*=y"}, f"{FILE}--cut--", id="two boundaries"
        ),
        pytest.param(
            {"content-type": f"multipart/form-data; boundary*{'9' * 5000}*=cut"},
            f"{FILE}--cut--",
            id="a piece of a boundary with a number without end",
        ),
        pytest.param(FORM, f"{FILE}" * 21 + "--cut--", id="more than twenty parts"),
        pytest.param(FORM, "--cut\r\n" + "a: b\r\n" * 2000 + "\r\nwords\r\n--cut--", id="too many headers of a part"),
        pytest.param(FORM, "no boundary in here", id="another boundary"),
        pytest.param(FORM, "--cut\r\nBad Header\r\n\r\nwords\r\n--cut--", id="a header without colon"),
        pytest.param(FORM, "--cut\r\n" + "x" * 100_000, id="a header without end"),
    ],
)
async def test_broken_multipart_is_a_fault_of_the_body(
    ours: httpx.AsyncClient, headers: dict[str, str], content: str
) -> None:
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
        ("filename*=idna''xn--a.txt", "xn--a.txt"),
        ("filename*=punycode''a-.txt", "a-.txt"),
        ("filename*=iso-8859-1''pl%E4ne.txt", "pläne.txt"),
        ('filename="a;b=\\"c\\".txt"', 'a;b="c".txt'),
        ('filename="a\x01\x7fb\t.txt"', "ab.txt"),
        ('filename="' + "n" * 400 + '.epub"', "n" * 250 + ".epub"),
        ('filename=""', ""),
    ],
)
async def test_a_file_name_is_the_last_part_of_its_path(
    ours: httpx.AsyncClient, taken: list[Given], disposition: str, name: str
) -> None:
    content = part(f'form-data; name="file"; {disposition}') + "--cut--"
    assert (await ours.post("/v1/api/upload", content=content.encode(), headers=FORM)).status_code == 200
    assert taken[0].file is not None
    assert (taken[0].file.name, taken[0].file.content.read()) == (name, b"words")


@pytest.mark.anyio
async def test_the_last_file_counts_and_arrives_byte_for_byte(ours: httpx.AsyncClient, taken: list[Given]) -> None:
    data = bytes(range(256)) * 2000 + b"\r\n--cu\r\n"
    files = [
        ("file", ("a.txt", b"first", "text/plain")),
        ("other", ("b", b"b", "b/b")),
        ("file", ("c.csv", data, "text/csv")),
    ]
    assert (await ours.post("/v1/api/upload", files=files)).status_code == 200
    file = taken[0].file
    assert file is not None and (file.name, file.media_type, file.content.read() == data) == ("c.csv", "text/csv", True)


@pytest.mark.anyio
async def test_a_file_may_be_as_large_as_the_limit_and_no_larger(ours: httpx.AsyncClient) -> None:
    assert (await ours.post("/v1/api/upload", files={"file": ("a.txt", b"x" * FILE_LIMIT)})).status_code == 200
    answer = await ours.post("/v1/api/upload", files={"file": ("a.txt", b"x" * (FILE_LIMIT + 1))})
    assert answer.status_code == 413
    assert answer.json() == {"detail": "The file is larger than 1 MB, the most this server takes"}


@pytest.mark.anyio
async def test_a_file_that_cannot_be_read_is_refused_at_its_first_bytes() -> None:
    start = part('form-data; name="file"; filename="film.mp4"')[:-7].encode()
    sender = Sender(start + b"\0\0\0\x20ftypisom" + b"\0" * 65536, 200, FORM)
    with pytest.raises(DocqaError, match="not supported"):
        await sender.read(UPLOAD)
    assert sender.requested * 65536 < 0.2 * MB


@pytest.mark.anyio
@pytest.mark.parametrize("sent", ["text/日本", "text/pl\x01ain", "text/plain\x7f", "words", "text/" + "x" * 300])
async def test_a_media_type_that_no_header_can_carry_is_that_of_unknown_bytes(
    ours: httpx.AsyncClient, taken: list[Given], sent: str
) -> None:
    content = f'--cut\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: {sent}\r\n\r\nx\r\n--cut--'
    assert (await ours.post("/v1/api/upload", content=content.encode(), headers=FORM)).status_code == 200
    assert taken[0].file is not None and taken[0].file.media_type == "application/octet-stream"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("text/plain; charset=iso-8859-1", "text/plain; charset=iso-8859-1"),
        ("text/plain; charset=idna", "text/plain"),
        ('text/plain ;charset="hex"', "text/plain"),
        ("text/plain; charset*=idna''x", "text/plain"),
        ("text/csv; charset=a\0", "application/octet-stream"),
        ("text/csv; header=present; charset=UTF-8", "text/csv; charset=UTF-8"),
        ("multipart/x; boundary=a; boundary*0=b", "multipart/x"),
        ("text/plain; charset=", "text/plain"),
    ],
)
def test_of_a_media_type_its_charset_alone_is_handed_on_if_a_text_can_be_read_by_it(sent: str, kept: str) -> None:
    assert media_type(sent) == kept


@pytest.mark.anyio
async def test_a_body_with_many_values_is_parsed_and_checked_while_others_run(ours: httpx.AsyncClient) -> None:
    late: list[float] = []

    async def beat() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            late.append(time.perf_counter() - before)

    beating = asyncio.create_task(beat())
    content = b"[" + b'{"sender":"bot","message":""},' * 60_000 + b'{"sender":"user","message":"Why?"}]'
    assert (await ours.post("/v1/chat/d", content=content, headers=JSON)).status_code == 200
    beating.cancel()
    assert len(late) > 20, "the body was parsed while nothing else could run"


class Sender:
    """An ASGI client that says what it has sent when the server gave up."""

    def __init__(self, chunk: bytes, chunks: int, headers: dict[str, str]) -> None:
        self.chunk, self.chunks, self.requested = chunk, chunks, 0
        self.headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def receive(self) -> dict[str, Any]:
        self.requested += 1
        if self.requested > self.chunks:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": self.chunk, "more_body": True}

    async def read(self, endpoint: Endpoint) -> Given:
        scope = {
            "type": "http",
            "method": "POST",
            "path": endpoint.path,
            "query_string": b"",
            "headers": self.headers,
            "path_params": {},
        }
        return await read(endpoint, Request(scope, self.receive), KNOWN, body_limit=BODY_LIMIT, file_limit=FILE_LIMIT)


@pytest.mark.anyio
@pytest.mark.parametrize(("endpoint", "headers", "most"), [(UPLOAD, FORM, 1.2), (CHAT, JSON, 4.2)])
async def test_an_endless_body_is_read_no_further_than_the_limit(
    endpoint: Endpoint, headers: dict[str, str], most: float
) -> None:
    start = part('form-data; name="file"; filename="a.txt"')[:-7].encode() if endpoint is UPLOAD else b""
    sender = Sender(start + b" " * 65536, 200, headers)
    with pytest.raises(DocqaError, match="larger than [14] MB"):
        await sender.read(endpoint)
    assert sender.requested * 65536 <= most * MB


@pytest.mark.anyio
@pytest.mark.parametrize("length", ["99999999999", "9" * 5000])
@pytest.mark.parametrize(("endpoint", "headers"), [(UPLOAD, FORM), (CHAT, JSON)])
async def test_a_declared_length_over_the_limit_is_refused_unread(
    endpoint: Endpoint, headers: dict[str, str], length: str
) -> None:
    sender = Sender(b" ", 200, {**headers, "content-length": length})
    with pytest.raises(DocqaError, match="larger than [14] MB"):
        await sender.read(endpoint)
    assert sender.requested == 0


@pytest.mark.anyio
@pytest.mark.parametrize(("endpoint", "headers", "chunk"), [(UPLOAD, FORM, b""), (CHAT, JSON, b" ")])
async def test_a_client_that_leaves_is_let_go(endpoint: Endpoint, headers: dict[str, str], chunk: bytes) -> None:
    with pytest.raises(ClientDisconnect):
        await Sender(chunk, 3, headers).read(endpoint)


@pytest.mark.anyio
async def test_what_was_given_has_a_value_for_every_declared_field(ours: httpx.AsyncClient, taken: list[Given]) -> None:
    messages = [{"sender": "Assistant", "message": "hm"}, {"sender": "USER", "message": " Why? ", "more": 1}]
    await ours.post(
        "/v1/chat/the-document?temperature=1&stream=on&unknown=1",
        content=json.dumps(messages),
        headers={"accept": "Text/Event-Stream"},
    )
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
