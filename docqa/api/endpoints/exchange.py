"""A knowledge base taken along: exported as a ZIP of its original files, and imported from one."""

import asyncio
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from docqa import store
from docqa.api import declarations as given_by
from docqa.api.endpoint import Endpoint, Given
from docqa.api.endpoints.knowledge import TAG
from docqa.api.request import MB
from docqa.api.rules import record
from docqa.api.streaming import stream_pieces
from docqa.errors import DiskFull, Forbidden, InvalidRequest, NotFound, TooLarge
from docqa.ingest.unpacking import Imported, import_base
from docqa.ingest.zipped import Packed, Parcel, packed
from docqa.services import Services

ZIP = "application/zip"


async def export_knowledge(services: Services, account: int, given: Given) -> Response:
    """A knowledge base as a ZIP, sent while it is made. Raises NotFound, and Forbidden for one that was shared without
    its files."""
    async with services.db.read() as conn:
        name, doc_ids = await store.knowledge.base_with_originals(conn, account, given.path["knowledge_base_id"])
    pieces = packed(services.db, services.lanes.copies, account, name, doc_ids)
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}.zip"}
    return stream_pieces(pieces, ZIP, headers)


async def import_knowledge(services: Services, account: int, given: Given) -> Imported:
    """Adds what an exported knowledge base holds. Raises Unreadable for what is none, TooLarge."""
    assert given.file is not None, "the declaration requires it"
    parcel = await asyncio.to_thread(Parcel, given.file.content, services.settings.upload_mb * MB)
    name, documents = await asyncio.to_thread(_contents, parcel)
    return await import_base(services.intake, account, parcel, name, documents)


def _contents(parcel: Parcel) -> tuple[str, list[Packed]]:
    """The name of the knowledge base and its documents, each file once. Raises InvalidRequest, TooLarge."""
    sent = record({"body": record({"file": given_by.MANIFEST})})
    manifest: dict[str, Any] = sent.read({"body": {"file": parcel.manifest()}}, {})["body"]["file"]
    documents = {document["file"]: Packed(**document) for document in manifest["documents"]}
    parcel.check(documents)
    return manifest["name"], list(documents.values())


EXPORT = Endpoint(
    path="/v1/api/knowledge/{knowledge_base_id}/export",
    handler=export_knowledge,
    summary="A knowledge base as a ZIP: its original files and a manifest",
    answers=ZIP,
    tag=TAG,
    errors=(NotFound, Forbidden),
)
IMPORT = Endpoint(
    path="/v1/api/knowledge/import",
    methods=("POST",),
    handler=import_knowledge,
    summary="Add the documents of an exported knowledge base that are not there, and the knowledge base",
    answers=Imported,
    status=201,
    tag=TAG,
    lane="uploads",
    file="file",
    any_file=True,
    errors=(InvalidRequest, TooLarge, DiskFull),
)
