"""The GGUF models of the models folder, by the names in requests and targets.

New files are noticed while the server runs.
"""

import logging
from pathlib import Path

from docqa.catalog.catalog import Catalog
from docqa.errors import CannotStart
from docqa.models.chat.local import LocalModel, available
from docqa.models.chat.speeds import FILE, Speeds
from docqa.settings import Settings

log = logging.getLogger(__name__)


class LocalModels:
    """The local models; none without llama-cpp-python.

    A model whose file disappears stays listed: the next question to it reports that.
    """

    def __init__(self, settings: Settings, catalog: Catalog) -> None:
        self._settings, self._catalog = settings, catalog
        self._speeds = Speeds(settings.data / FILE)
        self._models: dict[str, LocalModel] = {}
        self._files: dict[str, Path] = {}
        self._aliases: dict[str, LocalModel] = {}
        self._folder_changed = -1  # the folder's modification time at the last look, in nanoseconds

    def by_name(self) -> dict[str, LocalModel]:
        """The models by their names in requests."""
        self._refresh()
        return self._models

    def known(self, alias: str) -> LocalModel | None:
        """The model with this name in requests or in the catalogue, or this file name without suffix, in any case; of
        those that were there at the last look."""
        return self._aliases.get(alias.casefold())

    async def unload(self, name: str) -> None:
        """End the process of the model with this name in requests, whose file is about to be deleted."""
        self._files.pop(name, None)
        if model := self._models.pop(name, None):
            self._aliases = {alias: other for alias, other in self._aliases.items() if other is not model}
            await model.close()

    def look_again(self) -> None:
        """Have the folder looked at with the next question, even if it does not say that it has changed."""
        self._folder_changed = -1

    async def close(self) -> None:
        """Unload all of them."""
        for model in self._models.values():
            await model.close()

    def _refresh(self) -> None:
        folder = self._catalog.models_dir
        changed = folder.stat().st_mtime_ns if available() and folder.is_dir() else 0
        if changed == self._folder_changed:
            return
        self._folder_changed = changed
        paths = self._paths() if changed else {}
        for name in [name for name, path in self._files.items() if name not in paths and path in paths.values()]:
            del self._files[name], self._models[name]  # until its record was written, it was named by its file
        self._files |= paths
        for name, path in paths.items():
            if name not in self._models:
                self._models[name] = self._open(name, path)
        names = {entry.name: entry.api_name for entry in self._catalog.entries}
        names |= {path.stem: name for name, path in paths.items()}
        names |= {name: name for name in self._models}
        self._aliases = {alias.casefold(): self._models[name] for alias, name in names.items() if name in self._models}

    def _paths(self) -> dict[str, Path]:
        """The files that are there, by their names in requests: those of a model that came may have been unknown."""
        try:
            self._catalog = Catalog.load(self._catalog.models_dir)
        except CannotStart as error:
            log.warning("The models are named as before: %s", error)
        return self._catalog.local_models()

    def _open(self, name: str, path: Path) -> LocalModel:
        """The model, which is loaded with its first question."""
        return LocalModel(
            name,
            path,
            self._settings.context_tokens,
            self._settings.answer_queue,
            self._settings.answer_parallel,
            cache_type=self._settings.cache_type,
            idle_seconds=self._settings.idle_seconds,
            speeds=self._speeds,
            others=self._models,
        )
