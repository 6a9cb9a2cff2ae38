"""The `.mcpb` bundle: an assistant's program installs it by a double click, and then talks to a running DocQA.

It holds no key: the program asks for one and keeps it as a secret. What runs is Node.js, which these programs bring.
"""

import json
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import Any

from docqa import __version__
from docqa.api.mcp.tools import tools
from docqa.errors import CannotStart

BRIDGE = "server/bridge.js"


def manifest(url: str) -> dict[str, Any]:
    """The bundle's manifest, of version 0.3; `url` is the address that is proposed."""
    return {
        "manifest_version": "0.3",
        "name": "docqa",
        "display_name": "DocQA",
        "version": __version__,
        "description": "Search, read and ask your own documents on your own DocQA server.",
        "author": {"name": "DocQA"},
        "license": "AGPL-3.0-or-later",
        "server": {
            "type": "node",
            "entry_point": BRIDGE,
            "mcp_config": {
                "command": "node",
                "args": [f"${{__dirname}}/{BRIDGE}"],
                "env": {"DOCQA_URL": "${user_config.url}", "DOCQA_KEY": "${user_config.key}"},
            },
        },
        "tools": [{"name": tool.name, "description": tool.description} for tool in tools(local_files=False).values()],
        "user_config": {
            "url": {
                "type": "string",
                "title": "Address",
                "description": "Where DocQA serves.",
                "default": url,
                "required": True,
            },
            "key": {
                "type": "string",
                "title": "API key",
                "description": "One of your keys: the first is in data/api-key.",
                "sensitive": True,
                "required": True,
            },
        },
        "compatibility": {"runtimes": {"node": ">=18.0.0"}},
    }


def write_bundle(file: Path, url: str) -> None:
    """Write the bundle. Raises CannotStart where that is impossible."""
    try:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
            bundle.writestr("manifest.json", json.dumps(manifest(url), indent=2) + "\n")
            bundle.writestr(BRIDGE, files("docqa.api.mcp").joinpath("bridge.js").read_bytes())
    except OSError as error:
        raise CannotStart(f"{file} cannot be written: {error.strerror}") from error
