"""`python run.py models`: what is here and can be had, got, taken, deleted and checked; and what a GGUF file and a machine tell."""

import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from docqa.catalog.catalog import SHIPPED, Catalog
from docqa.catalog.gguf import NotGguf, read_header
from docqa.catalog.machine import Machine, find_machine
from docqa.cli.main import main
from docqa.cli.models import memory, propose
from hub import Hub

README = SHIPPED.parent.parent / "README.md"
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
    """A whole GGUF file of one tensor, with a value of every sort that has a shape of its own."""
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
    """`run("list", DOCQA_X="...")`: the exit code and what was said."""

    def run(*words: str | Path, **environ: str) -> tuple[int, str]:
        with monkeypatch.context() as patch:
            for name, value in {"DOCQA_MODELS": str(models), "DOCQA_EMBEDDER": "none", **environ}.items():
                patch.setenv(name, value)
            code = main(["models", *map(str, words)])
        said = capsys.readouterr()
        return code, said.out + (said.err if code else "")

    return run


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    pytest.importorskip("huggingface_hub")
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


def test_the_list_says_what_is_here_and_what_can_be_had(run: Run, models: Path) -> None:
    (models / "own.gguf").write_bytes(gguf())
    code, said = run("list", DOCQA_EMBEDDER="finder")
    assert code == 0
    rows = {line.split()[0]: " ".join(line.split()) for line in said.splitlines() if line}
    assert rows["Small"].startswith("Small answers 0.0 GB 0.8 GB many MIT can be pulled")
    assert rows["finder"].startswith("finder search 0.0 GB 0.6 GB 5 MIT can be pulled")
    assert rows["own"] == "own answers 0.0 GB 0.8 GB unknown unknown here, as OWN"


@pytest.mark.parametrize(
    ("gigabytes", "cores", "expected"),
    [
        (1, 8, []),
        (4, 2, ["multilingual-e5-small", "Qwen3-0.6B"]),
        (8, 4, ["multilingual-e5-small", "Qwen3-1.7B"]),
        (8, 8, ["multilingual-e5-base", "Qwen3-4B"]),
        (16, 8, ["multilingual-e5-base", "Qwen3-4B"]),
        (32, 16, ["bge-m3", "Qwen3-8B"]),
    ],
)
def test_what_is_proposed_fits_the_memory_and_the_cores(gigabytes: int, cores: int, expected: list[str]) -> None:
    catalog = Catalog.load(SHIPPED.parent)
    proposed = propose(catalog, Machine(gigabytes * 10**9, cores))
    assert [entry.name for entry in proposed] == expected
    assert all(memory(entry) <= gigabytes * 10**9 / 2 for entry in proposed)


def test_the_readme_lists_the_shipped_catalogue(run: Run) -> None:
    section = README.read_text("utf-8").split("\n## Models\n", 1)[1].split("\n## ", 1)[0]
    rows = [
        [cell.strip(" `") for cell in line.strip("|").split("|")]
        for line in section.splitlines()
        if line.startswith("| `")
    ]
    said = run("list", DOCQA_MODELS=str(SHIPPED.parent))[1]
    cores = {entry.name: str(entry.cores) for entry in Catalog.load(SHIPPED.parent).entries}
    listed = {
        cells[0]: [*cells[:4], cores[cells[0]], *cells[4:6]]
        for line in said.splitlines()
        if (cells := re.split(r"  +", line))[0] in cores
    }
    assert rows == list(listed.values())


def test_nothing_is_proposed_where_the_memory_is_unknown() -> None:
    assert propose(Catalog.load(SHIPPED.parent), Machine(0, 8)) == []


# pull


def test_a_pulled_model_is_here_and_can_be_checked(run: Run, models: Path, hub: Hub) -> None:
    code, said = run("pull", "small")
    assert code == 0
    assert said.endswith("Small is here, MIT. The server serves it as SMALL from its next start.\n")
    assert Catalog.load(models).local_models() == {"SMALL": models / "small-Q4.gguf"}
    assert run("check") == (0, "Small: every byte is right.\n")
    assert run("pull", "Small")[1].startswith("Small is here already")
    assert run("pull", "FINDER")[1].endswith("Start the server with DOCQA_EMBEDDER=finder to search with it.\n")


def test_offline_nothing_is_pulled(run: Run, hub: Hub) -> None:
    code, said = run("pull", "Small", DOCQA_OFFLINE="1")
    assert (code, said) == (1, "docqa: Small is not here, and DOCQA_OFFLINE forbids to download it.\n")
    assert not hub.revisions


def test_a_model_that_nobody_knows_is_not_pulled(run: Run) -> None:
    assert run("pull", "huge") == (1, "docqa: There is no model huge; `models list` shows those there are\n")


def test_ctrl_c_is_not_a_success(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("docqa.cli.models.fetch", interrupted)
    assert run("pull", "Small") == (130, "\nStopped. The next try goes on from here.\n")


# add


def test_an_added_file_is_served_and_checked(run: Run, models: Path, tmp_path: Path) -> None:
    (tmp_path / "own-1.gguf").write_bytes(gguf())
    code, said = run("add", tmp_path / "own-1.gguf")
    assert (code, said) == (
        0,
        "own-1 is here, licence apache-2.0. The server serves it as OWN_1 from its next start.\n",
    )
    assert (tmp_path / "own-1.gguf").exists()
    assert run("add", tmp_path / "own-1.gguf")[0] == 0
    assert run("check", "own-1") == (0, "own-1: every byte is right.\n")
    damaged = bytearray(gguf())
    damaged[-1] ^= 1
    (models / "own-1.gguf").unlink()
    (models / "own-1.gguf").write_bytes(damaged)
    code, said = run("check")
    assert code == 1
    assert "own-1: missing or damaged: own-1.gguf" in said


def test_a_file_that_lies_in_the_folder_gets_its_checksum_noted(run: Run, models: Path) -> None:
    (models / "own.gguf").write_bytes(gguf())
    code, said = run("check", "own")
    assert code == 0
    assert f"no SHA-256 to compare with; `models add {models / 'own.gguf'}`" in said
    assert run("add", models / "own.gguf")[0] == 0
    assert run("check", "own") == (0, "own: every byte is right.\n")
    assert sorted(path.name for path in models.iterdir()) == ["catalog.toml", "own.gguf", "own.json"]


def test_all_parts_of_a_split_file_are_added(run: Run, models: Path, tmp_path: Path) -> None:
    first, second = (tmp_path / f"big-0000{number}-of-00002.gguf" for number in (1, 2))
    first.write_bytes(gguf())
    assert run("add", first) == (1, f"docqa: {first} is one of 2 files, and the others are not beside it\n")
    second.write_bytes(gguf(template=""))
    assert run("add", second)[0] == 0
    assert Catalog.load(models).local_models() == {"BIG": models / first.name}
    assert run("check", "big") == (0, "big: every byte is right.\n")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"hello", "is not a GGUF file"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "GGUF of version 50331648, known are 2 and 3"),
        (gguf()[:40], "ends in the middle of its header"),
        (gguf()[:-70], "before its last tensor begins"),
        (gguf().replace(struct.pack("<I?", 7, True), struct.pack("<I?", 77, True)), "no kind 77 of values"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 1, 1, 1 << 60), "ends in the middle of its header"),
        (gguf(template=""), "no chat template"),
    ],
)
def test_what_is_no_model_for_conversations_is_not_added(
    run: Run, models: Path, tmp_path: Path, content: bytes, said: str
) -> None:
    (tmp_path / "wrong.gguf").write_bytes(content)
    code, told = run("add", tmp_path / "wrong.gguf")
    assert code == 1
    assert said in told
    assert [path.name for path in models.iterdir()] == ["catalog.toml"]


def test_a_file_takes_no_other_models_place(run: Run, models: Path, tmp_path: Path) -> None:
    (tmp_path / "own.gguf").write_bytes(gguf())
    assert run("add", tmp_path / "own.gguf")[0] == 0
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "own.gguf").write_bytes(gguf(weights=b"other"))
    assert run("add", tmp_path / "new" / "own.gguf")[1].startswith(
        "docqa: There is another own.gguf in the models folder"
    )
    (tmp_path / "-own-.gguf").write_bytes(gguf())
    assert "served as OWN already" in run("add", tmp_path / "-own-.gguf")[1]
    assert run("check", "own") == (0, "own: every byte is right.\n")


def test_a_file_that_the_catalogue_knows_must_be_that_file(run: Run, models: Path, tmp_path: Path) -> None:
    known = "[[model.file]]\npath = 'small.gguf'\nsize = 5\nsha256 = '" + "0" * 64 + "'\n"
    (models / "catalog.toml").write_text(CATALOG.split("\n\n")[0] + "\n" + known)
    (tmp_path / "small.gguf").write_bytes(gguf())
    code, said = run("add", tmp_path / "small.gguf")
    assert code == 1
    assert "is not the small.gguf that the catalogue knows" in said
    assert [path.name for path in models.iterdir()] == ["catalog.toml"]


def test_what_the_disk_refuses_is_a_sentence(run: Run, tmp_path: Path) -> None:
    assert run("add", tmp_path / "nowhere.gguf") == (
        1,
        f"docqa: [Errno 2] No such file or directory: '{tmp_path / 'nowhere.gguf'}'\n",
    )


# remove


def test_a_removed_model_leaves_nothing_and_is_not_fetched_by_itself(run: Run, models: Path, hub: Hub) -> None:
    for name in ("Small", "finder"):
        run("pull", name)
    assert run("remove", "finder", DOCQA_EMBEDDER="finder")[0] == 1
    code, said = run("remove", "finder")
    assert code == 0
    assert said.startswith("Removed finder, 0.0 GB: finder/")
    assert run("remove", "SMALL") == (0, "Removed Small, 0.0 GB: small-Q4.gguf.\n")
    assert sorted(
        str(path.relative_to(models)) for path in models.rglob("*") if path.is_file() and path.name != "lock"
    ) == [
        "catalog.toml",
        "downloads/finder.failed",
    ]
    assert not (models / "finder").exists()
    assert run("remove", "Small") == (1, "docqa: Small is not here.\n")
    assert run("check", "Small") == (1, "docqa: Small is not here.\n")
    run("pull", "finder")
    assert not (models / "downloads" / "finder.failed").exists()


def test_what_an_interrupted_download_left_is_removed_too(run: Run, models: Path, hub: Hub) -> None:
    hub.repositories["somebody/small"]["small-Q4.gguf"] = gguf(weights=b"weights" * 2_000_000)
    hub.broken_after["small-Q4.gguf"] = 11_000_000
    assert run("pull", "Small")[0] == 1
    assert any((models / "downloads" / "hub").rglob("*"))
    assert run("remove", "Small")[1].startswith("Removed Small, 0.0 GB: downloads/hub/Small/")
    assert not any((models / "downloads" / "hub").rglob("*"))


# What a file and a machine tell


def test_the_header_of_a_real_model_is_read() -> None:
    model = SHIPPED.parent / "SmolLM2-135M-Instruct.Q4_1.gguf"
    if not model.exists():
        pytest.skip("SmolLM2 is not here")
    header = read_header(model)
    assert header.has_chat_template
    assert header.tensors == 272
    assert header.metadata["general.architecture"] == "llama"
    assert header.metadata["llama.context_length"] == 8192


def test_values_of_every_kind_are_read_and_lists_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_bytes(gguf())
    assert read_header(tmp_path / "a.gguf").metadata == {
        "general.license": "apache-2.0",
        "tiny.context_length": 512,
        "tokenizer.ggml.add_bos_token": True,
        "tokenizer.chat_template": TEMPLATE,
    }


def test_no_shortened_header_is_taken_for_whole(tmp_path: Path) -> None:
    whole = gguf()
    for length in range(len(whole) - 70):
        (tmp_path / "a.gguf").write_bytes(whole[:length])
        with pytest.raises(NotGguf):
            read_header(tmp_path / "a.gguf")


def test_a_containers_limits_are_the_machines(tmp_path: Path) -> None:
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
