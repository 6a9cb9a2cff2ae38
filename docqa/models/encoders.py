"""Which embedding model, reader and verifier are in use, and which of them can serve a question now."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from docqa.errors import Unavailable
from docqa.models.embedder import Embedder
from docqa.models.kinds import KindHead
from docqa.models.remote_embedder import RemoteEmbedders
from docqa.models.verifier import Verifier
from docqa.questions.kind_opinion import KindOpinion
from docqa.store.vector_index import StoredModel

REINDEXING = "Documents are being re-embedded with {name}; the old index serves until that is done."

# That questions wait for models to be loaded: better a late answer than one by words alone.
AWAKE_SECONDS = 10.0  # those that rest
BEGUN_SECONDS = 5.0  # after a start: they take 3, but 10 where it is the first and their precisions are tried
LOOK_SECONDS = 30.0  # between two looks for idle ones

log = logging.getLogger(__name__)

_Model = TypeVar("_Model", Embedder, Verifier)


class _Waking(NamedTuple):
    """Models that are being loaded, and until when (`time.monotonic`) questions wait for them."""

    loading: "asyncio.Future[Any]"
    until: float


@dataclass
class Encoders:
    """The models that turn text into vectors, spans and verdicts.

    `embedder` is the model the settings chose; `serving` made the vectors that are searched, and is another model while
    the documents are being re-embedded, None until one is loaded. `beside`, which is loaded when it is needed, serves
    for languages that `embedder` does not know, from the first document or question in one on: `beside_wanted`, and
    then `beside_begun`, when all documents that lack its vectors are queued.
    `reader` finds short answers and is usually the chosen embedder itself; `verifier` checks them. `wake` tells the
    background work that a model must be loaded. `former` returns the embedder that made stored vectors, None where its
    files are gone; `remote` opens those of other servers. `kinds` tell kinds of questions by their vectors: a layer for
    each of some models, by the SHA-256 of their weights. `missing` are notes on what is not installed; `unloaded` is
    set when reader or verifier may have to be loaded, and `begun` when what was there at the start has been loaded, or
    cannot be.
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
    beside: Embedder | None = None
    beside_wanted: bool = False
    beside_begun: bool = False
    unloaded: asyncio.Event = field(default_factory=asyncio.Event)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    _begun_until: float | None = None  # when no question waits for that any more, by `time.monotonic`
    _waking: dict[frozenset["Embedder | Verifier"], "_Waking"] = field(default_factory=dict)

    async def embedder_for(self, language: str, document: str) -> Embedder | None:
        """The loaded embedder that knows the languages of a question and of a document; else the serving one if it
        knows the question's: one that does not know it drags the ranking down.

        A question waits for the one beside to load, but not for long, and not for the serving one; one whose process
        died is loaded again for the next question.
        """
        if self.beside is not None and self.is_for_beside(language, document):
            if not self.beside.ready and not self.beside.failed:
                await self._loaded(self.beside)
            if self.beside.ready:
                return self.beside
        return self.serving_for(language)

    def is_for_beside(self, language: str, document: str) -> bool:
        """Whether the model beside is to compare a question in one language with a document in another or the same."""
        first = self.serving or self.embedder
        known = first is None or all(map(first.knows, filter(None, (language, document))))
        return not known and self.beside is not None and self.beside is not first and self.beside.knows(language)

    def serving_for(self, language: str) -> Embedder | None:
        """The serving embedder if it is loaded and knows the language."""
        if self.serving is None or not self.serving.knows(language):
            return None
        return self._if_ready(self.serving)

    def want_beside(self) -> None:
        """Have vectors of all documents made by the model beside, where there is one."""
        if self.beside is not None and not self.beside_wanted:
            self.beside_wanted = True
            self.wake()

    def reader_for(self, language: str, document: str = "") -> Embedder | None:
        """The reader of texts in the language, or of those of a document in another, if it is loaded: the model beside
        reads what the other does not."""
        languages = {language, document or language}
        reader = next(
            (model for model in (self.reader, self.beside) if model is not None and all(map(model.reads, languages))),
            None,
        )
        return self._if_ready(reader) if reader is not None else None

    def verifier_for(self, language: str) -> Verifier | None:
        """The verifier if it is loaded and was trained in the language."""
        if self.verifier is None or language not in self.verifier.languages:
            return None
        return self._if_ready(self.verifier)

    def foreign(self, language: str, documents: Iterable[str]) -> list[str]:
        """The languages of documents that a question in this language is searched in by equal words only: no chosen
        embedder knows both."""
        others = sorted(code for code in documents if code not in ("", language))
        knowing = [model for model in self.chosen() if model.knows(language)]
        return [code for code in others if not any(model.knows(code) for model in knowing)]

    def lacks(self, language: str) -> bool:
        """Whether no chosen embedder knows a language, whose texts are searched by equal words only."""
        return bool(self.chosen()) and not any(model.knows(language) for model in self.chosen())

    def chosen(self) -> list[Embedder]:
        """The embedders that make vectors: that of the settings, and the one beside it."""
        return [model for model in (self.embedder, self.beside) if model is not None]

    def needs_beside(self, language: str) -> bool:
        """Whether texts in this language are for the model beside."""
        known = language == "" or self.embedder is None or self.embedder.knows(language)
        return not known and self.beside is not None and self.beside.knows(language)

    async def kind_opinion(self, text: str, language: str) -> KindOpinion | None:
        """What kind of question the trained layer of the language's embedder takes a text for; None where there is
        none, or it was not trained in the language, or the embedder is not loaded. Raises nothing."""
        embedder = await self.embedder_for(language, "")
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
        """Before a question: load the models that rest, and wait for them, as for what is loaded after the start, but
        not for long: what is then still loading is missed, as one is that cannot be loaded, and no further question
        waits for it."""
        if not self.begun.is_set():
            now = time.monotonic()
            self._begun_until = self._begun_until or now + BEGUN_SECONDS
            with suppress(TimeoutError):
                async with asyncio.timeout(self._begun_until - now):
                    await self.begun.wait()
        if resting := [model for model in self._models() if model.rests and model is not self.beside]:
            await self._loaded(*resting)

    async def _loaded(self, *models: Embedder | Verifier) -> None:
        """Load these models, and wait for them as `awake` says."""
        now = time.monotonic()
        waking = self._waking.get(frozenset(models))
        if waking is None or waking.loading.done():
            loading = asyncio.gather(*(model.load() for model in models), return_exceptions=True)
            waking = self._waking[frozenset(models)] = _Waking(loading, now + AWAKE_SECONDS)
        await asyncio.wait((waking.loading,), timeout=max(0.0, waking.until - now))

    async def rest_forever(self, seconds: float) -> None:
        """Unload each model that was not asked for so long, until this is cancelled: the next question loads it."""
        while True:
            await asyncio.sleep(min(seconds, LOOK_SECONDS))
            for model in self._models():
                if model.idle >= seconds:
                    log.info("%s is unloaded: idle for %.0f s", type(model).__name__.lower(), model.idle)
                    await model.rest()

    def _models(self) -> set[Embedder | Verifier]:
        models = (self.verifier, self.embedder, self.reader, self.serving, self.beside)
        return {model for model in models if model is not None}

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
