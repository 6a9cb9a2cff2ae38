"""What needs no key: the page for people, and the server's health for programs."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files

from starlette.responses import HTMLResponse, Response

from docqa import __version__, records, store
from docqa.api import declarations as given_by
from docqa.api.endpoint import Endpoint, Given
from docqa.errors import NotFound, Unauthorized
from docqa.formats.names import SUFFIXES
from docqa.formats.pictures.data import languages as recognition_languages
from docqa.services import Services
from docqa.text.words import TERMS_VERSION

TAG = "Server"
_TYPES = {"js": "text/javascript", "css": "text/css", "json": "application/json"}
FRESH = {"Cache-Control": "no-cache"}  # the parts of one version belong together
# Pictures are pages of documents, those of the guides, and the empty icon, without which browsers ask for /favicon.ico.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob: data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
_THREAD = ThreadPoolExecutor(1, "health")  # of its own: those of the loop may all be taken by questions
REBUILDING_TERMS = (
    "The full-text index is being rebuilt after an upgrade: until that is done, some words are not found."
)


async def show_page(services: Services, account: int, given: Given) -> Response:
    """The web page, under a policy that lets nothing run in it but its own scripts, and nothing load from elsewhere."""
    return shown(_file("index.html").decode().replace("{suffixes}", ",".join(SUFFIXES)))


async def show_reference(services: Services, account: int, given: Given) -> Response:
    """The API's reference, which a script makes of /openapi.json."""
    return shown(_file("docs.html").decode())


def shown(html: str) -> Response:
    """A page, under that policy."""
    return HTMLResponse(html, headers={"Content-Security-Policy": _POLICY, "Referrer-Policy": "no-referrer", **FRESH})


async def show_part(services: Services, account: int, given: Given) -> Response:
    """A script, a style or a list of words of the page. Raises NotFound."""
    path = f"{given.path['folder']}/{given.path['name']}"
    if path not in _parts():
        raise NotFound("The page has no such part")
    return Response(_file(path), media_type=_TYPES[path.rpartition(".")[2]], headers=FRESH)


@cache
def _parts() -> frozenset[str]:
    """What `index.html` loads, by its path in `docqa/page`."""
    folders = [folder for folder in files("docqa.page").iterdir() if folder.is_dir()]
    paths = [f"{folder.name}/{part.name}" for folder in folders for part in folder.iterdir()]
    return frozenset(path for path in paths if path.rpartition(".")[2] in _TYPES)


@cache
def _file(path: str) -> bytes:
    return files("docqa.page").joinpath(path).read_bytes()


async def sign_in(services: Services, account: int, given: Given) -> records.SignedIn:
    """The API key that the link of the server's start stands for, once. Raises Unauthorized."""
    return records.SignedIn(await asyncio.to_thread(services.ticket.redeem, given.body["ticket"]))


async def show_health(services: Services, account: int, given: Given) -> records.Health:
    """Whether the server works, and with what."""
    # What looks at files leaves the loop: beside busy threads each look costs it a wait for its turn. So does each
    # answer, and all of it is asked at once.
    looked = asyncio.get_running_loop().run_in_executor(_THREAD, lambda: (services.proposal(), recognition_languages()))
    indexing, is_current, (proposal, recognised) = await asyncio.gather(
        services.db.glances.look(store.jobs.indexing),
        services.db.glances.look(lambda conn: store.terms.is_current(conn, TERMS_VERSION)),
        looked,
    )
    encoders = services.encoders
    embedding = encoders.embedder.state if encoders.embedder else "none: full-text search only"
    verifier = encoders.verifier.state if encoders.verifier else "none: answers are checked by the reader only"
    local = {name: model.state for name, model in services.chat_models.local.by_name().items()}
    installing = [
        records.InstallStep(step.what, step.state, int(100 * step.share), step.message)
        for step in services.installing()
    ]
    notes = [*services.notes(), *([] if is_current else [REBUILDING_TERMS])]
    return records.Health(
        "ok", __version__, indexing, embedding, verifier, local, recognised, notes, installing, proposal
    )


PAGE = Endpoint(
    path="/", handler=show_page, summary="The page for people", answers="text/html", tag=TAG, needs_key=False
)
REFERENCE = Endpoint(
    path="/docs",
    handler=show_reference,
    summary="The reference of the API for people, where it can be tried",
    answers="text/html",
    tag=TAG,
    needs_key=False,
)
PART = Endpoint(
    path="/page/{folder}/{name}",
    handler=show_part,
    summary="A script, style or list of words of the page",
    answers=tuple(_TYPES.values()),
    tag=TAG,
    needs_key=False,
    errors=(NotFound,),
)
SIGN_IN = Endpoint(
    path="/signin",
    methods=("POST",),
    handler=sign_in,
    summary="The API key for the ticket in the link that the server shows at its start; a ticket is good once",
    answers=records.SignedIn,
    tag=TAG,
    body=given_by.SIGN_IN_BODY,
    needs_key=False,
    errors=(Unauthorized,),
)
HEALTH = Endpoint(
    path="/healthz",
    handler=show_health,
    summary="Whether the server is well, and what can be used",
    answers=records.Health,
    tag=TAG,
    needs_key=False,
)
