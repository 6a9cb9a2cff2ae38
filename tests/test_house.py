"""The house keeps its shape: layers, one home for each foreign library, sizes, and documents that say what the code
does."""

import ast
import importlib
import re
import subprocess
import sys
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

from docqa import ROOT
from docqa.api.app import ENDPOINTS
from docqa.cli.group import Listed
from docqa.cli.main import SECTIONS
from docqa.formats.names import SUFFIXES
from docqa.help.guides import NAMES, source
from docqa.ingest.bytecode import reading_modules
from docqa.models.nursery import IMPORTED
from docqa.settings import Settings, environment_name
from sharing import FIRST, TOGETHER

PACKAGE = ROOT / "docqa"
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
# The rooms of the house from top to bottom, as CONTRIBUTING draws them: a package imports only from those below it, and
# from the root's modules.
TREE = re.findall(r"^  (\w+)(/|\.py) +\S", CONTRIBUTING.split("```\ndocqa/\n")[1].split("```")[0], re.MULTILINE)
LEVEL = {name: number for number, (name, _) in enumerate(TREE)}

# Each foreign library ends in one file, or in one room where it is what the room is about.
HOMES = {
    "pymupdf": {
        "formats/pdf/canvas.py",
        "formats/pdf/document.py",
        "formats/pdf/drawing.py",
        "formats/pdf/opening.py",
        "formats/pdf/paths.py",
        "formats/pdf/recorded.py",
        "formats/pictures/engine.py",
    },
    "PIL": {"formats/pictures/decode.py"},
    "rapidocr": {"formats/pictures/rapid.py"},
    "pptx": {"formats/slides/pptx.py"},
    "olefile": {"formats/compound.py"},
    "python_calamine": {"formats/sheets/binary.py"},
    "ebooklib": {"formats/markup/epub.py"},
    "striprtf": {"formats/rtf/reading.py"},
    "readability": {"formats/markup/web.py"},
    "markdown_it": {"formats/markup/markdown.py", "help/guides.py"},  # what strangers wrote, and what we did
    "fasttext": {"text/detect.py"},
    "msgpack": {"text/frequency.py"},
    "text_to_num": {"text/values.py"},
    "charset_normalizer": {"formats/plain/encoding.py"},
    "aiosqlite": {"store/database.py", "store/readers.py"},
    "pysqlite3": {"store/database.py"},
    "sqlite3": {"store/database.py"},
    "turbovec": {"store/vector_index.py"},
    "httpx": {"api/mcp/rest.py", "cli/client/service.py", "ingest/fetch.py", "models/chat/http.py"},
    "mcp": {"api/mcp/protocol.py"},
    "mcp_types": {"api/mcp/protocol.py"},
    "python_multipart": {"api/multipart.py"},
    "llama_cpp": {"models/chat/llama.py"},
    "openvino": {"models/engine.py"},
    "sentence_transformers": {"models/sentence_encoder.py"},
    "tokenizers": {"models/tokens.py", "models/unigram.py"},
    "torch": {
        "training/reader/batch.py",
        "training/reader/encoder.py",
        "training/reader/losses.py",
        "training/reader/low_rank.py",
        "training/reader/network.py",
        "training/reader/prepared.py",
        "training/reader/refine.py",
        "training/reader/run.py",
        "training/reader/teacher.py",
        "training/reader/train.py",
        "training/reader/table_losses.py",
        "training/reader/tuning.py",
        "training/reader/weights.py",
    },
    "transformers": {"models/sentence_encoder.py"},
    "safetensors": {"training/reader/encoder.py", "training/reader/weights.py"},
    "huggingface_hub": {"catalog/hub.py"},
    "uvicorn": {"cli/web_server.py", "cli/connection.py"},
    "txtai": {"cli/peers/their_side.py"},
    "llama_index": {"cli/peers/their_side.py"},
    "pypdf": {"cli/peers/their_side.py"},
    "chromadb": {"cli/peers/their_side.py"},
    "click": {"cli/"},
    "rich": {"cli/terminal.py"},
}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@cache
def imports(path: Path) -> list[str]:
    """Full names of what a module imports, wherever in it."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def room(name: str) -> str:
    return name.removeprefix("docqa.").split(".")[0]


def test_a_package_imports_only_from_packages_below_it() -> None:
    for path in modules():
        mine = room(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for name in imports(path) if mine != "__init__" else ():
            if name.startswith("docqa.") and (other := room(name)) in LEVEL and other != mine:
                assert LEVEL[other] > LEVEL[mine], f"{path}: {other} is not below {mine}"


def test_contributing_draws_the_packages_that_there_are() -> None:
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    assert {name for name, kind in TREE if kind == "/"} == packages
    assert {name for name, kind in TREE if kind == ".py"} == modules


def test_the_folders_of_the_tests_mirror_the_packages() -> None:
    packages = {name for name, kind in TREE if kind == "/"}
    folders = {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}
    assert folders == packages


@pytest.mark.parametrize("library", HOMES)
def test_a_foreign_library_has_one_home(library: str) -> None:
    rooms = tuple(home for home in HOMES[library] if home.endswith("/"))
    users = {
        next((home for home in rooms if name.startswith(home)), name)
        for path in modules()
        if (name := str(path.relative_to(PACKAGE)))
        and any(imported.split(".")[0] == library for imported in imports(path))
    }
    assert users == HOMES[library]


@pytest.mark.parametrize("kind", ["ingest", "models"])
def test_the_processes_of_readers_and_models_import_nothing_that_only_the_server_needs(kind: str) -> None:
    modules = {"ingest": ["docqa.ingest.nursery", *reading_modules()], "models": ["docqa.models.nursery", *IMPORTED]}[
        kind
    ]
    code = "import importlib, sys; list(map(importlib.import_module, sys.argv[1:])); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code, *modules], cwd=ROOT, check=True, capture_output=True, text=True)
    servers = {"asyncio", "aiosqlite", "sqlite3", "pysqlite3", "httpx", "docqa.store.database", "docqa.workers.process"}
    assert servers & set(run.stdout.split()) == set()


def test_nothing_waits_by_what_swallows_a_cancellation() -> None:
    """`asyncio.wait_for` does, until Python 3.12, where what it waits for comes at that moment: the server then never
    stopped. `asyncio.timeout` does not."""
    assert [path for path in modules() if "asyncio.wait_for" in path.read_text(encoding="utf-8")] == []


def test_modules_have_a_docstring_and_a_readable_size() -> None:
    for path in modules():
        text = path.read_text(encoding="utf-8")
        assert ast.get_docstring(ast.parse(text)), f"{path} does not say what it is"
        assert text.count("\n") <= 300, f"{path} has outgrown its purpose"


def definitions(node: ast.AST) -> list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """The public functions, methods and classes of a module; what a Protocol asks for is described by the Protocol."""
    public = []
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and inner.name[0] != "_":
            public.append(inner)
            if isinstance(inner, ast.ClassDef) and "Protocol" not in map(ast.unparse, inner.bases):
                public += definitions(inner)
    return public


def test_what_is_public_says_what_it_takes_and_gives() -> None:
    for path in modules():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert [inner.name for inner in definitions(tree) if not ast.get_docstring(inner)] == [], path


def test_names_say_what_they_hold() -> None:
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for path in [*modules(), *sorted((ROOT / "tests").rglob("*.py"))]:
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        names |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        defined = {node.name for node in nodes if isinstance(node, definitions)}
        names |= {name.strip("_").lower() for name in defined}
        assert names.isdisjoint({"one", "found", "asked", "told"}), path


# Who else than docqa/questions has to do with the words of a question: for whom it is text, not what it means.
QUESTION_TEXT = {
    "answering/prompts.py": "a model is given the question as it was sent",
    "answering/prompt_layout.py": "a prompt is known again by the messages it was made of",
    "answering/reading.py": "the reader reads it",
    "answering/verifying.py": "the verifier reads it",
    "search/search.py": "the embedder encodes it",
    "tables/counting/answer.py": "which of its words name columns and values, only the table knows",
    "tables/lookups/parts.py": "which of its words name rows and columns, only the tables know",
}
# Parsers of docqa/questions are used behind it on texts of documents, and beside them.
PARSERS = {
    "answering/picks.py": {"docqa.questions.wording"},  # sentences: whether they point back
    # Sentences: their content, and whether they point back; what was found tells a slip of the keyboard.
    "answering/gather.py": {"docqa.questions.spelling", "docqa.questions.wording"},
    "answering/stated.py": {"docqa.questions.wording"},  # units: the same
    "answering/sections.py": {"docqa.questions.named"},  # headings: which chapter one names
}


def behind_questions() -> list[Path]:
    """The modules that get a question understood: those of the service that know its record."""
    rooms = {"questions", "evaluation", "training"}  # the last two have questions of their own
    return [
        path
        for path in modules()
        if path.relative_to(PACKAGE).parts[0] not in rooms
        and any(name.startswith("docqa.questions.") for name in imports(path))
    ]


def is_question(node: ast.expr) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name in {"question", "part"}


def test_behind_understand_the_record_is_read_and_not_the_text() -> None:
    readers = {
        str(path.relative_to(PACKAGE))
        for path in behind_questions()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr in {"text", "searched", "stand_alone", "as_read"}
        and is_question(node.value)
    }
    assert readers == set(QUESTION_TEXT)


def test_behind_understand_no_question_is_parsed() -> None:
    records = {f"docqa.questions.{name}" for name in ("question", "kind_opinion", "understand")}
    parsers = {
        str(path.relative_to(PACKAGE)): used
        for path in behind_questions()
        if (
            used := {name.rpartition(".")[0] for name in imports(path) if name.startswith("docqa.questions.")} - records
        )
    }
    assert parsers == PARSERS


def test_the_server_process_holds_no_heavy_library() -> None:
    heavy = [
        "openvino",
        "torch",
        "sentence_transformers",
        "llama_cpp",
        "numpy",
        "pymupdf",
        "lxml",
        "pptx",
        "PIL",
        "ebooklib",
        "transformers",
        "httpx",
        "pydantic",
        "mcp",
    ]
    code = f"import sys, docqa.cli.serve; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def table(guide: str, heading: str) -> list[list[str]]:
    """The rows of the first table under a heading of a guide, without its head."""
    section = re.split(r"^#+ ", source(guide).split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in section.splitlines() if line.startswith("|")
    ]
    return [[cell.strip("| ") for cell in row] for row in rows[2:]]


def test_a_guide_lists_every_setting() -> None:
    def shown(value: object) -> str:
        return (
            "`data/`"
            if value == ROOT / "data"
            else "`models/`"
            if value == ROOT / "models"
            else "none"
            if value in ((), "")
            else f"`{','.join(map(str, value))}`"
            if isinstance(value, tuple)
            else f"`{value}`"
        )

    expected = [
        [f"`{environment_name(setting.name)}`", shown(setting.default), setting.metadata["help"]]
        for setting in fields(Settings)
    ]
    assert table("settings", "Settings") == expected, "\n".join(f"| {' | '.join(row)} |" for row in expected)


def test_a_guide_lists_every_endpoint() -> None:
    expected = [[f"`{' '.join(endpoint.methods)} {endpoint.path}`", endpoint.summary] for endpoint in ENDPOINTS]
    assert table("api", "Endpoints") == expected, "\n".join(f"| {' | '.join(row)} |" for row in expected)


def test_a_guide_lists_every_command() -> None:
    expected = [[f"`{command.name}`", command.does] for section in SECTIONS.values() for command in section]
    assert table("commands", "Commands") == expected, "\n".join(f"| {' | '.join(row)} |" for row in expected)


@pytest.mark.parametrize("command", [command for section in SECTIONS.values() for command in section], ids=str)
def test_every_command_is_where_the_list_says_and_has_help(command: Listed) -> None:
    assert command.load().name == command.name
    assert command.load().help


def test_a_guide_lists_every_format() -> None:
    assert re.findall(r"`(\.\w+)`", " ".join(row[0] for row in table("formats", "Formats"))) == list(SUFFIXES)


def test_every_file_that_the_documents_name_is_there() -> None:
    guides = (f"docqa/help/{name}.md" for name in NAMES)
    for document in ("README.md", "CONTRIBUTING.md", "SECURITY.md", *guides):
        for name in re.findall(r"`((?:docqa|tests|models)/[\w./@-]+)`", (ROOT / document).read_text(encoding="utf-8")):
            assert (ROOT / name).exists(), f"{document} names {name}"


def test_the_tests_that_share_a_process_or_are_begun_first_are_there() -> None:
    named = {path for paths in TOGETHER.values() for path in paths} | {*FIRST} - TOGETHER.keys()
    assert {path for path in named if not (ROOT / path).exists()} == set()


@pytest.mark.parametrize("module", ["mypy", "ruff"])
def test_the_code_passes_the_checkers(module: str) -> None:
    importlib.import_module(module)
    arguments = {"mypy": ["docqa", "run.py"], "ruff": ["check", "--no-cache", "."]}[module]
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
