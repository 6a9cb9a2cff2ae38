"""Which embedding model, reader and verifier are in use, and which of them can serve a question now."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, TypeVar

from docqa.catalog.catalog import Catalog
from docqa.catalog.entries import Entry
from docqa.catalog.targets import embedding_target
from docqa.errors import Unavailable
from docqa.models.cosines import Scale
from docqa.models.embedder import Embedder
from docqa.models.installed import is_installed
from docqa.models.kinds import KindHead, kind_heads
from docqa.models.measured import FILE as MEASURED
from docqa.models.reader import VERIFIER, TrainedPart, trained_part
from docqa.models.remote_embedder import RemoteEmbedders
from docqa.models.verifier import Verifier
from docqa.questions.question import KindOpinion
from docqa.settings import Settings
from docqa.store.vector_index import StoredModel

NO_EMBEDDER = "The embedding model {name} is not installed: full-text search only."
NOT_ASKED = "The embedding model {name} is not asked, because {why}: full-text search only."
NO_SENTENCE_TRANSFORMERS = "sentence-transformers is not installed: full-text search only."
REINDEXING = "Documents are being re-embedded with {name}; the old index serves until that is done."

AWAKE_SECONDS = 10.0  # that questions wait for models to be loaded again: better a late answer than one by words alone
LOOK_SECONDS = 30.0  # between two looks for idle ones

log = logging.getLogger(__name__)

_Model = TypeVar("_Model", Embedder, Verifier)


@dataclass
class Encoders:
    """The models that turn text into vectors, spans and verdicts.

    `embedder` is the model the settings chose; `serving` made the vectors that are searched, and is another model while
    the documents are being re-embedded, None until one is loaded. `reader` finds short answers and is usually the
    chosen embedder itself; `verifier` checks them. `wake` tells the background work that a model must be loaded.
    `former` returns the embedder that made stored vectors, None where its files are gone; `remote` opens those of other
    servers. `kinds` tell kinds of questions by their vectors: a layer for each of some models, by the SHA-256 of their
    weights. `missing` are notes on what is not installed; `unloaded` is set when reader or verifier may have to be
    loaded.
    """

    embedder: Embedder | None
    reader: Embedder | None
    verifier: Verifier | None
    former: Callable[[StoredModel], Embedder | None]
    wake: Callable[[], None]
    remote: RemoteEmbedders
    serving: Embedder | None = None
    kinds: Mapping[str, KindHead] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    unloaded: asyncio.Event = field(default_factory=asyncio.Event)
    _waking: "asyncio.Future[Any] | None" = None
    _awaited_until: float = 0.0

    def embedder_for(self, language: str) -> Embedder | None:
        """The serving embedder if it is loaded and knows the language: one that does not know it drags the ranking
        down.

        A question does not wait for a model to load; one whose process died is loaded again for the next question.
        """
        if self.serving is None or not self.serving.knows(language):
            return None
        return self._if_ready(self.serving)

    def reader_for(self, language: str) -> Embedder | None:
        """The reader if it is loaded and was trained in the language."""
        if self.reader is None or self.reader.reader is None or language not in self.reader.reader.languages:
            return None
        return self._if_ready(self.reader)

    def verifier_for(self, language: str) -> Verifier | None:
        """The verifier if it is loaded and was trained in the language."""
        if self.verifier is None or language not in self.verifier.languages:
            return None
        return self._if_ready(self.verifier)

    def foreign(self, language: str, documents: Iterable[str]) -> list[str]:
        """The languages of documents that a question in this language is searched in by equal words only: the chosen
        embedder does not know both."""
        others = sorted(code for code in documents if code not in ("", language))
        known = self.embedder is not None and self.embedder.knows(language)
        return [code for code in others if not (known and self.embedder and self.embedder.knows(code))]

    def lacks(self, language: str) -> bool:
        """Whether the chosen embedder does not know a language, whose texts are searched by equal words only."""
        return self.embedder is not None and not self.embedder.knows(language)

    async def kind_opinion(self, text: str, language: str) -> KindOpinion | None:
        """What kind of question the serving embedder's trained layer takes a text for; None where there is none, or it
        was not trained in the language, or the embedder is not loaded. Raises nothing."""
        embedder = self.embedder_for(language)
        layer = self.kinds.get(embedder.sha256) if embedder else None
        if embedder is None or layer is None or language not in layer.languages:
            return None
        try:
            return layer.opinion(text, await embedder.encode_question(text))
        except Unavailable:
            return None  # it died over this text; the languages' words still tell

    def _if_ready(self, model: _Model) -> _Model | None:
        if model.ready:
            return model
        self.wake()
        return None

    async def awake(self) -> None:
        """Before a question: load the models that rest, and wait for them, but not for long: what is then still loading
        is missed, as one is that cannot be loaded, and no further question waits for it."""
        resting = [model for model in self._models() if model.rests]
        if not resting:
            return
        now = time.monotonic()
        if self._waking is None or self._waking.done():
            self._waking = asyncio.gather(*(model.load() for model in resting), return_exceptions=True)
            self._awaited_until = now + AWAKE_SECONDS
        await asyncio.wait((self._waking,), timeout=max(0.0, self._awaited_until - now))

    async def rest_forever(self, seconds: float) -> None:
        """Unload each model that was not asked for so long, until this is cancelled: the next question loads it."""
        while True:
            await asyncio.sleep(min(seconds, LOOK_SECONDS))
            for model in self._models():
                if model.idle >= seconds:
                    log.info("%s is unloaded: idle for %.0f s", type(model).__name__.lower(), model.idle)
                    await model.rest()

    def _models(self) -> set[Embedder | Verifier]:
        return {model for model in (self.verifier, self.embedder, self.reader, self.serving) if model is not None}

    @property
    def reindexing(self) -> bool:
        """Whether the chosen embedder is loaded while another model's vectors are still searched."""
        return self.embedder is not None and self.embedder.ready and self.serving is not self.embedder

    async def close_former(self) -> None:
        """End the process of a serving model that is not the chosen one."""
        if self.serving is not None and self.serving is not self.embedder:
            await self.serving.close()

    async def close(self) -> None:
        """End every model's process."""
        async with AsyncExitStack() as stack:
            for model in self._models():
                stack.push_async_callback(model.close)


def stored_model(embedder: Embedder) -> StoredModel:
    """What the database knows an embedder's vectors by."""
    return StoredModel(embedder.name, embedder.sha256, embedder.dimension)


def find_encoders(
    settings: Settings,
    catalog: Catalog,
    wake: Callable[[], None],
    remote: RemoteEmbedders,
    embedder: Embedder | None = None,
    former: Embedder | None = None,
) -> Encoders:
    """The encoders that the settings choose among the installed models and `remote` ones, none of them loaded.

    An `embedder` that is handed in is used instead of the chosen one, and `former` stands for the one before it.
    Raises CannotStart for a model that there is not.
    """

    def former_of(model: StoredModel) -> Embedder | None:
        return former or remote.named(model.name) or _installed(settings, catalog, model)

    encoders = Encoders(embedder, None, None, former_of, wake, remote, kinds=kind_heads(settings.models))
    add_installed(encoders, settings, catalog)
    return encoders


def add_installed(encoders: Encoders, settings: Settings, catalog: Catalog) -> bool:
    """Add the encoders that were missing and are installed now, none of them loaded; whether there were any."""
    notes: list[str] = []
    before = encoders.embedder, encoders.reader, encoders.verifier
    part = trained_part(settings.models) if settings.reader else None
    encoders.embedder = encoders.embedder or _chosen(encoders.remote, settings, catalog, part, notes)
    encoders.reader = encoders.reader or _reader(settings, catalog, encoders.embedder, part)
    encoders.verifier = encoders.verifier or (_verifier(settings, catalog) if encoders.reader else None)
    encoders.missing = tuple(notes)
    return (encoders.embedder, encoders.reader, encoders.verifier) != before


def _chosen(
    remote: RemoteEmbedders, settings: Settings, catalog: Catalog, part: TrainedPart | None, notes: list[str]
) -> Embedder | None:
    if settings.embedder == "none":
        return None
    if target := embedding_target(settings.embedder):
        if obstacle := remote.obstacle(target):
            notes.append(NOT_ASKED.format(name=target, why=obstacle))
            return None
        return remote.open(target)
    entry = catalog.embedding(settings.embedder)
    if not catalog.present(entry):
        notes.append(NO_EMBEDDER.format(name=entry.name))
        return None
    if not is_installed("sentence-transformers"):
        notes.append(NO_SENTENCE_TRANSFORMERS)
        return None
    return _open(settings, catalog, entry, part)


def _reader(
    settings: Settings, catalog: Catalog, embedder: Embedder | None, part: TrainedPart | None
) -> Embedder | None:
    """The chosen embedder if the trained part belongs to it, else the model it belongs to, if that is installed."""
    if part is None or embedder is None or embedder.reader:
        return embedder if part else None
    entry = catalog.with_weights("embedding", part.base)
    return _open(settings, catalog, entry, part) if entry else None


def _verifier(settings: Settings, catalog: Catalog) -> Verifier | None:
    """The verifier; None if it is switched off or its model is not installed. Raises CannotStart for a damaged file."""
    part = trained_part(settings.models, VERIFIER) if settings.verifier else None
    entry = catalog.with_weights("encoder", part.base) if part else None
    return Verifier(catalog.path(entry), part, settings.data / MEASURED) if part and entry else None


def _installed(settings: Settings, catalog: Catalog, model: StoredModel) -> Embedder | None:
    """The embedder that made these stored vectors, None where its files are gone or have changed."""
    for entry in catalog.entries:
        if entry.kind == "embedding" and entry.name == model.name and catalog.present(entry):
            return _open(settings, catalog, entry) if entry.weights.sha256 == model.sha256 else None
    return None


def _open(settings: Settings, catalog: Catalog, entry: Entry, part: TrainedPart | None = None) -> Embedder:
    """The embedder of an installed entry, which is loaded later. Its process is the reader too, if the model that the
    trained part belongs to is installed: a process of its own would take 0.4 GB more."""
    base = catalog.with_weights("embedding", part.base) if part else None
    return Embedder(
        entry.name,
        catalog.path(entry),
        entry.weights.sha256,
        entry.dimension,
        entry.languages,
        (entry.query_prefix, entry.passage_prefix),
        part if base else None,
        catalog.path(base) if base else None,
        {key: Scale(*means) for key, means in entry.cosines.items()},
        measured=settings.data / MEASURED,
        in_passing=entry.units_in_passing,
    )
