"""Documents and knowledge bases asked through OpenAI's own client, over HTTP: models, answers, streams, errors."""

import re
import time
from collections.abc import AsyncGenerator, Iterator
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from conftest import Server, upload
from docqa.answering.answer import Answer
from docqa.api.openai.body import COMPLETION_BODY
from docqa.api.openai.naming import id_in, model_id
from docqa.api.openai.reply import Reply
from docqa.errors import InvalidRequest, Unavailable
from docqa.questions.question import ChatOptions
from docqa.questions.understand import understand
from docqa.records import Source
from docqa.store.askable import Askable
from later import Later

openai = Later("openai")

LEASE = """The lease of the warehouse in Bergen was signed by Kari Nordmann on 3 May 2021. The end of the lease is 31 March 2027.

The monthly rent is 12,400 euros (without heating), due on the third working day of each month."""
MENU = "The canteen serves soup on Mondays. On Fridays there is fish with potatoes and dill sauce."
RENT = {"role": "user", "content": "How much is the monthly rent?"}


@pytest.fixture(scope="module")
def shelf(words_server: Server) -> Server:
    """A server with two documents, and a knowledge base of the second."""
    with words_server.client() as client:
        for name, text in (("Lease, Bergen 2021.txt", "An introduction.\f" + LEASE), ("menu.txt", MENU)):
            added = client.post("/v1/api/upload", files={"file": (name, text.encode())})
        body = {"name": "Food & drink", "document_ids": [added.json()["doc_id"]]}
        client.post("/v1/api/knowledge", json=body).raise_for_status()
    return words_server


@pytest.fixture
def ai(shelf: Server) -> Iterator["openai.OpenAI"]:
    with openai.OpenAI(base_url=f"{shelf.base}/v1", api_key=shelf.key, max_retries=0) as ai:
        yield ai


def model_named(ai: "openai.OpenAI", beginning: str) -> str:
    return next(model.id for model in ai.models.list() if model.id.startswith(beginning))


# --- models -----------------------------------------------------------------------------------------------------------


def test_models_are_all_documents_then_knowledge_bases_then_documents_newest_first(ai: "openai.OpenAI") -> None:
    models = ai.models.list().data
    assert [model.owned_by for model in models] == ["all documents", "knowledge base", "document", "document"]
    patterns = (r"docqa", r"kb-Food-drink~\w{12}", r"menu\.txt~\w{12}", r"Lease-Bergen-2021\.txt~\w{12}")
    for model, pattern in zip(models, patterns, strict=True):
        assert re.fullmatch(pattern, model.id)
    assert models[2].created >= models[3].created > 1_600_000_000


def test_a_model_is_read_by_its_id(ai: "openai.OpenAI") -> None:
    listed = ai.models.list().data
    assert [ai.models.retrieve(model.id) for model in listed] == listed
    with pytest.raises(openai.NotFoundError, match="GET /v1/models lists"):
        ai.models.retrieve("gpt-5")


def test_the_id_of_a_model_outlives_its_name() -> None:
    before = Askable("document", "65f0c2a91b3e4d5a6b7c8d9e", "Bericht über das Jahr.pdf", "2026-01-01T00:00:00.000Z")
    after = Askable("document", before.id, "?!", before.created)
    assert model_id(before) == "Bericht-über-das-Jahr.pdf~65f0c2a91b3e"
    assert model_id(after) == "unnamed~65f0c2a91b3e"
    assert id_in(model_id(before)) == id_in(model_id(after))
    assert id_in(before.id) == before.id
    assert id_in("report~65f0") == id_in("docqa") == "", "too short to tell documents apart"


@pytest.mark.anyio
async def test_nobody_can_ask_the_documents_of_another_account(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient
) -> None:
    await upload(client, LEASE)
    [_, model] = (await client.get("/v1/models")).json()["data"]
    assert [other["id"] for other in (await stranger.get("/v1/models")).json()["data"]] == ["docqa"]
    body = {"model": model["id"], "messages": [RENT]}
    assert "12,400" in (await client.post("/v1/chat/completions", json=body)).text
    assert (await stranger.post("/v1/chat/completions", json=body)).status_code == 404
    assert (await stranger.get(f"/v1/models/{model['id']}")).status_code == 404
    assert "12,400" not in (await stranger.post("/v1/chat/completions", json={**body, "model": "docqa"})).text


# --- answers ----------------------------------------------------------------------------------------------------------


def test_an_answer_cites_by_links_that_lead_to_the_page_with_its_quote(ai: "openai.OpenAI", shelf: Server) -> None:
    model = model_named(ai, "Lease")
    completion = ai.chat.completions.create(model=model, messages=[RENT])
    [choice] = completion.choices
    content = choice.message.content or ""
    assert (completion.object, completion.model, choice.finish_reason) == ("chat.completion", model, "stop")
    assert "12,400 euros" in content
    [citation] = completion.model_dump()["citations"]
    assert citation["title"] == "Lease, Bergen 2021.txt" and citation["page_number"] == 2
    assert citation["source_chunk"] in LEASE and "12,400" in citation["source_chunk"]
    assert f"[1]({citation['url']})" in content
    assert citation["url"].startswith(f"{shelf.base}/#/doc/{citation['doc_id']}/page/2?quote=")
    quote = parse_qs(urlsplit(citation["url"]).fragment.partition("?")[2])["quote"][0]
    assert quote in citation["source_chunk"] and quote.startswith("The monthly rent is 12,400 euros (without heating)")
    [annotation] = choice.message.annotations or []
    assert annotation.url_citation.url == citation["url"]
    start, end = annotation.url_citation.start_index, annotation.url_citation.end_index
    assert content[start:end] == f"[1]({citation['url']})"


def test_a_stream_says_what_the_whole_answer_says(ai: "openai.OpenAI") -> None:
    model = model_named(ai, "Lease")
    whole = ai.chat.completions.create(model=model, messages=[RENT])
    chunks = list(ai.chat.completions.create(model=model, messages=[RENT], stream=True))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == whole.choices[0].message.content
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [chunk.choices[0].finish_reason for chunk in chunks] == [None] * (len(chunks) - 1) + ["stop"]
    assert {(chunk.id, chunk.model) for chunk in chunks} == {(chunks[0].id, model)}
    last = chunks[-1].model_dump()
    assert last["citations"] == whole.model_dump()["citations"]
    annotations = whole.choices[0].message.model_dump()["annotations"]
    assert last["choices"][0]["delta"]["annotations"] == annotations


def test_all_documents_and_a_knowledge_base_are_asked(ai: "openai.OpenAI") -> None:
    assert "12,400" in str(ai.chat.completions.create(model="docqa", messages=[RENT]).choices[0].message.content)
    food = model_named(ai, "kb-")
    fish = {"role": "user", "content": "What is there on Fridays?"}
    assert "fish" in str(ai.chat.completions.create(model=food, messages=[fish]).choices[0].message.content)
    elsewhere = ai.chat.completions.create(model=food, messages=[RENT])
    assert "12,400" not in str(elsewhere.choices[0].message.content)
    assert elsewhere.model_dump()["citations"] == []


def test_a_conversation_goes_on_though_the_client_sends_the_links_back(ai: "openai.OpenAI") -> None:
    signed = {"role": "user", "content": "Who signed the lease of the warehouse in Bergen?"}
    first = ai.chat.completions.create(model="docqa", messages=[{"role": "developer", "content": "Be kind."}, signed])
    earlier = str(first.choices[0].message.content)
    assert "Kari Nordmann" in earlier and "/#/doc/" in earlier
    parts = {"role": "user", "content": [{"type": "text", "text": "And when?"}]}
    second = ai.chat.completions.create(
        model="docqa", messages=[signed, {"role": "assistant", "content": earlier}, parts], temperature=2
    )
    assert "3 May 2021" in str(second.choices[0].message.content)


def test_the_options_of_a_chat_can_be_sent_besides(ai: "openai.OpenAI") -> None:
    chess = {"role": "user", "content": "Who won the chess championship?"}
    german = ai.chat.completions.create(model="docqa", messages=[chess], extra_body={"language": "GERMAN"})
    assert str(german.choices[0].message.content).startswith("Die Dokumente sagen dazu nichts.")
    with pytest.raises(openai.BadRequestError) as refused:
        ai.chat.completions.create(model="docqa", messages=[RENT], extra_body={"model_name": "GPT-9"})
    assert refused.value.param == "model_name"


def test_a_link_that_does_not_end_takes_no_time() -> None:
    hostile = "[1](" + "/#/doc/" * 200_000
    started = time.process_time()
    with pytest.raises(InvalidRequest, match="at most 32768 characters"):
        COMPLETION_BODY.read({"model": "docqa", "messages": [{"role": "user", "content": hostile}]}, {"models": ()})
    assert time.process_time() - started < 0.5


# --- errors -----------------------------------------------------------------------------------------------------------


def test_a_wrong_key_is_an_authentication_error(shelf: Server) -> None:
    with (
        openai.OpenAI(base_url=f"{shelf.base}/v1", api_key="wrong", max_retries=0) as ai,
        pytest.raises(openai.AuthenticationError) as refused,
    ):
        ai.models.list()
    assert refused.value.body == {
        "message": "The API key is unknown or has been revoked",
        "type": "invalid_request_error",
        "param": None,
        "code": "invalid_api_key",
    }


@pytest.mark.parametrize(
    ("change", "param", "message"),
    [
        ({"messages": []}, "messages", "at least one message needs the sender 'user'"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages.0.role", "Input should be 'user', 'assistant'"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}]},
            "messages.0.content",
            "pictures and sounds cannot be asked about",
        ),
        ({"messages": [{"role": "user", "content": 7}]}, "messages.0.content", "valid string"),
        ({"n": 2}, "n", "less than or equal to 1"),
        ({"temperature": 3}, "temperature", "less than or equal to 2"),
        ({"model": None}, "model", "valid string"),
    ],
)
def test_a_bad_request_names_its_field(
    ai: "openai.OpenAI", change: dict[str, object], param: str, message: str
) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        ai.post("/chat/completions", body={"model": "docqa", "messages": [RENT], **change}, cast_to=object)
    assert refused.value.param == param
    assert message in refused.value.message


def test_an_unknown_model_is_not_found(ai: "openai.OpenAI") -> None:
    with pytest.raises(openai.NotFoundError) as refused:
        ai.chat.completions.create(model="gpt-5", messages=[RENT])
    assert refused.value.code == "model_not_found"


def test_the_key_of_bearer_opens_every_endpoint(shelf: Server) -> None:
    for authorization, status in (
        (f"Bearer {shelf.key}", 200),
        (f"bearer  {shelf.key}", 200),
        (f"Basic {shelf.key}", 401),
        ("Bearer", 401),
    ):
        answer = httpx.get(f"{shelf.base}/v1/api/documents", headers={"Authorization": authorization})
        assert answer.status_code == status, authorization


@pytest.mark.anyio
async def test_an_answer_that_breaks_off_is_an_error_in_the_stream() -> None:
    question = understand([{"sender": "user", "message": "Rent?"}], ChatOptions(cite_source=True), [])

    async def tokens() -> AsyncGenerator[str, None]:
        yield "The rent is "
        yield "12,400 euros [1] [1], see [2] and [3]."
        raise Unavailable("The model has gone.")

    answer = Answer(
        question,
        tokens(),
        "quotes",
        [Source(1, "d1", "It is mild.\nA rent of 12,400 euros (net).", 4)],
        {"d1": "lease.pdf"},
    )
    events = Reply(answer, "docqa", "http://localhost:8000").events()
    sent = [await anext(events) for _ in range(4)]
    link = "[1](http://localhost:8000/#/doc/d1/page/4?quote=A%20rent%20of%2012%2C400%20euros%20%28net%29.)"
    assert f"12,400 euros {link} {link}, see [2] and [3]." in sent[2], "no link where there is no source"
    assert '"message": "The model has gone."' in sent[3]
    with pytest.raises(Unavailable):
        await anext(events)
