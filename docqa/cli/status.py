"""`status` and `log`: what runs, and what it has said."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from docqa.cli.client.service import Service
from docqa.cli.options import as_json, with_data, with_running_service
from docqa.cli.terminal import put, put_json
from docqa.errors import NotFound
from docqa.settings import Settings

LINE_BYTES = 400  # about, of a line of the log
PAUSE = 0.5  # seconds between two looks for new lines


@click.command()
@as_json
@with_running_service
def status(service: Service, as_json: bool) -> None:
    """Show what runs, what can be used and what is missing. Exits with 1 if no server runs."""
    health = service.call("GET", "/healthz")
    models = service.call("GET", "/v1/api/models")
    first = service.call("GET", "/v1/api/documents", page_size=1)["total_pages"]
    bases = service.call("GET", "/v1/api/knowledge", page_size=1)["total_pages"]
    if as_json:
        put_json({"url": service.url, "documents": first, "knowledge_bases": bases, "models": models, **health})
        return
    put(f"DocQA {health['version']} at {service.url}")
    put(f"{first} documents, {bases} knowledge bases; background work on {health['indexing']}")
    put(f"search: {health['embedding']}")
    put(f"answers: {', '.join(_model(model) for model in models)}")
    put(f"text recognition: {', '.join(health['ocr']) or 'none'}")
    for step in health["installing"]:
        put(f"{step['what']}: {step['state']} {step['percent']} %. {step['message']}")
    for sentence in filter(None, [*health["notes"], health["proposal"]]):
        put(f"- {sentence}")


def _model(model: dict[str, Any]) -> str:
    return f"{model['name']} ({model['model_provider_name']})"


@click.command()
@click.option("-n", "count", type=click.IntRange(min=1), default=50, show_default=True, help="Lines.")
@click.option("-f", "--follow", is_flag=True, help="Go on with what comes.")
@click.option("--installation", is_flag=True, help="What pip and the compiler said, instead.")
@with_data
def log(settings: Settings, count: int, follow: bool, installation: bool) -> None:
    """Show the last lines of what the server has logged."""
    file = settings.data / "install.log" if installation else settings.log_file
    if not file.is_file():
        raise NotFound(f"There is no {file}: no server has logged anything there yet.")
    for line in _last(file, count):
        put(line)
    if follow:
        for line in _coming(file):
            put(line)


def _last(file: Path, count: int) -> list[str]:
    with file.open("rb") as opened:
        size = opened.seek(0, 2)
        opened.seek(max(0, size - count * LINE_BYTES))
        return opened.read().decode("utf-8", "replace").splitlines()[-count:]


def _coming(file: Path) -> Iterator[str]:
    """Lines as they are written, also after the file has begun anew."""
    opened = file.open(encoding="utf-8", errors="replace")
    opened.seek(0, 2)
    try:
        while True:
            if line := opened.readline():
                yield line.rstrip("\n")
                continue
            if file.is_file() and file.stat().st_size < opened.tell():
                opened.close()
                opened = file.open(encoding="utf-8", errors="replace")
            time.sleep(PAUSE)
    finally:
        opened.close()
