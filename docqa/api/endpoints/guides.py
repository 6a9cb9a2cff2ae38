"""The guides at `/help`, which need no key: whoever looks for one has none yet."""

import asyncio
from functools import cache
from importlib.resources import files

from starlette.responses import Response

from docqa.api.endpoint import Endpoint, Given
from docqa.api.endpoints.page import FRESH, TAG, shown
from docqa.errors import NotFound
from docqa.help import guides
from docqa.services import Services


async def list_guides(services: Services, account: int, given: Given) -> Response:
    """All guides, each with what it is about."""
    return await asyncio.to_thread(_page, "", "Help")


async def show_guide(services: Services, account: int, given: Given) -> Response:
    """A guide. Raises NotFound."""
    name = given.path["guide"]
    if name not in guides.NAMES:
        raise NotFound("There is no such guide; /help lists them")
    return await asyncio.to_thread(_page, name, guides.title(name))


async def show_picture(services: Services, account: int, given: Given) -> Response:
    """A picture of a guide. Raises NotFound."""
    name = given.path["name"]
    picture = guides.pictures().get(name)
    if picture is None:
        raise NotFound("No guide has such a picture")
    return Response(picture, media_type="image/svg+xml" if name.endswith(".svg") else "image/png", headers=FRESH)


def _page(name: str, title: str) -> Response:
    text = guides.body(name) if name else guides.contents()
    return shown(
        _frame().replace("{title}", title, 1).replace("{guides}", guides.links(name), 1).replace("{text}", text, 1)
    )


@cache
def _frame() -> str:
    return files("docqa.page").joinpath("help.html").read_text(encoding="utf-8")


LIST = Endpoint(
    path="/help", handler=list_guides, summary="The guides for people", answers="text/html", tag=TAG, needs_key=False
)
READ = Endpoint(
    path="/help/{guide}",
    handler=show_guide,
    summary="One guide",
    answers="text/html",
    tag=TAG,
    needs_key=False,
    errors=(NotFound,),
)
PICTURE = Endpoint(
    path="/help/pictures/{name}",
    handler=show_picture,
    summary="A picture of a guide",
    answers="image/png",
    tag=TAG,
    needs_key=False,
    errors=(NotFound,),
)
