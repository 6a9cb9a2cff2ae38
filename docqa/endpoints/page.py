"""What needs no key: the page for people, and the server's health for programs."""

from importlib.resources import files

from starlette.responses import HTMLResponse, Response

from docqa import __version__, records
from docqa.queries import work_rows
from docqa.requests import Endpoint, Given
from docqa.services import Services

TAG = "Server"


async def show_page(services: Services, account: int, given: Given) -> Response:
    html = files("docqa.endpoints").joinpath("page.html").read_text(encoding="utf-8")
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'"
    return HTMLResponse(html, headers={"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"})


async def show_health(services: Services, account: int, given: Given) -> records.Health:
    async with services.db.read() as conn:
        indexing = await work_rows.indexing(conn)
    embedding = services.embedder.state if services.embedder else "none: full-text search only"
    local = {name: model.state for name, model in services.local_models.items()}
    return records.Health("ok", __version__, indexing, embedding, local, services.notes)


PAGE = Endpoint(path="/", handler=show_page, summary="The page for people", answers="text/html", tag=TAG, needs_key=False)
HEALTH = Endpoint(
    path="/healthz", handler=show_health, summary="Whether the server is well, and what can be used", answers=records.Health, tag=TAG, needs_key=False
)
