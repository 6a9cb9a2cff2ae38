"""The command line: the one list of commands, and how their errors are said."""

import sys
from collections.abc import Sequence

import click

from docqa import __version__
from docqa.cli.group import Commands, Listed
from docqa.errors import DocqaError

# To add a command, add its line.
SECTIONS = {
    "Documents and questions": [
        Listed("add", "docqa.cli.add:add", "add files, folders, ZIP archives and links"),
        Listed("ask", "docqa.cli.ask:ask", "ask documents or a knowledge base; the answer with its sources"),
        Listed("chat", "docqa.cli.ask:chat", "ask one question after the other"),
        Listed("search", "docqa.cli.ask:search", "show the passages that fit, without an answer"),
        Listed("ls", "docqa.cli.documents:list_documents", "list documents"),
        Listed("show", "docqa.cli.documents:show", "show what is known of a document, or the text of a page"),
        Listed("tag", "docqa.cli.documents:tag", "file documents under tags"),
        Listed("rm", "docqa.cli.documents:remove", "delete documents"),
        Listed("kb", "docqa.cli.kb:kb", "list, make, fill, rename, share and delete knowledge bases"),
        Listed("watch", "docqa.cli.watch:watch", "keep the documents as a folder is"),
    ],
    "The server": [
        Listed("serve", "docqa.cli.serve:serve", "serve the API and the page"),
        Listed("status", "docqa.cli.status:status", "what runs, what can be used, what is missing"),
        Listed("log", "docqa.cli.status:log", "show what the server has logged"),
        Listed("key", "docqa.cli.keys:key", "add, list and revoke API keys"),
        Listed("models", "docqa.cli.models:models", "list, pull, add, remove and check models"),
        Listed("ocr", "docqa.cli.ocr:ocr", "list and add languages of text recognition"),
        Listed("mcp", "docqa.cli.mcp:mcp", "let an assistant use the documents as tools (MCP)"),
        Listed(
            "doctor",
            "docqa.cli.doctor:doctor",
            "what machine and data lack; mends the data; proves that nothing leaves",
        ),
    ],
    "What is stored": [
        Listed(
            "backup", "docqa.cli.data:backup", "write everything that is stored to a new file, while the server runs"
        ),
        Listed("restore", "docqa.cli.data:put_back", "put a backup in the place of what is stored"),
        Listed("export", "docqa.cli.data:export", "write a knowledge base with its documents to a new file"),
        Listed("import", "docqa.cli.data:take", "add the knowledge base of an exported file"),
        Listed(
            "bench", "docqa.cli.bench:bench", "how fast it starts, reads, embeds, retrieves and answers on this machine"
        ),
        Listed("eval", "docqa.cli.evaluate:evaluate_files", "how well questions about your own files are answered"),
    ],
    "The installation": [
        Listed("completion", "docqa.cli.completion:completion", "let bash, zsh or fish complete commands and names"),
        Listed("install", "docqa.cli.checkout:install", "install what failed or is missing, and fetch the models"),
        Listed("bundle", "docqa.cli.checkout:gather", "gather what a machine without a network needs into one folder"),
        Listed("test", "docqa.cli.checkout:test", "run the tests; further words go to pytest"),
    ],
}
PROGRAM = "run.py"
STOPPED = 130  # the exit code of a command that Ctrl-C ended

docqa = Commands(
    SECTIONS,
    name="docqa",
    help="DocQA: ask your documents.",
    epilog="Without a command, `run.py` serves. `serve --help` lists every setting.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
click.version_option(__version__, message=f"DocQA {__version__}")(docqa)


def main(arguments: Sequence[str], background: Sequence[str] = (), program: str = PROGRAM) -> int:
    """Run one command; the exit code. `background` is what the installer is told that works while the server serves,
    nothing where nothing is to be installed."""
    words = list(arguments)
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help", "--version")):
        words = ["serve", *words]
    try:
        return docqa.main(words, prog_name=program, standalone_mode=False, obj=tuple(background)) or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        return STOPPED
    except DocqaError as error:
        print(f"docqa: {error}", file=sys.stderr)
        return 1


def console() -> None:
    """`docqa`, as pip installs it; without a command it shows the help."""
    sys.exit(main(sys.argv[1:] or ["--help"], program="docqa"))
