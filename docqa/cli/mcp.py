"""`python run.py mcp`: the documents as tools of an assistant on this machine, and the bundle that installs them.

It talks to the running server, and opens neither its database nor a model.
"""

import asyncio
import sys
from pathlib import Path

import click

from docqa.api.mcp.served import MISSING, available
from docqa.cli.client import check_is_here
from docqa.cli.options import absolute, with_data
from docqa.cli.presence import running, url_of
from docqa.errors import CannotStart
from docqa.settings import Settings


@click.command
@click.option(
    "--url", envvar="DOCQA_URL", help="Address of the server. [that of the one on the data folder, or of the settings]"
)
@click.option("--key", envvar="DOCQA_KEY", help="API key. [that in the data folder]")
@click.option("--bundle", metavar="FILE.mcpb", callback=absolute, help="Write a bundle that installs DocQA's tools.")
@with_data
def mcp(settings: Settings, url: str | None, key: str | None, bundle: Path | None) -> None:
    """Speak MCP over stdin and stdout until stdin ends, for an assistant that starts this; or write the bundle."""
    url = (url or running(settings.data) or url_of(settings.host, settings.port)).rstrip("/")
    if not url.startswith(("http://", "https://")):
        raise CannotStart(f"--url must begin with http:// or https://, and {url!r} does not.")
    if bundle:
        from docqa.api.mcp.bundle import write_bundle

        write_bundle(bundle, url)
        print(f"{bundle} is written: open it with Claude Desktop, or another program that takes such bundles.")
        return
    if not available():
        raise CannotStart(MISSING)
    key = key or _key(settings, url)
    if sys.stdin.isatty():
        print(f"MCP for {url}: an assistant starts this and talks to it. Ctrl-D ends it.", file=sys.stderr)
    from docqa.api.mcp.protocol import over_stdio

    asyncio.run(over_stdio(url, key))


def _key(settings: Settings, url: str) -> str:
    check_is_here(settings, url)
    file = settings.key_file
    try:
        return file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise CannotStart(f"{file} cannot be read ({error.strerror}): give a key with --key.") from error
