"""The GGUF models of the models folder, by the names that requests and targets give them. Files that come while the server runs are found."""

from pathlib import Path

from docqa.catalog.catalog import Catalog
from docqa.models.chat.local import LocalModel, available
from docqa.settings import Settings


class LocalModels:
    """Without llama-cpp-python there are none. One that was found stays: when its file is gone, the next question to it says so."""

    def __init__(self, settings: Settings, catalog: Catalog) -> None:
        self._settings, self._catalog = settings, catalog
        self._models: dict[str, LocalModel] = {}
        self._aliases: dict[str, LocalModel] = {}
        self._looked_at = -1  # when the folder had last changed, as it was looked at

    def by_name(self) -> dict[str, LocalModel]:
        """The models by the names of requests."""
        self._look()
        return self._models

    def named(self, alias: str) -> LocalModel | None:
        """The model that a target means: by its name in requests or in the catalogue, or by its file's without the suffix, in any case."""
        self._look()
        return self._aliases.get(alias.casefold())

    async def close(self) -> None:
        for model in self._models.values():
            await model.close()

    def _look(self) -> None:
        folder = self._catalog.models_dir
        changed = folder.stat().st_mtime_ns if available() and folder.is_dir() else 0
        if changed == self._looked_at:
            return
        self._looked_at = changed
        found = self._catalog.local_models() if changed else {}
        for name, path in found.items():
            if name not in self._models:
                self._models[name] = self._open(name, path)
        named = {entry.name: entry.api_name for entry in self._catalog.entries} | {
            path.stem: name for name, path in found.items()
        }
        named |= {name: name for name in self._models}
        self._aliases = {alias.casefold(): self._models[name] for alias, name in named.items() if name in self._models}

    def _open(self, name: str, path: Path) -> LocalModel:
        """It is loaded when it is asked."""
        limits = self._settings.context_tokens, self._settings.answer_queue, self._settings.answer_parallel
        return LocalModel(
            name,
            path,
            *limits,
            cache_type=self._settings.cache_type,
            idle_seconds=self._settings.idle_seconds,
            others=self._models,
        )
