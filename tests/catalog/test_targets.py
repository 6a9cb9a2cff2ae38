"""Which target answers for which name: its notation, its listing, the order of tries, and changes at run time."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from conftest import client_of, key_for, upload
from docqa.api.app import create
from docqa.catalog import targets
from docqa.catalog.targets import FORMS, QUOTES, SHIPPED, Mapping, Table, Target
from docqa.errors import Busy, CannotStart, DocqaError, ProviderFailed, Unavailable
from docqa.models.chat.local import available
from docqa.models.chat.protocol import ChatModel
from docqa.models.chat.registry import DOCUMENTED_MODELS
from docqa.services import NO_LANGUAGE_MODEL, QUOTED_TOKENS, Services
from docqa.settings import Settings

NEAR = "compatible:http://127.0.0.1:9/v1#near"
FAR = "compatible:http://192.0.2.1:9/v1#far"
SMOLLM2 = SHIPPED.parent / "SmolLM2-135M-Instruct.Q4_1.gguf"
LEASE = "The lease was signed by Kari Nordmann in Bergen.\n\nThe monthly rent of the warehouse is 12,400 euros."
RENT = [{"sender": "user", "message": "How much is the monthly rent of the warehouse?"}]


# How a target is written


@pytest.mark.parametrize(
    ("written", "kind", "model", "url"),
    [
        ("quotes", "quotes", "", ""),
        ("local:qwen3-4b", "local", "qwen3-4b", ""),
        ("openai:ft:gpt-5-mini:house::1", "openai", "ft:gpt-5-mini:house::1", ""),
        ("anthropic:claude-haiku-4-5", "anthropic", "claude-haiku-4-5", ""),
        ("google:gemini-pro-latest", "google", "gemini-pro-latest", ""),
        (
            "compatible:http://[::1]:11434/v1#Qwen/Qwen3 4B#q4",
            "compatible",
            "Qwen/Qwen3 4B#q4",
            "http://[::1]:11434/v1",
        ),
    ],
)
def test_a_target_is_read_and_written_the_same(written: str, kind: str, model: str, url: str) -> None:
    target = Target.parse(written)
    assert target == Target(kind, model, url)
    assert str(target) == written


def test_the_former_name_of_quotes_is_still_read() -> None:
    assert Target.parse("extractive") == QUOTES


@pytest.mark.parametrize(
    "written",
    [
        *("", "gpt-5.2", "mistral:large", "Quotes", " quotes", "quotes:", "quotes:x"),
        *("local:", "openai: gpt", "openai:gpt ", "openai:gpt\n", "openai:größe", "openai:gpt\x00"),
        *(
            "compatible:",
            "compatible:model",
            "compatible:http://host/v1",
            "compatible:http://host/v1#",
            "compatible:#model",
            "compatible:host:80/v1#model",
        ),
        *(
            "compatible:ftp://host/v1#model",
            "compatible:http://host:99999/v1#model",
            "compatible:http://[::1/v1#m",
            "compatible:http://h/v1?key=1#m",
        ),
        *("compatible:http://ho st/v1#model", "compatible:http://höst/v1#model", "compatible:http:///v1#model"),
    ],
)
def test_anything_else_is_refused_as_a_target(written: str) -> None:
    with pytest.raises(CannotStart):
        Target.parse(written)


def test_an_address_with_a_password_is_refused_without_repeating_it() -> None:
    for written in (
        "compatible:http://me:secret@host/v1#model",
        "compatible:http://me:secret@host/v1",
        "compatible:me:secret@host#model",
    ):
        with pytest.raises(CannotStart, match="keys are kept apart") as refused:
            Target.parse(written)
        assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("written", "remote", "bills", "leaves"),
    [
        ("quotes", False, False, False),
        ("local:x", False, False, False),
        ("openai:x", True, True, True),
        ("anthropic:x", True, True, True),
        ("google:x", True, True, True),
        ("compatible:http://127.0.0.1:1/v1#x", True, False, False),
        ("compatible:http://localhost/v1#x", True, False, False),
        ("compatible:https://[::1]/v1#x", True, False, False),
        ("compatible:http://10.0.0.5/v1#x", True, False, True),
        ("compatible:http://gpu.example.org/v1#x", True, False, True),
    ],
)
def test_a_target_says_what_using_it_means(written: str, remote: bool, bills: bool, leaves: bool) -> None:
    target = Target.parse(written)
    assert (target.is_remote, target.bills, target.leaves_machine) == (remote, bills, leaves)


# The file


def write(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / "models.toml"
    file.write_text(text, encoding="utf-8")
    return file


def models(**names: list[str]) -> str:
    return "[models]\n" + "".join(f"{name} = {written}\n" for name, written in names.items())


def test_the_shipped_file_maps_every_documented_name_and_ends_with_quotes() -> None:
    table = Table.read(SHIPPED)
    assert tuple(table.targets) == DOCUMENTED_MODELS
    assert table.fall_through
    for first, last in table.targets.values():
        assert first.bills and last == QUOTES


def test_the_shipped_file_explains_every_form() -> None:
    text = SHIPPED.read_text("utf-8")
    for form in FORMS.values():
        assert f'#   "{form}"' in text


def test_an_address_of_a_provider_goes_with_its_targets(tmp_path: Path) -> None:
    file = write(tmp_path, models(A=["openai:x", "google:y"]) + '[providers.openai]\nurl = "http://127.0.0.1:1/v1"\n')
    openai, google = Table.read(file).targets["A"]
    assert (openai.url, google.url) == ("http://127.0.0.1:1/v1", "")
    assert str(openai) == "openai:x" and openai.bills and not openai.leaves_machine


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[models]\nGPT5 = quotes", "line 2"),
        ("fall_trough = false", "fall_trough is not known"),
        ("fall_through = 1", "fall_through must be"),
        ("models = 1", "models must be a table"),
        ("[models]\nGPT5 = []", "models.GPT5 must"),
        ("[models]\nGPT5 = 'quotes'", "models.GPT5 must"),
        ("[models]\nGPT5 = [1]", "models.GPT5 must"),
        ("[models]\n'' = ['quotes']", "name"),
        ("[models]\nGPT5 = ['quotes', 'gpt-5']", "models.GPT5: 'gpt-5' is not a kind of target"),
        ("[models]\nGPT5 = ['openai:']", "models.GPT5: 'openai:' does not have the form openai:MODEL"),
        ("[providers.compatible]\nurl = 'http://host'", "providers.compatible is not known"),
        ("[providers]\nopenai = 'http://host'", "providers.openai must be a table"),
        ("[providers.openai]\n", "providers.openai.url must"),
        ("[providers.openai]\nurl = 'host'", "providers.openai.url: 'host' is not an address"),
        ("[providers.openai]\nurl = 'http://host'\nkey = 'sk-1'", "providers.openai.key is not known"),
    ],
)
def test_an_invalid_entry_is_named_with_its_file_and_key(tmp_path: Path, text: str, key: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(CannotStart) as refused:
        Mapping(tmp_path)
    assert str(refused.value).startswith(f"{file}: ") and key in str(refused.value)
    assert "sk-1" not in str(refused.value)


def test_the_file_is_checked_once_a_second_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(targets.time, "monotonic", lambda: now)
    write(tmp_path, models(A=["quotes"]))
    mapping = Mapping(tmp_path)
    write(tmp_path, models(A=["local:x"]))
    assert mapping.table().targets["A"] == (QUOTES,)
    now += 1
    assert mapping.table().targets["A"] == (Target("local", "x"),)


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is checked with every use."""
    monkeypatch.setattr(targets, "CHECK_SECONDS", 0.0)


def test_a_new_or_deleted_file_is_noticed(tmp_path: Path, eager: None) -> None:
    mapping = Mapping(tmp_path)
    shipped = mapping.table()
    file = write(tmp_path, models(OWN=["quotes"]))
    assert list(mapping.table().targets) == ["OWN"]
    file.unlink()
    assert mapping.table() == shipped


def test_a_change_that_keeps_the_size_is_noticed(tmp_path: Path, eager: None) -> None:
    file = write(tmp_path, models(A=["local:x"]))
    mapping = Mapping(tmp_path)
    write(tmp_path, models(A=["local:y"]))
    os.utime(file, (1, 1))
    assert mapping.table().targets["A"] == (Target("local", "y"),)


def test_an_invalid_change_keeps_the_mapping_and_is_reported_until_it_is_fixed(
    tmp_path: Path, eager: None, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path, models(A=["quotes"]))
    mapping = Mapping(tmp_path)
    write(tmp_path, models(A=["local:x", "loca:y"]))
    for _ in range(3):
        assert mapping.table().targets["A"] == (QUOTES,)
    assert "models.A: 'loca' is not a kind of target" in mapping.fault
    assert [record.levelno for record in caplog.records] == [logging.ERROR], "once, not with every use"
    write(tmp_path, models(A=["local:x", "local:y"]))
    assert len(mapping.table().targets["A"]) == 2
    assert mapping.fault == ""


# The service


class Scripted:
    """A chat model that says `words` after `before` is set, if given, and then raises `error`, if given."""

    context_tokens = 7000
    is_small = False

    def __init__(self, *words: str, error: DocqaError | None = None, before: asyncio.Event | None = None) -> None:
        self.words, self.error, self.before = words, error, before
        self.calls = 0

    async def count(self, texts: list[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    async def generate(
        self, messages: list[dict[str, str]], *, temperature: float, max_tokens: int
    ) -> AsyncIterator[str]:
        self.calls += 1
        if self.before:
            await self.before.wait()
        for word in self.words:
            yield word
        if self.error:
            raise self.error


class House:
    """A running application whose remote models are stand-ins."""

    def __init__(self, services: Services, client: httpx.AsyncClient, doc_id: str) -> None:
        self.services, self.client, self.doc_id = services, client, doc_id

    def play(self, written: str, model: ChatModel) -> None:
        self.services.chat_models.remote[Target.parse(written)] = model

    async def ask(self, name: str, messages: list[dict[str, str]] = RENT, **query: Any) -> httpx.Response:
        return await self.client.post(f"/v1/chat/{self.doc_id}", params={"model_name": name, **query}, json=messages)

    async def models(self) -> dict[str, tuple[str, int, bool]]:
        listed = (await self.client.get("/v1/api/models")).json()
        return {
            model["name"]: (model["model_provider_name"], model["max_tokens"], model["is_paid_model"])
            for model in listed
        }


@asynccontextmanager
async def open_house(
    settings: Settings, text: str | None = None, document: str = LEASE, name: str = "lease.txt"
) -> AsyncIterator[House]:
    """An application whose models.toml has this text; None for the shipped one."""
    if text is not None:
        write(settings.models, text)
    app = create(settings)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(app.router.lifespan_context(app))
        client = await stack.enter_async_context(client_of(app, await key_for(app, "alice")))
        yield House(app.state.services, client, await upload(client, document, name))


@pytest.mark.anyio
async def test_without_a_key_no_documented_name_is_listed_and_each_is_answered_with_quotes(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-program")
    async with open_house(settings) as house:
        listed = await house.models()
        assert listed == {"QUOTES": (NO_LANGUAGE_MODEL, QUOTED_TOKENS, False)}
        for name in ("QUOTES", *DOCUMENTED_MODELS):
            response = await house.ask(name)
            assert response.headers["X-DocQA-Target"] == "quotes"
            assert "12,400" in response.json()["answer"]["message"]


@pytest.mark.anyio
async def test_a_note_says_so_while_all_answers_are_quotes(settings: Settings, eager: None) -> None:
    async with open_house(settings) as house:
        assert any("No language model answers" in note for note in (await house.client.get("/healthz")).json()["notes"])
        write(settings.models, models(GPT5_2=[NEAR]))
        assert not any("No language model" in note for note in (await house.client.get("/healthz")).json()["notes"])


@pytest.mark.anyio
async def test_a_key_makes_its_provider_serve_and_no_other(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCQA_OPENAI_KEY", "sk-of-docqa")
    async with open_house(settings) as house:
        listed = await house.models()
        assert listed["GPT5_2"][0] == "openai" and listed["GPT5_2"][1] > QUOTED_TOKENS and listed["GPT5_2"][2] is True
        assert "CLAUDE2" not in listed
        assert "sk-of-docqa" not in repr(house.services)


@pytest.mark.anyio
async def test_offline_only_this_machine_is_asked(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCQA_OPENAI_KEY", "sk-of-docqa")
    text = models(A=["openai:x", FAR, "quotes"], B=[FAR, NEAR], C=["openai:x"])
    async with open_house(replace(settings, offline=True), text) as house:
        listed = await house.models()
        assert (listed["A"][0], listed["B"][0], listed["C"][0]) == (NO_LANGUAGE_MODEL, "compatible", "none")
        far, near = Scripted("far"), Scripted("The rent is 12,400 euros.")
        house.play(FAR, far)
        house.play(NEAR, near)
        assert (await house.ask("B")).headers["X-DocQA-Target"] == NEAR
        assert far.calls == 0
        refused = await house.ask("C")
        assert refused.status_code == 503 and "openai:x: DOCQA_OFFLINE is on" in refused.json()["detail"]


@pytest.mark.anyio
async def test_names_are_the_documented_ones_and_those_of_the_file(settings: Settings) -> None:
    async with open_house(settings, models(HOUSE=[NEAR])) as house:
        listed = await house.models()
        assert list(listed) == ["QUOTES", "HOUSE"]
        assert (await house.ask("GPT5_2")).status_code == 200, "a name that the file leaves out is still served"
        house.play(NEAR, Scripted("12,400 euros."))
        assert (await house.models())["HOUSE"] == ("compatible", Scripted.context_tokens, False)
        assert (await house.ask("HOUSE")).headers["X-DocQA-Target"] == NEAR
        assert (await house.ask("OTHER")).status_code == 422


@pytest.mark.anyio
async def test_a_name_that_no_target_can_answer_for_says_why(settings: Settings) -> None:
    async with open_house(settings, models(A=["openai:x", "local:y"])) as house:
        assert (await house.models())["A"] == ("none", 0, False)
        response = await house.ask("A")
        assert response.status_code == 503
        assert (
            "openai:x: no key is given (DOCQA_OPENAI_KEY); local:y: there is no such local model"
            in response.json()["detail"]
        )


@pytest.mark.anyio
@pytest.mark.parametrize("error", [Unavailable("away"), Busy("busy"), ProviderFailed("wrong key")])
@pytest.mark.parametrize("query", [{}, {"stream": True}, {"stream": True, "cite_source": True}])
async def test_the_next_target_answers_for_one_that_fails(
    settings: Settings, error: DocqaError, query: dict[str, bool], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    async with open_house(settings, models(A=[FAR, NEAR, "quotes"])) as house:
        last = Scripted("The rent is 12,400 euros.")
        house.play(FAR, Scripted(error=error))
        house.play(NEAR, last)
        response = await house.ask("A", **query)
        assert response.status_code == 200 and "12,400 euros" in response.text
        assert response.headers["X-DocQA-Target"] == NEAR
        assert last.calls == 1
        assert f"A is not answered by {FAR}: {error}" in caplog.messages
        assert f"A: answered by {NEAR}" in caplog.messages


@pytest.mark.anyio
async def test_a_summary_falls_through_to_the_next_target_too(settings: Settings) -> None:
    async with open_house(settings, models(A=[FAR, "quotes"])) as house:
        house.play(FAR, Scripted(error=Unavailable("away")))
        response = await house.ask("A", [{"sender": "user", "message": "Summarize the document."}], cite_source=True)
        assert response.headers["X-DocQA-Target"] == "quotes"
        assert response.json()["sources"]


@pytest.mark.anyio
async def test_when_all_fail_the_first_error_is_returned(settings: Settings) -> None:
    async with open_house(settings, models(A=[FAR, NEAR])) as house:
        house.play(FAR, Scripted(error=Unavailable("The far one is away.", retry_after=17)))
        house.play(NEAR, Scripted(error=ProviderFailed("The near one is wrong.")))
        response = await house.ask("A")
        assert (response.status_code, response.json()["detail"], response.headers["Retry-After"]) == (
            503,
            "The far one is away.",
            "17",
        )


@pytest.mark.anyio
async def test_without_fall_through_the_first_failure_is_returned(settings: Settings) -> None:
    async with open_house(settings, "fall_through = false\n" + models(A=["openai:x", FAR, "quotes"])) as house:
        house.play(FAR, Scripted(error=ProviderFailed("wrong key")))
        response = await house.ask("A")
        assert (response.status_code, response.json()["detail"]) == (502, "wrong key"), (
            "a target without its key is skipped all the same"
        )


@pytest.mark.anyio
async def test_after_the_first_sentence_no_other_target_is_tried(settings: Settings) -> None:
    async with open_house(settings, models(A=[FAR, NEAR])) as house:
        near = Scripted("The rent is 1 euro.")
        house.play(FAR, Scripted("The rent is 12,400 euros. ", "It ", error=ProviderFailed("broken off")))
        house.play(NEAR, near)
        response = await house.ask("A")
        assert (response.status_code, response.json()["detail"]) == (502, "broken off")
        assert near.calls == 0


@pytest.mark.anyio
async def test_all_targets_share_the_time_for_one_answer(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    async with open_house(replace(settings, answer_seconds=1), models(A=[FAR, NEAR, "quotes"])) as house:
        never = asyncio.Event()
        house.play(FAR, Scripted("late", before=never))
        house.play(NEAR, Scripted("late", before=never))
        response = await house.ask("A")
        assert response.headers["X-DocQA-Target"] == "quotes"
        assert any(NEAR in message and "within 0" in message for message in caplog.messages), "no time was left"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("document", "name", "question", "target"),
    [
        (LEASE, "lease.txt", "Who won the chess championship in Reykjavik?", "refusal"),
        (LEASE, "lease.txt", "How many pages does the document have?", "overview"),
        (LEASE, "lease.txt", "Summarize the document.", NEAR),
        ("region,price\nnorth,3\nsouth,4\n", "prices.csv", "What is the total price?", "table"),
    ],
)
async def test_the_header_names_what_answered_without_a_target(
    settings: Settings, document: str, name: str, question: str, target: str
) -> None:
    async with open_house(settings, models(A=[NEAR]), document, name) as house:
        house.play(NEAR, Scripted("The lease was signed."))
        for query in ({}, {"stream": True}):
            assert (await house.ask("A", [{"sender": "user", "message": question}], **query)).headers[
                "X-DocQA-Target"
            ] == target


@pytest.mark.anyio
@pytest.mark.skipif(not available(), reason="llama-cpp-python is not installed")
async def test_a_local_model_that_cannot_be_loaded_gives_way_to_the_next_target(settings: Settings) -> None:
    text = models(A=["local:broken", "quotes"], B=["local:BROKEN"])
    settings.models.mkdir()
    (settings.models / "Broken.gguf").write_bytes(b"GGUF but not really")
    async with open_house(settings, text) as house:
        assert (await house.models())["A"] == ("local", settings.context_tokens, False)
        response = await house.ask("A")
        assert response.headers["X-DocQA-Target"] == "quotes" and "12,400" in response.text
        assert "could not be started" in (await house.ask("B")).json()["detail"]


@pytest.mark.anyio
@pytest.mark.skipif(not available() or not SMOLLM2.exists(), reason="SmolLM2 or llama-cpp-python is not installed")
async def test_a_model_copied_into_the_folder_is_served_at_once(settings: Settings) -> None:
    settings.models.mkdir()
    async with open_house(settings) as house:
        assert "MY_OWN" not in await house.models()
        assert (await house.ask("MY_OWN")).status_code == 422
        (settings.models / "my-own.gguf").symlink_to(SMOLLM2)
        assert (await house.models())["MY_OWN"][0] == "local"
        response = await house.ask("MY_OWN", temperature=0.1)
        assert response.headers["X-DocQA-Target"] in ("local:MY_OWN", "quotes")
        (settings.models / "my-own.gguf").unlink()
        assert (await house.ask("MY_OWN", temperature=0.1)).status_code == 200, "it is loaded and stays"


@pytest.mark.anyio
@pytest.mark.skipif(not available() or not SMOLLM2.exists(), reason="SmolLM2 or llama-cpp-python is not installed")
async def test_a_model_asked_by_its_own_name_falls_through_only_when_time_is_up(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docqa.answering.by_model.LEAST_PROMPT", 0)  # else it is known before that there is no time
    monkeypatch.setattr("docqa.answering.by_model.USUAL_ANSWER", {"SHORT": 0})
    settings.models.mkdir()
    (settings.models / "my-own.gguf").symlink_to(SMOLLM2)
    async with open_house(replace(settings, answer_seconds=1, answer_queue=1, answer_parallel=1)) as house:
        model = house.services.chat_models.local.by_name()["MY_OWN"]
        async with model.turn():
            out_of_time, refused = sorted(
                await asyncio.gather(house.ask("MY_OWN"), house.ask("MY_OWN")),
                key=lambda response: response.status_code,
            )
        assert out_of_time.headers["X-DocQA-Target"] == "quotes" and "12,400" in out_of_time.text
        assert refused.status_code == 503 and "already wait for MY_OWN" in refused.json()["detail"]


@pytest.mark.anyio
@pytest.mark.skipif(not available() or not SMOLLM2.exists(), reason="SmolLM2 or llama-cpp-python is not installed")
async def test_a_documented_name_is_answered_by_a_local_model_under_any_of_its_names(settings: Settings) -> None:
    settings.models.mkdir()
    (settings.models / SMOLLM2.name).symlink_to(SMOLLM2)
    names = ["local:SMOLLM2_135M", "local:smollm2-135m-instruct", f"local:{SMOLLM2.stem}"]
    async with open_house(settings, models(A=names[:1], B=names[1:2], GPT5_2=names[2:])) as house:
        listed = await house.models()
        assert {listed[name][0] for name in ("A", "B", "SMOLLM2_135M")} == {"local"}
        assert listed["GPT5_2"][0] == names[2], "that it is another model than the name says"
        response = await house.ask("GPT5_2", temperature=0.1)
        assert response.headers["X-DocQA-Target"] in (names[2], "quotes"), "what it writes may be in no document"
        assert response.json()["answer"]["message"].strip()
        assert (await house.models())["A"][1:] == (await house.models())["GPT5_2"][1:], "it is the same model"


@pytest.mark.anyio
async def test_a_browser_may_read_the_header(settings: Settings) -> None:
    async with open_house(settings) as house:
        house.client.headers["Origin"] = "http://page.example"
        response = await house.ask("GPT5_2")
        assert response.headers["Access-Control-Expose-Headers"] in ("*", "X-DocQA-Target")


@pytest.mark.anyio
async def test_an_invalid_change_shows_in_healthz_and_a_valid_one_is_served(settings: Settings, eager: None) -> None:
    async with open_house(settings, models(A=["quotes"])) as house:
        write(settings.models, models(A=["quotes"], B=["nothing"]))
        notes = (await house.client.get("/healthz")).json()["notes"]
        assert any("models.B: 'nothing' is not a kind of target" in note for note in notes)
        assert (await house.ask("B")).status_code == 422
        write(settings.models, models(B=["quotes"]))
        assert (await house.ask("B")).status_code == 200
        assert (await house.ask("A")).status_code == 422
        assert not any("models.B" in note for note in (await house.client.get("/healthz")).json()["notes"])
