"""The environment of child processes."""

import os
from collections.abc import Mapping

from docqa import child_path
from docqa.catalog.keys import without_keys
from docqa.workers.loop import PARENT


def child_environment(own: Mapping[str, str]) -> dict[str, str]:
    """The environment of a child: this process's without the provider keys, and `own`."""
    for_python = {"PYTHONPATH": child_path(), "PYTHONUTF8": "1", PARENT: str(os.getpid())}
    return {**without_keys(os.environ), **for_python, **own}
