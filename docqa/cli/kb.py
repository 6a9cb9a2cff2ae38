"""`kb`: knowledge bases, named groups of documents that are asked together."""

import sys
from collections.abc import Iterable

import click

from docqa.cli.client.names import document, knowledge_base
from docqa.cli.client.service import Record, Service
from docqa.cli.options import as_json, with_service
from docqa.cli.terminal import put_json, put_table, say
from docqa.errors import NotFound

DOCUMENTS = click.argument("words", metavar="DOC...", nargs=-1, required=True)


@click.group()
def kb() -> None:
    """List, make, fill, rename and delete knowledge bases. KB and DOC are names or ids."""


@kb.command("list")
@as_json
@with_service
def list_bases(service: Service, as_json: bool) -> None:
    """List the knowledge bases, newest first."""
    records = list(service.knowledge_bases())
    if as_json:
        put_json(records)
        return
    put_table(
        ("NAME", "DOCUMENTS", "ID"),
        [(record["name"], len(record["document_details"]), record["knowledge_base_id"]) for record in records],
    )
    if not records:
        say("There are no knowledge bases yet; `kb make NAME DOC...` makes one.")


@kb.command()
@click.argument("name", metavar="KB")
@as_json
@with_service
def show(service: Service, name: str, as_json: bool) -> None:
    """Show the documents of KB."""
    record = knowledge_base(service, name)
    if as_json:
        put_json(record)
        return
    put_table(("NAME", "ID"), [(member["name"], member["doc_id"]) for member in record["document_details"]])


@kb.command()
@click.argument("name")
@click.argument("words", metavar="[DOC]...", nargs=-1)
@as_json
@with_service
def make(service: Service, name: str, words: tuple[str, ...], as_json: bool) -> None:
    """Make a knowledge base called NAME of these documents."""
    if any(record["name"] == name for record in service.knowledge_bases()):
        raise click.UsageError(f"There is a knowledge base {name!r} already; `kb add` fills it.")
    ids = [document(service, word)["doc_id"] for word in words]
    made = service.call("POST", "/v1/api/knowledge", body={"name": name, "document_ids": ids})
    _answer(service.call("GET", f"/v1/api/knowledge/{made['knowledge_base_id']}"), as_json, "Made")


@kb.command()
@click.argument("name", metavar="KB")
@DOCUMENTS
@as_json
@with_service
def add(service: Service, name: str, words: tuple[str, ...], as_json: bool) -> None:
    """Put documents into KB."""
    record = knowledge_base(service, name)
    ids = [document(service, word)["doc_id"] for word in words]
    _answer(update(service, record, [*members(record), *ids]), as_json, "Changed")


@kb.command()
@click.argument("name", metavar="KB")
@DOCUMENTS
@as_json
@with_service
def remove(service: Service, name: str, words: tuple[str, ...], as_json: bool) -> None:
    """Take documents out of KB; they stay in the library."""
    record = knowledge_base(service, name)
    gone = {document(service, word)["doc_id"] for word in words}
    if absent := gone - set(members(record)):
        raise NotFound(f"{record['name']} does not hold {', '.join(sorted(absent))}.")
    _answer(update(service, record, [id_ for id_ in members(record) if id_ not in gone]), as_json, "Changed")


@kb.command()
@click.argument("name", metavar="KB")
@click.argument("new", metavar="NEW-NAME")
@as_json
@with_service
def rename(service: Service, name: str, new: str, as_json: bool) -> None:
    """Give KB another name."""
    record = knowledge_base(service, name)
    _answer(update(service, record, members(record), new), as_json, "Renamed")


@kb.command()
@click.argument("name", metavar="KB")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@with_service
def delete(service: Service, name: str, yes: bool) -> None:
    """Delete KB; its documents stay."""
    record = knowledge_base(service, name)
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("Nobody can be asked here: --yes deletes without asking.")
        click.confirm(f"Delete the knowledge base {record['name']}? Its documents stay.", abort=True, err=True)
    service.call("DELETE", f"/v1/api/knowledge/{record['knowledge_base_id']}")
    say(f"Deleted {record['name']}; its documents stay.")


def members(record: Record) -> list[str]:
    """The doc_ids of a knowledge base."""
    return [member["doc_id"] for member in record["document_details"]]


def update(service: Service, record: Record, ids: Iterable[str], name: str | None = None) -> Record:
    """Give a knowledge base these documents, each once, and another name if there is one; what it is then."""
    body = {"document_ids": list(dict.fromkeys(ids)), **({"name": name} if name else {})}
    changed: Record = service.call("PUT", f"/v1/api/knowledge/{record['knowledge_base_id']}", body=body)
    return changed


def put_into(service: Service, name: str, ids: Iterable[str]) -> None:
    """Put documents into the knowledge base of this name, which is made if there is none."""
    for record in service.knowledge_bases():
        if name in (record["name"], record["knowledge_base_id"]):
            update(service, record, [*members(record), *ids])
            return
    service.call("POST", "/v1/api/knowledge", body={"name": name, "document_ids": list(dict.fromkeys(ids))})


def _answer(record: Record, as_json: bool, done: str) -> None:
    if as_json:
        put_json(record)
    else:
        count = len(record["document_details"])
        say(f"{done}: {record['name']}, {count} document{'s' * (count != 1)}.")
