"""What is opened when the server starts and closed when it stops."""

import asyncio
import importlib.util
import os
from collections import defaultdict
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

from docqa import store
from docqa.answering.prompt_layout import Layouts
from docqa.catalog.catalog import Catalog
from docqa.catalog.entries import Entry
from docqa.catalog.keys import ProviderKeys, variable
from docqa.catalog.targets import Mapping, Target
from docqa.errors import DocqaError, OutOfTime, Unavailable
from docqa.formats import languages as recognition_languages
from docqa.models.chat.http import HttpClient
from docqa.models.chat.local import available
from docqa.models.chat.protocol import ChatModel
from docqa.models.chat.remote import open_remote
from docqa.models.embedder import Embedder
from docqa.models.local_models import LocalModels
from docqa.models.reader import TrainedPart, trained_part
from docqa.models.verifier import Verifier, usable_adapter
from docqa.records import Model
from docqa.settings import Settings
from docqa.store.database import Database
from docqa.store.vectors import StoredModel

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
REINDEXING = "The vectors are made anew by {name}; what there was before serves until all are there."
NO_SENTENCE_TRANSFORMERS = "sentence-transformers is not installed: full-text search only."
NO_LLAMA = "llama-cpp-python is not installed (building it needs a C++ compiler): there are no local models."
NO_GGUF = "There is no local model in {folder}."
ALL_EXTRACTIVE = "All answers are extractive: sentences of the documents, word for word."


@dataclass
class Services:
    """`notes` are sentences for the terminal and /healthz: what cannot be had here and what that means.

    `embedder` is the one that was chosen, `index_embedder` the one that questions are encoded with: while another model's vectors are made anew, the former.
    `reader` is the one that finds short answers, mostly the chosen one too; `verifier` doubts them.
    """

    settings: Settings
    db: Database
    catalog: Catalog
    embedder: Embedder | None
    reader: Embedder | None
    verifier: Verifier | None
    local_models: LocalModels
    mapping: Mapping
    keys: ProviderKeys
    http: HttpClient
    notes: list[str]
    index_embedder: Embedder | None = None  # what made the vectors that are searched, once it is loaded
    remote_models: dict[Target, ChatModel] = field(default_factory=dict)  # opened on first use
    layouts: defaultdict[ChatModel, Layouts] = field(default_factory=lambda: defaultdict(Layouts))  # of their prompts
    work: asyncio.Event = field(default_factory=asyncio.Event)  # set when a document waits for its background work
    reading: asyncio.Semaphore = field(init=False)
    readers_waiting: int = 0

    def __post_init__(self) -> None:
        self.reading = asyncio.Semaphore(self.settings.extract_parallel)

    def former_embedder(self, model: StoredModel) -> Embedder | None:
        """The embedder that made the vectors there are, if it is still here."""
        entry = next(
            (
                one
                for one in self.catalog.entries
                if one.kind == "embedding" and one.name == model.name and self.catalog.present(one)
            ),
            None,
        )
        return open_embedder(self.catalog, entry) if entry and entry.weights.sha256 == model.sha256 else None

    async def close_former(self) -> None:
        if self.index_embedder not in (None, self.embedder):
            await self.index_embedder.close()

    def names(self) -> list[str]:
        """Every name that can be asked for: the documented ones, those that are mapped, and local models by themselves."""
        return list(dict.fromkeys([*DOCUMENTED_MODELS, *self.mapping.table().targets, *self.local_models.by_name()]))

    def targets(self, name: str) -> list[Target]:
        """What is to be asked for an answer as `name`, in order. Raises Unavailable where nothing can be used."""
        reasons = {target: self._why_not(target) for target in self._mapped(name)}
        usable = [target for target, why in reasons.items() if not why]
        if not usable:
            raise Unavailable(
                f"Nothing can answer as {name} here: {'; '.join(f'{target}: {why}' for target, why in reasons.items())}."
            )
        return usable if self.mapping.table().fall_through else usable[:1]

    def gives_way(self, name: str, error: DocqaError) -> bool:
        """Whether the next target is asked for `name` after this. Who asks a local model by its own name wants that one, and is told why it cannot be had:
        it gives way only to keep the time."""
        return name in self.mapping.table().targets or isinstance(error, OutOfTime)

    def _mapped(self, name: str) -> tuple[Target, ...]:
        own = (Target("local", name),) if name in self.local_models.by_name() else ()
        return self.mapping.table().targets.get(name, (*own, Target("extractive", "")))

    def _why_not(self, target: Target) -> str:
        """Why this target cannot be used here, "" where it can."""
        if target.kind == "local" and self.local_models.named(target.model) is None:
            return "there is no such local model"
        if target.leaves_machine and self.settings.offline:
            return "DOCQA_OFFLINE is on"
        if target.bills and not self.keys.of(target.kind, target.url):
            return f"no key is given ({variable(target.kind)})"
        return ""

    def chat_model(self, target: Target) -> ChatModel | None:
        """The model behind a target that can be used; None for the extractive one."""
        if target.kind == "local":
            return self.local_models.named(target.model)
        if target.is_remote and target not in self.remote_models:
            self.remote_models[target] = open_remote(
                target, self.keys, client=self.http, seconds=self.settings.answer_seconds
            )
        return self.remote_models.get(target)

    def models(self) -> list[Model]:
        """Every name with what would answer for it now, `none` where nothing can."""
        return [self._model(name) for name in self.names()]

    def _model(self, name: str) -> Model:
        target = next((one for one in self._mapped(name) if not self._why_not(one)), None)
        if target is None:
            return Model(name, 0, False, "none")
        model = self.chat_model(target)
        reads = target.kind == "extractive" and self.reader is not None and self.reader.ready
        return Model(
            name, model.context_tokens if model else EXTRACTIVE_TOKENS, target.bills, "reader" if reads else target.kind
        )

    def told(self) -> list[str]:
        """The notes, and what is to be said of the models as they are mapped now."""
        extractive = all(model.model_provider_name in ("extractive", "reader") for model in self.models())
        new = (
            self.embedder
            if self.embedder and self.embedder.ready and self.index_embedder is not self.embedder
            else None
        )
        return [
            *self.notes,
            *([REINDEXING.format(name=new.name)] if new else []),
            *([ALL_EXTRACTIVE] if extractive else []),
            *filter(None, [self.mapping.fault]),
        ]

    def known(self) -> dict[str, Any]:
        """What the rules need to know of this server."""
        return {"models": tuple(self.names())}


async def open_services(settings: Settings, stack: AsyncExitStack) -> Services:
    """Open the database and find the models; the child processes start later. `stack` closes what was opened."""
    db = await Database.open(settings.database)
    stack.push_async_callback(db.close)
    async with db.write() as conn:
        await store.jobs.resume_failed(conn)
        if recognition_languages():
            await store.jobs.resume_scans(conn)
    catalog = Catalog.load(settings.models)
    mapping = Mapping(settings.models)
    keys = ProviderKeys.read(os.environ, settings.data)
    http = HttpClient()
    stack.push_async_callback(http.close)
    notes: list[str] = []
    part = trained_part(settings.models) if settings.reader else None
    embedder = _embedder(settings, catalog, part, notes)
    reader = _reader(catalog, embedder, part)
    adapted = usable_adapter(settings, catalog) if reader else None
    verifier = Verifier(*adapted) if adapted else None
    for one in (verifier, *{embedder, reader}):
        if one:
            stack.push_async_callback(one.close)
    local_models = LocalModels(settings, catalog)
    stack.push_async_callback(local_models.close)
    notes += _missing(local_models, catalog)
    services = Services(settings, db, catalog, embedder, reader, verifier, local_models, mapping, keys, http, notes)
    stack.push_async_callback(services.close_former)
    return services


def _embedder(settings: Settings, catalog: Catalog, part: TrainedPart | None, notes: list[str]) -> Embedder | None:
    if settings.embedder == "none":
        return None
    entry = catalog.embedding(settings.embedder)
    if not catalog.present(entry):
        notes.append(NO_EMBEDDER.format(name=entry.name))
        return None
    if importlib.util.find_spec("sentence_transformers") is None:
        notes.append(NO_SENTENCE_TRANSFORMERS)
        return None
    return open_embedder(catalog, entry, part)


def _missing(local_models: LocalModels, catalog: Catalog) -> list[str]:
    """What is to be said where no local model can answer."""
    if not available():
        return [NO_LLAMA]
    return [] if local_models.by_name() else [NO_GGUF.format(folder=catalog.models_dir)]


def _reader(catalog: Catalog, embedder: Embedder | None, part: TrainedPart | None) -> Embedder | None:
    """The chosen embedder where the trained part belongs to it, else the one that it belongs to, where that is here too."""
    if part is None or embedder is None or embedder.reader:
        return embedder if part else None
    entry = catalog.with_weights("embedding", part.base)
    return open_embedder(catalog, entry, part) if entry else None


def open_embedder(catalog: Catalog, entry: Entry, part: TrainedPart | None = None) -> Embedder:
    """The embedder of an entry that is here, with a reader where `part` belongs to it; it is loaded later, and closed by who opened it."""
    prefixes = (entry.query_prefix, entry.passage_prefix)
    given = entry.name, catalog.path(entry), entry.weights.sha256, entry.dimension, entry.languages, prefixes
    return Embedder(*given, part if part and part.base == entry.weights.sha256 else None)
