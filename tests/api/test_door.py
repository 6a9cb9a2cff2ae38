"""What stands before every endpoint: full queues, wrong keys, names of the server, and headers that no answer lacks."""

from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest
from starlette.applications import Starlette

from conftest import client_of, key_for, upload
from docqa.api.app import create
from docqa.api.door import ADDRESSES, FAILURES, SECONDS, FailedKeys, Refusals, name_of
from docqa.errors import Busy, TooManyFailures
from docqa.settings import Settings

pytestmark = pytest.mark.anyio

DOCUMENTS = "/v1/api/documents"


def from_address(app: Starlette, address: str, key: str = "") -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, client=(address, 4321))
    return httpx.AsyncClient(transport=transport, base_url="http://localhost", headers={"x-api-key": key})


# --- full queues ------------------------------------------------------------------------------------------------------


def test_the_log_tells_of_refusals_once_a_second_with_their_number(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    refusals = Refusals(lambda: now)
    for now in (5.0, 5.2, 5.9, 6.1):
        refusals.add(Busy("16 questions of this account are in hand.", 2))
    assert [record.getMessage() for record in caplog.records] == [
        "refused, 1 since the last such line: 16 questions of this account are in hand.",
        "refused, 3 since the last such line: 16 questions of this account are in hand.",
    ]


# --- wrong keys -------------------------------------------------------------------------------------------------------


async def test_after_many_wrong_keys_an_address_gets_429_and_a_right_key_is_let_in_all_the_same(app: Starlette) -> None:
    async with from_address(app, "192.0.2.1", "wrong") as guessing:
        statuses = [(await guessing.get(DOCUMENTS)).status_code for _ in range(FAILURES + 2)]
        assert statuses == [401] * FAILURES + [429] * 2
        refused = await guessing.get(DOCUMENTS)
    assert refused.headers["Retry-After"] == str(SECONDS)
    assert "try again later" in refused.json()["detail"]
    async with from_address(app, "192.0.2.1", await key_for(app, "alice")) as beside:
        assert (await beside.get(DOCUMENTS)).status_code == 200
    async with from_address(app, "192.0.2.2", "wrong") as elsewhere:
        assert (await elsewhere.get(DOCUMENTS)).status_code == 401


async def test_a_request_without_a_key_is_no_guess(app: Starlette) -> None:
    async with from_address(app, "192.0.2.1") as nobody:
        del nobody.headers["x-api-key"]
        assert {(await nobody.get(DOCUMENTS)).status_code for _ in range(FAILURES + 2)} == {401}


def failures(keys: FailedKeys, address: str, times: int) -> int:
    """How many of so many wrong keys were over the limit."""
    over = 0
    for _ in range(times):
        try:
            keys.add(address)
        except TooManyFailures:
            over += 1
    return over


def test_failures_wane() -> None:
    now = 0.0
    keys = FailedKeys(lambda: now)
    assert failures(keys, "192.0.2.1", FAILURES + 5) == 5
    now += SECONDS
    assert failures(keys, "192.0.2.1", 2) == 1, "one more is allowed"
    now += SECONDS * FAILURES * 2
    assert failures(keys, "192.0.2.1", FAILURES) == 0


def test_the_addresses_of_one_ipv6_host_count_as_one() -> None:
    keys = FailedKeys(lambda: 0.0)
    over = sum(failures(keys, f"2001:db8::{number:x}", 1) for number in range(FAILURES + 3))
    assert over == 3
    assert failures(keys, "2001:db8:0:1::1", 1) == 0


def test_only_so_many_addresses_are_remembered() -> None:
    keys = FailedKeys(lambda: 0.0)
    for number in range(ADDRESSES + 100):
        keys.add(f"address {number}")
    assert len(keys._seen) == ADDRESSES


# --- names of the server ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:8000", "localhost.:80", "127.0.0.1", "127.0.0.1:8000", "127.1.2.3", "[::1]", "[::1]:8000"],
)
@pytest.mark.parametrize("path", ["/healthz", "/", "/openapi.json"])
async def test_the_names_of_this_machine_are_answered(app: Starlette, host: str, path: str) -> None:
    async with client_of(app) as client:
        assert (await client.get(path, headers={"Host": host})).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example", "0.0.0.0:8000"),
        *(
            "10.0.0.1",
            "[fe80::1]:8000",
            "localhost:8000.evil.example",
            "evil.example:localhost",
            "",
            "::1",
            "2130706433",
        ),
    ],
)
async def test_other_names_are_refused_on_loopback(app: Starlette, client: httpx.AsyncClient, host: str) -> None:
    for path in ("/", "/healthz", DOCUMENTS, "/nowhere"):
        response = await client.get(path, headers={"Host": host})
        assert response.status_code == 421
        assert "DOCQA_HOST_NAMES" in response.json()["detail"]


@pytest.fixture
async def named(settings: Settings, request: pytest.FixtureRequest) -> AsyncIterator[httpx.AsyncClient]:
    app = create(replace(settings, **request.param))
    async with app.router.lifespan_context(app), client_of(app) as client:
        yield client


@pytest.mark.parametrize(
    ("named", "host", "status"),
    [
        ({"host_names": ("docs.example.org",)}, "Docs.Example.org:8443", 200),
        ({"host_names": ("docs.example.org",)}, "localhost", 200),
        ({"host_names": ("docs.example.org",)}, "example.org", 421),
        ({"host_names": ("*",)}, "anything.example", 200),
        ({"host": "0.0.0.0"}, "anything.example", 200),
        ({"host": "::1"}, "anything.example", 421),
    ],
    indirect=["named"],
)
async def test_a_setting_adds_names_and_a_server_for_others_answers_to_all(
    named: httpx.AsyncClient, host: str, status: int
) -> None:
    assert (await named.get("/healthz", headers={"Host": host})).status_code == status


def test_names_are_read_from_the_environment() -> None:
    names = Settings.read({"DOCQA_HOST_NAMES": "Docs.Example.org., other.example"}).host_names
    assert names == ("docs.example.org", "other.example")
    assert name_of(" Docs.Example.org.:80 ") == "docs.example.org"


# --- what no answer lacks ---------------------------------------------------------------------------------------------


async def test_no_answer_lets_a_browser_guess_what_it_is(app: Starlette, client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, "The ferry sails at dawn.")
    message = [{"sender": "user", "message": "When does the ferry sail?"}]
    answers = [
        *[await client.get(path) for path in ("/", "/healthz", "/openapi.json", DOCUMENTS, "/nowhere")],
        await client.get(f"{DOCUMENTS}/{doc_id}/file"),
        await client.post(f"/v1/chat/{doc_id}?stream=true", json=message),
        await client.post(f"/v1/chat/{doc_id}?stream=true", json=message, headers={"Accept": "text/event-stream"}),
        await client.post(f"/v1/chat/{doc_id}", content=b"{"),
        await client.put(DOCUMENTS),
        await client.get(DOCUMENTS, headers={"x-api-key": "wrong"}),
        await client.get(DOCUMENTS, headers={"Host": "evil.example"}),
        await client.options(DOCUMENTS, headers={"Origin": "http://a", "Access-Control-Request-Method": "GET"}),
    ]
    assert [answer.status_code for answer in answers] == [200] * 4 + [404] + [200] * 3 + [422, 405, 401, 421, 200]
    assert [answer.headers.get_list("X-Content-Type-Options") for answer in answers] == [["nosniff"]] * len(answers)


async def test_nor_does_the_answer_to_an_error_that_nobody_foresaw(app: Starlette) -> None:
    async def fail(request: object) -> None:
        raise RuntimeError("unforeseen")

    app.router.add_route("/fail", fail)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.get("/fail")
    assert (answer.status_code, answer.headers["X-Content-Type-Options"]) == (500, "nosniff")
