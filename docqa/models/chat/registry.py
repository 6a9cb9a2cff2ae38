"""Which models answer for a name here: the targets that can be used, and the chat model behind each."""

from collections.abc import Collection
from dataclasses import dataclass, field

from docqa.catalog.keys import ProviderKeys
from docqa.catalog.targets import QUOTES, Mapping, Target
from docqa.errors import DocqaError, OutOfTime, Unavailable
from docqa.models.chat.http import HttpClient
from docqa.models.chat.local import available
from docqa.models.chat.protocol import ChatModel
from docqa.models.chat.remote import obstacle, open_remote
from docqa.models.local_models import LocalModels
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
QUOTES_NAME = "QUOTES"  # answers without a model, under a name that promises none
NO_LLAMA = "llama-cpp-python is not installed (building it needs a C++ compiler): there are no local models."
NO_GGUF = "There is no local model in {folder}."


@dataclass
class ChatModels:
    """The chat models of this server. Local ones are loaded, and `remote` ones opened, when they are first asked."""

    settings: Settings
    local: LocalModels
    mapping: Mapping
    keys: ProviderKeys
    http: HttpClient
    remote: dict[Target, ChatModel] = field(default_factory=dict)

    def names(self) -> list[str]:
        """Every name a request may give: QUOTES, the documented ones, those in models.toml, and the local models'."""
        return self._names(self.local.by_name())

    def targets(self, name: str) -> list[Target]:
        """The targets to try for `name`, in order. Raises Unavailable where none can be used."""
        local = self.local.by_name()
        reasons = {target: self.why_not(target) for target in self._mapped(name, local)}
        usable = [target for target, reason in reasons.items() if not reason]
        if not usable:
            details = "; ".join(f"{target}: {reason}" for target, reason in reasons.items())
            raise Unavailable(f"Nothing can answer as {name} here: {details}.")
        return usable if self.mapping.table().fall_through else usable[:1]

    def first_targets(self) -> dict[str, Target | None]:
        """For every name a request may give the target that would answer now, None where none can. The folder is looked
        at once: beside busy threads each look waits for its turn, and there are a dozen names."""
        local = self.local.by_name()
        return {
            name: next((target for target in self._mapped(name, local) if not self.why_not(target)), None)
            for name in self._names(local)
        }

    def falls_through(self, name: str, error: DocqaError) -> bool:
        """Whether the next target is tried for `name` after this error.

        A client that asks for a local model by its own name wants that model, and is told why it cannot answer; only
        when it is out of time does something else answer instead.
        """
        return name in self.mapping.table().targets or isinstance(error, OutOfTime)

    def open(self, target: Target) -> ChatModel | None:
        """The model behind a usable target; None for quotes."""
        if target.kind == "local":
            return self.local.known(target.model)
        if target.is_remote and target not in self.remote:
            seconds = self.settings.answer_seconds
            self.remote[target] = open_remote(target, self.keys, client=self.http, seconds=seconds)
        return self.remote.get(target)

    def why_not(self, target: Target) -> str:
        """Why this target cannot be used here, "" where it can."""
        if target.kind == "local" and self.local.known(target.model) is None:
            return "there is no such local model"
        return obstacle(target, self.keys, self.settings.offline)

    def remote_targets(self) -> dict[Target, list[str]]:
        """The targets of models.toml over HTTP, each with the names that it is named for."""
        targets: dict[Target, list[str]] = {}
        for name, mapped in self.mapping.table().targets.items():
            for target in mapped:
                if target.is_remote:
                    targets.setdefault(target, []).append(name)
        return targets

    def notes(self) -> list[str]:
        """What is missing for local models to answer, as sentences; nothing where one can."""
        if not available():
            return [NO_LLAMA]
        return [] if self.local.by_name() else [NO_GGUF.format(folder=self.settings.models)]

    def _names(self, local: Collection[str]) -> list[str]:
        return list(dict.fromkeys([QUOTES_NAME, *DOCUMENTED_MODELS, *self.mapping.table().targets, *local]))

    def _mapped(self, name: str, local: Collection[str]) -> tuple[Target, ...]:
        own = (Target("local", name),) if name in local else ()
        return self.mapping.table().targets.get(name, (*own, QUOTES))
