"""A client generated from /openapi.json adds a document to a real server and asks it."""

import importlib
import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from conftest import Server, start_server, stop_server, without_models

if importlib.util.find_spec("openapi_python_client") is None:
    pytest.skip("openapi-python-client, which generates the client, is missing", allow_module_level=True)

LEASE = b"The monthly rent of the warehouse is 12,400 euros. The lease ends on 31 March 2027."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    server = start_server(folder / "data", **without_models(folder / "no-models"))
    yield server
    stop_server(server)


@pytest.fixture(scope="module")
def package(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of the generated package, which can be imported."""
    folder = tmp_path_factory.mktemp("generated")
    described = folder / "openapi.json"
    described.write_bytes(httpx.get(f"{server.base}/openapi.json").content)
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    places = ["--path", str(described), "--output-path", str(folder / "docqa_client")]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # it formats with ruff
    done = subprocess.run(
        [*command, *places], capture_output=True, text=True, check=False, env={**os.environ, "PATH": path}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    # PNG is the only thing here that it has no type for: its bytes are in the response all the same.
    assert done.stdout.count("WARNING") == done.stdout.count("Unsupported content_type image/png"), done.stdout
    sys.path.insert(0, str(folder))
    yield "docqa_client"
    sys.path.remove(str(folder))


def module(package: str, name: str) -> ModuleType:
    return importlib.import_module(f"{package}.{name}")


@pytest.fixture
def client(package: str, server: Server) -> Any:
    made = module(package, "client").AuthenticatedClient
    return made(base_url=server.base, token=server.key, prefix="", auth_header_name="x-api-key", timeout=60)


def test_it_adds_a_document_and_asks_it(package: str, client: Any) -> None:
    models = module(package, "models")
    file = module(package, "types").File(payload=LEASE, file_name="lease.txt", mime_type="text/plain")
    added = module(package, "api.documents.upload").sync(client=client, body=models.UploadBody(file=file))
    document = module(package, "api.documents.read_document").sync(added.doc_id, client=client)
    assert (document.name, document.pages, document.date_time.year > 2000) == ("lease.txt", 1, True)
    messages = [models.ChatMessage(sender=models.ChatMessageSender.USER, message="How much is the rent?")]
    ask = module(package, "api.chat.chat_with_document").sync
    answer = ask(added.doc_id, client=client, body=messages, cite_source=True)
    assert "12,400 euros" in answer.answer.message
    assert answer.sources[0].page_number == 1 and answer.sources[0].source_chunk in LEASE.decode()
    page = module(package, "api.documents.read_page").sync(added.doc_id, 1, client=client)
    assert page.text == LEASE.decode()
    original = module(package, "api.documents.read_file").sync_detailed(added.doc_id, client=client)
    assert original.content == LEASE


def test_it_gets_the_faults_of_a_bad_request(package: str, client: Any) -> None:
    wrong = module(package, "api.documents.list_documents").sync(client=client, page_size=0)
    assert wrong.detail[0].loc == ["query", "page_size"]
    unknown = module(package, "api.documents.read_document").sync("unknown", client=client)
    assert unknown.detail == "Document not found"


def test_it_makes_and_revokes_keys(package: str, client: Any) -> None:
    models = module(package, "models")
    made = module(package, "api.api_keys.create_key").sync(client=client, body=models.CreateKeyBody(name="laptop"))
    listed = module(package, "api.api_keys.list_keys").sync(client=client)
    assert (listed[0].name, listed[0].revoked) == ("laptop", None)
    done = module(package, "api.api_keys.revoke_key").sync(made.key_id, client=client)
    assert done.message == "API key revoked"
