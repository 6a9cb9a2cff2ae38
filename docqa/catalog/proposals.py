"""Which models suit a machine. The memory that a model takes is an estimate: nothing is loaded."""

from collections.abc import Collection, Mapping

from docqa import COMMAND
from docqa.catalog.catalog import Catalog
from docqa.catalog.entries import Entry
from docqa.catalog.machine import Machine
from docqa.languages import entry as language_entry

# Factor of the weights, and MB. A context is as long as the memory allows: 4,096 tokens of keys and values are 0.6 GB
# in Qwen3-4B and 8B, the rest is buffers. An encoder is in memory in several precisions when it is loaded for the first
# time: measured at most 0.3 GB for all-MiniLM-L6-v2, 0.8 GB for all-mpnet-base-v2 and multilingual-e5-small.
MEMORY = {"gguf": (1.1, 750), "embedding": (2.0, 300), "encoder": (2.0, 300)}
MULTILINGUAL = "multilingual-e5-small"  # proposed for documents in languages that the embedding model does not know
CHOSEN = ("embedding", "gguf")  # the kinds of which a user chooses one
SHARE = 0.5  # of the machine's memory that a proposed model may take


def memory(entry: Entry) -> int:
    """The bytes of memory that the loaded model takes, estimated."""
    factor, megabytes = MEMORY[entry.kind]
    return round(factor * entry.size) + megabytes * 10**6


def fits(entry: Entry, machine: Machine) -> bool:
    """Whether the machine has the cores for a model and, in half of its memory, the room."""
    return entry.cores <= machine.cores and memory(entry) <= SHARE * machine.memory


def propose(catalog: Catalog, machine: Machine) -> list[Entry]:
    """The largest model for each use that the machine has the cores and, in half of its memory, the room for.

    The catalogue's `cores` assume that one core reads prompts fast enough for a model of 0.7 billion parameters.
    """
    fitting = [entry for entry in catalog.entries if fits(entry, machine)]
    return [entries[-1] for kind in CHOSEN if (entries := [entry for entry in fitting if entry.kind == kind])]


def language_model(catalog: Catalog, machine: Machine) -> Entry | None:
    """The largest language model that this machine could run; None where it is here, or a larger one."""
    fitting = [entry for entry in propose(catalog, machine) if entry.kind == "gguf" and entry.optional]
    here = [path.stat().st_size for path in catalog.local_models().values()]
    return fitting[0] if fitting and max(here, default=0) < fitting[0].size else None


def for_chat(catalog: Catalog, machine: Machine) -> str:
    """A sentence on `language_model`, and how it is got; "" where there is none."""
    entry = language_model(catalog, machine)
    if entry is None:
        return ""
    name, size, needed = entry.name, entry.size / 10**9, memory(entry) / 10**9
    return (
        f"This machine could run the language model {name}: a download of {size:.1f} GB, about {needed:.1f} GB "
        f"of memory. `{COMMAND} models pull {name}` brings it, without a restart."
    )


def for_languages(embedders: Mapping[str, Collection[str]], documents: Mapping[str, int]) -> tuple[str, str]:
    """(what is lacking, the remedy) where the embedding models, by name with the languages that each knows (all where
    none are named), do not know those of some documents, given by their number; two empty strings where they do."""
    unknown = {
        code: count
        for code, count in documents.items()
        if all(languages and code not in languages for languages in embedders.values())
    }
    if not unknown:
        return "", ""
    listed = ", ".join(
        f"{language_entry(f'language_names.{code}', 'en') or code} ({count})" for code, count in unknown.items()
    )
    known = f"{' and '.join(embedders)} {'do' if len(embedders) > 1 else 'does'} not know"
    return (
        f"{known} the languages of some documents, which are searched by words only: {listed}",
        f"`{COMMAND} models pull {MULTILINGUAL}` gets a model for 94 languages, which also finds across them.",
    )
