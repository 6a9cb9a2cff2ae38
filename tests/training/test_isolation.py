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


def test_training_without_torch_says_which_command_installs_it() -> None:
    code = (
        "import sys; sys.modules['torch'] = None; from docqa.training.__main__ import main\n"
        "sys.exit(main(['reader', 'check', 'questions.json']))"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert process.returncode == 1
    assert process.stderr == "docqa: this needs torch, which `python run.py install torch` installs\n"
