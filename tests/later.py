"""Libraries that a test's file names and imports at its first use, and tests that need some.

Each process of pytest imports all files of tests, and runs some of them: torch alone took two seconds of both.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest


class Later:
    """A module, imported when something of it is wanted. Without its package the tests of the file are skipped."""

    def __init__(self, name: str) -> None:
        package = name.partition(".")[0]
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed", allow_module_level=True)
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):  # pytest looks for such on whatever a file of tests names
            raise AttributeError(attribute)
        return getattr(import_module(self._name), attribute)


def needs(*packages: str) -> pytest.MarkDecorator:
    """The mark of tests that are skipped where one of these packages is not installed. None of them is imported."""
    missing = [package for package in packages if find_spec(package) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)}: not installed")
