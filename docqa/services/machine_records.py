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


@dataclass(frozen=True)
class ProviderKey:
    """Whether a key is set for a kind of provider, `variable` being the environment's name for it, or for an address;
    the key itself is told to nobody."""

    provider: str
    variable: str
    is_set: bool


@dataclass(frozen=True)
class RemoteTarget:
    """A target over HTTP: of `models.toml`, with the `names` it answers for, or one that makes the vectors of texts for
    search, without names. `obstacle` is why it cannot be used, "" where it can."""

    target: str
    names: list[str]
    leaves_machine: bool
    obstacle: str


@dataclass(frozen=True)
class Providers:
    """Keys and remote targets, as they are configured: nothing was asked over the network."""

    keys: list[ProviderKey]
    targets: list[RemoteTarget]


@dataclass(frozen=True)
class TargetTest:
    """What a remote target said to a short question just now, within so many `seconds`; where it does not `work`,
    `message` is why not."""

    target: str
    works: bool
    message: str
    seconds: float


@dataclass(frozen=True)
class RecognitionLanguage:
    """A language of text recognition: Tesseract's name and ISO 639-1 for it, "" where there is none; its data take
    `size` bytes, 0 for data that the catalogue does not know."""

    code: str
    iso: str
    name: str
    size: int


@dataclass(frozen=True)
class Recognition:
    """The languages that are read, those to be had, and the `command` that adds them, with their codes behind it.
    `rapid` tells whether RapidOCR reads Chinese and Japanese."""

    here: list[RecognitionLanguage]
    available: list[RecognitionLanguage]
    rapid: bool
    command: str


@dataclass(frozen=True)
class AccountStorage:
    """What an account keeps, and the most that it may, 0 for any number; `bytes` are of its files as uploaded."""

    documents: int
    bytes: int
    knowledge_bases: int
    most_documents: int
    most_bytes: int
    most_knowledge_bases: int


@dataclass(frozen=True)
class MachineStorage:
    """Bytes: of the database, of which `originals` are files as uploaded, `indexes` all that was made of them, such as
    text, passages and vectors, and `unused` will be written to next; and those `free` on its disk."""

    database: int
    originals: int
    indexes: int
    unused: int
    free: int


@dataclass(frozen=True)
class DoctorFinding:
    """A line of `doctor`: `remedy` is "" where all is well; where it is `needed`, the server cannot do without."""

    what: str
    state: str
    remedy: str
    needed: bool
