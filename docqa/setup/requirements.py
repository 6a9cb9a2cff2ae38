"""Which packages DocQA needs, by group: from the checkout's pyproject.toml, or from what pip knows of the package.
Standard library only."""

import re
import tomllib
from importlib.metadata import requires
from pathlib import Path

BASE = "base"
_EXTRA = re.compile(r"""^(?P<line>.*?)\s*(?:;|\band)\s*extra\s*==\s*['"](?P<name>\w+)['"]$""")


def requirements(root: Path) -> dict[str, list[str]]:
    """Requirement lines by group; BASE is what nothing runs without."""
    file = root / "pyproject.toml"
    if not file.is_file():
        return _of_package(requires("docqa") or [])
    project = tomllib.loads(file.read_text("utf-8"))["project"]
    return {BASE: project["dependencies"], **project["optional-dependencies"]}


def _of_package(lines: list[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {BASE: []}
    for line in lines:
        match = _EXTRA.match(line)
        name, plain = (match["name"], match["line"]) if match else (BASE, line)
        groups.setdefault(name, []).append(plain)
    return groups
