"""What needs no key: the page for people, and the server's health for programs."""

import asyncio
import base64
import hashlib
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files

from starlette.responses import HTMLResponse, Response

from docqa import __version__, records, store
from docqa.api.endpoint import Endpoint, Given
from docqa.formats.names import SUFFIXES
from docqa.formats.pictures.data import languages as recognition_languages
from docqa.services import Services
from docqa.text.words import TERMS_VERSION

TAG = "Server"
_THREAD = ThreadPoolExecutor(1, "health")  # of its own: those of the loop may all be taken by questions
REBUILDING_TERMS = (
    "The full-text index is being rebuilt after an upgrade: until that is done, some words are not found."
)


async def show_page(services: Services, account: int, given: Given) -> Response:
    """The web page, under a policy that lets nothing but its own script run."""
    html, policy = _page()
    return HTMLResponse(html, headers={"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"})


@cache
def _page() -> tuple[str, str]:
    """The page, and the policy under which nothing runs in it but its own script and style, and nothing is loaded from
    elsewhere."""
    html = files("docqa.api.endpoints").joinpath("page.html").read_text(encoding="utf-8")
    html = html.replace("{suffixes}", ",".join(SUFFIXES))
    rules = [
        "default-src 'none'",
        f"script-src {_hash_of('script', html)}",
        f"style-src {_hash_of('style', html)}",
        "connect-src 'self'",
        "img-src data:",  # the empty icon, without which browsers ask for /favicon.ico
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    ]
    return html, "; ".join(rules)


def _hash_of(tag: str, html: str) -> str:
    content = html.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


async def show_health(services: Services, account: int, given: Given) -> records.Health:
    """Whether the server works, and with what."""
    # What looks at files leaves the loop: beside busy threads each look costs it a wait for its turn. So does each
    # answer, and all of it is asked at once.
    looked = asyncio.get_running_loop().run_in_executor(_THREAD, lambda: (services.proposal(), recognition_languages()))
    indexing, is_current, (proposal, recognised) = await asyncio.gather(
        store.jobs.indexing(services.db.glances), store.terms.is_current(services.db.glances, TERMS_VERSION), looked
    )
    embedding = services.encoders.embedder.state if services.encoders.embedder else "none: full-text search only"
    local = {name: model.state for name, model in services.chat_models.local.by_name().items()}
    installing = [
        records.InstallStep(step.what, step.state, int(100 * step.share), step.message)
        for step in services.installing()
    ]
    notes = [*services.notes(), *([] if is_current else [REBUILDING_TERMS])]
    return records.Health("ok", __version__, indexing, embedding, local, recognised, notes, installing, proposal)


PAGE = Endpoint(
    path="/", handler=show_page, summary="The page for people", answers="text/html", tag=TAG, needs_key=False
)
HEALTH = Endpoint(
    path="/healthz",
    handler=show_health,
    summary="Whether the server is well, and what can be used",
    answers=records.Health,
    tag=TAG,
    needs_key=False,
)
