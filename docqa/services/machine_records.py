"""The records of what belongs to the machine, as the API shows them. Their type hints generate the schemas of
/openapi.json."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Download:
    """A download that is `running`, or has `failed`, in which case `message` says why."""

    state: str
    percent: int
    message: str


@dataclass(frozen=True)
class MachineModel:
    """A model that is here or can be had; `use` is `answers`, `search` or `checking`, `model_name` what a chat calls
    it. `size` is on the disk and `memory` an estimate of what it takes while it is loaded, in bytes; no `languages`
    means many. `state` is that of the process that runs it, `at_next_start` that the next start searches with it.
    `fits`: the machine has the memory and the cores for it; `proposed`: the largest of its use that does."""

    name: str
    model_name: str
    use: str
    size: int
    memory: int
    languages: list[str]
    licence: str
    present: bool
    state: str
    at_next_start: bool
    fits: bool
    proposed: bool
    download: Download | None


@dataclass(frozen=True)
class MachineModels:
    """The models of this machine, of `memory` bytes, 0 if unknown, and `cores`; `may_change` tells whether the caller
    may, `better` which language model is proposed to be added, "" for none."""

    memory: int
    cores: int
    may_change: bool
    better: str
    models: list[MachineModel]


@dataclass(frozen=True)
class ModelTest:
    """What a model said to a question of ours: `load_seconds` until it was loaded and free, `first_seconds` from then
    to its first word, `seconds` to its last; it writes `tokens_per_second`."""

    question: str
    answer: str
    load_seconds: float
    first_seconds: float
    seconds: float
    tokens_per_second: float
