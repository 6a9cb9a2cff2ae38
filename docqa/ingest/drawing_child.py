"""The child's side of drawing a page: it imports nothing that reading a file needs, for somebody waits to see it."""

import importlib

from docqa.formats.drawn.painting import DRAWERS, picture
from docqa.ingest.tasks import serve_tasks
from docqa.workers.loop import Answers, Header


def main() -> None:
    """Serve requests until the parent closes the pipe or kills the process. What draws is imported before there is a
    request: the child may have been started early."""
    for drawer in DRAWERS.values():
        importlib.import_module(drawer)
    serve_tasks({"draw": _draw})


def _draw(request: Header, data: bytes) -> Answers:
    about = {
        name: request[name]
        for name in ("page_number", "width", "passages", "quotes", "recognises", "languages", "hint")
    }
    drawn = picture(data, **about)
    yield {"marked": drawn.marked, "top": drawn.top}, drawn.png
