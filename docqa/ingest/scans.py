"""Text recognition in the background: scanned pages, and what data it lacks for the languages of documents."""

import asyncio
import logging
from contextlib import closing
from dataclasses import replace

from docqa import store
from docqa.catalog.recognition import command, for_iso
from docqa.errors import ChildDied, Unreadable
from docqa.formats.pages import ExtractedPage
from docqa.formats.pictures.data import INSTALL, MORE, covered
from docqa.formats.pictures.data import languages as recognition_languages
from docqa.ingest.preparation import page_chunks, with_terms
from docqa.ingest.queue import Intake
from docqa.ingest.spool import copied_original
from docqa.store.documents import StoredDocument, StoredPage

log = logging.getLogger(__name__)

LOOK_AGAIN = 5  # seconds
AGAIN = "Then delete the document and upload it again."


async def recognise_page(intake: Intake, document: StoredDocument, page_number: int) -> None:
    """Read one scanned page. One that cannot be read stays as it is, and is counted in the document's status."""
    page = None
    try:
        page = await _recognised(intake, document, page_number)
    except (Unreadable, ChildDied) as error:
        log.warning("page %d of document %s was not recognised: %s", page_number, document.doc_id, error)
    if page is None or not page.text.strip():
        async with intake.db.write() as conn:
            await store.jobs.give_up_scan(conn, document.id, page_number)
        return
    chunks = await asyncio.to_thread(with_terms, page_chunks(page_number, page))
    async with intake.db.write() as conn:
        if await store.jobs.set_scan(conn, document.id, page_number, page.text, page.blocks):
            await store.chunks.replace_page(conn, document.id, page_number, chunks)


async def recognise_pictures(intake: Intake, document: StoredDocument, page_number: int) -> None:
    """Read the large pictures beside the text of a page, and add what stands there to it. Photographs say nothing."""
    further = ExtractedPage("")
    try:
        further = await _recognised(intake, document, page_number, beside=True)
    except (Unreadable, ChildDied) as error:
        log.warning("the pictures on page %d of %s were not recognised: %s", page_number, document.doc_id, error)
    if not further.text:
        async with intake.db.write() as conn:
            await store.jobs.set_pictures(conn, document.id, page_number)
        return
    async with intake.db.read() as conn:
        stored = await store.documents.stored_page(conn, document.id, page_number)
    if stored is None:  # the document has been deleted meanwhile
        return
    page = _appended(stored, further)
    shift = len(page.text) - len(further.text)
    pieces = [replace(chunk, start=chunk.start + shift) for chunk in page_chunks(page_number, further)]
    chunks = await asyncio.to_thread(with_terms, pieces)
    async with intake.db.write() as conn:
        if await store.jobs.set_pictures(conn, document.id, page_number, page.text, page.blocks):
            await store.chunks.add_chunks(conn, document.id, chunks)


async def _recognised(
    intake: Intake, document: StoredDocument, page_number: int, *, beside: bool = False
) -> ExtractedPage:
    """Raises Unreadable, ChildDied."""
    async with intake.db.read() as conn:
        content = await copied_original(conn, document.id, intake.db.path.parent)
    with closing(content):
        return await intake.reading.recognise(content, page_number, document.language, beside=beside)


def _appended(page: StoredPage, further: ExtractedPage) -> StoredPage:
    """A page with what stands on its pictures after its own text."""
    gap = "\n\n" if page.text else ""
    shift = len(page.text) + len(gap)
    blocks = [block._replace(start=block.start + shift, end=block.end + shift) for block in further.blocks]
    return StoredPage(page.number, f"{page.text}{gap}{further.text}", (*page.blocks, *blocks))


async def watch_languages(intake: Intake) -> None:
    """Read the scans that nothing was read on once there are data for a further language, without a restart."""
    known = recognition_languages()
    while True:
        await asyncio.sleep(LOOK_AGAIN)
        before, known = set(known), recognition_languages()
        if set(known) - before:
            async with intake.db.write() as conn:
                await store.jobs.retry_scans(conn)
            intake.work.set()


async def lack_of_data(intake: Intake, document: StoredDocument, unread: int, language: str) -> str:
    """What text recognition lacks for a document in `language`, of which it has not read `unread` pages: data at all,
    or those of the language; "" if nothing."""
    async with intake.db.read() as conn:
        has_scans = unread or await store.jobs.has_recognised(conn, document.id)
    if not has_scans and document.kind != "image":
        return ""
    codes = recognition_languages()
    missing = for_iso(language) if language and not covered(codes, language) else None
    remedy = (
        f"{INSTALL[0].lower()}{INSTALL[1:]}"
        if not codes
        else f"there are no data for {missing.name}, the language it seems to be in: `{command(missing.iso)}` adds them"
        if missing
        else f"text recognition found nothing on them in {', '.join(codes)}. {MORE.removesuffix('.')}"
    )
    if unread:
        return f"Pages shown as pictures that were not read: {unread}; {remedy}."
    if missing is None:
        return ""
    return (
        f"Read without data for {missing.name}, the language it seems to be in: `{command(missing.iso)}` adds them. "
        f"{AGAIN}"
    )
