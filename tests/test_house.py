"""The house keeps its shape: layers, one home for each foreign library, sizes, and documents that say what the code does."""

import ast
import importlib
import re
import subprocess
import sys
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

from docqa.app import ENDPOINTS
from docqa.extract import SUFFIXES
from docqa.settings import HERE, Settings, environment_name

PACKAGE = HERE / "docqa"
README = (HERE / "README.md").read_text(encoding="utf-8")

# A module imports only from the lines above its own; a folder is one room, its `__init__` the first thing in it.
LAYERS = """
errors
loopback settings provider_keys records rules text language question_words phrases overview_phrases asking table_phrases glossary named_pages worker turns lock entries gguf machine hub
process
bm25 word_frequency declarations chunking named_documents followup compound summary scope prompts facts child catalog cells targets
packages namespace watch reader
db extract fetch download embedding providers table_plan table_words
queries local_models table_questions verifier
services table_shapes weighing training
ingest search citation auth tables places digest
spans
relevance
background agent overview
answer
requests
endpoints
openapi
app
evaluation guard rehearsal
doctor bundle models_command
cli
install
"""
LEVEL = {name: number for number, line in enumerate(LAYERS.split("\n")) for name in line.split()}

# Each foreign library ends in one file, or in one room where it is what the room is about.
HOMES = {
    "pymupdf": {"extract/pdf.py"},
    "pptx": {"extract/slides.py"},
    "olefile": {"extract/binary_slides.py"},
    "ebooklib": {"extract/epub.py"},
    "striprtf": {"extract/rtf.py"},
    "readability": {"extract/web.py"},
    "fasttext": {"language.py"},
    "wordfreq": {"word_frequency.py"},
    "charset_normalizer": {"extract/encoding.py"},
    "pysqlite3": {"db.py"},
    "sqlite3": {"db.py"},
    "httpx": {"fetch.py", "providers/http.py"},
    "python_multipart": {"requests.py"},
    "llama_cpp": {"providers/llama.py"},
    "sentence_transformers": {"embedding.py"},
    "torch": {
        "embedding.py",
        "reader/network.py",
        "reader/weights.py",
        "training/adapter.py",
        "training/course.py",
        "training/language_model.py",
        "training/lessons.py",
        "training/teacher.py",
        "training/tuning.py",
        "training/verifying.py",
    },
    "transformers": {"embedding.py", "reader/network.py", "training/language_model.py", "training/adapter.py", "training/verifying.py"},
    "gguf": {"training/adapter.py", "training/language_model.py"},
    "safetensors": {"reader/weights.py"},
    "huggingface_hub": {"hub.py"},
    "uvicorn": {"cli.py"},
}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@cache
def imports(path: Path) -> list[str]:
    """Full names of what a module imports, wherever in it."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def room(name: str) -> str:
    return name.removeprefix("docqa.").split(".")[0]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_climb_one_ladder(path: Path) -> None:
    mine = room(".".join(path.relative_to(HERE).with_suffix("").parts))
    if mine == "__init__":
        return
    for name in imports(path):
        if name.startswith("docqa.") and (other := room(name)) in LEVEL and other != mine:
            assert LEVEL[other] < LEVEL[mine], f"{mine} imports {other}, which is not above it"


def test_every_module_has_its_layer() -> None:
    assert {room(".".join(path.relative_to(PACKAGE).with_suffix("").parts)) for path in modules()} - {"__init__"} == set(LEVEL)


@pytest.mark.parametrize("library", HOMES)
def test_a_foreign_library_has_one_home(library: str) -> None:
    users = {str(path.relative_to(PACKAGE)) for path in modules() if any(name.split(".")[0] == library for name in imports(path))}
    assert users == HOMES[library]


def test_modules_have_a_docstring_and_a_readable_size() -> None:
    for path in modules():
        text = path.read_text(encoding="utf-8")
        assert ast.get_docstring(ast.parse(text)), f"{path} does not say what it is"
        assert text.count("\n") <= 300, f"{path} has outgrown its purpose"


def test_the_server_process_holds_no_heavy_library() -> None:
    heavy = ["torch", "sentence_transformers", "llama_cpp", "numpy", "pymupdf", "lxml", "pptx", "ebooklib", "transformers", "httpx"]
    code = f"import sys, docqa.cli; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=HERE)
    assert done.stdout.strip() == "[]"


def table(heading: str) -> list[list[str]]:
    """The rows of the first table under a heading of the README, without its head."""
    section = re.split(r"^#+ ", README.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip("| ") for cell in row] for row in rows[2:]]


def test_the_readme_lists_every_setting() -> None:
    def shown(value: object) -> str:
        return "`data/`" if value == HERE / "data" else "`models/`" if value == HERE / "models" else "none" if value in ((), "") else f"`{value}`"

    expected = [[f"`{environment_name(one.name)}`", shown(one.default), one.metadata["help"]] for one in fields(Settings)]
    assert table("Settings") == expected, "\n".join(f"| {' | '.join(row)} |" for row in expected)


def test_the_readme_lists_every_endpoint() -> None:
    expected = [[f"`{' '.join(one.methods)} {one.path}`", one.summary] for one in ENDPOINTS]
    assert table("Endpoints") == expected, "\n".join(f"| {' | '.join(row)} |" for row in expected)


def test_the_readme_lists_every_format() -> None:
    assert [row[0].strip("`") for row in table("Formats")] == [*SUFFIXES, "web page"]


def test_every_file_that_the_documents_name_is_there() -> None:
    for document in ("README.md", "CONTRIBUTING.md"):
        for name in re.findall(r"`((?:docqa|tests|models)/[\w./-]+)`", (HERE / document).read_text(encoding="utf-8")):
            assert (HERE / name).exists(), f"{document} names {name}"


@pytest.mark.parametrize("module", ["mypy", "ruff"])
def test_the_code_passes_the_checkers(module: str) -> None:
    importlib.import_module(module)
    arguments = {"mypy": ["docqa", "run.py"], "ruff": ["check", "--no-cache", "."]}[module]
    done = subprocess.run([sys.executable, "-m", module, *arguments], capture_output=True, text=True, check=False, cwd=HERE)
    assert done.returncode == 0, done.stdout + done.stderr
