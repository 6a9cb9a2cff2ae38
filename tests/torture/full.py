"""On a full disk deleting works, uploads get 507, and all else goes on: python tests/torture/full.py, as root on Linux.

A tmpfs of 320 MB holds the data, and another program's file that leaves 90 MB. Documents are uploaded until uploads are
refused; then that file takes the last byte. Search, chats and lists must go on, every document must be deletable, and its space come back.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

import httpx

from conftest import Server, start_server, stop_server

DISK_MB = 320
SERVER = {"DOCQA_EMBEDDER": "none", "DOCQA_VERIFIER": "off", "DOCQA_READER": "off", "DOCQA_LOG_LEVEL": "error"}
LEFT = 90 << 20  # bytes
TRIES = 200  # uploads at most
SECONDS = 60.0  # within which the space of a deleted document is back


def text(number: int) -> bytes:
    chance = random.Random(number)
    words = [f"word{chance.randrange(9_999)}" for _ in range(80_000)]
    return f"Book {number} is about the well of Bergen. ".encode() + " ".join(words).encode()


def fill(folder: Path, free: int) -> None:
    """Let another program's file grow until so many bytes are free, or none at all."""
    with suppress(OSError), (folder / "other-program").open("ab", buffering=0) as file:
        while os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize > free:
            file.write(bytes(4096))


def upload_until_refused(client: httpx.Client) -> list[str]:
    kept = []
    for number in range(TRIES):
        sent = client.post("/v1/api/upload", files={"file": (f"{number}.txt", text(number))})
        if sent.status_code == 507:
            print(f"after {len(kept)} documents: 507 {sent.json()['detail']}", flush=True)
            return kept
        kept.append(sent.raise_for_status().json()["doc_id"])
    raise AssertionError("the disk never got full")


def all_else(client: httpx.Client, doc_id: str) -> None:
    """Search, chat, lists and the file of a document. Raises on any that does not go on."""
    ask = [{"sender": "user", "message": "What is the book about?"}]
    client.post("/v1/api/retrieve", json={"query": "the well", "doc_ids": [doc_id]}).raise_for_status()
    client.post(f"/v1/chat/{doc_id}", json=ask).raise_for_status()
    client.get("/v1/api/documents").raise_for_status()
    client.get(f"/v1/api/documents/{doc_id}/file").raise_for_status()


def deleted(server: Server, client: httpx.Client, folder: Path, doc_id: str) -> None:
    started = time.monotonic()
    client.delete(f"/v1/api/documents/{doc_id}").raise_for_status()
    answered = time.monotonic() - started
    assert client.get(f"/v1/api/documents/{doc_id}").status_code == 404
    before = os.statvfs(folder).f_bavail
    while os.statvfs(folder).f_bavail <= before + 100 and time.monotonic() - started < SECONDS:
        time.sleep(0.2)
    back = (os.statvfs(folder).f_bavail - before) * os.statvfs(folder).f_frsize >> 20
    print(f"deleted in {answered:.2f} s; {back} MB are back after {time.monotonic() - started:.1f} s", flush=True)


def main() -> None:
    """Fill the disk, and look what goes on."""
    folder = Path(tempfile.mkdtemp(prefix="docqa-full-"))
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", folder], check=True)
    try:
        server = start_server(folder / "data", **SERVER)
        with server.client() as client:
            fill(folder, LEFT)
            kept = upload_until_refused(client)
            fill(folder, 0)
            all_else(client, kept[0])
            refused = client.post("/v1/api/upload", files={"file": ("a.txt", b"A short text.")}).status_code
            assert refused == 507, refused
            for doc_id in kept:
                deleted(server, client, folder, doc_id)
            assert client.get("/v1/api/documents").json()["documents"] == []
        assert stop_server(server) == 0
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
        folder.rmdir()
    print("deleting works on a full disk, uploads get 507, all else goes on")


if __name__ == "__main__":
    main()
