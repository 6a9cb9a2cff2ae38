"""The command line: the server, API keys, evaluation on your own files, models, bundles."""

import argparse
import asyncio
import json
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import fields
from pathlib import Path
from typing import Any

from docqa import __version__, store
from docqa.api.auth import DEFAULT_ACCOUNT, create_key
from docqa.catalog.catalog import Catalog
from docqa.cli.data import declare as declare_data
from docqa.cli.mcp import declare as declare_mcp
from docqa.cli.models import declare as declare_models
from docqa.cli.ocr import declare as declare_ocr
from docqa.cli.reader import declare as declare_reader
from docqa.cli.serve import run
from docqa.errors import CannotStart, DocqaError
from docqa.evaluation import evaluate
from docqa.evaluation.figures import table
from docqa.models.chat.registry import DOCUMENTED_MODELS
from docqa.settings import Settings, environment_name
from docqa.setup.bundle import bundle
from docqa.setup.packages import Installer, say
from docqa.store.database import Database


def main(arguments: Sequence[str], background: Sequence[str] = ()) -> int:
    """Run one command; the exit code. `background` is what the installer is told that works while the server serves,
    nothing where nothing is to be installed."""
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in ("-h", "--help", "--version")):
        arguments = ["serve", *arguments]
    options = _parser().parse_args(arguments)
    options.background = background
    try:
        settings = Settings.read(
            os.environ, **{name: getattr(options, name, None) for name in ("host", "port", "data", "log_level")}
        )
        code: int = options.run(settings, options)
        return code
    except DocqaError as error:
        print(f"docqa: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0


def _parser() -> argparse.ArgumentParser:
    listed = "\n".join(
        f"  {environment_name(field.name):26} {field.metadata['help']} [{_shown(field.default)}]"
        for field in fields(Settings)
    )
    epilog = f"settings, from the environment:\n{listed}"
    parser = argparse.ArgumentParser(
        prog="run.py",
        description="DocQA: ask your documents.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"DocQA {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    serve = commands.add_parser("serve", help="serve the API and the page (the default)")
    serve.add_argument("--host", help="address to listen on")
    serve.add_argument("--port", help="port to listen on; 0 takes a free one")
    serve.add_argument("--log-level", help="debug, info, warning or error")
    serve.add_argument("--wait", action="store_true", help="install everything before serving, not meanwhile")
    serve.set_defaults(run=run)
    keys = _declare_keys(commands)
    _declare_eval(commands)
    data = declare_data(commands)
    declare_models(commands)
    declare_ocr(commands)
    mcp = declare_mcp(commands)
    declare_reader(commands)
    gather = commands.add_parser("bundle", help="gather what a machine without a network needs into one folder")
    gather.add_argument("folder", metavar="DIR", type=Path, help="a new folder, or that of an earlier run")
    gather.set_defaults(run=_bundle)
    # These are run by `start`, before this module is imported.
    commands.add_parser(
        "doctor", help="show what this machine and the data lack; --repair mends these, --offline proves nothing leaves"
    )
    commands.add_parser("test", help="run the tests; further words go to pytest")
    commands.add_parser("install", help="install what failed or is missing, and fetch the models")
    for command in (serve, *keys, *data, *mcp):
        command.add_argument("--data", help="folder of the SQLite file and the first API key")
    return parser


def _declare_keys(commands: Any) -> list[argparse.ArgumentParser]:
    key = commands.add_parser("key", help="add, list and revoke API keys")
    actions = key.add_subparsers(required=True, metavar="ACTION")
    add = actions.add_parser("add", help="create a key and print it, this once only")
    add.add_argument("name", metavar="NAME", help="what the key is for")
    add.add_argument(
        "--account",
        default=DEFAULT_ACCOUNT,
        help="whose documents it opens; a new name makes a new account [%(default)s]",
    )
    add.set_defaults(run=_add_key)
    list_ = actions.add_parser("list", help="list the keys, without their secrets")
    list_.set_defaults(run=_list_keys)
    revoke = actions.add_parser("revoke", help="revoke a key for good")
    revoke.add_argument("id", metavar="ID", type=int, help="as `key list` shows it")
    revoke.set_defaults(run=_revoke_key)
    return [add, list_, revoke]


def _declare_eval(commands: Any) -> None:
    ask = commands.add_parser(
        "eval", help="make questions from files, ask them, and show how many passages are found and questions answered"
    )
    ask.add_argument(
        "files", metavar="FILE", nargs="+", type=Path, help="a document in any format that can be uploaded"
    )
    ask.add_argument(
        "--questions", metavar="N", type=_count, default=40, help="how many at most, over all files [%(default)s]"
    )
    ask.add_argument("--model", metavar="NAME", default=DOCUMENTED_MODELS[0], help="which model answers [%(default)s]")
    ask.add_argument("--out", metavar="FILE.jsonl", type=Path, help="where to write each question with its result")
    ask.set_defaults(run=_evaluate)


def _count(raw: str) -> int:
    if not raw.isdecimal() or int(raw) < 1:
        raise argparse.ArgumentTypeError("must be an integer of at least 1")
    return int(raw)


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or "none"
    return str(value)


async def _open(settings: Settings, stack: AsyncExitStack) -> Database:
    db = await Database.open(settings.database)
    stack.push_async_callback(db.close)
    return db


def _add_key(settings: Settings, options: argparse.Namespace) -> int:
    async def add() -> tuple[int, str]:
        async with AsyncExitStack() as stack:
            db = await _open(settings, stack)
            async with db.write() as conn:
                return await create_key(conn, options.account, options.name)

    id_, key = asyncio.run(add())
    print(f"Key {id_} ({options.name}) of the account {options.account}, shown only this once:", file=sys.stderr)
    print(key)
    return 0


def _list_keys(settings: Settings, options: argparse.Namespace) -> int:
    async def find() -> list[store.accounts.Key]:
        async with AsyncExitStack() as stack:
            db = await _open(settings, stack)
            async with db.read() as conn:
                return await store.accounts.keys(conn)

    for key in asyncio.run(find()):
        state = f"revoked {key.revoked}" if key.revoked else "valid"
        print(f"{key.id:4}  {key.account:16}  {key.name:24}  {key.created}  {state}")
    return 0


def _revoke_key(settings: Settings, options: argparse.Namespace) -> int:
    async def revoke() -> bool:
        async with AsyncExitStack() as stack:
            db = await _open(settings, stack)
            async with db.write() as conn:
                return await store.accounts.revoke_key(conn, options.id)

    if not asyncio.run(revoke()):
        print(f"There is no valid key {options.id}; `key list` shows them.", file=sys.stderr)
        return 1
    print(f"Key {options.id} is revoked.")
    return 0


def _bundle(settings: Settings, options: argparse.Namespace) -> int:
    bundle(
        Installer(offline=settings.offline), Catalog.load(settings.models), options.folder.expanduser().resolve(), say
    )
    return 0


def _evaluate(settings: Settings, options: argparse.Namespace) -> int:
    logging.basicConfig(level="ERROR", format="%(levelname)s %(name)s: %(message)s")
    try:
        if options.out:
            options.out.touch()  # before the work, which takes minutes
    except OSError as error:
        raise CannotStart(f"{options.out} cannot be written: {error.strerror}") from error
    results = asyncio.run(
        evaluate(
            settings,
            options.files,
            options.model,
            options.questions,
            lambda sentence: print(sentence, file=sys.stderr, flush=True),
        )
    )
    print(table(results))
    if options.out:
        options.out.write_text(
            "".join(json.dumps(result.as_record(), ensure_ascii=False) + "\n" for result in results), encoding="utf-8"
        )
    return 0
