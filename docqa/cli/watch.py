"""`watch`: the documents are kept as a folder is."""

import time
from pathlib import Path

import click

from docqa.cli.client.ledger import Ledger
from docqa.cli.client.mirror import Mirror
from docqa.cli.client.service import Refused, Service, Unreachable
from docqa.cli.options import absolute, as_json, with_service
from docqa.cli.terminal import put, put_json, say
from docqa.errors import NotFound


@click.command()
@click.argument("folder", metavar="DIR", callback=absolute)
@click.option("--kb", "bases", is_flag=True, help="Each folder right below DIR is a knowledge base of its name.")
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@click.option("--once", is_flag=True, help="Look once, and end.")
@click.option(
    "--every", metavar="SECONDS", type=click.FloatRange(min=0.1), default=5.0, show_default=True, help="Between looks."
)
@as_json
@with_service
def watch(service: Service, folder: Path, bases: bool, dry_run: bool, once: bool, every: float, as_json: bool) -> None:
    """Keep the documents as DIR is, until Ctrl-C: add what comes, replace what changes, delete what goes.

    Files are known by their content: what is renamed stays. Only what this command has added is ever deleted, and it
    remembers that between two starts. --json is for --dry-run."""
    if not folder.is_dir():
        raise NotFound(f"There is no folder {folder}.")
    ledger = Ledger.load(service.memory, folder)
    mirror = Mirror(service, folder, ledger, bases=bases, say=say)
    if dry_run:
        changes = list(mirror.changes())
        if as_json:
            put_json(
                [
                    {"action": change.action, "path": change.path, "kb": change.entry and change.entry.base}
                    for change in changes
                ]
            )
        else:
            for change in changes:
                put(f"would {change.action} {change.path}")
        return
    with ledger.alone():
        if not once:
            say(f"Watching {folder}; Ctrl-C ends it.")
        while True:
            try:
                mirror.follow()
            except (Refused, Unreachable) as error:
                if once:
                    raise
                say(f"{error} The next look tries again.")
            if once:
                return
            time.sleep(every)
