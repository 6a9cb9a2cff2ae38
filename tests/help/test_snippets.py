"""What the guides and the README tell people to type works: shell, Python, and every kind of configuration."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import click
import pytest

from conftest import Server, start_server, stop_server
from docqa import ROOT
from docqa.catalog.catalog import SHIPPED, Catalog
from docqa.catalog.keys import ProviderKeys
from docqa.catalog.targets import Table
from docqa.cli.main import docqa
from docqa.help.guides import NAMES
from docqa.settings import Settings, environment_name

pytestmark = pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("bash")), reason="what people type is for curl in a POSIX shell"
)


DOCUMENTS = ("README", *NAMES)
PRELUDE = 'set -eu; curl() { command curl -sS --fail-with-body -H "x-api-key: $KEY" "$@"; }; set -x\n'


@dataclass(frozen=True)
class Snippet:
    document: str
    language: str
    code: str

    def __str__(self) -> str:
        return f"{self.document}: {self.code.splitlines()[0][:60]}"


def snippets() -> Iterator[Snippet]:
    for name in DOCUMENTS:
        path = ROOT / "README.md" if name == "README" else ROOT / "docqa" / "help" / f"{name}.md"
        for language, code in re.findall(
            r"^```(\w*)\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        ):
            yield Snippet(name, language, code)


def of(*languages: str) -> list[Snippet]:
    return [snippet for snippet in snippets() if snippet.language in languages]


# What is not run as it stands, by the words that a line begins with, and why. Such a line must be right all the same:
# of DocQA's own commands every option is parsed, of others every file of ours that they name is there.
ELSEWHERE = {
    "python run.py": "alone it serves for ever: it runs below every test of a server",
    "python run.py --wait": "downloads",
    "python run.py install": "downloads",
    "python run.py bundle": "downloads; tests/setup/test_bundle.py makes bundles",
    "python run.py models pull": "downloads; tests/cli/test_models.py pulls from a hub on loopback",
    "python run.py models add": "tests/cli/test_models.py adds a file that is a model",
    "python run.py models remove": "tests/cli/test_models.py removes what is there",
    "python run.py ocr add": "downloads; tests/cli/test_ocr_command.py adds from a package index on loopback",
    "python run.py kb take": "takes the code of another account; tests/api/test_shares.py does",
    "python run.py kb withdraw": "the same",
    "python run.py doctor": "minutes; tests/setup/test_doctor.py runs it",
    "python run.py mcp": "tests/api/test_mcp.py speaks to it and opens its bundle",
    "python run.py serve": "serves for ever",
    "python run.py test": "runs all of this",
    "docqa serve": "serves for ever",
    "docqa models pull": "downloads",
    "pip install": "tests/setup/test_package.py installs the package",
    "claude": "needs that program; tests/api/test_mcp.py speaks MCP by the command and the address",
    "git pull": "needs a repository to pull from",
    "llama-server": "needs a model of gigabytes; tests/models/test_remote.py asks llama-cpp-python's server",
    "vllm": "needs a graphics card",
    "python -m llama_cpp.server": "tests/models/test_remote.py asks it",
    "python run.py restore restored.sqlite": "tests/help/test_deployment.py restores what Litestream has copied",
    "litestream": "tests/help/test_deployment.py runs it where it is installed",
    "podman": "tests/help/test_deployment.py builds and runs the image where there is an engine",
    "sudo": "changes the system; tests/help/test_deployment.py verifies the unit",
    "cd": "leads to a folder of the system",
    "ssh": "needs another machine",
}  # fmt: skip
# What is added to a line so that it ends soon.
SOONER = {"python run.py watch": " --once", "python run.py eval": " --questions 4", "curl -N": " --max-time 60"}
# What would disturb the server of these tests works on data of its own.
APART = ("python run.py restore docqa-monday.sqlite", "python run.py doctor --repair")
REPORT = ROOT / "tests" / "files" / "report.pdf"
LEASE = "The lease of the warehouse in Bergen was signed by Kari Nordmann on 3 May 2021. It ends on 2 May 2031.\n\nThe monthly rent is 12,400 euros.\n\nThe rent is due on the third working day."
PRICES = "Month,Product,Price\n" + "".join(f"2026-{month:02},Bread,{month * 10}\n" for month in range(1, 13))


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    """A server, and the folder of a person who works with it: `run.py`, `data`, some files, and a home."""
    folder = tmp_path_factory.mktemp("desk")
    server = start_server(
        folder / "server", DOCQA_EMBEDDER="none", DOCQA_MODELS=str(SHIPPED.parent), DOCQA_VERIFIER="off"
    )
    for name, target in {"run.py": ROOT / "run.py", "data": server.data}.items():
        (folder / name).symlink_to(target)
    shutil.copy(REPORT, folder / "report.pdf")
    (folder / "prices.csv").write_text(PRICES)
    papers = folder / "home" / "papers" / "leases"
    papers.mkdir(parents=True)
    (papers / "lease.txt").write_text(LEASE)
    commands = {"python": '"$@"', "python3": '"$@"', "docqa": f'{ROOT}/run.py "$@"'}
    (folder / "bin").mkdir()
    for name, words in commands.items():
        (folder / "bin" / name).write_text(f"#!/bin/sh\nexec {sys.executable} {words}\n")
        (folder / "bin" / name).chmod(0o755)
    yield server, folder
    assert stop_server(server) == 0


def lines_of(code: str) -> list[str]:
    """The commands of a shell snippet, each in one line, without comments."""
    joined = code.replace("\\\n", " ")
    lines = (re.sub(r"(^|\s+)#\s.*", "", line) for line in joined.splitlines())
    return [line for line in lines if line.strip()]


def beginning(line: str) -> str:
    """The longest key of ELSEWHERE with whose words a line begins, settings before it apart; "" if none."""
    words = shlex.split(line)
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words = words[1:]
    fitting = [key for key in ELSEWHERE if words[: len(key.split())] == key.split()]
    longest = max(fitting, key=len, default="")
    return "" if longest == "python run.py" and words[2:] else longest


def parsed(line: str) -> None:
    """Parse one of DocQA's own commands as the command line does. Raises click.UsageError."""
    words = shlex.split(line)
    words = words[words.index("docqa") + 1 :] if "docqa" in words[:3] else words[words.index("run.py") + 1 :]
    words = ["serve", *words] if not words or words[0].startswith("--") else words
    command: click.Command = docqa
    context = None
    while isinstance(command, click.Group):
        context = click.Context(command, parent=context, info_name="docqa")
        _, inner, words = command.resolve_command(context, words)
        assert inner is not None
        command = inner
    command.make_context("docqa", list(words), parent=context)
    if command.name == "pull":
        assert Catalog.load(SHIPPED.parent).find(words[-1])


def runnable(line: str, folder: Path) -> str:
    """What is run of a line; "" where it is not run but checked here. Raises AssertionError."""
    if line.startswith("git clone REPOSITORY"):
        there = line.replace("REPOSITORY", shlex.quote(str(ROOT)))
        return f"(cd $(mktemp -d) && {there} && ls run.py)" if (ROOT / ".git").exists() else ""
    if line in APART:
        return f"DOCQA_DATA={folder}/apart {line}"
    reason = beginning(line)
    if not reason:
        return line + next((words for start, words in SOONER.items() if line.startswith(start)), "")
    if reason.startswith(("python run.py", "docqa")):
        parsed(line)
    else:
        subprocess.run(["bash", "-nc", line], check=True)
        for path in re.findall(r"(?<![\w/])(?:docqa|models|tests)/[\w./@-]+\w", line):
            assert (ROOT / path).exists(), line
    return ""


@pytest.mark.parametrize("name", dict.fromkeys(snippet.document for snippet in of("sh")))
def test_what_a_document_tells_to_type_works(name: str, desk: tuple[Server, Path]) -> None:
    server, folder = desk
    lines = [line for snippet in of("sh") if snippet.document == name for line in lines_of(snippet.code)]
    script = "\n".join(filter(None, (runnable(line, folder) for line in lines)))
    ids = prepared(server)
    script = script.replace("http://127.0.0.1:8000", server.base).replace("DOC_ID", ids["DOC"])
    script = script.replace("$DOC/pages/1.png", "$PDF/pages/1.png")  # a text is not drawn
    script = script.replace("https://example.org/report.pdf", f"{server.base}/help/api")
    done = subprocess.run(
        ["bash", "-c", PRELUDE + script], env=environment(server, folder) | ids, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


def prepared(server: Server) -> dict[str, str]:
    """What examples speak of, by the variable that holds its id: a document, a PDF, a knowledge base of both."""
    files = {"DOC": ("lease.txt", LEASE.encode()), "PDF": ("report.pdf", REPORT.read_bytes())}
    with server.client() as client:
        ids = {key: client.post("/v1/api/upload", files={"file": file}).json()["doc_id"] for key, file in files.items()}
        body = {"name": "Papers", "document_ids": list(ids.values())}
        bases = client.get("/v1/api/search/knowledge?query=papers").json()
        base = bases[0] if bases else client.post("/v1/api/knowledge", json=body).json()
    return ids | {"KB": base["knowledge_base_id"]}


def environment(server: Server, folder: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("DOCQA_")}
    own = {"HOME": str(folder / "home"), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    settings = {"DOCQA_DATA": str(server.data), "DOCQA_EMBEDDER": "none", "DOCQA_VERIFIER": "off"}
    return kept | own | settings | {"KEY": server.key, "BASE": server.base}


def test_the_answer_that_the_readme_shows_is_the_real_one(desk: tuple[Server, Path]) -> None:
    server, folder = desk
    [command] = [
        line
        for snippet in of("sh")
        for line in lines_of(snippet.code)
        if snippet.document == "README" and "run.py ask" in line
    ]
    [shown] = [snippet.code for snippet in of("text") if snippet.document == "README"]
    prepared(server)
    done = subprocess.run(
        ["bash", "-c", f"{command} 2>&1"], env=environment(server, folder), cwd=folder, capture_output=True, text=True, check=True
    )  # fmt: skip
    assert done.stdout.strip() == shown.strip()


@pytest.mark.parametrize("snippet", of("python"), ids=str)
def test_python_works(snippet: Snippet, desk: tuple[Server, Path]) -> None:
    server, folder = desk
    prepared(server)
    code = f"KEY = {server.key!r}\n{snippet.code.replace('http://127.0.0.1:8000', server.base)}"
    subprocess.run([sys.executable, "-c", code], env=environment(server, folder), cwd=folder, check=True, timeout=120)


@pytest.mark.parametrize("snippet", of("toml"), ids=str)
def test_files_of_models_and_keys_are_read(snippet: Snippet, tmp_path: Path) -> None:
    if "[models]" in snippet.code:
        (tmp_path / "models.toml").write_text(snippet.code)
        assert Table.read(tmp_path / "models.toml").targets["GPT5_2"][-1].kind == "quotes"
    else:
        (tmp_path / "provider-keys.toml").write_text(snippet.code)
        (tmp_path / "provider-keys.toml").chmod(0o600)
        assert ProviderKeys.read({}, tmp_path).of("openai") == tomllib.loads(snippet.code)["openai"]


@pytest.mark.parametrize("snippet", of("ini"), ids=str)
def test_settings_are_taken(snippet: Snippet) -> None:
    given = dict(line.split("=", 1) for line in snippet.code.splitlines())
    assert given.keys() <= {environment_name(field.name) for field in fields(Settings)}
    assert Settings.read(given) != Settings.read({})


@pytest.mark.parametrize("snippet", of("crontab"), ids=str)
def test_a_line_for_cron_works(snippet: Snippet, desk: tuple[Server, Path]) -> None:
    server, folder = desk
    *when, command = snippet.code.strip().split(" ", 5)
    assert all(re.fullmatch(r"\*|\d+", part) for part in when)
    (folder / "backup").mkdir(exist_ok=True)
    command = command.replace("\\%", "%").replace("/opt/docqa", str(folder)).replace("/backup/", f"{folder}/backup/")
    for _ in range(2):  # the next week too
        subprocess.run(["sh", "-c", command], env=environment(server, folder), check=True, timeout=60)
    assert len(list((folder / "backup").iterdir())) == 1


def test_every_snippet_is_of_a_kind_that_is_tested() -> None:
    here = {"sh", "python", "toml", "ini", "crontab"}
    elsewhere = {"caddy", "nginx", "yaml"}  # test_deployment.py
    assert {snippet.language for snippet in snippets()} - here - elsewhere == {"text"}
    assert [snippet.document for snippet in of("text")] == ["README"]
