"""`python run.py models`: list, pull, add, remove, check; GGUF headers and the limits of a machine."""

import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from docqa.catalog.catalog import SHIPPED, Catalog
from docqa.catalog.gguf import NotGguf, read_header
from docqa.catalog.machine import Machine, find_machine
from docqa.catalog.proposals import memory, propose
from docqa.cli.main import main
from docqa.help.guides import source
from hub import Hub

TEMPLATE = "{% for message in messages %}{{ message.content }}{% endfor %}"
CATALOG = """
[[model]]
name = "Small"
kind = "gguf"
licence = "MIT"
languages = []
size_mb = 1
optional = true
[model.hub]
repository = "somebody/small"
revision = "main"
pattern = "*.gguf"

[[model]]
name = "finder"
kind = "embedding"
licence = "MIT"
languages = ["ar", "de", "en", "fr", "he"]
folder = "finder"
size_mb = 1
[model.hub]
repository = "somebody/finder"
revision = "main"
"""

Run = Callable[..., tuple[int, str]]


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def gguf(template: str = TEMPLATE, weights: bytes = b"weights" * 10) -> bytes:
    """A complete GGUF file of one tensor, with metadata of every type that is encoded differently."""
    values = [
        text("general.license") + struct.pack("<I", 8) + text("apache-2.0"),
        text("tiny.context_length") + struct.pack("<II", 4, 512),
        text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b"),
        text("tokenizer.ggml.scores") + struct.pack("<IIQ2f", 9, 6, 2, 0.5, 0.25),
        text("tokenizer.ggml.add_bos_token") + struct.pack("<I?", 7, True),
        *([text("tokenizer.chat_template") + struct.pack("<I", 8) + text(template)] if template else []),
    ]
    tensor = text("output.weight") + struct.pack("<IQIQ", 1, len(weights), 24, 0)
    return b"GGUF" + struct.pack("<IQQ", 3, 1, len(values)) + b"".join(values) + tensor + weights


@pytest.fixture
def models(tmp_path: Path) -> Path:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "catalog.toml").write_text(CATALOG)
    return tmp_path / "models"


@pytest.fixture
def run(models: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("list", DOCQA_X="...")`: the exit code and the output."""

    def run(*words: str | Path, **environ: str) -> tuple[int, str]:
        with monkeypatch.context() as patch:
            for name, value in {"DOCQA_MODELS": str(models), "DOCQA_EMBEDDER": "none", **environ}.items():
                patch.setenv(name, value)
            code = main(["models", *map(str, words)])
        captured = capsys.readouterr()
        return code, captured.out + (captured.err if code else "")

    return run


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    pytest.importorskip("huggingface_hub")
    monkeypatch.setattr("docqa.cli.models.is_installed", lambda package: True)
    finder = {
        "modules.json": b'[{"path": ""}]',
        "config.json": b'{"hidden_size": 4}',
        "model.safetensors": b"vectors",
        "1_Pooling/config.json": b"{}",
    }
    with Hub({"somebody/small": {"small-Q4.gguf": gguf()}, "somebody/finder": finder}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        yield hub


# list


def test_the_list_shows_what_is_present_and_what_can_be_pulled(run: Run, models: Path) -> None:
    (models / "own.gguf").write_bytes(gguf())
    code, output = run("list", DOCQA_EMBEDDER="finder")
    assert code == 0
    rows = {line.split()[0]: " ".join(line.split()) for line in output.splitlines() if line}
    assert rows["Small"].startswith("Small answers 0.0 GB 0.8 GB many MIT can be pulled")
    assert rows["finder"].startswith("finder search 0.0 GB 0.3 GB 5 MIT can be pulled")
    assert rows["own"] == "own answers 0.0 GB 0.8 GB unknown unknown present, as OWN"


@pytest.mark.parametrize(
    ("gigabytes", "cores", "expected"),
    [
        (1, 8, ["all-MiniLM-L6-v2"]),
        (4, 2, ["multilingual-e5-small", "Qwen3.5-0.8B"]),
        (8, 4, ["multilingual-e5-small", "Qwen3.5-2B"]),
        (8, 8, ["multilingual-e5-base", "Qwen3.5-4B"]),
        (16, 8, ["multilingual-e5-base", "Qwen3.5-4B"]),
        (32, 16, ["bge-m3", "Qwen3.5-9B"]),
    ],
)
def test_proposed_models_fit_the_memory_and_the_cores(gigabytes: int, cores: int, expected: list[str]) -> None:
    catalog = Catalog.load(SHIPPED.parent)
    proposed = propose(catalog, Machine(gigabytes * 10**9, cores))
    assert [entry.name for entry in proposed] == expected
    assert all(memory(entry) <= gigabytes * 10**9 / 2 for entry in proposed)


def test_a_guide_lists_the_shipped_catalogue(run: Run) -> None:
    section = source("models").split("\n## The catalogue\n", 1)[1].split("\n## ", 1)[0]
    rows = [
        [cell.strip(" `") for cell in line.strip("|").split("|")]
        for line in section.splitlines()
        if line.startswith("| `")
    ]
    output = run("list", DOCQA_MODELS=str(SHIPPED.parent))[1]
    cores = {entry.name: str(entry.cores) for entry in Catalog.load(SHIPPED.parent).entries}
    listed = {
        cells[0]: [*cells[:4], cores[cells[0]], *cells[4:6]]
        for line in output.splitlines()
        if (cells := re.split(r"  +", line))[0] in cores
    }
    assert rows == list(listed.values())


def test_a_model_that_was_pulled_is_used_until_it_is_removed(run: Run, models: Path, hub: Hub) -> None:
    pulled = (
        CATALOG.split("[[model]]")[2].replace('"finder"', '"pulled"').replace("size_mb", "optional = true\nsize_mb")
    )
    (models / "catalog.toml").write_text(f"{CATALOG}\n[[model]]{pulled}")
    for name in ("finder", "pulled"):
        code, output = run("pull", name, DOCQA_EMBEDDER="auto")
        assert code == 0 and "searches with it from its next start on" in output

    def in_use() -> list[str]:
        lines = run("list", DOCQA_EMBEDDER="auto")[1].splitlines()
        return [line.split()[0] for line in lines if "in use" in line]

    assert in_use() == ["pulled"]
    assert run("remove", "pulled", DOCQA_EMBEDDER="auto")[0] == 0
    assert in_use() == ["finder"]
    code, output = run("remove", "finder", DOCQA_EMBEDDER="auto")
    assert code == 1 and "finder is the model that the server searches with" in output


def test_nothing_is_proposed_where_the_memory_is_unknown() -> None:
    assert propose(Catalog.load(SHIPPED.parent), Machine(0, 8)) == []


# pull


def test_a_pulled_model_is_present_and_can_be_checked(run: Run, models: Path, hub: Hub) -> None:
    code, output = run("pull", "small")
    assert code == 0
    assert output.endswith("Small is ready, MIT. The server offers it as SMALL.\n")
    assert Catalog.load(models).local_models() == {"SMALL": models / "small-Q4.gguf"}
    assert run("check") == (0, "Small: verified.\n")
    assert run("pull", "Small")[1].startswith("Small is already present")
    assert run("pull", "FINDER")[1].endswith("Start the server with DOCQA_EMBEDDER=finder to search with it.\n")


def test_of_a_model_of_another_kind_it_is_said_what_it_needs(
    run: Run, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docqa.cli.models.is_installed", lambda package: package != "sentence-transformers")
    hub.repositories["somebody/finder"]["modules.json"] = b'[{"path": "", "type": "models.Dense"}]'
    needs = "It needs sentence-transformers and PyTorch, about 1 GB, which `python run.py install torch` installs.\n"
    assert run("pull", "finder")[1].endswith(f"to search with it.\n{needs}")
    assert needs not in run("pull", "small")[1]


def test_offline_nothing_is_pulled(run: Run, hub: Hub) -> None:
    code, output = run("pull", "Small", DOCQA_OFFLINE="1")
    assert (code, output) == (1, "docqa: Small is missing, and DOCQA_OFFLINE forbids downloading it.\n")
    assert not hub.revisions


def test_an_unknown_model_is_not_pulled(run: Run) -> None:
    assert run("pull", "huge") == (1, "docqa: There is no model huge; `models list` shows the models there are\n")


def test_ctrl_c_exits_non_zero(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("docqa.cli.models.fetch", interrupted)
    assert run("pull", "Small") == (130, "\nStopped. The next try resumes.\n")


# add


def test_an_added_file_is_served_and_checked(run: Run, models: Path, tmp_path: Path) -> None:
    (tmp_path / "own-1.gguf").write_bytes(gguf())
    code, output = run("add", tmp_path / "own-1.gguf")
    assert (code, output) == (
        0,
        "own-1 is ready, licence apache-2.0. The server offers it as OWN_1.\n",
    )
    assert (tmp_path / "own-1.gguf").exists()
    assert run("add", tmp_path / "own-1.gguf")[0] == 0
    assert run("check", "own-1") == (0, "own-1: verified.\n")
    damaged = bytearray(gguf())
    damaged[-1] ^= 1
    (models / "own-1.gguf").unlink()
    (models / "own-1.gguf").write_bytes(damaged)
    code, output = run("check")
    assert code == 1
    assert "own-1: missing or damaged: own-1.gguf" in output


def test_adding_a_file_of_the_folder_records_its_checksum(run: Run, models: Path) -> None:
    (models / "own.gguf").write_bytes(gguf())
    code, output = run("check", "own")
    assert code == 0
    assert f"no known SHA-256; `models add {models / 'own.gguf'}`" in output
    assert run("add", models / "own.gguf")[0] == 0
    assert run("check", "own") == (0, "own: verified.\n")
    assert sorted(path.name for path in models.iterdir()) == ["catalog.toml", "own.gguf", "own.json"]


def test_all_parts_of_a_split_file_are_added(run: Run, models: Path, tmp_path: Path) -> None:
    first, second = (tmp_path / f"big-0000{number}-of-00002.gguf" for number in (1, 2))
    first.write_bytes(gguf())
    assert run("add", first) == (1, f"docqa: {first} is one of 2 parts, and the others are not in its folder\n")
    second.write_bytes(gguf(template=""))
    assert run("add", second)[0] == 0
    assert Catalog.load(models).local_models() == {"BIG": models / first.name}
    assert run("check", "big") == (0, "big: verified.\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"hello", "is not a GGUF file"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "GGUF version 50331648; supported are 2 and 3"),
        (gguf()[:40], "ends inside its header"),
        (gguf()[:-70], "before its last tensor begins"),
        (gguf().replace(struct.pack("<I?", 7, True), struct.pack("<I?", 77, True)), "no value type 77"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 1, 1, 1 << 60), "ends inside its header"),
        (gguf(template=""), "no chat template"),
    ],
)
def test_a_file_that_is_not_a_chat_model_is_not_added(
    run: Run, models: Path, tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / "wrong.gguf").write_bytes(content)
    code, output = run("add", tmp_path / "wrong.gguf")
    assert code == 1
    assert message in output
    assert [path.name for path in models.iterdir()] == ["catalog.toml"]


def test_a_file_does_not_replace_another_model(run: Run, models: Path, tmp_path: Path) -> None:
    (tmp_path / "own.gguf").write_bytes(gguf())
    assert run("add", tmp_path / "own.gguf")[0] == 0
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "own.gguf").write_bytes(gguf(weights=b"other"))
    assert run("add", tmp_path / "new" / "own.gguf")[1].startswith("docqa: The models folder has another own.gguf")
    (tmp_path / "-own-.gguf").write_bytes(gguf())
    assert "already called OWN" in run("add", tmp_path / "-own-.gguf")[1]
    assert run("check", "own") == (0, "own: verified.\n")


def test_a_file_named_in_the_catalogue_must_be_that_file(run: Run, models: Path, tmp_path: Path) -> None:
    known = "[[model.file]]\npath = 'small.gguf'\nsize = 5\nsha256 = '" + "0" * 64 + "'\n"
    (models / "catalog.toml").write_text(CATALOG.split("\n\n")[0] + "\n" + known)
    (tmp_path / "small.gguf").write_bytes(gguf())
    code, output = run("add", tmp_path / "small.gguf")
    assert code == 1
    assert "is not the small.gguf of the catalogue" in output
    assert [path.name for path in models.iterdir()] == ["catalog.toml"]


def test_a_disk_error_is_a_sentence(run: Run, tmp_path: Path) -> None:
    assert run("add", tmp_path / "nowhere.gguf") == (
        1,
        f"docqa: [Errno 2] No such file or directory: '{tmp_path / 'nowhere.gguf'}'\n",
    )


# remove


def test_a_removed_model_leaves_nothing_and_is_not_fetched_by_a_start(run: Run, models: Path, hub: Hub) -> None:
    for name in ("Small", "finder"):
        run("pull", name)
    assert run("remove", "finder", DOCQA_EMBEDDER="finder")[0] == 1
    code, output = run("remove", "finder")
    assert code == 0
    assert output.startswith("Removed finder, 0.0 GB: finder/")
    assert run("remove", "SMALL") == (0, "Removed Small, 0.0 GB: small-Q4.gguf.\n")
    assert sorted(
        str(path.relative_to(models)) for path in models.rglob("*") if path.is_file() and path.name != "lock"
    ) == [
        "catalog.toml",
        "downloads/finder.failed",
    ]
    assert not (models / "finder").exists()
    assert run("remove", "Small") == (1, "docqa: Small is not present.\n")
    assert run("check", "Small") == (1, "docqa: Small is not present.\n")
    run("pull", "finder")
    assert not (models / "downloads" / "finder.failed").exists()


def test_a_partial_download_is_removed_too(run: Run, models: Path, hub: Hub) -> None:
    hub.repositories["somebody/small"]["small-Q4.gguf"] = gguf(weights=b"weights" * 2_000_000)
    hub.broken_after["small-Q4.gguf"] = 11_000_000
    assert run("pull", "Small")[0] == 1
    assert any((models / "downloads" / "hub").rglob("*"))
    assert run("remove", "Small")[1].startswith("Removed Small, 0.0 GB: downloads/hub/Small/")
    assert not any((models / "downloads" / "hub").rglob("*"))


# GGUF headers and the machine


def test_the_header_of_a_real_model_is_read() -> None:
    model = SHIPPED.parent / "SmolLM2-135M-Instruct.Q4_1.gguf"
    if not model.exists():
        pytest.skip("SmolLM2 is not present")
    header = read_header(model)
    assert header.has_chat_template
    assert header.tensors == 272
    assert header.metadata["general.architecture"] == "llama"
    assert header.metadata["llama.context_length"] == 8192


def test_values_of_every_type_are_read_and_lists_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_bytes(gguf())
    assert read_header(tmp_path / "a.gguf").metadata == {
        "general.license": "apache-2.0",
        "tiny.context_length": 512,
        "tokenizer.ggml.add_bos_token": True,
        "tokenizer.chat_template": TEMPLATE,
    }


def test_a_truncated_header_is_refused(tmp_path: Path) -> None:
    whole = gguf()
    for length in range(len(whole) - 70):
        (tmp_path / "a.gguf").write_bytes(whole[:length])
        with pytest.raises(NotGguf):
            read_header(tmp_path / "a.gguf")


def test_a_containers_limits_apply(tmp_path: Path) -> None:
    here = find_machine()
    assert here.memory > 1 << 28
    assert here.cores >= 1
    assert find_machine(tmp_path).memory == here.memory
    groups = tmp_path / "sys" / "fs" / "cgroup"
    groups.mkdir(parents=True)
    (groups / "memory.max").write_text("max\n")
    (groups / "cpu.max").write_text("max 100000\n")
    assert find_machine(tmp_path).memory == here.memory
    (groups / "memory.max").write_text("268435456\n")
    (groups / "cpu.max").write_text("50000 100000\n")
    assert find_machine(tmp_path) == Machine(268435456, 1)
