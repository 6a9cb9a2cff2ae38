"""`python run.py bundle DIR` gathers a folder that installs itself without a network, or says why it cannot."""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from docqa import ROOT
from docqa.catalog.catalog import Catalog
from docqa.setup.bundle import BundleFailed, bundle
from docqa.setup.checksums import check_bundle, machine
from docqa.setup.packages import Installer
from venvs import make_venv

PROJECT = """
[project]
dependencies = ["tinypack==1.0"]
[project.optional-dependencies]
embedding = ["tinysentence==1.0"]
torch = ["torch==0.0"]
local = ["tinyllama-built==1.0"]
test = ["no-such-test-tool==1.0"]
"""
WEIGHTS = b"GGUF and more"
CATALOG = f"""
[[model]]
name = "tiny"
kind = "gguf"
licence = "MIT"
languages = []
path = "/no/such/tiny.gguf"
[[model.file]]
path = "tiny.gguf"
size = {len(WEIGHTS)}
sha256 = "{hashlib.sha256(WEIGHTS).hexdigest()}"
"""


def make_wheel(folder: Path, name: str, version: str = "1.0") -> None:
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", "")
        wheel.writestr(
            f"{name}-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        wheel.writestr(
            f"{name}-{version}.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        wheel.writestr(f"{name}-{version}.dist-info/RECORD", "")


def make_index(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only packages that pip can reach: wheels for every group but the test tools. PyTorch is installed here."""
    folder.mkdir()
    for name in ("tinypack", "tinysentence", "tinyllama_built"):
        make_wheel(folder, name)
    make_wheel(folder, "torch", "0.0+cpu")
    monkeypatch.setattr("docqa.setup.bundle.is_installed", lambda package: package == "sentence-transformers")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("CMAKE_ARGS", "")  # `bundle` does not override it
    return folder


def make_checkout(root: Path) -> Installer:
    """A checkout with the real installer, a command line that prints its arguments, and one model."""
    shutil.copytree(ROOT / "docqa", root / "docqa", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("tests", "models", "data"):
        (root / name).mkdir()
    for name in ("run.py", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, root)
    (root / "docqa" / "cli" / "main.py").write_text(
        "import sys, tinypack\ndef main(arguments, background):\n    print('served', arguments, sys.prefix)\n    return 7\n"
    )
    (root / "pyproject.toml").write_text(PROJECT)
    (root / "data" / "docqa.sqlite").write_text("private")
    (root / "provider-keys.toml").write_text("private")
    (root / "models" / "catalog.toml").write_text(CATALOG)
    (root / "models" / "tiny.gguf").write_bytes(WEIGHTS)
    (root / "models" / "downloads").mkdir()
    (root / "models" / "downloads" / "half.part").touch()
    installer = Installer(root)
    make_venv(installer)
    return installer


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return make_index(tmp_path / "index", monkeypatch)


@pytest.fixture
def installer(tmp_path: Path, index: Path) -> Installer:
    return make_checkout(tmp_path / "checkout")


@pytest.fixture(scope="module")
def gathered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A complete bundle, made once, and what was said meanwhile."""
    folder = tmp_path_factory.mktemp("gathered")
    with pytest.MonkeyPatch.context() as monkeypatch:
        make_index(folder / "index", monkeypatch)
        output = make(make_checkout(folder / "checkout"), folder / "bundle")
    return folder / "bundle", output


@pytest.fixture
def whole(gathered: tuple[Path, list[str]], tmp_path: Path) -> Path:
    """A copy of the bundle, to be installed, changed or damaged."""
    return Path(shutil.copytree(gathered[0], tmp_path / "bundle", copy_function=shutil.copy2))


def make(installer: Installer, target: Path) -> list[str]:
    output: list[str] = []
    bundle(installer, Catalog.load(installer.root / "models"), target, output.append)
    return output


def start(folder: Path) -> subprocess.CompletedProcess[str]:
    """A first start in a folder, with pip configured for an index that is not reachable."""
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder.parent / "home"),
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "DOCQA_EMBEDDER": "none",
    }
    return subprocess.run(
        [sys.executable, "run.py", "serve", "--wait"],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_bundle_holds_what_it_needs_and_nothing_private(gathered: tuple[Path, list[str]]) -> None:
    target, output = gathered
    assert f"{target} is complete" in output[-1]
    assert [line for line in output if "the tests cannot run" in line], "a group that could not be gathered is named"
    assert {path.name.partition("-")[0] for path in (target / "wheels").iterdir()} == {
        "tinypack",
        "torch",
        "tinysentence",
        "tinyllama_built",
    }
    assert not {path.name for path in target.rglob("*")} & {
        "docqa.sqlite",
        "provider-keys.toml",
        "half.part",
        ".venv",
        "__pycache__",
    }


def test_a_bundle_installs_itself_from_its_own_wheels(whole: Path) -> None:
    started = start(whole)
    assert started.returncode == 7, started.stdout + started.stderr
    assert f"served ['serve', '--wait'] {whole / '.venv'}" in started.stdout
    installed = {path.stem for path in (whole / ".venv").glob("lib/*/site-packages/*.py")}
    assert {"tinypack", "tinysentence", "tinyllama_built"} <= installed
    assert "torch" not in installed, "it is there for whoever wants it"


def test_the_checksums_are_those_of_every_file(whole: Path) -> None:
    first, *lines = (whole / "checksums.txt").read_text().splitlines()
    assert first == f"# {machine()}"
    digests = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    assert digests["models/tiny.gguf"] == hashlib.sha256(WEIGHTS).hexdigest()
    assert set(digests) == {path.relative_to(whole).as_posix() for path in whole.rglob("*") if path.is_file()} - {
        "checksums.txt"
    }


def test_an_interrupted_bundle_is_resumed_and_not_taken_for_complete(
    installer: Installer, index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "bundle"
    with monkeypatch.context() as patch:
        patch.setattr(Installer, "_local", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            make(installer, target)
    assert "making it was interrupted" in start(target).stderr
    for wheel in index.glob("t*.whl"):
        if "llama" not in wheel.name:
            wheel.unlink()  # gathered wheels are not fetched again
    output = make(installer, target)
    assert "The wheels of the group embedding are there." in output
    assert f"{target} is complete" in output[-1]
    check_bundle(target)  # which the start refused


def test_what_is_installed_on_request_is_carried_only_where_it_is_here(
    installer: Installer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docqa.setup.bundle._resolves", lambda *_: True)  # as if all wheels were there

    def groups(folder: str) -> list[str]:
        gathered = [line for line in make(installer, tmp_path / folder) if line.startswith("The wheels of the group")]
        return [line.split()[5] for line in gathered]

    assert groups("with") == ["base", "embedding", "local", "torch", "test"]
    monkeypatch.setattr("docqa.setup.bundle.is_installed", lambda _: False)
    assert groups("without") == ["base", "embedding", "local", "test"]


def test_a_second_run_copies_what_changed(installer: Installer, whole: Path) -> None:
    (installer.root / "docqa" / "new.py").write_text('"""New."""\n')
    (installer.root / "docqa" / "answering" / "mentions.py").unlink()
    make(installer, whole)
    assert (whole / "docqa" / "new.py").exists()
    assert not (whole / "docqa" / "answering" / "mentions.py").exists()


def test_a_file_damaged_in_transit_is_named(whole: Path) -> None:
    (whole / "models" / "tiny.gguf").write_bytes(WEIGHTS[::-1])
    (whole / "README.md").write_text("my own notes")
    started = start(whole)
    assert started.returncode == 1
    assert "differ from those that were bundled: models/tiny.gguf. Copy them again." in started.stderr


def test_a_bundle_for_another_machine_is_refused(whole: Path) -> None:
    checksums = whole / "checksums.txt"
    checksums.write_text(checksums.read_text().replace(machine(), "win32 AMD64 CPython 3.99"))
    assert f"made for win32 AMD64 CPython 3.99, this is {machine()}" in start(whole).stderr


def test_without_the_base_packages_there_is_no_bundle(installer: Installer, index: Path, tmp_path: Path) -> None:
    (index / "tinypack-1.0-py3-none-any.whl").unlink()
    with pytest.raises(BundleFailed, match="The next try resumes"):
        make(installer, tmp_path / "bundle")


def test_a_damaged_model_is_not_bundled(installer: Installer, tmp_path: Path) -> None:
    (installer.root / "models" / "tiny.gguf").write_bytes(WEIGHTS[::-1])
    with pytest.raises(BundleFailed, match=r"tiny is damaged \(tiny\.gguf\)"):
        make(installer, tmp_path / "bundle")


def test_an_unusable_target_is_refused(installer: Installer, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").touch()
    for folder, reason in (
        (tmp_path / "mine", "something else"),
        (tmp_path / "mine" / "letter.txt", "a file"),
        (installer.root / "out", "to be bundled"),
    ):
        with pytest.raises(BundleFailed, match=reason):
            make(installer, folder)


def test_offline_nothing_is_gathered(installer: Installer, tmp_path: Path) -> None:
    installer.offline = True
    with pytest.raises(BundleFailed, match="DOCQA_OFFLINE"):
        make(installer, tmp_path / "bundle")
