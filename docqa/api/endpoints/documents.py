"""Adding, listing, reading and deleting documents."""

import asyncio
from contextlib import closing
from urllib.parse import quote

from starlette.responses import Response

from docqa import records, store
from docqa.api import declarations as given_by
from docqa.api.endpoint import Endpoint, Given
from docqa.api.filters import filters_of
from docqa.api.multipart import media_type as safe_type
from docqa.api.streaming import stream_file
from docqa.errors import DiskFull, Forbidden, InvalidRequest, NotFound, TooLarge
from docqa.formats.names import media_types
from docqa.ingest.add import add_file
from docqa.ingest.fetch import fetch
from docqa.ingest.spool import Spool, copied_original
from docqa.services import Services
from docqa.store.sql import Connection
from docqa.store.suggestions import Suggestions

TAG = "Documents"


async def add_link(services: Services, account: int, given: Given) -> records.Added:
    """Stores what a link leads to. Raises as `upload` does."""
    settings = services.settings
    fetched = await fetch(
        given.query["url"],
        seconds=settings.fetch_seconds,
        limit_mb=settings.upload_mb,
        private_networks=settings.private_networks,
        link_ports=settings.link_ports,
        offline=settings.offline,
    )
    with closing(Spool(settings.data)) as content:
        await asyncio.to_thread(content.write, fetched.data)
        doc_id = await add_file(
            services.intake, account, content, fetched.name, fetched.content_type, ("query", "url"), url=fetched.url
        )
    return await _tagged(services, account, doc_id, given)


async def upload(services: Services, account: int, given: Given) -> records.Added:
    """Stores an uploaded file. Raises Unreadable or TooLarge for what cannot be stored."""
    file = given.file
    assert file is not None, "the declaration requires it"
    doc_id = await add_file(services.intake, account, file.content, file.name, file.media_type, ("body", "file"))
    return await _tagged(services, account, doc_id, given)


async def _tagged(services: Services, account: int, doc_id: str, given: Given) -> records.Added:
    if tags := given.query["tag"]:
        async with services.db.write() as conn:
            await store.library.add_tags(conn, account, doc_id, tags, given_by.MOST_TAGS)
    return records.Added(doc_id, doc_id)


async def list_documents(services: Services, account: int, given: Given) -> records.DocumentList:
    """A page of the account's documents, or of those of a knowledge base, that fit, newest first. Raises NotFound."""
    query, filters = given.query, filters_of(given.query)
    page, size, base = query["page"], query["page_size"], query["knowledge_base_id"]
    return await services.db.lists.look(lambda conn: store.library.documents(conn, account, page, size, filters, base))


async def read_document(services: Services, account: int, given: Given) -> records.Document:
    """What is known of a document. Raises NotFound."""
    return await services.db.lists.look(lambda conn: store.library.document(conn, account, given.path["doc_id"]))


async def delete_document(services: Services, account: int, given: Given) -> records.Message:
    """Deletes a document; everything made from it is erased in the background. Raises NotFound, Forbidden."""
    services.db.ballast.release()
    async with services.db.write() as conn:
        await store.deletion.delete_document(conn, account, given.path["doc_id"])
    services.intake.deleted.set()
    services.drawn_pages.forget(given.path["doc_id"])
    return records.Message("Document deleted")


async def update_document(services: Services, account: int, given: Given) -> records.Document:
    """Gives a document another name, or other tags. Raises NotFound, Forbidden."""
    doc_id = given.path["doc_id"]
    async with services.db.write() as conn:
        await store.library.update_document(conn, account, doc_id, given.body["name"], given.body["tags"])
        return await store.library.document(conn, account, doc_id)


async def read_status(services: Services, account: int, given: Given) -> records.DocumentStatus:
    """How far the background work on a document is. Raises NotFound."""
    return await services.db.lists.look(
        lambda conn: store.documents.document_status(conn, account, given.path["doc_id"])
    )


async def read_suggestions(services: Services, account: int, given: Given) -> Suggestions:
    """Questions that a document answers, which are made when they are first asked for. Raises NotFound."""
    doc_id = given.path["doc_id"]
    async with services.db.read() as conn:
        document = await store.documents.stored_document(conn, account, doc_id)
        made = await store.suggestions.suggestions(conn, document.id)
        state = (await store.documents.document_status(conn, account, doc_id)).state
    if made is not None:
        return Suggestions(doc_id, "ready", made)
    if state == "indexing":
        return Suggestions(doc_id, state, [])
    services.suggesting.want(document)
    return Suggestions(doc_id, "making", [])


async def read_file(services: Services, account: int, given: Given) -> Response:
    """The file as it was uploaded, to be saved and not shown. Raises NotFound, Forbidden.

    It is copied out of the database first, one file at a time: a client that reads slowly or not at all must keep
    neither a transaction open nor the file in memory.
    """
    async with services.lanes.copies.turn(account), services.db.read() as conn:
        document = await store.documents.document_with_original(conn, account, given.path["doc_id"])
        media_type, _ = await store.documents.origin(conn, document.id)
        content = await copied_original(conn, document.id, services.settings.data)
    # A page that a stranger wrote must not run as a page of this server.
    safe = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(document.name, safe='')}"}
    return stream_file(content, safe_type(media_type), safe)


async def read_page(services: Services, account: int, given: Given) -> records.Page:
    """The text of one page. Raises NotFound for an unknown document or page."""
    doc_id, number = given.path["doc_id"], given.path["page_number"]

    async def look(conn: Connection) -> records.Page:
        document = await store.documents.stored_document(conn, account, doc_id)
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            raise NotFound("Page not found")
        return records.Page(doc_id, int(number), await store.documents.page_text(conn, document.id, int(number)))

    return await services.db.lists.look(look)


ADD_LINK = Endpoint(
    path="/v1/api/download_pdf",
    methods=("GET", "POST"),
    handler=add_link,
    summary="Add a document from a link",
    answers=records.Added,
    status=201,
    tag=TAG,
    lane="uploads",
    query=given_by.LINK_QUERY,
    errors=(InvalidRequest, TooLarge, DiskFull),
)
UPLOAD = Endpoint(
    path="/v1/api/upload",
    methods=("POST",),
    handler=upload,
    summary="Add a document by file upload",
    answers=records.Added,
    status=201,
    tag=TAG,
    lane="uploads",
    query=given_by.UPLOAD_QUERY,
    file="file",
    errors=(InvalidRequest, TooLarge, DiskFull),
)
LIST = Endpoint(
    path="/v1/api/documents",
    handler=list_documents,
    summary="List the caller's documents, newest first, or those that fit",
    answers=records.DocumentList,
    tag=TAG,
    query=given_by.DOCUMENTS_QUERY,
    errors=(NotFound,),
)
READ = Endpoint(
    path="/v1/api/documents/{doc_id}",
    handler=read_document,
    summary="Read one document",
    answers=records.Document,
    tag=TAG,
    errors=(NotFound,),
)
DELETE = Endpoint(
    path="/v1/api/documents/{doc_id}",
    methods=("DELETE",),
    handler=delete_document,
    summary="Delete one document and everything made from it",
    answers=records.Message,
    tag=TAG,
    errors=(NotFound, Forbidden, DiskFull),
)
UPDATE = Endpoint(
    path="/v1/api/documents/{doc_id}",
    methods=("PATCH",),
    handler=update_document,
    summary="Rename a document, or file it under other tags",
    answers=records.Document,
    tag=TAG,
    body=given_by.DOCUMENT_UPDATE_BODY,
    errors=(NotFound, Forbidden, DiskFull),
)
STATUS = Endpoint(
    path="/v1/api/documents/{doc_id}/status",
    handler=read_status,
    summary="How far the background work on a document is",
    answers=records.DocumentStatus,
    tag=TAG,
    errors=(NotFound,),
)
QUESTIONS = Endpoint(
    path="/v1/api/documents/{doc_id}/questions",
    handler=read_suggestions,
    summary="Up to three questions that the document answers, made when they are first asked for",
    answers=Suggestions,
    tag=TAG,
    errors=(NotFound,),
)
FILE = Endpoint(
    path="/v1/api/documents/{doc_id}/file",
    handler=read_file,
    summary="The original file",
    answers=("application/octet-stream", *media_types(), "*/*"),  # as it was uploaded
    tag=TAG,
    errors=(NotFound, Forbidden),
)
PAGE = Endpoint(
    path="/v1/api/documents/{doc_id}/pages/{page_number}",
    handler=read_page,
    summary="The text of one page",
    answers=records.Page,
    tag=TAG,
    errors=(NotFound,),
)
