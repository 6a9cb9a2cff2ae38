"""What a person calls a document or a knowledge base: its id, its name, or nearly so."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import PurePath

from docqa.cli.client.service import Record, Refused, Scope, Service
from docqa.errors import NotFound

ID = re.compile(r"[0-9a-f]{24}")
SHOWN = 5  # nearest names, or documents of one name


class Ambiguous(NotFound):
    """Several things have this name."""


def document(service: Service, word: str) -> Record:
    """The document of this id or name; case and suffix may be left out. Raises NotFound with the nearest names."""
    if ID.fullmatch(word):
        try:
            record: Record = service.call("GET", f"/v1/api/documents/{word}")
            return record
        except Refused as error:
            if error.code != NotFound.status:
                raise
    return _chosen("document", word, list(service.documents()), "doc_id", "ls")


def knowledge_base(service: Service, word: str) -> Record:
    """The knowledge base of this id or name, in any case. Raises NotFound with the nearest names."""
    return _chosen("knowledge base", word, list(service.knowledge_bases()), "knowledge_base_id", "kb list")


def scope_of(service: Service, words: Sequence[str], base: str | None, filters: Record) -> Scope:
    """What is asked: these documents, or this knowledge base, or all documents; those that fit. Raises NotFound."""
    if base:
        return Scope(knowledge_base_id=knowledge_base(service, base)["knowledge_base_id"], filters=filters)
    if words:
        return Scope(tuple(document(service, word)["doc_id"] for word in words), filters=filters)
    records = list(service.documents(**filters))
    if not records:
        raise NotFound(
            "No document fits; `ls` shows all." if filters else "There are no documents yet; `add FILE` adds some."
        )
    return Scope(tuple(record["doc_id"] for record in records))


def _chosen(what: str, word: str, records: list[Record], id_: str, lists: str) -> Record:
    alike = (
        lambda record: word in (record[id_], record["name"]),
        lambda record: word.casefold() == record["name"].casefold(),
        lambda record: word.casefold() == PurePath(record["name"]).stem.casefold(),
    )
    for is_it in alike:
        hits = [record for record in records if is_it(record)]
        if len(hits) == 1:
            return hits[0]
        if hits:
            ids = ", ".join(record[id_] for record in hits[:SHOWN])
            raise Ambiguous(f"{len(hits)} {what}s are called {word!r}; say which by its id: {ids}.")
    near = nearest(word, (record["name"] for record in records))
    hint = f"The nearest names: {', '.join(near)}. " if near else ""
    raise NotFound(f"There is no {what} {word!r}. {hint}`{lists}` shows all.")


def nearest(word: str, names: Iterable[str]) -> list[str]:
    """The names that are most like `word`, best first: those that hold it, and those that differ by a slip."""
    by_fold = {name.casefold(): name for name in names}
    stems = {PurePath(folded).stem: folded for folded in by_fold}
    folded = word.casefold()
    holding = [name for name in by_fold if folded in name]
    close = get_close_matches(folded, [*by_fold, *stems], n=SHOWN, cutoff=0.6)
    ranked = dict.fromkeys([*holding, *(stems.get(name, name) for name in close)])
    return [by_fold[name] for name in list(ranked)[:SHOWN]]
