"""The documents as tools, through the official client: over HTTP, over stdin and stdout, and by the bundle."""

import asyncio
import base64
import json
import shutil
import sys
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from starlette.applications import Starlette

from conftest import Server, client_of, key_for, upload
from docqa import ROOT
from docqa.api.mcp import served
from docqa.cli.main import main
from later import Later

httpx2, mcp = Later("httpx2"), Later("mcp")
streamable_http = Later("mcp.client.streamable_http")

pytestmark = pytest.mark.anyio

LEASE = "An introduction.\fThe monthly rent of the warehouse is 12,400 euros (without heating), due on the third day."
MENU = "On Fridays there is fish with potatoes and dill sauce."


@pytest.fixture(scope="module")
def shelf(words_server: Server) -> Server:
    """A server with two documents, and a knowledge base of the second."""
    with words_server.client() as client:
        for name, text in (("lease.txt", LEASE), ("menu.txt", MENU)):
            added = client.post("/v1/api/upload", files={"file": (name, text.encode())})
        body = {"name": "Food", "document_ids": [added.json()["doc_id"]]}
        client.post("/v1/api/knowledge", json=body).raise_for_status()
    return words_server


@asynccontextmanager
async def over_http(shelf: Server, mode: str = "auto") -> AsyncIterator["mcp.Client"]:
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {shelf.key}"}, timeout=60) as http:
        transport = streamable_http.streamable_http_client(f"{shelf.base}/mcp", http_client=http)
        async with mcp.Client(transport, mode=mode) as client:
            yield client


@asynccontextmanager
async def over_stdio(shelf: Server, mode: str = "auto") -> AsyncIterator["mcp.Client"]:
    arguments = [str(ROOT / "run.py"), "mcp", "--url", shelf.base, "--data", str(shelf.data)]
    async with mcp.Client(mcp.StdioServerParameters(command=sys.executable, args=arguments), mode=mode) as client:
        yield client


@asynccontextmanager
async def by_bundle(shelf: Server, mode: str = "auto") -> AsyncIterator["mcp.Client"]:
    """The bundle installed as an assistant's program installs it: unpacked, with what the user filled in."""
    folder = shelf.data / "bundle"
    if not folder.exists():
        assert (
            await asyncio.to_thread(main, ["mcp", "--url", shelf.base, "--bundle", str(shelf.data / "docqa.mcpb")]) == 0
        )
        with zipfile.ZipFile(shelf.data / "docqa.mcpb") as bundle:
            bundle.extractall(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["user_config"]["url"]["default"] == shelf.base
    config = manifest["server"]["mcp_config"]
    given = {"${user_config.url}": shelf.base, "${user_config.key}": shelf.key}
    server = mcp.StdioServerParameters(
        command=config["command"],
        args=[argument.replace("${__dirname}", str(folder)) for argument in config["args"]],
        env={name: given[value] for name, value in config["env"].items()},
    )
    async with mcp.Client(server, mode=mode) as client:
        yield client


WAYS = [
    pytest.param(over_http, "auto", id="HTTP"),
    pytest.param(over_http, "legacy", id="HTTP, of 2025"),
    pytest.param(over_stdio, "auto", id="stdio"),
    pytest.param(over_stdio, "legacy", id="stdio, of 2025"),
    *(
        pytest.param(by_bundle, mode, id=f"bundle, {mode}", marks=pytest.mark.skipif(not shutil.which("node"), reason="there is no Node.js"))
        for mode in ("auto", "legacy")
    ),
]  # fmt: skip


async def call(client: "mcp.Client", tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured result of a tool, which the text says too."""
    result = await client.call_tool(tool, arguments)
    text = cast(Any, result.content[0]).text
    assert not result.is_error, text
    assert json.loads(text) == result.structured_content
    return cast(dict[str, Any], result.structured_content)


async def refusal(client: "mcp.Client", tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error and result.structured_content is None
    return str(cast(Any, result.content[0]).text)


@pytest.mark.parametrize(("way", "mode"), WAYS)
async def test_an_assistant_searches_reads_and_asks(shelf: Server, way: Any, mode: str) -> None:
    async with way(shelf, mode) as client:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == ["search", "fetch", "ask", "list_documents", "add_file"]
        hints = [
            (tool.annotations.read_only_hint, tool.annotations.destructive_hint) for tool in listed if tool.annotations
        ]
        assert hints == [(True, False)] * 4 + [(False, False)]

        results = (await call(client, "search", query="How much is the rent of the warehouse?"))["results"]
        best = results[0]
        assert list(best) == ["id", "title", "url", "text"]
        assert best["title"] == "lease.txt, page 2" and "12,400 euros" in best["text"]
        doc_id, page = best["id"].split("/")
        assert page == "2"
        assert best["url"].startswith(f"{shelf.base}/#/doc/{doc_id}/page/2?quote=The%20monthly%20rent")

        fetched = await call(client, "fetch", id=best["id"])
        assert list(fetched) == ["id", "title", "text", "url", "metadata"]
        assert fetched["text"] == LEASE.partition("\f")[2] and fetched["metadata"]["is_complete"]

        asked_about = await call(client, "ask", question="How much is the monthly rent?")
        assert "12,400 euros" in asked_about["answer"]
        [citation] = asked_about["citations"]
        assert f"[1]({citation['url']})" in asked_about["answer"]
        assert (citation["doc_id"], citation["page_number"]) == (doc_id, 2)


async def test_a_document_is_fetched_whole(shelf: Server) -> None:
    async with over_http(shelf) as client:
        documents = (await call(client, "list_documents"))["documents"]
        [lease] = [document for document in documents if document["name"] == "lease.txt"]
        fetched = await call(client, "fetch", id=lease["id"])
    assert fetched["text"] == LEASE.replace("\f", "\n\n")
    assert fetched["metadata"] == {
        "document": "lease.txt", "doc_id": lease["id"], "language": "en",
        "pages": 2, "first_page": 1, "last_page": 2, "is_complete": True,
    }  # fmt: skip


async def test_a_long_document_is_fetched_in_parts(shelf: Server) -> None:
    text = "\f".join(f"Page {number}. " + "word " * 5_000 for number in range(1, 7))
    async with over_http(shelf) as client:
        long = await call(client, "add_file", name="long.txt", text=text)
        first = await call(client, "fetch", id=long["id"])
        assert len(first["text"]) == 60_000 and first["text"].startswith("Page 1. ")
        last = first["metadata"]["last_page"]
        assert 1 < last < long["pages"] and not first["metadata"]["is_complete"]
        further = await call(client, "fetch", id=f"{long['id']}/{last + 1}")
        assert further["text"].startswith("word") and further["metadata"]["is_complete"]
    async with httpx.AsyncClient(base_url=shelf.base, headers={"x-api-key": shelf.key}) as http:
        await http.delete(f"/v1/api/documents/{long['id']}")


async def test_a_knowledge_base_is_asked_by_the_id_that_the_list_tells(shelf: Server) -> None:
    async with over_http(shelf) as client:
        listed = await call(client, "list_documents")
        assert {document["name"] for document in listed["documents"]} >= {"lease.txt", "menu.txt"}
        [base] = listed["knowledge_bases"]
        assert (base["name"], base["documents"]) == ("Food", 1)
        fish = await call(client, "ask", question="What is there on Fridays?", about=base["id"])
        assert "fish" in fish["answer"]
        rent = await call(client, "ask", question="How much is the rent of the warehouse?", about=base["id"])
        assert "12,400" not in rent["answer"] and rent["citations"] == []


async def test_documents_are_chosen_by_their_tags(shelf: Server) -> None:
    async with httpx.AsyncClient(base_url=shelf.base, headers={"x-api-key": shelf.key}) as http:
        [menu] = [
            each for each in (await http.get("/v1/api/documents")).json()["documents"] if each["name"] == "menu.txt"
        ]
        await http.patch(f"/v1/api/documents/{menu['doc_id']}", json={"tags": ["Kitchen"]})
    async with over_http(shelf) as client:
        [listed] = (await call(client, "list_documents", tag="kitchen"))["documents"]
        assert (listed["name"], listed["tags"], listed["kind"]) == ("menu.txt", ["Kitchen"], "txt")
        assert "fish" in (await call(client, "ask", question="What is there on Fridays?", tag="kitchen"))["answer"]
        rent = await call(client, "ask", question="How much is the rent of the warehouse?", tag="kitchen")
        assert "12,400" not in rent["answer"] and rent["citations"] == []
        assert "date_from" in await refusal(client, "list_documents", date_from="May")


async def test_files_are_added_as_text_as_bytes_and_on_this_machine_by_their_path(
    shelf: Server, tmp_path: Path
) -> None:
    (tmp_path / "visit.txt").write_text("The inspector visited the mill on 7 June.")
    async with over_http(shelf) as client:
        text = await call(client, "add_file", name="note.txt", text="The key is under the mat.")
        same = await call(
            client, "add_file", name="note.txt", base64=base64.b64encode(b"The key is under the mat.").decode()
        )
        assert same["id"] == text["id"], "the same bytes are the same document"
        assert "under the mat" in (await call(client, "ask", question="Where is the key?", about=text["id"]))["answer"]
        assert "Give one of url, text, base64." in await refusal(client, "add_file", path=str(tmp_path / "visit.txt"))
    async with over_stdio(shelf) as client:
        added = await call(client, "add_file", path=str(tmp_path / "visit.txt"))
        assert added["name"] == "visit.txt" and added["url"] == f"{shelf.base}/#/doc/{added['id']}/page/1"
        assert "cannot be read: No such file" in await refusal(client, "add_file", path=str(tmp_path / "gone.txt"))


async def test_what_cannot_be_done_is_said_so_that_the_assistant_can_do_better(shelf: Server) -> None:
    async with over_http(shelf) as client:
        assert await refusal(client, "fetch", id="0" * 24) == "Document not found"
        assert "An id is that of a document" in await refusal(client, "fetch", id="a/b/c")
        assert await refusal(client, "search") == "query: Field required"
        assert "lists those there are" in await refusal(client, "ask", question="Why?", about="nothing")
        assert "there are search, fetch, ask" in await refusal(client, "delete_all")
        assert "What is given as base64 is not" in await refusal(client, "add_file", name="x.txt", base64="a")
        assert "Give one of url, text, base64." in await refusal(client, "add_file", name="x.txt")
        assert "10.0.0.1" in await refusal(client, "add_file", url="http://10.0.0.1/")


async def test_nobody_finds_the_documents_of_another_account(app: Starlette) -> None:
    """Asked in this process: each of two accounts has a document of its own."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    answers = []
    for account, text in (("alice", "The rent is 12,400 euros."), ("bob", "The rent is 7 dollars.")):
        async with client_of(app, await key_for(app, account)) as client:
            await upload(client, text)
            client.headers["accept"] = "application/json, text/event-stream"
            for name, given in (
                ("search", {"query": "rent"}),
                ("list_documents", {}),
                ("ask", {"question": "How much is the rent?"}),
            ):
                params = {"name": name, "arguments": given}
                answers.append((await client.post("/mcp", json={**message, "params": params})).text)
    assert all("dollars" not in answer for answer in answers[:3]) and "12,400" in answers[0] and "12,400" in answers[2]
    assert all("12,400" not in answer for answer in answers[3:]) and "dollars" in answers[3] and "dollars" in answers[5]


async def test_a_server_without_the_package_says_what_to_do(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served, "available", lambda: False)
    refused = await client.post("/mcp", json={})
    assert (refused.status_code, refused.json()) == (503, {"detail": served.MISSING})
    assert refused.headers["retry-after"] == "60"


def test_the_command_says_what_it_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--data", str(tmp_path)]) == 1
    assert "api-key cannot be read (No such file or directory): give a key with --key." in capsys.readouterr().err
    assert main(["mcp", "--url", "localhost:8000"]) == 1
    assert "must begin with http://" in capsys.readouterr().err


def test_the_server_that_runs_on_the_data_folder_is_found(shelf: Server, tmp_path: Path) -> None:
    """As all other commands find it: it may serve on another port than the settings say."""
    bundle = tmp_path / "docqa.mcpb"
    assert main(["mcp", "--data", str(shelf.data), "--bundle", str(bundle)]) == 0
    with zipfile.ZipFile(bundle) as written:
        manifest = json.loads(written.read("manifest.json"))
    assert manifest["user_config"]["url"]["default"] == shelf.base


def test_the_stored_key_is_told_to_this_machine_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "api-key").write_text("dq-stored")
    assert main(["mcp", "--url", "https://docs.invalid", "--data", str(tmp_path)]) == 1
    assert "https://docs.invalid needs a key of its own" in capsys.readouterr().err


async def test_the_tools_are_behind_the_key_the_name_and_the_limits_of_the_server(shelf: Server) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"accept": "application/json, text/event-stream"}
    async with httpx.AsyncClient(base_url=shelf.base, headers=accept) as nobody:
        assert (await nobody.post("/mcp", json=message)).status_code == 401
        assert (await nobody.post("/mcp", json=message, headers={"x-api-key": "wrong"})).status_code == 401
        right = {"x-api-key": shelf.key}
        assert (await nobody.post("/mcp", json=message, headers=right)).status_code == 200
        assert (await nobody.post("/mcp", json=message, headers={**right, "host": "evil.example"})).status_code == 421
        large = await nobody.post(
            "/mcp", content=b"x" * (3 << 20), headers={**right, "content-type": "application/json"}
        )
        assert (large.status_code, large.json()["detail"]) == (
            413,
            "The body is larger than 2 MB, the most this server takes",
        )
        many = json.dumps({**message, "params": [[]] * 30_000})
        crowded = await nobody.post("/mcp", content=many, headers={**right, "content-type": "application/json"})
        assert (crowded.status_code, crowded.json()["detail"][:36]) == (413, "The message holds more than 20000 va")
        commas = {
            **message,
            "method": "tools/call",
            "params": {"name": "ask", "arguments": {"question": "rent," * 6_000}},
        }
        assert (await nobody.post("/mcp", json=commas, headers=right)).status_code == 200, "a text is one value"
        refused = await nobody.get("/mcp", headers=right)
        assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
        broken = await nobody.post("/mcp", content=b"{", headers={**right, "content-type": "application/json"})
        assert broken.status_code == 400 and broken.json()["error"]["code"] == -32700


async def test_what_a_client_has_left_is_given_up(shelf: Server) -> None:
    """A link that never answers is fetched: its server sees the connection end as soon as the client has gone."""
    asked_for, given_up = asyncio.Event(), asyncio.Event()

    async def stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked_for.set()
        await reader.read()
        given_up.set()
        writer.close()

    listening = await asyncio.start_server(stall, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/"
    params = {"name": "add_file", "arguments": {"url": url}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"x-api-key": shelf.key, "accept": "application/json, text/event-stream"}
    async with listening, httpx.AsyncClient(base_url=shelf.base, headers=headers, timeout=60) as client:
        calling = asyncio.create_task(client.post("/mcp", json=message))
        await asyncio.wait_for(asked_for.wait(), 20)
        calling.cancel()
        await asyncio.wait_for(given_up.wait(), 10)
