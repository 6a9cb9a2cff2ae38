"""What is to be installed, in the order in which it is worth having: groups of packages and models. Standard library
only.

What a server needs comes first. Of the rest: text recognition, MCP, search by meaning, the small language model, the
verifier's encoder, search by meaning in other languages, and last llama.cpp, which may have to be compiled; for the
tests also PyTorch, which is otherwise installed on request only.
"""

import importlib.util
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from docqa.catalog.catalog import Catalog
from docqa.catalog.download import FetchFailed, Say, fetch
from docqa.catalog.entries import Entry
from docqa.catalog.targets import embedding_target
from docqa.models.reader import FILE, VERIFIER, trained_part
from docqa.settings import Settings
from docqa.setup.packages import TORCH, WITHOUT, Installer
from docqa.setup.progress import Progress

MB = 10**6
# What the packages of a group take on the disk: a measure of how far pip is.
GROUP_BYTES = {
    "base": 230 * MB,
    "scans": 30 * MB,
    "mcp": 40 * MB,
    "embedding": 270 * MB,
    TORCH: 960 * MB,
    "test": 170 * MB,
}
GROUPS = {
    "base": "what the server needs",
    "scans": "text recognition for scans and pictures",
    "mcp": "the protocol by which assistants use tools (MCP)",
    "embedding": "the packages for search by meaning",
    "local": "llama.cpp, which runs language models",
    TORCH: "PyTorch, for embedding models of unusual kinds and for training",
    "test": "the tools for the tests",
}
MEANWHILE = {
    "embedding": "search is by words only",
    "encoder": "answers are not verified",
    "gguf": "answers are sentences quoted from the documents",
}
# What shows that a group is installed, in a Python that this program does not manage.
PROOF = {
    "scans": "tessdata",
    "mcp": "mcp",
    "embedding": "openvino",
    "local": "llama_cpp",
    TORCH: "sentence_transformers",
}
IN_OTHER_LANGUAGES = "search in languages that the first embedding model does not know is by words only"
TRY_AGAIN = "`python run.py install` tries again"
TORCH_AGAIN = f"`python run.py install {TORCH}` tries again"


@dataclass(frozen=True)
class Step:
    """A group of packages, or the model `entry`; `size` is what it takes on the disk, in bytes, and `folders` where."""

    name: str
    what: str
    meanwhile: str
    size: int
    folders: tuple[Path, ...]
    requirements: tuple[str, ...] = ()
    entry: Entry | None = None

    def progress(self) -> Progress:
        """The step before it begins."""
        return Progress(self.name, self.what, message=self.meanwhile)


def needed(installer: Installer, *, test: bool = False) -> list[Step]:
    """The groups without which nothing runs, as far as they are not installed with these requirements."""
    pending = installer.pending(installer.groups(test))
    return [_group(installer, name, pending[name]) for name in ("base", "test") if name in pending]


def rest(
    settings: Settings,
    installer: Installer,
    *,
    packages: bool,
    models: bool = True,
    again: bool = False,
    test: bool = False,
) -> list[Step]:
    """The steps left when that is done; groups only where `packages` are this program's to install, and `models`.
    With `test`, what the tests use too.

    What failed before is left out, but for models if they are to be tried `again`.
    """
    catalog = Catalog.load(settings.models)
    pending = installer.pending(installer.groups(test)) if packages else {}
    coming = {name for name in PROOF if name in pending or installed(installer, name, managed=packages)}
    missing = [
        _model(catalog, entry, installer)
        for entry in wanted_models(catalog, settings, coming)
        if models and not catalog.present(entry) and (again or not catalog.given_up(entry).exists())
    ]
    groups = {name: [_group(installer, name, pending[name])] for name in PROOF if name in pending}
    first = [step for name in ("scans", "mcp", "embedding") for step in groups.get(name, [])]
    return [*first, *missing, *groups.get("local", []), *groups.get(TORCH, [])]


def installed(installer: Installer, group: str, *, managed: bool) -> bool:
    """Whether an optional group of packages can be used."""
    return installer.has(group) if managed else importlib.util.find_spec(PROOF[group]) is not None


def _group(installer: Installer, name: str, lines: Sequence[str]) -> Step:
    meanwhile = WITHOUT.get(name, "nothing can be used")
    # How far a compiler is, CMake says; its files say nothing.
    size, folders = GROUP_BYTES.get(name, 0), () if name == "local" else (installer.venv,)
    return Step(name, GROUPS[name], meanwhile, size, folders, requirements=tuple(lines))


def _model(catalog: Catalog, entry: Entry, installer: Installer) -> Step:
    what = f"the model {entry.name} ({entry.size / MB:,.0f} MB)"
    folders = (catalog.models_dir / "downloads", catalog.models_dir / entry.folder, installer.temporary)
    meanwhile = IN_OTHER_LANGUAGES if entry.for_other_languages else MEANWHILE[entry.kind]
    return Step(entry.name, what, meanwhile, entry.size, folders, entry=entry)


def wanted_models(catalog: Catalog, settings: Settings, groups: Collection[str]) -> list[Entry]:
    """The chosen embedding model, those that reader and verifier build on, and the non-optional local models, as far as
    the `groups` of packages that run them are installed; last the embedding model for other languages."""
    files = [file for file, wanted in ((FILE, settings.reader), (VERIFIER, settings.verifier)) if wanted]
    bases = [part.base for file in files if (part := trained_part(settings.models, file))]
    local: list[Entry] = []
    if "local" in groups:
        local = [entry for entry in catalog.entries if entry.kind == "gguf" and not entry.optional]
    if settings.embedder == "none" or "embedding" not in groups:
        return local
    chosen = None if embedding_target(settings.embedder) else catalog.embedding(settings.embedder)
    built_on = [entry for entry in catalog.entries if entry.files and entry.weights.sha256 in bases and entry != chosen]
    return [
        *([chosen] if chosen else []),
        *(entry for entry in built_on if entry.kind == "embedding"),
        *local,
        *(entry for entry in built_on if entry.kind == "encoder"),
        *([beside] if (beside := catalog.beside(settings.embedder)) else []),
    ]


def run(step: Step, settings: Settings, installer: Installer, say: Say) -> str:
    """Do a step; "" if it succeeded, else why not and what helps. Raises DamagedBundle, InstallFailed, OSError."""
    if step.entry is None:
        failure = installer.install(step.name, list(step.requirements))
        if step.name not in PROOF:
            return failure
        again = TORCH_AGAIN if step.name == TORCH else TRY_AGAIN
        return f"{failure} Without it, {step.meanwhile}; {again}." if failure else ""
    catalog = Catalog.load(settings.models)
    if settings.offline and step.entry.path is None:
        return f"DOCQA_OFFLINE forbids downloading it. Without it, {step.meanwhile}."
    mark = catalog.given_up(step.entry)
    try:
        with installer.lock():
            fetch(catalog, step.entry, say)
    except FetchFailed as error:
        with suppress(OSError):  # a folder that cannot be written to is why it failed
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
        return f"{error}. Without it, {step.meanwhile}; {TRY_AGAIN}."
    mark.unlink(missing_ok=True)
    return ""
