"""What confined children import lies there compiled: they could not keep it themselves."""

import subprocess
import sys
from pathlib import Path

import pytest

from conftest import FILES
from docqa import ROOT
from docqa.ingest.bytecode import COMMAND, environment

UNCOMPILED = """
import sys
before = set(sys.modules)
from pathlib import Path
import docqa.ingest.child, docqa.ingest.drawing_child
from docqa.formats import reading
for path in sys.argv[1:]:
    reading.read_whole(Path(path).read_bytes(), path)
modules = [sys.modules[name] for name in sys.modules.keys() - before]
cached = [module.__cached__ for module in modules if getattr(module, "__cached__", None)]
# Python's own modules are compiled where it is installed.
print([path for path in cached if ("docqa" in path or "site-packages" in path) and not Path(path).exists()])
"""


def test_a_reader_finds_all_that_it_imports_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path))
    subprocess.run(COMMAND, env=environment(), cwd=ROOT, check=True)
    read = [sys.executable, "-c", UNCOMPILED, str(FILES / "report.pdf")]
    done = subprocess.run(read, cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
