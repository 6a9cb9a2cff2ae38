"""The server and the command line start without the training code."""

import subprocess
import sys

import pytest

from docqa import ROOT


@pytest.mark.parametrize("module", ["docqa.api.app", "docqa.cli.main", "docqa.cli.serve"])
def test_importing_the_server_imports_no_training_module(module: str) -> None:
    code = f"import sys, {module}; print([name for name in sys.modules if name.startswith('docqa.training')])"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert process.stdout.strip() == "[]"
