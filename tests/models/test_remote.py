"""Remote providers, played on loopback: what each is sent, how its answer is read, how failures end, where keys go."""

import asyncio
import gzip
import json
import logging
import os
import shutil
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path

import httpx
import pytest

from conftest import client_of, key_for, upload
from docqa.answering.by_model import Chat
from docqa.answering.evidence import Evidence
from docqa.answering.prompt_layout import Layouts
from docqa.api.app import create
from docqa.catalog.catalog import SHIPPED, Catalog
from docqa.catalog.keys import ProviderKeys
from docqa.catalog.targets import Target
from docqa.errors import CannotStart, DocqaError, ProviderFailed, Unavailable
from docqa.help.guides import source
from docqa.models.chat.failures import LONGEST_WAIT, RETRY_PAUSE, seconds_of
from docqa.models.chat.http import HttpClient
from docqa.models.chat.local import available
from docqa.models.chat.remote import UNKNOWN_CONTEXT, RemoteModel, estimate, open_remote
from docqa.models.chat.thinking import Thinking
from docqa.models.chat.wire import split_system
from docqa.questions.question import Question
from docqa.settings import Settings
from stand_ins import anthropic, certificate, free_port, llama_server, openai, stand_in, status, stream
from waiting import happens, until

pytestmark = pytest.mark.anyio

KEY = "sk-secret-0123456789"
KEYS = ProviderKeys(dict.fromkeys(("openai", "anthropic", "google", "compatible"), KEY))
MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How much is the rent?"}]
EVENTS = {"openai": openai, "google": openai, "compatible": openai, "anthropic": anthropic}


@pytest.fixture
async def http() -> AsyncIterator[HttpClient]:
    client = HttpClient()
    yield client
    await client.close()


def model_at(
    http: HttpClient, url: str, kind: str = "openai", name: str = "m-1", seconds: float = 10, keys: ProviderKeys = KEYS
) -> RemoteModel:
    return open_remote(Target(kind, name, url), keys, client=http, seconds=seconds)


async def ask(model: RemoteModel, max_tokens: int = 160) -> list[str]:
    return [piece async for piece in model.generate(MESSAGES, temperature=0.7, max_tokens=max_tokens)]


async def failure(model: RemoteModel) -> DocqaError:
    """The error that asking raises, after a check that it does not disclose the key."""
    with pytest.raises((Unavailable, ProviderFailed)) as caught:
        await ask(model)
    assert KEY not in repr(caught.value) + str(caught.value)
    return caught.value


# --- each provider's format -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", EVENTS)
async def test_an_answer_comes_in_the_pieces_it_was_sent_in(http: HttpClient, kind: str) -> None:
    async with stand_in(stream(*EVENTS[kind]("The rent ", "is 12.\u2028", "日本"))) as server:
        assert await ask(model_at(http, server.url, kind)) == ["The rent ", "is 12.\u2028", "日本"]


async def test_a_request_to_openai_is_as_its_reference_requires(http: HttpClient) -> None:
    async with stand_in(stream(*openai("12"))) as server:
        await ask(model_at(http, server.url + "/"))
    request = server.requests[0]
    assert (request.method, request.path, request.headers["authorization"]) == (
        "POST",
        "/v1/chat/completions",
        f"Bearer {KEY}",
    )
    assert request.body == {
        "model": "m-1",
        "messages": MESSAGES,
        "stream": True,
        "temperature": 0.7,
        "max_completion_tokens": 160,
    }


@pytest.mark.parametrize("kind", ["google", "compatible"])
async def test_a_compatible_server_gets_the_older_field_for_the_token_limit(http: HttpClient, kind: str) -> None:
    async with stand_in(stream(*openai("12"))) as server:
        await ask(model_at(http, server.url, kind))
    assert server.requests[0].body == {
        "model": "m-1",
        "messages": MESSAGES,
        "stream": True,
        "temperature": 0.7,
        "max_tokens": 160,
    }


async def test_anthropic_gets_the_system_text_in_its_own_field(http: HttpClient) -> None:
    async with stand_in(stream(*anthropic("12"))) as server:
        model = model_at(http, server.url, "anthropic")
        async with aclosing(model.generate(MESSAGES, temperature=1.5, max_tokens=160)) as pieces:
            assert [piece async for piece in pieces] == ["12"]
    request = server.requests[0]
    assert (request.path, request.headers["x-api-key"], request.headers["anthropic-version"]) == (
        "/v1/messages",
        KEY,
        "2023-06-01",
    )
    assert request.body == {
        "model": "m-1",
        "system": "Be brief.",
        "messages": MESSAGES[1:],
        "stream": True,
        "temperature": 1.0,
        "max_tokens": 160,
    }
    assert "authorization" not in request.headers


async def test_a_compatible_server_without_a_key_is_sent_none(http: HttpClient) -> None:
    async with stand_in(stream(*openai("12"))) as server:
        assert await ask(model_at(http, server.url, "compatible", keys=ProviderKeys())) == ["12"]
    assert "authorization" not in server.requests[0].headers


def test_turns_begin_with_the_user_and_alternate() -> None:
    conversation = [
        ("system", "A"),
        ("system", "B"),
        ("assistant", "Hello"),
        ("user", "1"),
        ("user", "2"),
        ("assistant", " "),
        ("user", "\ud800"),
    ]
    system, turns = split_system([{"role": role, "content": content} for role, content in conversation])
    assert system == "A\n\nB"
    assert turns == [{"role": "user", "content": "1\n\n2\n\n?"}]


async def test_the_first_piece_is_passed_on_before_the_last_is_written(http: HttpClient) -> None:
    first_arrived = asyncio.Event()
    role, first, *rest = openai("The ", "rent")
    async with stand_in(stream(role, first, first_arrived, *rest)) as server:
        pieces = model_at(http, server.url).generate(MESSAGES, temperature=0.7, max_tokens=9)
        assert await anext(pieces) == "The "
        first_arrived.set()
        assert [piece async for piece in pieces] == ["rent"]


# --- thinking ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (["<think>a < b", "</think>", "\n\nYes."], "Yes."),
        (list("<think>a</think></thought> <thinking>b</thinking>Yes."), "</thought> <thinking>b</thinking>Yes."),
        (list("\n<thought>a</thought> <think>b</think> Yes, <think>."), "Yes, <think>."),
        (["<th", "is> is"], "<this> is"),
        (["<th"], "<th"),
        (["<think>never ended"], ""),
        (["  Yes"], "Yes"),
    ],
)
def test_thinking_at_the_beginning_is_dropped(pieces: list[str], shown: str) -> None:
    thinking = Thinking()
    assert "".join([*(thinking.show(piece) for piece in pieces), thinking.rest()]) == shown


async def test_reasoning_in_fields_of_its_own_is_dropped(http: HttpClient) -> None:
    reasoning = 'data: {"choices":[{"delta":{"reasoning_content":"Hm.","reasoning":"Hm.","content":null}}]}\n\n'
    blocks = (
        'data: {"choices":[{"delta":{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"It "}]}}]}\n\n'
    )
    async with stand_in(stream(reasoning, blocks, *openai("is ", "12."))) as server:
        assert "".join(await ask(model_at(http, server.url))) == "It is 12."


@pytest.mark.parametrize(
    ("kind", "spent"),
    [
        ("openai", openai(end="length")),
        ("compatible", openai("<think>Hm", end="length")),
        ("anthropic", anthropic(end="max_tokens")),
    ],
)
async def test_a_model_that_spends_its_tokens_on_thinking_gets_more_tokens(
    http: HttpClient, kind: str, spent: list[str]
) -> None:
    async with stand_in(stream(*spent), stream(*EVENTS[kind]("12"))) as server:
        model = model_at(http, server.url, kind)
        assert [await ask(model), await ask(model)] == [["12"], ["12"]]
        limits = [
            request.body.get("max_tokens") or request.body["max_completion_tokens"] for request in server.requests
        ]
    assert limits[0] == 160
    assert limits[1] > 2000
    assert limits[2:] == limits[1:2], "it is remembered that the model thinks"


async def test_an_answer_cut_off_by_its_token_limit_is_an_answer(http: HttpClient) -> None:
    async with stand_in(stream(*openai("The rent", end="length"))) as server:
        assert await ask(model_at(http, server.url)) == ["The rent"]
    assert len(server.requests) == 1


# --- fields that a model refuses --------------------------------------------------------------------------------------


def refused(param: str, message: str) -> dict[str, object]:
    return {
        "error": {"message": message, "type": "invalid_request_error", "param": param, "code": "unsupported_parameter"}
    }


async def test_a_refused_field_is_replaced_or_left_out_from_then_on(http: HttpClient) -> None:
    replies = [
        status(
            400,
            refused(
                "max_tokens",
                "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead.",
            ),
        ),
        status(400, {"error": {"message": "Unsupported value: 'temperature' does not support 0.7 with this model."}}),
        stream(*openai("12")),
    ]
    async with stand_in(*replies) as server:
        model = model_at(http, server.url, "compatible")
        assert [await ask(model), await ask(model)] == [["12"], ["12"]]
    sent = [{"temperature", "max_tokens", "max_completion_tokens"} & request.body.keys() for request in server.requests]
    assert sent == [
        {"temperature", "max_tokens"},
        {"temperature", "max_completion_tokens"},
        {"max_completion_tokens"},
        {"max_completion_tokens"},
    ]


async def test_a_refusal_that_no_change_avoids_is_reported(http: HttpClient) -> None:
    async with stand_in(
        status(400, refused("max_completion_tokens", "max_completion_tokens is too large: the context is 100."))
    ) as server:
        error = await failure(model_at(http, server.url))
    assert isinstance(error, ProviderFailed)
    assert (
        str(error)
        == "openai:m-1 refused the request (status 400: max_completion_tokens is too large: the context is 100)."
    )
    assert [sorted(request.body.keys() & {"max_tokens", "max_completion_tokens"}) for request in server.requests] == [
        ["max_completion_tokens"],
        ["max_tokens"],
    ]


# --- failures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "body", "sentence"),
    [
        (
            401,
            refused("", f"Incorrect API key provided: {KEY[:9]}*"),
            "openai:m-1 refused the key (status 401). Put a valid key into DOCQA_OPENAI_KEY or",
        ),
        (403, "", "refused the key"),
        (
            404,
            {"error": {"message": "The model `m-1` does not exist"}},
            "was not found (status 404: The model `m-1` does not exist). Correct its name",
        ),
        (404, "<html>Not found</html>", "was not found (status 404). Correct its name or address in models.toml."),
        (302, "", "redirects to another address (status 302), which is not followed."),
        (
            400,
            [{"error": {"code": 400, "message": f"The key {KEY} is not valid.\nReally."}}],
            "(status 400: The key *** is not valid. Really).",
        ),
        (400, {"error": "x" * 150 + KEY + "x" * 150}, "x***" + "x" * 47 + "…)."),
        (402, {"message": "No money."}, "refused the request (status 402: No money)."),
        (
            429,
            {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}},
            "(status 429: You exceeded your current quota).",
        ),
        (418, "[" * 100_000, "refused the request (status 418)."),
    ],
)
async def test_a_failure_that_retrying_cannot_fix_is_reported_at_once(
    http: HttpClient, code: int, body: object, sentence: str
) -> None:
    async with stand_in(status(code, body, Location="http://127.0.0.1:1/")) as server:
        error = await failure(model_at(http, server.url))
    assert isinstance(error, ProviderFailed)
    assert error.status == 502
    assert sentence in str(error)
    assert len(server.requests) == 1


async def test_a_server_that_asks_for_a_key_is_not_reported_to_refuse_it(http: HttpClient) -> None:
    async with stand_in(status(401)) as server:
        error = await failure(model_at(http, server.url, "compatible", keys=ProviderKeys()))
    assert "asks for a key (status 401). Put a valid key into DOCQA_COMPATIBLE_KEY or provider-keys.toml." in str(error)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between tries, which take no time."""
    pauses: list[float] = []
    sleep = asyncio.sleep

    async def skip(seconds: float) -> None:
        if seconds:
            pauses.append(seconds)
        await sleep(0)

    monkeypatch.setattr("docqa.models.chat.http.asyncio.sleep", skip)
    return pauses


async def test_a_provider_that_names_a_time_is_asked_again_after_it(http: HttpClient, pauses: list[float]) -> None:
    async with stand_in(status(429, Retry_After="3"), stream(*openai("12"))) as server:
        assert await ask(model_at(http, server.url)) == ["12"]
    assert (pauses, len(server.requests)) == ([3.0], 2)


def test_a_named_time_is_a_number_or_a_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docqa.models.chat.failures.time.time", lambda: 1_000_000.0)
    assert seconds_of("1.5") == 1.5
    assert seconds_of(formatdate(1_003_600, usegmt=True)) == 3600
    assert seconds_of(formatdate(0, usegmt=True)) == 0
    assert seconds_of("9" * 400) == LONGEST_WAIT
    assert [seconds_of(text) for text in ("", "soon", "-1", "Wed, 99 Foo 2026 00:00:00 GMT")] == [None] * 4


async def test_a_time_longer_than_the_answer_may_take_is_not_waited_for(http: HttpClient) -> None:
    async with stand_in(status(429, {"error": {"message": "Slow down"}}, Retry_After="30")) as server:
        error = await failure(model_at(http, server.url))
    assert error.headers() == {"Retry-After": "30"}
    assert str(error) == "openai:m-1 accepts no more requests for now: Slow down. Try again in 30 s."
    assert len(server.requests) == 1


@pytest.mark.parametrize("header", ["soon", "-1", "Wed, 99 Foo 2026 00:00:00 GMT"])
async def test_without_a_usable_time_the_next_try_follows_after_a_pause(
    http: HttpClient, pauses: list[float], header: str
) -> None:
    async with stand_in(status(503, Retry_After=header), stream(*openai("12"))) as server:
        assert await ask(model_at(http, server.url)) == ["12"]
    assert pauses == [RETRY_PAUSE]


async def test_an_absurd_time_is_cut_to_an_hour(http: HttpClient) -> None:
    async with stand_in(status(503, Retry_After="9" * 400)) as server:
        assert (await failure(model_at(http, server.url))).headers() == {"Retry-After": "3600"}


async def test_a_provider_that_keeps_failing_is_asked_three_times(http: HttpClient, pauses: list[float]) -> None:
    async with stand_in(status(500, "Traceback: " + "x" * 1000)) as server:
        error = await failure(model_at(http, server.url))
    assert isinstance(error, Unavailable)
    assert str(error) == "openai:m-1 failed with status 500. Try again in 5 s."
    assert (len(server.requests), len(pauses)) == (3, 2)


async def test_a_provider_that_just_failed_is_not_asked_again_at_once(
    http: HttpClient, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    async with stand_in(status(500), status(500), status(500), stream(*openai("12"))) as server:
        model = model_at(http, server.url)
        first, second = await failure(model), await failure(model)
        assert len(server.requests) == 3
        assert (str(second), second.headers()) == (str(first), {"Retry-After": "5"})
        clock = time.monotonic
        monkeypatch.setattr("docqa.models.chat.http.time.monotonic", lambda: clock() + 6)
        assert await ask(model) == ["12"]


async def test_a_server_that_is_starting_is_tried_again(http: HttpClient, caplog: pytest.LogCaptureFixture) -> None:
    port = free_port()
    asking = asyncio.create_task(ask(model_at(http, f"http://127.0.0.1:{port}/v1")))
    await until(lambda: "Retrying" in caplog.text, "a first try fails")
    async with stand_in(stream(*openai("12")), port=port):
        assert await asking == ["12"]


async def test_a_server_that_is_not_running_is_reported_as_unreachable(http: HttpClient) -> None:
    error = await failure(model_at(http, f"http://127.0.0.1:{free_port()}/v1", seconds=1))
    assert isinstance(error, Unavailable)
    assert str(error) == "openai:m-1 cannot be reached. Start its server, or correct its address in models.toml."
    assert error.retry_after > 0


MIDDLE = openai("The rent ", "is ")[:3]
ERROR = 'data: {"error":{"message":"The server had an error","type":"server_error"}}\n\n'
OVERLOADED = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'


@pytest.mark.parametrize(
    ("kind", "events", "whole", "failed", "words"),
    [
        ("openai", MIDDLE, False, Unavailable, "dropped the connection"),
        ("openai", MIDDLE, True, Unavailable, "broke off its answer. Try again."),
        ("openai", openai("The rent ", "is ", end=""), True, Unavailable, "broke off its answer. Try again."),
        ("anthropic", anthropic("The rent ", "is ", end=""), True, Unavailable, "broke off its answer. Try again."),
        ("openai", [*MIDDLE, ERROR], True, Unavailable, "broke off its answer: The server had an error. Try again."),
        (
            "anthropic",
            [*anthropic("The rent ", "is ", end=""), OVERLOADED],
            True,
            Unavailable,
            "broke off its answer: Overloaded. Try again.",
        ),
        ("openai", openai("The rent ", "is ", end="content_filter"), True, ProviderFailed, "withheld its answer"),
        ("anthropic", anthropic("The rent ", "is ", end="refusal"), True, ProviderFailed, "withheld its answer"),
        (
            "openai",
            [*MIDDLE, "data: {not JSON\n\n"],
            True,
            ProviderFailed,
            "did not answer with a model's event stream",
        ),
        (
            "openai",
            [*MIDDLE, 'data: {"choices":[{"delta":"text"}]}\n\n'],
            True,
            ProviderFailed,
            "did not answer with a model's event stream",
        ),
        (
            "anthropic",
            [*anthropic("The rent ", "is ", end=""), "data: []\n\n"],
            True,
            ProviderFailed,
            "did not answer with a model's event stream",
        ),
        ("openai", [*MIDDLE, "data: " + "x" * (1 << 21)], True, ProviderFailed, "an event of more than 1 MB"),
        (
            "openai",
            [*MIDDLE, *["data: " + "x" * 9000 + "\n"] * 200],
            True,
            ProviderFailed,
            "an event of more than 1 MB",
        ),
    ],
)
async def test_a_broken_answer_never_passes_for_a_complete_one(
    http: HttpClient, kind: str, events: list[str], whole: bool, failed: type[DocqaError], words: str
) -> None:
    pieces: list[str] = []
    async with stand_in(stream(*events, whole=whole)) as server:
        with pytest.raises(failed, match=words):
            async for piece in model_at(http, server.url, kind).generate(MESSAGES, temperature=0.7, max_tokens=9):
                pieces.append(piece)
    assert pieces == ["The rent ", "is "]
    assert len(server.requests) == 1, "part of the answer was passed on already"


@pytest.mark.parametrize(
    "reply", [status(200, "<html>Welcome</html>"), status(200, {"choices": []}), stream('data: {"model": "m-1"}\n\n')]
)
async def test_a_response_that_is_no_event_stream_of_a_model_is_reported(http: HttpClient, reply: object) -> None:
    async with stand_in(reply) as server:  # type: ignore[arg-type]
        error = await failure(model_at(http, server.url))
    assert isinstance(error, ProviderFailed)
    assert "Is its address in models.toml right?" in str(error)


async def test_an_empty_answer_is_a_failure(http: HttpClient) -> None:
    async with stand_in(stream(*openai())) as server:
        assert "gave an empty answer" in str(await failure(model_at(http, server.url)))


async def test_an_answer_with_its_end_mark_is_complete_however_the_connection_ends(http: HttpClient) -> None:
    async with stand_in(stream(*openai("12"), whole=False)) as server:
        assert await ask(model_at(http, server.url)) == ["12"]


async def test_events_may_arrive_in_any_pieces(http: HttpClient) -> None:
    text = ": comment\r\n\r\n" + "".join(openai("ein ", "Wört")).replace("\n", "\r\n").replace("data: ", "data:")
    async with stand_in(stream(*text)) as server:
        assert await ask(model_at(http, server.url)) == ["ein ", "Wört"]


# --- time -------------------------------------------------------------------------------------------------------------


async def test_closing_in_mid_answer_closes_the_connection(http: HttpClient) -> None:
    async with stand_in(stream(*openai("word ")[:2], asyncio.Event())) as server:
        async with aclosing(model_at(http, server.url).generate(MESSAGES, temperature=0.7, max_tokens=9)) as pieces:
            await anext(pieces)
        await happens(server.abandoned, "the connection is closed")


async def test_cancelling_before_the_first_token_closes_the_connection(http: HttpClient) -> None:
    async with stand_in(stream(": wait\n\n", asyncio.Event())) as server:
        asking = asyncio.create_task(ask(model_at(http, server.url)))
        await until(lambda: bool(server.requests), "the request arrives")
        asking.cancel()
        await happens(server.abandoned, "the connection is closed")


async def test_a_slow_answer_is_cut_off_when_its_time_is_up(http: HttpClient) -> None:
    question = Question("How much is the rent?")
    async with stand_in(stream(*openai("word ", "word ")[:3], asyncio.Event())) as server:
        chat = Chat(model_at(http, server.url), 0.8, Layouts())
        pieces = [piece.text async for piece in chat.answer(question, [Evidence("The rent is 12.", ())])]
        assert pieces == ["word ", "word "]
        await happens(server.abandoned, "the connection is closed")


async def test_a_provider_that_sends_nothing_is_given_up(http: HttpClient) -> None:
    async with stand_in(stream(": wait\n\n", asyncio.Event())) as server:
        error = await failure(model_at(http, server.url, seconds=0.5))
    assert str(error) == "openai:m-1 sent nothing for 0.5 s. Try again."


# --- tokens -----------------------------------------------------------------------------------------------------------


def test_tokens_are_estimated_by_characters_and_bytes() -> None:
    assert [estimate(text) for text in ("", "hello world", "日本語", "\ud800", "1,234.5", "год")] == [0, 4, 3, 1, 7, 2]


@pytest.mark.parametrize(
    ("kind", "name", "tokens"),
    [
        ("openai", "gpt-5.2", 400_000),
        ("openai", "gpt-4", 8192),
        ("openai", "gpt-4o-mini", 128_000),
        ("openai", "x", 128_000),
        ("google", "gemini-pro-latest", 1_048_576),
    ],
)
async def test_the_context_of_a_providers_model_is_known_without_a_request(
    http: HttpClient, kind: str, name: str, tokens: int
) -> None:
    async with stand_in(status(500)) as server:
        model = model_at(http, server.url, kind, name)
        assert await model.count(["the"]) == [1]
    assert model.context_tokens == tokens
    assert not server.requests


@pytest.mark.parametrize(
    ("listed", "tokens"),
    [
        (status(200, {"data": [{"id": "other", "max_model_len": 1}, {"id": "m-1", "max_model_len": 32_768}]}), 32_768),
        (status(200, {"data": [{"id": "file.gguf", "meta": {"n_ctx_train": 131_072, "n_ctx": 8192}}]}), 8192),
        (status(200, {"data": [{"id": "file.gguf", "meta": {"n_ctx_train": 131_072}}]}), 131_072),
        (status(200, {"data": [{"id": "m-1", "meta": None, "max_model_len": "many"}, 7]}), UNKNOWN_CONTEXT),
        (status(200, "<html>"), UNKNOWN_CONTEXT),
        (status(404), UNKNOWN_CONTEXT),
    ],
)
async def test_a_compatible_server_is_asked_for_its_context_once(http: HttpClient, listed: object, tokens: int) -> None:
    async with stand_in(listed) as server:  # type: ignore[arg-type]
        model = model_at(http, server.url, "compatible")
        assert (model.context_tokens, server.requests) == (UNKNOWN_CONTEXT, [])
        await model.count(["word"])
        await model.count(["words"])
    assert model.context_tokens == tokens
    assert [request.path for request in server.requests] == ["/v1/models"]


# --- keys -------------------------------------------------------------------------------------------------------------


def key_file(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "provider-keys.toml"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_keys_come_from_the_environment_and_then_from_the_file(tmp_path: Path) -> None:
    key_file(tmp_path, 'openai = "from-file"\ngoogle = "from-file"\n"http://host:1/v1/" = "for-this-host"\n')
    environ = {"DOCQA_OPENAI_KEY": " from-environment\n", "DOCQA_GOOGLE_KEY": "", "ANTHROPIC_API_KEY": "not for us"}
    keys = ProviderKeys.read(environ, tmp_path)
    assert [keys.of(kind) for kind in ("openai", "google", "anthropic")] == ["from-environment", "from-file", ""]
    assert keys.of("compatible", "http://host:1/v1") == "for-this-host"
    assert keys.of("compatible", "http://host:2/v1") == ""


def test_keys_are_not_in_the_representation() -> None:
    assert KEY not in repr(KEYS) + str(KEYS)


@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX's")
def test_a_key_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = key_file(tmp_path, f'openai = "{KEY}"', 0o640)
    with pytest.raises(CannotStart, match=f"chmod 600 {path}"):
        ProviderKeys.read({}, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        f'openai = "{KEY} x"',
        f"openai = {KEY}",
        f'openai = ["{KEY}"]',
        f'openia = "{KEY}"',
        f'{KEY} = "openai"',
        f'openai = "{KEY}é"',
    ],
)
def test_an_invalid_key_file_is_named_but_not_quoted(tmp_path: Path, text: str) -> None:
    path = key_file(tmp_path, text)
    with pytest.raises(CannotStart) as caught:
        ProviderKeys.read({}, tmp_path)
    assert str(path) in str(caught.value)
    assert KEY not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    "reply",
    [
        status(401, f"no {KEY}"),
        status(500, {"error": KEY}),
        status(404, {"error": KEY}),
        stream(ERROR.replace("The server", KEY)),
    ],
)
async def test_no_log_line_holds_a_key(http: HttpClient, caplog: pytest.LogCaptureFixture, reply: object) -> None:
    caplog.set_level(logging.DEBUG)
    async with stand_in(reply) as server:  # type: ignore[arg-type]
        for kind in ("openai", "anthropic"):
            await failure(model_at(http, server.url, kind, seconds=1))
    assert KEY in json.dumps(server.requests[0].headers)
    assert KEY not in caplog.text


# --- redirects, proxies, certificates ---------------------------------------------------------------------------------


async def test_a_redirect_does_not_carry_the_key_along(http: HttpClient) -> None:
    async with (
        stand_in(stream(*openai("stolen"))) as thief,
        stand_in(status(307, Location=f"http://127.0.0.1:{thief.port}/")) as server,
    ):
        await failure(model_at(http, server.url))
    assert not thief.requests


async def test_a_proxy_sees_neither_plain_requests_nor_keys(http: HttpClient, monkeypatch: pytest.MonkeyPatch) -> None:
    async with stand_in(status(503)) as proxy, stand_in(stream(*openai("12"))) as server:
        for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert await ask(model_at(http, server.url)) == ["12"]
        assert not proxy.requests
        error = await failure(model_at(http, "https://provider.invalid/v1", seconds=1))
    assert isinstance(error, Unavailable)
    assert [(request.method, request.path) for request in proxy.requests] == [("CONNECT", "provider.invalid:443")]
    assert KEY not in str(proxy.requests)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="the program openssl is not installed")
async def test_a_certificate_is_checked(http: HttpClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, tls = certificate(tmp_path)
    async with stand_in(stream(*openai("12")), tls=tls) as server:
        error = await failure(model_at(http, server.url))
        assert isinstance(error, ProviderFailed)
        assert str(error) == "openai:m-1 has an invalid server certificate. SSL_CERT_FILE can name further authorities."
        assert not server.requests
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
        trusting = HttpClient()
        assert await ask(model_at(trusting, server.url)) == ["12"]
        await trusting.close()


@pytest.mark.parametrize(
    ("no_proxy", "url", "sees"),
    [
        ("provider.invalid", "https://provider.invalid/v1", False),
        ("other.invalid", "https://provider.invalid/v1", True),
        ("*", "https://provider.invalid/v1", False),
        ("", "https://localhost:1/v1", False),
        ("", "https://127.0.0.1:1/v1", False),
    ],
)
async def test_a_proxy_is_passed_by_where_the_environment_says_so_and_to_this_machine(
    http: HttpClient, monkeypatch: pytest.MonkeyPatch, no_proxy: str, url: str, sees: bool
) -> None:
    async with stand_in(status(503)) as proxy:
        monkeypatch.setenv("ALL_PROXY", f"127.0.0.1:{proxy.port}")  # without a scheme it is one for HTTP
        monkeypatch.setenv("NO_PROXY", no_proxy)
        await failure(model_at(http, url, seconds=1))
        assert bool(proxy.requests) == sees


async def test_what_is_compressed_though_it_was_not_asked_for_is_read(http: HttpClient) -> None:
    body = gzip.compress("".join(openai("12")).encode())

    async def reply(writer: asyncio.StreamWriter) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()

    async with stand_in(reply) as server:
        assert await ask(model_at(http, server.url)) == ["12"]
        assert server.requests[0].headers["accept-encoding"] == "identity"


async def test_an_unusable_proxy_is_named(http: HttpClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "gopher://127.0.0.1:1")
    assert "HTTPS_PROXY" in str(await failure(model_at(http, "https://provider.invalid/v1")))


# --- a real server ----------------------------------------------------------------------------------------------------

SMOLLM = Catalog.load(SHIPPED.parent).local_models().get("SMOLLM2_135M")
needs_model = pytest.mark.skipif(
    not available() or SMOLLM is None, reason="SmolLM2 or llama-cpp-python is not installed"
)


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    assert SMOLLM is not None
    with llama_server(SMOLLM, tmp_path_factory.mktemp("llama") / "log") as url:
        yield url


@needs_model
async def test_a_real_compatible_server_answers_in_pieces(http: HttpClient, llama: str) -> None:
    pieces = await ask(model_at(http, llama, "compatible", "smollm2", seconds=60), 20)
    assert len(pieces) > 2
    assert "".join(pieces).isprintable()


@needs_model
async def test_an_answer_that_a_real_server_drops_for_another_request_is_a_failure(
    http: HttpClient, llama: str
) -> None:
    model = model_at(http, llama, "compatible", "smollm2", seconds=60)
    async with aclosing(
        model.generate([{"role": "user", "content": "Tell a long story."}], temperature=0.7, max_tokens=1000)
    ) as pieces:
        await anext(pieces)
        other = asyncio.create_task(ask(model, 5))
        with pytest.raises(Unavailable, match="broke off its answer|dropped the connection"):
            async for _ in pieces:
                pass
    assert await other


@needs_model
async def test_a_chat_is_answered_through_a_compatible_server(llama: str, settings: Settings) -> None:
    settings.models.mkdir()
    (settings.models / "models.toml").write_text(f'[models]\nHOUSE = ["compatible:{llama}#smollm2"]\n')
    app = create(replace(settings, answer_seconds=100))
    async with app.router.lifespan_context(app), client_of(app, await key_for(app, "alice")) as client:
        doc_id = await upload(
            client, "The rent of the house in Oslo is 1200 crowns a month. The lease was signed by Kari Nordmann."
        )
        turn = [{"sender": "user", "message": "How much is the rent of the house?"}]
        whole = await client.post(
            f"/v1/chat/{doc_id}", params={"model_name": "HOUSE", "cite_source": True}, json=turn, timeout=100
        )
        streamed = await client.post(
            f"/v1/chat/{doc_id}", params={"model_name": "HOUSE", "stream": True}, json=turn, timeout=100
        )
    for reply in (whole, streamed):
        assert reply.status_code == 200, reply.text
        # What it writes may be in no document.
        assert reply.headers["X-DocQA-Target"] in (f"compatible:{llama}#smollm2", "quotes")
    assert whole.json()["answer"]["message"].strip()
    assert streamed.text.strip()


@needs_model
async def test_the_estimate_errs_on_the_high_side_of_a_real_tokenizer(llama: str) -> None:
    guide = source("answers")
    async with httpx.AsyncClient() as client:
        counted = await client.post(
            f"{llama.removesuffix('/v1')}/extras/tokenize/count", json={"input": guide[:3000]}, timeout=60
        )
    assert 1 <= estimate(guide[:3000]) / counted.json()["count"] < 2


@pytest.mark.parametrize(
    ("name", "is_small"),
    [
        ("qwen3:0.6b", True),
        ("smollm2-135m-instruct", True),
        ("Qwen/Qwen3-1.7B", True),
        ("qwen3:4b", False),
        ("llama-3.1-70b", False),
        ("mixtral-8x22b", False),
        ("mistral-large", False),
    ],
)
async def test_a_small_model_is_known_by_its_name(http: HttpClient, name: str, is_small: bool) -> None:
    assert model_at(http, "http://127.0.0.1:9/v1", "compatible", name).is_small == is_small
