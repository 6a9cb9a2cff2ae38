"""What is opened when the server starts and closed when it stops."""

import asyncio
import importlib.util
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

from docqa.catalog import Catalog
from docqa.db import Database
from docqa.embedding import Embedder
from docqa.extract import languages as recognition_languages
from docqa.providers.local import LocalModel, available
from docqa.queries import work_rows
from docqa.records import Model
from docqa.settings import Settings

DOCUMENTED_MODELS = (
    "GPT5_2",
    "GPT5",
    "GPT5_MINI",
    "GPT5_NANO",
    "GEMINI_FLASH",
    "GEMINI_PRO",
    "CLAUDE1",
    "CLAUDE2",
    "GPT3",
    "GPT4",
    "GPT4O_MINI",
)
EXTRACTIVE_TOKENS = 2048  # about what the passages hold that an extractive answer is taken from

NO_EMBEDDER = "The embedding model {name} is not there: full-text search only."
NO_SENTENCE_TRANSFORMERS = "sentence-transformers is not installed: full-text search only."
NO_LLAMA = "llama-cpp-python is not installed (building it needs a C++ compiler): answers are extractive."
NO_GGUF = "There is no local model in {folder}: answers are extractive."


@dataclass
class Services:
    """`notes` are sentences for the terminal and /healthz: what cannot be had here and what that means."""

    settings: Settings
    db: Database
    embedder: Embedder | None
    local_models: dict[str, LocalModel]
    notes: list[str]
    work: asyncio.Event = field(default_factory=asyncio.Event)  # set when a document waits for its background work
    reading: asyncio.Semaphore = field(init=False)
    readers_waiting: int = 0

    def __post_init__(self) -> None:
        self.reading = asyncio.Semaphore(self.settings.extract_parallel)

    def models(self) -> list[Model]:
        """Every name that can be asked for: the documented ones are answered extractively, local models by themselves."""
        documented = [Model(name, EXTRACTIVE_TOKENS, False, "extractive") for name in DOCUMENTED_MODELS]
        return [*documented, *(Model(name, model.context_tokens, False, "local") for name, model in self.local_models.items())]

    def known(self) -> dict[str, Any]:
        """What the rules need to know of this server."""
        return {"models": tuple(model.name for model in self.models())}


async def open_services(settings: Settings, stack: AsyncExitStack) -> Services:
    """Open the database and find the models; the child processes start later. `stack` closes what was opened."""
    db = await Database.open(settings.database)
    stack.push_async_callback(db.close)
    async with db.write() as conn:
        await work_rows.resume_failed(conn)
        if recognition_languages():
            await work_rows.resume_scans(conn)
    catalog = Catalog.load(settings.models)
    notes: list[str] = []
    embedder = _embedder(settings, catalog, notes)
    if embedder is not None:
        stack.push_async_callback(embedder.close)
    local_models = _local_models(settings, catalog, notes)
    for model in local_models.values():
        stack.push_async_callback(model.close)
    return Services(settings, db, embedder, local_models, notes)


def _embedder(settings: Settings, catalog: Catalog, notes: list[str]) -> Embedder | None:
    if settings.embedder == "none":
        return None
    entry = catalog.embedding(settings.embedder)
    if not catalog.present(entry):
        notes.append(NO_EMBEDDER.format(name=entry.name))
        return None
    if importlib.util.find_spec("sentence_transformers") is None:
        notes.append(NO_SENTENCE_TRANSFORMERS)
        return None
    return Embedder(entry.name, catalog.path(entry), entry.weights.sha256, entry.dimension, entry.languages)


def _local_models(settings: Settings, catalog: Catalog, notes: list[str]) -> dict[str, LocalModel]:
    found = catalog.local_models()
    if not available():
        notes.append(NO_LLAMA)
        return {}
    if not found:
        notes.append(NO_GGUF.format(folder=catalog.models_dir))
    return {name: LocalModel(name, path, settings.context_tokens, settings.answer_queue) for name, path in found.items()}
