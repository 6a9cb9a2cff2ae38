"""What is opened when the server starts and closed when it stops."""

import asyncio
import math
import os
import time
from collections import UserDict
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

from docqa import COMMAND, store
from docqa.answering.resources import Answering
from docqa.catalog.catalog import Catalog
from docqa.catalog.keys import ProviderKeys
from docqa.catalog.machine import find_machine
from docqa.catalog.proposals import for_chat, for_languages
from docqa.catalog.targets import Mapping, Target
from docqa.formats.pictures.data import languages as recognition_languages
from docqa.ingest.children import remove_remains
from docqa.ingest.drawn_pages import DrawnPages
from docqa.ingest.queue import Intake, ReadingQueue
from docqa.ingest.quotas import Quotas
from docqa.models.chat import local
from docqa.models.chat.http import HttpClient
from docqa.models.chat.registry import DOCUMENTED_MODELS, ChatModels
from docqa.models.choosing import add_installed, find_encoders
from docqa.models.embedder import Embedder
from docqa.models.encoders import REINDEXING, Encoders
from docqa.models.local_models import LocalModels
from docqa.models.remote_embedder import RemoteEmbedders
from docqa.records import Model
from docqa.search.index import Index
from docqa.services.lanes import Lanes
from docqa.services.machine import Machine
from docqa.services.machine_models import ModelsHere
from docqa.services.suggesting import Suggesting
from docqa.services.ticket import Ticket
from docqa.settings import Settings
from docqa.setup.installation import Installation
from docqa.setup.progress import DONE, Progress, current
from docqa.store.database import Database
from docqa.store.repair import glance
from docqa.workers.heap import give_back
from docqa.workers.loop import QUIET_SECONDS

LOOK_SECONDS = 5.0  # between two looks for models that have come
PROPOSAL_SECONDS = 1.0  # for which a proposal is kept
QUOTED_TOKENS = 2048  # about what the passages hold that quotes are taken from
NO_LANGUAGE_MODEL = "quotes from your documents (no language model)"
MEND = f"Stop the server and run `{COMMAND} doctor --repair`."
ALL_QUOTES = (
    "No language model answers here: all answers are quotes from your documents. "
    f"`{COMMAND} models list` shows which can be added."
)


@dataclass
class _Proposal:
    """The last proposal, and when it was made, in seconds of the monotonic clock."""

    text: str = ""
    made: float = -math.inf


class _Known(UserDict[str, Any]):
    """`models` are the names that can be asked."""

    def __init__(self, chat_models: ChatModels) -> None:
        super().__init__()
        self._chat_models = chat_models

    def __missing__(self, key: str) -> tuple[str, ...]:
        if key != "models":
            raise KeyError(key)
        return tuple(self._chat_models.names())


@dataclass(frozen=True)
class Services:
    """Everything that endpoints, `eval` and the command line hand on; what a package below needs is a record of its
    own.

    `installation` is what is installed meanwhile, if anything is; `languages` are notes on documents in languages that
    the embedding model does not know: for the terminal, as /healthz tells nobody what is stored. `damages` are what is
    wrong with the database, as it is seen at the start.
    """

    settings: Settings
    db: Database
    encoders: Encoders
    chat_models: ChatModels
    intake: Intake
    index: Index
    answering: Answering
    work: asyncio.Event
    lanes: Lanes
    drawn_pages: DrawnPages
    suggesting: Suggesting
    ticket: Ticket
    models_here: ModelsHere
    machine: Machine
    installation: Installation | None = None
    languages: list[str] = field(default_factory=list)
    damages: list[str] = field(default_factory=list)
    _proposal: _Proposal = field(default_factory=_Proposal)

    def models(self) -> list[Model]:
        """What can answer now, with its provider; `none` where nothing can.

        A documented name that no model answers here is not among them, and is accepted all the same: QUOTES stands for
        all of them.
        """
        models = [self._model(name, target) for name, target in self.chat_models.first_targets().items()]
        return [
            model
            for model in models
            if model.name not in DOCUMENTED_MODELS or model.model_provider_name != NO_LANGUAGE_MODEL
        ]

    def notes(self) -> list[str]:
        """What is missing here and what is in progress, as sentences for the terminal and /healthz."""
        steps = self.installing()
        notes = [sentence for step in steps if (sentence := step.sentence())]
        # What is only on its way is not missing.
        if not current(steps):
            notes += [*self.encoders.missing, *self.chat_models.notes()]
        notes += self.damages
        if self.encoders.embedder and self.encoders.reindexing:
            notes.append(REINDEXING.format(name=self.encoders.embedder.name))
        if all(model.model_provider_name == NO_LANGUAGE_MODEL for model in self.models()):
            notes.append(ALL_QUOTES)
        if self.chat_models.mapping.fault:
            notes.append(self.chat_models.mapping.fault)
        return notes

    def installing(self) -> list[Progress]:
        """What is installed while this server serves, as long as something is, or failed; else nothing."""
        steps = self.installation.steps if self.installation else []
        return steps if any(step.state != DONE for step in steps) else []

    def proposal(self) -> str:
        """Which language model this machine could run and how it is got; "" where that is here, or llama.cpp is not.
        The catalogue is read for it, at most once in PROPOSAL_SECONDS: /healthz must come while all else is busy."""
        if not local.available():
            return ""
        last = self._proposal
        if time.monotonic() - last.made >= PROPOSAL_SECONDS:
            last.text = for_chat(Catalog.load(self.settings.models), find_machine())
            last.made = time.monotonic()
        return last.text

    async def watch(self) -> None:
        """Open the models that are installed while the server runs, by itself or by another process, and have documents
        worked on that another process added, until this is cancelled."""
        arrived = asyncio.Event()
        if self.installation:
            self.installation.on_done = lambda _: arrived.set()
            await self.installation.start()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await arrived.wait()
            arrived.clear()
            async with self.db.read() as conn:
                if await store.jobs.indexing(conn):  # a document may have been imported by another process
                    self.work.set()
            if await asyncio.to_thread(self._add_installed):
                self.languages[:] = await _languages(self.db, self.encoders)
                self.work.set()

    async def rest_forever(self) -> None:
        """Give back what memory the last requests took while none is in hand, until this is cancelled."""
        while True:
            await asyncio.sleep(QUIET_SECONDS)
            if not self.lanes.requests.in_hand:
                await self.db.rest()
                await asyncio.to_thread(give_back)

    def _add_installed(self) -> bool:
        return add_installed(self.encoders, self.settings, Catalog.load(self.settings.models))

    def known(self) -> _Known:
        """What the rules of requests need to know of this server; it is looked at when one of them asks."""
        return _Known(self.chat_models)

    def model(self, name: str) -> Model:
        """What answers for a name now."""
        return self._model(name, self.chat_models.first_targets()[name])

    def _model(self, name: str, target: Target | None) -> Model:
        """What a name stands for while this target answers for it."""
        if target is None:
            return Model(name, 0, False, "none")
        model = self.chat_models.open(target)
        if model is None:
            return Model(name, QUOTED_TOKENS, False, NO_LANGUAGE_MODEL)
        # Whoever asks for GPT5_2 is told which model that is here.
        provider = str(target) if name in DOCUMENTED_MODELS and not target.bills else target.kind
        return Model(name, model.context_tokens, target.bills, provider)


async def open_services(
    settings: Settings,
    stack: AsyncExitStack,
    *,
    embedder: Embedder | None = None,
    former: Embedder | None = None,
    beside: Embedder | None = None,
    installation: Installation | None = None,
) -> Services:
    """Open the database and find the models, whose processes start later. `stack` closes what was opened.

    `embedder` is used instead of the one that the settings name, and `former` stands for the one used before it,
    `beside` for the one for other languages.
    `installation` has not been started. Raises CannotStart.
    """
    await asyncio.to_thread(remove_remains)
    db = await _open_database(settings, stack)
    catalog = Catalog.load(settings.models)
    work = asyncio.Event()
    chat_models = _open_chat_models(settings, catalog, stack)
    mapping, keys, http = chat_models.mapping, chat_models.keys, chat_models.http
    remote = RemoteEmbedders(catalog, keys, http, settings.offline, lambda: mapping.table().urls)
    encoders = find_encoders(settings, catalog, work.set, remote, embedder, former, beside)
    stack.push_async_callback(encoders.close)
    models_here = ModelsHere(settings, encoders, chat_models.local)
    stack.push_async_callback(models_here.close)
    if installation:
        stack.push_async_callback(installation.close)
    index = Index(db, encoders, settings.rerank)
    intake, lanes = Intake(db, ReadingQueue(settings), work, Quotas.of(settings)), Lanes(settings)
    answering = Answering(index, chat_models, settings.answer_seconds)
    return Services(
        settings=settings,
        db=db,
        encoders=encoders,
        chat_models=chat_models,
        intake=intake,
        index=index,
        answering=answering,
        work=work,
        lanes=lanes,
        drawn_pages=DrawnPages(intake, lanes.copies),
        suggesting=Suggesting(intake, answering, lanes.chats),
        ticket=Ticket(settings.key_file),
        models_here=models_here,
        machine=Machine(settings, db, chat_models, remote),
        installation=installation,
        languages=await _languages(db, encoders),
        damages=[f"{what} {MEND}" for what in await asyncio.to_thread(glance, settings.database)],
    )


async def _languages(db: Database, encoders: Encoders) -> list[str]:
    """What is missing for the languages of the documents that are here at the start."""
    embedders = {embedder.name: embedder.languages for embedder in encoders.chosen()}
    if not embedders:
        return []
    async with db.read() as conn:
        lack, remedy = for_languages(embedders, await store.documents.languages(conn))
    return [f"{lack}. {remedy}"] if lack else []


async def _open_database(settings: Settings, stack: AsyncExitStack) -> Database:
    db = await Database.open(settings.database)
    stack.push_async_callback(db.close)
    await asyncio.to_thread(db.ballast.hold)
    async with db.write() as conn:
        await store.jobs.resume_failed(conn)
        if recognition_languages():
            await store.jobs.resume_scans(conn)
    return db


def _open_chat_models(settings: Settings, catalog: Catalog, stack: AsyncExitStack) -> ChatModels:
    mapping = Mapping(settings.models)
    keys = ProviderKeys.read(os.environ, settings.data)
    http = HttpClient()
    stack.push_async_callback(http.close)
    local = LocalModels(settings, catalog)
    stack.push_async_callback(local.close)
    return ChatModels(settings, local, mapping, keys, http)
