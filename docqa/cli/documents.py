"""`ls`, `show`, `tag` and `rm`: the documents that are here."""

import sys

import click

from docqa.cli.client.names import document, knowledge_base
from docqa.cli.client.service import Record, Service
from docqa.cli.options import as_json, document_names, in_base, with_filters, with_service
from docqa.cli.terminal import put, put_json, put_table, say

HEAD = ("NAME", "PAGES", "LANGUAGE", "DATE", "TAGS", "ADDED", "ID")


@click.command("ls")
@click.argument("words", metavar="[WORD]...", nargs=-1)
@in_base
@with_filters
@as_json
@with_service
def list_documents(service: Service, words: tuple[str, ...], kb: str | None, filters: Record, as_json: bool) -> None:
    """List documents, newest first: all, those whose names hold every WORD, those of a knowledge base, those that
    fit."""
    base = {"knowledge_base_id": knowledge_base(service, kb)["knowledge_base_id"]} if kb else {}
    folded = [word.casefold() for word in words]
    records = [
        record
        for record in service.documents(**filters, **base)
        if all(word in record["name"].casefold() for word in folded)
    ]
    if as_json:
        put_json(records)
        return
    put_table(HEAD, [_row(record) for record in records])
    if not records:
        say(
            "There are no such documents."
            if words or kb or filters
            else "There are no documents yet; `add FILE` adds some."
        )


def _row(record: Record) -> tuple[object, ...]:
    tags, added = ", ".join(record["tags"]), record["date_time"][:16].replace("T", " ")
    return record["name"], record["pages"], record["language"], record["date"], tags, added, record["doc_id"]


@click.command()
@click.argument("word", metavar="DOC", shell_complete=document_names)
@click.argument("page", type=click.IntRange(min=1), required=False)
@as_json
@with_service
def show(service: Service, word: str, page: int | None, as_json: bool) -> None:
    """Show what is known of the document DOC, a name or an id; or the text of one PAGE."""
    record = document(service, word)
    path = f"/v1/api/documents/{record['doc_id']}"
    if page:
        text = service.call("GET", f"{path}/pages/{page}")
        put_json(text) if as_json else put(text["text"])
        return
    status = service.call("GET", f"{path}/status")
    if as_json:
        put_json({**record, "status": status})
        return
    name, pages, language, date, tags, added, doc_id = _row(record)
    about = f"{pages} pages, language {language or 'unknown'}, of {date}, added {added}, id {doc_id}"
    put(f"{name}\n\n{about}\n{_state(status)}")
    if tags:
        put(f"Tags: {tags}")
    if record["summary"]:
        put(f"\n{record['summary']}")


def _state(status: Record) -> str:
    unread = f", {status['pages_unread']} scanned pages not read yet" if status["pages_unread"] else ""
    message = f". {status['message']}" if status["message"] else ""
    return f"{status['state']}: {status['chunks_done']} of {status['chunks']} passages have vectors{unread}{message}"


@click.command("tag")
@click.argument("words", metavar="DOC...", nargs=-1, required=True, shell_complete=document_names)
@click.option("--add", "added", metavar="TAG", multiple=True, help="File them under this tag; may be repeated.")
@click.option("--remove", "removed", metavar="TAG", multiple=True, help="Take this tag off; may be repeated.")
@as_json
@with_service
def tag(
    service: Service, words: tuple[str, ...], added: tuple[str, ...], removed: tuple[str, ...], as_json: bool
) -> None:
    """Change what documents are filed under. DOC is a name or an id."""
    gone = {name.casefold() for name in removed}
    changed = []
    for record in [document(service, word) for word in words]:
        tags = [*(name for name in record["tags"] if name.casefold() not in gone), *added]
        changed.append(service.call("PATCH", f"/v1/api/documents/{record['doc_id']}", body={"tags": tags}))
    if as_json:
        put_json(changed)
        return
    for record in changed:
        say(f"{record['name']}: {', '.join(record['tags']) or 'no tags'}.")


@click.command("rm")
@click.argument("words", metavar="DOC...", nargs=-1, required=True, shell_complete=document_names)
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@as_json
@with_service
def remove(service: Service, words: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Delete documents, and everything made from them. DOC is a name or an id."""
    records = list({record["doc_id"]: record for record in (document(service, word) for word in words)}.values())
    if not yes:
        for record in records:
            say(f"{record['name']}  ({record['doc_id']})")
        if not sys.stdin.isatty():
            raise click.UsageError("Nobody can be asked here: --yes deletes without asking.")
        click.confirm(
            f"Delete {'it' if len(records) == 1 else f'these {len(records)} documents'} for good?", abort=True, err=True
        )
    for record in records:
        service.call("DELETE", f"/v1/api/documents/{record['doc_id']}")
        if not as_json:
            say(f"Deleted {record['name']}.")
    if as_json:
        put_json([{"doc_id": record["doc_id"], "name": record["name"]} for record in records])
