"""Requests leave nothing behind in the server: the short version of tests/torture/soak.py."""

import asyncio
import gc
import operator
import os
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from conftest import upload
from waiting import until

pytestmark = pytest.mark.anyio
ROUNDS = 3
OPEN_FILES = Path("/proc/self/fd")
TEXT = "The lease of the harbour crane ends on 31 March. The yearly rent is 4,200 euros."
QUESTION = [{"sender": "user", "message": "When does the lease end?"}]


async def everything(client: httpx.AsyncClient, number: int) -> None:
    """Requests of every kind, at the end of which the account has no more than before."""
    doc_id = await upload(client, f"{TEXT} The keys are in box {number}.")
    refused = await client.post("/v1/api/upload", files={"file": ("film.mp4", b"\0\0\0\x20ftypisom")})
    bare = await client.post("/v1/api/upload", content=b"--cut", headers={"Content-Type": "multipart/form-data"})
    base = await client.post("/v1/api/knowledge", json={"name": "Leases", "document_ids": []})
    base_path = f"/v1/api/knowledge/{base.json()['knowledge_base_id']}"
    requests = [
        client.put(base_path, json={"document_ids": [doc_id]}),
        client.post(f"{base_path}/chat", json={"messages": QUESTION}),
        client.post(f"/v1/chat/{doc_id}", json=QUESTION),
        client.post(f"/v1/chat/{doc_id}?stream=true", json=QUESTION),
        client.post("/v1/api/retrieve", json={"query": "lease", "doc_ids": [doc_id]}),
        client.get(f"/v1/api/documents/{doc_id}/file"),
        client.get(f"/v1/api/documents/{doc_id}/pages/1"),
        client.get("/v1/api/search/knowledge?query=lease"),
        client.get("/v1/api/documents", headers={"x-api-key": "wrong"}),
        client.post(f"/v1/chat/{doc_id}", json=[{"sender": "nobody", "message": "a"}]),
    ]
    done = await asyncio.gather(*requests)
    gone = [await client.delete(base_path), await client.delete(f"/v1/api/documents/{doc_id}")]
    statuses = [response.status_code for response in (refused, bare, *done, *gone)]
    assert statuses == [422, 422, *[200] * 8, 401, 422, 200, 200]


def held(folder: Path) -> tuple[int, int, int]:
    """Open descriptors, tasks, and files in the folder of the data."""
    gc.collect()
    descriptors = len(os.listdir(OPEN_FILES)) if OPEN_FILES.exists() else 0
    return descriptors, len(asyncio.all_tasks()), len(list(folder.iterdir()))


def open_files() -> list[str]:
    """What the descriptors lead to."""
    names = []
    for link in OPEN_FILES.iterdir():
        with suppress(FileNotFoundError):  # that of the folder itself
            names.append(os.readlink(link))
    return sorted(names)


async def test_requests_leave_no_descriptor_task_or_file_behind(
    app: Starlette, client: httpx.AsyncClient, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    await everything(client, 0)  # what is opened once, is
    # Words are read a second later, where numpy is there, and SQLite keeps the descriptor for the next connection.
    await asyncio.to_thread(app.state.services.db.words.wait)
    before = held(data)
    for number in range(1, 1 + ROUNDS):
        await everything(client, number)
    with suppress(AssertionError):  # what is left tells more
        await until(lambda: all(map(operator.le, held(data), before)), f"no more than {before}")
    assert all(map(operator.le, held(data), before)), f"{before} before; open are {open_files()}"
