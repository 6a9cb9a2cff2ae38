"""`kb`: knowledge bases, named groups of documents that are asked together."""

import sys

import click

from docqa.cli.client import bases
from docqa.cli.client.names import document, knowledge_base
from docqa.cli.client.service import Record, Service
from docqa.cli.options import as_json, base_names, document_names, with_service
from docqa.cli.terminal import put, put_json, put_table, say
from docqa.errors import NotFound

DOCUMENTS = click.argument("words", metavar="DOC...", nargs=-1, required=True, shell_complete=document_names)
BASE = click.argument("name", metavar="KB", shell_complete=base_names)


@click.group()
def kb() -> None:
    """List, make, fill, rename, share and delete knowledge bases. KB and DOC are names or ids."""


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
        ("NAME", "DOCUMENTS", "ACCESS", "ID"),
        [
            (record["name"], len(record["document_details"]), record["access"], record["knowledge_base_id"])
            for record in records
        ],
    )
    if not records:
        say("There are no knowledge bases yet; `kb make NAME DOC...` makes one.")


@kb.command()
@BASE
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
@click.argument("words", metavar="[DOC]...", nargs=-1, shell_complete=document_names)
@as_json
@with_service
def make(service: Service, name: str, words: tuple[str, ...], as_json: bool) -> None:
    """Make a knowledge base called NAME of these documents."""
    if any(record["name"] == name for record in service.knowledge_bases()):
        raise click.UsageError(f"There is a knowledge base {name!r} already; `kb add` fills it.")
    ids = [document(service, word)["doc_id"] for word in words]
    _answer(bases.make(service, name, ids), as_json, "Made")


@kb.command()
@BASE
@DOCUMENTS
@as_json
@with_service
def add(service: Service, name: str, words: tuple[str, ...], as_json: bool) -> None:
    """Put documents into KB."""
    record = knowledge_base(service, name)
    ids = [document(service, word)["doc_id"] for word in words]
    _answer(bases.update(service, record, [*bases.members(record), *ids]), as_json, "Changed")


@kb.command()
@BASE
@DOCUMENTS
@as_json
@with_service
def remove(service: Service, name: str, words: tuple[str, ...], as_json: bool) -> None:
    """Take documents out of KB; they stay in the library."""
    record = knowledge_base(service, name)
    gone = {document(service, word)["doc_id"] for word in words}
    if absent := gone - set(bases.members(record)):
        raise NotFound(f"{record['name']} does not hold {', '.join(sorted(absent))}.")
    _answer(
        bases.update(service, record, [id_ for id_ in bases.members(record) if id_ not in gone]), as_json, "Changed"
    )


@kb.command()
@BASE
@click.argument("new", metavar="NEW-NAME")
@as_json
@with_service
def rename(service: Service, name: str, new: str, as_json: bool) -> None:
    """Give KB another name."""
    record = knowledge_base(service, name)
    _answer(bases.update(service, record, bases.members(record), new), as_json, "Renamed")


@kb.command()
@BASE
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@with_service
def delete(service: Service, name: str, yes: bool) -> None:
    """Delete KB, whose documents stay; one that was shared with you is only given back."""
    record = knowledge_base(service, name)
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("Nobody can be asked here: --yes deletes without asking.")
        click.confirm(f"Delete the knowledge base {record['name']}? Its documents stay.", abort=True, err=True)
    service.call("DELETE", f"/v1/api/knowledge/{record['knowledge_base_id']}")
    say(f"Deleted {record['name']}; its documents stay.")


@kb.command()
@BASE
@click.option("--for", "reader", metavar="NAME", required=True, help="Whom it is for, in your own words.")
@click.option("--originals", is_flag=True, help="The files may be downloaded, too.")
@as_json
@with_service
def share(service: Service, name: str, reader: str, originals: bool, as_json: bool) -> None:
    """Share KB with another account, which may read and ask it.

    Prints a code, this once. Whoever takes it first, by `kb take` or in the page, has it for the own account alone."""
    record = knowledge_base(service, name)
    body = {"name": reader, "originals": originals}
    made = service.call("POST", f"/v1/api/knowledge/{record['knowledge_base_id']}/shares", body=body)
    if as_json:
        put_json(made)
        return
    put(made["code"])
    say(f"Hand this code to {reader}: `kb take CODE`, or the link {service.url}/#/share/{made['code']}")


@kb.command()
@BASE
@as_json
@with_service
def shares(service: Service, name: str, as_json: bool) -> None:
    """List whom KB was shared with."""
    record = knowledge_base(service, name)
    records = service.call("GET", f"/v1/api/knowledge/{record['knowledge_base_id']}/shares")
    if as_json:
        put_json(records)
        return
    rows = [
        (
            each["name"],
            "originals" if each["originals"] else "read",
            (each["taken"] or "not yet")[:10],
            each["share_id"],
        )
        for each in records
    ]
    put_table(("FOR", "ACCESS", "TAKEN", "ID"), rows)
    if not records:
        say(f"{record['name']} is not shared; `kb share` shares it.")


@kb.command()
@BASE
@click.argument("share_id", metavar="SHARE-ID")
@with_service
def withdraw(service: Service, name: str, share_id: str) -> None:
    """End a share of KB, at once."""
    record = knowledge_base(service, name)
    service.call("DELETE", f"/v1/api/knowledge/{record['knowledge_base_id']}/shares/{share_id}")
    say("Withdrawn: whoever had taken it can no longer read it.")


@kb.command()
@click.argument("code")
@as_json
@with_service
def take(service: Service, code: str, as_json: bool) -> None:
    """Take the knowledge base that somebody shared with you by this CODE."""
    _answer(service.call("POST", "/v1/api/shares", body={"code": code}), as_json, "Taken")


def _answer(record: Record, as_json: bool, done: str) -> None:
    if as_json:
        put_json(record)
    else:
        count = len(record["document_details"])
        say(f"{done}: {record['name']}, {count} document{'s' * (count != 1)}.")
