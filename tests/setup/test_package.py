"""DocQA as pip installs it: a command `docqa` that needs no checkout."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from docqa import ROOT
from docqa.models.measured import EIGHT_BITS
from docqa.setup.packages import import_name
from docqa.setup.requirements import requirements


def can_build() -> bool:
    """Whether pip can build the package here. To import setuptools would tell as well, but it replaces distutils."""
    try:
        return int(version("setuptools").partition(".")[0]) >= 77
    except PackageNotFoundError:
        return False


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the package, built from a copy of the source, and with the packages of this one beside it."""
    pytest.importorskip("pip")
    if not can_build():
        pytest.skip("needs setuptools 77 or newer")
    folder = tmp_path_factory.mktemp("package")
    for name in ("docqa", "models"):
        ignored = shutil.ignore_patterns("__pycache__", "*.gguf", "all-*", "multilingual-*", "downloads", EIGHT_BITS)
        shutil.copytree(ROOT / name, folder / "source" / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder / "source")
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    [packages] = environment.glob("lib/python*/site-packages")
    beside = [sysconfig.get_path("purelib"), *(path for path in sys.path if path.endswith("site-packages"))]
    (packages / "beside.pth").write_text("\n".join(dict.fromkeys(beside)))
    # What pip compiles would not be read: where these processes keep bytecode, tests/conftest.py says.
    quietly = ("install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--no-compile")
    pip = [sys.executable, "-m", "pip", "--python", environment / "bin" / "python", *quietly, folder / "source"]
    subprocess.run(pip, check=True)
    return environment


def docqa(package: Path, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DOCQA_")}
    environ = {**kept, "HOME": str(home), "DOCQA_EMBEDDER": "none", "DOCQA_VERIFIER": "off"}
    command = [str(package / "bin" / "docqa"), *words]
    return subprocess.run(command, env=environ, cwd=home, capture_output=True, text=True, check=False)


def test_documents_are_added_and_asked_in_a_folder_of_the_user(package: Path, tmp_path: Path) -> None:
    (tmp_path / "lease.txt").write_text("The monthly rent is 12,400 euros.")
    added = docqa(package, tmp_path, "add", "lease.txt")
    assert added.returncode == 0, added.stderr
    assert (tmp_path / "docqa" / "data" / "docqa.sqlite").is_file()
    answer = docqa(package, tmp_path, "ask", "How much is the monthly rent?", "--json")
    assert "12,400" in json.loads(answer.stdout)["answer"], answer.stderr


def test_it_measures_itself_without_a_checkout(package: Path, tmp_path: Path) -> None:
    done = docqa(package, tmp_path, "bench", "--quick", "--json")
    assert done.returncode == 0, done.stderr
    assert "answer in quotes" in [measure["name"] for measure in json.loads(done.stdout)["measures"]]


def test_every_file_of_the_source_comes_along(package: Path) -> None:
    [packages] = package.glob("lib/python*/site-packages")
    assert files_of(packages / "docqa") == files_of(ROOT / "docqa")


def files_of(folder: Path) -> set[str]:
    files = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {str(path) for path in files if path.parent.name != "__pycache__"}


def test_its_catalogue_and_its_requirements_come_along(package: Path, tmp_path: Path) -> None:
    assert "all-MiniLM-L6-v2" in docqa(package, tmp_path, "models", "list").stdout
    assert (package / "share" / "docqa" / "reader.safetensors").is_file()
    code = "import json, docqa; from docqa.setup.requirements import requirements; print(json.dumps(requirements(docqa.ROOT)))"
    done = subprocess.run(
        [package / "bin" / "python", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert names(json.loads(done.stdout)) == names(requirements(ROOT))


def names(groups: dict[str, list[str]]) -> dict[str, list[str]]:
    return {group: sorted(import_name(line) for line in lines) for group, lines in groups.items()}


def test_what_needs_the_source_says_so(package: Path, tmp_path: Path) -> None:
    done = docqa(package, tmp_path, "install")
    assert done.returncode == 1 and "needs DocQA's source" in done.stderr


def test_what_it_tells_to_type_can_be_typed_there(package: Path, tmp_path: Path) -> None:
    (tmp_path / "lease.txt").write_text("The monthly rent is 12,400 euros.")
    docqa(package, tmp_path, "add", "lease.txt")
    said = [
        docqa(package, tmp_path, *words).stdout
        for words in (("ocr", "list"), ("ask", "Translate this into German."), ("ask", "¿Quién firmó el contrato?"))
    ]
    assert ["docqa ocr add" in said[0], "docqa models" in said[1], "docqa models" in said[2]] == [True] * 3, said
    assert "run.py" not in " ".join(said)
