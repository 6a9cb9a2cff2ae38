"""The models of this machine: what is here, what suits it, and what is downloaded, removed and tried."""

import asyncio
import time

from docqa.catalog.catalog import Catalog
from docqa.catalog.entries import Entry
from docqa.catalog.machine import Machine, find_machine
from docqa.catalog.proposals import fits, language_model, memory, propose
from docqa.catalog.removal import remove
from docqa.errors import CannotStart, Conflict, OutOfTime, Unavailable
from docqa.models.chat.local import available
from docqa.models.encoders import Encoders
from docqa.models.local_models import LocalModels
from docqa.services.machine_records import Download, MachineModel, MachineModels, ModelTest
from docqa.settings import Settings
from docqa.setup.progress import Progress
from docqa.setup.pulls import Pulls

USES = {"embedding": "search", "encoder": "checking", "gguf": "answers"}
QUESTION = "Why does bread dough rise? Answer in one or two sentences."
TEST_TOKENS = 120


class ModelsHere:
    """What `models list`, `pull` and `remove` do, while the server serves with these models."""

    def __init__(self, settings: Settings, encoders: Encoders, local: LocalModels) -> None:
        self._settings, self._encoders, self._local = settings, encoders, local
        self._pulls = Pulls(settings)

    async def listed(self, may_change: bool) -> MachineModels:
        """All models of the catalogue and the folder. Raises Unavailable for a damaged catalogue."""
        catalog, machine = await asyncio.to_thread(lambda: (self._catalog(), find_machine()))
        self._local.by_name()
        return await asyncio.to_thread(self._listed, catalog, machine, self._pulls.progress(), may_change)

    def _listed(
        self, catalog: Catalog, machine: Machine, progress: dict[str, Progress], may_change: bool
    ) -> MachineModels:
        proposed = {entry.name for entry in propose(catalog, machine)}
        better = language_model(catalog, machine) if available() else None
        models = []
        for entry in catalog.models():
            present = catalog.present(entry)
            embedder = next((each for each in self._encoders.chosen() if each.name == entry.name), None)
            step, model = None if present else progress.get(entry.name), self._local.known(entry.api_name)
            serving = embedder is not None and entry.kind == "embedding"
            chosen = entry.kind == "embedding" and present and catalog.searches(entry, self._settings.embedder)
            models.append(
                MachineModel(
                    name=entry.name,
                    model_name=entry.api_name if entry.kind == "gguf" else "",
                    use=USES[entry.kind],
                    size=entry.size,
                    memory=memory(entry),
                    languages=list(entry.languages),
                    licence=entry.licence,
                    present=present,
                    state=model.state if model and present else embedder.state if embedder and serving else "",
                    at_next_start=chosen and not serving,
                    fits=fits(entry, machine),
                    proposed=entry.name in proposed,
                    download=Download(step.state, int(100 * step.share), step.message) if step else None,
                )
            )
        return MachineModels(machine.memory, machine.cores, may_change, better.name if better else "", models)

    async def pull(self, name: str) -> str:
        """Begin to download a model of the catalogue, or to go on with it; its name. Raises NotFound, Conflict."""
        catalog, entry = await self._find(name)
        await self._pulls.start(catalog, entry)
        return entry.name

    async def cancel(self, name: str) -> str:
        """End a download; the name of its model. Raises NotFound."""
        _, entry = await self._find(name)
        await self._pulls.cancel(entry)
        return entry.name

    async def remove(self, name: str) -> str:
        """Unload and delete a model; its name. Raises NotFound, Conflict."""
        catalog, entry = await self._find(name)
        if self._pulls.running(entry):
            raise Conflict(f"{entry.name} is being downloaded: cancel that first.")
        await self._local.unload(entry.api_name)
        try:
            await asyncio.to_thread(remove, catalog, entry, self._settings.embedder)
        finally:
            self._local.look_again()
        return entry.name

    async def test(self, name: str) -> ModelTest:
        """Ask a language model a short question. Raises NotFound, Conflict for a model that is not here or does not
        answer, Busy, OutOfTime, Unavailable."""
        catalog, entry = await self._find(name)
        if entry.kind != "gguf":
            raise Conflict(f"{entry.name} answers no questions: it is for {USES[entry.kind]}.")
        model = self._local.by_name().get(entry.api_name) if await asyncio.to_thread(catalog.present, entry) else None
        if model is None:
            raise Conflict(f"{entry.name} cannot be asked: it or llama-cpp-python, which runs it, is not here.")
        asked_at, pieces, first = time.monotonic(), list[str](), 0.0
        messages = [{"role": "user", "content": QUESTION}]
        try:
            async with asyncio.timeout(self._settings.answer_seconds), model.turn():
                began = time.monotonic()
                await model.uncached(messages)
                async for piece in model.generate(messages, temperature=0.1, max_tokens=TEST_TOKENS):
                    first = first or time.monotonic() - began
                    pieces.append(piece)
        except TimeoutError as error:
            seconds = self._settings.answer_seconds
            raise OutOfTime(f"{entry.name} was not done within {seconds} s, the time for one answer.") from error
        load, whole = began - asked_at, time.monotonic() - began
        text = "".join(pieces).strip()
        return ModelTest(
            QUESTION, text, round(load, 2), round(first, 2), round(whole, 2), round(model.writing_speed, 1)
        )

    async def close(self) -> None:
        """End the downloads."""
        await self._pulls.close()

    async def _find(self, name: str) -> tuple[Catalog, Entry]:
        def find() -> tuple[Catalog, Entry]:
            catalog = self._catalog()
            return catalog, catalog.find(name)

        return await asyncio.to_thread(find)

    def _catalog(self) -> Catalog:
        try:
            return Catalog.load(self._settings.models)
        except CannotStart as error:  # it was sound when the server started
            raise Unavailable(str(error)) from error
