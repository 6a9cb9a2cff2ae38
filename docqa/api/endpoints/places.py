"""The place that an answer cites: where passages stand in a document, and its pages as pictures with them marked."""

from starlette.responses import Response

from docqa import records, store
from docqa.api import declarations as given_by
from docqa.api.endpoint import Endpoint, Given
from docqa.errors import NotFound
from docqa.formats.drawn.painting import DRAWERS
from docqa.ingest.drawing import Drawing
from docqa.ingest.drawn_pages import tag_of
from docqa.search.places import places, stands_in
from docqa.services import Services
from docqa.store.documents import StoredDocument

TAG = "Documents"
MARKED = "X-DocQA-Marked"  # how many pieces of lines are marked; 0 where the passage is not on the page
MARKED_AT = "X-DocQA-Marked-At"  # the share of the picture above the first of them
NOT_MODIFIED = 304


async def read_pages(services: Services, account: int, given: Given) -> records.Pages:
    """How many pages a document has, and where passages stand in it. Raises NotFound."""
    async with services.db.read() as conn:
        document = await store.documents.stored_document(conn, account, given.path["doc_id"])
    marks = await places(services.db, document, given.query["highlight"])
    return records.Pages(document.doc_id, document.pages, document.kind in DRAWERS, marks)


async def draw_page(services: Services, account: int, given: Given) -> Response:
    """A page as a picture, with passages marked. Raises NotFound for an unknown document or page and for a kind that
    cannot be drawn, Unreadable for a page that cannot."""
    query = given.query
    async with services.db.read() as conn:
        document = await store.documents.stored_document(conn, account, given.path["doc_id"])
    number = _number(document, given.path["page_number"])
    if document.kind not in DRAWERS:
        raise NotFound(
            f"Pages of .{document.kind} documents are not drawn, only those of PDF files, slides (.pptx) and "
            f"pictures. The text of this page is at /v1/api/documents/{document.doc_id}/pages/{number}."
        )
    passages, quotes = tuple(query["highlight"]), tuple(query["quote"])
    async with services.db.read() as conn:
        text = await store.documents.page_text(conn, document.id, number)
    # Who leafs through a scan must not wait while each page is searched for what stands on another.
    recognises = any(stands_in(text, passage) for passage in (*passages, *quotes))
    request = Drawing(number, query["width"], passages, quotes, recognises, document.language if recognises else "")
    tag = tag_of(document, request)
    # A browser asks again each time, with its key: what was deleted must not be shown from its cache.
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "x-api-key"}
    if tag in given.if_none_match or given.if_none_match.strip() == "*":
        return Response(status_code=NOT_MODIFIED, headers=headers)
    drawn = await services.drawn_pages.picture(account, document, request)
    return Response(
        drawn.png, media_type="image/png", headers={**headers, MARKED: str(drawn.marked), MARKED_AT: str(drawn.top)}
    )


def _number(document: StoredDocument, given: str) -> int:
    """The number of a page that the document has. Raises NotFound."""
    if given.isascii() and given.isdigit() and len(given) < 10 and 1 <= int(given) <= document.pages:
        return int(given)
    raise NotFound("Page not found")


PAGES = Endpoint(
    path="/v1/api/documents/{doc_id}/pages",
    handler=read_pages,
    summary="How many pages a document has, and where passages stand in it",
    answers=records.Pages,
    tag=TAG,
    query=given_by.PLACES_QUERY,
    errors=(NotFound,),
)
PICTURE = Endpoint(
    path="/v1/api/documents/{doc_id}/pages/{page_number}.png",
    handler=draw_page,
    summary="A page of a PDF, a slide or a picture as PNG, with passages marked",
    answers="image/png",
    tag=TAG,
    lane="pictures",
    query=given_by.PICTURE_QUERY,
    errors=(NotFound,),
)
