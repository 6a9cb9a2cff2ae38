"""One chat and one stream by every kind of target, told as a transcript: python tests/bench/targets.py

Quotes, the small local model and llama-cpp-python's own server (`compatible:`) are real. OpenAI,
Anthropic and Google are stand-ins on loopback that play their wire formats, and one that is overloaded shows how the
next target answers. Needs the packages
of the tests.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

import httpx

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from docqa.api.app import create
from docqa.api.auth import create_key
from docqa.api.endpoints.chat import TARGET_HEADER
from docqa.catalog.catalog import Catalog
from docqa.settings import Settings
from stand_ins import anthropic, llama_server, openai, stand_in, status, stream

DOCUMENT = "The lighthouse at Skarvik was built in 1892 of grey granite. Its lamp stands 34 metres above the sea and is seen for 21 miles."
QUESTION = "When was the lighthouse built?"
WORDS = ("The lighthouse ", "was built ", "in 1892.")
KEYS = {f"DOCQA_{kind}_KEY": "a-key" for kind in ("OPENAI", "ANTHROPIC", "GOOGLE")}


async def main() -> None:
    models = Catalog.load(ROOT / "models")
    [(name, file), *_] = models.local_models().items()
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="docqa-targets-")))
        real = await asyncio.to_thread(stack.enter_context, llama_server(file, folder / "llama.log"))
        openai_, google, claude, busy = [
            await stack.enter_async_context(stand_in(*replies))
            for replies in (
                [stream(*openai(*WORDS))],
                [stream(*openai(*WORDS))],
                [stream(*anthropic(*WORDS))],
                [status(503)],
            )
        ]
        for model in models.models_dir.iterdir():
            if model.suffix == ".gguf" or model.is_dir():
                (folder / model.name).symlink_to(model)
        (folder / "catalog.toml").write_text((ROOT / "models" / "catalog.toml").read_text("utf-8"), "utf-8")
        (folder / "models.toml").write_text(
            f"""
[models]
A_QUOTES = ["quotes"]
B_LOCAL = ["local:{name}"]
C_COMPATIBLE = ["compatible:{real}#small"]
D_OPENAI = ["openai:gpt-5.2"]
E_ANTHROPIC = ["anthropic:claude-sonnet-4-5"]
F_GOOGLE = ["google:gemini-flash-latest"]
G_OVERLOADED = ["compatible:{busy.url}#m", "quotes"]
[providers]
openai = {{ url = "{openai_.url}" }}
anthropic = {{ url = "{claude.url}" }}
google = {{ url = "{google.url}" }}
""",
            "utf-8",
        )
        os.environ |= KEYS
        app = create(Settings(data=folder / "data", models=folder))
        await stack.enter_async_context(app.router.lifespan_context(app))
        async with app.state.services.db.write() as conn:
            _, key = await create_key(conn, "bench", "bench")
        client = await stack.enter_async_context(
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app), base_url="http://localhost", headers={"x-api-key": key}, timeout=90
            )
        )
        added = await client.post("/v1/api/upload", files={"file": ("lighthouse.txt", DOCUMENT.encode())})
        for model_name in app.state.services.chat_models.mapping.table().targets:
            for streamed in ("false", "true"):
                await ask(client, added.json()["doc_id"], model_name, streamed)


async def ask(client: httpx.AsyncClient, doc_id: str, model_name: str, streamed: str) -> None:
    start = time.perf_counter()
    query = {"model_name": model_name, "stream": streamed, "cite_source": "false" if streamed == "true" else "true"}
    reply = await client.post(f"/v1/chat/{doc_id}", params=query, json=[{"sender": "user", "message": QUESTION}])
    seconds = time.perf_counter() - start
    text = reply.text if streamed == "true" or reply.is_error else reply.json()["answer"]["message"]
    how = "stream" if streamed == "true" else "chat"
    print(
        f"{model_name:13} {how:6} {reply.status_code} {seconds:5.2f} s  {reply.headers.get(TARGET_HEADER, '-'):45} {json.dumps(text, ensure_ascii=False)}"
    )


if __name__ == "__main__":
    asyncio.run(main())
