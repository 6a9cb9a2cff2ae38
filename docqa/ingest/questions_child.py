"""The child's side of making questions about a document."""

import json
from dataclasses import asdict

from docqa.ingest.made_questions import choose, make_questions
from docqa.ingest.tasks import serve_tasks
from docqa.languages import CODES
from docqa.store.chunks import StoredChunk
from docqa.workers.loop import Answers, Header


def main() -> None:
    """Serve requests until the parent closes the pipe or kills the process."""
    serve_tasks({"questions": _questions})


def _questions(request: Header, data: bytes) -> Answers:
    """None in a language of which we know nothing: English questions about its words would be no questions."""
    chunks = [StoredChunk(*values) for values in json.loads(data)]
    made = make_questions(chunks, request["language"]) if request["language"] in CODES else []
    chosen = [asdict(question) for question in choose(made, request["count"])]
    yield {}, json.dumps(chosen, ensure_ascii=False).encode("utf-8", "replace")
