"""The child's side of drawing a page: it imports nothing that reading a file needs, for somebody waits to see it."""

from docqa.formats.drawn.painting import picture
from docqa.ingest.tasks import serve_tasks
from docqa.workers.loop import Answers, Header


def main() -> None:
    """Serve requests until the parent closes the pipe or kills the process."""
    serve_tasks({"draw": _draw})


def _draw(request: Header, data: bytes) -> Answers:
    about = {name: request[name] for name in ("page_number", "width", "passages", "quotes", "languages", "hint")}
    drawn = picture(data, **about)
    yield {"marked": drawn.marked}, drawn.png
