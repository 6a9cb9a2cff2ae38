"""`python run.py mcp`: the documents as tools of an assistant on this machine, and the bundle that installs them.

It talks to the running server, and opens neither its database nor a model.
"""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Any

from docqa.api.mcp.served import MISSING, available
from docqa.errors import CannotStart
from docqa.settings import Settings

ANYWHERE = ("0.0.0.0", "::")


def declare(commands: Any) -> list[argparse.ArgumentParser]:
    """Add the command `mcp`; it takes the setting `--data`."""
    mcp = commands.add_parser("mcp", help="speak MCP over stdin and stdout, for an assistant on this machine")
    mcp.add_argument("--url", help="address of the running server [that of the settings]")
    mcp.add_argument("--key", help="API key [that in the data folder]")
    mcp.add_argument("--bundle", metavar="FILE.mcpb", type=Path, help="write a bundle that installs DocQA's tools")
    mcp.set_defaults(run=speak)
    return [mcp]


def speak(settings: Settings, options: argparse.Namespace) -> int:
    """Speak until stdin ends, or write the bundle; the exit code. Raises CannotStart."""
    url = (options.url or _address(settings)).rstrip("/")
    if not url.startswith(("http://", "https://")):
        raise CannotStart(f"--url must begin with http:// or https://, and {url!r} does not.")
    if options.bundle:
        from docqa.api.mcp.bundle import write_bundle

        write_bundle(options.bundle.expanduser(), url)
        print(f"{options.bundle} is written: open it with Claude Desktop, or another program that takes such bundles.")
        return 0
    if not available():
        raise CannotStart(MISSING)
    key = options.key or _key(settings)
    if sys.stdin.isatty():
        print(f"MCP for {url}: an assistant starts this and talks to it. Ctrl-D ends it.", file=sys.stderr)
    from docqa.api.mcp.protocol import over_stdio

    asyncio.run(over_stdio(url, key))
    return 0


def _address(settings: Settings) -> str:
    host = "127.0.0.1" if settings.host in ANYWHERE else settings.host
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def _key(settings: Settings) -> str:
    file = settings.data / "api-key"
    try:
        return file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise CannotStart(f"{file} cannot be read ({error.strerror}): give a key with --key.") from error
