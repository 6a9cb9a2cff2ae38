"""The child's side of reading a file: answers `reader` with all that is stored of it, in frames of records, a line of
JSON each; then the files that it carries, in pieces, and last what is known of the whole."""

import json
from collections.abc import Iterator
from dataclasses import asdict, astuple

from docqa.formats import reading
from docqa.formats.page_tables import PageText
from docqa.formats.pages import Attachment
from docqa.ingest.preparation import Record, of_document, of_tables
from docqa.ingest.tasks import Task, serve_tasks
from docqa.languages import CODES
from docqa.store.chunks import StoredChunk
from docqa.workers.loop import Answers, Header

PIECE = 1 << 18  # bytes of a frame, about


def main() -> None:
    """Serve requests until the parent closes the pipe or kills the process."""
    serve_tasks(_TASKS)


def rehearse() -> None:
    """Read a text, so that what is loaded with the first one is here."""
    text = {"name": "rehearsal.txt", "media_type": "", "languages": ""}
    for _ in _read(text, b"Rehearsal\n\nThe first text takes longer than the second.\n"):
        pass


def _read(request: Header, data: bytes) -> Answers:
    document = reading.read(data, request["name"], request["media_type"], request["languages"])
    about: Header = {}
    yield from _batches(of_document(document, about))
    for attachment in document.attachments:
        yield from _pieces(attachment)
    yield about, b""


def _recognise(request: Header, data: bytes) -> Answers:
    recognise = reading.recognise_beside if request["beside"] else reading.recognise
    page = recognise(data, request["page_number"], request["languages"], request["hint"])
    yield {}, _json(astuple(page))


def _tables(_: Header, data: bytes) -> Answers:
    about: Header = {}
    yield from _batches(of_tables([PageText(*page) for page in json.loads(data)], about))
    yield about, b""


def _gist(_: Header, data: bytes) -> Answers:
    from docqa.ingest.summary import records_of  # reading a file needs nothing of it, and would start a third slower

    about: Header = {}
    yield from _batches(records_of(json.loads(data), about))
    yield about, b""


def _questions(request: Header, data: bytes) -> Answers:
    """None in a language of which we know nothing: English questions about its words would be no questions."""
    from docqa.ingest.made_questions import choose, make_questions

    chunks = [StoredChunk(*values) for values in json.loads(data)]
    made = make_questions(chunks, request["language"]) if request["language"] in CODES else []
    yield {}, _json([asdict(question) for question in choose(made, request["count"])])


_TASKS: dict[str, Task] = {
    "read": _read,
    "recognise": _recognise,
    "tables": _tables,
    "gist": _gist,
    "questions": _questions,
}


def _batches(records: Iterator[Record]) -> Answers:
    """Frames of records of one kind: a frame for each of 20,000 pages would keep the server's loop busy."""
    lines: dict[str, list[bytes]] = {}
    sizes: dict[str, int] = {}
    for kind, values in records:
        line = _json(values) + b"\n"
        lines.setdefault(kind, []).append(line)
        sizes[kind] = sizes.get(kind, 0) + len(line)
        if sizes[kind] >= PIECE:
            yield {"of": kind}, b"".join(lines.pop(kind))
            sizes[kind] = 0
    for kind, rest in lines.items():
        yield {"of": kind}, b"".join(rest)


def _pieces(file: Attachment) -> Answers:
    yield {"of": "file", "name": file.name, "media_type": file.media_type}, file.data[:PIECE]
    for start in range(PIECE, len(file.data), PIECE):
        yield {"of": "file"}, file.data[start : start + PIECE]


_ENCODER = json.JSONEncoder(ensure_ascii=False)  # which `json.dumps` would make anew for each record


def _json(value: object) -> bytes:
    return _ENCODER.encode(value).encode("utf-8", "replace")
