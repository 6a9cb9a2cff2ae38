"""Which encoders the settings choose among those that are installed, and those of other servers."""

from collections.abc import Callable

from docqa.catalog.catalog import Catalog
from docqa.catalog.entries import Entry
from docqa.catalog.targets import embedding_target
from docqa.models.cosines import Scale
from docqa.models.embedder import Embedder
from docqa.models.encoders import Encoders
from docqa.models.installed import is_installed
from docqa.models.kinds import kind_heads
from docqa.models.measured import EIGHT_BITS
from docqa.models.measured import FILE as MEASURED
from docqa.models.reader import VERIFIER, TrainedPart, beside_file, trained_part
from docqa.models.remote_embedder import RemoteEmbedders
from docqa.models.sentence_folder import INSTALLED_BY, PACKAGE, needs_package
from docqa.models.verifier import Verifier
from docqa.settings import Settings
from docqa.store.vector_index import StoredModel

NO_EMBEDDER = "The embedding model {name} is not installed: full-text search only."
NOT_ASKED = "The embedding model {name} is not asked, because {why}: full-text search only."
NO_OPENVINO = "OpenVINO is not installed: full-text search only."
NO_SENTENCE_TRANSFORMERS = (
    f"The embedding model {{name}} needs {PACKAGE}, which {INSTALLED_BY} installs: full-text search only."
)


def find_encoders(
    settings: Settings,
    catalog: Catalog,
    wake: Callable[[], None],
    remote: RemoteEmbedders,
    embedder: Embedder | None = None,
    former: Embedder | None = None,
    beside: Embedder | None = None,
) -> Encoders:
    """The encoders that the settings choose among the installed models and `remote` ones, none of them loaded.

    An `embedder` that is handed in is used instead of the chosen one, and `former` stands for the one before it,
    `beside` for the one for other languages. Raises CannotStart for a model that there is not.
    """

    def former_of(model: StoredModel) -> Embedder | None:
        return former or remote.named(model.name) or _installed(settings, catalog, model)

    kinds = kind_heads(settings.models)
    encoders = Encoders(embedder, None, None, former_of, wake, remote, kinds=kinds, beside=beside)
    add_installed(encoders, settings, catalog)
    return encoders


def add_installed(encoders: Encoders, settings: Settings, catalog: Catalog) -> bool:
    """Add the encoders that were missing and are installed now, none of them loaded; whether there were any."""
    notes: list[str] = []
    before = encoders.embedder, encoders.reader, encoders.verifier, encoders.beside
    part = trained_part(settings.models) if settings.reader else None
    encoders.embedder = encoders.embedder or _chosen(encoders.remote, settings, catalog, part, notes)
    encoders.reader = encoders.reader or _reader(settings, catalog, encoders.embedder, part)
    encoders.verifier = encoders.verifier or (_verifier(settings, catalog) if encoders.reader else None)
    encoders.beside = encoders.beside or _beside(settings, catalog, encoders.embedder)
    encoders.missing = tuple(notes)
    return (encoders.embedder, encoders.reader, encoders.verifier, encoders.beside) != before


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
    if lacking := _lacking(catalog, entry):
        notes.append(lacking)
        return None
    return _open(settings, catalog, entry, part)


def _lacking(catalog: Catalog, entry: Entry) -> str:
    """A note on the package without which this model, which is present, cannot be loaded; "" if nothing is missing."""
    if not is_installed("openvino"):
        return NO_OPENVINO
    if needs_package(catalog.path(entry)) and not is_installed(PACKAGE):
        return NO_SENTENCE_TRANSFORMERS.format(name=entry.name)
    return ""


def _beside(settings: Settings, catalog: Catalog, embedder: Embedder | None) -> Embedder | None:
    """The model for languages that the embedder does not know, if it is installed: it rests until one needs it."""
    entry = catalog.beside(settings.embedder) if embedder is not None else None
    if entry is None or not catalog.present(entry) or _lacking(catalog, entry):
        return None
    part = trained_part(settings.models, beside_file(entry.name)) if settings.reader else None
    beside = _open(settings, catalog, entry, part)
    beside.rests = True
    return beside


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
    return (
        Verifier(catalog.path(entry), part, settings.data / MEASURED, settings.models / EIGHT_BITS)
        if part and entry
        else None
    )


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
        kept_in=settings.models / EIGHT_BITS,
        in_passing=entry.units_in_passing,
    )
