"""`add`: files, folders, archives and links become documents."""

from contextlib import closing
from dataclasses import asdict

import click

from docqa.cli.client.bases import put_into
from docqa.cli.client.items import items_of
from docqa.cli.client.sending import ADDED, PRESENT, REFUSED, Outcome, Sending, wait_until_ready
from docqa.cli.client.service import Service
from docqa.cli.options import as_json, with_service
from docqa.cli.terminal import bars, put_json, put_table, say


@click.command()
@click.argument("words", metavar="FILE|DIR|ZIP|URL|-...", nargs=-1, required=True)
@click.option("--kb", metavar="NAME", help="Put them into this knowledge base, which is made if there is none.")
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="File them under this tag; may be repeated.")
@click.option("--name", default="stdin", show_default=True, help="What to call standard input (-).")
@click.option("--wait", is_flag=True, help="Wait until vectors, scanned pages and summaries are done.")
@as_json
@with_service
def add(
    service: Service,
    words: tuple[str, ...],
    kb: str | None,
    tags: tuple[str, ...],
    name: str,
    wait: bool,
    as_json: bool,
) -> int:
    """Add files, all documents of folders and ZIP archives, links, or standard input (-).

    What is there already, byte for byte, is not stored again: after Ctrl-C, the same command goes on. Exits with 1 if
    something was refused."""
    items = items_of(words, name)
    outcomes: list[Outcome] = []
    known = {record["doc_id"] for record in service.documents()}
    with bars() as shown:
        try:
            with closing(Sending(service, known, shown, tags).send(items)) as coming:
                for outcome in coming:
                    outcomes.append(outcome)
                    if outcome.result == REFUSED:
                        shown.say(f"refused: {outcome.path}: {outcome.reason}")
        finally:
            ids = [outcome.doc_id for outcome in outcomes if outcome.doc_id]
            if kb and ids:
                put_into(service, kb, ids)
            _report(outcomes, len(items), as_json)
        if wait or service.own:
            shown.say("Waiting for the background work; after Ctrl-C, the next server goes on with it.")
            wait_until_ready(service, ids, shown)
    return int(any(outcome.result == REFUSED for outcome in outcomes))


def _report(outcomes: list[Outcome], wanted: int, as_json: bool) -> None:
    if as_json:
        put_json([asdict(outcome) for outcome in outcomes])
    else:
        put_table(
            ("", "NAME", "ID"),
            [(outcome.result, outcome.name, outcome.doc_id) for outcome in outcomes if outcome.doc_id],
        )
    counts = {result: sum(outcome.result == result for outcome in outcomes) for result in (ADDED, PRESENT, REFUSED)}
    words = {ADDED: "added", PRESENT: "there already", REFUSED: "refused"}
    said = ", ".join(f"{count} {words[result]}" for result, count in counts.items() if count)
    left = wanted - len(outcomes)
    more = f", {left} left: the same command goes on" if left else ""
    say(f"{said or 'nothing to add'}{more}.")
